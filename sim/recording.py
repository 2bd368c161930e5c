"""What one simulated episode leaves on disk: the folder of DESIGN.md, published by one rename.

instance.json  states.npz  timeline.json  events.json  outcome.json  model.xml.gz
"""

from __future__ import annotations

import errno
import gzip
import json
import shutil
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim.disk import sync

FILES = ("instance.json", "states.npz", "timeline.json", "events.json", "outcome.json", "model.xml.gz")


class RecordingError(ValueError):
    """A recording that is incomplete or does not fit together."""


@dataclass(frozen=True)
class Recording:
    """One episode.

    Attributes:
        instance: the instance's record.
        states: float64 (T+1, n), mjSTATE_INTEGRATION; state t is the one before action t.
        actions: float32 (T, 12).
        spec: the bits of the state vector, mjtState.
        controller: float64 (k,), the robot controller's state at the first state.
        timeline: contiguous rows {start, end, stage, subtask, known}: terms, and what was known when the row began.
        events: rows {tick, kind, data}.
        outcome: success, progress, ticks, reason, rewinds, decisions, versions.
        model: the stored model (see sim.assets).
        assets: sha256 (16 hex digits) of each file the model names.
    """

    instance: dict[str, Any]
    states: np.ndarray
    actions: np.ndarray
    spec: int
    controller: np.ndarray
    timeline: list[dict[str, Any]]
    events: list[dict[str, Any]]
    outcome: dict[str, Any]
    model: str
    assets: dict[str, str]

    @property
    def ticks(self) -> int:
        """Number of actions, and of dataset frames."""
        return len(self.actions)


def write(recording: Recording, folder: Path) -> None:
    """Writes a recording under a temporary name, syncs it, and renames it to `folder`.

    Raises FileExistsError if there is such a folder: taking its place could not be done in one step.
    """
    if folder.exists():
        raise FileExistsError(errno.EEXIST, "a recording is never replaced", str(folder))
    draft = folder.with_name(f".{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        _dump(draft / "instance.json", recording.instance)
        _dump(draft / "timeline.json", recording.timeline)
        _dump(draft / "events.json", recording.events)
        _dump(draft / "outcome.json", {**recording.outcome, "assets": recording.assets})
        arrays = {
            "states": recording.states,
            "actions": recording.actions,
            "controller": recording.controller,
        }
        with (draft / "states.npz").open("wb") as file:
            np.savez_compressed(file, spec=np.int64(recording.spec), **arrays)
        (draft / "model.xml.gz").write_bytes(gzip.compress(recording.model.encode(), mtime=0))
        for path in [*draft.iterdir(), draft]:
            sync(path)
        draft.rename(folder)
        sync(folder.parent)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def read(folder: Path) -> Recording:
    """Reads a recording. Raises RecordingError saying what is missing or wrong."""
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise RecordingError(f"recording {folder.name} lacks {', '.join(missing)}")
    try:
        with np.load(folder / "states.npz") as arrays:
            states, actions = arrays["states"], arrays["actions"]
            spec, controller = int(arrays["spec"]), arrays["controller"]
        outcome = _load(folder / "outcome.json")
        recording = Recording(
            instance=_load(folder / "instance.json"),
            states=states,
            actions=actions,
            spec=spec,
            controller=controller,
            timeline=_load(folder / "timeline.json"),
            events=_load(folder / "events.json"),
            assets=outcome.pop("assets"),
            outcome=outcome,
            model=gzip.decompress((folder / "model.xml.gz").read_bytes()).decode(),
        )
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise RecordingError(f"recording {folder.name} cannot be read: {error}") from error
    if not recording.model:
        raise RecordingError(f"recording {folder.name} cannot be read: its model is empty")
    if len(states) != len(actions) + 1:
        raise RecordingError(f"recording {folder.name} has {len(states)} states for {len(actions)} actions")
    return recording


def _dump(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n")


def _load(path: Path) -> Any:
    return json.loads(path.read_text())
