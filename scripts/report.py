"""Shows a dataset on one HTML page: python scripts/report.py dataset=data/puzzle_box"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pipeline.command import command
from pipeline.report import ReportConf, report

if __name__ == "__main__":
    command(ReportConf, "report", report)
