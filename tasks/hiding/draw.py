"""Draws where the things of the search pool are: which compartments open, what they and the counters hide."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from sim.openable import Openable
from sim.surface import Spot
from tasks.base import SamplingError
from tasks.hiding.find import BESIDE, Ground
from tasks.hiding.place import COVERED, DOOR, DRAWER, KINDS, OPEN, Place
from tasks.hiding.views import may_show
from tasks.props.pool import POOL, PoolObject

COVER_AIR, THING_AIR = 0.40, 0.22
"""Least distance from a cover, and between things, on counters, m (tasks.md 8.1)."""
THING_BALL = 0.12
"""A thing and 6 cm of air fit into a ball of this radius, m (tasks.md 8.1: "6 cm box inflation")."""
MIDDLE_HEIGHT = 0.06
EMPTY_COVER = 0.5
MUG_TURN = 1.0
"""A mug's handle points away from the robot, within this angle, rad: the hand comes from there."""
DOOR_WEIGHT = 3.0
"""Few kitchens have cabinets that the hand reaches into; those that have hide things there more often."""
CLOSERS = (1, 3)
"""From and below which number of compartments shut by themselves (tasks.md 8.1: 1-2)."""
TRIES = 40


@dataclass
class Scene:
    """What was drawn.

    Attributes:
        ground: the kitchen. openables: what opens. places: where one thing may be hidden, at most one a compartment.
        contents: place -> the thing that is there; places that are not in it are empty.
        shown: thing -> where it stands for all to see: x, y, z (m) and yaw (rad).
        turns: thing -> yaw relative to straight away from the robot, rad.
        closers: fixtures whose fronts shut by themselves.
    """

    ground: Ground
    openables: list[Openable]
    places: list[Place]
    contents: dict[str, PoolObject] = field(default_factory=dict)
    shown: dict[str, list[float]] = field(default_factory=dict)
    turns: dict[str, float] = field(default_factory=dict)
    closers: list[str] = field(default_factory=list)


def split_key(kinds: Sequence[str]) -> str:
    """E.g. "s2-covered+open" (tasks.md 1.3)."""
    return f"s{len(kinds)}-{'+'.join(sorted(kinds))}"


def draw_scene(
    rng: dict[str, np.random.Generator],
    ground: Ground,
    compartments: int,
    targets: int,
    allowed: Collection[str],
    kinds: Sequence[str] = KINDS,
) -> tuple[Scene, list[PoolObject]]:
    """A scene and its targets.

    Args:
        rng: streams `structure` and `poses`.
        ground: the kitchen with the robot at its work top.
        compartments: how many open. targets: how many things are looked for.
        allowed: split keys of the kinds of the places that may hold the targets.
        kinds: the kinds of places there are.

    Raises:
        SamplingError: the kitchen has too little of what is asked for.
    """
    offered = [
        (openable, places) for openable, places in ground.compartments() if not places or places[0].kind in kinds
    ]
    if len(offered) < compartments:
        raise SamplingError(f"the kitchen has {len(offered)} compartments, not {compartments}")
    combinations = [
        combination
        for combination in itertools.combinations_with_replacement(kinds, targets)
        if split_key(combination) in allowed and _offers(offered, combination)
    ]
    if not combinations:
        raise SamplingError("the kitchen has none of the allowed kinds of places")
    weights = np.array([DOOR_WEIGHT ** combination.count(DOOR) for combination in combinations])
    structure = rng["structure"]
    counters = _Counters(ground, rng["poses"])
    for _ in range(TRIES):
        combination = list(combinations[structure.choice(len(combinations), p=weights / weights.sum())])
        things = _draw_things(structure, combination)
        if things is None:
            continue
        wanted, extra = things
        scene = _furnish(structure, ground, offered, compartments, combination, wanted, counters)
        if scene is None:
            continue
        _hide_distractors(structure, scene, extra, counters, kinds)
        _show_the_rest(scene, counters)
        _turn(rng["poses"], scene)
        shutting = structure.permutation(len(scene.openables))[: structure.integers(*CLOSERS)]
        scene.closers = [scene.openables[k].fixture for k in sorted(shutting)]
        return scene, wanted
    raise SamplingError(f"no scene with {compartments} compartments and {targets} targets was found in {TRIES} tries")


def _offers(offered: list[tuple[Openable, tuple[Place, ...]]], combination: Sequence[str]) -> bool:
    having = [places[0].kind for _, places in offered if places]
    return all(having.count(kind) >= combination.count(kind) for kind in (DRAWER, DOOR))


def _draw_things(
    rng: np.random.Generator, combination: Sequence[str]
) -> tuple[list[PoolObject], list[PoolObject]] | None:
    """A target for each kind of place, and one or two distractors that share a target's kind or colour."""
    wanted: list[PoolObject] = []
    for kind in combination:
        fitting = [thing for thing in POOL if kind in thing.figures.hides_in and thing not in wanted]
        if not fitting:
            return None
        wanted.append(fitting[rng.integers(len(fitting))])
    alike = [
        thing
        for thing in POOL
        if thing not in wanted and any(thing.kind == w.kind or thing.colour == w.colour for w in wanted)
    ]
    count = min(int(rng.integers(1, 3)), len(alike))
    return wanted, [alike[k] for k in rng.permutation(len(alike))[:count]]


