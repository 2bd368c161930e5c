"""The oracle of Puzzle Box: its choices follow what was seen and felt, and one whole episode."""

from __future__ import annotations

import copy
import inspect
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import oracles.puzzle_box.evidence as evidence_module
from oracles.base import Reason, Session, SkillFailed
from oracles.puzzle_box import BoxEvidence, PuzzleBoxOracle, choose
from oracles.puzzle_box.scene import Scene
from oracles.runner import ENVELOPE
from sim.assets import AssetRoots
from sim.recording import Recording
from sim.robot import ARM, BASE, BASE_MODE
from sim.world import World
from tasks.base import Instance
from tasks.puzzle_box.structure import BoxStructure
from tasks.puzzle_box.task import PuzzleBox
from verify.episode import check_recording
from verify.twins import run_twins, twin_instances

HAND = np.array([0.0, 0.0])
in_kitchen = pytest.mark.xdist_group("kitchen17")
in_episode = pytest.mark.xdist_group("episode")


def known(**changes: Any) -> BoxEvidence:
    """Four bolts and a lid, the nearer the earlier in the alphabet; only handles have been seen."""
    handles = {f"part_{letter}": [0.1 * k, 0.0, 1.0] for k, letter in enumerate("abcd", 1)}
    evidence = BoxEvidence(handles={**handles, "lid": [0.25, 0.0, 1.0]})
    for name, value in changes.items():
        setattr(evidence, name, value)
    return evidence


def test_nearest_first_when_nothing_else_is_known() -> None:
    options, choice = choose(known(), HAND)
    assert options == ["part_a", "part_b", "lid", "part_c", "part_d"]
    assert choice == "part_a"
    assert choose(known(), np.array([0.5, 0.0]))[0] == ["part_d", "part_c", "lid", "part_b", "part_a"]


def test_only_seen_handles_are_options() -> None:
    evidence = known()
    del evidence.handles["part_a"]
    assert choose(evidence, HAND)[1] == "part_b"
    assert choose(BoxEvidence(), HAND) == ([], None)


def test_what_is_seen_to_be_held_is_not_tried() -> None:
    evidence = known(links=[["part_c", "part_a"], ["part_a", "lid"]], tips=["part_a", "part_c"])
    options, choice = choose(evidence, HAND)
    assert choice == "part_c"
    assert not {"part_a", "lid"} & set(options)


def test_a_holder_that_is_out_holds_nothing() -> None:
    evidence = known(links=[["part_c", "part_a"], ["part_a", "lid"]], tips=["part_a", "part_c"], released=["part_c"])
    options, choice = choose(evidence, HAND)
    assert choice == "part_a"
    assert "lid" not in options
    assert "part_c" not in options


def test_two_holders_must_both_be_out() -> None:
    links = [["part_b", "part_a"], ["part_c", "part_a"]]
    assert "part_a" not in choose(known(links=links, released=["part_b"]), HAND)[0]
    assert "part_a" in choose(known(links=links, released=["part_b", "part_c"]), HAND)[0]


def test_what_is_seen_to_hold_something_comes_first() -> None:
    evidence = known(links=[["part_d", "part_c"]], tips=["part_d"])
    assert choose(evidence, HAND)[0] == ["part_d", "part_a", "part_b", "lid"]
    evidence.released.append("part_c")
    assert choose(evidence, HAND)[0][-1] == "part_d"


def test_a_bolt_seen_to_hold_nothing_is_left_for_last() -> None:
    assert choose(known(tips=["part_a"]), HAND)[0] == ["part_b", "lid", "part_c", "part_d", "part_a"]
    assert choose(known(tips=["part_a", "part_b", "part_c", "part_d"]), HAND)[0][0] == "lid"


def test_what_did_not_move_is_tried_again_only_after_something_else_has() -> None:
    evidence = known(failed={"part_a": 0})
    assert "part_a" not in choose(evidence, HAND)[0]
    evidence.moves = 1
    assert choose(evidence, HAND)[1] == "part_a"
    evidence.failed["part_a"] = 1
    assert "part_a" not in choose(evidence, HAND)[0]


