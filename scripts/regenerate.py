"""Draws a dataset again: python scripts/regenerate.py dataset=data/puzzle_box out=data512/puzzle_box render.size=512"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pipeline.command import command
from pipeline.config import RegenerateConf
from pipeline.regenerate import regenerate

if __name__ == "__main__":
    command(RegenerateConf, "regenerate", regenerate)
