import os
import subprocess
import sys

import av
import numpy as np
import pytest
from lerobot_samples import CAMERAS, FPS, frames, videos

from pipeline.video import (
    EncoderMissing,
    VideoError,
    VideoSpec,
    check_video,
    encode_episode,
    read_video_info,
)


def decode(path):
    with av.open(str(path)) as container:
        return list(container.decode(video=0))


def test_every_frame_comes_back_in_its_place(tmp_path):
    encoded = videos(tmp_path, 57)
    assert encoded.frames == 57
    assert list(encoded.paths) == list(CAMERAS)
    assert encoded.sizes == dict.fromkeys(CAMERAS, (64, 64))
    for camera in CAMERAS:
        decoded = decode(encoded.paths[camera])
        assert len(decoded) == 57
        for source, frame in zip(frames(57), decoded, strict=True):
            difference = frame.to_ndarray(format="rgb24").astype(int) - source[camera]
            assert np.abs(difference).mean() < 2
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(f"{c}.mp4" for c in CAMERAS)


def test_timestamps_rise_by_exactly_one_tick(tmp_path):
    path = videos(tmp_path, 45).paths["wrist"]
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        packets = [packet for packet in container.demux(stream) if packet.pts is not None]
        assert stream.base_rate == stream.average_rate == FPS
        tick = 1 / (FPS * stream.time_base)
    assert [packet.pts for packet in packets] == [tick * t for t in range(45)]
    assert all(packet.dts == packet.pts for packet in packets)


def test_key_frames_are_never_more_than_a_gop_apart(tmp_path):
    keys = [i for i, frame in enumerate(decode(videos(tmp_path, 45).paths["wrist"])) if frame.key_frame]
    assert keys[0] == 0
    assert max(np.diff([*keys, 45])) <= VideoSpec().gop


def test_header(tmp_path):
    info = read_video_info(videos(tmp_path, 5, size=32).paths["wrist"])
    assert (info.height, info.width, info.fps, info.codec, info.pix_fmt, info.frames) == (
        32,
        32,
        20,
        "h264",
        "yuv420p",
        5,
    )


def test_the_same_frames_give_the_same_bytes_and_no_time_enters(tmp_path):
    first = videos(tmp_path / "a", 40)
    other = tmp_path / "b"
    other.mkdir()
    script = (
        "import pathlib, lerobot_samples as s; "
        f"s.encode_episode(s.frames(40), pathlib.Path({str(other)!r}), s.FPS, length=40)"
    )
    path = os.pathsep.join([os.getcwd(), os.path.dirname(__file__)])  # noqa: PTH109, PTH120
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "5", "TZ": "Asia/Tokyo"}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
    for camera in CAMERAS:
        data = first.paths[camera].read_bytes()
        assert data == (other / f"{camera}.mp4").read_bytes()
        for box in (b"mvhd", b"tkhd", b"mdhd"):
            start = data.index(box) + 8
            assert data[start : start + 8] == bytes(8), f"{box} has a creation or modification time"
        with av.open(str(first.paths[camera])) as container:
            assert "creation_time" not in container.metadata


def test_image_statistics_are_of_the_source_frames(tmp_path):
    encoded = videos(tmp_path, 130)
    pictures = np.stack([tick["wrist"] for tick in frames(130)])
    chosen = pictures[np.round(np.linspace(0, 129, 100)).astype(int)] / 255
    stats = encoded.image_stats["wrist"]
    assert stats["count"] == [100]
    np.testing.assert_allclose(np.ravel(stats["mean"]), chosen.mean(axis=(0, 1, 2)), rtol=1e-9)
    np.testing.assert_allclose(np.ravel(stats["std"]), chosen.std(axis=(0, 1, 2)), rtol=1e-9)


def test_frames_are_taken_one_at_a_time(tmp_path):
    alive = 0

    class Tick(dict):
        def __del__(self):
            nonlocal alive
            alive -= 1

    def source():
        nonlocal alive
        for tick in frames(60):
            alive += 1
            assert alive <= 3
            yield Tick(tick)

    encode_episode(source(), tmp_path, FPS, length=60)


@pytest.mark.parametrize("size", [(65, 64), (64, 65), (0, 0), (8, 8)])
def test_a_size_that_cannot_be_encoded_is_refused_in_one_sentence(tmp_path, size):
    with pytest.raises(VideoError, match="even height and width") as error:
        check_video(VideoSpec(), *size)
    assert "\n" not in str(error.value)
    image = np.zeros((*size, 3), dtype=np.uint8)
    with pytest.raises(VideoError, match="even height and width"):
        encode_episode([{"wrist": image}], tmp_path, FPS, length=1)
    assert not list(tmp_path.iterdir())


def test_encoder_is_probed():
    check_video(VideoSpec(), 256, 256)
    with pytest.raises(EncoderMissing, match="cannot encode codec 'vp3'"):
        check_video(VideoSpec(codec="vp3"), 64, 64)
    with pytest.raises(VideoError, match="refuses"):
        check_video(VideoSpec(preset="instant"), 64, 64)


def test_an_encoder_that_refuses_leaves_nothing(tmp_path):
    with pytest.raises(VideoError, match="refuses"):
        encode_episode(frames(3), tmp_path, FPS, VideoSpec(preset="instant"), length=3)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("actual", [9, 11])
def test_a_wrong_number_of_frames_leaves_nothing(tmp_path, actual):
    with pytest.raises(VideoError, match="10"):
        encode_episode(frames(actual), tmp_path, FPS, length=10)
    assert not list(tmp_path.iterdir())


def test_a_renderer_that_fails_leaves_nothing(tmp_path):
    def broken():
        yield from frames(5)
        raise RuntimeError("no context")

    with pytest.raises(RuntimeError, match="no context"):
        encode_episode(broken(), tmp_path, FPS, length=10)
    assert not list(tmp_path.iterdir())


def test_images_that_change_their_form_are_refused(tmp_path):
    good = next(frames(1))
    for bad, message in [
        (good | {"wrist": good["wrist"][:32]}, "first was uint8"),
        (good | {"wrist": good["wrist"].astype(np.float32)}, "float32"),
        ({"wrist": good["wrist"]}, "cameras"),
    ]:
        with pytest.raises(VideoError, match=message):
            encode_episode([good, bad], tmp_path, FPS, length=2)
    with pytest.raises(VideoError, match="must be uint8"):
        encode_episode([{"wrist": good["wrist"][..., 0]}], tmp_path, FPS, length=1)
    assert not list(tmp_path.iterdir())


def test_a_cut_video_is_not_readable(tmp_path):
    path = videos(tmp_path, 20).paths["wrist"]
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(VideoError, match="not a readable video"):
        read_video_info(path)
    with pytest.raises(VideoError, match="not a readable video"):
        read_video_info(tmp_path / "absent.mp4")
