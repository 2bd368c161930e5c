"""The LeRobot v2.1 writer: verified, rendered episodes in, one complete dataset out, or none.

lerobot 0.3.3 reads the result at its default tolerance, and so do openpi, GR00T and RoboCasa's tools. The
same episodes give the same bytes: nothing depends on time, host, path or hash seed. There are two passes: the
first checks every episode and numbers the texts, the second writes. Each holds one episode at a time, so
`episodes` may load its items on access.

| file | for |
|---|---|
| meta/info.json episodes.jsonl tasks.jsonl episodes_stats.jsonl, data/, videos/ | LeRobot v2.1 |
| meta/stages.jsonl subtasks.jsonl | texts of the columns stage_index and subtask_index |
| meta/exploration_episodes.jsonl | where each episode came from, and its timeline |
| meta/modality.json stats.json | GR00T |
| meta/constant_dimensions.json | dimensions that never move: leave them out of normalisation |
| extras/<instance_id>/ | the recording |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.lerobot_episode import Episode, EpisodeError, Survey, TimelineRow, survey
from pipeline.lerobot_files import (
    DatasetError,
    DatasetExists,
    JsonLines,
    Staging,
    place,
    place_folder,
    write_json,
    write_text,
)
from pipeline.lerobot_meta import (
    ACTION_LAYOUT,
    CHUNK_SIZE,
    DATA_PATH,
    KEY_NAMES,
    LEROBOT_NAMES,
    OPENPI_NAMES,
    STATE_LAYOUT,
    VIDEO_PATH,
    KeyNames,
    Layout,
    Slice,
    arrow_schema,
    elements,
    features,
    info,
    modality,
)
from pipeline.stats import ColumnStats, Stats, column_stats, constant_dimensions

__all__ = [
    "ACTION_LAYOUT",
    "KEY_NAMES",
    "LEROBOT_NAMES",
    "OPENPI_NAMES",
    "STATE_LAYOUT",
    "DatasetError",
    "DatasetExists",
    "Episode",
    "EpisodeError",
    "KeyNames",
    "Slice",
    "TimelineRow",
    "write_dataset",
]


def write_dataset(
    root: Path,
    episodes: Sequence[Episode],
    *,
    names: KeyNames,
    card: str,
    fps: int = 20,
    robot_type: str = "panda_omron",
    state: Layout = STATE_LAYOUT,
    action: Layout = ACTION_LAYOUT,
    replace: bool = False,
) -> None:
    """Write the dataset at `root`. It appears there whole, by one rename; a killed run leaves no dataset, or
    the old one.

    Args:
        root: folder of the dataset; its parent also holds the staging folder, so it should be on the same
            file system.
        episodes: in dataset order; episode_index is the position.
        names: how the features are called.
        card: text of README.md.
        fps: ticks per second.
        robot_type: as info.json names it.
        state: names of the numbers of the state vector.
        action: names of the numbers of the action vector.
        replace: allow a dataset that is already there to be replaced.

    Raises:
        DatasetExists: there is something at `root` and `replace` is False.
        EpisodeError: an episode does not fit; nothing has been written.
        DatasetError: no episodes, or a root that lerobot could not read.
    """
    staging = Staging(root, replace=replace)
    found = survey(episodes, names, fps=fps, state_size=len(elements(state)), action_size=len(elements(action)))
    tasks = _tasks(found, names)
    described = features(names, state, action, found.videos)
    folder = staging.create()
    (folder / "meta").mkdir()
    totals = _write_episodes(folder, episodes, names, fps, found, tasks, described)
    _write_vocabulary(folder / "meta/tasks.jsonl", "task", tasks)
    _write_vocabulary(folder / "meta/stages.jsonl", "stage", found.stages)
    _write_vocabulary(folder / "meta/subtasks.jsonl", "subtask", found.subtasks)
    write_json(
        folder / "meta/info.json",
        info(
            described,
            robot_type=robot_type,
            fps=fps,
            episodes=len(episodes),
            frames=found.frames,
            tasks=len(tasks),
        ),
    )
    write_json(folder / "meta/modality.json", modality(names, state, action))
    write_json(folder / "meta/stats.json", totals)
    constants = {
        key: [described[key]["names"][i] for i in constant_dimensions(totals[key])]
        for key in (names.state, names.action)
    }
    write_json(folder / "meta/constant_dimensions.json", constants)
    write_text(folder / "README.md", card)
    staging.publish()


def _tasks(found: Survey, names: KeyNames) -> dict[str, int]:
    """Texts of tasks.jsonl: the goals, then (for GR00T) the stages and subtasks, each text once."""
    tasks = dict(found.goals)
    if names.annotations:
        for text in (*found.stages, *found.subtasks):
            tasks.setdefault(text, len(tasks))
    return tasks


def _write_episodes(
    folder: Path,
    episodes: Sequence[Episode],
    names: KeyNames,
    fps: int,
    found: Survey,
    tasks: Mapping[str, int],
    described: Mapping[str, dict],
) -> dict[str, Stats]:
    """Write what belongs to single episodes; returns the statistics of every column over the dataset."""
    schema = arrow_schema(described)
    totals = {key: ColumnStats(found.frames) for key in schema.names}
    first = 0
    with ExitStack() as files:
        lines, stats_lines, extra_lines = (
            files.enter_context(JsonLines(folder / "meta" / name))
            for name in ("episodes.jsonl", "episodes_stats.jsonl", "exploration_episodes.jsonl")
        )
        for index in range(len(episodes)):
            episode = episodes[index]
            length = len(episode.state)
            columns = _columns(episode, index, first, names, fps, found, tasks)
            where = {"episode_chunk": index // CHUNK_SIZE, "episode_index": index}
            _write_table(folder / DATA_PATH.format(**where), columns, schema)
            for camera, key in names.cameras.items():
                place(episode.videos[camera], folder / VIDEO_PATH.format(**where, video_key=key))
            if episode.recording is not None:
                place_folder(episode.recording, folder / "extras" / episode.instance_id)
            stats = {key: dict(episode.image_stats[camera]) for camera, key in names.cameras.items()}
            for key in schema.names:
                stats[key] = column_stats(columns[key])
                totals[key].add(columns[key])
            lines.write({"episode_index": index, "tasks": [episode.goal], "length": length})
            stats_lines.write({"episode_index": index, "stats": stats})
            extra_lines.write(_exploration(episode, index, length, found))
            first += length
    return {key: total.result() for key, total in totals.items()}


def _columns(
    episode: Episode,
    index: int,
    first: int,
    names: KeyNames,
    fps: int,
    found: Survey,
    tasks: Mapping[str, int],
) -> dict[str, np.ndarray]:
    """The columns of one episode, vectors (T, N) and numbers (T,); timestamps still in float64."""
    length = len(episode.state)
    ticks = np.arange(length)
    spans = [row.end - row.start for row in episode.timeline]

    def per_tick(numbers: Mapping[str, int], level: str) -> np.ndarray:
        return np.repeat([numbers[getattr(row, level)] for row in episode.timeline], spans)

    columns = {
        names.state: episode.state,
        names.action: episode.action,
        "subtask_index": per_tick(found.subtasks, "subtask"),
        "stage_index": per_tick(found.stages, "stage"),
        "timestamp": ticks / fps,
        "frame_index": ticks,
        "episode_index": np.full(length, index),
        "index": first + ticks,
        "task_index": np.full(length, tasks[episode.goal]),
    }
    if names.annotations:
        columns["annotation.human.stage"] = per_tick(tasks, "stage")
        columns["annotation.human.subtask"] = per_tick(tasks, "subtask")
    return columns


def _write_table(path: Path, columns: Mapping[str, np.ndarray], schema: pa.Schema) -> None:
    arrays = []
    for field in schema:
        values = np.ascontiguousarray(columns[field.name])
        if pa.types.is_fixed_size_list(field.type):
            arrays.append(pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), type=field.type))
        else:
            arrays.append(pa.array(values.astype(field.type.to_pandas_dtype())))
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(arrays, schema=schema), path, row_group_size=1000, compression="snappy")


def _write_vocabulary(path: Path, name: str, texts: Mapping[str, int]) -> None:
    with JsonLines(path) as lines:
        for text, number in texts.items():
            lines.write({f"{name}_index": number, name: text})


def _exploration(episode: Episode, index: int, length: int, found: Survey) -> dict[str, Any]:
    """The line of meta/exploration_episodes.jsonl."""
    timeline = [
        {
            "start": int(row.start),
            "end": int(row.end),
            "subtask": row.subtask,
            "stage": row.stage,
            "subtask_index": found.subtasks[row.subtask],
            "stage_index": found.stages[row.stage],
        }
        for row in episode.timeline
    ]
    head = {"episode_index": index, "instance_id": episode.instance_id, "goal": episode.goal}
    return head | dict(episode.extra) | {"length": length, "timeline": timeline}
