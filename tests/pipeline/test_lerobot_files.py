# ruff: noqa: F811  (fixtures are imported by name)
"""Many episodes, equal bytes, and a dataset that is there whole or not at all."""

import dataclasses
import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest
from lerobot_fixtures import LENGTHS, episodes, lines, load, no_waiting_for_the_disk, roots  # noqa: F401
from lerobot_samples import CAMERAS, FPS, episode, recording, tree, videos

from pipeline.lerobot import (
    LEROBOT_NAMES,
    OPENPI_NAMES,
    DatasetExists,
    TimelineRow,
    write_dataset,
)
from pipeline.video import encode_episode


@pytest.mark.parametrize("count", [1001])
def test_chunk_border(count, tmp_path, load):
    encoded = videos(tmp_path / "videos", 2, size=16)
    many = [
        dataclasses.replace(episode(i, encoded), timeline=[TimelineRow(0, 2, "stage", f"subtask {i}")])
        for i in range(count)
    ]
    root = tmp_path / "dataset"
    write_dataset(root, many, names=OPENPI_NAMES, card="x")
    info = json.loads((root / "meta/info.json").read_text())
    assert (info["total_chunks"], info["total_frames"], info["splits"]) == (2, 2002, {"train": "0:1001"})
    assert [p.name for p in sorted(root.glob("data/chunk-001/*"))] == ["episode_001000.parquet"]
    assert len(list(root.glob("videos/chunk-001/*/episode_001000.mp4"))) == 3
    assert [row["episode_index"] for row in lines(root / "meta/episodes.jsonl")] == list(range(count))
    dataset = load(root)
    assert [int(i) for i in dataset.hf_dataset["index"]] == list(range(2 * count))
    for row in (1998, 1999, 2000, 2001):
        item = dataset[row]
        assert (item["episode_index"].item(), item["subtask_index"].item()) == (row // 2, row // 2)
        assert np.array_equal(item["state"].numpy(), many[row // 2].state[row % 2])


def test_memory_does_not_grow_with_the_number_of_episodes(tmp_path):
    length = 1500
    still = [{camera: np.zeros((16, 16, 3), np.uint8) for camera in CAMERAS}] * length
    (tmp_path / "videos").mkdir()
    encoded = encode_episode(still, tmp_path / "videos", FPS, length=length)
    resident = []

    class Lazy:
        def __len__(self):
            return 200

        def __getitem__(self, index):
            resident.append(psutil.Process().memory_info().rss)
            return episode(index, encoded)

    write_dataset(tmp_path / "dataset", Lazy(), names=OPENPI_NAMES, card="x")
    assert len(resident) == 400, "each episode is loaded twice, once to check and once to write"
    assert resident[-1] - resident[220] < 10e6, "all arrays together are 34 MB"


def test_written_twice_is_byte_identical(episodes, roots, tmp_path, monkeypatch):
    def no_links(*_, **__):
        raise OSError(errno.EXDEV, "another file system")

    monkeypatch.setattr(os, "link", no_links)
    write_dataset(tmp_path / "again", episodes, names=LEROBOT_NAMES, card="# A card\n")
    assert tree(tmp_path / "again") == tree(roots["lerobot"])
    assert all(p.stat().st_nlink == 1 for p in (tmp_path / "again").rglob("*.mp4"))


def test_videos_and_recordings_are_linked_and_complete(roots, episodes):
    root = roots["lerobot"]
    video = root / "videos/chunk-000/observation.images.wrist/episode_000001.mp4"
    assert video.samefile(episodes[1].videos["wrist"])
    for source in episodes:
        assert tree(root / "extras" / source.instance_id) == tree(source.recording)
    assert (root / "README.md").read_text() == "# A card\n"
    row = lines(root / "meta/exploration_episodes.jsonl")[2]
    assert (row["instance_id"], row["seed"], row["style"], row["length"]) == ("search-0002", 2, None, 31)
    assert row["timeline"][1] == {
        "start": 7,
        "end": 15,
        "subtask": "open drawer 2",
        "stage": "look around",
        "subtask_index": 4,
        "stage_index": 0,
    }
    assert all(str(root.parent) not in text for text in map(str, tree(root).values()))


def test_an_existing_dataset_is_replaced_only_when_told(episodes, tmp_path):
    root = tmp_path / "dataset"
    write_dataset(root, episodes[:2], names=OPENPI_NAMES, card="old")
    before = tree(root)
    with pytest.raises(DatasetExists, match="already exists"):
        write_dataset(root, episodes, names=OPENPI_NAMES, card="new")
    assert tree(root) == before
    write_dataset(root, episodes, names=OPENPI_NAMES, card="new", replace=True)
    assert (root / "README.md").read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["dataset"]


def test_leftovers_of_a_killed_run_do_not_enter(episodes, roots, tmp_path):
    stale = tmp_path / ".dataset.tmp/data/chunk-000/episode_000099.parquet"
    stale.parent.mkdir(parents=True)
    stale.write_text("half")
    (tmp_path / "dataset").mkdir()
    write_dataset(tmp_path / "dataset", episodes, names=LEROBOT_NAMES, card="# A card\n")
    assert tree(tmp_path / "dataset") == tree(roots["lerobot"])
    assert [p.name for p in tmp_path.iterdir()] == ["dataset"]


def test_everything_is_on_disk_before_the_dataset_appears(episodes, tmp_path, monkeypatch):
    synced = []

    def fsync(descriptor):
        assert not (tmp_path / "dataset").exists() or synced[-1] == tmp_path / ".dataset.tmp"
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink())

    monkeypatch.setattr(os, "fsync", fsync)
    write_dataset(tmp_path / "dataset", episodes, names=LEROBOT_NAMES, card="x")
    below = {path.relative_to(tmp_path / ".dataset.tmp") for path in synced[:-1]}
    assert below == {Path(), *(p.relative_to(tmp_path / "dataset") for p in (tmp_path / "dataset").rglob("*"))}
    assert synced[-1] == tmp_path, "the rename itself"


@pytest.mark.parametrize("replace", [False, True])
def test_killed_at_every_step_there_is_no_dataset_or_the_old_one(replace, tmp_path):
    material, place = tmp_path / "material", tmp_path / "place"
    for number in range(2):
        encoded = videos(material / str(number), 12, size=16)
        (material / str(number) / "stats.json").write_text(json.dumps(encoded.image_stats))
    recording(material / "recording")
    place.mkdir()
    sys.path.insert(0, str(Path(__file__).parent))
    import lerobot_kill

    write_dataset(place / "clean", lerobot_kill.episodes(material), names=LEROBOT_NAMES, card="new\n")
    new, old = lerobot_kill.digest(place / "clean"), None
    if replace:
        write_dataset(place / "dataset", lerobot_kill.episodes(material), names=OPENPI_NAMES, card="old")
        old = lerobot_kill.digest(place / "dataset")
    here = Path(__file__)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(here.parents[2]), str(here.parent)]),
        "PYTHONHASHSEED": "3",
    }
    done = subprocess.run(
        [sys.executable, here.with_name("lerobot_kill.py"), material, place / "dataset", str(int(replace))],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    steps = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(steps) > 30
    assert [step["ended"] for step in steps] == [9] * (len(steps) - 1) + [0]
    published = False
    for step in steps[:-1]:
        published = published or step["root"] == new
        if not published:
            saved = step["root"] or (step["old"] if replace else None)
            assert saved == old, step
        else:
            assert step["root"] == new, step
    assert steps[-1]["root"] == new, "the bytes depend on the hash seed, or on the runs that were killed"
    assert steps[-1]["old"] is None
