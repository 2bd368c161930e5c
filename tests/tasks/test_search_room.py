"""Search Room: instances, their twins, their models; success and progress by putting things where they belong."""

from __future__ import annotations

from collections import Counter

import mujoco
import numpy as np
import pytest

from sim.assets import AssetRoots
from sim.kitchen import Kitchen
from sim.openable import find_openables
from sim.world import World
from tasks import load_task
from tasks.base import Instance, SamplingError
from tasks.hiding.fronts import CLOSING_TIME, REST, SHUT
from tasks.hiding.memory import SearchMemory
from tasks.hiding.place import COVERED, DOOR, DRAWER, OPEN
from tasks.hiding.views import may_show
from tasks.props.pool import POOL
from tasks.props.tray_mark import SLOTS
from tasks.search_room import SearchRoom
from tasks.search_room.task import TRAY_XY, TWO_DOORS, furniture, hidden, movables, places, thing_named, work_top

pytestmark = pytest.mark.xdist_group("kitchen17")
LEVEL = {"set_size": 2, "compartments": 4}
IDLE = np.zeros(12)
IDLE[[6, 11]] = -1


@pytest.fixture(scope="module")
def task() -> SearchRoom:
    """The task."""
    return load_task("search_room")


@pytest.fixture(scope="module")
def instances(task: SearchRoom, kitchen17: Kitchen) -> list[Instance]:
    """One of every level, and a few more."""
    return [task.sample(seed, level, kitchen17) for seed, level in enumerate([*task.all_levels(), *[LEVEL] * 6])]


@pytest.fixture(scope="module")
def instance(instances: list[Instance]) -> Instance:
    """One with something in furniture."""
    return next(i for i in instances if {p.kind for p in hidden(i).values()} & {DRAWER, DOOR})


@pytest.fixture(scope="module")
def built(task: SearchRoom, instance: Instance, kitchen17: Kitchen, roots: AssetRoots) -> World:
    """Its world, shared: each test begins with a reset."""
    return task.world(instance, task.model(instance, kitchen17, roots), roots)


@pytest.fixture
def world(built: World) -> World:
    built.reset()
    return built


def test_the_same_seed_is_the_same_instance(task: SearchRoom, kitchen17: Kitchen) -> None:
    first, again = (task.sample(3, LEVEL, kitchen17) for _ in range(2))
    assert first == again
    assert Instance.from_json(first.to_json()) == first
    assert task.sample(4, LEVEL, kitchen17).instance_id != first.instance_id


def test_levels_have_what_they_say(instances: list[Instance]) -> None:
    for instance in instances:
        assert len(instance.spec["targets"]) == instance.level["set_size"]
        assert len(furniture(instance)) == instance.level["compartments"]
        fixtures = [openable.fixture for openable in furniture(instance)]
        assert len(set(fixtures)) == len(fixtures)
        for place in places(instance):
            assert place.kind in (OPEN, COVERED) or place.fixture in fixtures


def test_things_are_where_they_fit_and_nowhere_twice(instances: list[Instance]) -> None:
    for instance in instances:
        by_name = {place.name: place for place in places(instance)}
        assert len(by_name) == len(places(instance))
        for name, thing in instance.spec["contents"].items():
            assert by_name[name].takes(thing_named(thing))
        things = [*instance.spec["contents"].values(), *instance.spec["shown"]]
        assert max(Counter(things).values()) == 1
        assert set(things) <= {thing.name for thing in POOL}
        assert set(instance.spec["targets"]) <= set(instance.spec["contents"].values())


def test_distractors_resemble_a_target(instances: list[Instance]) -> None:
    for instance in instances:
        wanted = [thing_named(name) for name in instance.spec["targets"]]
        others = [
            thing_named(name) for name in instance.spec["contents"].values() if name not in instance.spec["targets"]
        ]
        for other in others:
            assert any(other.kind == thing.kind or other.colour == thing.colour for thing in wanted)


