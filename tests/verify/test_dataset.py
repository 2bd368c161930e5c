from __future__ import annotations

import gzip
import json
import shutil
from dataclasses import replace

import av
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import verify_dataset
from verify_toy import instance

from sim.camera import CAMERAS
from sim.render import frames, load_model
from verify.dataset import CHECKS, check_dataset
from verify.demonstration import EpisodeReport
from verify.leaks import check_duplicates, check_splits
from verify.reading import DatasetUnreadable
from verify.rerender import check_frames

PARQUET = "data/chunk-000/episode_000001.parquet"
LEFT = "videos/chunk-000/observation.images.agentview_left/episode_000000.mp4"
RIGHT = "videos/chunk-000/observation.images.agentview_right/episode_000000.mp4"


def failed(root, **options):
    """Names of the checks that complain, with `deep` off unless asked for: simulating is tested elsewhere."""
    return set(check_dataset(root, **{"deep": False, **options}).failures)


def edit_json(path, change):
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))


def edit_line(path, number, change):
    lines = path.read_text().splitlines()
    record = json.loads(lines[number])
    change(record)
    lines[number] = json.dumps(record)
    path.write_text("\n".join(lines) + "\n")


def edit_column(root, name, change, cast=None):
    """Changes a column of episode 1, and nothing else of the file."""
    table = pq.read_table(root / PARQUET)
    place = table.schema.get_field_index(name)
    column = table.column(name).combine_chunks()
    values = np.array(column.flatten() if pa.types.is_fixed_size_list(column.type) else column)
    change(values)
    new = pa.array(values) if cast is None else pa.array(values.astype(cast))
    if pa.types.is_fixed_size_list(column.type):
        new = pa.FixedSizeListArray.from_arrays(new, type=column.type)
    table = table.set_column(place, pa.field(name, new.type), new)
    write_table(root, table.replace_schema_metadata(table.schema.metadata))


def write_table(root, table):
    (root / PARQUET).unlink()
    pq.write_table(table, root / PARQUET)


def reencode(path, change):
    """Writes a video again with its frames changed."""
    with av.open(str(path)) as source:
        images = [frame.to_ndarray(format="rgb24") for frame in source.decode(video=0)]
    path.unlink()
    with av.open(str(path), "w") as target:
        stream = target.add_stream("libx264", 20, options={"crf": "10", "bf": "0"})
        stream.height, stream.width, stream.pix_fmt = *images[0].shape[:2], "yuv420p"
        for image in change(images):
            target.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
        target.mux(stream.encode(None))


def edit_recording(root, name, change):
    """Replaces a file of the first recording; the original may be shared with others."""
    path = root / "extras" / instance().instance_id / name
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(change(content))


def test_a_good_dataset_passes_every_check(dataset):
    report = check_dataset(dataset)
    assert report.failures == {}
    assert report.skipped == ()
    assert report.figures["episodes"] == 2
    assert set(report.to_json()["checks"].values()) == {"passed"}
    assert str(dataset.parent) not in json.dumps(report.to_json())
    assert report == check_dataset(dataset)


def test_openpi_names_pass(drawn, toy_words, tmp_path):
    verify_dataset.write(tmp_path / "toy", tmp_path / "work", drawn, "openpi")
    assert check_dataset(tmp_path / "toy").failures == {}


def test_recordings_without_frames(dataset):
    for part in ("data", "videos"):
        shutil.rmtree(dataset / part)
    (dataset / "meta/info.json").unlink()
    report = check_dataset(dataset)
    assert report.failures == {}
    assert "videos" in report.skipped
    edit_line(dataset / "meta/exploration_episodes.jsonl", 0, lambda r: r.update(seed=9))
    assert failed(dataset) == {"texts"}


def test_no_dataset(tmp_path):
    with pytest.raises(DatasetUnreadable, match="no folder"):
        check_dataset(tmp_path / "none")
    with pytest.raises(DatasetUnreadable, match="no meta"):
        check_dataset(tmp_path)


@pytest.mark.parametrize("key", ["total_frames", "total_videos", "total_tasks", "total_chunks"])
def test_a_wrong_total(dataset, key):
    edit_json(dataset / "meta/info.json", lambda r: r.update({key: r[key] + 1}))
    assert failed(dataset) == {"counts"}


def test_an_episode_too_many(dataset):
    edit_json(dataset / "meta/info.json", lambda r: r.update(total_episodes=3))
    assert failed(dataset) == {"counts"}


def test_two_lines_swapped(dataset):
    path = dataset / "meta/episodes.jsonl"
    path.write_text("\n".join(reversed(path.read_text().splitlines())) + "\n")
    assert "counts" in failed(dataset)


