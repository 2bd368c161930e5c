"""The command line of scripts/verify.py: settings, the table, and verification.json.

Exit codes: 0 everything holds, 1 something does not, 2 the command could not be carried out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.gl import BACKENDS, GLError, limit_threads, setup_gl

if TYPE_CHECKING:
    from verify.dataset import DatasetReport

PASSED, FAILED, REFUSED = 0, 1, 2
RESULT = "verification.json"
WIDTH = 150


class BadInput(ValueError):
    """Something that was asked for cannot be done; the message is one sentence."""


@dataclass(frozen=True)
class Settings:
    """What can be set, as `key=value`.

    Attributes:
        dataset: folder of the dataset to check.
        twins: instead, run the task's oracle on this many pairs of twins.
        task, seed: of the twins.
        workers: processes.
        deep: simulate and draw again.
        render: draw again.
        gl: OpenGL backend.
        assets: folder of RoboCasa assets (kitchen.assets).
    """

    dataset: str = ""
    twins: int = 0
    task: str = ""
    seed: int = 0
    workers: int = 1
    deep: bool = True
    render: bool = True
    gl: str = "auto"
    assets: str | None = None


ALIASES = {"kitchen.assets": "assets", "render.gl": "gl"}


def main(arguments: Sequence[str]) -> int:
    """Runs the command and returns its exit code."""
    try:
        settings = parse(arguments)
        _prepare(settings)
        return _twins(settings) if settings.twins else _dataset(settings)
    except BadInput as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return REFUSED


def parse(arguments: Sequence[str]) -> Settings:
    """Reads the settings. Raises BadInput."""
    known = {field.name: field.type for field in fields(Settings)}
    values: dict[str, Any] = {}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        name = ALIASES.get(key, key)
        if not equals or name not in known:
            raise BadInput(f"{argument!r} is not a setting; write key=value with a key of {', '.join(known)}")
        values[name] = _value(key, text, str(known[name]))
    settings = replace(Settings(), **values)
    if bool(settings.dataset) == bool(settings.twins):
        raise BadInput("give either dataset=<folder> to check a dataset, or twins=<pairs> task=<name> to run twins")
    if settings.twins and not settings.task:
        raise BadInput("twins need a task, for example task=puzzle_box")
    if settings.workers < 1 or settings.twins < 0 or settings.seed < 0:
        raise BadInput("workers must be at least 1, twins and seed at least 0")
    if settings.gl not in BACKENDS:
        raise BadInput(f"gl={settings.gl} is not known; it is one of {', '.join(BACKENDS)}")
    return settings


def _value(key: str, text: str, kind: str) -> Any:
    if kind == "int":
        if not text.lstrip("-").isdecimal():
            raise BadInput(f"{key}={text} must be a whole number")
        return int(text)
    if kind == "bool":
        words = {"true": True, "false": False, "none": False}
        if text.lower() not in words:
            raise BadInput(f"{key}={text} must be true or false")
        return words[text.lower()]
    return text or None if key.endswith("assets") else text


def _prepare(settings: Settings) -> None:
    """Threads and OpenGL are chosen before numpy and mujoco are imported."""
    limit_threads()
    if settings.twins or (settings.deep and settings.render):
        try:
            setup_gl(settings.gl)
        except GLError as error:
            hint = "" if settings.twins else "; or leave out the comparison of frames with render=false"
            raise BadInput(f"{error}{hint}") from error


def _dataset(settings: Settings) -> int:
    from sim.assets import AssetError, asset_roots
    from verify.dataset import check_dataset
    from verify.reading import DatasetUnreadable

    root = Path(settings.dataset)
    try:
        asset_roots(settings.assets)
        report = check_dataset(
            root,
            deep=settings.deep,
            render=settings.render,
            workers=settings.workers,
            assets=settings.assets,
            progress=_progress,
        )
    except (DatasetUnreadable, AssetError) as error:
        raise BadInput(str(error)) from error
    print(table(report))
    _write(root / RESULT, report.to_json())
    return PASSED if report.ok else FAILED


def _write(path: Path, record: dict[str, Any]) -> None:
    draft = path.with_name(path.name + ".new")
    try:
        draft.write_text(json.dumps(record, indent=1, allow_nan=False, ensure_ascii=False) + "\n", encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise BadInput(f"{path.name} cannot be written: {error.strerror}") from error


def table(report: DatasetReport) -> str:
    """The report for people: a line for each check, figures, and the verdict."""
    record = report.to_json()
    lines = []
    for name, result in record["checks"].items():
        if isinstance(result, str):
            lines.append(f"{name:<12}{result}")
        else:
            lines += [f"{name:<12}FAILED  {_short(result[0])}", *(f"{'':<20}{_short(s)}" for s in result[1:5])]
            lines += [f"{'':<20}({len(result) - 5} more in {RESULT})"] if len(result) > 5 else []
    lines += ["", *(f"{name:<24}{value}" for name, value in record["figures"].items()), ""]
    return "\n".join([*lines, "the dataset is sound" if report.ok else "the dataset is NOT sound"])


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= WIDTH else sentence[: WIDTH - 4] + " ..."


def _progress(done: int, total: int) -> None:
    print(f"{done} of {total} episodes checked", file=sys.stderr)


def _twins(settings: Settings) -> int:
    from sim.assets import AssetError, asset_roots
    from tasks import UnknownTaskError, load_task
    from verify.twins import TwinError, run_twins, twin_instances

    try:
        task, roots = load_task(settings.task), asset_roots(settings.assets)
        failed = 0
        for instance in twin_instances(task, roots, settings.twins, settings.seed):
            result = run_twins(task, instance, roots)
            failed += not result.ok
            level = ", ".join(f"{k}={v}" for k, v in instance.level.items())
            print(
                f"{instance.instance_id}  {level:<24} {'passed' if result.ok else 'FAILED'}  "
                f"{result.compared} decisions compared, evidence first differs at {result.diverged or 'no decision'}, "
                f"first {result.same_ticks} of {result.ticks} ticks equal{'; ' * bool(result.problem)}{result.problem}",
                flush=True,
            )
    except (UnknownTaskError, AssetError, TwinError) as error:
        raise BadInput(str(error)) from error
    print(f"{settings.twins - failed} of {settings.twins} pairs of twins passed")
    return FAILED if failed else PASSED
