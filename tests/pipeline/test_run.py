"""The driver, with a toy task on a real Ray: seeds that fail, workers that die or hang, kills, full disks."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import toy

from pipeline import assemble
from pipeline import run as driver
from pipeline.attempts import AttemptLog
from pipeline.config import BadInput, ClusterConf, LimitsConf, RenderConf
from pipeline.pool import Pool
from pipeline.run import RunStopped, run
from pipeline.workspace import OutLock, Workspace

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def pool():
    patch = pytest.MonkeyPatch()
    patch.setenv("PYTHONPATH", str(HERE))
    workers = Pool(ClusterConf(), 2, LimitsConf(memory_gb=0.2, calls=100))
    yield workers
    workers.close()
    patch.undo()


@pytest.fixture
def make(tmp_path, pool, monkeypatch):
    """Runs the toy task in `tmp_path / name`, in this process."""
    monkeypatch.setattr(assemble, "captions", toy.captions)

    def go(name, episodes=4, workers=2, tries=3, behaviour=None, **more):
        out = tmp_path / name
        out.mkdir(exist_ok=True)
        if behaviour is not None:
            (out / "behaviour.json").write_text(json.dumps(behaviour))
        conf = toy.configuration(out, episodes, workers, tries, **more)
        pool.workers = workers
        while pool.busy:  # a run that was stopped would have ended its own workers
            pool.wait(1.0)
        (summary,) = run(toy.plans(conf), conf, toy.FUNCTIONS, pool)
        return summary

    return go


def rows(out):
    return [json.loads(line) for line in (out / "attempts.jsonl").read_text().splitlines()]


def tree(root):
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def test_a_failed_attempt_takes_the_next_seed(make, tmp_path):
    summary = make("out", behaviour={"fail": [1, 5]})
    assert (summary.episodes, summary.attempts, summary.failures) == (4, 6, {"slipped": 2})
    assert summary.dataset == tmp_path / "out" / "toy"
    lines = (tmp_path / "out/toy/meta/exploration_episodes.jsonl").read_text().splitlines()
    assert [json.loads(line)["seed"] for line in lines] == [0, 9, 2, 3]
    wanted = {"task", "instance_id", "seed", "level", "layout", "style", "success", "reason", "ticks"}
    assert all(wanted <= row.keys() for row in rows(tmp_path / "out"))
    assert not (tmp_path / "out/.work").exists()


def test_workers_and_order_do_not_matter(make, tmp_path):
    make("one", workers=1, behaviour={"fail": [2]})
    make("two", workers=2, behaviour={"fail": [2], "sleep": 0.1})
    assert tree(tmp_path / "one/toy") == tree(tmp_path / "two/toy")


def test_no_machine_specific_text_in_the_dataset(make, tmp_path):
    make("out", 1)
    names = [str(tmp_path), *(name for name in [os.uname().nodename] if len(name) > 4)]
    for name, data in tree(tmp_path / "out/toy").items():
        assert not any(text.encode() in data for text in names), name


def test_the_log_is_not_made_twice(make, tmp_path):
    make("out", behaviour={"fail": [1]})
    before = (tmp_path / "out/attempts.jsonl").read_bytes()
    dataset = tree(tmp_path / "out/toy")
    assert make("out").episodes == 4  # nothing to do
    assert (tmp_path / "out/attempts.jsonl").read_bytes() == before
    for path in sorted((tmp_path / "out/toy").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    make("out")  # the dataset is lost: it is made again, and what failed is not tried again
    assert tree(tmp_path / "out/toy") == dataset
    assert (tmp_path / "out/attempts.jsonl").read_bytes() == before


def test_slots_without_a_seed_are_given_up(make, tmp_path):
    summary = make("out", 2, tries=2, behaviour={"fail": [1, 3]})
    assert (summary.episodes, summary.wanted, summary.attempts) == (1, 2, 3)
    assert make("none", 1, tries=1, behaviour={"fail": [0]}).dataset is None


def test_a_worker_that_dies_costs_one_attempt(make, tmp_path):
    clean = make("clean", 2)
    died = make("died", 2, behaviour={"die_once": [1]})
    assert (clean.attempts, died.attempts, died.failures) == (2, 3, {"worker_died": 1})
    assert tree(tmp_path / "clean/toy") == tree(tmp_path / "died/toy")
    always = make("always", 2, behaviour={"die": [1]})
    assert (always.episodes, always.failures) == (2, {"worker_died": 2})


def test_a_hung_attempt_is_killed(make, tmp_path):
    summary = make("out", 2, behaviour={"hang": [0]})
    assert (summary.episodes, summary.failures) == (2, {"hung": 1})


def test_an_exception_is_a_failed_attempt(make, tmp_path):
    summary = make("out", 2, behaviour={"raise": [0]})
    assert (summary.episodes, summary.failures) == (2, {"error:ValueError": 1})
    (row,) = [row for row in rows(tmp_path / "out") if not row["success"]]
    assert re.fullmatch(
        r"ValueError: a mistake in an oracle \(pool\.py:\d+ > toy\.py:\d+ > toy\.py:\d+\)", row["detail"]
    )


def test_a_run_in_which_everything_crashes_stops(make):
    with pytest.raises(RunStopped, match="a mistake in an oracle"):
        make("out", 20, behaviour={"raise": list(range(60))})


@pytest.mark.parametrize(("kind", "match"), [("full", "is full"), ("stop", "no OpenGL")])
def test_a_full_disk_stops_the_run_and_loses_nothing(make, tmp_path, kind, match):
    with pytest.raises(RunStopped, match=match):
        make("out", 3, workers=1, behaviour={kind: [2], "fail": [0]})
    done = len(rows(tmp_path / "out"))
    assert done >= 1
    summary = make("out", 3, workers=1, behaviour={"fail": [0]})
    assert (summary.episodes, summary.attempts) == (3, 4)
    make("plain", 3, behaviour={"fail": [0]})
    assert tree(tmp_path / "out/toy") == tree(tmp_path / "plain/toy")


class Killed(BaseException):
    """Stands for a SIGKILL of the driver: nothing may clean up after it."""


@pytest.mark.parametrize("point", ["before_row", "torn_row", "before_dataset", "after_dataset"])
def test_killed_at_a_bad_moment(make, tmp_path, monkeypatch, point):
    make("plain", 3, behaviour={"fail": [0]})
    plain = tree(tmp_path / "plain/toy")
    append, assemble_task = AttemptLog.append, driver._assemble

    def killing_append(log, row):
        if len(log.rows) < 2:
            return append(log, row)
        if point == "torn_row":
            with log.path.open("ab") as file:
                file.write(json.dumps(row).encode()[:40])
        raise Killed

    def killing_assemble(task, conf):
        if point == "after_dataset":
            assemble_task(task, conf)
        raise Killed

    with monkeypatch.context() as patch:
        if point.endswith("row"):
            patch.setattr(AttemptLog, "append", killing_append)
        else:
            patch.setattr(driver, "_assemble", killing_assemble)
        with pytest.raises(Killed):
            make("out", 3, workers=1, behaviour={"fail": [0]})
    summary = make("out", 3)
    assert (summary.episodes, summary.attempts, len(rows(tmp_path / "out"))) == (3, 4, 4)
    assert tree(tmp_path / "out/toy") == plain
    assert not (tmp_path / "out/.work").exists()


def test_render_none_publishes_recordings(make, tmp_path):
    out = tmp_path / "out"
    assert make("out", 2, render=RenderConf(enabled=False)).episodes == 2
    assert sorted(p.name for p in (out / "toy").iterdir()) == ["README.md", "extras", "meta"]
    assert len(assemble.recorded_episodes(out / "toy")) == 2


def test_another_configuration_is_refused(make, tmp_path):
    make("out", 2)
    with pytest.raises(BadInput, match=r"was made with seed=0, not seed=7"):
        make("out", 2, seed=7)
    other = tmp_path / "other/toy"
    other.mkdir(parents=True)
    (other / "precious").touch()
    with pytest.raises(BadInput, match="not made by this command"):
        make("other", 2)
    assert (other / "precious").exists()


def test_two_runs_do_not_share_a_folder(tmp_path):
    lock = OutLock(tmp_path)
    with pytest.raises(BadInput, match="another run"):
        OutLock(tmp_path)
    lock.close()
    OutLock(tmp_path).close()


def command(out, workers=2, episodes=6):
    env = {**os.environ, "PYTHONPATH": f"{HERE.parent.parent}{os.pathsep}{HERE}"}
    line = [sys.executable, str(HERE / "toy.py"), str(out), str(episodes), str(workers)]
    return subprocess.Popen(line, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_sigkill_and_resume(make, tmp_path):
    """A real driver with its own Ray, killed twice while it works, told to end once, and interrupted by Ctrl-C."""
    out = tmp_path / "out"
    make("plain", 6, behaviour={"fail": [1]})
    out.mkdir()
    (out / "behaviour.json").write_text(json.dumps({"fail": [1], "sleep": 0.5}))
    rng = random.Random(0)

    def published():
        return len([*out.glob(".work/toy/recordings/*"), *out.glob(".work/toy/rendered/*")])

    for signum in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGINT):
        claimed = (out / "toy.yaml").stat().st_mtime_ns if (out / "toy.yaml").exists() else 0
        process = command(out)
        wait_for(lambda t=claimed: (out / "toy.yaml").exists() and (out / "toy.yaml").stat().st_mtime_ns > t, process)
        before = published()
        wait_for(lambda n=before: published() > n, process)
        time.sleep(rng.uniform(0, 0.5))
        process.send_signal(signum)
        _, said = process.communicate(timeout=60)
        assert process.returncode == (-signum if signum == signal.SIGKILL else 130), said
        assert "Traceback" not in said
    process = command(out)
    printed, said = process.communicate(timeout=180)
    assert process.returncode == 0, said
    assert json.loads(printed)["episodes"] == 6
    assert tree(out / "toy") == tree(tmp_path / "plain/toy")
    keys = [(row["slot"], row["attempt"]) for row in rows(out)]
    assert len(keys) == len(set(keys)) == 7


def wait_for(condition, process, seconds=180):
    limit = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < limit
        time.sleep(0.05)


def test_log_tolerates_a_torn_line_and_forgets_nothing(tmp_path):
    path = tmp_path / "attempts.jsonl"
    log = AttemptLog(path)
    row = {"task": "toy", "slot": 0, "attempt": 0, "success": False, "reason": "slipped"}
    log.append(row)
    log.append({**row, "attempt": 1, "success": True, "reason": ""})
    log.close()
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:17])
    log = AttemptLog(path)
    assert path.read_bytes() == whole
    assert (log.verdict("toy", 0, 0), log.verdict("toy", 0, 1), log.verdict("toy", 1, 0)) == (False, True, None)
    log.append({**row, "attempt": 1, "success": True, "reason": ""})
    assert path.read_bytes() == whole
    log.close()


def test_workspace_says_which_setting_differs(tmp_path):
    place = Workspace(tmp_path, "toy")
    place.claim({"seed": 0, "render": {"size": 256}}, {})
    place.refuse_other({"seed": 0, "render": {"size": 256}})
    with pytest.raises(BadInput, match=r"render\.size=256, not render\.size=512"):
        place.refuse_other({"seed": 0, "render": {"size": 512}})
