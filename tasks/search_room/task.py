"""Search Room: find two or three things in a kitchen, stand them on the tray, press SUBMIT.

Hidden is which drawer, cabinet, cover or far counter holds what. Figures: tasks.md 8.1.

Deviations: the hand of this robot cannot be held level below 1 m, so what stands in a cabinet stands near its front,
and things in a drawer 0.17 m behind its front (sim.compartment). Styles whose handles the hand cannot pull (knobs, flat
bars) are left out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from sim.assets import AssetRoots
from sim.contact import at_rest
from sim.kitchen import Kitchen
from sim.model import begin_model, finish_model
from sim.openable import Openable
from sim.surface import Spot, find_spots
from sim.world import Rule, World
from tasks.base import Instance, SamplingError, Task, streams
from tasks.hiding.draw import Scene, draw_scene, split_key
from tasks.hiding.find import Ground, Plan
from tasks.hiding.fronts import add_closers, take_handles
from tasks.hiding.memory import SearchMemory
from tasks.hiding.naming import whereabouts
from tasks.hiding.place import COVERED, DOOR, KINDS, Place
from tasks.hiding.section import sections
from tasks.props.cloche import LARGE, add_cloche
from tasks.props.extent import tilt
from tasks.props.pool import POOL, PoolObject, add_pool_object
from tasks.props.submit import SubmitRule, add_submit
from tasks.props.tray_mark import add_tray_mark, inside, overlaps
from tasks.search_room.goal import goal

PATCH = (0.66, 0.42)
REACH_X = 0.30
TRAY_XY = (-0.14, -0.03)
SUBMIT_XY = (0.20, -0.03)
UPRIGHT = np.deg2rad(15)
STRAY = 0.1
HELD_OUT = frozenset({"s2-covered+open", "s3-door+door+drawer"})
"""Kinds of places that are kept for evaluation (tasks.md 1.3)."""
ROOM = {
    "train": {
        **dict.fromkeys((16, 17, 18, 31, 38, 39, 51, 57), 8),
        **dict.fromkeys((29, 41, 46, 49, 56), 6),
        **dict.fromkeys((13, 19, 21, 22, 25, 37, 43, 48, 50, 53, 54, 58, 59), 4),
    },
    "eval": {9: 8, 4: 4, 7: 4, 8: 4, 42: 4},
}
"""Layout -> most compartments that open and can be got to from its work tops. The benchmark's other layouts have fewer
than 4 whose handles this hand pulls, or no work top with room for the robot to step aside.
"""
TWO_DOORS = frozenset({9, 42})
"""Those for evaluation that have two cabinets to hide things in, as the held-out kind of three places asks for."""


class SearchRoom(Task):
    """See the module's docstring."""

    name: ClassVar[str] = "search_room"
    version: ClassVar[str] = "1"
    levels: ClassVar[dict[str, tuple[Any, ...]]] = {"set_size": (2, 3), "compartments": (4, 6, 8)}
    layouts: ClassVar[dict[str, tuple[int, ...]]] = {split: tuple(sorted(room)) for split, room in ROOM.items()}
    styles: ClassVar[dict[str, tuple[int, ...]]] = {"train": (1, 2, 3, 4, 6, 7, 8, 9, 10), "eval": (13, 14)}
    tick_limit: ClassVar[int] = 20_000

    @classmethod
    def layouts_for(cls, level: dict[str, Any], split: str) -> tuple[int, ...]:
        """Those with enough compartments, and doors."""
        found = tuple(n for n in cls.layouts[split] if ROOM[split][n] >= level["compartments"])
        return tuple(n for n in found if n in TWO_DOORS) if split == "eval" and level["set_size"] == 3 else found

    def sample(self, seed: int, level: dict[str, Any], kitchen: Kitchen, split: str = "train") -> Instance:
        """A kitchen with things hidden in it."""
        rng = streams(self.name, seed)
        keys = {split_key(kinds) for kinds in _all_kinds(level["set_size"])}
        allowed = keys & HELD_OUT if split == "eval" else keys - HELD_OUT
        spots = find_spots(kitchen, PATCH, REACH_X)
        reason: Exception = SamplingError(
            f"layout {kitchen.id.layout} has no free work top of {PATCH[0]} x {PATCH[1]} m"
        )
        for ground in _with_doors_first(kitchen, [spots[k] for k in rng["scene"].permutation(len(spots))]):
            try:
                scene, wanted = draw_scene(rng, ground, level["compartments"], level["set_size"], allowed)
            except SamplingError as error:
                reason = error
                continue
            spec = self._spec(scene, wanted)
            return Instance(self.name, self.version, seed, dict(level), split, kitchen.id, spec, goal(spec["targets"]))
        raise SamplingError(str(reason))

    def _spec(self, scene: Scene, wanted: list[PoolObject]) -> dict[str, Any]:
        kitchen, work = scene.ground.plan.kitchen, scene.ground.work
        stretches = sections(scene.ground.small_spots)
        return {
            "work": {
                "fixture": work.fixture,
                "origin": list(work.origin),
                "yaw": work.yaw,
                "size": list(work.size),
                "base": list(work.base),
            },
            "targets": [thing.name for thing in wanted],
            "places": [place.to_json() for place in scene.places],
            "contents": {name: thing.name for name, thing in sorted(scene.contents.items())},
            "shown": dict(sorted(scene.shown.items())),
            "turns": dict(sorted(scene.turns.items())),
            "closers": scene.closers,
            "furniture": [
                {**o.to_json(), "where": whereabouts(kitchen, o.box, o.outward, o.fixture)} for o in scene.openables
            ],
            "counters": [
                replace(s, where=whereabouts(kitchen, s.box, s.towards_robot, s.fixture)).to_json() for s in stretches
            ],
        }

    def model(self, instance: Instance, kitchen: Kitchen, roots: AssetRoots) -> str:
        """Kitchen, things, covers, tray and button; fronts that do not open have no handles."""
        work, openables = work_top(instance), furniture(instance)
        joints = [joint for openable in openables for joint in openable.joints]
        model = begin_model(kitchen, roots, work.base, timestep=self.timestep, keep_joints=joints)
        add_closers(model, openables, instance.spec["closers"])
        take_handles(model, kitchen, openables)
        add_tray_mark(model, work.to_world(TRAY_XY), work.yaw)
        add_submit(model, work.to_world(SUBMIT_XY), work.yaw)
        contents = instance.spec["contents"]
        for place in places(instance):
            if place.kind == COVERED:
                add_cloche(model, LARGE, place.point, place.outward, place.name)
            if place.name in contents:
                turn = place.outward + np.pi / 2 + instance.spec["turns"][contents[place.name]]
                add_pool_object(model, thing_named(contents[place.name]), place.point, turn)
        for name, (x, y, z, yaw) in instance.spec["shown"].items():
            add_pool_object(model, thing_named(name), (x, y, z), yaw + instance.spec["turns"][name])
        return finish_model(model, roots)

    def rules(self, instance: Instance) -> tuple[Rule, ...]:
        """SUBMIT, and what stays true once it has been."""
        judge = lambda world: (self.success(instance, world), self.progress(instance, world))  # noqa: E731
        return (SubmitRule(judge), SearchMemory(furniture(instance), hidden(instance)))

    def success(self, instance: Instance, world: World) -> bool:
        """All targets stand on the tray, nothing else is on it, and every thing rests, let go."""
        model, data = world.model, world.judged()
        tray = model.body("tray").id
        for name in movables(instance):
            body = model.body(name).id
            if not at_rest(model, data, body, world.robot_geoms):
                return False
            if name in instance.spec["targets"]:
                if not inside(model, data, tray, body) or tilt(data, body) > UPRIGHT:
                    return False
            elif overlaps(model, data, tray, body):
                return False
        return True

    def progress(self, instance: Instance, world: World) -> float:
        """Mean over the targets of opened 1/3, out 2/3, placed 3/3; less 0.1 for a stray thing on the tray."""
        if self.success(instance, world):
            return 1.0
        model, data = world.model, world.judged()
        memory = next(rule for rule in world.rules if isinstance(rule, SearchMemory))
        tray, total = model.body("tray").id, 0.0
        for name, place in hidden(instance).items():
            body = model.body(name).id
            placed = inside(model, data, tray, body) and at_rest(model, data, body, world.robot_geoms)
            upright = tilt(data, body) <= UPRIGHT
            opened = place.fixture in memory.opened
            total += 1 if placed and upright else 2 / 3 if name in memory.out else 1 / 3 if opened else 0
        others = [name for name in movables(instance) if name not in instance.spec["targets"]]
        stray = any(overlaps(model, data, tray, model.body(name).id) for name in others)
        return float(np.clip(total / len(instance.spec["targets"]) - STRAY * stray, 0.0, 1.0))

    def twin(self, instance: Instance) -> Instance | None:
        """Two targets change places, or else a target and what another place holds."""
        contents, where = instance.spec["contents"], hidden(instance)
        by_name = {place.name: place for place in places(instance)}
        for name, place in where.items():
            others = sorted(by_name, key=lambda n: (contents.get(n) not in where, by_name[n].kind != place.kind, n))
            for other in others:
                held = contents.get(other)
                if other == place.name or not by_name[other].takes(thing_named(name)):
                    continue
                if held is not None and not place.takes(thing_named(held)):
                    continue
                swapped = {k: v for k, v in contents.items() if k not in (place.name, other)}
                swapped[other] = name
                if held is not None:
                    swapped[place.name] = held
                return replace(instance, spec={**instance.spec, "contents": dict(sorted(swapped.items()))})
        return None

    def held_out(self, instance: Instance) -> bool:
        """Whether the kinds of places that hold the targets are kept for evaluation."""
        return split_key([place.kind for place in hidden(instance).values()]) in HELD_OUT


