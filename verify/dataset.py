"""Whether a dataset can be trusted: structure, rows, statistics, videos, texts, and the recordings behind them."""

from __future__ import annotations

import multiprocessing
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sim.gl import limit_threads, setup_gl
from verify import structure
from verify.demonstration import EpisodeReport, Options, examine
from verify.leaks import check_duplicates, check_splits
from verify.reading import Dataset, to_numpy
from verify.statistics import check_numbers, constant_dimensions

CHECKS = (
    "meta",
    "counts",
    "files",
    "schema",
    "index",
    "timestamps",
    "stats",
    "texts",
    "vectors",
    "videos",
    "frames",
    "duplicates",
    "splits",
    "recordings",
)
MOST_SENTENCES = 20
_PATH = re.compile(r"(?<![\w.:])/(?:[^\s/'\"]+/)+")
"""The folders of an absolute path, which say something of this machine and nothing of the dataset."""
SHARES = ("idle_share", "stall_share")

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class DatasetReport:
    """What was found.

    Attributes:
        failures: name of a check -> sentences; the checks that passed are not in it.
        skipped: checks that were not made, because they were not asked for or do not apply.
        figures: over the whole dataset.
        episodes: per episode, its instance, the checks it failed, and the figures of its recording.
    """

    failures: dict[str, list[str]]
    skipped: tuple[str, ...]
    figures: dict[str, Any]
    episodes: tuple[dict[str, Any], ...]

    @property
    def ok(self) -> bool:
        """Whether every check that was made passed."""
        return not self.failures

    def to_json(self) -> dict[str, Any]:
        """Plain data without paths or times: the same dataset gives the same record."""
        result = {name: self.failures.get(name, "skipped" if name in self.skipped else "passed") for name in CHECKS}
        return {"ok": self.ok, "checks": result, "figures": self.figures, "episodes": list(self.episodes)}


def check_dataset(
    root: Path,
    *,
    deep: bool = True,
    render: bool = True,
    workers: int = 1,
    assets: str | None = None,
    progress: Progress | None = None,
) -> DatasetReport:
    """Checks the dataset at `root`.

    Args:
        deep: simulate every recording again and draw sampled frames again. Costs about what simulating did.
        render: compare frames with drawn ones; without OpenGL that fails, so it has to be switched off by hand.
        workers: processes that share the episodes.
        assets: folder of RoboCasa assets, None for the stand-in pack.
        progress: called with (episodes done, episodes).

    Raises:
        DatasetUnreadable: there is no dataset at `root`.
    """
    dataset = Dataset(root)
    options = Options(deep, render, assets)
    whole = EpisodeReport(-1)
    _attempt(whole, "meta", partial(structure.check_meta, dataset))
    _attempt(whole, "counts", partial(structure.check_counts, dataset))
    _attempt(whole, "files", partial(structure.check_files, dataset))
    reports: list[EpisodeReport] = []
    if "meta" not in whole.failures:
        reports = _examine_all(root, len(dataset.exploration), options, workers, progress)
        if not dataset.only_recordings:
            _attempt(whole, "stats", partial(_totals, dataset))
        _attempt(whole, "duplicates", partial(check_duplicates, reports))
        _attempt(whole, "splits", partial(check_splits, reports))
    failures: dict[str, list[str]] = {}
    for name in CHECKS:
        found = whole.failures.get(name, []) + [s for r in reports for s in r.failures.get(name, [])]
        if found:
            failures[name] = [_PATH.sub("", sentence) for sentence in found[:MOST_SENTENCES]]
        if len(found) > MOST_SENTENCES:
            failures[name].append(f"and {len(found) - MOST_SENTENCES} more")
    skipped = CHECKS[3:] if "meta" in failures else _skipped(dataset, options)
    return DatasetReport(failures, skipped, _figures(reports), tuple(map(_row, reports)))


