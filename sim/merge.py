"""Merges bodies that cannot move into the world body.

A kitchen has about 350 bodies, nearly all of them fixed. MuJoCo walks through every one at each physics step, for
kinematics, forces and above all the broad phase of collision, which takes the static world as one tree of geoms:
merging halves the cost of a tick and leaves trajectories bit for bit the same.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import mujoco
import numpy as np

JOINTS = ("joint", "freejoint")
Pose = tuple[np.ndarray, np.ndarray]


def merge_static(world: ET.Element, body: ET.Element) -> None:
    """Moves the geoms of a top-level body without joints to the world body, and removes it.

    Args:
        world: the `worldbody` element, of a model as MuJoCo saves it: orientations are quaternions.
        body: a child of it; left alone if anything in it can move.
    """
    if any(next(body.iter(tag), None) is not None for tag in JOINTS):
        return
    _lift(world, body, (np.zeros(3), np.array([1.0, 0, 0, 0])))
    world.remove(body)


def _lift(world: ET.Element, body: ET.Element, outer: Pose) -> None:
    pose = _compose(outer, _pose(body))
    for geom in body.findall("geom"):
        position, quaternion = _compose(pose, _pose(geom))
        geom.set("pos", _text(position))
        geom.set("quat", _text(quaternion))
        world.append(geom)
    for child in body.findall("body"):
        _lift(world, child, pose)


def _pose(element: ET.Element) -> Pose:
    return _numbers(element.get("pos", "0 0 0")), _numbers(element.get("quat", "1 0 0 0"))


def _compose(outer: Pose, inner: Pose) -> Pose:
    position, quaternion = np.zeros(3), np.zeros(4)
    mujoco.mju_rotVecQuat(position, inner[0], outer[1])
    mujoco.mju_mulQuat(quaternion, outer[1], inner[1])
    return outer[0] + position, quaternion


def _numbers(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.split()])


def _text(values: np.ndarray) -> str:
    return " ".join(repr(float(value)) for value in values)
