"""A LeRobot v2.1 dataset as a sceptical reader sees it: plain JSON, parquet and paths, no cache, no repair.

Written from the format's description and from nothing of the writer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

DATA_PATH = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
VIDEO_PATH = "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4"
CHUNK = 1000
FPS = 20
RECORDING_FILES = ("events.json", "instance.json", "model.xml.gz", "outcome.json", "states.npz", "timeline.json")
META_FILES = (
    "constant_dimensions.json",
    "episodes.jsonl",
    "episodes_stats.jsonl",
    "exploration_episodes.jsonl",
    "info.json",
    "modality.json",
    "stages.jsonl",
    "stats.json",
    "subtasks.jsonl",
    "tasks.jsonl",
)
CAMERAS = {
    "observation.state": {
        "observation.images.agentview_left": "agentview_left",
        "observation.images.agentview_right": "agentview_right",
        "observation.images.wrist": "wrist",
    },
    "state": {"image": "agentview_left", "right_image": "agentview_right", "wrist_image": "wrist"},
}
"""State feature -> video feature -> camera: lerobot's names, and openpi's."""
ACTIONS = {"observation.state": "action", "state": "actions"}


class DatasetUnreadable(ValueError):
    """There is no dataset here, or a file of it is missing or damaged."""


class Dataset:
    """The dataset at `root`. Everything is read when it is asked for; what cannot be read raises DatasetUnreadable."""

    def __init__(self, root: Path) -> None:
        self.root = root
        if not root.is_dir():
            raise DatasetUnreadable(f"there is no folder {root.name}")
        if not (root / "meta").is_dir():
            raise DatasetUnreadable(f"{root.name} is not a dataset: it has no meta/")

    @property
    def only_recordings(self) -> bool:
        """Whether this is the output of render=none: recordings and their index, and no trace of frames."""
        return not any((self.root / part).exists() for part in ("data", "videos", "meta/info.json"))

    @cached_property
    def info(self) -> dict[str, Any]:
        """meta/info.json."""
        return self.json("meta/info.json")

    @cached_property
    def features(self) -> dict[str, dict[str, Any]]:
        """Name -> description, in order."""
        return self.info["features"]

    @cached_property
    def state_key(self) -> str:
        """Name of the state feature, which tells the two key conventions apart."""
        found = [key for key in CAMERAS if key in self.features]
        if len(found) != 1:
            raise DatasetUnreadable(f"info.json has no state feature; it is one of {', '.join(CAMERAS)}")
        return found[0]

    @property
    def action_key(self) -> str:
        """Name of the action feature."""
        return ACTIONS[self.state_key]

    @property
    def cameras(self) -> Mapping[str, str]:
        """Video feature -> camera."""
        return CAMERAS[self.state_key]

    @property
    def columns(self) -> list[str]:
        """Features that are parquet columns, in order."""
        return [key for key, feature in self.features.items() if feature["dtype"] != "video"]

    @cached_property
    def exploration(self) -> list[dict[str, Any]]:
        """meta/exploration_episodes.jsonl."""
        return self.lines("meta/exploration_episodes.jsonl")

    @cached_property
    def episodes(self) -> list[dict[str, Any]]:
        """meta/episodes.jsonl."""
        return self.lines("meta/episodes.jsonl")

    @cached_property
    def stats(self) -> list[dict[str, Any]]:
        """meta/episodes_stats.jsonl."""
        return self.lines("meta/episodes_stats.jsonl")

    def texts(self, kind: str) -> list[str]:
        """The texts of a vocabulary (`task`, `stage` or `subtask`) by index. Raises DatasetUnreadable for holes."""
        rows = self.lines(f"meta/{kind}s.jsonl")
        if [row[f"{kind}_index"] for row in rows] != list(range(len(rows))):
            raise DatasetUnreadable(f"{kind}s.jsonl is not numbered 0 to {len(rows) - 1}")
        return [row[kind] for row in rows]

    def json(self, name: str) -> Any:
        """A JSON file. NaN and infinity are not JSON."""
        try:
            return json.loads((self.root / name).read_text(encoding="utf-8"), parse_constant=_refuse)
        except (OSError, ValueError) as error:
            raise DatasetUnreadable(f"{name} cannot be read: {_reason(error)}") from error

    def lines(self, name: str) -> list[dict[str, Any]]:
        """A JSON Lines file."""
        try:
            text = (self.root / name).read_text(encoding="utf-8")
            return [json.loads(line, parse_constant=_refuse) for line in text.splitlines()]
        except (OSError, ValueError) as error:
            raise DatasetUnreadable(f"{name} cannot be read: {_reason(error)}") from error

    def table_path(self, index: int) -> Path:
        """The parquet file of an episode."""
        return self.root / DATA_PATH.format(episode_chunk=index // CHUNK, episode_index=index)

    def video_path(self, index: int, key: str) -> Path:
        """The mp4 of an episode and video feature."""
        return self.root / VIDEO_PATH.format(episode_chunk=index // CHUNK, episode_index=index, video_key=key)

    def recording_path(self, index: int) -> Path:
        """The recording of an episode."""
        return self.root / "extras" / self.exploration[index]["instance_id"]

    def table(self, index: int) -> pa.Table:
        """The rows of an episode."""
        path = self.table_path(index)
        try:
            return pq.ParquetFile(path).read()
        except (OSError, pa.ArrowException) as error:
            raise DatasetUnreadable(f"{path.name} cannot be read: {_reason(error)}") from error


def to_numpy(column: pa.ChunkedArray) -> np.ndarray:
    """Values (T,) or (T, N) of a column. Raises DatasetUnreadable if there are nulls."""
    array = column.combine_chunks()
    if pa.types.is_fixed_size_list(array.type):
        size = array.type.list_size
        values = array.flatten()
        if array.null_count or values.null_count:
            raise DatasetUnreadable("a column has empty values")
        return values.to_numpy(zero_copy_only=False).reshape(-1, size)
    if array.null_count:
        raise DatasetUnreadable("a column has empty values")
    return array.to_numpy(zero_copy_only=False)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def _reason(error: Exception) -> str:
    """The error without this machine's paths."""
    return (error.strerror or type(error).__name__) if isinstance(error, OSError) else str(error).splitlines()[0]
