"""One recording to the videos of an episode, in a worker: restore, draw, encode, publish.

Published as one folder: `<camera>.mp4` for every camera, `robot.npy` (the state vectors), `images.json` (statistics).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.lerobot_files import sync_tree, write_json
from pipeline.pool import StopRun
from pipeline.stats import Stats
from pipeline.video import EpisodeVideos, encode_episode
from pipeline.workspace import publish
from sim.gl import GLError, setup_gl

FPS = 20


@dataclass(frozen=True)
class DrawJob:
    """Attributes:
    recording: published recording.
    draft: folder to write under.
    target: folder to publish.
    size, supersample, meshes, gl, assets: see RenderConf and KitchenConf.
    """

    recording: Path
    draft: Path
    target: Path
    size: int
    supersample: int
    meshes: str
    gl: str
    assets: str | None


@dataclass(frozen=True)
class Drawn:
    """A published set of videos, read back."""

    videos: Mapping[str, Path]
    robot: np.ndarray
    images: Mapping[str, Stats]


def draw(job: DrawJob) -> int:
    """Draws and publishes an episode; returns its number of frames.

    Raises:
        StopRun: nothing can be drawn here: no OpenGL, or other assets than the recording's.
    """
    try:
        setup_gl(job.gl)
    except GLError as error:
        raise StopRun(str(error)) from error
    from sim.assets import AssetError, asset_roots
    from sim.recording import read
    from sim.render import frames, robot_states

    recording = read(job.recording)
    shutil.rmtree(job.draft, ignore_errors=True)
    job.draft.mkdir(parents=True)
    try:
        roots = asset_roots(job.assets)
        robot = robot_states(recording, roots)
        pictures = frames(recording, roots, job.size, job.supersample, job.meshes)
        encoded = encode_episode(pictures, job.draft, FPS, length=recording.ticks)
    except AssetError as error:
        raise StopRun(str(error)) from error
    publish_drawn(job.draft, job.target, encoded, robot)
    return recording.ticks


def publish_drawn(draft: Path, target: Path, encoded: EpisodeVideos, robot: np.ndarray) -> None:
    """Adds what belongs to the videos in `draft`, and publishes the folder."""
    np.save(draft / "robot.npy", robot)
    write_json(draft / "images.json", dict(encoded.image_stats))
    sync_tree(draft)
    publish(draft, target)


def read_drawn(folder: Path) -> Drawn:
    """Reads a published folder."""
    images = json.loads((folder / "images.json").read_text())
    videos = {camera: folder / f"{camera}.mp4" for camera in images}
    return Drawn(videos, np.load(folder / "robot.npy"), images)
