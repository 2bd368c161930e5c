"""The HTML of the report, as pieces of text: nothing outside the page is needed to show it."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from pipeline.report_data import DatasetView, EpisodeView, Segment, stages
from pipeline.report_figures import Figures, Spread, Tally
from pipeline.report_pictures import Pictures, key_ticks

STAGE_BAND = (10.0, 50.0)
SUBTASK_BAND = (4.0, 15.0)
"""Lengths that stages and subtasks should have, s (for subtasks: on average)."""
HUES = (212, 158, 32, 268, 340, 190, 90, 12)
SPEEDS = "".join(
    f'<option value="{speed}"{" selected" if speed == 1 else ""}>{speed:g}&times;</option>' for speed in (0.5, 1, 2, 4)
)
TITLE = "Demonstrations of {task}"


def page(data: DatasetView, figures: Figures, pictures: Iterable[Pictures], players: int, sheets: int) -> Iterator[str]:
    """The page.

    Args:
        data, figures: what it shows.
        pictures: those of every episode, in order; read as the page is written.
        players, sheets: how many episodes have a player, a contact sheet.
    """
    title = escape(TITLE.format(task=data.task))
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{title}</title>\n<style>\n{_asset('css')}</style>\n</head>\n<body>\n"
    yield f'<header class="top"><h1>{title}</h1><p class="quiet">{escape(data.name)}</p></header>\n<main>\n'
    yield _tiles(data, figures)
    yield _levels(data, figures)
    yield _failures(data, figures)
    yield _layouts(data, figures)
    yield '<section><h2>How long things take</h2><div class="pair">'
    yield _histogram("Stages", figures.stage_s, figures.stage_texts, STAGE_BAND, 60)
    yield _histogram("Subtasks", figures.subtask_s, figures.subtask_texts, SUBTASK_BAND, 30)
    yield "</div></section>\n<section><h2>Episodes</h2>\n"
    yield f'<p class="quiet">{_embedded(len(data.episodes), players, sheets)}</p>\n'
    for episode, drawn in zip(data.episodes, pictures, strict=True):
        yield from _episode(episode, data.fps, drawn)
    yield f"</section>\n</main>\n<script>\n{_asset('js')}</script>\n</body>\n</html>\n"


def _embedded(episodes: int, players: int, sheets: int) -> str:
    if not players and not sheets:
        return "No pictures: the dataset holds recordings without frames, or none were asked for."

    def some(count: int) -> str:
        return "every episode" if count == episodes else f"the first {count} of {episodes} episodes"

    has = [f"a contact sheet of {some(sheets)}"] * bool(sheets) + [f"a player for {some(players)}"] * bool(players)
    text = f"There is {' and '.join(has)}."
    if players:
        text += (
            " Players show the cameras side by side, encoded anew for this page, softer than in the dataset."
            " Click a picture or the bar to go there; space plays, arrow keys step (with shift, by a second)."
        )
    return text


def _tiles(data: DatasetView, figures: Figures) -> str:
    total = figures.total
    tiles = [
        ("episodes", f"{len(data.episodes)}"),
        ("hours", f"{figures.hours:.2f}"),
        ("minutes an episode", f"{figures.mean_minutes:.2f}"),
        ("frames", f"{figures.frames:,}"),
        ("seconds a stage", f"{figures.stage_s.mean:.1f}"),
        ("seconds a subtask", f"{figures.subtask_s.mean:.1f}"),
    ]
    if data.attempts is not None:
        tiles += [
            (f"success, {total.succeeded} of {total.attempts} attempts", _percent(total.succeeded, total.attempts)),
            (f"at first, {total.first_succeeded} of {total.first}", _percent(total.first_succeeded, total.first)),
        ]
    cells = "".join(f"<div><b>{value}</b><span>{name}</span></div>" for name, value in tiles)
    return f'<section class="tiles">{cells}</section>\n'


def _levels(data: DatasetView, figures: Figures) -> str:
    rows = [*figures.levels, figures.total] if len(figures.levels) > 1 else figures.levels
    return f"<section><h2>Success by level</h2>{_tally_table(data, figures.settings, rows)}</section>\n"


def _layouts(data: DatasetView, figures: Figures) -> str:
    if len(figures.layouts) < 2:
        return ""
    return f"<section><h2>Success by kitchen layout</h2>{_tally_table(data, ('layout',), figures.layouts)}</section>\n"


def _tally_table(data: DatasetView, names: Sequence[str], rows: Sequence[Tally]) -> str:
    logged = data.attempts is not None
    head = [*names, "episodes", "minutes"]
    if logged:
        head += ["attempts", "succeeded", "at first", "rewinds", "failures"]
    body = []
    for tally in rows:
        label = [str(v) for v in tally.label] if tally.label else ["all", *[""] * (len(names) - 1)]
        cells = [*label[: len(names)], str(tally.episodes), _number(tally.minutes)]
        if logged:
            reasons = ", ".join(f"{reason} {n}" for reason, n in tally.reasons.most_common())
            cells += [
                str(tally.attempts),
                _share(tally.succeeded, tally.attempts),
                _share(tally.first_succeeded, tally.first),
                _number(tally.rewinds),
                reasons,
            ]
        body.append(cells)
    return _table(head, body)


def _failures(data: DatasetView, figures: Figures) -> str:
    if data.attempts is None:
        return (
            "<section><h2>Failures</h2><p class='quiet'>There is no attempts.jsonl beside the dataset, "
            "so attempts that failed are not known here.</p></section>\n"
        )
    reasons = figures.total.reasons
    if not reasons:
        return "<section><h2>Failures</h2><p class='quiet'>No attempt failed.</p></section>\n"
    rows = [
        [reason, str(count), _share(count, figures.total.attempts), _shorten(figures.examples[reason])]
        for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    ]
    table = _table(["reason", "attempts", "of all attempts", "the first of them"], rows)
    return f"<section><h2>Failures</h2>{table}</section>\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _histogram(name: str, spread: Spread, texts: int, band: tuple[float, float], top: int, bins: int = 30) -> str:
    counts = [0] * bins
    for value in spread.values:
        counts[min(int(value / top * bins), bins - 1)] += 1
    width, height, tallest = 480, 110, max(counts)
    bar = width / bins
    bars = "".join(
        f'<rect x="{k * bar + 1:.1f}" y="{height - n / tallest * height:.1f}" width="{bar - 2:.1f}" '
        f'height="{n / tallest * height:.1f}"><title>{n}</title></rect>'
        for k, n in enumerate(counts)
        if n
    )
    low, high = (edge / top * width for edge in band)
    ticks = "".join(
        f'<text x="{s / top * width:.1f}" y="{height + 16}">{s}{"+" if s == top else ""}</text>'
        for s in range(0, top + 1, top // 6)
    )
    return (
        f'<figure class="histogram"><figcaption><b>{name}</b> {len(spread.values)}, of {texts} different texts; '
        f"mean {spread.mean:.1f} s, median {spread.median:.1f} s, {min(spread.values):.1f} to "
        f"{max(spread.values):.1f} s; {spread.share(*band):.0%} within {band[0]:g}-{band[1]:g} s</figcaption>"
        f'<svg viewBox="-8 0 {width + 24} {height + 22}" role="img"><rect class="band" x="{low:.1f}" y="0" '
        f'width="{high - low:.1f}" height="{height}"/>{bars}{ticks}</svg></figure>'
    )


def _episode(episode: EpisodeView, fps: int, drawn: Pictures) -> Iterator[str]:
    facts = [f"{name} {value}" for name, value in episode.level.items()]
    facts += [f"{name} {episode.origin[name]}" for name in ("layout", "style", "seed") if name in episode.origin]
    facts += [f"{_clock(episode.length / fps)} min", f"{len(episode.segments)} subtasks", episode.instance_id]
    live = ' data-live="1"' if drawn.video is not None else ""
    yield f'<article id="episode-{episode.index}" data-fps="{fps}" data-length="{episode.length}"{live}>\n'
    yield f"<h3>Episode {episode.index} <small>{escape(' · '.join(facts))}</small></h3>\n"
    yield f'<p class="goal">{escape(episode.goal)}</p>\n'
    if drawn.video is not None:
        cameras = "".join(f"<span>{escape(camera)}</span>" for camera in episode.videos)
        yield (
            f'<div class="player" style="--cameras:{len(episode.videos)}">'
            '<video muted playsinline tabindex="0"></video>'
            f'<div class="cameras">{cameras}</div>'
            '<div class="now"><button type="button" aria-label="play or pause">&#9654;</button>'
            f'<select aria-label="speed">{SPEEDS}</select>'
            "<output></output><div><b></b><span></span></div></div></div>\n"
        )
    yield _bar(episode, fps)
    if drawn.video is not None:
        yield f'<script type="text/plain" class="mp4">{base64.b64encode(drawn.video).decode()}</script>\n'
    if drawn.sheet:
        yield from _sheet(episode, fps, drawn)
    yield "</article>\n"


def _bar(episode: EpisodeView, fps: int) -> str:
    """The subtasks as a bar in proportion to their length; a colour for every stage."""
    pieces = []
    for number, run in enumerate(stages(episode.segments)):
        for k, segment in enumerate(run):
            text = f"{_span(segment, fps)}  {segment.stage} · {segment.subtask}"
            pieces.append(
                f'<i style="--hue:{HUES[number % len(HUES)]};flex-grow:{segment.end - segment.start}" '
                f'class="{"odd" if k % 2 else "even"}" title="{escape(text)}" data-start="{segment.start}" '
                f'data-end="{segment.end}" data-stage="{escape(segment.stage)}" '
                f'data-subtask="{escape(segment.subtask)}"></i>'
            )
    return f'<div class="bar">{"".join(pieces)}<u></u></div>\n'


def _sheet(episode: EpisodeView, fps: int, drawn: Pictures) -> Iterator[str]:
    for number, run in enumerate(stages(episode.segments)):
        span = _span(Segment(run[0].start, run[-1].end, "", ""), fps)
        hue = HUES[number % len(HUES)]
        yield f'<h4 style="--hue:{hue}">{escape(run[0].stage)} <small>{span}</small></h4>\n<div class="sheet">'
        for segment in run:
            for tick in key_ticks(segment, fps, segment is episode.segments[-1]):
                picture = base64.b64encode(drawn.sheet[tick]).decode()
                yield (
                    f'<figure data-tick="{tick}"><img alt="" decoding="async" src="data:image/jpeg;base64,{picture}">'
                    f"<figcaption><time>{_clock(tick / fps)}</time> {escape(segment.subtask)}</figcaption></figure>"
                )
        yield "</div>\n"


def _clock(seconds: float) -> str:
    """Minutes, seconds and tenths, as 1:07.5."""
    tenths = int(seconds * 10 + 0.5)
    return f"{tenths // 600}:{tenths % 600 // 10:02d}.{tenths % 10}"


def _span(segment: Segment, fps: int) -> str:
    return f"{_clock(segment.start / fps)} - {_clock(segment.end / fps)}"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({_percent(part, whole)})" if whole else "-"


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _shorten(text: str, most: int = 160) -> str:
    """The end of a traceback says what went wrong."""
    lines = text.strip().splitlines()
    text = " ".join(lines[-1].split()) if lines else ""
    return text if len(text) <= most else text[: most - 1] + "…"


def _asset(kind: str) -> str:
    return Path(__file__).with_name(f"report_page.{kind}").read_text(encoding="utf-8")
