"""The oracle of Search Room: it searches the kitchen as someone would who knows the furniture but not what is in it.

It goes to the nearest place that may hold something, by the way it has to drive; opens, looks in, closes. A counter
that a camera has had in its picture on the way is not gone to for its own sake, unless all else has been searched. What
it sees, also in passing, it remembers. What is looked for is brought to the tray at once when it is found in what has
just been opened, and else when it is the nearest thing to do; when everything has been found, nothing more is opened.

The hidden truth is in the instance's specification; only motions read it (see scene.py). Choices are made in
evidence.py, from what was seen alone.
"""

from __future__ import annotations

import itertools

import numpy as np

from oracles.base import Motion, Oracle, Reason, Session, SkillFailed
from oracles.search_room.evidence import SearchEvidence, candidates, choose
from oracles.search_room.scene import Kitchen
from oracles.skills.press import press_submit
from oracles.skills.reach import step_to
from oracles.skills.travel import travel, way_to
from sim.lattice import Pose
from tasks.terms import Term

JITTER = 0.004
DROPS = 2
"""A thing that has been dropped more often is given up."""
FAR = 2.5
"""A way longer than this, m, is a stage of its own."""
LEG = 5.0
"""A longer way, m, is captioned in parts."""
PACE = 0.010
"""About how far the base comes in a tick, turns included, m."""
LONGEST = 600
"""A part of a way that has taken so many ticks ends, whatever is left."""
LONG = 500
"""A search that has taken so many ticks when it comes to closing ends there; closing is a stage of its own."""