def _furnish(
    rng: np.random.Generator,
    ground: Ground,
    offered: list[tuple[Openable, tuple[Place, ...]]],
    count: int,
    combination: Sequence[str],
    wanted: Sequence[PoolObject],
    counters: _Counters,
) -> Scene | None:
    """Compartments and counter places with the targets in them."""
    counters.clear()
    order = [offered[k] for k in rng.permutation(len(offered))]
    chosen: list[tuple[Openable, Place | None]] = []
    places: list[Place] = []
    contents: dict[str, PoolObject] = {}
    for kind, thing in zip(combination, wanted, strict=True):
        if kind in (DRAWER, DOOR):
            found = next(
                (
                    (openable, fitting[rng.integers(len(fitting))])
                    for openable, inside in order
                    if openable not in [o for o, _ in chosen]
                    and (fitting := [place for place in inside if place.kind == kind and place.takes(thing)])
                ),
                None,
            )
            if found is None:
                return None
            chosen.append(found)
            place = found[1]
        else:
            place = counters.hide(kind, len(places))
            if place is None:
                return None
        places.append(place)
        contents[place.name] = thing
    if len(chosen) > count:
        return None
    for openable, inside in order:
        if len(chosen) < count and openable not in [o for o, _ in chosen]:
            chosen.append((openable, inside[rng.integers(len(inside))] if inside else None))
            places += [chosen[-1][1]] if inside else []
    names = [openable.fixture for openable, _ in offered]
    openables = sorted((openable for openable, _ in chosen), key=lambda openable: names.index(openable.fixture))
    return Scene(ground, openables, places, contents)


def _hide_distractors(
    rng: np.random.Generator, scene: Scene, extra: Sequence[PoolObject], counters: _Counters, kinds: Sequence[str]
) -> None:
    """Distractors go where they fit: into empty compartments, or onto counters; and a cover may hide nothing."""
    for thing in extra:
        free = [p for p in scene.places if p.name not in scene.contents and p.takes(thing)]
        kind = kinds[rng.integers(len(kinds))]
        if kind in (OPEN, COVERED) and kind in thing.figures.hides_in:
            place = counters.hide(kind, len(scene.places))
            if place is not None:
                scene.places.append(place)
                free = [place]
        if free:
            scene.contents[free[rng.integers(len(free))].name] = thing
    if COVERED in kinds and rng.random() < EMPTY_COVER:
        place = counters.hide(COVERED, len(scene.places))
        if place is not None:
            scene.places.append(place)


def _show_the_rest(scene: Scene, counters: _Counters) -> None:
    """The rest of the pool stands in view of the robot's start, as far as there is room."""
    hidden = list(scene.contents.values())
    for thing in POOL:
        if thing not in hidden:
            spot = counters.show()
            if spot is not None:
                scene.shown[thing.name] = [*spot.origin, spot.yaw]


def _turn(rng: np.random.Generator, scene: Scene) -> None:
    for name in sorted([thing.name for thing in scene.contents.values()] + list(scene.shown)):
        scene.turns[name] = float(rng.uniform(-MUG_TURN, MUG_TURN))


class _Counters:
    """Hands out spots on counters that keep their distance from each other."""

    def __init__(self, ground: Ground, rng: np.random.Generator) -> None:
        self._ground = ground
        small, large = ground.small_spots, ground.large_spots
        self._small = [small[k] for k in rng.permutation(len(small))]
        self._large = [large[k] for k in rng.permutation(len(large))]
        self._sides = rng.integers(0, 2, len(large))
        self.clear()

    def clear(self) -> None:
        """Nothing stands anywhere."""
        self._taken: list[tuple[np.ndarray, float]] = []

    def hide(self, kind: str, index: int) -> Place | None:
        """A place on a counter: under a cover, or in the open where no camera shows it at the start."""
        return self._cover(index) if kind == COVERED else self._spot(index)

    def show(self) -> Spot | None:
        """A spot in view of the robot's start."""
        for spot in self._small:
            point = np.array(spot.origin)
            if self._in_view(point) and self._free(point, THING_AIR):
                self._taken.append((point, THING_AIR))
                return spot
        return None

    def _spot(self, index: int) -> Place | None:
        for spot in self._small:
            point = np.array(spot.origin)
            if not self._in_view(point) and self._free(point, THING_AIR):
                self._taken.append((point, THING_AIR))
                return Place(f"spot_{index}", OPEN, spot.fixture, 0, spot.origin, spot.yaw - np.pi / 2, 1.0)
        return None

    def _cover(self, index: int) -> Place | None:
        for spot, side in zip(self._large, self._sides, strict=True):
            ends = [spot.to_world((sign * BESIDE, 0.0)) for sign in (-1, 1)]
            point, aside = ends[side], ends[1 - side]
            if self._free(np.array(point), COVER_AIR) and self._free(np.array(aside), THING_AIR):
                self._taken += [(np.array(point), COVER_AIR), (np.array(aside), THING_AIR)]
                name = f"cover_{index}"
                return Place(name, COVERED, spot.fixture, 0, point, spot.yaw - np.pi / 2, 1.0, aside)
        return None

    def _in_view(self, point: np.ndarray) -> bool:
        return may_show(self._ground.work.base, point + [0, 0, MIDDLE_HEIGHT], THING_BALL)

    def _free(self, point: np.ndarray, air: float) -> bool:
        return all(np.linalg.norm(point[:2] - other[:2]) >= max(air, room) for other, room in self._taken)
