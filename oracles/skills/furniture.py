"""Opening and closing kitchen furniture, whatever it is: the skills that the searching tasks share."""

from __future__ import annotations

from oracles.base import Motion, Session
from oracles.skills.door import close_door, open_door
from oracles.skills.drawer import close_drawer, open_drawer
from sim.openable import DRAWER, Openable

__all__ = ["close_door", "close_drawer", "close_front", "open_door", "open_drawer", "open_front"]


def open_front(session: Session, openable: Openable, front: int = 0) -> Motion[None]:
    """Opens a drawer, or one door leaf: 0 is the left one as seen from in front.

    Raises:
        SkillFailed: see `open_drawer` and `open_door`.
    """
    if openable.kind == DRAWER:
        yield from open_drawer(session, openable)
    else:
        yield from open_door(session, openable, openable.fronts[front])


def close_front(session: Session, openable: Openable, front: int = 0) -> Motion[None]:
    """Closes what `open_front` opened.

    Raises:
        SkillFailed: see `close_drawer` and `close_door`.
    """
    if openable.kind == DRAWER:
        yield from close_drawer(session, openable)
    else:
        yield from close_door(session, openable, openable.fronts[front])
