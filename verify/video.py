"""One mp4 decoded from its first to its last frame."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import av
import numpy as np
from av.error import FFmpegError

from verify.reading import FPS
from verify.statistics import image_moments

TIME_TOLERANCE = 1e-4
BLACK_MEAN, BLACK_SPREAD = 6.0, 2.0
"""A frame darker and flatter than this (0 to 255) is black, even in a task that is played in the dark."""


@dataclass
class Film:
    """What decoding showed.

    Attributes:
        problems: sentences.
        moments: frame -> mean and mean square (2, 3), of the frames asked for.
        kept: frame -> uint8 (H, W, 3), of the frames asked for.
    """

    problems: list[str] = field(default_factory=list)
    moments: dict[int, np.ndarray] = field(default_factory=dict)
    kept: dict[int, np.ndarray] = field(default_factory=dict)


def watch(path: Path, feature: dict, length: int, measure: Collection[int], keep: Collection[int]) -> Film:
    """Decodes a video and compares it with its feature in info.json.

    Args:
        feature: its entry in `features`.
        length: number of frames that it must have.
        measure: frames to take the moments of.
        keep: frames to keep whole.
    """
    film = Film()
    measured, kept = set(map(int, measure)), set(map(int, keep))
    try:
        with av.open(str(path)) as container:
            film.problems += _form(container, feature, length)
            if film.problems:
                return film
            stream = container.streams.video[0]
            last, black = None, []
            count = 0
            for frame in container.decode(stream):
                film.problems += _time(frame, count, last)
                last = frame.pts
                luma = frame.to_ndarray(format="gray")
                if luma.mean() < BLACK_MEAN and luma.std() < BLACK_SPREAD:
                    black.append(count)
                if count in measured or count in kept:
                    image = frame.to_ndarray(format="rgb24")
                    if count in measured:
                        film.moments[count] = image_moments(image)
                    if count in kept:
                        film.kept[count] = image
                count += 1
            if count != length:
                film.problems.append(f"{count} frames decode; the episode has {length}")
            if black:
                film.problems.append(f"{len(black)} frames are black, first {black[0]}")
            if not film.problems:
                film.problems += _last(container, stream, last)
    except (FFmpegError, OSError, IndexError) as error:
        film.problems.append(f"it cannot be decoded: {type(error).__name__}")
    film.problems = film.problems[:3]
    return film


def _form(container: av.container.InputContainer, feature: dict, length: int) -> Iterator[str]:
    if len(container.streams) != 1 or len(container.streams.video) != 1:
        yield f"it has {len(container.streams)} streams; it must have one video stream"
        return
    stream, info = container.streams.video[0], feature["info"]
    if [stream.height, stream.width, 3] != feature["shape"]:
        yield f"it is {stream.height}x{stream.width}; info.json says {feature['shape'][0]}x{feature['shape'][1]}"
    said = {"codec": info["video.codec"], "pixel format": info["video.pix_fmt"]}
    for name, value in {"codec": stream.codec.canonical_name, "pixel format": stream.pix_fmt}.items():
        if value != said[name]:
            yield f"its {name} is {value}; info.json says {said[name]}"
    if stream.average_rate != FPS:
        yield f"it runs at {stream.average_rate} frames/s, not {FPS}"
    if stream.frames != length:
        yield f"its header counts {stream.frames} frames; the episode has {length}"


def _time(frame: av.VideoFrame, number: int, last: int | None) -> Iterator[str]:
    if frame.pts is None or (last is not None and frame.pts <= last):
        yield f"the time of frame {number} does not rise"
    elif abs(float(frame.pts * frame.time_base) - number / FPS) > TIME_TOLERANCE:
        yield f"frame {number} is shown at {float(frame.pts * frame.time_base):.4f} s, not {number / FPS:.4f} s"


def _last(container: av.container.InputContainer, stream: av.VideoStream, pts: int | None) -> Iterator[str]:
    """Random access reaches the last frame, as training does it."""
    container.seek(pts, stream=stream)
    found = [frame.pts for frame in container.decode(stream)]
    if not found or found[-1] != pts:
        yield "seeking to the last frame does not find it"
