"""Puts a puzzle box into a MuJoCo model.

Names: bodies `box`, `lid`, `part_*`; joints `lid_joint`, `<part>_joint` (positive = pulled); collision geoms
`<part>_handle`, `<part>_tip`, `lid_handle`, `plate`, `plate_1` ...; the visual twin of geom `x` is `x_visual` (that
is what a segmentation image shows); sites `lid_grasp`, `<part>_grasp` for the hand's grip site and `item_source` where
the item stands. Collision geoms are group 0 and carry the mass, visual geoms are group 1 and carry none. What blocks
what is left to contact between thin boxes; there is no equality constraint and no rule in code. Figures: reference
8.9, 2.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, sin
from typing import Any

import mujoco

from tasks.props.solids import SOLIMP, SOLREF, add_collision, add_visual

from .geometry import Rect, Vec2, without
from .items import ITEMS, ItemKind, add_item
from .parts import (
    CAVITY_HALF,
    DECK_TOP,
    GRASP_HEIGHT,
    HALF_WIDTH,
    LID_HALF,
    PLATE_Z,
    POST_HEIGHT,
    POST_RADIUS,
    ROD_Z,
    SLIDER_Z,
    Part,
)
from .structure import BoxStructure

MASS = {"lid": 0.16, "bolt": 0.07, "decoy": 0.06, "relock": 0.06, "handle": 0.02}
DAMPING = 6.0
FRICTION_LOSS = 1.2
RELOCK_FRICTION_LOSS = 0.2
RELOCK_SPRING = 100.0
ROD_BIT = 32
SLIDER_FRICTION = (0.6, 0.005, 0.0001)
HANDLE_FRICTION = (1.5, 0.01, 0.001)
FLOOR_TOP = 0.006
PLATFORM_HALF = 0.028  # the fingers come down outside it
ITEM_BELOW_LID = 0.004
BOARD = 0.010  # thickness of the deck board in the picture
PILLAR_HALF = 0.004
POST_RGB = (0.04, 0.04, 0.045)
TRACK_RGB = (0.16, 0.11, 0.08)
BRACKET_RGB = (0.70, 0.55, 0.22)

__all__ = ["add_box", "add_item", "item_source"]


@dataclass(frozen=True)
class _Pen:
    """Adds boxes and posts to one body, each as a collision geom and its visual twin."""

    body: Any
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def box(self, name: str, rect: Rect, z: tuple[float, float], rgb: Sequence[float], **how: Any) -> None:
        """A block over a rectangle between two heights, m; `how` as `_add` takes it."""
        self._add(name, "box", [*rect.half, (z[1] - z[0]) / 2], (*rect.centre, sum(z) / 2), rgb, **how)

    def post(
        self, name: str, at: Vec2, z: tuple[float, float], radius: float, rgb: Sequence[float], **how: Any
    ) -> None:
        """An upright cylinder between two heights, m."""
        self._add(name, "cylinder", [radius, (z[1] - z[0]) / 2], (*at, sum(z) / 2), rgb, **how)

    def dome(self, name: str, at: Vec2, z: float, radius: float, height: float, rgb: Sequence[float]) -> None:
        """Half an ellipsoid that stands out over height `z`, m, in the picture only."""
        self._add(name, "ellipsoid", [radius, radius, height], (*at, z), rgb, solid=False)

    def _add(
        self,
        name: str,
        shape: str,
        size: list[float],
        at: tuple[float, float, float],
        rgb: Sequence[float],
        *,
        solid: bool = True,
        look: bool = True,
        mass: float = 0.1,
        **contact: Any,
    ) -> None:
        where = {"pos": [a - o for a, o in zip(at, self.origin, strict=True)], "rgba": [*rgb, 1]}
        if solid:
            contact = {"friction": SLIDER_FRICTION, **contact}
            add_collision(self.body, name, shape, size, **where, mass=mass, **contact)
        if look:
            add_visual(self.body, name, shape, size, **where)


def add_box(
    spec: mujoco.MjSpec,
    structure: BoxStructure,
    pos: Sequence[float],
    yaw: float,
    *,
    item: ItemKind = "tomato",
) -> None:
    """Adds the box with the chest centre at world `pos` (m, on the work surface), turned by `yaw` (rad).

    The platform in the cavity is made for `item`, whose top then stands 4 mm under the lid; the item itself is added
    by `add_item` at `item_source(...)`.
    """
    quat = [cos(yaw / 2), 0.0, 0.0, sin(yaw / 2)]
    body = spec.worldbody.add_body(name="box", pos=list(pos), quat=quat)
    _add_chest(body, structure, item)
    _add_plate(body, structure)
    _add_lid(body, structure)
    for part in structure.parts:
        _add_part(body, structure, part)


def platform_top(item: ItemKind) -> float:
    """Height (m) of the platform over the work surface."""
    return SLIDER_Z[0] - ITEM_BELOW_LID - ITEMS[item].height


def item_source(
    structure: BoxStructure, pos: Sequence[float], yaw: float, item: ItemKind = "tomato"
) -> tuple[float, float, float]:
    """World position (m) of the item's foot on its platform."""
    x, y = structure.item_xy
    world = pos[0] + x * cos(yaw) - y * sin(yaw), pos[1] + x * sin(yaw) + y * cos(yaw)
    return (*world, pos[2] + platform_top(item))


