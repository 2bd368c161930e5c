"""From published recordings and videos to the dataset: lazily, one episode in memory at a time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.card import card
from pipeline.draw import FPS, read_drawn
from pipeline.lerobot import KEY_NAMES, Episode, TimelineRow, write_dataset
from pipeline.lerobot_files import JsonLines, Staging, place_folder, write_text

INDEX = "meta/exploration_episodes.jsonl"


@dataclass(frozen=True)
class Source:
    """Where one episode of the dataset comes from."""

    recording: Path
    rendered: Path | None

    def instance(self) -> dict[str, Any]:
        """The instance's record."""
        return json.loads((self.recording / "instance.json").read_text())

    def ticks(self) -> int:
        """Length of the episode."""
        return json.loads((self.recording / "outcome.json").read_text())["ticks"]


class Episodes(Sequence[Episode]):
    """The episodes of a dataset, each read when it is asked for."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources

    def __len__(self) -> int:
        return len(self._sources)

    def __getitem__(self, index: int) -> Episode:  # type: ignore[override]
        from sim.recording import read

        source = self._sources[index]
        recording, drawn = read(source.recording), read_drawn(source.rendered)
        instance = recording.instance
        return Episode(
            instance_id=instance["instance_id"],
            goal=instance["goal"],
            state=drawn.robot,
            action=recording.actions,
            timeline=captions(instance, recording.timeline),
            videos=drawn.videos,
            image_stats=drawn.images,
            recording=source.recording,
            extra=extra(instance),
        )


def captions(instance: dict[str, Any], timeline: list[dict[str, Any]]) -> list[TimelineRow]:
    """The texts of a recorded timeline."""
    from annotate.timeline import captions as put_into_words

    return [TimelineRow(row.start, row.end, row.stage, row.subtask) for row in put_into_words(instance, timeline)]


def extra(instance: dict[str, Any]) -> dict[str, Any]:
    """Where an episode comes from, as plain values."""
    return {
        "task": instance["task"],
        "seed": instance["seed"],
        "split": instance["split"],
        **{f"level_{name}": value for name, value in instance["level"].items()},
        "layout": instance["kitchen"]["layout"],
        "style": instance["kitchen"]["style"],
    }


def write(root: Path, sources: Sequence[Source], keys: str) -> None:
    """Writes the LeRobot dataset at `root`, or nothing."""
    names = KEY_NAMES[keys]
    side = _side(sources[0])
    text = card([(s.instance(), s.ticks()) for s in sources], names, side)
    write_dataset(root, Episodes(sources), names=names, card=text, fps=FPS)


def write_recordings(root: Path, sources: Sequence[Source]) -> None:
    """Writes recordings without frames at `root`: `extras/`, and the index that regenerate reads."""
    from sim.recording import read

    staging = Staging(root, replace=False)
    folder = staging.create()
    (folder / "meta").mkdir()
    with JsonLines(folder / INDEX) as lines:
        for index, source in enumerate(sources):
            recording = read(source.recording)
            instance = recording.instance
            timeline = [row._asdict() for row in captions(instance, recording.timeline)]
            head = {"episode_index": index, "instance_id": instance["instance_id"], "goal": instance["goal"]}
            lines.write(head | extra(instance) | {"length": recording.ticks, "timeline": timeline})
            place_folder(source.recording, folder / "extras" / instance["instance_id"])
    text = card([(s.instance(), s.ticks()) for s in sources], None, None)
    write_text(folder / "README.md", text)
    staging.publish()


def recorded_episodes(dataset: Path) -> list[Path]:
    """The recordings of a dataset, in episode order. Raises OSError or ValueError."""
    rows = [json.loads(line) for line in (dataset / INDEX).read_text().splitlines()]
    return [dataset / "extras" / row["instance_id"] for row in sorted(rows, key=lambda row: row["episode_index"])]


def _side(source: Source) -> int:
    from pipeline.video import read_video_info

    videos = read_drawn(source.rendered).videos
    return read_video_info(next(iter(videos.values()))).height
