"""The oracle of Puzzle Box."""

from oracles.puzzle_box.evidence import BoxEvidence, choose
from oracles.puzzle_box.oracle import PuzzleBoxOracle
from oracles.puzzle_box.oracle import PuzzleBoxOracle as ORACLE

__all__ = ["ORACLE", "BoxEvidence", "PuzzleBoxOracle", "choose"]