def _add_chest(body: Any, structure: BoxStructure, item: ItemKind) -> None:
    pen, look, deck = _Pen(body), structure.appearance, structure.deck
    cavity = Rect.centred((0.0, 0.0), CAVITY_HALF)
    for i, rect in enumerate(without(deck, cavity)):
        pen.box(f"box_wall_{i}", rect, (0.0, DECK_TOP), look.wall, look=False)
        pen.box(f"box_board_{i}", rect, (DECK_TOP - BOARD, DECK_TOP), look.deck, solid=False)
    inner = deck.grown(-0.006)
    for i, rect in enumerate(without(inner, cavity)):
        pen.box(f"box_side_{i}", rect, (0.0, DECK_TOP - BOARD), look.wall, solid=False)
    skirt = deck.grown(-0.001)
    for i, rect in enumerate(without(skirt, inner)):
        pen.box(f"box_skirt_{i}", rect, (0.0, 0.012), look.deck, solid=False)
    for i, (x, y) in enumerate((x, y) for x in (deck.x0, deck.x1) for y in (deck.y0, deck.y1)):
        pad = Rect.centred((x, y), (0.022, 0.022))
        corner = Rect(max(pad.x0, deck.x0), max(pad.y0, deck.y0), min(pad.x1, deck.x1), min(pad.y1, deck.y1))
        pen.box(f"box_bracket_{i}", corner.grown(0.0006), (0.0, DECK_TOP + 0.0005), BRACKET_RGB, solid=False)
    pen.box("box_floor", cavity, (0.0, FLOOR_TOP), look.wall)
    x, y = structure.item_xy
    platform = Rect.centred((x, y), (PLATFORM_HALF, PLATFORM_HALF))
    pen.box("box_platform", platform, (FLOOR_TOP, platform_top(item)), look.deck, friction=(1.0, 0.01, 0.001))
    body.add_site(name="item_source", pos=[x, y, platform_top(item)], size=[0.002] * 3, rgba=[0, 0, 0, 0])
    for part in structure.parts:
        # A dark track beyond the handle's end shows which way a slider is pulled; it is the same for decoys.
        track = part.bar(part.length - 0.03, part.length + part.travel[1])
        track = Rect(
            *(max(a, b) for a, b in zip(track.corners[0], deck.corners[0], strict=True)),
            *(min(a, b) for a, b in zip(track.corners[1], deck.corners[1], strict=True)),
        )
        pen.box(f"{part.name}_track", track, (DECK_TOP - 0.001, DECK_TOP + 0.0004), TRACK_RGB, solid=False)


def _add_plate(body: Any, structure: BoxStructure) -> None:
    pen, rgb = _Pen(body), structure.appearance.plate
    for i, rect in enumerate(structure.plate):
        pen.box("plate" if i == 0 else f"plate_{i}", rect, PLATE_Z, rgb)
    for i, spot in enumerate(structure.pillars):
        foot = Rect.centred(spot, (PILLAR_HALF, PILLAR_HALF))
        pen.box(f"plate_pillar_{i}", foot, (DECK_TOP, PLATE_Z[0]), rgb)
        pen.dome(f"plate_screw_{i}", spot, PLATE_Z[1], 0.004, 0.0015, BRACKET_RGB)


