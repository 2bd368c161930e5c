"""The puzzle box as the hands need it: where things are, and what the cameras show of them.

Reads the true state, for motions and for looking; decides nothing.
"""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.puzzle_box.evidence import BoxEvidence
from oracles.skills.arm import base_frame, gripper_frame, hand_down
from oracles.skills.grasp import grasp, lift
from oracles.skills.look import look_down
from oracles.skills.place import place
from oracles.skills.reach import step_to
from oracles.skills.slide import slide
from sim.contact import subtree
from tasks.props.extent import lowest
from tasks.props.tray import FLOOR
from tasks.puzzle_box.items import ITEMS
from tasks.puzzle_box.parts import RELEASED_AT, TRAVEL
from tasks.puzzle_box.structure import BoxStructure

FROM_AFAR = (0.42, 10)
FROM_NEAR = (0.30, 30)
LOOK_INTO = (0.30, 20)
"""Height of the grip site over what is looked at, m, and ticks. Higher over the opening the arm would be straight."""
LOOK_INTO_ASIDE = 0.08
TRAVEL_HEIGHT = 0.19
"""Height of the grip site over the work top at which the fingers pass over the handles."""
RETREAT = 0.055
PLACES = ("box", "tray", "submit", "item")
AT_REST = 0.006
"""A part within this of its first place, m, has not been moved: held parts have 4 mm of play."""
PINCH_BELOW_TOP = 0.017
"""The pads reach 8 mm below the grip site: low enough for the widest part of a fruit, high enough for the housing."""