class SearchRoomOracle(Oracle):
    """See the module's docstring."""

    def evidence(self) -> SearchEvidence:
        """Nothing yet."""
        return SearchEvidence()

    def run(self, session: Session) -> Motion[None]:
        """Search until all is found, bring it to the tray, press SUBMIT."""
        kitchen = Kitchen(session)
        session.evidence.restore(kitchen.sight.known_at_start().to_json())
        kitchen.sight.look()
        known: SearchEvidence = session.evidence
        while len(known.delivered) < len(known.wanted):
            options, choice = choose({option: kitchen.way(option.split(" ", 1)[1]) for option in candidates(known)})
            if choice is None:
                yield from self._make_way(session, kitchen)
                continue
            what, name = session.decide("next", options, choice).split(" ", 1)
            for front in list(known.open_fronts):
                if kitchen.in_the_way(front, name):
                    yield from self._close_again(session, kitchen, front)
            if what == "fetch":
                yield from self._fetch(session, kitchen, name)
            elif name in kitchen.furnishing.fronts:
                yield from self._search_front(session, kitchen, name)
            elif name in kitchen.furnishing.covers:
                yield from self._search_cover(session, kitchen, name)
            else:
                yield from self._search_counter(session, kitchen, name)

    def _go(self, session: Session, kitchen: Kitchen, name: str) -> Motion[None]:
        """Drives to a spot or thing, inside of a stage, unless the base is there."""
        if kitchen.is_at(name):
            return
        drive, drive_on = Term.of("drive", to=name), Term.of("drive_on", to=name)
        stance = kitchen.stance(name)
        yield from in_legs(session, stance, session.attempt(lambda k: travel(session, stance)), drive, drive_on)
        kitchen.sight.look()

    def _approach(self, session: Session, kitchen: Kitchen, name: str) -> Motion[None]:
        """A long way is a stage of its own."""
        if kitchen.way(name) > FAR:
            with session.stage(Term.of("drive", to=name)):
                yield from self._go(session, kitchen, name)

    def _search_front(self, session: Session, kitchen: Kitchen, name: str) -> Motion[None]:
        known: SearchEvidence = session.evidence
        yield from self._approach(session, kitchen, name)
        began = session.world.tick_count
        with session.stage(Term.of("search", place=name)):
            yield from self._go(session, kitchen, name)
            with session.subtask(Term.of("open", place=name)):
                yield from session.attempt(lambda k: kitchen.open(name))
            known.open_fronts.append(name)
            with session.subtask(Term.of("look_into", at=name)):
                yield from session.attempt(lambda k: kitchen.look_inside(name))
            known.searched.append(name)
            inside = [thing for thing in known.waiting if known.things_seen[thing]["source"] == name]
            if not inside and session.world.tick_count - began < LONG:
                yield from self._close(session, kitchen, name)
                return
        if inside:
            session.decide("take", inside, inside[0])
            yield from self._fetch(session, kitchen, inside[0])
            return
        with session.stage(Term.of("close", place=name)):
            yield from self._close(session, kitchen, name)

    def _close(self, session: Session, kitchen: Kitchen, name: str) -> Motion[None]:
        """Closes a front. One that will not close is left as it is; the way around it may still be free."""
        known: SearchEvidence = session.evidence
        with session.subtask(Term.of("close", place=name)):
            try:
                yield from session.attempt(lambda k: kitchen.close(name))
            except SkillFailed:
                return
        known.open_fronts.remove(name)

    def _search_cover(self, session: Session, kitchen: Kitchen, name: str) -> Motion[None]:
        known: SearchEvidence = session.evidence
        yield from self._approach(session, kitchen, name)
        with session.stage(Term.of("search_under", cover=name)):
            yield from self._go(session, kitchen, name)
            with session.subtask(Term.of("lift", cover=name)):
                yield from session.attempt(lambda k: kitchen.lift(name, k * JITTER))
            with session.subtask(Term.of("set_aside", cover=name)):
                yield from kitchen.set_aside(name)
            known.searched.append(name)

    def _search_counter(self, session: Session, kitchen: Kitchen, name: str) -> Motion[None]:
        known: SearchEvidence = session.evidence
        yield from self._approach(session, kitchen, name)
        with session.stage(Term.of("survey", counter=name)):
            yield from self._go(session, kitchen, name)
            with session.subtask(Term.of("look_over", counter=name)):
                yield from session.attempt(lambda k: kitchen.look_over(name))
            known.searched.append(name)

    def _fetch(self, session: Session, kitchen: Kitchen, name: str) -> Motion[None]:
        """Takes a thing that has been found to the tray; with the last one, SUBMIT."""
        known: SearchEvidence = session.evidence
        source = known.things_seen[name]["source"]
        things = {"item": name} | ({"source": source} if source else {})
        if not source:
            yield from self._approach(session, kitchen, name)
        bring = Term.of("bring", item=name, tray="tray")
        here = not source and kitchen.is_at(name)
        with session.stage(bring if here else Term.of("fetch", **things)):
            if not source:
                yield from self._go(session, kitchen, name)
            elif not kitchen.lets_in(source, name):  # found while another leaf was open, or it is shutting by itself
                yield from self._go(session, kitchen, source)
                with session.subtask(Term.of("open", place=source)):
                    yield from session.attempt(lambda k: kitchen.open(source))
            with session.subtask(Term.of("take", **things)):
                yield from session.attempt(lambda k: kitchen.take(name, k * JITTER))
        known.held = name
        last = len(known.delivered) + 1 == len(known.wanted)
        deliver = Term.of("deliver", item=name, tray="tray", button="submit")
        with session.stage(bring):
            carry, carry_on = Term.of("carry", item=name, tray="tray"), Term.of("carry_on", item=name, tray="tray")
            stance = kitchen.tray_stance()
            yield from in_legs(session, stance, travel(session, stance), carry, carry_on)
            kitchen.sight.look()
        with session.stage(deliver if last else bring):
            with session.subtask(Term.of("place", item=name, target="tray")):
                try:
                    yield from kitchen.put_down(name, len(known.delivered))
                except SkillFailed as failure:
                    if failure.reason != Reason.DROPPED or known.dropped.count(name) == DROPS:
                        raise
                    known.held = ""
                    known.dropped.append(name)
                    kitchen.sight.look()
                    return
            known.held = ""
            known.delivered.append(name)
            if last:
                with session.subtask(Term.of("press", button="submit")):
                    yield from step_to(session, kitchen.button(), slack=0.10)
                    yield from press_submit(session)

    def _make_way(self, session: Session, kitchen: Kitchen) -> Motion[None]:
        """Closes the nearest front that was left open: nothing else can be got to."""
        known: SearchEvidence = session.evidence
        options, choice = choose({name: kitchen.way(name) for name in known.open_fronts})
        if choice is None:
            raise SkillFailed(Reason.UNSOLVED, f"nothing is left to search, and {', '.join(known.missing)} not found")
        yield from self._close_again(session, kitchen, session.decide("close", options, choice))

    def _close_again(self, session: Session, kitchen: Kitchen, name: str) -> Motion[None]:
        """Goes back to a front that was left open, and closes it."""
        with session.stage(Term.of("close", place=name)):
            yield from self._go(session, kitchen, name)
            if name in session.evidence.open_fronts:  # it has not shut by itself
                yield from self._close(session, kitchen, name)


def in_legs(session: Session, stance: Pose, motion: Motion[None], first: Term, after: Term) -> Motion[None]:
    """Runs the motion to a stance under one subtask, or in parts of equal length, `after` being said in turn."""
    way = way_to(session, stance)
    parts = int(np.ceil(way / LEG)) if np.isfinite(way) else 1
    answer = None
    for part, term in enumerate(itertools.cycle((first, after)), 1):
        began = session.world.tick_count
        most = way / parts / PACE if part < parts else LONGEST
        with session.subtask(term):
            while session.world.tick_count - began < most:
                try:
                    step = motion.send(answer)
                except StopIteration:
                    return
                answer = yield step
