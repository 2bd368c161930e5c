"""The pictures of the report: key frames of an episode, and one small video with all its cameras side by side.

The video is encoded anew for the page, at lower quality: much smaller than the dataset's own three, and what is in one
picture cannot get out of step.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.error import FFmpegError
from PIL import Image

from pipeline.config import BadInput
from pipeline.report_data import EpisodeView, Segment
from pipeline.video import VideoSpec, encode_episode

KEY_FRAME_S = 5.0
"""A subtask is shown by one key frame for so many seconds, at most `MAX_KEY_FRAMES`."""
MAX_KEY_FRAMES = 3

JPEG_QUALITY = 80
GAP = 4
"""Pixels between the cameras."""

PAGE_VIDEO = VideoSpec(crf=28, gop=60, preset="fast", tune="animation")


@dataclass(frozen=True)
class Pictures:
    """Attributes:
    sheet: tick -> JPEG with the cameras side by side.
    video: mp4 with the cameras side by side, or None.
    """

    sheet: Mapping[int, bytes]
    video: bytes | None


def key_ticks(segment: Segment, fps: int, last: bool) -> list[int]:
    """Ticks that show a subtask: spread evenly over it; for the episode's last one, its last frame too."""
    length = segment.end - segment.start
    count = min(max(1, round(length / fps / KEY_FRAME_S)), MAX_KEY_FRAMES)
    ticks = [segment.start + int((k + 0.5) * length / count) for k in range(count)]
    if last and ticks[-1] != segment.end - 1:
        ticks.append(segment.end - 1)
    return ticks


def draw_pictures(episode: EpisodeView, fps: int, *, thumb: int, side: int, sheet: bool, video: bool) -> Pictures:
    """Decodes an episode once and makes its pictures.

    Args:
        episode: with videos.
        fps: frames per second.
        thumb: side of a camera's picture in the sheet, pixels.
        side: largest side of a camera's picture in the video, pixels.
        sheet, video: what is wanted.

    Raises:
        BadInput: a video cannot be decoded, or has not a frame for every tick.
    """
    wanted: set[int] = set()
    if sheet:
        for segment in episode.segments:
            wanted.update(key_ticks(segment, fps, segment is episode.segments[-1]))
    found: dict[int, bytes] = {}

    def stacked() -> Iterator[dict[str, np.ndarray]]:
        for tick, frames in enumerate(_decode(episode)):
            if tick in wanted:
                found[tick] = _jpeg(_beside(frames, thumb))
            if video:
                yield {"all": _beside(frames, side)}

    if video:
        with tempfile.TemporaryDirectory() as folder:
            encoded = encode_episode(stacked(), Path(folder), fps, PAGE_VIDEO, length=episode.length)
            return Pictures(found, encoded.paths["all"].read_bytes())
    for _ in stacked():
        pass
    return Pictures(found, None)


def _decode(episode: EpisodeView) -> Iterator[list[Any]]:
    """The frames of all cameras, tick by tick."""
    try:
        containers = [av.open(str(path)) for path in episode.videos.values()]
        try:
            streams = [container.decode(video=0) for container in containers]
            ticks = 0
            for frames in zip(*streams, strict=True):
                ticks += 1
                if ticks <= episode.length:
                    yield list(frames)
        finally:
            for container in containers:
                container.close()
    except (FFmpegError, OSError, IndexError, ValueError) as error:
        raise BadInput(f"a video of episode {episode.index} cannot be decoded: {error}") from error
    if ticks != episode.length:
        raise BadInput(f"the videos of episode {episode.index} have {ticks} frames for {episode.length} ticks")


def _beside(frames: list[Any], side: int) -> np.ndarray:
    """The frames side by side, each at most `side` high, as uint8 (height, width, 3); sizes stay even."""
    pictures: list[np.ndarray] = []
    for frame in frames:
        scale = min(1.0, side / frame.height)
        width, height = (max(2, 2 * round(n * scale / 2)) for n in (frame.width, frame.height))
        if pictures:
            pictures.append(np.zeros((height, GAP, 3), np.uint8))
        pictures.append(frame.to_ndarray(format="rgb24", width=width, height=height, interpolation="AREA"))
    return np.concatenate(pictures, axis=1)


def _jpeg(picture: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "JPEG", quality=JPEG_QUALITY, optimize=True)
    return buffer.getvalue()
