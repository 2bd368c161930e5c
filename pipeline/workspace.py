"""The output folder of a run: who may use it, what has been published in it, and which configuration made it.

    <out>/<name>/               the dataset, there whole or not at all
    <out>/<name>.yaml           the resolved configuration that made it
    <out>/attempts.jsonl        the log
    <out>/.work/<name>/         recordings/ rendered/ drafts/ started/, gone once the dataset is there

Everything under recordings/ and rendered/ got there by a rename from drafts/, so what exists is complete.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from pipeline.config import BadInput
from sim.disk import sync


class OutLock:
    """Keeps a second run out of the same folder. The lock goes away with the process."""

    def __init__(self, out: Path) -> None:
        self._path = path = out / ".work" / "lock"
        while True:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a")
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BadInput(f"another run is writing to {out}; wait for it or choose another out") from None
            except OSError:
                return  # a file system without locks
            # The run that held it may have removed the file in between.
            if path.exists() and path.stat().st_ino == os.fstat(self._file.fileno()).st_ino:
                return

    def close(self) -> None:
        """Lets go, and takes the folder away when no work is left in it."""
        self._path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._path.parent.rmdir()
        self._file.close()


@dataclass(frozen=True)
class Workspace:
    """The places of one dataset, `out` / `name`."""

    out: Path
    name: str

    @property
    def dataset(self) -> Path:
        return self.out / self.name

    @property
    def config(self) -> Path:
        return self.out / f"{self.name}.yaml"

    @property
    def work(self) -> Path:
        return self.out / ".work" / self.name

    @property
    def drafts(self) -> Path:
        return self.work / "drafts"

    def recording(self, key: str) -> Path:
        """Folder of a published recording."""
        return self.work / "recordings" / key

    def rendered(self, key: str) -> Path:
        """Folder of a published set of videos."""
        return self.work / "rendered" / key

    def forget(self, key: str) -> None:
        """Removes what was published of an attempt that has to be made again."""
        for folder in (self.recording(key), self.rendered(key)):
            shutil.rmtree(folder, ignore_errors=True)

    def started(self, key: str) -> Path:
        """A file that a worker makes when it begins a job: queueing does not count as hanging."""
        return self.work / "started" / key

    def is_complete(self) -> bool:
        """Whether the dataset is there."""
        return self.dataset.is_dir() and any(self.dataset.iterdir())

    def refuse_other(self, identity: dict[str, Any]) -> None:
        """Raises BadInput if what is here was made with other settings, or by something else."""
        if not self.config.exists():
            if self.dataset.exists() and (not self.dataset.is_dir() or any(self.dataset.iterdir())):
                raise BadInput(f"{self.dataset} exists and was not made by this command; choose another out")
            return
        try:
            made = yaml.safe_load(self.config.read_text())["identity"]
        except (yaml.YAMLError, KeyError, TypeError) as error:
            raise BadInput(f"{self.config} cannot be read as the configuration of a run; choose another out") from error
        for key, old, new in differences(made, identity):
            raise BadInput(
                f"{self.dataset} was made with {key}={_plain(old)}, not {key}={_plain(new)}; "
                "choose another out, or repeat the old settings to go on with it"
            )

    def claim(self, identity: dict[str, Any], resolved: dict[str, Any]) -> None:
        """Saves the configuration and clears what a killed run left half done."""
        self.out.mkdir(parents=True, exist_ok=True)
        draft = self.out / f".{self.name}.yaml.draft"
        draft.write_text(yaml.safe_dump({"identity": identity, "resolved": resolved}, sort_keys=False))
        sync(draft)
        draft.rename(self.config)
        for folder in (self.drafts, self.work / "started"):
            shutil.rmtree(folder, ignore_errors=True)
        for folder in ("recordings", "rendered", "drafts", "started"):
            (self.work / folder).mkdir(parents=True, exist_ok=True)

    def clean(self) -> None:
        """Removes the work of a finished dataset."""
        shutil.rmtree(self.work, ignore_errors=True)


def publish(draft: Path, target: Path) -> None:
    """Renames a complete folder to its place. What is there already stays: a worker that outlives its killed driver by
    a moment may have published the same bytes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        draft.rename(target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        shutil.rmtree(draft, ignore_errors=True)
    sync(target.parent)


def differences(old: Any, new: Any, prefix: str = "") -> list[tuple[str, Any, Any]]:
    """(dotted key, old value, new value) of the leaves that are not equal."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = list(dict.fromkeys([*new, *old]))
        found = [differences(old.get(k), new.get(k), f"{prefix}.{k}" if prefix else str(k)) for k in keys]
        return [difference for part in found for difference in part]
    return [] if old == new else [(prefix, old, new)]


def _plain(value: Any) -> Any:
    return "null" if value is None else value
