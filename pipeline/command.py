"""How a command starts and ends: hydra composes, errors become one sentence on stderr, nothing asks questions.

Exit codes: 0 done, 1 done with fewer episodes than asked for, 2 refused or stopped, 130 interrupted.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import hydra
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from pipeline.config import BadInput, read
from pipeline.pool import is_disk_full

CONF = Path(__file__).resolve().parent.parent / "conf"
REFUSED, INTERRUPTED = 2, 130

T = TypeVar("T")


def command(schema: type[T], config_name: str, main: Callable[[T], int]) -> None:
    """Runs `main` with the configuration that the command line asks for, and exits with what it returns."""
    # Otherwise hydra prints errors itself, over several lines and with its own exit code.
    os.environ["HYDRA_FULL_ERROR"] = "1"

    def composed(conf: DictConfig) -> None:
        sys.exit(run_main(lambda: main(read(schema, conf))))

    try:
        hydra.main(config_path=str(CONF), config_name=config_name, version_base="1.3")(composed)()
    except (HydraException, OmegaConfBaseException) as error:
        sys.exit(_refuse(_explain(error)))


def run_main(main: Callable[[], int]) -> int:
    """Calls `main` and turns what a user can cause into a sentence and an exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return main()
    except BadInput as error:
        return _refuse(str(error))
    except KeyboardInterrupt:
        print("interrupted; repeat the command to go on from here", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        if is_disk_full(error):
            return _refuse("the disk is full; free some space and repeat the command to go on from here")
        if isinstance(error, PermissionError):
            return _refuse(f"{error.filename} may not be written; choose another out")
        raise


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _refuse(sentence: str) -> int:
    print(" ".join(sentence.split()), file=sys.stderr)
    return REFUSED


def _explain(error: Exception) -> str:
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        group, _, option = str(error.missing_cfg_file).rpartition("/")
        known = ", ".join(sorted(path.stem for path in (CONF / group).glob("*.yaml")))
        return f"{group}={option} does not exist; {group} is one of {known}"
    if isinstance(error, OverrideParseException):
        return f"{error.override!r} is not a valid setting; write key=value, and quote values with spaces or braces"
    first = str(error).splitlines()[0].rstrip(".")
    if first.startswith("Could not override"):
        return f"there is no setting {first.removeprefix('Could not override ')}; see conf/config.yaml"
    return first
