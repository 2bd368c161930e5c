"""One episode of a dataset, from its rows and videos to the recording behind them. The unit of work of a process."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim import recording as recordings
from sim.assets import asset_roots
from sim.recording import Recording
from sim.render import load_model, robot_states
from verify import columns, statistics
from verify.reading import Dataset, to_numpy
from verify.structure import check_schema
from verify.video import watch


@dataclass(frozen=True)
class Options:
    """What to look at.

    Attributes:
        deep: simulate and judge the recordings again, and draw sampled frames again.
        render: draw them; needs OpenGL.
        assets: folder of RoboCasa assets, None for the stand-in pack.
    """

    deep: bool = True
    render: bool = True
    assets: str | None = None


@dataclass
class EpisodeReport:
    """What was found in one episode.

    Attributes:
        index: episode index.
        failures: name of a check -> sentences.
        figures: of the recording (see `Verdict`).
        instance: the instance's record, {} if it cannot be read.
        fingerprint: digest of the actions.
    """

    index: int
    failures: dict[str, list[str]] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    instance: dict[str, Any] = field(default_factory=dict)
    fingerprint: str = ""

    def attempt(self, check: str, problems: Callable[[], Iterable[str]]) -> None:
        """Runs a check; if it breaks, it has failed."""
        try:
            found = list(problems())
        except Exception as error:
            found = [f"episode {self.index}: the check broke: {type(error).__name__}: {error}"]
        if found:
            self.failures.setdefault(check, []).extend(found)


def examine(root: Path, index: int, options: Options) -> EpisodeReport:
    """Every check of one episode. Never raises."""
    report = EpisodeReport(index)
    case = _Case(Dataset(root), index, options, report)
    report.attempt("recordings", case.read_recording)
    if not case.dataset.only_recordings:
        report.attempt("schema", case.schema)
        report.attempt("index", lambda: columns.check_index(case.dataset, index, case.columns))
        report.attempt("timestamps", lambda: columns.check_time(index, case.columns))
        report.attempt("stats", case.stats)
        report.attempt("texts", lambda: columns.check_texts(case.dataset, index, case.columns, case.recording))
        report.attempt("vectors", case.vectors)
        report.attempt("videos", case.videos)
        if options.deep and options.render:
            report.attempt("frames", case.frames)
    else:
        report.attempt("texts", lambda: columns.check_exploration(case.dataset, index, case.recording))
    if options.deep:
        report.attempt("recordings", case.judge)
    return report


class _Case:
    """What the checks of one episode share."""

    def __init__(self, dataset: Dataset, index: int, options: Options, report: EpisodeReport) -> None:
        self.dataset, self.index, self.options, self.report = dataset, index, options, report
        self.films: dict[str, Any] = {}
        self.fastest = 0

    def read_recording(self) -> Iterator[str]:
        self.recording: Recording = recordings.read(self.dataset.recording_path(self.index))
        self.report.instance = self.recording.instance
        self.report.fingerprint = hashlib.sha256(self.recording.actions.tobytes()).hexdigest()
        yield from ()

    def schema(self) -> Iterator[str]:
        table = self.dataset.table(self.index)
        yield from check_schema(self.dataset, self.index, table.schema)
        self.columns = {name: to_numpy(table.column(name)) for name in table.column_names}

    def stats(self) -> Iterator[str]:
        stats = self.dataset.stats[self.index]["stats"]
        if sorted(stats) != sorted(self.dataset.features):
            yield f"episode {self.index}: the statistics are not of exactly the features"
        for name, values in self.columns.items():
            where = f"episode {self.index}, {name}"
            yield from statistics.check_numbers(where, stats[name], values, ("min", "max", "mean", "std"))
            yield from statistics.check_count(where, stats[name], len(values))

    def vectors(self) -> Iterator[str]:
        robot = robot_states(self.recording, self.roots)
        yield from columns.check_vectors(self.dataset, self.index, self.columns, self.recording, robot)

    def videos(self) -> Iterator[str]:
        from verify.rerender import chosen_ticks

        length = self.dataset.episodes[self.index]["length"]
        measured = statistics.sampled_frames(length)
        ticks, self.fastest = chosen_ticks(self.columns[self.dataset.state_key])
        for key, camera in self.dataset.cameras.items():
            path = self.dataset.video_path(self.index, key)
            film = watch(path, self.dataset.features[key], length, measured, ticks)
            yield from (f"episode {self.index}, {key}: {problem}" for problem in film.problems)
            self.films[camera] = film
            if not film.problems:
                stats = self.dataset.stats[self.index]["stats"][key]
                where = f"episode {self.index}, {key}"
                yield from statistics.check_images(where, stats, film.moments)
                yield from statistics.check_count(where, stats, len(measured))

    def frames(self) -> Iterator[str]:
        from verify.rerender import check_frames

        shown = {camera: film.kept for camera, film in self.films.items() if not film.problems}
        if not shown:
            yield f"episode {self.index}: there is no video to compare with"
            return
        model = load_model(self.recording, self.roots)
        yield from check_frames(self.index, model, self.recording, shown, self.fastest)

    def judge(self) -> Iterator[str]:
        from verify.episode import check_recording

        verdict = check_recording(self.recording, self.roots)
        self.report.figures = verdict.figures
        for name, problem in verdict.failures.items():
            yield f"episode {self.index}: {name}: {problem}"

    @property
    def roots(self) -> Any:
        return asset_roots(self.options.assets)