def test_what_stands_open_is_out_of_view_and_what_is_shown_is_in_view(instances: list[Instance]) -> None:
    for instance in instances:
        base = work_top(instance).base
        for place in places(instance):
            if place.kind == OPEN:
                assert not may_show(base, np.array(place.point) + [0, 0, 0.06], 0.12)
        for x, y, z, _ in instance.spec["shown"].values():
            assert may_show(base, np.array([x, y, z + 0.06]), 0.12)


def test_the_goal_names_the_targets_and_nothing_of_where_they_are(instances: list[Instance]) -> None:
    for instance in instances:
        for name in instance.spec["targets"]:
            thing = thing_named(name)
            assert f"the {thing.colour} {thing.figures.noun}" in instance.goal
        for place in places(instance):
            assert place.fixture not in instance.goal


def test_every_level_has_kitchens_and_none_serves_both_splits(task: SearchRoom) -> None:
    for level in task.all_levels():
        for split in ("train", "eval"):
            assert task.layouts_for(level, split), (level, split)
    assert not set(task.layouts["train"]) & set(task.layouts["eval"])
    assert set(task.layouts_for({"set_size": 3, "compartments": 4}, "eval")) == TWO_DOORS


def test_held_out_kinds_are_for_evaluation_only(
    task: SearchRoom, instances: list[Instance], kitchen17: Kitchen
) -> None:
    assert not any(task.held_out(instance) for instance in instances)
    for seed in range(3):
        instance = task.sample(seed, LEVEL, kitchen17, "eval")
        assert task.held_out(instance)
        assert sorted(p.kind for p in hidden(instance).values()) == [COVERED, OPEN]


def test_a_kitchen_with_too_little_furniture_is_refused(task: SearchRoom, small_kitchen: Kitchen) -> None:
    with pytest.raises(SamplingError, match=r"has (no free work top|\d+ compartments)"):
        task.sample(0, {"set_size": 2, "compartments": 8}, small_kitchen)


def test_a_twin_looks_the_same_and_hides_the_targets_elsewhere(task: SearchRoom, instances: list[Instance]) -> None:
    for instance in instances:
        twin = task.twin(instance)
        assert twin is not None
        assert twin.goal == instance.goal
        assert {k: v for k, v in twin.spec.items() if k != "contents"} == {
            k: v for k, v in instance.spec.items() if k != "contents"
        }
        assert hidden(twin) != hidden(instance)
        assert sorted(twin.spec["contents"].values()) == sorted(instance.spec["contents"].values())
        by_name = {place.name: place for place in places(twin)}
        for name, thing in twin.spec["contents"].items():
            assert by_name[name].takes(thing_named(thing))


def test_only_what_opens_has_joints_and_handles(world: World, instance: Instance, kitchen17: Kitchen) -> None:
    names = [world.model.geom(g).name for g in range(world.model.ngeom)]
    having = {name.partition("_door_handle")[0] for name in names if "_door_handle" in name}
    having = {name.removesuffix("_left").removesuffix("_right") for name in having}
    cabinets = {openable.fixture for openable in find_openables(kitchen17)}
    assert having & cabinets == {openable.fixture for openable in furniture(instance)}
    joints = {world.model.joint(j).name for j in range(world.model.njnt)}
    assert {joint for openable in furniture(instance) for joint in openable.joints} <= joints


def test_nothing_moves_by_itself(world: World, instance: Instance) -> None:
    before = {name: world.data.body(name).xpos.copy() for name in movables(instance)}
    for _ in range(20):
        world.tick(IDLE)
    for name, at in before.items():
        assert np.linalg.norm(world.data.body(name).xpos - at) < 0.002, name
    assert not world.events


def put(world: World, name: str, point: np.ndarray, lean: float = 0.0) -> None:
    world.data.joint(f"{name}_joint").qpos[:] = [*point, np.cos(lean / 2), np.sin(lean / 2), 0, 0]
    world.data.joint(f"{name}_joint").qvel[:] = 0