def _with_doors_first(kitchen: Kitchen, spots: list[Spot]) -> list[Ground]:
    """The work tops from which things behind doors can be got, then the others: few kitchens have such doors."""
    plan = Plan(kitchen)
    grounds = [Ground(plan, spot) for spot in spots]
    if not any(openable.kind == DOOR for openable in plan.openables):
        return grounds
    return sorted(grounds, key=lambda ground: DOOR not in ground.kinds)


def _all_kinds(count: int) -> list[tuple[str, ...]]:
    from itertools import combinations_with_replacement

    return list(combinations_with_replacement(KINDS, count))


def thing_named(name: str) -> PoolObject:
    """The pool's object of that name."""
    return next(thing for thing in POOL if thing.name == name)


def work_top(instance: Instance) -> Spot:
    """Where the tray is, and where the robot starts."""
    work = instance.spec["work"]
    return Spot(work["fixture"], tuple(work["origin"]), work["yaw"], tuple(work["size"]), tuple(work["base"]))


def furniture(instance: Instance) -> list[Openable]:
    """What opens."""
    return [Openable.from_json({k: v for k, v in o.items() if k != "where"}) for o in instance.spec["furniture"]]


def places(instance: Instance) -> list[Place]:
    """All hiding places, empty ones too."""
    return [Place.from_json(record) for record in instance.spec["places"]]


def hidden(instance: Instance) -> dict[str, Place]:
    """Target -> its place."""
    by_name = {place.name: place for place in places(instance)}
    found = {thing: by_name[name] for name, thing in instance.spec["contents"].items()}
    return {name: found[name] for name in instance.spec["targets"]}


def movables(instance: Instance) -> list[str]:
    """The bodies of all things and covers."""
    covers = [place.name for place in places(instance) if place.kind == COVERED]
    return sorted([*instance.spec["contents"].values(), *instance.spec["shown"], *covers])
