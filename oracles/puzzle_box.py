"""The oracle of Puzzle Box: it works the box out as a newcomer would.

It looks the box over with the wrist camera. Where it has seen a bolt's tip sit in another part it knows that the one
holds the other; what the plate covers it learns by trying, nearest handle first, remembering what moved and what did
not. A part that did not move is tried again only after something else has. A bolt that it has seen to hold nothing is
left alone unless nothing else is left to try.

The hidden truth is `spec["structure"]`; only motions read it (where handles are). Choices are made by `choose` from
`BoxEvidence` alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from oracles.base import Evidence, Motion, Oracle, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, gripper_frame, hand_down
from oracles.skills.grasp import grasp, lift, release
from oracles.skills.look import look_down
from oracles.skills.place import place
from oracles.skills.press import press_submit
from oracles.skills.reach import step_to
from oracles.skills.slide import slide
from sim.contact import subtree
from sim.world import World
from tasks.props.tray import FLOOR
from tasks.puzzle_box.items import ITEMS
from tasks.puzzle_box.parts import RELEASED_AT, TRAVEL
from tasks.puzzle_box.structure import BoxStructure
from tasks.terms import Term, Thing

LOOK_HEIGHT = 0.42
LOOK_INTO_HEIGHT = 0.30
TRAVEL_HEIGHT = 0.19
"""Height of the grip site over the work top at which the fingers pass over the handles."""
PINCH_BELOW_TOP = 0.017
"""The pads reach 8 mm below the grip site: low enough for the widest part of a fruit, high enough for the hand's
housing.
"""
STUCK_BELOW = 0.015
"""A part that gave less than this, m, counts as held; between this and a release it is pushed back (a jam)."""
RETREAT = 0.055
STAGE_TICKS = 240
"""A stage of trying ends at the first success after this long."""


@dataclass
class BoxEvidence(Evidence):
    """What has been seen and felt.

    Attributes:
        handles: part -> (x, y, z) of its handle in the world where it was last seen, m.
        axes: part -> pull direction (x, y), world; seen from the lie of its bar.
        tips: parts whose tips have been seen.
        links: (holder, held) pairs whose meeting place has been seen.
        released: parts that were pulled out and were last seen there.
        failed: part -> number of moves that had been made when it last did not give.
        moves: number of parts that moved so far.
        in_view: what the cameras showed at the last look.
        lid_open, item: whether the lid is open; where the item was seen.
    """

    handles: dict[str, list[float]] = field(default_factory=dict)
    axes: dict[str, list[float]] = field(default_factory=dict)
    tips: list[str] = field(default_factory=list)
    links: list[list[str]] = field(default_factory=list)
    released: list[str] = field(default_factory=list)
    failed: dict[str, int] = field(default_factory=dict)
    moves: int = 0
    in_view: list[str] = field(default_factory=list)
    places: dict[str, list[float]] = field(default_factory=dict)
    lid_open: bool = False
    item_noun: str = ""

    def things(self, world: World) -> list[Thing]:
        """Bolts, lid, box, tray, button, and the item once it has been seen."""
        position, rotation = base_frame(world)

        def thing(name: str, noun: str, at: list[float], group: str, traits: dict[str, str]) -> Thing:
            local = tuple(round(float(v), 4) for v in rotation.T @ (np.array(at) - position))
            return Thing(name, noun, local, traits, group, name in self.in_view)

        out = []
        for name, at in sorted(self.handles.items()):
            if name == "lid":
                out.append(thing(name, "lid", at, "lid", {}))
            else:
                out.append(thing(name, "bolt", at, "bolts", {"part": "round black handle"}))
        nouns = {"box": "puzzle box", "tray": "tray", "submit": "SUBMIT button", "item": self.item_noun}
        out += [thing(name, nouns[name], at, name, {}) for name, at in sorted(self.places.items())]
        return out

    @property
    def lid_free(self) -> bool:
        """Whether what holds the lid was seen, and has been released."""
        holders = [holder for holder, held in self.links if held == "lid"]
        return bool(holders) and all(holder in self.released for holder in holders)

    def to_json(self) -> Any:
        """All fields, as plain data of their own."""
        out = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, dict):
                value = {k: list(v) if isinstance(v, list) else v for k, v in sorted(value.items())}
            elif isinstance(value, list):
                value = [list(v) if isinstance(v, list) else v for v in value]
            out[f.name] = value
        return out

    def restore(self, record: Any) -> None:
        """Goes back to what `to_json` gave."""
        for name, value in record.items():
            setattr(self, name, value)
        self.__dict__.update(BoxEvidence(**self.to_json()).__dict__)


def choose(evidence: BoxEvidence, hand: np.ndarray) -> tuple[list[str], str | None]:
    """What to try next: the options a newcomer has, best first, and the choice.

    Args:
        hand: world x, y of the hand.
    """
    held = {a for b, a in evidence.links if b not in evidence.released}
    holders = {b for b, a in evidence.links if a not in evidence.released}

    def rank(name: str) -> tuple[int, float]:
        distance = float(np.linalg.norm(np.array(evidence.handles[name][:2]) - hand))
        if name in holders:
            return 0, distance
        idle = name in evidence.tips and name != "lid"
        return (2 if idle else 1), distance

    options = [
        name
        for name in sorted(evidence.handles)
        if name not in evidence.released and name not in held and evidence.failed.get(name, -1) < evidence.moves
    ]
    options.sort(key=rank)
    return options, options[0] if options else None


class PuzzleBoxOracle(Oracle):
    """See the module's docstring."""

    def evidence(self) -> BoxEvidence:
        """Nothing yet."""
        return BoxEvidence()

    def run(self, session: Session) -> Motion[None]:
        """Look, free the bolts, open the lid, take the item out, put it on the tray, press SUBMIT."""
        scene = _Scene(session)
        scene.look()
        with session.stage(Term.of("study", box="box")):
            for point in scene.viewpoints():
                with session.subtask(Term.of("look", at="box")):
                    yield from step_to(session, point, slack=0.25)
                    yield from look_down(session, point, LOOK_HEIGHT)
                    scene.look()
        known = session.evidence
        while not (known.lid_open or known.lid_free):
            yield from self._free_some(session, scene)
        with session.stage(Term.of("take_out", item="item", box="box")):
            if not known.lid_open:
                session.decide("open", ["lid"], "lid")
                yield from self._try(session, scene, "lid")
            if not known.lid_open:
                raise SkillFailed(Reason.BLOCKED, "the lid does not open although its bolts are out")
            with session.subtask(Term.of("look_into", at="box")):
                yield from scene.look_inside()
            with session.subtask(Term.of("take", item="item", source="box")):
                below = yield from session.attempt(scene.take_item)
        with session.stage(Term.of("deliver", item="item", tray="tray", button="submit")):
            with session.subtask(Term.of("place", item="item", target="tray")):
                yield from scene.deliver(below)
            with session.subtask(Term.of("press", button="submit")):
                yield from step_to(session, scene.point("submit"), slack=0.10)
                yield from press_submit(session)

    def _free_some(self, session: Session, scene: _Scene) -> Motion[None]:
        """One stage of trying: until something has moved and the stage is long enough to be one."""
        known = session.evidence
        began, moves = session.world.tick_count, known.moves
        freed = sum(name != "lid" for name in known.released)
        facts = {"freed": freed} if freed else {}
        with session.stage(Term.of("free_bolts", facts, box="box")):
            while not (known.lid_open or known.lid_free):
                hand, _ = gripper_frame(session.world)
                options, part = choose(known, hand[:2])
                if part is None:
                    raise SkillFailed(Reason.UNSOLVED, "nothing is left to try")
                session.decide("try", options, part)
                yield from self._try(session, scene, part)
                long_enough = session.world.tick_count - began >= STAGE_TICKS
                if long_enough and known.moves > moves:
                    return

    def _try(self, session: Session, scene: _Scene, part: str) -> Motion[None]:
        known = session.evidence
        direction = scene.local(known.axes[part])
        facts: dict[str, Any] = {"direction": direction}
        if part == "lid" and known.lid_free:
            term = Term.of("open", facts, lid="lid")
        else:
            facts["tried_before"] = part in known.failed
            term = Term.of("try_slide", facts, part=part)
        done = scene.structure.lid.open_at if part == "lid" else RELEASED_AT
        with session.subtask(term):
            gone = yield from session.attempt(lambda k: scene.pull(part))
            jammed = STUCK_BELOW < gone < done
            if not jammed:
                yield from release(session, retreat=RETREAT)
        if jammed:
            with session.subtask(Term.of("push_back", part=part)):
                yield from slide(session, -scene.axis(part), gone)
                yield from release(session, retreat=RETREAT)
        if gone >= done:
            known.moves += 1
            known.released.append(part)
            known.lid_open = part == "lid"
        else:
            known.failed[part] = known.moves
        scene.look()


