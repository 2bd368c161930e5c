"""The searching oracle's choices, which take nothing but what was seen; and what counts as seen."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.eyes import Eyes
from oracles.runner import run_episode
from oracles.search_room import SearchEvidence, SearchRoomOracle, choose
from oracles.search_room.evidence import candidates
from oracles.search_room.oracle import DROPS, LONGEST, PACE, in_legs
from oracles.search_room.scene import Kitchen as Scene
from oracles.skills.arm import base_frame, gripper_frame
from sim.assets import AssetRoots
from sim.kitchen import Kitchen
from sim.world import World
from tasks import load_task
from tasks.base import Instance
from tasks.search_room import SearchRoom
from tasks.search_room.task import furniture, hidden
from tasks.terms import Term
from verify.episode import check_recording
from verify.twins import compare_recordings

pytestmark = pytest.mark.xdist_group("kitchen17")


def spot(noun: str) -> dict[str, object]:
    return {"noun": noun, "at": [1.0, 2.0, 0.5], "where": ""}


def seen(source: str = "") -> dict[str, object]:
    return {"noun": "can", "colour": "red", "at": [0.0, 0.0, 0.9], "source": source}


def evidence(**known: object) -> SearchEvidence:
    spots = {"d1": spot("drawer"), "d2": spot("drawer"), "c1": spot("counter"), "c2": spot("counter")}
    return SearchEvidence(wanted=["can_red", "mug_blue"], spots=spots, **known)


def test_everything_unsearched_may_come_next_but_not_a_counter_that_was_glanced_at() -> None:
    assert candidates(evidence()) == ["search c1", "search c2", "search d1", "search d2"]
    assert candidates(evidence(searched=["d1"], glanced=["c1"])) == ["search c2", "search d2"]


def test_glanced_counters_come_when_nothing_else_is_left() -> None:
    assert candidates(evidence(searched=["d1", "d2"], glanced=["c1", "c2"])) == ["search c1", "search c2"]


def test_what_was_seen_may_be_fetched_and_when_all_is_seen_nothing_is_searched() -> None:
    assert candidates(evidence(things_seen={"can_red": seen()}))[0] == "fetch can_red"
    both = {"can_red": seen(), "mug_blue": seen("d2")}
    assert candidates(evidence(things_seen=both)) == ["fetch can_red", "fetch mug_blue"]
    assert candidates(evidence(things_seen=both, delivered=["can_red"])) == ["fetch mug_blue"]


def test_a_distractor_is_no_reason_to_do_anything() -> None:
    assert candidates(evidence(things_seen={"can_green": seen()})) == candidates(evidence())


def test_the_nearest_is_chosen() -> None:
    assert choose({"search d1": 3.0, "search d2": 1.0, "fetch can_red": 2.0}) == (
        ["search d2", "fetch can_red", "search d1"],
        "search d2",
    )
    assert choose({"search d1": np.inf}) == (["search d1"], None)
    assert choose({}) == ([], None)


def test_evidence_goes_back_to_what_it_was() -> None:
    known = evidence(things_seen={"can_red": seen()})
    record = known.to_json()
    known.searched.append("d1")
    known.things_seen["can_red"]["at"][0] = 9.0
    known.restore(record)
    assert known == evidence(things_seen={"can_red": seen()})


class Hands:
    """A kitchen in which every motion takes no time; what is put down falls so often."""

    def __init__(self, session: Session, falls: int = 0, ajar: bool = False) -> None:
        self.session, self.falls, self.ajar = session, falls, ajar
        self.done: list[str] = []
        self.sight = SimpleNamespace(look=lambda: None)

    def is_at(self, name: str) -> bool:
        return True

    def way(self, name: str) -> float:
        return 0.0

    def lets_in(self, name: str, thing: str) -> bool:
        return not self.ajar

    def tray_stance(self) -> tuple[float, float, float]:
        return (0.0, 0.0, 0.0)

    def open(self, name: str) -> Motion[None]:
        self.done.append(f"open {name}")
        yield from ()

    def take(self, name: str, jitter: float) -> Motion[None]:
        self.done.append(f"take {name}")
        yield from ()

    def put_down(self, name: str, index: int) -> Motion[None]:
        yield from ()
        if self.done.count(f"take {name}") <= self.falls:
            raise SkillFailed(Reason.DROPPED, "it fell")


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> Session:
    """Two things are looked for, one of them has been found; driving takes no time."""
    monkeypatch.setattr("oracles.search_room.oracle.way_to", lambda session, stance: 0.0)
    monkeypatch.setattr("oracles.search_room.oracle.travel", lambda session, stance: (_ for _ in ()))
    known = evidence(things_seen={"can_red": seen()})
    return Session(None, SimpleNamespace(tick_count=0), known, None, None)


def test_a_thing_that_fell_is_fetched_again_and_given_up_after_some_times(idle: Session) -> None:
    kitchen = Hands(idle, falls=DROPS + 1)
    for count in range(1, DROPS + 1):
        list(SearchRoomOracle()._fetch(idle, kitchen, "can_red"))
        assert idle.evidence.dropped == ["can_red"] * count
        assert not idle.evidence.held and candidates(idle.evidence)[0] == "fetch can_red"
    with pytest.raises(SkillFailed, match="it fell"):
        list(SearchRoomOracle()._fetch(idle, kitchen, "can_red"))


def test_what_stands_on_the_tray_is_not_fetched_again(idle: Session) -> None:
    list(SearchRoomOracle()._fetch(idle, Hands(idle), "can_red"))
    assert idle.evidence.delivered == ["can_red"] and not idle.evidence.held
    assert all(option.startswith("search") for option in candidates(idle.evidence))


@pytest.mark.parametrize(("ajar", "done"), [(True, ["open d1", "take can_red"]), (False, ["take can_red"])])
def test_a_front_that_has_begun_to_shut_is_opened_again(idle: Session, ajar: bool, done: list[str]) -> None:
    idle.evidence.things_seen = {"can_red": seen("d1")}
    kitchen = Hands(idle, ajar=ajar)
    list(SearchRoomOracle()._fetch(idle, kitchen, "can_red"))
    assert kitchen.done == done


@pytest.fixture(scope="module")
def task() -> SearchRoom:
    """The task."""
    return load_task("search_room")


@pytest.fixture(scope="module")
def pair(task: SearchRoom, kitchen17: Kitchen) -> tuple[Instance, Instance]:
    """Two instances that look the same."""
    instance = task.sample(0, {"set_size": 2, "compartments": 4}, kitchen17)
    return instance, task.twin(instance)


def session(task: SearchRoom, instance: Instance, kitchen: Kitchen, roots: AssetRoots) -> Session:
    world = task.world(instance, task.model(instance, kitchen, roots), roots)
    world.reset()
    return Session(instance, world, SearchRoomOracle().evidence(), np.random.default_rng(0), Eyes(world))


def test_twins_look_the_same_at_the_start_and_are_treated_the_same(
    task: SearchRoom, pair: tuple[Instance, Instance], kitchen17: Kitchen, roots: AssetRoots
) -> None:
    known, options = [], []
    for instance in pair:
        one = session(task, instance, kitchen17, roots)
        with one.eyes:
            scene = Scene(one)
            one.evidence.restore(scene.sight.known_at_start().to_json())
            scene.sight.look()
            known.append(one.evidence.to_json())
            options.append(choose({o: scene.way(o.split(" ", 1)[1]) for o in candidates(one.evidence)}))
        assert not one.evidence.waiting, "a target is seen before anything is searched"
        assert {"tray", "submit"} <= set(one.evidence.places)
    assert known[0] == known[1]
    assert options[0] == options[1]
    assert options[0][1] is not None


def test_a_thing_in_an_open_drawer_is_seen_there_and_in_a_closed_one_not(
    task: SearchRoom, kitchen17: Kitchen, roots: AssetRoots
) -> None:
    for seed in range(40):
        instance = task.sample(seed, {"set_size": 2, "compartments": 4}, kitchen17)
        found = [(name, place) for name, place in hidden(instance).items() if place.kind == "drawer"]
        if found:
            break
    name, place = found[0]
    one = session(task, instance, kitchen17, roots)
    openable = next(o for o in furniture(instance) if o.fixture == place.fixture)
    with one.eyes:
        scene = Scene(one)
        one.evidence.restore(scene.sight.known_at_start().to_json())
        stand_before(one.world, openable.outward, np.array(place.point))
        scene.sight.look()
        assert name not in one.evidence.things_seen
        one.world.data.joint(openable.fronts[0].joint).qpos[0] = openable.fronts[0].travel
        one.world.data.joint(f"{name}_joint").qpos[:2] += openable.outward * abs(openable.fronts[0].travel)
        refresh(one.world)
        scene.sight.look()
        assert one.evidence.things_seen[name]["source"] == f"{place.fixture} 0"


def test_what_the_hand_holds_is_where_the_hand_is(
    task: SearchRoom, pair: tuple[Instance, Instance], kitchen17: Kitchen, roots: AssetRoots
) -> None:
    one = session(task, pair[0], kitchen17, roots)
    with one.eyes:
        one.evidence.things_seen = {"can_red": seen("d1"), "mug_red": seen()}
        one.evidence.held = "can_red"
        at = {thing.name: thing.position for thing in one.evidence.things(one.world)}
        position, base = base_frame(one.world)
        np.testing.assert_allclose(at["can_red"], base.T @ (gripper_frame(one.world)[0] - position), atol=1e-3)
        np.testing.assert_allclose(at["mug_red"], base.T @ ([0.0, 0.0, 0.9] - position), atol=1e-3)


FIRST, AFTER = Term.of("drive", to="d1"), Term.of("drive_on", to="d1")


def captioned(monkeypatch: pytest.MonkeyPatch, metres: float, ticks: int) -> list[tuple[Term, int]]:
    """The captions and lengths of the parts of a drive over a way that takes so many ticks."""
    world = SimpleNamespace(tick_count=0)
    one = Session(None, world, None, None, None)
    monkeypatch.setattr("oracles.search_room.oracle.way_to", lambda session, stance: metres)

    def drive() -> Iterator[int]:
        for _ in range(ticks):
            yield 0
            world.tick_count += 1

    said = [one.subtask_term for _ in in_legs(one, (0.0, 0.0, 0.0), drive(), FIRST, AFTER)]
    return [(term, len(list(run))) for term, run in itertools.groupby(said)]


@pytest.mark.parametrize(("metres", "parts"), [(1.0, [100]), (4.9, [490]), (7.0, [350, 350]), (11.0, [367, 367, 366])])
def test_a_long_way_is_captioned_in_equal_parts(
    monkeypatch: pytest.MonkeyPatch, metres: float, parts: list[int]
) -> None:
    runs = captioned(monkeypatch, metres, round(metres / PACE))
    assert [length for _, length in runs] == pytest.approx(parts, abs=2)
    assert [term for term, _ in runs] == [FIRST, AFTER, FIRST][: len(parts)]


def test_a_way_that_takes_long_is_captioned_in_parts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert captioned(monkeypatch, 4.0, LONGEST + 200) == [(FIRST, LONGEST + 1), (AFTER, 199)]


def test_where_to_stand_comes_from_what_was_seen(
    task: SearchRoom, pair: tuple[Instance, Instance], kitchen17: Kitchen, roots: AssetRoots
) -> None:
    one = session(task, pair[0], kitchen17, roots)
    with one.eyes:
        scene = Scene(one)
        one.evidence.restore(scene.sight.known_at_start().to_json())
        scene.sight.look()
        name = next(name for name, seen in one.evidence.things_seen.items() if not seen["source"])
        before = scene.stance(name)
        one.world.data.joint(f"{name}_joint").qpos[:2] += 0.5
        refresh(one.world)
        assert scene.stance(name) == before


def test_an_open_front_is_thought_open_until_it_is_seen_shut(
    task: SearchRoom, pair: tuple[Instance, Instance], kitchen17: Kitchen, roots: AssetRoots
) -> None:
    one = session(task, pair[0], kitchen17, roots)
    with one.eyes:
        scene = Scene(one)
        one.evidence.restore(scene.sight.known_at_start().to_json())
        openable = furniture(pair[0])[0]
        name = f"{openable.fixture} 0"
        one.evidence.open_fronts = [name]
        stand_before(one.world, -openable.outward, np.array(openable.box.centre))
        scene.sight.look()
        assert name not in one.evidence.in_view and one.evidence.open_fronts == [name]
        stand_before(one.world, openable.outward, np.array(openable.box.centre))
        scene.sight.look()
        assert name in one.evidence.in_view and one.evidence.open_fronts == []


def stand_before(world: World, outward: np.ndarray, point: np.ndarray) -> None:
    """Puts the robot 1.2 m before a point, facing it; its slides and its hinge move it from where it was spawned."""
    site = world.ids.base_site
    goal = point[:2] + 1.2 * outward
    base = world.model.body("robot0_base")
    spawn = 2 * np.arctan2(base.quat[3], base.quat[0])
    yaw = np.arctan2(-outward[1], -outward[0])
    names = [f"mobilebase0_joint_mobile_{axis}" for axis in ("yaw", "forward", "side")]
    world.data.joint(names[0]).qpos[0] = yaw - spawn
    mujoco.mj_kinematics(world.model, world.data)
    c, s = np.cos(spawn), np.sin(spawn)
    apart = goal - world.data.site_xpos[site][:2]
    world.data.joint(names[1]).qpos[0] += c * apart[0] + s * apart[1]
    world.data.joint(names[2]).qpos[0] += c * apart[1] - s * apart[0]
    mujoco.mj_kinematics(world.model, world.data)
    assert np.linalg.norm(world.data.site_xpos[site][:2] - goal) < 0.05
    refresh(world)


def refresh(world: World) -> None:
    """After a change by hand."""
    mujoco.mj_kinematics(world.model, world.data)
    world._judged_at = -1


@pytest.mark.slow
def test_a_search_from_the_first_look_to_submit(
    task: SearchRoom, pair: tuple[Instance, Instance], kitchen17: Kitchen, roots: AssetRoots
) -> None:
    """A whole episode of each of two twins: both pass every check, and are decided alike until the evidence differs."""
    recordings = [
        run_episode(task, SearchRoomOracle(), instance, task.model(instance, kitchen17, roots), roots)
        for instance in pair
    ]
    for recording in recordings:
        assert recording.outcome["success"], recording.outcome["reason"]
        assert not check_recording(recording, roots).failures
    result = compare_recordings(*recordings)
    assert result.ok, result.problem
    assert result.diverged
