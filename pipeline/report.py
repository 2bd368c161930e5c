"""`scripts/report.py`: one HTML page about a dataset, complete in itself. The same dataset gives the same page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.config import BadInput
from pipeline.report_data import DatasetView, read_dataset
from pipeline.report_figures import figures
from pipeline.report_page import page
from pipeline.report_pictures import Pictures, draw_pictures
from sim.disk import sync


@dataclass
class ReportConf:
    """What a user can set.

    Attributes:
        dataset: folder of the dataset.
        out: the page; None: beside the dataset, `<dataset>.html`.
        players: how many episodes, from the first on, get a player.
        sheets: how many get a contact sheet; None: all.
        thumb: side of a camera's picture in a contact sheet, pixels.
        side: largest side of a camera's picture in a player, pixels.
    """

    dataset: str = ""
    out: str | None = None
    players: int = 12
    sheets: int | None = None
    thumb: int = 144
    side: int = 256


def report(conf: ReportConf) -> int:
    """Writes the page; returns the exit code. Raises BadInput."""
    if not conf.dataset:
        raise BadInput("report needs a dataset: dataset=data/puzzle_box")
    for name, least in (("players", 0), ("sheets", 0), ("thumb", 16), ("side", 16)):
        value = getattr(conf, name)
        if value is not None and value < least:
            raise BadInput(f"{name}={value} is too small: it must be at least {least}")
    root = Path(conf.dataset).expanduser().absolute()
    data = read_dataset(root)
    target = _target(conf, root)
    pictured = len(data.episodes) if data.episodes[0].videos else 0
    players = min(conf.players, pictured)
    sheets = pictured if conf.sheets is None else min(conf.sheets, pictured)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.draft")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            pictures = _pictures(data, conf, players, sheets)
            file.writelines(page(data, figures(data), pictures, players, sheets))
        sync(draft)
        draft.rename(target)
    finally:
        draft.unlink(missing_ok=True)
    print(f"report on {len(data.episodes)} episodes, {target.stat().st_size / 1e6:.1f} MB: {target}")
    return 0


def _target(conf: ReportConf, root: Path) -> Path:
    target = Path(conf.out).expanduser().absolute() if conf.out else root.with_name(f"{root.name}.html")
    if target.is_dir():
        raise BadInput(f"out={conf.out or target} is a folder; name the file to write, for example report.html")
    if target.resolve().is_relative_to(root.resolve()):
        raise BadInput(f"out={conf.out} lies inside the dataset, which has to stay as it is; choose a place outside")
    return target


def _pictures(data: DatasetView, conf: ReportConf, players: int, sheets: int) -> Iterator[Pictures]:
    """The pictures of every episode, made when they are asked for: no more than one episode's are held."""
    for number, episode in enumerate(data.episodes):
        sheet, video = number < sheets, number < players
        if sheet or video:
            yield draw_pictures(episode, data.fps, thumb=conf.thumb, side=conf.side, sheet=sheet, video=video)
        else:
            yield Pictures({}, None)
