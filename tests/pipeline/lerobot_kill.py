"""Write a dataset in a child process and kill it at every file-system step in turn; see test_lerobot.

Usage: python lerobot_kill.py <folder with videos> <root> <replace: 0 or 1>. Prints one JSON line per step.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import sys
from pathlib import Path

import lerobot_samples as samples
import numpy as np
import pyarrow as pa

from pipeline.lerobot import LEROBOT_NAMES, DatasetExists, write_dataset
from pipeline.video import EpisodeVideos

STEPS = {"open", "os.rename", "os.link", "os.mkdir", "shutil.rmtree"}


def episodes(folder: Path) -> list:
    found = []
    for number in range(2):
        paths = {camera: folder / f"{number}" / f"{camera}.mp4" for camera in samples.CAMERAS}
        stats = json.loads((folder / f"{number}" / "stats.json").read_text())
        encoded = EpisodeVideos(paths, 12, {}, stats)
        found.append(samples.episode(number, encoded, folder / "recording"))
    return found


def digest(root: Path) -> str | None:
    if not root.exists():
        return None
    return hashlib.sha256(repr(samples.tree(root)).encode()).hexdigest()


def write_until(step: int, folder: Path, root: Path, replace: bool) -> int:
    """Write in a fork that kills itself before the `step`-th change below the root's parent; returns how it ended."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    count = 0

    def hook(event: str, arguments: tuple) -> None:
        nonlocal count
        if event not in STEPS or not any(str(root.parent) in str(a) for a in arguments[:2]):
            return
        if event == "open" and "w" not in str(arguments[1]):
            return
        count += 1
        if count == step:
            os.kill(os.getpid(), signal.SIGKILL)

    os.fsync = lambda _: None  # a killed process loses nothing that it wrote; only a power cut would
    sys.addaudithook(hook)
    with contextlib.suppress(DatasetExists):  # killed after it was published
        write_dataset(root, episodes(folder), names=LEROBOT_NAMES, card="new\n", replace=replace)
    os._exit(0)


def main() -> None:
    pa.array(np.zeros(1))  # the first one imports pandas, which every fork would do anew
    folder, root, replace = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "1"
    for step in range(1, 10_000):
        ended = write_until(step, folder, root, replace)
        old = root.parent / f".{root.name}.old"
        print(json.dumps({"step": step, "ended": ended, "root": digest(root), "old": digest(old)}))
        if ended != signal.SIGKILL:
            return


if __name__ == "__main__":
    main()
