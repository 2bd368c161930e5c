"""A good tiny dataset of the toy, written by the real writer."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from annotate import timeline
from pipeline.lerobot import KEY_NAMES, Episode, TimelineRow, write_dataset
from pipeline.video import encode_episode
from sim import recording as recordings
from sim.assets import AssetRoots
from sim.recording import Recording
from sim.render import frames, robot_states

SIZE = 64


def extra(instance: dict) -> dict:
    kitchen, level = instance["kitchen"], instance["level"]
    return {
        **{key: instance[key] for key in ("task", "seed", "split")},
        **{f"level_{name}": value for name, value in level.items()},
        "layout": kitchen["layout"],
        "style": kitchen["style"],
    }


def draw(recording: Recording, roots: AssetRoots) -> tuple[np.ndarray, list[dict]]:
    return robot_states(recording, roots), list(frames(recording, roots, SIZE))


def write(root: Path, work: Path, drawn: list[tuple[Recording, np.ndarray, list[dict]]], keys: str) -> None:
    """The dataset of recordings with their state vectors and pictures; `work` is for what it is made from."""
    episodes = []
    for number, (recording, robot, pictures) in enumerate(drawn):
        instance = recording.instance
        folder = work / f"{number}"
        folder.mkdir(parents=True)
        recordings.write(recording, folder / instance["instance_id"])
        encoded = encode_episode(iter(pictures), folder, 20, length=recording.ticks)
        words = timeline.captions(instance, recording.timeline)
        rows = [TimelineRow(row.start, row.end, row.stage, row.subtask) for row in words]
        episodes.append(
            Episode(
                instance_id=instance["instance_id"],
                goal=instance["goal"],
                state=robot,
                action=recording.actions,
                timeline=rows,
                videos=encoded.paths,
                image_stats=encoded.image_stats,
                recording=folder / instance["instance_id"],
                extra=extra(instance),
            )
        )
    write_dataset(root, episodes, names=KEY_NAMES[keys], card="toy")
