"""The numbers of the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from pipeline.report_data import DatasetView, EpisodeView, stages

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Spread:
    """Durations, s."""

    values: Sequence[float]

    @property
    def mean(self) -> float:
        return fmean(self.values)

    @property
    def median(self) -> float:
        return median(self.values)

    def share(self, low: float, high: float) -> float:
        """Share of the values in [low, high]."""
        return sum(low <= v <= high for v in self.values) / len(self.values)


@dataclass(frozen=True)
class Tally:
    """What became of the attempts of one group (a level, a layout).

    Attributes:
        label: values that name the group.
        episodes: episodes in the dataset.
        minutes: their mean length, None if there are none.
        attempts, succeeded: rows of the log.
        first, first_succeeded: those that were the first of their slot.
        rewinds: mean number of rewinds of the successful attempts, None if there are none.
        reasons: reason -> failed attempts.
    """

    label: tuple[Any, ...]
    episodes: int
    minutes: float | None
    attempts: int
    succeeded: int
    first: int
    first_succeeded: int
    rewinds: float | None
    reasons: Counter[str]


@dataclass(frozen=True)
class Figures:
    """Attributes:
    frames: in the dataset.
    hours, mean_minutes: simulated time.
    stage_s, subtask_s: durations.
    stage_texts, subtask_texts: how many different captions there are.
    total: of all attempts.
    settings: names of the level's settings, the head of `levels`.
    levels, layouts: one tally a group, in order.
    examples: reason -> the detail of the first attempt that failed so.
    """

    frames: int
    hours: float
    mean_minutes: float
    stage_s: Spread
    subtask_s: Spread
    stage_texts: int
    subtask_texts: int
    total: Tally
    settings: tuple[str, ...]
    levels: Sequence[Tally]
    layouts: Sequence[Tally]
    examples: Mapping[str, str]


def figures(data: DatasetView) -> Figures:
    """Works them out."""
    episodes, rows = data.episodes, list(data.attempts or [])
    segments = [segment for episode in episodes for segment in episode.segments]
    runs = [run for episode in episodes for run in stages(episode.segments)]
    frames = sum(episode.length for episode in episodes)
    settings = tuple(dict.fromkeys(k for level in [*(e.level for e in episodes), *_levels(rows)] for k in level))
    examples: dict[str, str] = {}
    for row in rows:
        if not row["success"]:
            examples.setdefault(row["reason"], row.get("detail", ""))
    return Figures(
        frames=frames,
        hours=frames / data.fps / 3600,
        mean_minutes=frames / data.fps / 60 / len(episodes),
        stage_s=Spread([(run[-1].end - run[0].start) / data.fps for run in runs]),
        subtask_s=Spread([(segment.end - segment.start) / data.fps for segment in segments]),
        stage_texts=len({segment.stage for segment in segments}),
        subtask_texts=len({segment.subtask for segment in segments}),
        total=_tally((), episodes, rows, data.fps),
        settings=settings,
        levels=_grouped(
            data,
            rows,
            lambda episode: tuple(episode.level.get(name) for name in settings),
            lambda row: tuple((row.get("level") or {}).get(name) for name in settings),
        ),
        layouts=_grouped(data, rows, lambda episode: (episode.origin.get("layout"),), lambda row: (row.get("layout"),)),
        examples=examples,
    )


def _levels(rows: Sequence[Row]) -> list[Row]:
    return [row.get("level") or {} for row in rows]


def _grouped(
    data: DatasetView,
    rows: Sequence[Row],
    of_episode: Callable[[EpisodeView], tuple[Hashable, ...]],
    of_row: Callable[[Row], tuple[Hashable, ...]],
) -> list[Tally]:
    keys = {of_episode(episode) for episode in data.episodes} | {of_row(row) for row in rows}
    return [
        _tally(
            key,
            [episode for episode in data.episodes if of_episode(episode) == key],
            [row for row in rows if of_row(row) == key],
            data.fps,
        )
        for key in sorted(keys, key=_natural)
    ]


def _tally(label: tuple[Any, ...], episodes: Sequence[EpisodeView], rows: Sequence[Row], fps: int) -> Tally:
    good = [row for row in rows if row["success"]]
    first = {row.get("slot"): row for row in rows if row.get("attempt") == 0}  # the last row of each counts
    return Tally(
        label=label,
        episodes=len(episodes),
        minutes=fmean(episode.length for episode in episodes) / fps / 60 if episodes else None,
        attempts=len(rows),
        succeeded=len(good),
        first=len(first),
        first_succeeded=sum(bool(row["success"]) for row in first.values()),
        rewinds=fmean(row.get("rewinds", 0) for row in good) if good else None,
        reasons=Counter(row["reason"] for row in rows if not row["success"]),
    )


def _natural(key: tuple[Any, ...]) -> list[tuple[bool, float, str]]:
    """Sorts numbers as numbers, and before texts."""
    return [
        (False, float(v), "") if isinstance(v, int | float) and not isinstance(v, bool) else (True, 0.0, str(v))
        for v in key
    ]
