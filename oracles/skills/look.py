"""Looking: holding the wrist camera over something for a moment."""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Session
from oracles.skills.arm import base_frame, hand_down, move, wait

GAZE_TICKS = 10


def look_down(session: Session, point: np.ndarray, height: float, gaze: int = GAZE_TICKS) -> Motion[None]:
    """Brings the hand over a world point (3,) at a height above it, pointing down, and keeps it there for a moment.

    What was seen is decided by the caller through `session.eyes`, at the end of the gaze.
    """
    _, base = base_frame(session.world)
    # The wrist camera sits ahead of the fingers and the hand covers the near edge of its picture.
    target = point + [0, 0, height] - 0.06 * base[:, 0]
    yield from move(
        session, target, hand_down(session.world, base[:2, 1]), tolerance=0.02, turn_tolerance=0.08, required=0.06
    )
    yield from wait(session, gaze)
