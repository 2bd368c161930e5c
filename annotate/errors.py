"""Why a caption cannot be put into words."""

from __future__ import annotations


class WordingError(ValueError):
    """A caption that cannot be put into words."""


class NotSeenError(WordingError):
    """A thing that the robot has not seen was to be named."""


class AmbiguousError(WordingError):
    """Two things that no phrase can tell apart: same noun, same traits, same place."""


class UnknownVerbError(WordingError):
    """A verb, or a use of it with these roles, that no table has words for."""


class TermError(WordingError):
    """A thing or a fact that cannot be said: a direction without length, a trait that is a word of position."""


class TimelineError(WordingError):
    """A timeline that does not cover the episode tick by tick."""
