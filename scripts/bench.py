"""Measures how fast this is, as ratios: python scripts/bench.py only=[sim,writer] out=bench.json"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pipeline.bench import BenchConf, bench
from pipeline.command import command

if __name__ == "__main__":
    command(BenchConf, "bench", bench)
