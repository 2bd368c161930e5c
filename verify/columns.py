"""The rows of one episode: indices, time, texts, and what the recording says they must be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sim.recording import Recording
from verify.reading import FPS, Dataset

TIME_TOLERANCE = 1e-4
"""s; lerobot's own."""


def check_index(dataset: Dataset, index: int, columns: Mapping[str, np.ndarray]) -> Iterator[str]:
    """Episode, frame and global indices count on without holes."""
    rows = dataset.episodes
    length = rows[index]["length"]
    first = sum(row["length"] for row in rows[:index])
    expected = {
        "episode_index": np.full(length, index),
        "frame_index": np.arange(length),
        "index": first + np.arange(length),
    }
    for name, values in expected.items():
        if not np.array_equal(columns[name], values):
            yield f"episode {index}: column {name} does not count as it should"


def check_time(index: int, columns: Mapping[str, np.ndarray]) -> Iterator[str]:
    """Frame t is at t / fps."""
    time = columns["timestamp"].astype(np.float64)
    off = np.abs(time - np.arange(len(time)) / FPS)
    late = np.flatnonzero(~(off <= TIME_TOLERANCE))
    if len(late):
        yield f"episode {index}: frame {late[0]} is at {time[late[0]]:.5f} s, not {late[0] / FPS:.5f} s"


def check_texts(dataset: Dataset, index: int, columns: Mapping[str, np.ndarray], recording: Recording) -> Iterator[str]:
    """Goal, stage and subtask of every row are those made anew from the recording's terms."""
    from annotate.timeline import captions

    goal, rows = recording.instance["goal"], captions(recording.instance, recording.timeline)
    length = recording.ticks
    per_tick = {level: [""] * length for level in ("stage", "subtask")}
    for row in rows:
        for level, texts in per_tick.items():
            texts[row.start : row.end] = [getattr(row, level)] * (row.end - row.start)
    tasks = dataset.texts("task")
    wanted = {"task_index": ([goal] * length, tasks)}
    for level, texts in per_tick.items():
        wanted[f"{level}_index"] = (texts, dataset.texts(level))
        if f"annotation.human.{level}" in columns:
            wanted[f"annotation.human.{level}"] = (texts, tasks)
    for name, (texts, vocabulary) in wanted.items():
        yield from _compare_texts(index, name, columns[name], texts, vocabulary)
    if dataset.episodes[index]["tasks"] != [goal]:
        yield f"episode {index}: episodes.jsonl has another goal than the recording"
    yield from check_exploration(dataset, index, recording)


def check_exploration(dataset: Dataset, index: int, recording: Recording) -> Iterator[str]:
    """The episode's line of exploration_episodes.jsonl tells what the recording tells."""
    from annotate.timeline import captions

    line, instance = dataset.exploration[index], recording.instance
    told = {
        "instance_id": instance["instance_id"],
        "goal": instance["goal"],
        "length": recording.ticks,
        "task": instance["task"],
        "seed": instance["seed"],
        "split": instance["split"],
        "layout": instance["kitchen"]["layout"],
        "style": instance["kitchen"]["style"],
        **{f"level_{name}": value for name, value in instance["level"].items()},
    }
    for key, value in told.items():
        if line.get(key) != value:
            yield f"episode {index}: exploration_episodes.jsonl has {key}={line.get(key)!r}, the recording {value!r}"
    rows = [(r.start, r.end, r.stage, r.subtask) for r in captions(instance, recording.timeline)]
    if [(r["start"], r["end"], r["stage"], r["subtask"]) for r in line["timeline"]] != rows:
        yield f"episode {index}: the captions in exploration_episodes.jsonl are not those of the recording"


def check_vectors(
    dataset: Dataset, index: int, columns: Mapping[str, np.ndarray], recording: Recording, robot: np.ndarray
) -> Iterator[str]:
    """State and action columns are the recording's, bit for bit. `robot` is float32 (T, 16), worked out anew."""
    for name, values in ((dataset.action_key, recording.actions), (dataset.state_key, robot)):
        column = columns[name]
        if column.dtype != np.float32 or column.shape != values.shape:
            yield f"episode {index}: {name} is {column.dtype} {column.shape}, the recording's {values.shape}"
        elif column.tobytes() != np.ascontiguousarray(values).tobytes():
            row = int(np.flatnonzero((column != values).any(axis=1) | ~np.isfinite(column).all(axis=1))[:1].sum())
            yield f"episode {index}: {name} is not what the recording gives, first in row {row}"


def _compare_texts(
    index: int, name: str, numbers: np.ndarray, texts: Sequence[str], vocabulary: Sequence[str]
) -> Iterator[str]:
    if len(numbers) != len(texts):
        yield f"episode {index}: {name} has {len(numbers)} rows, the recording {len(texts)} ticks"
        return
    if ((numbers < 0) | (numbers >= len(vocabulary))).any():
        yield f"episode {index}: {name} points outside of its {len(vocabulary)} texts"
        return
    for t, (number, text) in enumerate(zip(numbers, texts, strict=True)):
        if vocabulary[number] != text:
            yield f"episode {index}: {name} says {vocabulary[number]!r} in row {t}; the recording says {text!r}"
            return
