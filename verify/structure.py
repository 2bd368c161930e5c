"""The shape of a dataset as a whole: all counts agree, nothing is missing and nothing is left over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from verify.reading import CHUNK, DATA_PATH, FPS, META_FILES, RECORDING_FILES, VIDEO_PATH, Dataset

STATE_SIZE, ACTION_SIZE = 16, 12
INDEX_COLUMNS = {
    "timestamp": "float32",
    "frame_index": "int64",
    "episode_index": "int64",
    "index": "int64",
    "task_index": "int64",
    "stage_index": "int64",
    "subtask_index": "int64",
}
LEFTOVERS = (".tmp", ".partial", ".draft", ".lock", ".old")


def check_meta(dataset: Dataset) -> Iterator[str]:
    """meta/ is complete and every line of it is JSON; the constants of the format are right."""
    needed = ("exploration_episodes.jsonl",) if dataset.only_recordings else META_FILES
    for name in needed:
        if not (dataset.root / "meta" / name).is_file():
            yield f"meta/{name} is missing"
            return
        _ = dataset.lines(f"meta/{name}") if name.endswith("l") else dataset.json(f"meta/{name}")
    if dataset.only_recordings:
        return
    info = dataset.info
    expected = {
        "codebase_version": "v2.1",
        "fps": FPS,
        "chunks_size": CHUNK,
        "data_path": DATA_PATH,
        "video_path": VIDEO_PATH,
    }
    for key, value in expected.items():
        if info.get(key) != value:
            yield f"info.json has {key}={info.get(key)!r}; it must be {value!r}"
    yield from _features(dataset)


def _features(dataset: Dataset) -> Iterator[str]:
    features = dataset.features
    vectors = {dataset.state_key: STATE_SIZE, dataset.action_key: ACTION_SIZE}
    for key, size in vectors.items():
        feature = features.get(key, {})
        if feature.get("dtype") != "float32" or feature.get("shape") != [size] or len(feature["names"]) != size:
            yield f"feature {key} must be float32 [{size}] with as many names"
    for key, dtype in INDEX_COLUMNS.items():
        feature = features.get(key, {})
        if feature.get("dtype") != dtype or feature.get("shape") != [1]:
            yield f"feature {key} must be {dtype} [1]"
    videos = [key for key, feature in features.items() if feature["dtype"] == "video"]
    if sorted(videos) != sorted(dataset.cameras):
        yield f"the video features are {videos}; they must be {sorted(dataset.cameras)}"
    for key in videos:
        height, width, channels = features[key]["shape"]
        details = features[key]["info"]
        said = [details[f"video.{name}"] for name in ("height", "width", "channels", "fps")]
        if said != [height, width, channels, FPS] or channels != 3:
            yield f"feature {key} of shape {features[key]['shape']} says {said} of itself"


def check_counts(dataset: Dataset) -> Iterator[str]:
    """Episodes, frames, tasks, videos and recordings are counted the same everywhere."""
    lines = dataset.exploration
    ids = [row["episode_index"] for row in lines]
    if not lines or ids != list(range(len(lines))):
        yield f"exploration_episodes.jsonl has episodes {_few(ids)}; it must have 0 to {len(lines) - 1} in order"
    recordings = sorted(p.name for p in (dataset.root / "extras").iterdir() if p.is_dir())
    if recordings != sorted(row["instance_id"] for row in lines):
        yield f"extras/ has {len(recordings)} recordings, not exactly those of the {len(lines)} episodes"
    if dataset.only_recordings:
        return
    info = dataset.info
    count = info["total_episodes"]
    for name, rows in (("episodes.jsonl", dataset.episodes), ("episodes_stats.jsonl", dataset.stats)):
        found = [row["episode_index"] for row in rows]
        if found != list(range(count)):
            yield f"{name} has episodes {_few(found)}; info.json counts {count}, which must be 0 to {count - 1}"
    if len(lines) != count:
        yield f"exploration_episodes.jsonl has {len(lines)} episodes; info.json counts {count}"
    lengths = [row["length"] for row in dataset.episodes]
    if lengths != [row["length"] for row in lines]:
        yield "episodes.jsonl and exploration_episodes.jsonl do not agree on the lengths"
    if sum(lengths) != info["total_frames"]:
        yield f"the episodes have {sum(lengths)} frames; info.json counts {info['total_frames']}"
    stored = [pq.read_metadata(p).num_rows for p in sorted(dataset.root.glob("data/*/*.parquet"))]
    if stored != lengths:
        yield f"the parquet files have {sum(stored)} rows in {len(stored)} files, not those of episodes.jsonl"
    videos = len(list(dataset.root.glob("videos/*/*/*.mp4")))
    if not videos == info["total_videos"] == len(dataset.cameras) * count:
        yield f"there are {videos} videos; info.json counts {info['total_videos']}, {count} episodes need 3 each"
    if info["total_tasks"] != len(dataset.texts("task")):
        yield f"tasks.jsonl has {len(dataset.texts('task'))} tasks; info.json counts {info['total_tasks']}"
    if info["total_chunks"] != -(-count // CHUNK):
        yield f"info.json counts {info['total_chunks']} chunks for {count} episodes"
    if info["splits"] != {"train": f"0:{count}"}:
        yield f"info.json has splits {info['splits']}; they must be 'train': '0:{count}'"


def check_files(dataset: Dataset) -> Iterator[str]:
    """data/, videos/ and extras/ hold exactly what they should; there are no leftovers of a killed run."""
    count = len(dataset.exploration)
    expected = {f"extras/{row['instance_id']}/{name}" for row in dataset.exploration for name in RECORDING_FILES}
    if not dataset.only_recordings:
        for index in range(count):
            expected.add(_name(dataset, dataset.table_path(index)))
            expected |= {_name(dataset, dataset.video_path(index, key)) for key in dataset.cameras}
    found = {
        _name(dataset, path)
        for part in ("data", "videos", "extras")
        for path in (dataset.root / part).rglob("*")
        if path.is_file()
    }
    for name in sorted(expected - found):
        yield f"{name} is missing"
    for name in sorted(found - expected):
        yield f"{name} does not belong there"
    for path in sorted(dataset.root.rglob("*")):
        if path.name.startswith(".") or path.suffix in LEFTOVERS:
            yield f"{_name(dataset, path)} is a leftover"


def check_schema(dataset: Dataset, index: int, schema: pa.Schema) -> Iterator[str]:
    """The Arrow schema of an episode is the one that info.json describes, metadata for Hugging Face included."""
    names = dataset.columns
    if schema.names != names:
        yield f"episode {index} has columns {schema.names}; info.json describes {names}"
        return
    expected: dict[str, Any] = {}
    for name in names:
        dtype, (size,) = dataset.features[name]["dtype"], dataset.features[name]["shape"]
        value = {"dtype": dtype, "_type": "Value"}
        scalar = {"float32": pa.float32(), "int64": pa.int64()}[dtype]
        kind = scalar if size == 1 else pa.list_(scalar, size)
        expected[name] = value if size == 1 else {"feature": value, "length": size, "_type": "Sequence"}
        if schema.field(name).type != kind:
            yield f"episode {index}: column {name} is {schema.field(name).type}, not {kind}"
    described = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
    if described.get("info", {}).get("features") != expected:
        yield f"episode {index}: the huggingface metadata does not describe the columns"


def _name(dataset: Dataset, path: Path) -> str:
    return path.relative_to(dataset.root).as_posix()


def _few(values: list[int]) -> str:
    return str(values) if len(values) <= 6 else f"{values[:3]} ... {values[-2:]} ({len(values)})".replace("'", "")
