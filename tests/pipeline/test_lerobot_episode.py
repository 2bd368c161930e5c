# ruff: noqa: F811  (fixtures are imported by name)
"""What the writer refuses, and that it refuses before it writes."""

import dataclasses
import errno
from pathlib import Path

import numpy as np
import pytest
from lerobot_fixtures import LENGTHS, episodes, lines, load, no_waiting_for_the_disk, roots  # noqa: F401
from lerobot_samples import frames, videos

import pipeline.lerobot as writer
from pipeline.lerobot import (
    LEROBOT_NAMES,
    DatasetError,
    DatasetExists,
    EpisodeError,
    TimelineRow,
    write_dataset,
)
from pipeline.video import encode_episode


def change(episodes, position, **values):
    changed = list(episodes)
    changed[position] = dataclasses.replace(changed[position], **values)
    return changed


def cut(name, rows):
    return lambda e: {name: getattr(e, name)[:rows]}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (lambda e: {"state": e.state.astype(np.float64)}, r"state is float64 .*must be float32 \(T, 16\)"),
        (lambda e: {"state": e.state[:, :15]}, r"\(40, 15\)"),
        (lambda e: {"action": e.action[:, 0]}, r"action is .*must be float32 \(T, 12\)"),
        (cut("action", 39), "40 states and 39 actions"),
        (lambda e: {"state": e.state[:0], "action": e.action[:0]}, "0 states"),
        (lambda e: {"action": np.where(np.arange(40)[:, None] == 5, np.float32(np.nan), e.action)}, "row 5"),
        (lambda e: {"timeline": e.timeline[:-1]}, "timeline ends at 39, the episode at 40"),
        (lambda e: {"timeline": e.timeline[1:]}, r"row 0 covers \[10, 20\); it must start at 0"),
        (lambda e: {"timeline": [e.timeline[0], *e.timeline[2:]]}, "row 1 .*must start at 10"),
        (lambda e: {"timeline": [TimelineRow(0, 0, "a", "b"), *e.timeline]}, "end later"),
        (lambda e: {"timeline": [TimelineRow(0, 40, "a", " ")]}, "row 0 has no subtask text"),
        (lambda e: {"timeline": []}, "ends at 0"),
        (lambda e: {"goal": ""}, "goal text is empty"),
        (lambda e: {"instance_id": "../x"}, "folder name"),
        (lambda e: {"instance_id": "search-0000"}, "same instance_id"),
        (lambda e: {"recording": Path("absent")}, "not a folder"),
        (lambda e: {"extra": {"seed": [1]}}, "'seed' is"),
        (lambda e: {"extra": {"seed": float("inf")}}, "finite"),
        (lambda e: {"extra": {"length": 3}}, "another name"),
        (lambda e: {"videos": {"wrist": e.videos["wrist"]}}, "cameras"),
        (lambda e: {"videos": {**e.videos, "wrist": Path("absent.mp4")}}, "not a readable video"),
        (
            lambda e: {"image_stats": {**e.image_stats, "wrist": {**e.image_stats["wrist"], "min": [0, 0, 0]}}},
            r"min has shape \(3,\)",
        ),
    ],
)
def test_an_episode_that_does_not_fit_is_refused_before_anything_is_written(values, message, episodes, tmp_path):
    wrong = change(episodes, 1, **values(episodes[1]))
    with pytest.raises(EpisodeError, match=message) as error:
        write_dataset(tmp_path / "dataset", wrong, names=LEROBOT_NAMES, card="x")
    assert str(error.value).startswith(f"episode 1 ({wrong[1].instance_id}): ")
    assert "\n" not in str(error.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: videos(folder, 39), "has 39 frames; the episode has 40 ticks"),
        (lambda folder: videos(folder, 40, size=32), "is 32x32 .*first episode's .* 64x64"),
        (lambda folder: encode_episode(frames(40), folder, 10, length=40), "runs at 10 frames/s"),
    ],
)
def test_videos_that_do_not_fit_are_refused(make, message, episodes, tmp_path):
    (tmp_path / "videos").mkdir()
    wrong = change(episodes, 1, videos=make(tmp_path / "videos").paths)
    with pytest.raises(EpisodeError, match=message):
        write_dataset(tmp_path / "dataset", wrong, names=LEROBOT_NAMES, card="x")
    assert [p.name for p in tmp_path.iterdir()] == ["videos"]


def test_roots_that_cannot_work_are_refused(episodes, tmp_path):
    with pytest.raises(DatasetError, match="no episode"):
        write_dataset(tmp_path / "dataset", [], names=LEROBOT_NAMES, card="x")
    with pytest.raises(DatasetError, match="cannot read a path"):
        write_dataset(tmp_path / "run[1]", episodes, names=LEROBOT_NAMES, card="x")
    (tmp_path / "file").write_text("x")
    with pytest.raises(DatasetExists, match="is a file"):
        write_dataset(tmp_path / "file", episodes, names=LEROBOT_NAMES, card="x", replace=True)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_failure_while_writing_publishes_nothing(episodes, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writer.pq, "write_table", full)
    with pytest.raises(OSError, match="No space"):
        write_dataset(tmp_path / "dataset", episodes, names=LEROBOT_NAMES, card="x")
    assert not (tmp_path / "dataset").exists()
