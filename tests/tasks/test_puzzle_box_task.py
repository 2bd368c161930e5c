"""The Puzzle Box task: what it samples, what its twin shows, and how it judges."""

from __future__ import annotations

import json
import random
from itertools import pairwise

import mujoco
import numpy as np
import pytest

from sim.assets import AssetRoots
from sim.camera import CAMERAS, Renderer
from sim.contact import subtree, touching
from sim.kitchen import Kitchen
from sim.world import World
from tasks.base import Instance, SamplingError
from tasks.props.submit import KEEP_OUT, SubmitRule
from tasks.props.tray import FLOOR
from tasks.props.tray import HALF as TRAY_HALF
from tasks.puzzle_box.items import ITEMS
from tasks.puzzle_box.parts import POST_RADIUS
from tasks.puzzle_box.structure import CHAINS, HELD_OUT, BoxStructure
from tasks.puzzle_box.task import HANDLE_MARGIN, HANDLE_Y, PATCH, BoxMemory, PuzzleBox, goal
from tasks.puzzle_box.task import ITEMS as ITEM_NAMES

pytestmark = pytest.mark.xdist_group("kitchen17")

SEEDS = range(6)


@pytest.fixture(scope="module")
def sampled(puzzle_box: PuzzleBox, kitchen17: Kitchen) -> dict[str, list[Instance]]:
    """Split -> instances of every level, several seeds each."""
    return {
        split: [
            puzzle_box.sample(seed, level, kitchen17, split)
            for level in puzzle_box.all_levels()
            for seed in (SEEDS if level["cover"] == "none" else SEEDS[:1])
        ]
        for split in ("train", "eval")
    }


def structure_of(instance: Instance) -> BoxStructure:
    return BoxStructure.from_json(instance.spec["structure"])


def turned(yaw: float) -> np.ndarray:
    return np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])


def handle_ways(instance: Instance) -> dict[str, np.ndarray]:
    """Part -> places (n, 2) of its handle in the task frame, over its whole travel."""
    box, structure = instance.spec["box"], structure_of(instance)
    ways = {part.name: (part.handle, part.axis, part.travel) for part in structure.parts}
    ways["lid"] = (structure.lid.handle, structure.lid.axis, (0.0, structure.lid.travel))
    return {
        name: np.array(
            [turned(box["yaw"]) @ (np.array(at) + q * np.array(axis)) + box["xy"] for q in np.linspace(*travel, 21)]
        )
        for name, (at, axis, travel) in ways.items()
    }


def test_sampling_is_deterministic_and_pure(puzzle_box: PuzzleBox, kitchen17: Kitchen) -> None:
    level = {"chain": 5, "cover": "partial"}
    before = random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
    one = puzzle_box.sample(11, level, kitchen17)
    np.random.seed(5)  # noqa: NPY002
    after = np.random.get_state()[1].copy()  # noqa: NPY002
    two = PuzzleBox().sample(11, dict(reversed(level.items())), kitchen17)
    assert one.instance_id == two.instance_id
    assert json.dumps(one.to_json(), sort_keys=True) == json.dumps(two.to_json(), sort_keys=True)
    assert random.getstate() == before[0]
    np.testing.assert_array_equal(np.random.get_state()[1], after)  # noqa: NPY002
    assert level == {"chain": 5, "cover": "partial"}
    assert puzzle_box.sample(12, level, kitchen17).instance_id != one.instance_id


def test_the_level_is_what_was_asked_for(sampled: dict[str, list[Instance]]) -> None:
    for instance in sampled["train"]:
        structure = structure_of(instance)
        covered = sum(e.covered for e in structure.engagements)
        assert structure.chain == instance.level["chain"] == sum(p.kind == "bolt" for p in structure.parts)
        assert covered == {"none": 0, "partial": 3, "full": min(4, structure.chain)}[instance.level["cover"]]
        assert len(structure.release_order) == structure.chain


def test_held_out_structures_are_in_eval_and_nowhere_else(sampled: dict[str, list[Instance]], puzzle_box) -> None:
    keys = {split: {structure_of(i).split_key for i in instances} for split, instances in sampled.items()}
    assert keys["eval"] == HELD_OUT
    assert not keys["train"] & HELD_OUT
    assert {key[-1] for key in keys["train"]} == {str(chain) for chain in CHAINS}
    assert all(puzzle_box.held_out(i) == (split == "eval") for split in sampled for i in sampled[split])


