"""Frames a second into a dataset: our writer against lerobot's `add_frame` and `save_episode`, on the same frames.

The two take turns, an episode each. Wall time, since lerobot's encoder uses several threads.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.bench_table import Finding

WANTED = 5.0
FPS = 20
Frames = Sequence[dict[str, np.ndarray]]


def measure(folder: Path, layout: int, size: int, ticks: int, episodes: int) -> Iterator[Finding]:
    """One finding, or one that says why there is none.

    Args:
        folder: to write under.
        layout: kitchen that the frames show.
        size: side of the frames, pixels.
        ticks: frames of a camera in an episode.
        episodes: how many each writes.
    """
    os.environ.update(HF_HUB_OFFLINE="1", SVT_LOG="1", HF_DATASETS_DISABLE_PROGRESS_BARS="1")
    try:
        from lerobot.datasets.lerobot_dataset import LeRobotDataset
    except ImportError:
        yield Finding("writer", "skipped", "", note="lerobot is not installed: uv sync --group lerobot")
        return
    import av

    frames = drawn(layout, size, ticks)
    rng = np.random.default_rng(0)
    state = rng.standard_normal((ticks, 16)).astype(np.float32)
    action = rng.uniform(-1, 1, (ticks, 12)).astype(np.float32)
    theirs = LeRobotDataset.create(
        repo_id="local/bench", fps=FPS, root=folder / "theirs", features=_features(size), use_videos=True
    )
    mine, yours = [], []
    for number in range(episodes):
        start = time.perf_counter()
        _write_ours(folder / f"ours{number}", frames, state, action)
        mine.append(time.perf_counter() - start)
        start = time.perf_counter()
        _write_theirs(theirs, frames, state, action)
        yours.append(time.perf_counter() - start)
        av.logging.set_libav_level(av.logging.ERROR)  # lerobot leaves FFmpeg talkative
    count = ticks * len(frames[0])
    yield Finding(
        part="writer",
        what=f"{len(frames[0])} cameras at {size} pixels",
        ours=f"{count / np.median(mine):.0f} frames/s",
        other=f"{count / np.median(yours):.0f} frames/s lerobot",
        ratio=float(np.median(yours) / np.median(mine)),
        wanted=WANTED,
        note=f"{episodes} episodes of {ticks} ticks each; ours encodes H.264 and writes a whole dataset each time, "
        "lerobot its default AV1",
    )


def drawn(layout: int, size: int, ticks: int) -> Frames:
    """Frames of a moving robot in a kitchen."""
    from pipeline.bench_simulation import motion
    from sim.assets import asset_roots
    from sim.camera import CAMERAS, Renderer
    from sim.kitchen import KitchenId, compose
    from sim.model import begin_model, finish_model
    from sim.surface import find_spots
    from sim.world import World

    roots = asset_roots(None)
    kitchen = compose(KitchenId(layout, 1, 0), roots)
    base = find_spots(kitchen, (0.5, 0.4), 0.3)[0].base
    world = World(finish_model(begin_model(kitchen, roots, base), roots), roots)
    world.reset()
    frames = []
    with Renderer(world.model, size) as renderer:
        for action in motion(ticks):
            frames.append({camera: renderer.rgb(world.data, camera) for camera in CAMERAS})
            world.tick(action)
    return frames


def _write_ours(folder: Path, frames: Frames, state: np.ndarray, action: np.ndarray) -> None:
    from pipeline.lerobot import LEROBOT_NAMES, Episode, TimelineRow, write_dataset
    from pipeline.video import encode_episode

    (folder / "videos").mkdir(parents=True)
    encoded = encode_episode(frames, folder / "videos", FPS, length=len(frames))
    episode = Episode(
        instance_id="bench",
        goal="move",
        state=state,
        action=action,
        timeline=[TimelineRow(0, len(frames), "move", "move")],
        videos=encoded.paths,
        image_stats=encoded.image_stats,
    )
    write_dataset(folder / "dataset", [episode], names=LEROBOT_NAMES, card="bench", fps=FPS)


def _write_theirs(dataset: Any, frames: Frames, state: np.ndarray, action: np.ndarray) -> None:
    for tick, pictures in enumerate(frames):
        frame = {f"observation.images.{camera}": picture for camera, picture in pictures.items()}
        dataset.add_frame({**frame, "observation.state": state[tick], "action": action[tick]}, task="move")
    dataset.save_episode()


def _features(size: int) -> dict[str, Any]:
    from sim.camera import CAMERAS

    names = ["height", "width", "channels"]
    video = {"dtype": "video", "shape": (size, size, 3), "names": names}
    vectors = {"observation.state": 16, "action": 12}
    return {f"observation.images.{camera}": video for camera in CAMERAS} | {
        key: {"dtype": "float32", "shape": (n,), "names": [f"{k}" for k in range(n)]} for key, n in vectors.items()
    }
