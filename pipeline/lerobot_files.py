"""Files that are either complete or absent: linking, syncing, and the one rename that publishes a dataset."""

from __future__ import annotations

import errno
import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sim.disk import sync

GLOB_CHARACTERS = "*?["
_NO_LINKS = {errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EACCES}


class DatasetError(ValueError):
    """A dataset that cannot be written as asked."""


class DatasetExists(DatasetError):
    """There is already something at the place of the dataset."""


class Staging:
    """The folder in which a dataset grows before it takes its place.

    It is a hidden sibling of `root`, never inside it: lerobot takes any file under `data/` for an episode.
    Leftovers of a killed run are cleared at the start. Replacing takes two renames; a run killed between them
    leaves the old dataset under `.<name>.old`, and the next `Staging` of the same root puts it back.
    """

    def __init__(self, root: Path, *, replace: bool) -> None:
        root = root.absolute()
        if any(character in str(root) for character in GLOB_CHARACTERS):
            raise DatasetError(f"{root}: lerobot cannot read a path with any of {' '.join(GLOB_CHARACTERS)} in it")
        self.root, self._replace = root, replace
        self.folder = root.parent / f".{root.name}.tmp"
        self._old = root.parent / f".{root.name}.old"
        if self._old.exists() and not _occupied(root):
            self._old.rename(root)
        self._refuse_to_overwrite()
        self._discard()

    def create(self) -> Path:
        """Make the staging folder and return it."""
        self.folder.mkdir(parents=True)
        return self.folder

    def publish(self) -> None:
        """Put the staged dataset at `root`, durable on disk."""
        sync_tree(self.folder)
        self._refuse_to_overwrite()
        if _occupied(self.root):
            self.root.rename(self._old)
        self.folder.rename(self.root)
        sync(self.root.parent)
        self._discard()

    def _discard(self) -> None:
        """Remove what is not the dataset; a half-removed old dataset must not look like one to be put back."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._old.exists():
            self._old.rename(self.folder)
            shutil.rmtree(self.folder, ignore_errors=True)

    def _refuse_to_overwrite(self) -> None:
        if self.root.exists() and not self.root.is_dir():
            raise DatasetExists(f"{self.root} is a file; name a folder for the dataset")
        if _occupied(self.root) and not self._replace:
            raise DatasetExists(f"{self.root} already exists; choose another folder, or allow it to be replaced")


class JsonLines:
    """A JSON Lines file being written, one object a line."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8", newline="\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._file.close()

    def write(self, value: dict[str, Any]) -> None:
        """Append `value`; NaN and infinity are refused, as they are not JSON."""
        self._file.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write `value` indented, keys in their order, as lerobot does."""
    write_text(path, json.dumps(value, indent=4, ensure_ascii=False, allow_nan=False))


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text with its line ends as they are."""
    path.write_text(text, encoding="utf-8", newline="\n")


def place(source: Path, target: Path) -> None:
    """Hard-link a file, or copy it where links are not possible (another file system)."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source.resolve(), target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        shutil.copyfile(source, target)


def place_folder(source: Path, target: Path) -> None:
    """Hard-link or copy every file of a folder, at any depth."""
    for path in sorted(source.rglob("*")):
        if path.is_file():
            place(path, target / path.relative_to(source))


def sync_tree(root: Path) -> None:
    """Wait until everything in a folder is on disk; many syncs at once cost 20 times less than in turn."""
    with ThreadPoolExecutor(16) as pool:
        for folder, _, files in os.walk(root, topdown=False):
            list(pool.map(sync, [Path(folder) / name for name in files]))
            sync(Path(folder))


def _occupied(root: Path) -> bool:
    return root.is_dir() and any(root.iterdir())
