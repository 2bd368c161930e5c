from __future__ import annotations

import pytest
from verify_toy import Toy, ToyOracle, instance

from verify.twins import TwinError, compare_recordings, compare_twins, run_twins


def log(*rows):
    return {"decisions": [{"what": w, "evidence": e, "options": ["a", "b"], "choice": c} for w, e, c in rows]}


def test_equal_logs_pass():
    one = log(("first", "0", "a"), ("second", "1", "b"))
    assert compare_twins(one, one).ok
    assert compare_twins(one, one).compared == 2


def test_a_choice_may_differ_once_the_evidence_does():
    result = compare_twins(
        log(("first", "0", "a"), ("second", "1", "a")), log(("first", "0", "a"), ("second", "2", "b"))
    )
    assert result.ok
    assert result.compared == 1
    assert "second" in result.diverged


def test_a_peeking_choice_fails():
    result = compare_twins(log(("first", "0", "a")), log(("first", "0", "b")))
    assert "the choice is 'a' on one twin and 'b' on the other" in result.problem


def test_another_question_or_other_options_with_equal_evidence_fail():
    assert "the question" in compare_twins(log(("first", "0", "a")), log(("other", "0", "a"))).problem
    fewer = log(("first", "0", "a"))
    fewer["decisions"][0]["options"] = ["a"]
    assert "the options" in compare_twins(log(("first", "0", "a")), fewer).problem


def test_nothing_compared_is_not_a_pass():
    assert not compare_twins(log(), log()).ok
    assert not compare_twins(log(("first", "0", "a")), log(("first", "1", "a"))).ok


def test_stopping_early_needs_a_reason_that_was_seen():
    one = log(("first", "0", "a"))
    assert "goes on" in compare_twins(one, log(("first", "0", "a"), ("second", "0", "a"))).problem
    assert compare_twins(one, log(("first", "0", "a"), ("second", "1", "a"))).ok


def test_a_given_up_episode_fails(good, changed):
    assert compare_recordings(good, good).ok
    changed.outcome["success"], changed.outcome["reason"] = False, "slipped: fell"
    assert "slipped" in compare_recordings(good, changed).problem


@pytest.fixture
def composed(monkeypatch, kitchen):
    monkeypatch.setattr("sim.kitchen.compose", lambda *_: kitchen)


def test_an_honest_oracle_passes(composed, monkeypatch, roots):
    monkeypatch.setattr("oracles.load_oracle", lambda _: ToyOracle())
    result = run_twins(Toy(), instance(), roots)
    assert result.ok, result.problem
    assert result.compared == 1
    assert result.same_ticks == min(result.ticks)


def test_a_peeking_oracle_is_caught(composed, monkeypatch, roots):
    class Peeking(ToyOracle):
        peeking = True

    monkeypatch.setattr("oracles.load_oracle", lambda _: Peeking())
    result = run_twins(Toy(), instance(), roots)
    assert "'left' on one twin and 'right' on the other" in result.problem
    assert result.same_ticks == 0


def test_an_instance_without_a_twin_is_refused(composed, monkeypatch, roots):
    monkeypatch.setattr(Toy, "twin", lambda *_: None)
    with pytest.raises(TwinError, match="hides nothing"):
        run_twins(Toy(), instance(), roots)
