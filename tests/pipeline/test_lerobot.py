# ruff: noqa: F811  (fixtures are imported by name)
"""The writer judged by the readers that people use: lerobot 0.3.3, GR00T's loader, OpenCV and PyAV."""

import dataclasses
import functools
import json
from pathlib import Path

import av
import numpy as np
import pyarrow.parquet as pq
import pytest
from lerobot_fixtures import LENGTHS, episodes, lines, load, no_waiting_for_the_disk, roots  # noqa: F401
from lerobot_samples import CAMERAS, FPS, frames, tree

from pipeline.lerobot import (
    KEY_NAMES,
    OPENPI_NAMES,
    write_dataset,
)
from pipeline.lerobot_meta import ACTION_LAYOUT, STATE_LAYOUT, features
from pipeline.video import read_video_info


@pytest.mark.parametrize("kind", KEY_NAMES)
def test_lerobot_gives_back_every_row_and_frame(kind, roots, episodes, load):
    names = KEY_NAMES[kind]
    dataset = load(roots[kind])
    assert (dataset.num_episodes, dataset.num_frames, dataset.fps) == (3, sum(LENGTHS), FPS)
    stages = {line["stage_index"]: line["stage"] for line in lines(roots[kind] / "meta/stages.jsonl")}
    subtasks = {line["subtask_index"]: line["subtask"] for line in lines(roots[kind] / "meta/subtasks.jsonl")}
    row = 0
    for number, source in enumerate(episodes):
        for t, tick in enumerate(frames(LENGTHS[number], shift=40 * number)):
            item = dataset[row]
            assert np.array_equal(item[names.state].numpy(), source.state[t])
            assert np.array_equal(item[names.action].numpy(), source.action[t])
            assert item["task"] == source.goal
            indices = [item[key].item() for key in ("episode_index", "frame_index", "index")]
            assert indices == [number, t, row]
            assert item["timestamp"].item() == pytest.approx(t / FPS, abs=1e-6)
            caption = next(r for r in source.timeline if r.start <= t < r.end)
            assert stages[item["stage_index"].item()] == caption.stage
            assert subtasks[item["subtask_index"].item()] == caption.subtask
            for camera, key in names.cameras.items():
                shown = item[key].numpy().transpose(1, 2, 0) * 255
                assert np.abs(shown - tick[camera]).mean() < 2.5, (number, t, camera)
            row += 1


def test_lerobot_loads_windows_through_a_data_loader(roots, episodes, load):
    torch = pytest.importorskip("torch")
    windows = {
        "observation.state": [-1 / FPS, 0],
        "action": [i / FPS for i in range(8)],
        "observation.images.wrist": [-2 / FPS, 0],
    }
    dataset = load(roots["lerobot"], delta_timestamps=windows)
    rows = 0
    for batch in torch.utils.data.DataLoader(dataset, batch_size=16, num_workers=2):
        assert batch["observation.images.wrist"].shape[1:] == (2, 3, 64, 64)
        for number, t, window in zip(batch["episode_index"], batch["frame_index"], batch["action"], strict=True):
            ticks = np.minimum(int(t) + np.arange(8), LENGTHS[number] - 1)
            assert np.array_equal(window.numpy(), episodes[number].action[ticks])
            rows += 1
    assert rows == sum(LENGTHS)


def test_lerobot_statistics_are_usable(roots, load):
    stats = load(roots["lerobot"]).meta.stats
    for key, values in stats.items():
        assert all(np.isfinite(value).all() for value in values.values()), key
    assert stats["observation.images.wrist"]["mean"].shape == (3, 1, 1)
    assert stats["action"]["std"][10] == 0
    ours = json.loads((roots["lerobot"] / "meta/stats.json").read_text())
    for key, values in ours.items():
        for name in ("min", "max", "mean", "std"):
            np.testing.assert_allclose(values[name], stats[key][name], rtol=1e-6, err_msg=f"{key} {name}")
    constants = json.loads((roots["lerobot"] / "meta/constant_dimensions.json").read_text())
    assert constants == {"observation.state": ["base_z"], "action": ["torso"]}


