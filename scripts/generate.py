"""Makes datasets of demonstrations: python scripts/generate.py task=puzzle_box episodes=9 seed=0 workers=2 out=data"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pipeline.command import command
from pipeline.config import GenerateConf
from pipeline.generate import generate

if __name__ == "__main__":
    command(GenerateConf, "config", generate)