def test_a_kitchen_without_room_is_a_sampling_error(puzzle_box: PuzzleBox, small_kitchen: Kitchen) -> None:
    with pytest.raises(SamplingError, match=r"layout 14 has no free work top of 1\.3 x 0\.66 m"):
        puzzle_box.sample(0, {"chain": 4, "cover": "none"}, small_kitchen)


def test_handles_stay_within_reach_and_clear_of_tray_and_submit(sampled: dict[str, list[Instance]]) -> None:
    for instance in sampled["train"] + sampled["eval"]:
        tray = instance.spec["tray"]
        for name, places in handle_ways(instance).items():
            assert (places[:, 1] >= HANDLE_Y[0] - 1e-9).all(), name
            assert (places[:, 1] <= HANDLE_Y[1] + 1e-9).all(), name
            assert (np.abs(places[:, 0]) <= PATCH[0] / 2 - HANDLE_MARGIN + 1e-9).all(), name
            in_tray = np.abs((places - tray["xy"]) @ turned(tray["yaw"])) - TRAY_HALF
            assert np.linalg.norm(np.maximum(in_tray, 0), axis=1).min() > POST_RADIUS + 0.02, name
            to_button = np.linalg.norm(places - instance.spec["submit"]["xy"], axis=1)
            assert to_button.min() > KEEP_OUT + POST_RADIUS, name


def test_nothing_of_the_box_leaves_the_patch_or_reaches_the_tray(sampled: dict[str, list[Instance]]) -> None:
    for instance in sampled["train"] + sampled["eval"]:
        box, rect = instance.spec["box"], structure_of(instance).footprint
        corners = np.array([(x, y) for x in (rect.x0, rect.x1) for y in (rect.y0, rect.y1)])
        corners = corners @ turned(box["yaw"]).T + box["xy"]
        assert (np.abs(corners) <= np.array(PATCH) / 2 + 1e-9).all()
        tray = instance.spec["tray"]
        rim = np.array([(x, y) for x in (-1, 1) for y in (-1, 1)]) * TRAY_HALF @ turned(tray["yaw"]).T + tray["xy"]
        assert corners[:, 0].max() < rim[:, 0].min()


def test_the_model_is_as_the_spec_says(covered_box: Instance, box_world: World) -> None:
    box_world.reset()
    model, data = box_world.model, box_world.data
    spot = covered_box.spec["spot"]
    for name, places in handle_ways(covered_box).items():
        low = model.joint(f"{name}_joint").range[0]
        rest = places[10] if low < 0 else places[0]
        expected = turned(spot["yaw"]) @ rest + spot["origin"][:2]
        np.testing.assert_allclose(data.site(f"{name}_grasp").xpos[:2], expected, atol=2e-3, err_msg=name)
    for name in ("tray", "submit"):
        expected = turned(spot["yaw"]) @ covered_box.spec[name]["xy"] + spot["origin"][:2]
        np.testing.assert_allclose(data.body(name).xpos, [*expected, spot["origin"][2]], atol=1e-6)
    assert model.opt.timestep == PuzzleBox.timestep


def test_the_goal_tells_what_to_do_and_not_how(sampled: dict[str, list[Instance]]) -> None:
    assert {i.spec["item"] for i in sampled["train"]} == set(ITEM_NAMES) == set(ITEMS)
    for instance in sampled["train"]:
        assert instance.goal == goal(instance.spec["item"])
        assert instance.goal.count(instance.spec["item"]) == 2
        assert "part_" not in instance.goal
    assert goal("egg").startswith("There is an egg inside")


@pytest.fixture(scope="module")
def twin(puzzle_box: PuzzleBox, covered_box: Instance) -> Instance:
    other = puzzle_box.twin(covered_box)
    assert other is not None
    return other


def test_a_twin_has_another_release_order(puzzle_box: PuzzleBox, covered_box: Instance, twin: Instance) -> None:
    one, two = structure_of(covered_box), structure_of(twin)
    assert set(two.release_order) < set(one.release_order)
    assert two.visible_engagements == one.visible_engagements
    assert twin.instance_id != covered_box.instance_id
    assert {k: v for k, v in twin.spec.items() if k != "structure"} == {
        k: v for k, v in covered_box.spec.items() if k != "structure"
    }
    assert puzzle_box.twin(covered_box).instance_id == twin.instance_id


def test_a_box_that_hides_nothing_has_no_twin(puzzle_box: PuzzleBox, sampled: dict[str, list[Instance]]) -> None:
    for instance in sampled["train"]:
        assert (puzzle_box.twin(instance) is None) == (instance.level["cover"] == "none")


