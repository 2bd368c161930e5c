"""What opens in a kitchen: drawers, and cabinets with one or two hinged doors.

Facts anyone can see or know of the furniture: which front moves how, where its handle bar is, and how large the space
behind it is. Read from the composed kitchen's text alone, so that a task can be sampled without a simulator. Which of
them can serve as hiding places is decided in sim.compartment.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from sim.kitchen import Box, Kitchen

DRAWER, DOOR = "drawer", "door"
KINDS = {"Drawer": DRAWER, "SingleCabinet": DOOR, "HingeCabinet": DOOR}
"""RoboCasa's fixture classes that open, and what they are called here."""


@dataclass(frozen=True)
class Bar:
    """A handle bar while its front is closed, world frame.

    Attributes:
        geom: name of its collision geom.
        centre: (3,) m. axis: unit vector (3,) along it.
        half_length, radius: m. The radius is the larger half width across the axis.
        gap: room between the bar and the front for a finger, m.
    """

    geom: str
    centre: tuple[float, float, float]
    axis: tuple[float, float, float]
    half_length: float
    radius: float
    gap: float


@dataclass(frozen=True)
class Front:
    """One moving front: the face of a drawer, or one door leaf.

    Attributes:
        joint: name of its slide or hinge. travel: its value when fully open, m or rad; closed is 0.
        panel: name of the front's collision geom.
        box: the closed front.
        hinge: world x, y of the hinge, or None for a drawer.
        bar: its handle bar; None if it has a knob, which the hand of this robot does not pull.
    """

    joint: str
    travel: float
    panel: str
    box: Box
    hinge: tuple[float, float] | None
    bar: Bar | None

    def opened(self, value: float) -> float:
        """How far open it is, m or rad, at a joint value."""
        return float(value * np.sign(self.travel))


@dataclass(frozen=True)
class Openable:
    """A fixture with one or two fronts.

    Attributes:
        fixture: name of the fixture. kind: DRAWER or DOOR.
        yaw: direction of the fixture's +x, rad; it opens towards its -y, see `outward`.
        box: the whole closed fixture without its handles.
        fronts: one, or the left and the right leaf as seen from in front.
        interiors: free spaces while closed, from the lowest up; the underside is the floor on which things lie.
        see_through: a front has a window.
    """

    fixture: str
    kind: str
    yaw: float
    box: Box
    fronts: tuple[Front, ...]
    interiors: tuple[Box, ...]
    see_through: bool

    @property
    def outward(self) -> np.ndarray:
        """World direction (2,) from the front to the robot before it."""
        return np.array([np.sin(self.yaw), -np.cos(self.yaw)])

    @property
    def joints(self) -> tuple[str, ...]:
        """What `sim.model.begin_model` has to keep for it to move."""
        return tuple(front.joint for front in self.fronts)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Openable:
        """Inverse of `to_json`."""

        def box(values: dict[str, Any]) -> Box:
            return Box(tuple(values["centre"]), tuple(values["half"]), values["yaw"])

        def bar(values: dict[str, Any]) -> Bar:
            return Bar(**{**values, "centre": tuple(values["centre"]), "axis": tuple(values["axis"])})

        def front(values: dict[str, Any]) -> Front:
            hinge = values["hinge"] and tuple(values["hinge"])
            return Front(
                **{**values, "box": box(values["box"]), "hinge": hinge, "bar": values["bar"] and bar(values["bar"])}
            )

        fronts, interiors = tuple(map(front, record["fronts"])), tuple(map(box, record["interiors"]))
        return cls(**{**record, "box": box(record["box"]), "fronts": fronts, "interiors": interiors})


def find_openables(kitchen: Kitchen) -> tuple[Openable, ...]:
    """All drawers and hinged cabinets, in the kitchen's order of fixtures."""
    places = _placed(kitchen.xml)
    kinds = [fixture for fixture in kitchen.fixtures if fixture.kind in KINDS]
    found = []
    for fixture in kinds:
        body = places.get(fixture.name + "_main")
        if body is None or "main" not in fixture.regions:
            continue
        fronts = tuple(sorted(_fronts(fixture.name, body), key=lambda f: _side(f, fixture.box.yaw)))
        if fronts:
            levels = sorted(b for b in fixture.regions if b == "int" or b.startswith("level"))
            found.append(
                Openable(
                    fixture.name,
                    KINDS[fixture.kind],
                    fixture.box.yaw,
                    fixture.regions["main"],
                    fronts,
                    tuple(fixture.regions[level] for level in levels),
                    _see_through(body[0]),
                )
            )
    return tuple(found)


