"""Recordings on disk: what is read is what was written, all of it or nothing."""

from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from sim import recording as module
from sim.recording import FILES, Recording, RecordingError, read, write


def recording(ticks: int = 3, **changes: object) -> Recording:
    rng = np.random.default_rng(ticks)
    term = {"verb": "press", "things": {"button": "submit"}, "facts": {}}
    values = {
        "instance": {"instance_id": "ab", "seed": 4, "spec": {"xy": [0.1, -0.2]}},
        "states": rng.normal(size=(ticks + 1, 7)),
        "actions": rng.uniform(-1, 1, (ticks, 12)).astype(np.float32),
        "spec": 8191,
        "controller": rng.normal(size=5),
        "timeline": [{"start": 0, "end": ticks, "stage": term, "subtask": term, "known": []}],
        "events": [{"tick": ticks, "kind": "submitted", "data": {"success": True, "progress": 1.0}}],
        "outcome": {"success": True, "progress": 1.0, "ticks": ticks, "reason": "", "rewinds": 0, "decisions": []},
        "model": "<mujoco model='ä'/>",
        "assets": {"kitchen/textures/wood.png": "00ff"},
    }
    return Recording(**{**values, **changes})


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    wrote = recording()
    write(wrote, tmp_path / "one")
    got = read(tmp_path / "one")
    for field in dataclasses.fields(Recording):
        before, after = getattr(wrote, field.name), getattr(got, field.name)
        if isinstance(before, np.ndarray):
            assert after.dtype == before.dtype
            assert after.shape == before.shape
            assert after.tobytes() == before.tobytes()
        else:
            assert after == before
    assert got.ticks == 3
    assert {p.name for p in (tmp_path / "one").iterdir()} == set(FILES)
    assert [p.name for p in tmp_path.iterdir()] == ["one"]


def test_writing_twice_gives_equal_bytes(tmp_path: Path) -> None:
    write(recording(), tmp_path / "one")
    write(recording(), tmp_path / "two")
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_the_order_of_keys_does_not_reach_the_disk(tmp_path: Path) -> None:
    one = recording()
    write(one, tmp_path / "one")
    write(dataclasses.replace(one, outcome=dict(reversed(one.outcome.items()))), tmp_path / "two")
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_what_a_killed_writer_left_is_cleared(tmp_path: Path) -> None:
    (tmp_path / ".one.draft").mkdir()
    (tmp_path / ".one.draft/half.txt").touch()
    write(recording(3), tmp_path / "one")
    assert {p.name for p in (tmp_path / "one").iterdir()} == set(FILES)
    assert [p.name for p in tmp_path.iterdir()] == ["one"]


@pytest.mark.parametrize("error", [OSError("no space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["compress", "sync"])
def test_a_failure_in_the_middle_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(gzip if step == "compress" else module, step, fail)
    with pytest.raises(type(error)):
        write(recording(), tmp_path / "one")
    assert list(tmp_path.iterdir()) == []


def test_a_recording_is_never_replaced(tmp_path: Path) -> None:
    write(recording(5), tmp_path / "one")
    before = tree(tmp_path)
    with pytest.raises(FileExistsError, match="never replaced"):
        write(recording(3), tmp_path / "one")
    assert tree(tmp_path) == before


def test_what_is_no_json_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Out of range float"):
        write(recording(3, outcome={"progress": float("nan")}), tmp_path / "one")
    assert list(tmp_path.iterdir()) == []


def test_everything_is_on_disk_before_the_name_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(module, "sync", lambda path: synced.append(path.name) or path.stat())
    rename = Path.rename
    order: list[list[str]] = []
    monkeypatch.setattr(Path, "rename", lambda self, to: order.append(list(synced)) or rename(self, to))
    write(recording(), tmp_path / "one")
    assert [set(names) for names in order] == [{*FILES, ".one.draft"}]
    assert synced[-1] == tmp_path.name


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    write(recording(), tmp_path / "one")
    (tmp_path / "one" / name).unlink()
    with pytest.raises(RecordingError, match=rf"recording one lacks {name}$"):
        read(tmp_path / "one")


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"recording none lacks instance\.json, states\.npz"):
        read(tmp_path / "none")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("keep", [0.0, 0.5, 0.95])
def test_a_file_cut_short_is_refused(tmp_path: Path, name: str, keep: float) -> None:
    write(recording(40), tmp_path / "one")
    path = tmp_path / "one" / name
    content = path.read_bytes()
    path.write_bytes(content[: int(keep * len(content))])
    with pytest.raises(RecordingError, match="recording one cannot be read"):
        read(tmp_path / "one")


def test_a_flipped_bit_in_the_states_is_refused(tmp_path: Path) -> None:
    write(recording(40), tmp_path / "one")
    path = tmp_path / "one/states.npz"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)
    with pytest.raises(RecordingError, match="recording one cannot be read"):
        read(tmp_path / "one")


def test_mismatched_counts_are_refused(tmp_path: Path) -> None:
    write(recording(3, actions=np.zeros((4, 12), np.float32)), tmp_path / "one")
    with pytest.raises(RecordingError, match="recording one has 4 states for 4 actions"):
        read(tmp_path / "one")


def test_an_outcome_without_hashes_is_refused(tmp_path: Path) -> None:
    write(recording(), tmp_path / "one")
    path = tmp_path / "one/outcome.json"
    outcome = json.loads(path.read_text())
    del outcome["assets"]
    path.write_text(json.dumps(outcome))
    with pytest.raises(RecordingError, match="cannot be read: 'assets'"):
        read(tmp_path / "one")
