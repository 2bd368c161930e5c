"""Taking pool objects from above and standing them up elsewhere, on the bench's work top."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.runner import ENVELOPE
from oracles.skills.arm import gripper_frame
from oracles.skills.pick import LIFTED, counter_stance, grip_point, pick
from oracles.skills.stand import stand
from sim.assets import AssetRoots
from sim.contact import at_rest
from sim.kitchen import Kitchen
from sim.model import begin_model, finish_model
from sim.robot import ARM, BASE, BASE_MODE, GRIPPER
from sim.surface import Spot, find_spots
from sim.world import World
from tasks.props.extent import lowest, tilt
from tasks.props.pool import PoolObject, add_pool_object
from tests.bench import Notes, bench_instance
from verify.contacts import PROP_DEPTH, Depths

pytestmark = pytest.mark.xdist_group("kitchen17")

MUG, TIN, BOTTLE = PoolObject("mug", "blue"), PoolObject("tin", "yellow"), PoolObject("bottle", "blue")
HOMES = {MUG: (0.45, 0.2), TIN: (0.25, 0.2), BOTTLE: (-0.45, 0.2)}


class Scene:
    """A world that the tests share, and where its things are put at the start of each."""

    def __init__(self, spot: Spot, world: World) -> None:
        self.spot, self.world = spot, world

    def begin(self, **places: tuple[float, float, float]) -> Session:
        """A session with the named bodies at x, y (m) and yaw (rad) of the work frame."""
        self.world.reset()
        for name, (x, y, yaw) in places.items():
            self.put(name, self.point(x, y), yaw + self.spot.yaw)
        return Session(bench_instance(), self.world, Notes(), np.random.default_rng(0), None)

    def put(self, name: str, point: np.ndarray, yaw: float = 0.0) -> None:
        self.world.data.joint(f"{name}_joint").qpos[:] = [*point, np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]
        self.world.data.joint(f"{name}_joint").qvel[:] = 0
        mujoco.mj_kinematics(self.world.model, self.world.data)

    def point(self, x: float, y: float) -> np.ndarray:
        return np.array(self.spot.to_world((x, y)))

    @property
    def top(self) -> float:
        return self.spot.origin[2]

    def do(self, motion: Motion[Any], before: Callable[[np.ndarray], None] = lambda action: None) -> Depths:
        """Runs a motion within the envelope; `before` sees each action first."""
        depths, ticks = Depths(self.world), 0
        for action in motion:
            assert (np.abs(action) <= ENVELOPE + 1e-6).all()
            assert not (np.any(action[BASE]) and (np.any(action[ARM]) or action[BASE_MODE] <= 0))
            before(action)
            self.world.tick(action)
            ticks += 2
            depths(ticks, self.world)
        return depths


@pytest.fixture(scope="module")
def scene(kitchen17: Kitchen, roots: AssetRoots) -> Scene:
    spot = find_spots(kitchen17, (1.30, 0.66), 0.50)[0]
    spec = begin_model(kitchen17, roots, spot.base)
    for thing, xy in HOMES.items():
        add_pool_object(spec, thing, spot.to_world(xy), spot.yaw)
    return Scene(spot, World(finish_model(spec, roots), roots))


def carry(session: Session, thing: PoolObject, point: np.ndarray) -> Motion[None]:
    yield from pick(session, thing, height=point[2] + 0.27)
    yield from stand(session, thing, point, carry_height=point[2] + 0.30)


@pytest.mark.parametrize(
    ("thing", "start", "goal"),
    [(MUG, (0.08, -0.16, 1.9), (-0.06, -0.19)), (BOTTLE, (0.17, -0.07, 0.6), (-0.05, -0.12))],
    ids=["a mug by its handle", "a bottle that is out of reach"],
)
def test_a_thing_stands_upright_where_it_was_carried(
    scene: Scene, thing: PoolObject, start: tuple[float, float, float], goal: tuple[float, float]
) -> None:
    session = scene.begin(**{thing.name: start})
    point = scene.point(*goal)
    depths = scene.do(carry(session, thing, point))
    world, body = scene.world, scene.world.model.body(thing.name).id
    assert np.linalg.norm(world.data.xpos[body] - point) < 0.012
    assert tilt(world.data, body) < 0.02
    assert at_rest(world.model, world.judged(), body, world.robot_geoms)
    assert depths.props.metres < PROP_DEPTH, depths.props
    assert depths.kitchen.metres == 0.0, depths.kitchen
    for other, xy in HOMES.items():
        if other != thing:
            assert np.linalg.norm(world.data.body(other.name).xpos - scene.point(*xy)) < 0.002


def test_pick_holds_the_thing_over_the_work_top(scene: Scene) -> None:
    session = scene.begin(**{TIN.name: (-0.04, -0.14, 0.3)})
    scene.do(pick(session, TIN, height=scene.top + 0.27))
    world, body = scene.world, scene.world.model.body(TIN.name).id
    assert lowest(world.model, world.data, body) > scene.top + LIFTED
    assert tilt(world.data, body) < 0.05
    assert np.linalg.norm(gripper_frame(world)[0] - grip_point(session, TIN)) < 0.01


def test_a_thing_that_is_no_longer_there_slips(scene: Scene) -> None:
    session = scene.begin(**{TIN.name: (-0.04, -0.14, 0.3)})

    def take_away(action: np.ndarray) -> None:
        if action[GRIPPER] > 0:
            scene.put(TIN.name, scene.point(0.25, 0.2))

    with pytest.raises(SkillFailed) as caught:
        scene.do(pick(session, TIN, height=scene.top + 0.27), take_away)
    assert caught.value.reason is Reason.SLIPPED


def test_a_thing_that_leans_or_stands_elsewhere_is_dropped(scene: Scene) -> None:
    session = scene.begin(**{TIN.name: (-0.04, -0.14, 0.3)})
    scene.do(pick(session, TIN, height=scene.top + 0.27))
    let_go = []

    def knock(action: np.ndarray) -> None:
        if action[GRIPPER] < 0 and not let_go:
            let_go.append(True)
            scene.put(TIN.name, scene.point(0.25, 0.2))

    point = scene.point(0.0, -0.18)
    with pytest.raises(SkillFailed, match="from its spot") as caught:
        scene.do(stand(session, TIN, point, carry_height=scene.top + 0.30), knock)
    assert caught.value.reason is Reason.DROPPED


def test_the_stance_before_a_thing_on_a_counter_faces_it() -> None:
    x, y, yaw = counter_stance(np.array([1.0, 2.0, 0.92]), np.array([0.0, -1.0]))
    assert (x, yaw) == (1.0, pytest.approx(np.pi / 2))
    assert 0.40 < 2.0 - y < 0.50