@pytest.mark.parametrize(
    ("key", "value"),
    [("fps", 30), ("codebase_version", "v2.0"), ("data_path", "data/{episode_index}.parquet"), ("chunks_size", 500)],
)
def test_a_constant_of_the_format(dataset, key, value):
    edit_json(dataset / "meta/info.json", lambda r: r.update({key: value}))
    assert failed(dataset) == {"meta"}


def test_what_was_not_checked_does_not_count_as_passed(dataset):
    (dataset / "meta/stats.json").unlink()
    report = check_dataset(dataset)
    assert set(report.failures) == {"meta"}
    assert set(report.skipped) == set(CHECKS[3:])


@pytest.mark.parametrize("name", ["data/chunk-000/episode_000002.parquet.tmp", "extras/notes.txt", "videos/.x.partial"])
def test_a_stray_file(dataset, name):
    (dataset / name).write_text("")
    assert failed(dataset) == {"files"}


def test_a_truncated_table(dataset):
    content = (dataset / PARQUET).read_bytes()
    (dataset / PARQUET).unlink()
    (dataset / PARQUET).write_bytes(content[:-20])
    assert {"schema", "counts", "stats", "vectors"} <= failed(dataset)


def test_two_indices_swapped(dataset):
    def swap(values):
        values[[4, 5]] = values[[5, 4]]

    edit_column(dataset, "frame_index", swap)
    assert failed(dataset) == {"index"}


def test_a_hole_in_the_global_index(dataset):
    edit_column(dataset, "index", lambda v: v.__iadd__(1))
    assert failed(dataset) == {"index", "stats"}


def test_a_late_frame(dataset):
    edit_column(dataset, "timestamp", lambda v: v.__setitem__(7, v[7] + 2e-4))
    assert {"timestamps"} <= failed(dataset) <= {"timestamps", "stats"}


@pytest.mark.parametrize("name", ["action", "observation.state"])
def test_a_flipped_bit_of_a_vector(dataset, name):
    edit_column(dataset, name, lambda v: v.view(np.uint32).__setitem__(16, v.view(np.uint32)[16] ^ 1))
    assert failed(dataset) == {"vectors"}


def test_another_type(dataset):
    edit_column(dataset, "stage_index", lambda v: None, cast=np.int32)
    assert failed(dataset) == {"schema"}


def test_no_huggingface_metadata(dataset):
    write_table(dataset, pq.read_table(dataset / PARQUET).replace_schema_metadata(None))
    assert failed(dataset) == {"schema"}


def test_another_caption(dataset):
    edit_line(dataset / "meta/subtasks.jsonl", 0, lambda r: r.update(subtask="Open the fridge"))
    assert failed(dataset) == {"texts"}


def test_a_caption_of_another_moment(dataset):
    edit_column(dataset, "subtask_index", lambda v: v.__setitem__(9, 1))
    assert failed(dataset) == {"texts", "stats"}


def test_a_caption_that_does_not_exist(dataset):
    edit_column(dataset, "stage_index", lambda v: v.__setitem__(9, 7))
    assert "texts" in failed(dataset)


def test_another_goal(dataset):
    edit_line(dataset / "meta/tasks.jsonl", 0, lambda r: r.update(task="Do nothing."))
    assert failed(dataset) == {"texts"}


@pytest.mark.parametrize(("name", "value"), [("mean", 0.5), ("std", 9.0), ("min", -1.0), ("max", 2.0)])
def test_wrong_statistics(dataset, name, value):
    def change(record):
        record["stats"]["action"][name][3] = value

    edit_line(dataset / "meta/episodes_stats.jsonl", 1, change)
    assert failed(dataset) == {"stats"}


def test_statistics_that_are_not_numbers(dataset):
    path = dataset / "meta/episodes_stats.jsonl"
    path.write_text(path.read_text().replace("[20]", "[NaN]", 1))
    report = check_dataset(dataset)
    assert "NaN is not JSON" in report.failures["meta"][0]
    assert set(report.failures) == {"meta", "counts"}


def test_statistics_in_the_wrong_form(dataset):
    edit_line(dataset / "meta/episodes_stats.jsonl", 0, lambda r: r["stats"]["action"].update(count=20))
    edit_line(dataset / "meta/episodes_stats.jsonl", 0, lambda r: r["stats"]["index"].update(std=[[0.0]]))
    assert failed(dataset) == {"stats"}


def test_image_statistics_of_other_pictures(dataset):
    def change(record):
        record["stats"]["observation.images.wrist"]["mean"][0][0][0] += 0.05

    edit_line(dataset / "meta/episodes_stats.jsonl", 0, change)
    assert failed(dataset) == {"videos"}


def test_statistics_of_the_whole(dataset):
    edit_json(dataset / "meta/stats.json", lambda r: r["action"]["q99"].__setitem__(0, 0.7))
    assert failed(dataset) == {"stats"}
    edit_json(dataset / "meta/constant_dimensions.json", lambda r: r["action"].pop())
    assert any("constant" in s for s in check_dataset(dataset, deep=False).failures["stats"])


