"""Puzzle Box: free the chain of bolts by trying, slide the lid aside, put what is inside on the tray, press SUBMIT.

Hidden is which bolt holds which, wherever the plate covers the places where they meet. Figures: tasks.md 8.9.

Deviations: the chest stands within +-10 degrees of the work edge, so that every handle is reached from one side; the
work patch is 1.30 m wide (1.20) because the tray stands clear of the furthest handle.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from sim.assets import AssetRoots
from sim.contact import subtree, supported_by, touching
from sim.kitchen import Kitchen
from sim.model import begin_model, finish_model
from sim.surface import Spot, find_spots
from sim.world import Rule, World
from tasks.base import Instance, SamplingError, Task, streams
from tasks.props.extent import lowest
from tasks.props.submit import SubmitRule, add_submit
from tasks.props.tray import HALF as TRAY_HALF
from tasks.props.tray import add_tray, in_tray
from tasks.puzzle_box.box import add_box, item_source
from tasks.puzzle_box.items import add_item
from tasks.puzzle_box.structure import (
    DIRECTIONS,
    HELD_OUT,
    BoxStructure,
    StructureNotFound,
    sample_appearance,
    sample_structure,
    twin,
)

PATCH = (1.30, 0.66)
REACH_X = 0.50
MAX_YAW = np.deg2rad(10)
TRAY_XY = (0.50, -0.02)
SUBMIT_XY = (0.50, -0.27)
HANDLE_MARGIN = 0.055
"""Room that the open fingers need around a handle's path."""
HANDLE_Y = (-0.31, 0.17)
"""How near to and far from the robot a handle's path may come, m, task frame."""
ITEMS = ("candle", "tangerine", "tomato")
TRAY_COLOURS = ((0.92, 0.92, 0.90), (0.25, 0.42, 0.55), (0.75, 0.62, 0.42), (0.35, 0.48, 0.38))
OUT_DISTANCE = 0.30
LID_OPENED = 0.5


class BoxMemory:
    """What stays true once it has been: the lid was opened, the item was out of the box."""

    def __init__(self, structure: BoxStructure) -> None:
        self._open_at = LID_OPENED * structure.lid.open_at
        self.lid_opened = self.item_out = False

    def reset(self, world: World) -> None:
        """Nothing happened yet."""
        self.lid_opened = self.item_out = False
        model = world.model
        self._lid = model.jnt_qposadr[model.joint("lid_joint").id]
        self._item = model.body("item").id
        self._source = world.data.xpos[self._item].copy()

    def update(self, world: World) -> None:
        """Notices the first time of either."""
        if not self.lid_opened and world.data.qpos[self._lid] >= self._open_at:
            self.lid_opened = True
            world.emit("opened", thing="lid")
        if not self.item_out and np.linalg.norm(world.data.xpos[self._item] - self._source) > OUT_DISTANCE:
            self.item_out = True
            world.emit("taken_out", thing="item")

    def get_state(self) -> Any:
        """Both memories."""
        return (self.lid_opened, self.item_out)

    def set_state(self, state: Any) -> None:
        """Puts them back."""
        self.lid_opened, self.item_out = state