def test_a_twin_shows_the_same_pictures(
    puzzle_box: PuzzleBox, twin: Instance, box_world: World, kitchen17: Kitchen, roots: AssetRoots
) -> None:
    other = puzzle_box.world(twin, puzzle_box.model(twin, kitchen17, roots), roots)
    box_world.reset()
    other.reset()
    with Renderer(box_world.model, 384) as renderer:
        ours = [renderer.rgb(box_world.judged(), camera) for camera in CAMERAS]
    with Renderer(other.model, 384) as renderer:
        theirs = [renderer.rgb(other.judged(), camera) for camera in CAMERAS]
    for camera, one, two in zip(CAMERAS, ours, theirs, strict=True):
        assert one.std() > 10, camera
        np.testing.assert_array_equal(one, two, err_msg=camera)


class Judge:
    """Puts the world of the covered box into states that nobody simulated, and asks the task."""

    def __init__(self, task: PuzzleBox, instance: Instance, world: World) -> None:
        self.task, self.instance, self.world = task, instance, world
        world.reset()
        self.state = world.physics_state()

    def at(self, joint: str) -> int:
        return 1 + int(self.world.model.joint(joint).qposadr[0])

    def slide(self, part: str, to: float) -> None:
        self.state[self.at(f"{part}_joint")] = to

    def put_item(self, place: np.ndarray) -> None:
        start = self.at("item_joint")
        self.state[start : start + 3] = place
        self.state[start + 3 : start + 7] = (1, 0, 0, 0)

    def in_tray(self, x: float = 0.0, y: float = 0.0, above: float = -0.0003) -> np.ndarray:
        """The item's centre when its foot stands `above` the tray's floor, at a place in the tray's frame."""
        tray = self.world.data.body("tray")
        half = ITEMS[self.instance.spec["item"]].height / 2
        return tray.xpos + tray.xmat.reshape(3, 3) @ [x, y, 0] + [0, 0, FLOOR + half + above]

    def reach(self, place: np.ndarray) -> None:
        """Brings the grip site to a place: the base steps to the right, the arm by damped least squares."""
        world, ids = self.world, self.world.ids
        scratch = mujoco.MjData(world.model)
        self.state[1 + ids.base_qpos[1]] = -0.45
        jacobian = np.zeros((3, world.model.nv))
        for _ in range(300):
            mujoco.mj_setState(world.model, scratch, self.state, mujoco.mjtState.mjSTATE_INTEGRATION)
            mujoco.mj_kinematics(world.model, scratch)
            mujoco.mj_comPos(world.model, scratch)
            error = place - scratch.site_xpos[ids.eef_site]
            mujoco.mj_jacSite(world.model, scratch, jacobian, None, ids.eef_site)
            arm = jacobian[:, ids.arm_dof]
            self.state[1 + ids.arm_qpos] += arm.T @ np.linalg.solve(arm @ arm.T + 1e-3 * np.eye(3), 0.3 * error)
        assert np.linalg.norm(error) < 5e-3

    def verdict(self) -> tuple[bool, float]:
        self.world.show_state(self.state)
        return self.task.success(self.instance, self.world), self.task.progress(self.instance, self.world)


@pytest.fixture
def judge(puzzle_box: PuzzleBox, covered_box: Instance, box_world: World) -> Judge:
    return Judge(puzzle_box, covered_box, box_world)


def test_nothing_done_is_no_progress(judge: Judge) -> None:
    assert judge.verdict() == (False, 0.0)


def test_every_released_bolt_is_a_share(judge: Judge) -> None:
    structure = structure_of(judge.instance)
    shares = [0.0]
    for name in structure.release_order:
        part = structure.part(name)
        judge.slide(name, part.released_at - 1e-4)
        assert judge.verdict() == (False, pytest.approx(shares[-1]))
        judge.slide(name, part.released_at)
        shares.append(judge.verdict()[1])
    np.testing.assert_allclose(np.diff(shares), 1 / 5)
    judge.slide(structure.release_order[0], 0.0)
    assert judge.verdict() == (False, pytest.approx(3 / 5))


def test_decoys_are_worth_nothing(puzzle_box: PuzzleBox, judge: Judge, twin: Instance) -> None:
    decoys = [p for p in structure_of(twin).parts if p.kind != "bolt"]
    other = Judge(puzzle_box, twin, judge.world)
    for part in decoys:
        other.slide(part.name, 0.05)
    assert other.verdict() == (False, 0.0)


