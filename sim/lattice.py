"""Ways over the free floor for a base that drives in any direction and turns in place.

A state is a place of the point that the base turns about, on a 5 cm grid, and one of eight headings. The footprint is
tested as it is turned, not as a disc, so that a way may lead sideways into an aisle that is too narrow for turning.
Driving forward is preferred.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sim.floor import CELL, FloorMap

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Pose = tuple[float, float, float]
"""World x, y (m) and yaw (rad) of the base frame."""

PIVOT = 0.21
"""The base turns about a point this far behind its frame, m."""
HEADINGS = 8
STRIDE = 2
"""Every how many cells of the floor map, each way, the base is placed."""
AIR = 0.03
"""Room around the footprint, m."""
FOOT = (-0.34, 0.36, 0.25)
"""The base around the point that it turns about: from and to along its x, and half its width, m."""
HAND = (0.21, 0.57, 0.14)
"""The same of the drawn in hand with something in it."""
OFF_COURSE = (1.0, 1.3, 1.5, 1.6, 1.6)
"""What a metre costs if it is driven 0, 45, 90, 135 or 180 degrees off the heading."""
TURN_COST = 0.35
"""What an eighth of a turn costs, in metres: the time it takes."""


class NoRoute(Exception):
    """The floor offers no way between two poses."""


class Lattice:
    """Where the base can stand and how it can move, on one floor map."""

    def __init__(self, floor: FloorMap) -> None:
        self._origin = floor.origin
        solid, tall = floor.clearance < CELL / 2, floor.tall_clearance < CELL / 2
        # Sixteen headings: the odd ones are passed through while turning.
        self._free = np.stack(
            [~(_hit(solid, FOOT, yaw) | _hit(tall, HAND, yaw)) for yaw in np.arange(2 * HEADINGS) * np.pi / HEADINGS]
        )

    def stands(self, pose: Pose) -> bool:
        """Whether the base, and the hand that is drawn in, touch nothing at the grid's pose nearest to `pose`."""
        state = self._state(pose)
        return state is not None and bool(self._free[2 * state[0], state[1] * STRIDE, state[2] * STRIDE])

    def route(self, starts: list[Pose], ends: list[Pose]) -> list[Pose]:
        """The corners of the cheapest way from one of some poses to one of others, both ends included.

        Between corners the base either turns in place, by 45 degrees, or drives straight without turning.

        Raises:
            NoRoute: there is none.
        """
        from scipy.sparse.csgraph import dijkstra

        first, last = ([self._number[self._state(p)] for p in poses if self.stands(p)] for poses in (starts, ends))
        if not first or not last:
            raise NoRoute(f"the base cannot stand at the {'end' if first else 'start'} of the way")
        cost, came, _ = dijkstra(self._graph, indices=first, return_predecessors=True, min_only=True)
        at = min(last, key=lambda node: cost[node])
        if not np.isfinite(cost[at]):
            raise NoRoute("the floor between the two poses is not connected")
        states = [self._nodes[at]]
        while came[at] >= 0:
            at = came[at]
            states.append(self._nodes[at])
        return [self._pose(state) for state in self._straightened(states[::-1])]

    @cached_property
    def _nodes(self) -> np.ndarray:
        """int (n, 3): heading, column and row of the free states."""
        return np.argwhere(self._free[::2, ::STRIDE, ::STRIDE])

    @cached_property
    def _number(self) -> np.ndarray:
        """int (headings, nx, ny): index into `_nodes`, -1 where the base cannot stand."""
        free = self._free[::2, ::STRIDE, ::STRIDE]
        number = np.full(free.shape, -1)
        number[free] = np.arange(free.sum())
        return number

    @cached_property
    def _graph(self) -> csr_matrix:
        from scipy.sparse import csr_matrix

        number, edges = self._number, []
        for heading in range(HEADINGS):
            here = self._free[2 * heading]
            for direction in range(HEADINGS):
                step = np.round([np.cos(direction * np.pi / 4), np.sin(direction * np.pi / 4)]).astype(int)
                midway = _shifted(here, step)[::STRIDE, ::STRIDE]
                there = _shifted(number[heading], step, -1)
                off = min((direction - heading) % HEADINGS, (heading - direction) % HEADINGS)
                cost = OFF_COURSE[off] * STRIDE * CELL * float(np.hypot(*step))
                edges.append((number[heading], there, midway, cost))
            for turned, between in ((heading + 1, 2 * heading + 1), (heading - 1, 2 * heading - 1)):
                midway = self._free[between % (2 * HEADINGS)][::STRIDE, ::STRIDE]
                edges.append((number[heading], number[turned % HEADINGS], midway, TURN_COST))
        rows, columns, costs = [], [], []
        for here, there, midway, cost in edges:
            good = (here >= 0) & (there >= 0) & midway
            rows.append(here[good])
            columns.append(there[good])
            costs.append(np.full(good.sum(), cost))
        size = len(self._nodes)
        return csr_matrix((np.concatenate(costs), (np.concatenate(rows), np.concatenate(columns))), (size, size))

    def _straightened(self, states: list[np.ndarray]) -> list[np.ndarray]:
        """Leaves out the states between which the base can go straight."""
        kept, at = [states[0]], 0
        while at < len(states) - 1:
            run = at + 1
            while run < len(states) - 1 and states[run + 1][0] == states[at][0] == states[run][0]:
                run += 1
            at = next(k for k in range(run, at, -1) if k == at + 1 or self._clear(states[at], states[k]))
            kept.append(states[at])
        return kept

    def _clear(self, a: np.ndarray, b: np.ndarray) -> bool:
        ends = np.array([a[1:], b[1:]]) * STRIDE
        count = int(np.abs(ends[1] - ends[0]).max()) * 2 + 1
        cells = np.round(np.linspace(ends[0], ends[1], count)).astype(int)
        return bool(self._free[2 * a[0], cells[:, 0], cells[:, 1]].all())

    def _state(self, pose: Pose) -> tuple[int, int, int] | None:
        ahead = np.array([np.cos(pose[2]), np.sin(pose[2])])
        x, y = np.round((np.array(pose[:2]) - PIVOT * ahead - self._origin) / (CELL * STRIDE)).astype(int)
        heading = round(pose[2] / (2 * np.pi / HEADINGS)) % HEADINGS
        inside = 0 <= x < self._number.shape[1] and 0 <= y < self._number.shape[2]
        return (heading, int(x), int(y)) if inside else None

    def _pose(self, state: np.ndarray) -> Pose:
        yaw = float(state[0] * 2 * np.pi / HEADINGS)
        x, y = self._origin + CELL * STRIDE * state[1:] + PIVOT * np.array([np.cos(yaw), np.sin(yaw)])
        return float(x), float(y), yaw


