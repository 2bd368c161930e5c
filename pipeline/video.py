"""H.264 episode videos: the frames of all cameras go through one encoder each, tick by tick, on one thread.

x264's bytes depend on its thread count, so that is fixed at one; no wall-clock time enters the file. The same
frames give the same bytes for a given PyAV version. `gop` 10 keeps random access cheap (1.5 ms a seek), which
training needs.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.error import FFmpegError

from pipeline.stats import ImageStats, Stats, sample_indices
from sim.disk import sync

ENCODERS = {"h264": "libx264"}


class VideoError(ValueError):
    """A video that cannot be written or read as asked."""


class EncoderMissing(VideoError):
    """The installed PyAV cannot encode with the codec asked for."""


@dataclass(frozen=True)
class VideoSpec:
    """How frames become H.264.

    The defaults give 40 dB and 2.6 kB a frame on 256x256 renders, at about 1000 frames/s a core.

    Attributes:
        codec: name as in info.json; only "h264" (OpenCV wheels, which GR00T and RoboCasa read with, do not
            decode AV1).
        crf: quality, 0 (lossless) to 51.
        gop: frames from one key frame to the next, at most.
        preset: x264's trade of size against time.
        tune: x264 tuning.
        pix_fmt: pixel format of the stream; yuv420p needs even sizes.
    """

    codec: str = "h264"
    crf: int = 18
    gop: int = 10
    preset: str = "veryfast"
    tune: str = "fastdecode"
    pix_fmt: str = "yuv420p"

    def options(self) -> dict[str, str]:
        """Encoder options. Without B-frames decode order is display order; x264's macroblock tree gave other bytes for
        the same frames once in 75 times.
        """
        return {
            "mbtree": "0",
            "crf": str(self.crf),
            "g": str(self.gop),
            "bf": "0",
            "preset": self.preset,
            "tune": self.tune,
            "threads": "1",
        }


@dataclass(frozen=True)
class VideoInfo:
    """What the header of an mp4 says about its one video stream."""

    height: int
    width: int
    fps: int
    codec: str
    pix_fmt: str
    frames: int


@dataclass(frozen=True)
class EpisodeVideos:
    """The videos of one episode.

    Attributes:
        paths: camera -> mp4.
        frames: frames in every one of them.
        sizes: camera -> (height, width) in pixels.
        image_stats: camera -> `min max mean std` [3][1][1] in [0, 1] and `count`, of the source images.
    """

    paths: Mapping[str, Path]
    frames: int
    sizes: Mapping[str, tuple[int, int]]
    image_stats: Mapping[str, Stats]


def check_video(spec: VideoSpec, height: int, width: int) -> None:
    """Encode two frames in memory, so that a run that could never write a video is refused before it starts.

    Raises:
        EncoderMissing: this PyAV has no such encoder.
        VideoError: the size cannot be encoded, or the encoder refuses an option.
    """
    _check_size("the images", height, width)
    image = np.zeros((height, width, 3), dtype=np.uint8)
    encoder = _Encoder(io.BytesIO(), 20, spec, height, width)
    try:
        encoder.add(image)
        encoder.add(image)
    finally:
        encoder.close()


def encode_episode(
    frames: Iterable[Mapping[str, np.ndarray]],
    folder: Path,
    fps: int,
    spec: VideoSpec | None = None,
    *,
    length: int,
) -> EpisodeVideos:
    """Write `<folder>/<camera>.mp4` for each camera, complete and on disk, or none of them.

    Args:
        frames: per tick, camera -> uint8 (H, W, 3) RGB. Read once; only one tick is held.
        folder: existing folder.
        fps: frames per second.
        spec: how to encode; the default `VideoSpec` if None.
        length: number of ticks that `frames` will yield (the image statistics sample by it).

    Raises:
        VideoError: `frames` is not `length` long, or an image or the set of cameras changes on the way.
    """
    sampled = np.zeros(length, dtype=bool)
    sampled[sample_indices(length)] = True
    encoders: dict[str, _Encoder] = {}
    stats: dict[str, ImageStats] = {}
    count = 0
    try:
        for count, tick in enumerate(frames, start=1):
            if count == 1:
                for camera, image in tick.items():
                    _check_image(camera, image)
                    encoders[camera] = _Encoder(_partial(folder, camera), fps, spec or VideoSpec(), *image.shape[:2])
                    stats[camera] = ImageStats()
            if tick.keys() != encoders.keys():
                raise VideoError(f"frame {count - 1} has cameras {sorted(tick)}; frame 0 had {sorted(encoders)}")
            if count > length:
                raise VideoError(f"there are more frames than the {length} announced")
            for camera, image in tick.items():
                encoders[camera].add(image)
                if sampled[count - 1]:
                    stats[camera].add(image)
        if count != length or not encoders:
            raise VideoError(f"{length} frames of at least one camera were announced, but {count} came")
        for camera, encoder in encoders.items():
            encoder.close()
            sync(_partial(folder, camera))
    except BaseException:
        for encoder in encoders.values():
            with contextlib.suppress(FFmpegError, OSError):
                encoder.close()
        for path in folder.glob(_partial(folder, "*").name):
            path.unlink()
        raise
    for camera in encoders:
        _partial(folder, camera).rename(folder / f"{camera}.mp4")
    return EpisodeVideos(
        paths={camera: folder / f"{camera}.mp4" for camera in encoders},
        frames=count,
        sizes={camera: (encoder.height, encoder.width) for camera, encoder in encoders.items()},
        image_stats={camera: stats[camera].result() for camera in encoders},
    )


def read_video_info(path: Path) -> VideoInfo:
    """Read the header of an mp4, without decoding.

    Raises:
        VideoError: no such file, no video in it, or it was cut short.
    """
    try:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            return VideoInfo(
                height=stream.height,
                width=stream.width,
                fps=int(stream.base_rate or 0),
                codec=stream.codec.canonical_name,
                pix_fmt=stream.pix_fmt or "",
                frames=stream.frames,
            )
    except (FFmpegError, OSError, IndexError) as error:
        raise VideoError(f"{path} is not a readable video: {error}") from error


class _Encoder:
    """One mp4 being written."""

    def __init__(self, target: Path | io.BytesIO, fps: int, spec: VideoSpec, height: int, width: int) -> None:
        self.height, self.width = height, width
        self._ticks = 0
        self._time_base = Fraction(1, fps)
        self._container: Any = av.open(str(target) if isinstance(target, Path) else target, "w", format="mp4")
        try:
            stream: Any = self._container.add_stream(ENCODERS[spec.codec], fps, options=spec.options())
        except (KeyError, FFmpegError, ValueError) as error:
            self._container.close()
            raise EncoderMissing(
                f"PyAV {av.__version__} cannot encode codec {spec.codec!r}; choose one of {sorted(ENCODERS)}"
            ) from error
        stream.height, stream.width, stream.pix_fmt = height, width, spec.pix_fmt
        stream.codec_context.thread_count = 1
        self._stream = stream
        try:
            stream.codec_context.open()
        except FFmpegError as error:
            self._container.close()
            raise VideoError(f"the encoder refuses {spec}: {error}") from error

    def add(self, image: np.ndarray) -> None:
        shape = (self.height, self.width, 3)
        if image.dtype != np.uint8 or image.shape != shape:
            raise VideoError(f"an image is {image.dtype} {image.shape}; the first was uint8 {shape}")
        frame = av.VideoFrame.from_ndarray(image, format="rgb24")
        frame.pts, frame.time_base = self._ticks, self._time_base
        self._ticks += 1
        self._container.mux(self._stream.encode(frame))

    def close(self) -> None:
        if self._container is None:
            return
        container, self._container = self._container, None
        try:
            if self._ticks:
                container.mux(self._stream.encode(None))
        finally:
            container.close()


def _check_image(camera: str, image: np.ndarray) -> None:
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
        raise VideoError(f"images of {camera} are {image.dtype} {image.shape}; they must be uint8 (H, W, 3)")
    _check_size(f"images of {camera}", *image.shape[:2])


def _check_size(what: str, height: int, width: int) -> None:
    if height < 16 or width < 16 or height % 2 or width % 2:
        raise VideoError(
            f"{what} are {height}x{width} pixels, but H.264 needs an even height and width of at least 16; "
            f"try {max(16, height + height % 2)}x{max(16, width + width % 2)}"
        )


def _partial(folder: Path, camera: str) -> Path:
    return folder / f".{camera}.mp4.partial"