class _Scene:
    """Where things are, for motions, and what the cameras show of them. Reads the true state; decides nothing."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.world = session.world
        self.structure = BoxStructure.from_json(session.instance.spec["structure"])
        self.names = ["lid", *(part.name for part in self.structure.parts)]
        self.top = float(self.world.data.xpos[self.world.model.body("box").id][2])
        model = self.world.model
        self._parts = {name: subtree(model, model.body(name).id) for name in self.names}
        self._tips = {f"tip of {n}": [model.geom(f"{n}_tip_vis").id] for n in self.names if n != "lid"}
        self._bodies = {name: subtree(model, model.body(name).id) for name in ("box", "tray", "submit", "item")}

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

    def viewpoints(self) -> list[np.ndarray]:
        """Three points over the box, left to right, from which the wrist camera overlooks it."""
        rect = self.structure.footprint
        box = self.world.model.body("box").id
        rotation, at = self.world.data.xmat[box].reshape(3, 3), self.world.data.xpos[box]
        centre = rect.centre
        offset = 0.6 * rect.half[0]
        return [at + rotation @ np.array([centre[0] + side * offset, centre[1], 0.0]) for side in (-1, 0, 1)]

    def look(self) -> None:
        """Adds what the cameras show now to the evidence."""
        known = self.session.evidence
        wanted = {**self._parts, **self._tips, **self._bodies}
        seen = self.session.eyes.seen(wanted)
        known.in_view = sorted(name for name in seen if name not in self._tips)
        for name in self.names:
            if name in seen:
                known.handles[name] = [round(float(v), 4) for v in self.handle(name)]
                known.axes[name] = [round(float(v), 4) for v in self.axis(name)[:2]]
        for name in ("box", "tray", "submit", "item"):
            if name in seen:
                known.places[name] = [round(float(v), 4) for v in self.point(name)]
        known.item_noun = self.session.instance.spec["item"]
        for engagement in self.structure.engagements:
            link = [engagement.blocker, engagement.blocked]
            if f"tip of {engagement.blocker}" in seen and link not in known.links:
                known.links.append(link)
        for name in self.names:
            if f"tip of {name}" in seen and name not in known.tips:
                known.tips.append(name)
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
        """Brings the wrist camera over the opening. Raises SkillFailed(NOT_SEEN) if it shows nothing there."""
        source = self.world.data.site_xpos[self.world.model.site("item_source").id].copy()
        yield from step_to(self.session, source, height=self.top + TRAVEL_HEIGHT)
        yield from look_down(self.session, source, LOOK_INTO_HEIGHT)
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
        model, data = self.world.model, self.world.data
        geoms = [g for g in self._bodies["item"] if model.geom_group[g] == 0]
        return float(min(data.geom_xpos[g][2] - np.abs(data.geom_xmat[g][6:]) @ model.geom_aabb[g][3:] for g in geoms))


ORACLE = PuzzleBoxOracle