def settle(world: World) -> None:
    """Lets the world go on for a second, so that what was put somewhere rests."""
    mujoco.mj_kinematics(world.model, world.data)
    for _ in range(20):
        world.tick(IDLE)


def slots(instance: Instance) -> list[np.ndarray]:
    work = work_top(instance)
    return [np.array(work.to_world((TRAY_XY[0] + x, TRAY_XY[1] + y))) for x, y in SLOTS[len(instance.spec["targets"])]]


def test_success_is_all_targets_upright_on_the_tray(task: SearchRoom, world: World, instance: Instance) -> None:
    assert task.progress(instance, world) == 0.0
    first, second = instance.spec["targets"]
    one, two = slots(instance)
    put(world, first, one)
    settle(world)
    assert not task.success(instance, world)
    assert task.progress(instance, world) == pytest.approx(0.5)
    put(world, second, two)
    settle(world)
    assert task.success(instance, world)
    assert task.progress(instance, world) == 1.0


def test_a_stray_thing_on_the_tray_spoils_it(task: SearchRoom, world: World, instance: Instance) -> None:
    for name, slot in zip(instance.spec["targets"], slots(instance), strict=True):
        put(world, name, slot)
    stray = next(name for name in movables(instance) if name not in instance.spec["targets"] and "cover" not in name)
    far = work_top(instance).to_world((TRAY_XY[0], TRAY_XY[1] + 0.12))
    put(world, stray, np.array(far) + [0, 0, 0.001])
    settle(world)
    assert not task.success(instance, world)
    assert task.progress(instance, world) == pytest.approx(0.9)


def test_a_thing_that_lies_is_not_placed(task: SearchRoom, world: World, instance: Instance) -> None:
    for name, slot in zip(instance.spec["targets"], slots(instance), strict=True):
        put(world, name, slot)
    put(world, instance.spec["targets"][0], slots(instance)[0] + [0, 0, 0.05], lean=np.pi / 2)
    settle(world)
    assert not task.success(instance, world)
    assert task.progress(instance, world) == pytest.approx((2 / 3 + 1) / 2)


def test_progress_remembers_what_was_opened(task: SearchRoom, world: World, instance: Instance) -> None:
    name, place = next((n, p) for n, p in hidden(instance).items() if p.kind in (DRAWER, DOOR))
    openable = next(o for o in furniture(instance) if o.fixture == place.fixture)
    front = openable.fronts[place.front]
    joint = world.data.joint(front.joint)
    joint.qpos[0] = 0.5 * front.travel
    settle(world)
    memory = next(rule for rule in world.rules if isinstance(rule, SearchMemory))
    assert memory.opened == (place.fixture,)
    assert name not in memory.out, "a thing that moves with its drawer is still hidden in it"
    assert task.progress(instance, world) == pytest.approx(1 / 6)
    state = memory.get_state()
    memory.reset(world)
    assert memory.opened == ()
    memory.set_state(state)
    assert memory.opened == (place.fixture,)
    joint.qpos[0] = 0.0
    settle(world)
    assert task.progress(instance, world) == pytest.approx(1 / 6)


def test_closers_shut_evenly_and_the_others_stay(world: World, instance: Instance) -> None:
    closers = instance.spec["closers"]
    assert 1 <= len(closers) <= 2
    fronts = {o.fixture: o.fronts[0] for o in furniture(instance)}
    for front in fronts.values():
        world.data.joint(front.joint).qpos[0] = front.travel
    seconds = 15
    for _ in range(20 * seconds):
        world.tick(IDLE)
    rate = np.log((1 + REST) / (SHUT + REST)) / CLOSING_TIME
    expected = (1 + REST) * np.exp(-rate * seconds) - REST
    for fixture, front in fronts.items():
        share = front.opened(float(world.data.joint(front.joint).qpos[0])) / abs(front.travel)
        assert share == pytest.approx(expected if fixture in closers else 1.0, abs=0.03), fixture
