"""The commands, one after the other, on real episodes; the result is read with the real lerobot."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
ENV = {**os.environ, "HF_HUB_OFFLINE": "1"}
EASY = ["levels={chain: 4, cover: none}", "kitchen.layouts=[17]", "kitchen.styles=[3]", "render.size=64"]

pytestmark = pytest.mark.xdist_group("end_to_end")


def command(script: str, *settings: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, f"scripts/{script}.py", *settings], cwd=ROOT, env=ENV, capture_output=True, text=True
    )
    assert done.returncode == code, f"{script}: {done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout + done.stderr


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "data"
    command("generate", "task=puzzle_box", "episodes=1", "seed=3", "workers=1", f"out={out}", *EASY)
    return out / "puzzle_box"


def test_the_log_tells_the_attempt(dataset: Path) -> None:
    (row,) = [json.loads(line) for line in (dataset.parent / "attempts.jsonl").read_text().splitlines()]
    assert row["success"] is True and row["reason"] == "" and row["seed"] == 3
    assert row["level"] == {"chain": 4, "cover": "none"} and (row["layout"], row["style"]) == (17, 3)


def test_lerobot_reads_it_through_a_data_loader(dataset: Path) -> None:
    import torch
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    data = LeRobotDataset(
        "local/puzzle_box",
        root=dataset,
        video_backend="pyav",
        delta_timestamps={"action": [t / 20 for t in range(20)], "observation.images.wrist": [-0.05, 0.0]},
    )
    assert data.num_episodes == 1 and len(data) == data.meta.total_frames
    loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=False, num_workers=0)
    batch = next(iter(loader))
    assert batch["action"].shape == (8, 20, 12) and batch["observation.state"].shape == (8, 16)
    assert batch["observation.images.wrist"].shape == (8, 2, 3, 64, 64)
    assert "SUBMIT" in batch["task"][0]
    with np.load(next((dataset / "extras").iterdir()) / "states.npz") as arrays:
        np.testing.assert_array_equal(batch["action"][:, 0].numpy(), arrays["actions"][:8])


def test_verify_finds_nothing_and_says_so(dataset: Path) -> None:
    command("verify", f"dataset={dataset}")
    assert json.loads((dataset / "verification.json").read_text())


def test_regenerate_draws_another_size_under_other_names(dataset: Path, tmp_path: Path) -> None:
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    out = tmp_path / "puzzle_box"
    command("regenerate", f"dataset={dataset}", f"out={out}", "render.size=32", "output=openpi", "workers=1")
    data = LeRobotDataset("local/puzzle_box", root=out, video_backend="pyav")
    frame = data[len(data) - 1]
    assert frame["image"].shape == frame["right_image"].shape == frame["wrist_image"].shape == (3, 32, 32)
    assert frame["state"].shape == (16,) and frame["actions"].shape == (12,)
    first, second = (json.loads((root / "meta/info.json").read_text()) for root in (dataset, out))
    assert first["total_frames"] == second["total_frames"]


def test_the_report_is_one_page(dataset: Path) -> None:
    command("report", f"dataset={dataset}")
    page = dataset.with_suffix(".html").read_text()
    assert 'class="mp4">' in page and "data:image/jpeg;base64," in page and "SUBMIT button" in page
    assert "http://" not in page.replace("http://www.w3.org", "") and "https://" not in page


def test_a_finished_run_is_not_done_again(dataset: Path) -> None:
    before = tree(dataset)
    command("generate", "task=puzzle_box", "episodes=1", "seed=3", "workers=1", f"out={dataset.parent}", *EASY)
    assert tree(dataset) == before


@pytest.mark.slow
@pytest.mark.parametrize(("task", "episodes"), [("puzzle_box", 3), ("search_room", 2)])
def test_workers_and_kills_do_not_change_a_byte(tmp_path: Path, task: str, episodes: int) -> None:
    """One worker, two workers, and two workers killed at three random points give the same dataset."""
    settings = [f"task={task}", f"episodes={episodes}", "seed=40", "render.size=64"]
    for workers in (1, 2):
        command("generate", *settings, f"workers={workers}", f"out={tmp_path / str(workers)}")
    killed = [*settings, "workers=2", f"out={tmp_path / 'killed'}"]
    rng = random.Random(0)
    for _ in range(3):
        run = subprocess.Popen(
            [sys.executable, "scripts/generate.py", *killed], cwd=ROOT, env=ENV, start_new_session=True
        )
        time.sleep(rng.uniform(25, 90))
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    command("generate", *killed)
    one = tree(tmp_path / "1" / task)
    assert one and one == tree(tmp_path / "2" / task) == tree(tmp_path / "killed" / task)


@pytest.mark.slow
def test_one_run_makes_a_dataset_of_each_task(tmp_path: Path) -> None:
    """The same bytes as a run of each task alone; verified, redrawn, reported, and read by lerobot."""
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    tasks = ("puzzle_box", "search_room")
    settings = ["episodes=1", "seed=41", "workers=2", "render.size=64"]
    both, alone = tmp_path / "both", tmp_path / "alone"
    command("generate", f"task=[{','.join(tasks)}]", *settings, f"out={both}")
    for task in tasks:
        command("generate", f"task={task}", *settings, f"out={alone}")
        assert tree(both / task) == tree(alone / task) != {}
        command("verify", f"dataset={both / task}")
        command("report", f"dataset={both / task}")
        again = tmp_path / "again" / task
        command("regenerate", f"dataset={both / task}", f"out={again}", "render.size=32", "workers=2")
        assert tree(again / "data") == tree(both / task / "data")
        for root, size in ((both / task, 64), (again, 32)):
            data = LeRobotDataset(f"local/{task}", root=root, video_backend="pyav")
            assert data[0]["observation.images.wrist"].shape == (3, size, size)
            assert data.num_episodes == 1 and "SUBMIT" in data[len(data) - 1]["task"]