class Scene:
    """See the module's docstring."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.world = session.world
        self.structure = BoxStructure.from_json(session.instance.spec["structure"])
        self.names = ["lid", *(part.name for part in self.structure.parts)]
        self.top = float(self.world.data.xpos[self.world.model.body("box").id][2])
        model = self.world.model
        bodies = {name: subtree(model, model.body(name).id) for name in (*self.names, *PLACES)}
        self._tips = {f"tip of {n}": [model.geom(f"{n}_tip_visual").id] for n in self.names if n != "lid"}
        self._visible = {**bodies, **self._tips}

    def point(self, body: str) -> np.ndarray:
        """World position (3,) of a body."""
        return self.world.data.xpos[self.world.model.body(body).id].copy()

    def handle(self, part: str) -> np.ndarray:
        """World point (3,) where a handle is grasped."""
        return self.world.data.site_xpos[self.world.model.site(f"{part}_grasp").id].copy()

    def axis(self, part: str) -> np.ndarray:
        """Pull direction (3,) in the world."""
        plan = self.structure.lid.axis if part == "lid" else self.structure.part(part).axis
        return self.world.data.xmat[self.world.model.body("box").id].reshape(3, 3) @ np.array([*plan, 0.0])

    def local(self, direction: list[float]) -> list[float]:
        """A world direction (2,) in the base frame."""
        _, base = base_frame(self.world)
        return [round(float(v), 3) for v in (base.T @ np.array([*direction, 0.0]))[:2]]

    def views(self) -> list[tuple[np.ndarray, tuple[float, int]]]:
        """World points (3,) to look down at, and how: from left to right along the box, then its middle from near."""
        rect = self.structure.footprint
        box = self.world.model.body("box").id
        rotation, at = self.world.data.xmat[box].reshape(3, 3), self.world.data.xpos[box]
        centre = rect.centre
        offset = 0.6 * rect.half[0]
        views = ((-1, FROM_AFAR), (0, FROM_AFAR), (1, FROM_AFAR), (0, FROM_NEAR))
        return [(at + rotation @ np.array([centre[0] + side * offset, centre[1], 0.0]), how) for side, how in views]

    def look(self) -> None:
        """Adds what the cameras show now to the evidence."""
        known = self.session.evidence
        seen = self.session.eyes.seen(self._visible)
        known.in_view = sorted(name for name in seen if name not in self._tips)
        for name in self.names:
            if name in seen:
                known.handles[name] = [round(float(v), 4) for v in self.handle(name)]
                known.axes[name] = [round(float(v), 4) for v in self.axis(name)[:2]]
        for name in PLACES:
            if name in seen:
                known.places[name] = [round(float(v), 4) for v in self.point(name)]
        known.item_noun = self.session.instance.spec["item"]
        # Where a tip belongs is seen only while it is there: a bolt pulled out from under the plate tells nothing.
        tips = [n for n in self.names if f"tip of {n}" in seen and abs(self._gone(n)) < AT_REST]
        known.tips += [name for name in tips if name not in known.tips]
        links = [[e.blocker, e.blocked] for e in self.structure.engagements if e.blocker in tips]
        known.links += [link for link in links if link not in known.links]
        self._notice_returned(known)

    def _notice_returned(self, known: BoxEvidence) -> None:
        """A released bolt that is seen back at its place holds again."""
        for name in list(known.released):
            if name in known.in_view and name != "lid" and self._gone(name) < RELEASED_AT:
                known.released.remove(name)
                known.moves += 1

    def _gone(self, part: str) -> float:
        joint = self.world.model.joint(f"{part}_joint").id
        return float(self.world.data.qpos[self.world.model.jnt_qposadr[joint]])

    def pull(self, part: str) -> Motion[float]:
        """Takes hold of a handle and pulls it along its axis. Returns how far it went, m; the hand still holds it."""
        session = self.session
        way = self.structure.lid.travel if part == "lid" else TRAVEL
        middle = self.handle(part) + self.axis(part) * way / 2
        yield from step_to(session, middle, slack=0.08 if part == "lid" else 0.15, height=self.top + TRAVEL_HEIGHT)
        _, base = base_frame(self.world)
        yield from grasp(session, self.handle(part), hand_down(self.world, base[:2, 1]), approach=RETREAT)
        return (yield from slide(session, self.axis(part), way))

    def look_inside(self) -> Motion[None]:
        """Looks into the opening from its left and its right. Raises SkillFailed(NOT_SEEN) if nothing is there."""
        source = self.world.data.site_xpos[self.world.model.site("item_source").id].copy()
        yield from step_to(self.session, source, slack=0.05, height=self.top + TRAVEL_HEIGHT)
        _, base = base_frame(self.world)
        for side in (1, -1):
            yield from look_down(self.session, source + side * LOOK_INTO_ASIDE * base[:, 1], *LOOK_INTO)
            self.look()
        if "item" not in self.session.evidence.places:
            raise SkillFailed(Reason.NOT_SEEN, "the open box shows no item")

    def take_item(self, attempt: int) -> Motion[float]:
        """Grasps the item in the open box and lifts it out. Returns how far its underside is below the grip site, m."""
        session = self.session
        item = self.point("item")
        yield from step_to(session, item, slack=0.10, height=self.top + TRAVEL_HEIGHT)
        box = self.world.data.xmat[self.world.model.body("box").id].reshape(3, 3)
        height = ITEMS[session.instance.spec["item"]].height
        site = item + [0, 0, height / 2 - PINCH_BELOW_TOP + 0.002 * attempt * session.rng.normal()]
        yield from grasp(session, site, hand_down(self.world, box[:2, 0]), approach=0.12)
        bottom = self._item_bottom()
        below = float(gripper_frame(self.world)[0][2] - bottom)
        yield from lift(session, 0.16)
        if self._item_bottom() < bottom + 0.10:
            raise SkillFailed(Reason.SLIPPED, "the item stayed behind")
        return below

    def deliver(self, below: float) -> Motion[None]:
        """Carries the item to the tray and sets it down."""
        target = self.point("tray") + [0, 0, FLOOR]
        yield from place(self.session, target, below, carry_height=self.top + 0.30)
        self.look()

    def _item_bottom(self) -> float:
        return lowest(self.world.model, self.world.data, self.world.model.body("item").id)
