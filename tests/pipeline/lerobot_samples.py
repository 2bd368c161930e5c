"""Small made-up episodes for the tests of the dataset writer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pipeline.lerobot import Episode, TimelineRow
from pipeline.video import EpisodeVideos, encode_episode

CAMERAS = ("agentview_left", "agentview_right", "wrist")
FPS = 20


def frames(length: int, size: int = 64, shift: int = 0) -> Iterator[dict[str, np.ndarray]]:
    """`length` ticks of smooth pictures in which every frame and camera is told apart by its brightness."""
    ramp = np.linspace(0, 40, size)
    for t in range(length):
        level = 20 + (7 * t + shift) % 170
        picture = np.stack([level + ramp[None, :] + 0 * ramp[:, None]] * 3, axis=-1)
        yield {camera: (picture + 5 * k).astype(np.uint8) for k, camera in enumerate(CAMERAS)}


def videos(folder: Path, length: int, size: int = 64, shift: int = 0) -> EpisodeVideos:
    folder.mkdir(parents=True, exist_ok=True)
    return encode_episode(frames(length, size, shift), folder, FPS, length=length)


def episode(number: int, encoded: EpisodeVideos, recording: Path | None = None) -> Episode:
    """Episode `number`: random vectors (torso and base height constant), four captions, goals that repeat."""
    length = encoded.frames
    rng = np.random.default_rng(number)
    state = rng.standard_normal((length, 16)).astype(np.float32)
    state[:, 9] = 0.7
    action = rng.uniform(-1, 1, (length, 12)).astype(np.float32)
    action[:, 10] = 0
    cuts = [0, length // 4, length // 2, length - 1, length]
    texts = [
        ("look around", "turn to the counter"),
        ("look around", f"open drawer {number % 3}"),
        ("take the mug", "close the gripper"),
        ("look around", "turn to the counter"),
    ]
    rows = [
        TimelineRow(start, end, stage, subtask)
        for start, end, (stage, subtask) in zip(cuts, cuts[1:], texts, strict=False)
        if end > start
    ]
    return Episode(
        instance_id=f"search-{number:04d}",
        goal=f"find the {('mug', 'plate', 'spoon')[number % 3]}",
        state=state,
        action=action,
        timeline=rows,
        videos=encoded.paths,
        image_stats=encoded.image_stats,
        recording=recording,
        extra={"task": "search_room", "seed": number, "level": "easy", "layout": 11, "style": None},
    )


def recording(folder: Path) -> Path:
    (folder / "deep").mkdir(parents=True)
    (folder / "instance.json").write_text('{"seed": 1}')
    (folder / "deep" / "states.npz").write_bytes(bytes(range(256)))
    return folder


def tree(root: Path) -> dict[str, bytes]:
    """Every file of a folder with its content."""
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}