_Placed = tuple[ET.Element, np.ndarray, np.ndarray]


def _placed(xml: str) -> dict[str, _Placed]:
    """Top-level bodies by name, with position (3,) and rotation (3, 3) in the world."""
    bodies = ET.fromstring(xml).find("worldbody").findall("body")
    return {body.get("name"): (body, *_pose(body, np.zeros(3), np.eye(3))) for body in bodies}


def _pose(element: ET.Element, origin: np.ndarray, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """World pose of a body or geom inside a parent at `origin`, turned by `turn`."""
    position = origin + turn @ _numbers(element.get("pos", "0 0 0"))
    w, x, y, z = _numbers(element.get("quat", "1 0 0 0"))
    return position, turn @ Rotation.from_quat([x, y, z, w]).as_matrix()


def _fronts(name: str, placed: _Placed) -> list[Front]:
    root, origin, turn = placed
    fronts = []
    for child in root.findall("body"):
        joint = child.find("joint")
        if joint is None or not joint.get("name", "").startswith(name):
            continue
        geoms = _solids(child, *_pose(child, origin, turn))
        panel = next((g for g in geoms if g[0].endswith("door_door")), None)
        if panel is None:
            continue
        low, high = _numbers(joint.get("range"))
        hinge = None
        if joint.get("type") != "slide":
            hinge = tuple(map(float, (origin + turn @ _numbers(joint.get("pos", "0 0 0")))[:2]))
        box = Box(tuple(map(float, panel[2])), tuple(map(float, panel[4])), float(np.arctan2(turn[1, 0], turn[0, 0])))
        bar = next((g for g in geoms if g[0].endswith("handle_handle")), None)
        travel = low if abs(low) > abs(high) else high
        fronts.append(Front(joint.get("name"), float(travel), panel[0], box, hinge, bar and _bar(bar, box)))
    return fronts


_Solid = tuple[str, str, np.ndarray, np.ndarray, np.ndarray]


def _solids(body: ET.Element, origin: np.ndarray, turn: np.ndarray) -> list[_Solid]:
    """Name, type, position (3,), rotation (3, 3) and half size (3,) of the geoms of a body and those below it that
    collide.
    """
    found = []
    for geom in body.findall("geom"):
        if geom.get("contype", "1") != "0" and geom.get("type") in ("box", "cylinder", "capsule"):
            size = _numbers(geom.get("size"))
            half = size if len(size) == 3 else np.array([size[0], size[0], size[1]])
            found.append((geom.get("name", ""), geom.get("type"), *_pose(geom, origin, turn), half))
    for child in body.findall("body"):
        found += _solids(child, *_pose(child, origin, turn))
    return found


def _bar(solid: _Solid, front: Box) -> Bar:
    name, _, centre, turn, half = solid
    along = int(np.argmax(half))
    outward = np.array([np.sin(front.yaw), -np.cos(front.yaw), 0.0])
    deep = np.abs(outward @ turn) @ np.where(np.arange(3) == along, 0.0, half)
    gap = outward @ (centre - np.array(front.centre)) - front.half[1] - deep
    across = np.delete(half, along)
    axis = turn[:, along]
    return Bar(name, tuple(map(float, centre)), tuple(map(float, axis)), float(half[along]), float(across.max()), gap)


def _side(front: Front, yaw: float) -> float:
    return float(np.array([np.cos(yaw), np.sin(yaw)]) @ np.array(front.box.centre[:2]))


def _see_through(body: ET.Element) -> bool:
    """RoboCasa's window panels name or shade their glass."""
    for part in body.iter("geom"):
        if "handle" in part.get("name", "") or part.get("group") != "1":
            continue
        words = part.get("name", "") + part.get("material", "")
        if "window" in words or "glass" in words or "transparent" in words:
            return True
    return False


def _numbers(text: str) -> np.ndarray:
    return np.array(text.split(), float)
