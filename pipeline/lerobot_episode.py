"""One episode as the dataset writer takes it, and the checks that come before the first byte is written."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipeline.lerobot_files import DatasetError
from pipeline.lerobot_meta import KeyNames
from pipeline.stats import Stats
from pipeline.video import VideoError, VideoInfo, read_video_info

_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RESERVED = {"episode_index", "instance_id", "goal", "length", "timeline"}


class EpisodeError(DatasetError):
    """An episode that does not fit the dataset."""


class TimelineRow(NamedTuple):
    """The captions of ticks `start` <= t < `end`."""

    start: int
    end: int
    stage: str
    subtask: str


@dataclass(frozen=True)
class Episode:
    """A verified and rendered episode of T ticks.

    Attributes:
        instance_id: unique in the dataset; also the name of its folder under `extras/`.
        goal: the task text.
        state: float32 (T, 16), before the action of the same row.
        action: float32 (T, 12).
        timeline: captions, contiguous over [0, T).
        videos: camera -> mp4 of T frames.
        image_stats: camera -> `min max mean std` [3][1][1] and `count` [k], from `encode_episode`.
        recording: folder that rides along under `extras/<instance_id>/`, or None.
        extra: further plain values (seed, level, layout, style ...) for meta/exploration_episodes.jsonl.
    """

    instance_id: str
    goal: str
    state: np.ndarray
    action: np.ndarray
    timeline: Sequence[TimelineRow]
    videos: Mapping[str, Path]
    image_stats: Mapping[str, Stats]
    recording: Path | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Survey:
    """What one pass over all episodes found. Texts are numbered in the order in which they first appear.

    Attributes:
        frames: frames in the dataset.
        goals, stages, subtasks: text -> index.
        videos: camera -> form of its videos, the same in every episode.
    """

    frames: int
    goals: dict[str, int]
    stages: dict[str, int]
    subtasks: dict[str, int]
    videos: Mapping[str, VideoInfo]


def survey(episodes: Sequence[Episode], names: KeyNames, *, fps: int, state_size: int, action_size: int) -> Survey:
    """Check every episode and number the texts; holds one episode at a time.

    Raises:
        EpisodeError: naming the first episode that does not fit, and what would.
    """
    if not len(episodes):
        raise DatasetError("there is no episode to write")
    goals: dict[str, int] = {}
    stages: dict[str, int] = {}
    subtasks: dict[str, int] = {}
    seen: set[str] = set()
    form: dict[str, VideoInfo] = {}
    frames = 0
    for index in range(len(episodes)):
        episode = episodes[index]
        try:
            if episode.instance_id in seen:
                raise EpisodeError("an earlier episode has the same instance_id")
            length = _check_arrays(episode, state_size, action_size)
            _check_texts(episode)
            _check_timeline(episode.timeline, length)
            _check_videos(episode, names, fps, length, form)
        except EpisodeError as error:
            raise EpisodeError(f"episode {index} ({episode.instance_id}): {error}") from error.__cause__
        seen.add(episode.instance_id)
        frames += length
        goals.setdefault(episode.goal, len(goals))
        for row in episode.timeline:
            stages.setdefault(row.stage, len(stages))
            subtasks.setdefault(row.subtask, len(subtasks))
    return Survey(frames, goals, stages, subtasks, form)


def _check_arrays(episode: Episode, state_size: int, action_size: int) -> int:
    length = len(episode.state)
    for name, values, size in (("state", episode.state, state_size), ("action", episode.action, action_size)):
        array = np.asarray(values)
        if array.dtype != np.float32 or array.ndim != 2 or array.shape[1] != size:
            raise EpisodeError(f"{name} is {array.dtype} {array.shape}; it must be float32 (T, {size})")
        if len(array) != length or not length:
            raise EpisodeError(f"there are {length} states and {len(episode.action)} actions; a tick has one of each")
        if not np.isfinite(array).all():
            raise EpisodeError(f"{name} has a value that is not finite in row {_first_bad_row(array)}")
    return length


def _check_texts(episode: Episode) -> None:
    if not _SAFE_NAME.fullmatch(episode.instance_id):
        raise EpisodeError("the instance_id must be usable as a folder name: letters, digits, '.', '_' and '-'")
    if not isinstance(episode.goal, str) or not episode.goal.strip():
        raise EpisodeError("the goal text is empty")
    if episode.recording is not None and not episode.recording.is_dir():
        raise EpisodeError(f"the recording {episode.recording} is not a folder")
    for name, value in episode.extra.items():
        if name in _RESERVED:
            raise EpisodeError(f"extra field {name!r} is written by the dataset itself; give it another name")
        plain = isinstance(value, str | int | None) or (isinstance(value, float) and math.isfinite(value))
        if not plain:
            raise EpisodeError(f"extra field {name!r} is {value!r}; it must be a text, a finite number, a bool or None")


def _check_timeline(timeline: Sequence[TimelineRow], length: int) -> None:
    expected = 0
    for number, row in enumerate(timeline):
        if row.start != expected or row.end <= row.start:
            raise EpisodeError(
                f"timeline row {number} covers [{row.start}, {row.end}); it must start at {expected} and end later"
            )
        for name, text in (("stage", row.stage), ("subtask", row.subtask)):
            if not isinstance(text, str) or not text.strip():
                raise EpisodeError(f"timeline row {number} has no {name} text")
        expected = row.end
    if expected != length:
        raise EpisodeError(f"the timeline ends at {expected}, the episode at {length}")


def _check_videos(episode: Episode, names: KeyNames, fps: int, length: int, form: dict[str, VideoInfo]) -> None:
    for what, cameras in (("videos", episode.videos), ("image_stats", episode.image_stats)):
        if cameras.keys() != names.cameras.keys():
            raise EpisodeError(f"{what} are of cameras {sorted(cameras)}; they must be of {sorted(names.cameras)}")
    for camera in names.cameras:
        path = episode.videos[camera]
        try:
            video = read_video_info(path)
        except VideoError as error:
            raise EpisodeError(str(error)) from error
        if video.frames != length:
            raise EpisodeError(f"{path} has {video.frames} frames; the episode has {length} ticks")
        if video.fps != fps:
            raise EpisodeError(f"{path} runs at {video.fps} frames/s; the dataset at {fps}")
        known = form.setdefault(camera, video)
        if (video.height, video.width, video.codec, video.pix_fmt) != (
            known.height,
            known.width,
            known.codec,
            known.pix_fmt,
        ):
            raise EpisodeError(f"{path} is {_form(video)}; the first episode's {camera} is {_form(known)}")
        stats = episode.image_stats[camera]
        for name, shape in {
            "min": (3, 1, 1),
            "max": (3, 1, 1),
            "mean": (3, 1, 1),
            "std": (3, 1, 1),
            "count": (1,),
        }.items():
            value = np.asarray(stats.get(name, []), dtype=np.float64)
            if value.shape != shape or not np.isfinite(value).all():
                raise EpisodeError(
                    f"image_stats of {camera}: {name} has shape {value.shape}; it must be finite {shape}"
                )


def _form(video: VideoInfo) -> str:
    return f"{video.height}x{video.width} {video.codec} {video.pix_fmt}"


def _first_bad_row(array: np.ndarray) -> int:
    return int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