def _attempt(report: EpisodeReport, check: str, problems: Callable[[], Iterable[str]]) -> None:
    try:
        found = list(problems())
    except Exception as error:
        found = [f"the check broke: {type(error).__name__}: {error}"]
    if found:
        report.failures.setdefault(check, []).extend(found)


def _examine_all(
    root: Path, count: int, options: Options, workers: int, progress: Progress | None
) -> list[EpisodeReport]:
    reports: dict[int, EpisodeReport] = {}
    say = progress or (lambda done, total: None)
    if workers <= 1:
        for index in range(count):
            reports[index] = examine(root, index, options)
            say(len(reports), count)
        return list(reports.values())
    limit_threads()  # children take the variables over before they import numpy
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _begin, (options.render,), max_tasks_per_child=8) as pool:
        jobs: dict[Future[EpisodeReport], int] = {pool.submit(examine, root, i, options): i for i in range(count)}
        for job in as_completed(jobs):
            index = jobs[job]
            try:
                reports[index] = job.result()
            except Exception as error:  # the process died
                reports[index] = EpisodeReport(index)
                reports[index].failures["recordings"] = [f"episode {index}: the check broke: {type(error).__name__}"]
            say(len(reports), count)
    return [reports[index] for index in range(count)]


def _begin(render: bool) -> None:
    """At the start of a worker process. A machine without OpenGL fails in the check that needs it."""
    if render:
        try:
            setup_gl()
        except RuntimeError:
            return


def _totals(dataset: Dataset) -> Iterator[str]:
    """stats.json and constant_dimensions.json are those of all rows together."""
    said, constant = dataset.json("meta/stats.json"), dataset.json("meta/constant_dimensions.json")
    names = ("min", "max", "mean", "std", "q01", "q99")
    columns: dict[str, list[np.ndarray]] = {key: [] for key in dataset.columns}
    for index in range(len(dataset.exploration)):
        table = dataset.table(index)
        for key, parts in columns.items():
            parts.append(to_numpy(table.column(key)))
    for key, parts in columns.items():
        values = np.concatenate(parts)
        if key in said:
            yield from check_numbers(f"stats.json, {key}", said[key], values, names)
        elif key in (dataset.state_key, dataset.action_key):
            yield f"stats.json lacks {key}"
        if key in (dataset.state_key, dataset.action_key):
            labels = [dataset.features[key]["names"][i] for i in constant_dimensions(values)]
            if constant.get(key) != labels:
                yield f"constant_dimensions.json has {constant.get(key)} of {key}; the rows give {labels}"


def _skipped(dataset: Dataset, options: Options) -> tuple[str, ...]:
    if dataset.only_recordings:
        return ("schema", "index", "timestamps", "stats", "vectors", "videos", "frames")
    if not options.deep:
        return ("frames", "recordings")
    return () if options.render else ("frames",)


def _row(report: EpisodeReport) -> dict[str, Any]:
    return {
        "episode_index": report.index,
        "instance_id": report.instance.get("instance_id"),
        "failed": sorted(report.failures),
        "figures": report.figures,
    }


def _figures(reports: list[EpisodeReport]) -> dict[str, Any]:
    """Means over the episodes whose recordings were judged."""
    judged = [r.figures for r in reports if r.figures]
    found: dict[str, Any] = {"episodes": len(reports), "failed_episodes": sum(bool(r.failures) for r in reports)}
    if not judged:
        return found
    ticks = [f["ticks"] for f in judged]
    found["mean_minutes"] = round(float(np.mean(ticks)) / 20 / 60, 3)
    for name in SHARES:
        values = [f[name] for f in judged if name in f]
        if values:
            found[f"mean_{name}"], found[f"max_{name}"] = round(float(np.mean(values)), 4), max(values)
    for level in ("stage", "subtask"):
        pairs = [(f[f"{level}s"], f[f"{level}_seconds"]["mean"]) for f in judged if f"{level}s" in f]
        if pairs:
            total = sum(n * mean for n, mean in pairs)
            found[f"mean_{level}_seconds"] = round(total / sum(n for n, _ in pairs), 2)
    return found
