"""A cheap toy: the robot over a floating SUBMIT button, a cube behind a screen, and an oracle that presses it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from sim.gl import setup_gl

setup_gl()

import mujoco  # noqa: E402
import numpy as np  # noqa: E402

from oracles.base import Evidence, Oracle, Reason, SkillFailed  # noqa: E402
from sim.kitchen import FIXTURE_BIT, ROBOT_BODIES, KitchenId  # noqa: E402
from tasks.base import Instance, Task  # noqa: E402
from tasks.props.solids import add_solid  # noqa: E402
from tasks.props.submit import SubmitRule, add_submit  # noqa: E402
from tasks.terms import Term, Thing  # noqa: E402

GRIP = (0.247, -0.004, 1.296)
"""World position of the grip site at the robot's home pose."""


class Toy(Task):
    """Raise the torso, then press. Whether a cube is hidden decides nothing that can be seen."""

    name: ClassVar[str] = "toy"
    version: ClassVar[str] = "1"
    levels: ClassVar[dict[str, tuple[Any, ...]]] = {"hidden": (0, 1)}
    layouts: ClassVar[dict[str, tuple[int, ...]]] = {"train": (12,), "eval": (10,)}

    def sample(self, seed, level, kitchen, split="train"):
        return instance(seed, level["hidden"], split, kitchen.id.layout, kitchen.id.style)

    def model(self, instance, kitchen, roots):
        root = ET.fromstring(kitchen.model_xml())
        world = root.find("worldbody")
        for body in world.findall("body"):
            if body.get("name") not in ROBOT_BODIES:
                world.remove(body)
        for geom in world.findall("geom"):
            if not geom.get("name", "").startswith("floor_1_room"):
                world.remove(geom)
        _strip_visuals(root)
        spec = mujoco.MjSpec.from_string(roots.load(ET.tostring(root, encoding="unicode")))
        for name, at in (("east", (2, 0, 1)), ("west", (-2, 0, 1)), ("north", (0, 2, 1)), ("south", (0, -2, 1))):
            wall = spec.worldbody.add_body(name=name, pos=at)
            half = (0.05, 2, 1) if at[0] else (2, 0.05, 1)
            add_solid(wall, f"wall_{name}", "box", half, rgba=(0.6, 0.7, 0.8, 1), contype=FIXTURE_BIT)
        ground = spec.worldbody.add_body(name="ground", pos=[0, 0, -0.05])
        add_solid(ground, "ground", "box", (2, 2, 0.05), rgba=(0.5, 0.5, 0.4, 1), contype=FIXTURE_BIT)
        add_submit(spec, (GRIP[0], GRIP[1], GRIP[2] - 0.065), 0.0)
        cube = spec.worldbody.add_body(name="cube", pos=[1.0, 1.0, 0.021])
        cube.add_freejoint(name="cube_joint")
        add_solid(cube, "cube", "box", (0.02, 0.02, 0.02), rgba=(0.9, 0.2, 0.1, 1))
        spec.compile()
        return roots.store(spec.to_xml())

    def rules(self, instance):
        return (SubmitRule(lambda world: (self.success(instance, world), self.progress(instance, world))),)

    def success(self, instance, world):
        return bool(world.data.qpos[world.ids.torso_qpos] > 0.002)

    def progress(self, instance, world):
        return float(min(1.0, world.data.qpos[world.ids.torso_qpos] / 0.002))

    def twin(self, instance):
        return replace(instance, spec={**instance.spec, "hidden": 1 - instance.spec["hidden"]})

    def held_out(self, instance):
        return instance.spec.get("held_out", False)


def _strip_visuals(root):
    """Without the robot's visual meshes the model compiles in a fraction of the time."""
    for body in root.iter("body"):
        for geom in body.findall("geom"):
            if geom.get("type") == "mesh" and geom.get("group") == "1":
                body.remove(geom)
    used = {g.get("mesh") for g in root.iter("geom")}
    used_materials = {g.get("material") for g in root.iter("geom")}
    asset = root.find("asset")
    for element in list(asset):
        if (element.tag == "mesh" and element.get("name") not in used) or (
            element.tag == "material" and element.get("name") not in used_materials
        ):
            asset.remove(element)
    textures = {m.get("texture") for m in asset.findall("material")}
    for element in asset.findall("texture"):
        if element.get("name") not in textures and element.get("type") != "skybox":
            asset.remove(element)


class ToyEvidence(Evidence):
    def __init__(self):
        self.felt: list[str] = []

    def things(self, world):
        return [Thing("submit", "button", (0.3, 0.0, 0.4), {}, "button")]

    def to_json(self):
        return {"felt": list(self.felt)}

    def restore(self, record):
        self.felt = list(record["felt"])


class ToyOracle(Oracle):
    """Honest unless `peeking`: then its first choice reads the hidden truth."""

    peeking = False

    def evidence(self):
        return ToyEvidence()

    def run(self, s):
        hidden = s.instance.spec["hidden"]
        still = np.array([0.0] * 6 + [1.0] + [0.0] * 4 + [-1.0])
        with s.stage(Term.of("prepare")):
            side = s.decide("side", ["left", "right"], "right" if self.peeking and hidden else "left")
            turn = still.copy()
            turn[5], turn[10] = (0.04 if side == "left" else -0.04), s.instance.spec.get("lift", 0.2)
            with s.subtask(Term.of("raise")):
                for _ in range(10):
                    yield turn
            s.evidence.felt.append(f"cube {hidden}")
            s.decide("then", ["press", "stop"], "press" if hidden == 0 else "stop")
        press = still.copy()
        press[2] = -0.25
        with s.stage(Term.of("finish")), s.subtask(Term.of("press", button="submit")):
            for _ in range(40):
                yield press
        raise SkillFailed(Reason.STALLED, "the button was not reached")


class Row(NamedTuple):
    start: int
    end: int
    stage: str
    subtask: str


def instance(seed=1, hidden=0, split="train", layout=12, style=1, **extra) -> Instance:
    spec = {"hidden": hidden, **extra}
    kitchen = KitchenId(layout, style)
    return Instance("toy", "1", seed, {"hidden": hidden}, split, kitchen, spec, "Press the red button.")
