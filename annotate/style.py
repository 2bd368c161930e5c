"""One episode's way of speaking: choices that vary with the seed and never within the episode.

A choice depends on the seed and on what is chosen, not on how many choices came before, so that adding a verb or a row
changes no other words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

T = TypeVar("T")


@dataclass(frozen=True)
class Style:
    """A way of speaking. `salt` is what tells it from others."""

    salt: int

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Style:
        """The style that a generator of the wording stream draws."""
        return cls(int(rng.integers(2**63)))

    def weight(self, key: str) -> float:
        """How little this style likes `key`, in [0, 1)."""
        digest = hashlib.sha256(f"{self.salt}/{key}".encode()).digest()
        return int.from_bytes(digest[:6], "big") / 2**48

    def ranked(self, options: Sequence[str]) -> list[str]:
        """The options, the best liked first."""
        return sorted(options, key=lambda option: (self.weight(option), option))
