"""The floor map: what is in the way."""

from __future__ import annotations

import mujoco
import numpy as np

from sim.floor import BASE_RADIUS, CELL, HAND_RADIUS, FloorMap, floor_map

ROOM = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <geom name="north" type="box" size="3 .1 1" pos="0 3 1"/>
    <geom name="south" type="box" size="3 .1 1" pos="0 -3 1"/>
    <geom name="east" type="box" size=".1 3 1" pos="3 0 1"/>
    <geom name="west" type="box" size=".1 3 1" pos="-3 0 1"/>
    <geom name="island" type="box" size="{half} .4 .45" pos="0 0 .45" euler="0 0 {turn}"/>
    <geom name="lamp" type="box" size=".5 .5 .1" pos="1.8 0 2"/>
    <geom name="rug" type="box" size="1 1 .005" pos="0 -1.5 .005"/>
    <geom name="ghost" type="box" size="1 1 1" pos="0 1.5 1" contype="0" conaffinity="0"/>
    <body name="robot" pos="0 -1.5 .3"><geom name="base" type="box" size=".3 .3 .3"/></body>
  </worldbody>
</mujoco>
"""


def room(half: float = 1.0, turn: float = 0.0) -> FloorMap:
    model = mujoco.MjModel.from_xml_string(ROOM.format(half=half, turn=turn))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return floor_map(model, data, frozenset([model.geom("base").id]))


def test_only_what_can_be_run_into_blocks_the_floor() -> None:
    floor = room()
    assert not floor.can_turn(np.array([0.0, 0.0]))
    assert not floor.can_turn(np.array([0.0, 0.4 + BASE_RADIUS - 2 * CELL]))
    assert floor.can_turn(np.array([0.0, 0.4 + BASE_RADIUS + 2 * CELL]))
    for free in ((1.8, 0.0), (0.0, -1.5), (0.0, 1.5)):
        assert floor.can_turn(np.array(free)), f"lamp, rug, robot and visual geoms are not in the way at {free}"


def test_a_turned_box_blocks_its_own_shape_and_not_its_bounding_box() -> None:
    floor = room(turn=45.0)
    assert floor.clear_of(np.array([-1.0, 1.0]), radius=0.3)
    assert not floor.clear_of(np.array([0.6, 0.6]), radius=0.1)


def test_the_carried_hand_keeps_clear_of_tall_furniture_only() -> None:
    floor = room()
    beside_wall = 3.0 - 0.1 - (BASE_RADIUS + HAND_RADIUS) / 2
    assert floor.clear_of(np.array([2.0, -beside_wall]), BASE_RADIUS - CELL)
    assert not floor.can_turn(np.array([2.0, -beside_wall])), "the hand would sweep the wall"
    beside_island = 0.4 + (BASE_RADIUS + HAND_RADIUS) / 2
    assert floor.can_turn(np.array([0.0, -beside_island])), "the hand passes over the island"
    assert not floor.can_turn(np.array([50.0, 0.0])), "what lies off the map is not free"