class PuzzleBox(Task):
    """See the module's docstring."""

    name: ClassVar[str] = "puzzle_box"
    version: ClassVar[str] = "1"
    levels: ClassVar[dict[str, tuple[Any, ...]]] = {"chain": (4, 5, 6), "cover": ("none", "partial", "full")}
    layouts: ClassVar[dict[str, tuple[int, ...]]] = {
        "train": (12, 17, 24, 25, 29, 31, 33, 38),
        "eval": (10, 45, 48, 49, 51, 53),
    }

    def sample(self, seed: int, level: dict[str, Any], kitchen: Kitchen, split: str = "train") -> Instance:
        """A box in a kitchen. In the train split, structures of the held-out classes are never drawn."""
        rng = streams(self.name, seed)
        spots = find_spots(kitchen, PATCH, REACH_X)
        if not spots:
            raise SamplingError(f"kitchen layout {kitchen.id.layout} has no free work top of {PATCH[0]} x {PATCH[1]} m")
        spot = spots[rng["scene"].integers(len(spots))]
        directions = [d for d in DIRECTIONS if (f"{d}-k{level['chain']}" in HELD_OUT) == (split == "eval")]
        try:
            structure = sample_structure(rng["structure"], level["chain"], level["cover"], directions=directions)
        except StructureNotFound as error:
            raise SamplingError(str(error)) from error
        structure = replace(structure, appearance=sample_appearance(rng["materials"]))
        item = ITEMS[rng["structure"].integers(len(ITEMS))]
        spec = {
            "spot": {
                "fixture": spot.fixture,
                "origin": list(spot.origin),
                "yaw": spot.yaw,
                "size": list(spot.size),
                "base": list(spot.base),
            },
            "box": _place_box(rng["poses"], structure),
            "structure": structure.to_json(),
            "item": item,
            "tray": {"xy": list(TRAY_XY), "yaw": np.pi / 2 + float(rng["poses"].uniform(-0.1, 0.1))},
            "tray_colour": list(TRAY_COLOURS[rng["materials"].integers(len(TRAY_COLOURS))]),
            "submit": {"xy": list(SUBMIT_XY)},
        }
        return Instance(self.name, self.version, seed, dict(level), split, kitchen.id, spec, goal(item))

    def model(self, instance: Instance, kitchen: Kitchen, roots: AssetRoots) -> str:
        """Kitchen, chest, item, tray and button."""
        spec, place = instance.spec, _spot(instance)
        structure = BoxStructure.from_json(spec["structure"])
        model = begin_model(kitchen, roots, place.base, timestep=self.timestep)
        at, yaw = place.to_world(tuple(spec["box"]["xy"])), place.yaw + spec["box"]["yaw"]
        add_box(model, structure, at, yaw, item=spec["item"])
        add_item(model, spec["item"], item_source(structure, at, yaw, spec["item"]))
        add_tray(
            model,
            place.to_world(tuple(spec["tray"]["xy"])),
            place.yaw + spec["tray"]["yaw"],
            tuple(spec["tray_colour"]),
        )
        add_submit(model, place.to_world(tuple(spec["submit"]["xy"])), place.yaw)
        return finish_model(model, roots)

    def rules(self, instance: Instance) -> tuple[Rule, ...]:
        """SUBMIT, and what stays true once it has been."""
        structure = BoxStructure.from_json(instance.spec["structure"])
        judge = lambda world: (self.success(instance, world), self.progress(instance, world))  # noqa: E731
        return (SubmitRule(judge), BoxMemory(structure))

    def success(self, instance: Instance, world: World) -> bool:
        """The item lies in the tray, let go, and the robot touches nothing of the box."""
        model, data = world.model, world.judged()
        item = subtree(model, model.body("item").id)
        box = subtree(model, model.body("box").id)
        placed = _item_in_tray(world) and supported_by(model, data, item)
        return placed and not touching(model, data, item | box, world.robot_geoms)

    def progress(self, instance: Instance, world: World) -> float:
        """One share for each bolt that is released, one for the item in three steps (tasks.md 8.9)."""
        if self.success(instance, world):
            return 1.0
        structure = BoxStructure.from_json(instance.spec["structure"])
        memory = next(rule for rule in world.rules if isinstance(rule, BoxMemory))
        stage = 3 if _item_in_tray(world) else 2 if memory.item_out else 1 if memory.lid_opened else 0
        bolts = [p for p in structure.parts if p.kind == "bolt"]
        free = [part for part in bolts if stage >= 2 or _joint(world, part.name) >= part.released_at]
        return (len(free) + stage / 3) / (len(bolts) + 1)

    def twin(self, instance: Instance) -> Instance | None:
        """The same box with one hidden tip cut short; None where the cover hides nothing."""
        structure = BoxStructure.from_json(instance.spec["structure"])
        other = twin(structure, streams(self.name, instance.seed)["structure"].spawn(1)[0])
        if other is None:
            return None
        return replace(instance, spec={**instance.spec, "structure": other.to_json()})

    def held_out(self, instance: Instance) -> bool:
        """Whether the structure's class is kept for evaluation."""
        return BoxStructure.from_json(instance.spec["structure"]).split_key in HELD_OUT


def goal(item: str) -> str:
    """The instruction, which tells what to do and nothing of how the box opens."""
    article = "an" if item[0] in "aeiou" else "a"
    return (
        f"There is {article} {item} inside the puzzle box. The lid slides sideways and is held by bolts with black "
        "handles; they can be moved in any order that the box allows, and all that hold the lid have to be freed. "
        f"Take the {item} out, put it on the tray, and press SUBMIT once when you are done."
    )


def _place_box(rng: np.random.Generator, structure: BoxStructure) -> dict[str, Any]:
    """Where the chest stands in the task frame, so that its handles stay in reach and clear of the tray."""
    paths = [structure.lid.handle_path, *(part.handle_path for part in structure.parts)]
    handles = np.array([corner for path in paths for corner in path.corners])
    extent = np.array([(x, y) for x in _range(structure, 0) for y in _range(structure, 1)])
    for _ in range(200):
        yaw = float(rng.uniform(-MAX_YAW, MAX_YAW))
        c, s = np.cos(yaw), np.sin(yaw)
        turn = np.array([[c, -s], [s, c]])
        h, e = handles @ turn.T, extent @ turn.T
        low = [max(-PATCH[0] / 2 - e[:, 0].min(), -PATCH[0] / 2 + HANDLE_MARGIN - h[:, 0].min())]
        high = [TRAY_XY[0] - TRAY_HALF[1] - HANDLE_MARGIN - max(h[:, 0].max(), e[:, 0].max())]
        low += [max(HANDLE_Y[0] - h[:, 1].min(), -PATCH[1] / 2 - e[:, 1].min())]
        high += [min(HANDLE_Y[1] - h[:, 1].max(), PATCH[1] / 2 - e[:, 1].max())]
        if low[0] <= high[0] and low[1] <= high[1]:
            return {"xy": [float(rng.uniform(a, b)) for a, b in zip(low, high, strict=True)], "yaw": yaw}
    raise SamplingError("the box has no pose in which all its handles are in reach and clear of the tray")


def _range(structure: BoxStructure, axis: int) -> tuple[float, float]:
    rect = structure.footprint
    return (rect.x0, rect.x1) if axis == 0 else (rect.y0, rect.y1)


def _spot(instance: Instance) -> Spot:
    place = instance.spec["spot"]
    return Spot(place["fixture"], tuple(place["origin"]), place["yaw"], tuple(place["size"]), tuple(place["base"]))


def _joint(world: World, part: str) -> float:
    return float(world.data.qpos[world.model.jnt_qposadr[world.model.joint(f"{part}_joint").id]])


def _item_in_tray(world: World) -> bool:
    model, data = world.model, world.data
    item = model.body("item").id
    return in_tray(data, model.body("tray").id, data.xpos[item], lowest(model, data, item))