@pytest.mark.parametrize("kind", KEY_NAMES)
def test_gr00t_loader_reads_slices_videos_and_captions(kind, roots, episodes):
    pytest.importorskip("numpydantic")
    groot = pytest.importorskip("robocasa.utils.groot_utils.groot_dataset")
    root = roots[kind]
    before = tree(root)
    levels = ["human.task_description", *(["human.stage", "human.subtask"] if kind == "lerobot" else [])]
    modality = json.loads((root / "meta/modality.json").read_text())
    keys = {
        "video": [f"video.{camera}" for camera in CAMERAS],
        "state": [f"state.{name}" for name in modality["state"]],
        "action": [f"action.{name}" for name in modality["action"]],
        "language": [f"annotation.{level}" for level in levels],
    }
    dataset = groot.LeRobotSingleDataset(
        dataset_path=root,
        modality_configs={m: groot.ModalityConfig(delta_indices=[0], modality_keys=k) for m, k in keys.items()},
        embodiment_tag="new_embodiment",
        video_backend="opencv",
    )
    assert tree(root) == before, "GR00T found the statistics wanting and wrote its own"
    row = 0
    for number, source in enumerate(episodes):
        for t, tick in enumerate(frames(LENGTHS[number], shift=40 * number)):
            if t in (0, 7, 13, LENGTHS[number] - 1):
                item = dataset[row]
                for part, expected in (("state", source.state[t]), ("action", source.action[t])):
                    values = np.concatenate([item[key][0] for key in keys[part]])
                    assert np.array_equal(values, expected)
                for camera in CAMERAS:
                    assert np.abs(item[f"video.{camera}"][0].astype(int) - tick[camera]).mean() < 2.5
                caption = next(r for r in source.timeline if r.start <= t < r.end)
                texts = [source.goal, caption.stage, caption.subtask][: len(levels)]
                assert [item[key] for key in keys["language"]] == [[text] for text in texts]
            row += 1


def test_structure_is_what_lerobots_own_writer_gives(episodes, tmp_path, monkeypatch, load):
    """Same goal for all, so that lerobot's hash-seeded task order cannot differ."""
    import lerobot.datasets.lerobot_dataset as reference

    names = OPENPI_NAMES
    same = [dataclasses.replace(e, goal="find it") for e in episodes]
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    write_dataset(ours, same, names=names, card="x")
    h264 = functools.partial(reference.encode_video_frames, vcodec="h264", g=10, crf=18)
    monkeypatch.setattr(reference, "encode_video_frames", h264)
    info = json.loads((ours / "meta/info.json").read_text())
    given = {k: dict(f) for k, f in info["features"].items() if k not in reference.DEFAULT_FEATURES}
    for feature in given.values():
        feature["shape"] = tuple(feature["shape"])
        feature.pop("info", None)
    dataset = reference.LeRobotDataset.create(
        "local/x", FPS, given, root=theirs, robot_type="panda_omron", video_backend="pyav"
    )
    columns = [pq.read_table(ours / f"data/chunk-000/episode_{i:06d}.parquet").to_pydict() for i in range(3)]
    for number, source in enumerate(same):
        for t, tick in enumerate(frames(LENGTHS[number], shift=40 * number)):
            frame = {key: tick[camera] for camera, key in names.cameras.items()}
            frame |= {names.state: source.state[t], names.action: source.action[t]}
            for key in ("subtask_index", "stage_index"):
                frame[key] = np.array([columns[number][key][t]])
            dataset.add_frame(frame, task=source.goal)
        dataset.save_episode()

    for name in ("info.json", "tasks.jsonl", "episodes.jsonl"):
        assert (ours / "meta" / name).read_bytes() == (theirs / "meta" / name).read_bytes(), name
    for path in sorted(theirs.glob("data/*/*.parquet")):
        mine = ours / path.relative_to(theirs)
        a, b = pq.read_table(mine), pq.read_table(path)
        assert a.equals(b)
        assert a.schema.equals(b.schema, check_metadata=True)
        a, b = pq.read_metadata(mine), pq.read_metadata(path)
        assert a.num_row_groups == b.num_row_groups
        assert a.row_group(0).column(0).compression == b.row_group(0).column(0).compression == "SNAPPY"
    for a, b in zip(
        lines(ours / "meta/episodes_stats.jsonl"), lines(theirs / "meta/episodes_stats.jsonl"), strict=True
    ):
        assert a["stats"].keys() == b["stats"].keys()
        for key, expected in b["stats"].items():
            assert a["stats"][key].keys() == expected.keys()
            for name, value in expected.items():
                np.testing.assert_allclose(a["stats"][key][name], value, rtol=1e-4, atol=1e-6)
    missing = {p.relative_to(theirs) for p in theirs.rglob("*.mp4")} - {Path(p) for p in tree(ours)}
    assert not missing