def test_a_missing_frame(dataset):
    reencode(dataset / LEFT, lambda images: images[:-1])
    assert failed(dataset) == {"videos"}


def test_black_frames(dataset):
    reencode(dataset / LEFT, lambda images: [*images[:9], 0 * images[9], *images[10:]])
    assert any("black" in s for s in check_dataset(dataset, deep=False).failures["videos"])


def test_a_cut_video(dataset):
    content = (dataset / LEFT).read_bytes()
    (dataset / LEFT).unlink()
    (dataset / LEFT).write_bytes(content[: len(content) // 2])
    assert failed(dataset) == {"videos"}


def test_a_missing_video(dataset):
    (dataset / LEFT).unlink()
    assert failed(dataset) == {"counts", "files", "videos"}


def test_another_size(dataset):
    reencode(dataset / LEFT, lambda images: [image[:32, :32] for image in images])
    assert failed(dataset) == {"videos"}


def test_swapped_cameras(dataset):
    (dataset / LEFT).rename(dataset / "x.mp4")
    (dataset / RIGHT).rename(dataset / LEFT)
    (dataset / "x.mp4").rename(dataset / RIGHT)
    assert "frames" in failed(dataset, deep=True)


def test_a_video_that_is_one_frame_late(dataset):
    for key in ("agentview_left", "agentview_right", "wrist"):
        late = dataset / LEFT.replace("agentview_left", key)
        reencode(late, lambda images: [images[0], *images[:-1]])
    report = check_dataset(dataset)
    assert "shows state" in report.failures["frames"][0]


def test_frames_may_be_drawn_in_every_setting(good, roots):
    model, short = load_model(good, roots), replace(good, actions=good.actions[:3])
    for supersample, meshes in ((1, "light"), (2, "full")):
        pictures = list(frames(short, roots, 64, supersample, meshes))
        shown = {camera: {t: pictures[t][camera] for t in (0, 2)} for camera in CAMERAS}
        assert list(check_frames(0, model, good, shown, 2)) == []


def test_no_opengl(dataset, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("no OpenGL")

    monkeypatch.setattr("verify.rerender.Renderer", broken)
    assert failed(dataset, deep=True) == {"frames"}
    report = check_dataset(dataset, render=False)
    assert report.ok
    assert report.skipped == ("frames",)


def test_a_recording_that_is_not_complete(dataset):
    (dataset / "extras" / instance().instance_id / "events.json").unlink()
    assert {"files", "recordings", "vectors", "texts"} <= failed(dataset)


def test_a_recording_that_does_not_pass(dataset):
    edit_recording(dataset, "outcome.json", lambda content: content.replace(b'"success": true', b'"success": false'))
    report = check_dataset(dataset)
    assert set(report.failures) == {"recordings"}
    assert report.episodes[0]["failed"] == ["recordings"]
    assert report.episodes[1]["failed"] == []


def test_a_model_that_is_not_the_recording_s(dataset):
    edit_recording(
        dataset,
        "model.xml.gz",
        lambda content: gzip.compress(gzip.decompress(content).replace(b'pos="1 1 0.021"', b'pos="1.2 1 0.021"')),
    )
    assert "recordings" in failed(dataset, deep=True)


def test_worker_processes_fail_closed(dataset):
    """In another process the toy is no task and has no words, so its captions cannot be judged there."""
    report = check_dataset(dataset, workers=2, deep=False)
    assert [episode["failed"] for episode in report.episodes] == [["texts"], ["texts"]]
    assert "the check broke" in report.failures["texts"][0]


def reports(*instances):
    return [
        EpisodeReport(i, instance=each.to_json(), fingerprint=each.instance_id + str(i))
        for i, each in enumerate(instances)
    ]


def test_an_instance_twice():
    assert list(check_duplicates(reports(instance(1), instance(2, extra=1)))) == []
    assert "same instance" in next(check_duplicates(reports(instance(1), instance(1))))
    assert "same problem" in next(check_duplicates(reports(instance(1), instance(2))))
    twice = reports(instance(1), instance(2, extra=1))
    twice[1].fingerprint = twice[0].fingerprint
    assert "same actions" in next(check_duplicates(twice))


@pytest.mark.usefixtures("toy_words")
def test_eval_leaks():
    assert list(check_splits(reports(instance(), instance(2)))) == []
    for leak, words in (
        (instance(style=11), "style 11"),
        (instance(layout=10), "layout 10"),
        (instance(held_out=True), "structure"),
    ):
        assert words in next(check_splits(reports(instance(), leak)))
        assert list(check_splits(reports(replace(leak, split="eval")))) == []
    assert "more than one split" in next(check_splits(reports(instance(), instance(split="eval"))))
    assert "cannot be read" in next(check_splits([EpisodeReport(0)]))
