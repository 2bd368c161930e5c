"""Recorded states to frames, with nothing but the recording and the asset folders: no RoboCasa, no task code.

State t is restored whole (mjSTATE_INTEGRATION) and passed through mj_forward, so frame t shows the world before
action t. Call `sim.gl.setup_gl` before this module is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np

from sim.assets import AssetError, AssetRoots
from sim.camera import CAMERAS, Renderer
from sim.recording import Recording
from sim.robot import RobotIds, robot_state
from sim.world import PAINTED


def load_model(recording: Recording, roots: AssetRoots) -> mujoco.MjModel:
    """The compiled model of a recording.

    Raises:
        AssetError: a file that the model uses is missing here, or is not the one it was recorded with.
    """
    stored = recording.model
    xml = roots.load(stored)
    for name, digest in roots.hashes(stored).items():
        if recording.assets.get(name) != digest:
            raise AssetError(
                f"asset {name} is not the file that recording {recording.instance['instance_id']} was made with; "
                "set kitchen.assets to the folder it was made with"
            )
    return mujoco.MjModel.from_xml_string(xml)


def frames(
    recording: Recording, roots: AssetRoots, size: int = 256, supersample: int = 1, meshes: str = "light"
) -> Iterator[dict[str, np.ndarray]]:
    """Pictures of every tick: camera -> uint8 (size, size, 3), `recording.ticks` times.

    Args:
        size: side in pixels.
        supersample: pictures are drawn this many times larger and averaged over squares.
        meshes: "light" or "full", see `Renderer`.

    Raises:
        AssetError: see `load_model`.
    """
    model = load_model(recording, roots)
    data = mujoco.MjData(model)
    painted: dict[int, list[dict[str, Any]]] = {}
    for event in recording.events:
        if event["kind"] == PAINTED:
            painted.setdefault(event["tick"], []).append(event["data"])
    with Renderer(model, size, supersample=supersample, meshes=meshes) as renderer:
        for tick, state in enumerate(recording.states[: recording.ticks]):
            for coat in painted.get(tick, ()):
                model.geom(coat["geom"]).rgba = coat["rgba"]
            mujoco.mj_setState(model, data, state, recording.spec)
            mujoco.mj_forward(model, data)
            yield {camera: renderer.rgb(data, camera) for camera in CAMERAS}


def robot_states(recording: Recording, roots: AssetRoots) -> np.ndarray:
    """The dataset's state vector before every action, float32 (T, 16)."""
    model = load_model(recording, roots)
    data = mujoco.MjData(model)
    ids = RobotIds.resolve(model)
    rows = np.empty((recording.ticks, 16), np.float32)
    for row, state in zip(rows, recording.states, strict=False):
        mujoco.mj_setState(model, data, state, recording.spec)
        mujoco.mj_kinematics(model, data)
        row[:] = robot_state(ids, data)
    return rows
