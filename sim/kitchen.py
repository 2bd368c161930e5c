"""RoboCasa365 kitchens with a PandaOmron, as a model and as plain facts.

RoboCasa composes the kitchen (layout, style, decor); nothing of its environment is simulated. What is kept is the
MJCF and, for each fixture, where it stands. Physics is made cheap here once for all tasks: fixtures do not collide
with each other (they have a contact bit of their own), joints of fixtures that a task does not name do not exist, and
what then cannot move is merged into the world body.
"""

from __future__ import annotations

import contextlib
import io
import logging
import xml.etree.ElementTree as ET
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import mujoco
import numpy as np

from sim.assets import AssetRoots
from sim.merge import JOINTS, merge_static

LAYOUTS = tuple(range(1, 61))
STYLES = tuple(range(1, 61))
ROBOT_BODIES = ("robot0_base", "left_eef_target", "right_eef_target")
FIXTURE_BIT = 2
"""Contact bit (contype) of fixtures; the robot and free objects answer to it."""
PARKED = "0 0 10"
"""Where RoboCasa leaves the parts of a counter that it does not use, 10 m above it."""


class KitchenError(ValueError):
    """A kitchen that does not exist, or that RoboCasa could not compose."""


@dataclass(frozen=True)
class KitchenId:
    """Which kitchen: RoboCasa layout and style, and the seed of its decor."""

    layout: int
    style: int
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value, known in (("layout", self.layout, LAYOUTS), ("style", self.style, STYLES)):
            if value not in known:
                raise KitchenError(f"kitchen {name} {value} does not exist: RoboCasa365 has {known[0]} to {known[-1]}")