def test_nothing_is_left_to_try() -> None:
    evidence = known(failed=dict.fromkeys(["part_a", "part_b", "part_c", "part_d", "lid"], 2), moves=2)
    assert choose(evidence, HAND) == ([], None)
    assert choose(known(released=["part_a", "part_b", "part_c", "part_d", "lid"]), HAND) == ([], None)


def test_the_lid_is_free_when_its_seen_holders_are_out() -> None:
    assert not known().lid_free
    evidence = known(links=[["part_b", "part_a"], ["part_a", "lid"], ["part_d", "lid"]], released=["part_b", "part_a"])
    assert not evidence.lid_free
    assert "lid" not in choose(evidence, HAND)[0]
    evidence.released.append("part_d")
    assert evidence.lid_free
    assert "lid" in choose(evidence, HAND)[0]


def test_choosing_does_not_change_what_is_known() -> None:
    evidence = known(links=[["part_c", "part_a"]], tips=["part_c"], failed={"part_b": 0})
    before = evidence.to_json()
    choose(evidence, HAND)
    assert evidence.to_json() == before


def test_a_choice_does_not_depend_on_the_order_in_which_things_were_seen() -> None:
    evidence = known(links=[["part_c", "part_a"], ["part_b", "lid"]], tips=["part_c", "part_b"])
    other = known(links=evidence.links[::-1], tips=evidence.tips[::-1])
    other.handles = dict(reversed(evidence.handles.items()))
    assert choose(other, HAND) == choose(evidence, HAND)


def test_choices_cannot_see_the_instance() -> None:
    assert list(inspect.signature(choose).parameters) == ["evidence", "hand"]
    source = inspect.getsource(evidence_module)
    for name in ("instance", "spec", "structure", "BoxStructure", "engagements", "release_order"):
        assert not any(line.split("#")[0].count(f"{name}.") or f".{name}" in line for line in source.splitlines()), name
    assert not any("tasks.puzzle_box" in line for line in source.splitlines() if "import" in line)


def test_evidence_round_trips_without_sharing_data() -> None:
    evidence = known(links=[["part_c", "part_a"]], failed={"part_b": 0}, places={"tray": [1.0, 2.0, 3.0]})
    record = json.loads(json.dumps(evidence.to_json()))
    held = evidence.to_json()
    evidence.links.append(["part_a", "lid"])
    evidence.handles["part_a"][0] = 9.0
    evidence.lid_open = True
    assert held == record
    evidence.restore(held)
    assert evidence.to_json() == record
    evidence.links[0][0] = "part_d"
    assert held == record


@in_kitchen
def test_evidence_tells_captions_what_was_seen_and_where(box_world: World) -> None:
    box_world.reset()
    position = box_world.data.site_xpos[box_world.ids.base_site]
    rotation = box_world.data.site_xmat[box_world.ids.base_site].reshape(3, 3)
    ahead = (position + rotation @ [0.6, 0.2, 0.9]).tolist()
    evidence = BoxEvidence(handles={"part_b": ahead, "lid": ahead}, places={"tray": ahead}, in_view=["tray"])
    things = {thing.name: thing for thing in evidence.things(box_world)}
    assert {name: thing.noun for name, thing in things.items()} == {"part_b": "bolt", "lid": "lid", "tray": "tray"}
    np.testing.assert_allclose(things["part_b"].position, [0.6, 0.2, 0.9], atol=1e-3)
    assert [name for name, thing in things.items() if thing.in_view] == ["tray"]


