"""The oracles, found by the name of their task: `oracles.x` exports the oracle's class as `ORACLE`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oracles.base import Oracle


def load_oracle(task: str) -> Oracle:
    """A fresh oracle for one episode of the task."""
    return importlib.import_module(f"oracles.{task}").ORACLE()