@dataclass(frozen=True)
class Box:
    """A box turned about z: centre (3,), half extents (3,) in metres, yaw in radians, world frame."""

    centre: tuple[float, float, float]
    half: tuple[float, float, float]
    yaw: float

    @property
    def top(self) -> float:
        """Height of the upper face."""
        return self.centre[2] + self.half[2]

    @property
    def bottom(self) -> float:
        """Height of the lower face."""
        return self.centre[2] - self.half[2]

    def corners(self) -> np.ndarray:
        """Plan corners (4, 2), counter-clockwise."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        local = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) * np.array(self.half[:2])
        return local @ np.array([[c, s], [-s, c]]) + np.array(self.centre[:2])


@dataclass(frozen=True)
class Fixture:
    """One fixture: RoboCasa's name and class, its bounding box (front is -y of the box frame), and its named
    regions.
    """

    name: str
    kind: str
    box: Box
    regions: dict[str, Box]


@dataclass(frozen=True)
class Kitchen:
    """A composed kitchen. `xml` is a stored model (see sim.assets); the robot stands at the world origin."""

    id: KitchenId
    xml: str
    fixtures: tuple[Fixture, ...]

    def fixture(self, name: str) -> Fixture:
        """The fixture of that name. Raises KitchenError."""
        for fixture in self.fixtures:
            if fixture.name == name:
                return fixture
        raise KitchenError(f"kitchen {self.id} has no fixture {name!r}")

    def model_xml(self, keep_joints: Collection[str] = ()) -> str:
        """The stored model without the fixture joints that are not named in `keep_joints`."""
        root = ET.fromstring(self.xml)
        world = root.find("worldbody")
        for top in world.findall("body"):
            if top.get("name") in ROBOT_BODIES:
                continue
            for body in top.iter("body"):
                for tag in JOINTS:
                    for joint in body.findall(tag):
                        if joint.get("name") not in keep_joints:
                            body.remove(joint)
            merge_static(world, top)
        return ET.tostring(root, encoding="unicode")


@lru_cache(maxsize=4)
def compose(kitchen: KitchenId, roots: AssetRoots) -> Kitchen:
    """Composes a kitchen with RoboCasa (about 1-3 s). The last few are kept."""
    env = _robocasa_kitchen(kitchen, roots)
    root = ET.fromstring(env.edit_model_xml(env.model.get_xml()))
    root.find("compiler").attrib.pop("meshdir", None)
    _strip_geoms(root, lambda geom: geom.get("pos") == PARKED)
    _set_contact_bits(root)
    for material in root.iter("material"):
        material.set("reflectance", "0")  # a mirror may show what is hidden
    spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))
    fixtures = _measure(spec.compile(), env.fixtures)
    root = ET.fromstring(spec.to_xml())
    _strip_geoms(root, lambda geom: "reg_" in geom.get("name", ""))
    return Kitchen(kitchen, roots.store(ET.tostring(root, encoding="unicode")), fixtures)


def _robocasa_kitchen(kitchen: KitchenId, roots: AssetRoots) -> Any:
    with _quiet(), _fast_yaml():
        import robocasa.models

        robocasa.models.assets_root = str(roots.kitchen)
        import robosuite
        from robocasa.environments.kitchen.kitchen import Kitchen as RoboCasaKitchen
        from robosuite.controllers import load_composite_controller_config

        # Invisible collision geoms take a colour from numpy's global generator.
        np.random.seed(kitchen.seed)  # noqa: NPY002
        env = RoboCasaKitchen(
            robots="PandaOmron",
            controller_configs=load_composite_controller_config(robot="PandaOmron"),
            has_renderer=False,
            has_offscreen_renderer=False,
            use_camera_obs=False,
            layout_ids=kitchen.layout,
            style_ids=kitchen.style,
            seed=kitchen.seed,
            initialization_noise=None,
            robot_spawn_deviation_pos_x=0.0,
            robot_spawn_deviation_pos_y=0.0,
        )
        env._load_model()
        robot = env.robots[0].robot_model
        robot.set_base_xpos([0.0, 0.0, 0.0])
        robot.set_base_ori([0.0, 0.0, 0.0])
        del robosuite
    return env


def _set_contact_bits(root: ET.Element) -> None:
    """Fixtures meet the robot and free objects, not each other.

    RoboCasa gives the fingers contype 0, so that only what has a contype of its own stops them: fixtures keep one.
    """
    for top in root.find("worldbody").findall("body"):
        robot = top.get("name") in ROBOT_BODIES
        for geom in top.iter("geom"):
            if robot and geom.get("conaffinity", "1") != "0":
                geom.set("conaffinity", str(int(geom.get("conaffinity", "1")) | FIXTURE_BIT))
            elif not robot and geom.get("contype", "1") != "0":
                geom.set("contype", str(FIXTURE_BIT))


def _measure(model: mujoco.MjModel, fixtures: dict[str, Any]) -> tuple[Fixture, ...]:
    """Bounding box and regions of every fixture, in the fixture's own yaw frame."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    roots = {}
    for body in range(1, model.nbody):
        roots[body] = body if model.body_parentid[body] == 0 else roots[model.body_parentid[body]]
    geoms_of: dict[str, list[int]] = {}
    for geom in range(model.ngeom):
        if model.geom_bodyid[geom]:
            geoms_of.setdefault(model.body(roots[model.geom_bodyid[geom]]).name, []).append(geom)
    out = []
    for name, fixture in fixtures.items():
        geoms = geoms_of.get(fixture.root_body, [])
        if not geoms:
            continue
        yaw = _yaw(data.xmat[model.body(fixture.root_body).id].reshape(3, 3))
        solid = [g for g in geoms if "reg_" not in model.geom(g).name]
        prefix = fixture.naming_prefix + "reg_"
        regions = {
            model.geom(g).name.removeprefix(prefix): _bounds(model, data, [g], yaw)
            for g in geoms
            if model.geom(g).name.startswith(prefix)
        }
        out.append(Fixture(name, type(fixture).__name__, _bounds(model, data, solid or geoms, yaw), regions))
    return tuple(out)


def _bounds(model: mujoco.MjModel, data: mujoco.MjData, geoms: list[int], yaw: float) -> Box:
    c, s = np.cos(yaw), np.sin(yaw)
    world_R_box = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    signs = np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for g in geoms:
        corners = model.geom_aabb[g][:3] + signs * model.geom_aabb[g][3:]
        points = (corners @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g]) @ world_R_box
        low, high = np.minimum(low, points.min(0)), np.maximum(high, points.max(0))
    centre = world_R_box @ ((low + high) / 2)
    return Box(tuple(map(float, centre)), tuple(map(float, (high - low) / 2)), float(yaw))


def _yaw(rotation: np.ndarray) -> float:
    return float(np.arctan2(rotation[1, 0], rotation[0, 0]))


def _strip_geoms(root: ET.Element, drop: Callable[[ET.Element], bool]) -> None:
    for body in root.find("worldbody").iter("body"):
        for geom in filter(drop, body.findall("geom")):
            body.remove(geom)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """RoboCasa and robosuite print set-up advice on import that does not concern our users."""
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(logging.NOTSET)


@contextlib.contextmanager
def _fast_yaml() -> Iterator[None]:
    """RoboCasa reads its registries with PyYAML's Python loader, most of its composing time; libyaml gives the same
    data.
    """
    import yaml

    slow = yaml.safe_load
    yaml.safe_load = lambda stream: yaml.load(stream, Loader=yaml.CSafeLoader)
    try:
        yield
    finally:
        yaml.safe_load = slow