class Trial:
    """The oracle's loop of choices with a world that answers from a table instead of moving."""

    def __init__(self, world: World, instance: Instance, evidence: BoxEvidence, order: tuple[str, ...]) -> None:
        world.reset()
        self.session = Session(instance, world, copy.deepcopy(evidence), np.random.default_rng(0), None)
        self.scene, self.order = Scene(self.session), [*order, "lid"]

    def choices(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        known = self.session.evidence

        def answer(oracle: Any, session: Session, scene: Scene, part: str) -> Any:
            if part in self.order and all(p in known.released for p in self.order[: self.order.index(part)]):
                known.moves += 1
                known.released.append(part)
                known.lid_open = part == "lid"
            else:
                known.failed[part] = known.moves
            return
            yield

        monkeypatch.setattr(PuzzleBoxOracle, "_try", answer)
        while not (known.lid_open or known.lid_free):
            for _ in PuzzleBoxOracle()._free_some(self.session, self.scene):
                raise AssertionError("the table answers without moving")
        return [decision["choice"] for decision in self.session.decisions]


def handles_only(world: World, structure: BoxStructure) -> BoxEvidence:
    world.reset()
    names = ["lid", *(part.name for part in structure.parts)]
    return BoxEvidence(handles={name: world.data.site(f"{name}_grasp").xpos.tolist() for name in names})


def with_other_truth(instance: Instance) -> list[Instance]:
    """The instance with its hidden fields changed: which bolt holds which, which are decoys, what is covered."""
    record = instance.spec["structure"]
    names = [part["name"] for part in record["parts"]]
    mutants = []
    for change in ("engagements", "none", "kinds", "chain"):
        other = copy.deepcopy(record)
        if change == "engagements":
            turn = dict(zip(names, names[1:] + names[:1], strict=True)) | {"lid": "lid"}
            for engagement in other["engagements"]:
                engagement |= {"blocker": turn[engagement["blocker"]], "blocked": turn[engagement["blocked"]]}
        elif change == "none":
            other["engagements"] = []
        elif change == "kinds":
            for part in other["parts"]:
                part |= {"kind": "decoy", "chain": 0}
        else:
            for k, part in enumerate(reversed(other["parts"]), 1):
                part |= {"kind": "bolt", "chain": k}
        mutants.append(replace(instance, spec={**instance.spec, "structure": other}))
    return mutants


@in_kitchen
def test_another_hidden_truth_does_not_change_the_choices(
    covered_box: Instance, box_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    structure = BoxStructure.from_json(covered_box.spec["structure"])
    evidence = handles_only(box_world, structure)
    honest = Trial(box_world, covered_box, evidence, structure.release_order).choices(monkeypatch)
    assert honest[-1] == "lid"
    assert len(honest) > 5
    for mutant in with_other_truth(covered_box):
        assert mutant.instance_id != covered_box.instance_id
        assert Trial(box_world, mutant, evidence, structure.release_order).choices(monkeypatch) == honest


@in_kitchen
def test_a_box_that_never_opens_is_given_up(
    covered_box: Instance, box_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence = handles_only(box_world, BoxStructure.from_json(covered_box.spec["structure"]))
    trial = Trial(box_world, covered_box, evidence, ("part_nowhere",))
    with pytest.raises(SkillFailed, match="nothing is left to try") as caught:
        trial.choices(monkeypatch)
    assert caught.value.reason is Reason.UNSOLVED
    tried = [decision["choice"] for decision in trial.session.decisions]
    assert sorted(tried) == sorted(evidence.handles)


def tried(recording: Recording) -> list[str]:
    return [decision["choice"] for decision in recording.outcome["decisions"]]


@in_episode
def test_an_episode_succeeds(episode: Recording) -> None:
    assert episode.outcome["reason"] == ""
    assert episode.outcome["success"] is True
    assert episode.outcome["progress"] == 1.0
    assert episode.outcome["rewinds"] <= 2
    assert 600 < episode.ticks < 3600


@in_episode
def test_choices_follow_what_can_be_seen(episode: Recording) -> None:
    """Without a cover every meeting place is in sight, so the newcomer makes no false move."""
    order = BoxStructure.from_json(episode.instance["spec"]["structure"]).release_order
    assert tried(episode) == [*order, "lid"]
    for decision in episode.outcome["decisions"]:
        seen = json.loads(decision["evidence"])
        assert decision["choice"] in decision["options"]
        assert decision["choice"] not in {held for holder, held in seen["links"] if holder not in seen["released"]}


@in_episode
def test_the_evidence_of_a_choice_was_seen(episode: Recording) -> None:
    structure = BoxStructure.from_json(episode.instance["spec"]["structure"])
    truth = {(e.blocker, e.blocked) for e in structure.engagements}
    released: list[str] = []
    for decision in episode.outcome["decisions"]:
        seen = json.loads(decision["evidence"])
        assert {tuple(link) for link in seen["links"]} <= truth
        assert {holder for holder, _ in seen["links"]} <= set(seen["tips"])
        assert seen["released"] == released
        assert "item" not in seen["places"]
        released.append(decision["choice"])


@in_episode
def test_the_events_of_an_episode(episode: Recording) -> None:
    assert [e["kind"] for e in episode.events] == ["opened", "taken_out", "submitted"]
    assert episode.events[-1]["tick"] == episode.ticks
    assert episode.events[-1]["data"] == {"success": True, "progress": 1.0}


@in_episode
def test_every_action_is_within_the_envelope(episode: Recording) -> None:
    actions = episode.actions
    assert (np.abs(actions) <= ENVELOPE + 1e-6).all()
    drives = actions[:, BASE].any(axis=1)
    assert drives.any()
    assert not (drives & actions[:, ARM].any(axis=1)).any()
    assert (actions[drives, BASE_MODE] > 0).all()


@in_episode
def test_the_timeline_tells_the_episode(episode: Recording) -> None:
    stages = [row["stage"]["verb"] for row in episode.timeline]
    assert list(dict.fromkeys(stages)) == ["study", "free_bolts", "take_out", "deliver"]
    assert [row["start"] for row in episode.timeline] == [0, *(row["end"] for row in episode.timeline[:-1])]
    assert episode.timeline[-1]["end"] == episode.ticks
    for row in episode.timeline:
        names = {thing["name"] for thing in row["known"]}
        assert set(row["subtask"]["things"].values()) - {"item"} <= names
        assert ("item" in names) == (row["subtask"]["verb"] in ("take", "place", "press"))


@in_episode
def test_stages_last_ten_seconds_and_more(episode: Recording) -> None:
    """A short chain without a cover has the shortest ones."""
    ticks: dict[str, int] = {}
    for row in episode.timeline:
        ticks[str(row["stage"])] = ticks.get(str(row["stage"]), 0) + row["end"] - row["start"]
    assert min(ticks.values()) >= 200
    assert max(ticks.values()) <= 1000


@in_episode
def test_an_episode_may_become_a_demonstration(episode: Recording, roots: AssetRoots) -> None:
    """Replay bit for bit, judgement from states, captions and the other checks of verify/."""
    assert check_recording(episode, roots).failures == {}


def assert_twins_are_told_apart_by_trying(task: PuzzleBox, instance: Instance, roots: AssetRoots) -> None:
    result = run_twins(task, instance, roots)
    assert result.ok, f"{instance.instance_id}: {result.problem}"
    assert result.compared >= 1


@pytest.mark.slow
@in_episode
def test_twins_of_a_covered_chain_of_four(puzzle_box: PuzzleBox, covered_box: Instance, roots: AssetRoots) -> None:
    assert_twins_are_told_apart_by_trying(puzzle_box, covered_box, roots)


@pytest.mark.slow
@in_episode
def test_ten_pairs_of_twins(puzzle_box: PuzzleBox, roots: AssetRoots) -> None:
    problems = {}
    for instance in twin_instances(puzzle_box, roots, pairs=10, seed=500):
        result = run_twins(puzzle_box, instance, roots)
        if not result.ok:
            problems[instance.instance_id, str(instance.level)] = result.problem
    assert problems == {}
