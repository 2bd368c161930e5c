"""The session: captions as scopes, logged choices, and tries that rewind only what the hand got wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from oracles import load_oracle
from oracles.base import MOTOR_FAILURES, Mark, Motion, Oracle, Reason, Rewind, Session, SkillFailed
from tasks import task_names
from tasks.terms import Term
from tests.bench import Notes, bench_instance, still


@pytest.fixture
def session() -> Session:
    """Without a world: nothing here looks at it."""
    return Session(bench_instance(), None, Notes(), np.random.default_rng(0), None)


def flaky(failures: list[Reason], tries: list[int]) -> Callable[[int], Motion[str]]:
    """A motion that fails for the given reasons, one a try, and then works."""

    def motion(k: int) -> Motion[str]:
        tries.append(k)
        yield still()
        if k < len(failures):
            raise SkillFailed(failures[k], f"try {k}")
        return f"done at {k}"

    return motion


def follow(motion: Motion[Any]) -> tuple[list[Any], Any]:
    """Runs a motion, answering every Mark with a numbered token; returns what it asked for, and its result."""
    asked: list[Any] = []
    answer = None
    while True:
        try:
            step = motion.send(answer)
        except StopIteration as stop:
            return asked, stop.value
        asked.append(step)
        answer = f"token {len(asked)}" if isinstance(step, Mark) else None


def kinds(asked: list[Any]) -> list[str]:
    return [type(step).__name__ for step in asked]


def test_captions_are_scopes(session: Session) -> None:
    outer, inner, small = Term.of("work"), Term.of("rest"), Term.of("look")
    with session.stage(outer):
        with session.subtask(small):
            assert (session.stage_term, session.subtask_term) == (outer, small)
        assert session.subtask_term is None
        with session.stage(inner):
            assert session.stage_term == inner
        assert session.stage_term == outer
    assert session.stage_term is None


def test_a_failure_leaves_the_scope(session: Session) -> None:
    with pytest.raises(SkillFailed), session.stage(Term.of("work")), session.subtask(Term.of("look")):
        raise SkillFailed(Reason.BLOCKED, "wall")
    assert session.stage_term is None
    assert session.subtask_term is None


def test_every_scope_is_told_apart_even_with_equal_terms(session: Session) -> None:
    seen = []
    for _ in range(2):
        with session.stage(Term.of("work")), session.subtask(Term.of("look")):
            seen.append(session.captions_changed)
    assert seen[0] != seen[1]


def test_a_choice_is_logged_with_what_was_known_then(session: Session) -> None:
    session.evidence.words.append("red")
    assert session.decide("try", ["a", "b"], "b") == "b"
    session.evidence.words.append("blue")
    session.decide("try", ["a"], "a")
    first, second = session.decisions
    assert json.loads(first["evidence"]) == {"words": ["red"]}
    assert json.loads(second["evidence"]) == {"words": ["red", "blue"]}
    assert {k: v for k, v in first.items() if k != "evidence"} == {"what": "try", "options": ["a", "b"], "choice": "b"}


def test_a_motion_that_works_is_run_once(session: Session) -> None:
    tries: list[int] = []
    asked, result = follow(session.attempt(flaky([], tries)))
    assert (kinds(asked), result, tries) == (["Mark", "ndarray"], "done at 0", [0])


def test_a_slip_is_undone_and_tried_again(session: Session) -> None:
    tries: list[int] = []
    asked, result = follow(session.attempt(flaky([Reason.SLIPPED, Reason.UNREACHABLE], tries)))
    assert kinds(asked) == ["Mark", "ndarray", "Rewind", "ndarray", "Rewind", "ndarray"]
    assert [step.token for step in asked if isinstance(step, Rewind)] == ["token 1", "token 1"]
    assert (result, tries) == ("done at 2", [0, 1, 2])


def test_the_last_failure_is_raised_and_not_undone(session: Session) -> None:
    tries: list[int] = []
    motion = session.attempt(flaky([Reason.SLIPPED, Reason.DROPPED, Reason.BLOCKED], tries), tries=2)
    asked = []
    with pytest.raises(SkillFailed, match="dropped: try 1"):
        while True:
            asked.append(motion.send(None))
    assert kinds(asked) == ["Mark", "ndarray", "Rewind", "ndarray"]
    assert tries == [0, 1]


@pytest.mark.parametrize("reason", [Reason.UNSOLVED, Reason.TOO_LONG])
def test_the_worlds_answer_to_a_choice_is_never_undone(session: Session, reason: Reason) -> None:
    assert reason not in MOTOR_FAILURES
    tries: list[int] = []
    with pytest.raises(SkillFailed, match=str(reason)):
        follow(session.attempt(flaky([reason], tries)))
    assert tries == [0]


def test_a_mistake_in_code_is_not_a_failed_motion(session: Session) -> None:
    def broken(_: int) -> Motion[None]:
        yield still()
        raise KeyError("part_x")

    with pytest.raises(KeyError):
        follow(session.attempt(broken))


def test_failures_say_reason_and_detail() -> None:
    failure = SkillFailed(Reason.NOT_SEEN, "no item")
    assert str(failure) == "not_seen: no item"
    assert (failure.reason, failure.detail) == (Reason.NOT_SEEN, "no item")
    assert {reason for reason in Reason if reason not in MOTOR_FAILURES} == {Reason.UNSOLVED, Reason.TOO_LONG}


def test_every_task_has_an_oracle_and_each_episode_a_fresh_one() -> None:
    for name in task_names():
        one, two = load_oracle(name), load_oracle(name)
        assert isinstance(one, Oracle)
        assert one is not two
        assert one.evidence() is not one.evidence()
