"""Puzzle Box: a chest whose lid is locked by a chain of bolts."""

from tasks.puzzle_box.task import PuzzleBox as TASK

__all__ = ["TASK"]
