"""What the report reads: a dataset of this program, through its files alone, and the log of the run that made it.

Captions come from where a training run gets them, the columns `stage_index` and `subtask_index`; a dataset without
frames (`render=none`) has no columns, so there they come from its index.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.config import BadInput

INDEX = "meta/exploration_episodes.jsonl"
LEVEL = "level_"
RECORDING_FPS = 20


@dataclass(frozen=True)
class Segment:
    """Ticks `start` to `end` (exclusive) under one stage and one subtask."""

    start: int
    end: int
    stage: str
    subtask: str


@dataclass(frozen=True)
class EpisodeView:
    """One episode.

    Attributes:
        index: episode_index.
        length: ticks.
        level: setting -> value.
        origin: seed, layout, style and the like.
        segments: contiguous over [0, length).
        videos: camera -> mp4; empty for a dataset without frames.
    """

    index: int
    instance_id: str
    goal: str
    length: int
    level: Mapping[str, Any]
    origin: Mapping[str, Any]
    segments: Sequence[Segment]
    videos: Mapping[str, Path]


@dataclass(frozen=True)
class DatasetView:
    """A dataset. `attempts` are the rows of `attempts.jsonl` that belong to its task, None if there is no such file."""

    name: str
    task: str
    fps: int
    episodes: Sequence[EpisodeView]
    attempts: Sequence[Mapping[str, Any]] | None


def read_dataset(root: Path) -> DatasetView:
    """Reads everything but the frames. Raises BadInput if `root` is not a dataset of this program."""
    if not root.is_dir():
        raise BadInput(f"dataset={root} does not exist; name the folder that generate.py wrote")
    try:
        rows = sorted(_lines(root / INDEX), key=lambda row: row["episode_index"])
        info = json.loads((root / "meta/info.json").read_text()) if (root / "meta/info.json").is_file() else None
        texts = {level: _vocabulary(root, level) for level in ("stage", "subtask")} if info else {}
        episodes = [_episode(root, row, info, texts) for row in rows]
    except (OSError, ValueError, KeyError, IndexError, TypeError, pa.ArrowException) as error:
        raise BadInput(f"dataset={root} cannot be read as a dataset of this program: {error}") from error
    if not episodes:
        raise BadInput(f"dataset={root} has no episodes")
    task = str(rows[0].get("task", root.name))
    fps = int(info["fps"]) if info else RECORDING_FPS
    return DatasetView(root.name, task, fps, episodes, _attempts(root.parent / "attempts.jsonl", task))


def stages(segments: Iterable[Segment]) -> list[list[Segment]]:
    """The segments, grouped by runs of equal stage."""
    runs: list[list[Segment]] = []
    for segment in segments:
        if runs and runs[-1][0].stage == segment.stage:
            runs[-1].append(segment)
        else:
            runs.append([segment])
    return runs


def _episode(root: Path, row: dict[str, Any], info: dict[str, Any] | None, texts: dict[str, dict]) -> EpisodeView:
    videos: dict[str, Path] = {}
    if info is None:
        segments = [Segment(r["start"], r["end"], r["stage"], r["subtask"]) for r in row["timeline"]]
    else:
        where = {
            "episode_index": row["episode_index"],
            "episode_chunk": row["episode_index"] // info["chunks_size"],
        }
        segments = _segments(root / info["data_path"].format(**where), texts)
        for key, feature in info["features"].items():
            if feature["dtype"] == "video":
                videos[key.rpartition(".")[2]] = root / info["video_path"].format(**where, video_key=key)
    plain = {k: v for k, v in row.items() if k not in ("episode_index", "instance_id", "goal", "length", "timeline")}
    return EpisodeView(
        index=row["episode_index"],
        instance_id=row["instance_id"],
        goal=row["goal"],
        length=segments[-1].end,
        level={k.removeprefix(LEVEL): v for k, v in plain.items() if k.startswith(LEVEL)},
        origin={k: v for k, v in plain.items() if not k.startswith(LEVEL)},
        segments=segments,
        videos=videos,
    )


def _segments(path: Path, texts: dict[str, dict]) -> list[Segment]:
    table = pq.read_table(path, columns=["stage_index", "subtask_index"])
    pairs = list(zip(*(table.column(name).to_pylist() for name in table.column_names), strict=True))
    starts = [t for t in range(len(pairs)) if t == 0 or pairs[t] != pairs[t - 1]]
    return [
        Segment(start, end, texts["stage"][pairs[start][0]], texts["subtask"][pairs[start][1]])
        for start, end in zip(starts, [*starts[1:], len(pairs)], strict=True)
    ]


def _vocabulary(root: Path, name: str) -> dict[int, str]:
    return {row[f"{name}_index"]: row[name] for row in _lines(root / f"meta/{name}s.jsonl")}


def _attempts(path: Path, task: str) -> list[dict[str, Any]] | None:
    """The rows of the log. One that a kill tore in half ends it, as for the run itself."""
    if not path.is_file():
        return None
    rows = []
    for line in path.read_text().splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    return [row for row in rows if row.get("task") == task]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
