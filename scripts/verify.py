"""Checks a dataset: python scripts/verify.py dataset=data/puzzle_box

Looks for an oracle that peeks: python scripts/verify.py twins=10 task=puzzle_box
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from verify.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