def _shifted(grid: np.ndarray, step: np.ndarray, fill: int = 0) -> np.ndarray:
    """grid[i + step], `fill` beyond its edge."""
    out = np.full_like(grid, fill)
    source = tuple(slice(max(0, s), n + min(0, s)) for s, n in zip(step, grid.shape, strict=True))
    target = tuple(slice(max(0, -s), n + min(0, -s)) for s, n in zip(step, grid.shape, strict=True))
    out[target] = grid[source]
    return out


def _hit(blocked: np.ndarray, box: tuple[float, float, float], yaw: float) -> np.ndarray:
    """bool (nx, ny): whether a rectangle (from x, to x, half width; m) meets a blocked cell when the base stands at a
    cell, turned by `yaw`.
    """
    from scipy.signal import fftconvolve

    low, high, half = box[0] - AIR, box[1] + AIR, box[2] + AIR
    reach = int(np.ceil(np.hypot(max(-low, high), half) / CELL))
    x, y = np.meshgrid(*[np.arange(-reach, reach + 1) * CELL] * 2, indexing="ij")
    ahead, left = x * np.cos(yaw) + y * np.sin(yaw), y * np.cos(yaw) - x * np.sin(yaw)
    inside = (ahead >= low) & (ahead <= high) & (np.abs(left) <= half)
    padded = np.pad(blocked, reach, constant_values=True)
    # Correlation: cell c is hit if blocked[c + offset] for an offset inside the rectangle.
    return fftconvolve(padded.astype(np.float32), inside[::-1, ::-1].astype(np.float32), mode="valid") > 0.5
