"""The report page: what it says, that it needs nothing else, that it is the same every time, and what it refuses."""

from __future__ import annotations

import base64
import io
import json
import re
import shutil
from html.parser import HTMLParser

import av
import pytest
from lerobot_samples import episode, videos
from PIL import Image

from pipeline.config import BadInput
from pipeline.lerobot import LEROBOT_NAMES, OPENPI_NAMES, write_dataset
from pipeline.report import ReportConf, report
from pipeline.report_data import Segment, read_dataset
from pipeline.report_figures import figures
from pipeline.report_pictures import key_ticks

LENGTHS = (60, 45, 50)
VOID = {"meta", "img", "rect"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folder with a dataset of three episodes, `toy`, and the log of the run that made it."""
    folder = tmp_path_factory.mktemp("out")
    episodes = [episode(n, videos(folder / f"v{n}", length)) for n, length in enumerate(LENGTHS)]
    episodes[1].extra["level"] = "hard"
    for item in episodes:
        item.extra["level_size"] = 2 + int(item.extra["level"] == "hard")
        item.extra["task"] = "toy"
    write_dataset(folder / "toy", episodes, names=LEROBOT_NAMES, card="a card")
    write_dataset(folder / "other", episodes[:1], names=OPENPI_NAMES, card="a card")
    rows = [
        attempt(0, 0, 2),
        attempt(1, 0, 3, "slipped", "Traceback\n  in /some/file\nthe <item> stayed\n"),
        attempt(1, 1, 3),
        attempt(2, 0, 2),
    ]
    rows.append({**attempt(0, 0, 2), "task": "another"})
    lines = [json.dumps(row) for row in rows]
    (folder / "attempts.jsonl").write_text("\n".join(lines) + '\n{"task": "toy", "sl')
    return folder


def attempt(slot, number, size, reason="", detail=""):
    return {
        "task": "toy",
        "slot": slot,
        "attempt": number,
        "seed": slot,
        "level": {"size": size},
        "layout": 11,
        "style": 1,
        "success": not reason,
        "reason": reason,
        "detail": detail,
        "ticks": 50,
        "rewinds": slot,
    }


def make(folder, name="toy", **settings):
    out = folder / "page.html"
    assert report(ReportConf(dataset=str(folder / name), out=str(out), **settings)) == 0
    return out.read_text()


class Checker(HTMLParser):
    """Every element is closed in its turn, and nothing is loaded from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.links = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "srcset", "poster")]

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


def test_figures(made):
    found = figures(read_dataset(made / "toy"))
    assert found.frames == sum(LENGTHS)
    assert found.mean_minutes == pytest.approx(sum(LENGTHS) / 3 / 20 / 60)
    assert (found.total.attempts, found.total.succeeded) == (4, 3)
    assert (found.total.first, found.total.first_succeeded) == (3, 2)
    assert found.total.rewinds == pytest.approx(1.0)
    assert [(t.label, t.episodes, t.attempts, t.succeeded) for t in found.levels] == [((2,), 2, 2, 2), ((3,), 1, 2, 1)]
    assert found.total.reasons == {"slipped": 1}
    assert found.examples == {"slipped": "Traceback\n  in /some/file\nthe <item> stayed\n"}
    assert sum(found.subtask_s.values) == pytest.approx(sum(LENGTHS) / 20)


def test_captions_are_those_of_the_columns(made):
    first = read_dataset(made / "toy").episodes[0]
    assert [(s.start, s.end, s.stage) for s in first.segments] == [
        (0, 15, "look around"),
        (15, 30, "look around"),
        (30, 59, "take the mug"),
        (59, 60, "look around"),
    ]
    assert first.segments[1].subtask == "open drawer 0"
    assert list(first.videos) == ["agentview_left", "agentview_right", "wrist"]


def test_page_is_complete_in_itself(made):
    text = make(made)
    checker = Checker()
    checker.feed(text)
    assert not checker.open
    assert checker.links and all(link.startswith("data:image/jpeg;base64,") for link in checker.links)
    assert not re.search(r"https?://|@import|url\(", text)
    assert str(made) not in text
    assert "the &lt;item&gt; stayed" in text and "<item>" not in text and "/some/file" not in text


def test_page_is_always_the_same(made):
    assert make(made) == make(made)