def test_an_opened_lid_counts_even_when_it_is_closed_again(judge: Judge) -> None:
    opened = structure_of(judge.instance).lid.open_at / 2
    judge.slide("lid", opened - 1e-4)
    assert judge.verdict() == (False, 0.0)
    judge.slide("lid", opened)
    assert judge.verdict() == (False, pytest.approx(1 / 15))
    judge.slide("lid", 0.0)
    assert judge.verdict() == (False, pytest.approx(1 / 15))
    assert [(e.kind, e.data["thing"]) for e in judge.world.events] == [("opened", "lid")]


def test_taking_the_item_out_counts_all_bolts(judge: Judge) -> None:
    source = judge.world.data.body("item").xpos.copy()
    judge.put_item(source + [0, 0, 0.299])
    assert judge.verdict() == (False, 0.0)
    judge.put_item(source + [0, 0, 0.301])
    assert judge.verdict() == (False, pytest.approx((4 + 2 / 3) / 5))
    judge.put_item(source)
    assert judge.verdict() == (False, pytest.approx((4 + 2 / 3) / 5))


def test_the_item_in_the_tray_is_a_success(judge: Judge) -> None:
    judge.put_item(judge.in_tray())
    assert judge.verdict() == (True, 1.0)
    judge.put_item(judge.in_tray(x=0.09, y=-0.06))
    assert judge.verdict() == (True, 1.0)


@pytest.mark.parametrize(("x", "y", "above"), [(0.1, 0.0, -0.0003), (0.0, 0.075, -0.0003), (0.0, 0.0, 0.031)])
def test_beside_or_over_the_tray_is_none(judge: Judge, x: float, y: float, above: float) -> None:
    judge.put_item(judge.in_tray(x, y, above))
    success, progress = judge.verdict()
    assert success is False
    assert progress < 1.0


def test_hovering_in_the_tray_is_no_success(judge: Judge) -> None:
    judge.put_item(judge.in_tray(above=0.004))
    assert judge.verdict() == (False, pytest.approx((4 + 3 / 3) / 5))


def test_an_item_that_is_still_held_is_no_success(judge: Judge) -> None:
    place = judge.in_tray()
    judge.put_item(place)
    judge.reach(place)
    judge.state[1 + judge.world.ids.finger_qpos] = (0.012, -0.012)
    success, progress = judge.verdict()
    world = judge.world
    assert touching(world.model, world.judged(), subtree(world.model, world.model.body("item").id), world.robot_geoms)
    assert success is False
    assert progress == pytest.approx(1.0)


def test_touching_the_box_is_no_success(judge: Judge) -> None:
    judge.put_item(judge.in_tray())
    assert judge.verdict()[0] is True
    nearest = min(
        (judge.world.data.site(f"{p.name}_grasp").xpos.copy() for p in structure_of(judge.instance).parts),
        key=lambda at: float(np.linalg.norm(at - judge.in_tray())),
    )
    judge.reach(nearest)
    success, _ = judge.verdict()
    world = judge.world
    box = subtree(world.model, world.model.body("box").id)
    assert touching(world.model, world.judged(), box, world.robot_geoms)
    assert success is False


def test_what_the_task_remembers_is_plain_data(judge: Judge) -> None:
    submit, memory = judge.world.rules
    assert isinstance(submit, SubmitRule)
    assert isinstance(memory, BoxMemory)
    fresh = memory.get_state()
    judge.slide("lid", 0.1)
    judge.verdict()
    opened = memory.get_state()
    assert (fresh, opened) == ((False, False), (True, False))
    memory.set_state(fresh)
    assert not memory.lid_opened
    memory.set_state(opened)
    assert memory.lid_opened


def test_verdicts_can_be_written_down(judge: Judge) -> None:
    judge.put_item(judge.in_tray(x=0.1))
    wrong = judge.verdict()
    judge.put_item(judge.in_tray())
    for success, progress in (wrong, judge.verdict()):
        assert json.loads(json.dumps([success, progress])) == [success, progress]


def test_progress_never_falls_on_the_way_to_success(judge: Judge) -> None:
    structure = structure_of(judge.instance)
    shares = [judge.verdict()[1]]
    for name in structure.release_order:
        judge.slide(name, 0.05)
        shares.append(judge.verdict()[1])
    judge.slide("lid", structure.lid.open_at)
    shares.append(judge.verdict()[1])
    judge.put_item(judge.world.data.body("item").xpos + [0, 0, 0.31])
    shares.append(judge.verdict()[1])
    judge.put_item(judge.in_tray())
    shares.append(judge.verdict()[1])
    assert all(a < b for a, b in pairwise(shares))
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
