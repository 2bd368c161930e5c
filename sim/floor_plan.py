"""The free floor of a composed kitchen, from the boxes of its fixtures: for sampling, without a simulator.

Coarser than `sim.floor.floor_map`, which reads the geoms of a running model.
"""

from __future__ import annotations

import numpy as np

from sim.floor import HAND_LOWEST, HIGHEST, LOWEST, FloorMap, free_floor
from sim.kitchen import Kitchen


def kitchen_floor(kitchen: Kitchen) -> FloorMap:
    """The floor that is free while every front is closed."""
    return free_floor(
        [
            (np.asarray(fixture.box.corners()), fixture.box.top > HAND_LOWEST)
            for fixture in kitchen.fixtures
            if fixture.kind != "Floor" and fixture.box.top > LOWEST and fixture.box.bottom < HIGHEST
        ]
    )