@pytest.mark.parametrize("kind", KEY_NAMES)
def test_counts_and_indices_have_no_holes_and_one_schema(kind, roots):
    root, names = roots[kind], KEY_NAMES[kind]
    info = json.loads((root / "meta/info.json").read_text())
    tables = [pq.read_table(path) for path in sorted(root.glob("data/*/*.parquet"))]
    assert info["total_episodes"] == len(tables) == len(lines(root / "meta/episodes.jsonl")) == 3
    assert len(lines(root / "meta/episodes_stats.jsonl")) == 3
    assert info["total_videos"] == len(list(root.rglob("*.mp4"))) == 9
    assert info["total_frames"] == sum(table.num_rows for table in tables) == sum(LENGTHS)
    assert np.concatenate([table["index"] for table in tables]).tolist() == list(range(sum(LENGTHS)))
    assert {table.schema for table in tables} == {tables[0].schema}
    assert all(table.schema.equals(tables[0].schema, check_metadata=True) for table in tables)
    for name in ("task", "stage", "subtask"):
        rows = lines(root / f"meta/{name}s.jsonl")
        assert [row[f"{name}_index"] for row in rows] == list(range(len(rows)))
        assert len({row[name] for row in rows}) == len(rows)
    for key, used in (("stage_index", {0, 1}), ("task_index", {0, 1, 2})):
        assert set(np.concatenate([table[key] for table in tables]).tolist()) == used
    assert sorted(p.name for p in (root / "data/chunk-000").iterdir()) == [f"episode_{i:06d}.parquet" for i in range(3)]
    assert info["total_tasks"] == len(lines(root / "meta/tasks.jsonl")) == (10 if kind == "lerobot" else 3)
    assert set(names.cameras.values()) == {p.name for p in (root / "videos/chunk-000").iterdir()}


def test_texts_are_numbered_as_they_first_appear(roots):
    stages = [row["stage"] for row in lines(roots["lerobot"] / "meta/stages.jsonl")]
    subtasks = [row["subtask"] for row in lines(roots["lerobot"] / "meta/subtasks.jsonl")]
    assert stages == ["look around", "take the mug"]
    assert subtasks == [
        "turn to the counter",
        "open drawer 0",
        "close the gripper",
        "open drawer 1",
        "open drawer 2",
    ]
    tasks = [row["task"] for row in lines(roots["lerobot"] / "meta/tasks.jsonl")]
    assert tasks == ["find the mug", "find the plate", "find the spoon", *stages, *subtasks]


def test_the_last_frame_of_every_video_decodes_in_two_backends(roots):
    cv2 = pytest.importorskip("cv2")
    for path in sorted(roots["lerobot"].rglob("*.mp4")):
        length = LENGTHS[int(path.stem[-6:])]
        with av.open(str(path)) as container:
            decoded = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
        assert len(decoded) == length
        capture = cv2.VideoCapture(str(path))
        capture.set(cv2.CAP_PROP_POS_FRAMES, length - 1)
        ok, image = capture.read()
        capture.release()
        assert ok
        assert np.abs(image[..., ::-1].astype(int) - decoded[-1]).mean() < 2


def test_features_survive_a_json_round_trip(episodes):
    info = {camera: read_video_info(path) for camera, path in episodes[0].videos.items()}
    for names in KEY_NAMES.values():
        described = features(names, STATE_LAYOUT, ACTION_LAYOUT, info)
        assert json.loads(json.dumps(described)) == described
        assert [described[names.state]["shape"], described[names.action]["shape"]] == [[16], [12]]
