"""The runner: what it refuses, what it cuts when it rewinds, and what is left of an episode that was given up."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles.base import CaptionError, Motion, Reason, Session, SkillFailed
from oracles.runner import MAX_REWINDS, EnvelopeError, run_episode
from sim.assets import AssetRoots
from sim.recording import Recording, read, write
from sim.world import STATE_SPEC, World
from tasks.terms import Term
from tests.bench import Bench, Counting, Scripted, arm, base, bench_instance, captioned, press, repeat, still

pytestmark = pytest.mark.xdist_group("kitchen17")

Script = Callable[[Session], Motion[None]]


@pytest.fixture(scope="module")
def run(bench_xml: str, roots: AssetRoots) -> Callable[..., Recording]:
    """Runs a script as an oracle on the bench, in one world that all episodes share."""
    world = World(bench_xml, roots)

    class Shared(Bench):
        def world(self, instance: Any, stored_xml: str, roots: AssetRoots) -> World:
            world.rules = self.rules(instance)
            return world

    def episode(script: Script, **settings: Any) -> Recording:
        return run_episode(Shared(**settings), Scripted(script), bench_instance(), bench_xml, roots)

    return episode


def replayed(recording: Recording, roots: AssetRoots) -> World:
    """The recorded actions from the first state, in a new world; every state must be the recorded one."""
    world = World(recording.model, roots, Bench().rules(bench_instance()))
    world.start_from(recording.states[0], recording.controller)
    for t, action in enumerate(recording.actions, start=1):
        world.tick(action)
        assert world.physics_state().tobytes() == recording.states[t].tobytes(), f"state {t}"
    return world


def assert_contiguous(recording: Recording) -> None:
    ends = [0, *(row["end"] for row in recording.timeline)]
    assert [row["start"] for row in recording.timeline] == ends[:-1]
    assert ends[-1] == recording.ticks
    assert all(row["start"] < row["end"] for row in recording.timeline)


def pressing(session: Session) -> Motion[None]:
    yield from captioned(session, repeat(press(), 60), "finish", "press")


@pytest.fixture(scope="module")
def success(run) -> Recording:
    return run(pressing)


def test_an_episode_ends_at_the_press(success: Recording, roots: AssetRoots, tmp_path: Path) -> None:
    assert success.outcome["success"] is True
    assert success.outcome["reason"] == ""
    assert 5 < success.ticks < 60
    assert success.outcome["ticks"] == success.ticks == len(success.states) - 1
    assert [e for e in success.events if e["kind"] == "submitted"] == [
        {"tick": success.ticks, "kind": "submitted", "data": {"success": True, "progress": 1.0}}
    ]
    assert (success.spec, success.actions.dtype, success.states.dtype) == (STATE_SPEC, np.float32, np.float64)
    assert success.assets == roots.hashes(success.model)
    assert_contiguous(success)
    assert replayed(success, roots).rules[0].result == (True, 1.0)
    write(success, tmp_path / "one")
    assert json.dumps(read(tmp_path / "one").outcome) == json.dumps(success.outcome, sort_keys=True)


def test_the_same_episode_again_is_the_same_recording(success: Recording, run) -> None:
    again = run(pressing)
    assert again.states.tobytes() == success.states.tobytes()
    assert (again.timeline, again.events, again.outcome) == (success.timeline, success.events, success.outcome)


@pytest.mark.parametrize("scope", ["none", "stage", "subtask"])
def test_an_action_outside_of_a_caption(run, scope: str) -> None:
    def script(session: Session) -> Motion[None]:
        yield from captioned(session, repeat(still(), 2))
        if scope == "stage":
            with session.stage(Term.of("work")):
                yield still()
        elif scope == "subtask":
            with session.subtask(Term.of("move")):
                yield still()
        else:
            yield still()

    with pytest.raises(CaptionError, match="outside of a stage and a subtask"):
        run(script)


@pytest.mark.parametrize(
    "action", [arm(0, 0.31), arm(2, -0.31), arm(3, 0.25), base(x=0.51), base(yaw=-0.51), arm(10, 1.1), arm(1, np.nan)]
)
def test_an_action_outside_of_the_envelope(run, action: np.ndarray) -> None:
    with pytest.raises(EnvelopeError, match="outside the demonstration envelope"):
        run(lambda session: captioned(session, repeat(action, 1)))


def test_actions_at_the_edge_of_the_envelope_are_allowed(run) -> None:
    edge = [arm(0, 0.3), arm(2, -0.3), arm(5, 0.24), base(x=0.5), base(y=-0.5, yaw=0.5), arm(10, 1.0)]
    assert run(lambda session: captioned(session, iter_of(edge))).ticks == len(edge)


def iter_of(actions: list[np.ndarray]) -> Motion[None]:
    yield from actions


def mixed() -> np.ndarray:
    action = base(x=0.2)
    action[1] = 0.1
    return action


def without_mode() -> np.ndarray:
    action = base(y=0.2)
    action[11] = -1.0
    return action


@pytest.mark.parametrize("action", [mixed(), without_mode()])
def test_arm_and_base_together(run, action: np.ndarray) -> None:
    with pytest.raises(EnvelopeError, match="moves the arm or the base, never both"):
        run(lambda session: captioned(session, repeat(action, 1)))


def rewinding(session: Session) -> Motion[None]:
    """Fails once after having moved, noted, decided and counted; then works another way."""

    def motion(k: int) -> Motion[None]:
        session.evidence.words.append(f"try {k}")
        session.decide("way", ["down", "up"], "down" if k == 0 else "up")
        session.grip = 1.0 if k == 0 else session.grip
        with session.subtask(Term.of(f"attempt_{k}")):
            yield from repeat(arm(2, 0.3, grip=session.grip) if k else arm(1, 0.3, grip=session.grip), 13)
        if k == 0:
            raise SkillFailed(Reason.SLIPPED, "lost it")

    with session.stage(Term.of("work")), session.subtask(Term.of("move")):
        yield from repeat(arm(0, 0.2), 7)
        session.evidence.words.append("before")
        yield from session.attempt(motion)
        yield from repeat(arm(1, -0.2, grip=session.grip), 4)
    with session.stage(Term.of("finish")), session.subtask(Term.of("press")):
        yield from repeat(arm(1, 0.2), 4)


def plain(session: Session) -> Motion[None]:
    """What is left of `rewinding`."""
    with session.stage(Term.of("work")), session.subtask(Term.of("move")):
        yield from repeat(arm(0, 0.2), 7)
        session.evidence.words.append("before")
        session.evidence.words.append("try 1")
        session.decide("way", ["down", "up"], "up")
        with session.subtask(Term.of("attempt_1")):
            yield from repeat(arm(2, 0.3, grip=session.grip), 13)
        yield from repeat(arm(1, -0.2, grip=session.grip), 4)
    with session.stage(Term.of("finish")), session.subtask(Term.of("press")):
        yield from repeat(arm(1, 0.2), 4)


def test_only_the_branch_that_worked_is_left(run, roots: AssetRoots) -> None:
    rewound, direct = run(rewinding), run(plain)
    assert rewound.outcome.pop("rewinds") == 1
    assert direct.outcome.pop("rewinds") == 0
    assert rewound.ticks == 28
    assert rewound.actions.tobytes() == direct.actions.tobytes()
    assert rewound.states.tobytes() == direct.states.tobytes()
    assert rewound.timeline == direct.timeline
    assert rewound.events == direct.events
    assert rewound.outcome == direct.outcome
    assert_contiguous(rewound)
    assert [row["subtask"]["verb"] for row in rewound.timeline] == ["move", "attempt_1", "move", "press"]
    assert [thing["name"] for thing in rewound.timeline[-1]["known"]] == ["before", "try 1"]
    assert len(rewound.outcome["decisions"]) == 1
    assert [e["tick"] for e in rewound.events if e["kind"] == "counted"] == [5, 10, 15, 20, 25]
    world = replayed(rewound, roots)
    assert [(e.tick, e.data) for e in world.events] == [(e["tick"], e["data"]) for e in rewound.events]
    counting = next(rule for rule in world.rules if isinstance(rule, Counting))
    assert counting.ticks == 28


def test_a_rewind_to_the_first_state(run, roots: AssetRoots) -> None:
    def script(session: Session) -> Motion[None]:
        def motion(k: int) -> Motion[None]:
            yield from repeat(arm(k, 0.2), 6)
            if k < 2:
                raise SkillFailed(Reason.SLIPPED, "lost it")

        yield from captioned(session, session.attempt(motion))

    recording = run(script)
    assert recording.outcome["rewinds"] == 2
    assert recording.ticks == 6
    assert_contiguous(recording)
    np.testing.assert_array_equal(np.flatnonzero(recording.actions[:, :3].any(axis=0)), [2])
    replayed(recording, roots)


def test_a_press_in_a_branch_that_is_rewound_would_have_ended_the_episode(run) -> None:
    def script(session: Session) -> Motion[None]:
        def motion(k: int) -> Motion[None]:
            yield from repeat(press(), 60)
            raise SkillFailed(Reason.SLIPPED, "too late")

        yield from captioned(session, session.attempt(motion))

    recording = run(script)
    assert recording.outcome["success"] is True
    assert recording.outcome["rewinds"] == 0


def test_too_many_rewinds_give_the_episode_up(run) -> None:
    def script(session: Session) -> Motion[None]:
        def motion(k: int) -> Motion[None]:
            yield still()
            raise SkillFailed(Reason.SLIPPED, "never works")

        yield from captioned(session, session.attempt(motion, tries=50))

    recording = run(script)
    assert recording.outcome["reason"] == f"stalled: more than {MAX_REWINDS} rewinds in one episode"
    assert recording.outcome["rewinds"] == MAX_REWINDS
    assert_contiguous(recording)


def test_an_episode_that_is_given_up_is_a_recording_with_its_reason(run, roots: AssetRoots, tmp_path: Path) -> None:
    def script(session: Session) -> Motion[None]:
        yield from captioned(session, repeat(arm(0, 0.2), 5))
        raise SkillFailed(Reason.UNSOLVED, "nothing is left to try")

    recording = run(script, wins=False)
    assert recording.outcome["success"] is False
    assert recording.outcome["progress"] == 0.25
    assert recording.outcome["reason"] == "unsolved: nothing is left to try"
    assert recording.ticks == 5
    replayed(recording, roots)
    write(recording, tmp_path / "one")
    assert read(tmp_path / "one").outcome["reason"] == recording.outcome["reason"]


def test_an_episode_that_fails_before_its_first_action(run, tmp_path: Path) -> None:
    def script(session: Session) -> Motion[None]:
        raise SkillFailed(Reason.UNREACHABLE, "no stance")
        yield

    recording = run(script, wins=False)
    assert recording.actions.shape == (0, 12)
    assert len(recording.states) == 1
    assert recording.timeline == []
    write(recording, tmp_path / "one")
    assert read(tmp_path / "one").ticks == 0


def test_too_long(run) -> None:
    recording = run(lambda session: captioned(session, repeat(still(), 100)), tick_limit=9)
    assert recording.outcome["reason"] == "too_long"
    assert recording.outcome["success"] is False
    assert recording.ticks == 9
    assert_contiguous(recording)


def test_a_wrong_submit(run, tmp_path: Path) -> None:
    recording = run(pressing, wins=False)
    assert recording.outcome["success"] is False
    assert recording.outcome["progress"] == 0.25
    assert recording.outcome["reason"] == "wrong_submit"
    assert recording.events[-1]["data"] == {"success": False, "progress": 0.25}
    write(recording, tmp_path / "one")
    assert read(tmp_path / "one").outcome["reason"] == "wrong_submit"


def test_an_oracle_that_stops_without_a_press(run) -> None:
    assert run(lambda session: captioned(session, repeat(still(), 2))).outcome["reason"] == "not_submitted"


def test_a_broken_oracle_is_not_a_given_up_episode(run) -> None:
    def script(session: Session) -> Motion[None]:
        yield from captioned(session, repeat(still(), 2))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(script)