def test_players_and_sheets_show_the_frames(made):
    text = make(made)
    (first, *rest) = re.findall(r'class="mp4">([^<]+)<', text)
    assert len(rest) == 2
    with av.open(io.BytesIO(base64.b64decode(first))) as container:
        frames = list(container.decode(video=0))
    assert len(frames) == LENGTHS[0]
    assert (frames[0].width, frames[0].height) == (3 * 64 + 2 * 4, 64)
    assert [round(frame.time * 20) for frame in frames] == list(range(LENGTHS[0]))
    article = text[text.index('id="episode-0"') : text.index('id="episode-1"')]
    shown = re.findall(r'data-tick="(\d+)"><img[^>]*base64,([^"]+)"><figcaption><time>([^<]+)</time> ([^<]+)<', article)
    assert [(int(tick), time, caption) for tick, _, time, caption in shown] == [
        (7, "0:00.4", "turn to the counter"),
        (22, "0:01.1", "open drawer 0"),
        (44, "0:02.2", "close the gripper"),
        (59, "0:03.0", "turn to the counter"),
    ]
    for tick, picture, _, _ in shown:
        image = Image.open(io.BytesIO(base64.b64decode(picture)))
        # frame t of the samples starts at brightness 20 + 7 t mod 170 (lerobot_samples.frames)
        assert abs(image.getpixel((2, 30))[0] - (21 + 7 * int(tick) % 170)) < 6
        assert image.size == (200, 64)


def test_what_is_left_out_is_said(made):
    text = make(made, players=1, sheets=2)
    assert "a contact sheet of the first 2 of 3 episodes and a player for the first 1 of 3 episodes" in text
    assert text.count('class="mp4"') == 1
    assert text.count('class="bar"') == 3
    none = make(made, players=0, sheets=0)
    assert "No pictures" in none and "<img" not in none


def test_dataset_with_other_names_and_no_log(made, tmp_path):
    folder = tmp_path / "alone"
    (made / "other").rename(folder)
    try:
        text = make(tmp_path, "alone")
    finally:
        folder.rename(made / "other")
    assert "There is no attempts.jsonl beside the dataset" in text
    assert "<span>right_image</span>" in text


def test_recordings_without_frames(tmp_path):
    folder = tmp_path / "bare"
    (folder / "meta").mkdir(parents=True)
    row = {
        "episode_index": 0,
        "instance_id": "a",
        "goal": "open it",
        "task": "toy",
        "length": 40,
        "timeline": [{"start": 0, "end": 40, "stage": "look", "subtask": "turn"}],
    }
    (folder / "meta/exploration_episodes.jsonl").write_text(json.dumps(row) + "\n")
    text = make(tmp_path, "bare")
    assert "recordings without frames" in text and 'data-subtask="turn"' in text


def test_default_place_is_beside_the_dataset(made):
    assert report(ReportConf(dataset=str(made / "toy"), players=0, sheets=1)) == 0
    assert (made / "toy.html").is_file()
    assert not list(made.glob(".*.draft"))


def test_key_frames_are_spread_over_a_subtask():
    assert key_ticks(Segment(100, 120, "", ""), 20, last=False) == [110]
    assert key_ticks(Segment(0, 300, "", ""), 20, last=False) == [50, 150, 250]
    assert key_ticks(Segment(0, 2000, "", ""), 20, last=True)[-1] == 1999
    assert key_ticks(Segment(5, 6, "", ""), 20, last=True) == [5]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dataset": ""}, "needs a dataset"),
        ({"dataset": "nowhere"}, "does not exist"),
        ({"dataset": "{out}"}, "cannot be read as a dataset"),
        ({"dataset": "{out}/toy", "players": -1}, "players=-1 is too small"),
        ({"dataset": "{out}/toy", "out": "{out}/toy/data/page.html"}, "inside the dataset"),
        ({"dataset": "{out}/toy", "out": "{out}"}, "is a folder"),
    ],
)
def test_bad_input_is_refused(made, settings, message):
    filled = {name: value.format(out=made) if isinstance(value, str) else value for name, value in settings.items()}
    with pytest.raises(BadInput, match=message):
        report(ReportConf(**filled))


def test_a_broken_video_is_named(made, tmp_path):
    shutil.copytree(made / "toy", tmp_path / "toy")

    victim = next((tmp_path / "toy/videos").rglob("*wrist/episode_000001.mp4"))
    victim.write_bytes(victim.read_bytes()[:2000])
    with pytest.raises(BadInput, match="a video of episode 1"):
        make(tmp_path)
    assert not (tmp_path / "page.html").exists() and not list(tmp_path.glob(".*.draft"))
