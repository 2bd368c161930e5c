"""The oracle of Puzzle Box: it works the box out as a newcomer would.

It looks the box over with the wrist camera. Where it has seen a bolt's tip sit in another part it knows that the one
holds the other; what the plate covers it learns by trying, nearest handle first, remembering what moved and what did
not. A part that did not move is tried again only after something else has. A bolt that it has seen to hold nothing is
left alone unless nothing else is left to try.

The hidden truth is `spec["structure"]`; only motions read it (see scene.py). Choices are made in evidence.py, from what
was seen and felt alone.
"""

from __future__ import annotations

from typing import Any

from oracles.base import Motion, Oracle, Reason, Session, SkillFailed
from oracles.puzzle_box.evidence import BoxEvidence, choose
from oracles.puzzle_box.scene import RETREAT, Scene
from oracles.skills.arm import gripper_frame
from oracles.skills.grasp import release
from oracles.skills.look import look_down
from oracles.skills.press import press_submit
from oracles.skills.reach import step_to
from oracles.skills.slide import slide
from tasks.puzzle_box.parts import RELEASED_AT
from tasks.terms import Term

STUCK_BELOW = 0.015
"""A part that gave less than this, m, counts as held; between this and a release it is pushed back (a jam)."""
STAGE_TICKS = 240
"""A stage of trying ends at the first success after this long."""


class PuzzleBoxOracle(Oracle):
    """See the module's docstring."""

    def evidence(self) -> BoxEvidence:
        """Nothing yet."""
        return BoxEvidence()

    def run(self, session: Session) -> Motion[None]:
        """Look, free the bolts, open the lid, take the item out, put it on the tray, press SUBMIT."""
        scene = Scene(session)
        scene.look()
        with session.stage(Term.of("study", box="box")):
            for point, how in scene.views():
                with session.subtask(Term.of("look", at="box")):
                    yield from step_to(session, point, slack=0.25)
                    yield from look_down(session, point, *how)
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

    def _free_some(self, session: Session, scene: Scene) -> Motion[None]:
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
                if long_enough and known.moves > moves and len(known.still_to_free) > 1:
                    return

    def _try(self, session: Session, scene: Scene, part: str) -> Motion[None]:
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
