"""Fixtures of the tests of the dataset writer: three episodes, written under both sets of names."""

import json
import os

import pytest
from lerobot_samples import episode, recording, videos

from pipeline.lerobot import KEY_NAMES, write_dataset

os.environ["HF_HUB_OFFLINE"] = "1"
LENGTHS = (23, 40, 31)


@pytest.fixture(scope="module", autouse=True)
def no_waiting_for_the_disk():
    """On a busy machine the syncs take most of the time; one test below checks that they happen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="module")
def episodes(tmp_path_factory):
    base = tmp_path_factory.mktemp("episodes")
    return [
        episode(i, videos(base / f"videos{i}", n, shift=40 * i), recording(base / f"recording{i}"))
        for i, n in enumerate(LENGTHS)
    ]


@pytest.fixture(scope="module")
def roots(episodes, tmp_path_factory):
    base = tmp_path_factory.mktemp("datasets")
    for kind, names in KEY_NAMES.items():
        write_dataset(base / kind, episodes, names=names, card="# A card\n")
    return {kind: base / kind for kind in KEY_NAMES}


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Open a dataset with lerobot, at its default tolerance."""
    pytest.importorskip("lerobot")
    import datasets
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    return lambda root, **options: LeRobotDataset("local/test", root=root, video_backend="pyav", **options)


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