def _add_lid(body: Any, structure: BoxStructure) -> None:
    lid, look = structure.lid, structure.appearance
    middle = (SLIDER_Z[0] + SLIDER_Z[1]) / 2
    child = body.add_body(name="lid", pos=[0.0, 0.0, middle])
    _add_joint(child, "lid_joint", lid.axis, (0.0, lid.travel))
    pen = _Pen(child, (0.0, 0.0, middle))
    pieces = without(Rect.centred((0.0, 0.0), LID_HALF), lid.notch)
    _add_pieces(pen, "lid", pieces, look.lid, MASS["lid"])
    _add_handle(pen, "lid", lid.handle, conaffinity=1)


def _add_part(body: Any, structure: BoxStructure, part: Part) -> None:
    look = structure.appearance
    origin = (*part.handle, (SLIDER_Z[0] + SLIDER_Z[1]) / 2)
    child = body.add_body(name=part.name, pos=list(origin))
    relock = part.kind == "relock"
    _add_joint(child, f"{part.name}_joint", part.axis, part.travel, relock=relock)
    pen = _Pen(child, origin)
    pieces: tuple[Rect, ...] = (part.bar(part.tip_length),)
    if part.notch is not None:
        n = part.notch
        cut = [
            part.at(n.offset - n.length / 2, n.side * (HALF_WIDTH - n.depth)),
            part.at(n.offset + n.length / 2, n.side * HALF_WIDTH),
        ]
        pieces = without(pieces[0], Rect.around(cut))
    _add_pieces(pen, part.name, pieces, look.bar, MASS[part.kind] * 0.8)
    pen.box(f"{part.name}_tip", part.bar(0.0, part.tip_length), SLIDER_Z, look.tip, mass=MASS[part.kind] * 0.2)
    if part.rod is not None:
        pen.box(f"{part.name}_rod", part.rod, ROD_Z, look.bar, mass=0.004, contype=ROD_BIT, conaffinity=0)
    _add_handle(pen, part.name, part.handle, conaffinity=1 | ROD_BIT if part.chain == 1 else 1)


def _add_pieces(pen: _Pen, name: str, pieces: tuple[Rect, ...], rgb: Sequence[float], mass: float) -> None:
    areas = [4 * p.half[0] * p.half[1] for p in pieces]
    for i, (piece, area) in enumerate(zip(pieces, areas, strict=True)):
        pen.box(f"{name}_bar_{i}", piece, SLIDER_Z, rgb, mass=mass * area / sum(areas))


def _add_handle(pen: _Pen, name: str, at: Vec2, *, conaffinity: int) -> None:
    """A round black post; a collar and a domed top in the picture, a plain cylinder in contact."""
    foot, top = SLIDER_Z[1], SLIDER_Z[1] + POST_HEIGHT
    pen.post(
        f"{name}_handle",
        at,
        (foot, top),
        POST_RADIUS,
        POST_RGB,
        mass=MASS["handle"],
        look=False,
        friction=HANDLE_FRICTION,
        condim=4,
        conaffinity=conaffinity,
    )
    pen.post(f"{name}_handle", at, (foot, top - 0.006), POST_RADIUS, POST_RGB, solid=False)
    pen.dome(f"{name}_knob", at, top - 0.006, POST_RADIUS, 0.006, POST_RGB)
    grasp = [at[0] - pen.origin[0], at[1] - pen.origin[1], foot + GRASP_HEIGHT - pen.origin[2]]
    pen.body.add_site(name=f"{name}_grasp", pos=grasp, size=[0.002] * 3, rgba=[0, 0, 0, 0])


def _add_joint(body: Any, name: str, axis: Vec2, travel: tuple[float, float], *, relock: bool = False) -> None:
    body.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=[*axis, 0.0],
        range=list(travel),
        limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        damping=DAMPING,
        frictionloss=RELOCK_FRICTION_LOSS if relock else FRICTION_LOSS,
        stiffness=RELOCK_SPRING if relock else 0.0,
        solref_limit=list(SOLREF),
        solimp_limit=list(SOLIMP),
    )
