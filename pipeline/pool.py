"""Ray Core tasks: a bounded number of calls in flight, a watchdog, and results that are always values.

A call is a function named by an import string and one picklable argument. Whatever goes wrong (an exception, a full
disk, a worker that dies, hangs or runs out of memory) comes back as a `Result`; nothing is retried here.
"""

from __future__ import annotations

import errno
import importlib
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pipeline.config import BadInput, ClusterConf, LimitsConf
from sim.gl import THREAD_VARIABLES, limit_threads

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGES = ("annotate", "oracles", "pipeline", "sim", "tasks", "verify")
FULL = {errno.ENOSPC, errno.EDQUOT}
STARTS = 3
PLACES = 3
MOST = 500
FOLDERS = re.compile(r"(?<![\w.:/])/(?:[^\s/'\"]+/)+")
"""The folders of an absolute path."""
TEMP_PREFIX = "ray-demos-"
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_task_oom_retries": "0",
    "RAY_DISABLE_IMPORT_WARNING": "1",
}


class Kind(StrEnum):
    """How a call ended."""

    DONE = "done"
    ERROR = "error"
    DIED = "died"
    HUNG = "hung"
    DISK_FULL = "disk_full"
    STOP = "stop"


class StopRun(RuntimeError):
    """Raised in a call when no other call could do better: the message is a sentence for the user."""


@dataclass(frozen=True)
class Result:
    """How a call ended: what it returned if DONE, else what happened."""

    kind: Kind
    value: Any = None
    detail: str = ""


@dataclass
class _Flight:
    key: Any
    marker: Path
    limit: float
    since: float | None = None


def is_disk_full(error: BaseException) -> bool:
    """Whether an exception says that the disk, or the quota, is full."""
    return getattr(error, "errno", None) in FULL


def call_safely(function: str, argument: Any, marker: str) -> Result:
    """Runs in the worker: calls `module:function` with the argument."""
    limit_threads()
    _mend_path()
    try:
        module, _, name = function.partition(":")
        called = getattr(importlib.import_module(module), name)
        Path(marker).touch()
        return Result(Kind.DONE, called(argument))
    except StopRun as stop:
        return Result(Kind.STOP, detail=str(stop))
    except ImportError as error:  # no seed would do better
        return Result(Kind.STOP, detail=f"a worker cannot import the program: {error}")
    except Exception as error:
        if is_disk_full(error):
            return Result(Kind.DISK_FULL, detail=str(error))
        return Result(Kind.ERROR, type(error).__name__, explain(error))


def explain(error: BaseException) -> str:
    """Type, message and the last places of an exception, in one line and without any folder of this machine."""
    said = FOLDERS.sub("", " ".join(str(error).split()))
    places = [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)[-PLACES:]]
    where = f" ({' > '.join(places)})" if places else ""
    return f"{type(error).__name__}: {said[:MOST]}{where}"


def _mend_path() -> None:
    """Ray puts the folder of the driver's script first, where scripts/verify.py hides the package verify."""
    scripts = str(CHECKOUT / "scripts")
    if scripts in sys.path:
        sys.path[:] = [str(CHECKOUT), *(path for path in sys.path if path != scripts)]


class Pool:
    """Workers on this machine or on a cluster.

    Attributes:
        workers: most calls that may be in flight.
    """

    def __init__(self, cluster: ClusterConf, workers: int | None, limits: LimitsConf) -> None:
        """Starts or joins Ray. Raises BadInput if that cannot be done."""
        os.environ.update(QUIET)
        limit_threads()
        import ray

        self._ray, self._temp = ray, None
        memory = int(limits.memory_gb * 1e9)
        self.workers = workers or len(os.sched_getaffinity(0))
        on_term = signal.getsignal(signal.SIGTERM)
        if cluster.kind == "local":
            self._start_local()
        else:
            self._join(cluster.address)
            self.workers = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        signal.signal(signal.SIGTERM, on_term)  # Ray has put its own in place
        available = ray.cluster_resources().get("memory", 0)
        if available < memory:
            self.close()
            raise BadInput(
                f"a worker asks for limits.memory_gb={limits.memory_gb}, but only {available / 1e9:.1f} GB are free "
                "for Ray; lower it or free some memory"
            )
        self._call = ray.remote(num_cpus=1, memory=memory, max_retries=0, max_calls=limits.calls)(call_safely)
        self._flights: dict[Any, _Flight] = {}

    def _start_local(self) -> None:
        paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)
        self._temp = _temp_folder()
        for start in range(STARTS):
            try:
                self._ray.init(
                    address="local",
                    num_cpus=self.workers,
                    include_dashboard=False,
                    log_to_driver=False,
                    logging_level="error",
                    object_store_memory=100 * 2**20,
                    _temp_dir=str(self._temp),
                )
                return
            except Exception as error:  # Ray raises this very class when a busy machine makes it wait too long
                self._ray.shutdown()
                if start == STARTS - 1:
                    self.close()
                    raise BadInput(f"Ray does not start on this machine: {_first_line(error)}") from error

    def _join(self, address: str | None) -> None:
        modules = {"py_modules": [str(CHECKOUT / name) for name in PACKAGES]}
        try:
            self._ray.init(
                address=address or "auto",
                log_to_driver=False,
                logging_level="error",
                runtime_env={**modules, "env_vars": dict.fromkeys(THREAD_VARIABLES, "1")},
            )
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            self.close()
            raise BadInput(f"no Ray cluster answers at cluster.address={address}: {_first_line(error)}") from error

    @property
    def free(self) -> int:
        """How many more calls may be submitted."""
        return self.workers - len(self._flights)

    @property
    def busy(self) -> int:
        """How many calls are in flight."""
        return len(self._flights)

    def submit(self, key: Any, function: str, argument: Any, *, marker: Path, limit: float) -> None:
        """Sends a call out. It may take `limit` seconds from when it touches the marker."""
        marker.unlink(missing_ok=True)
        reference = self._call.remote(function, argument, str(marker))
        self._flights[reference] = _Flight(key, marker, limit)

    def wait(self, timeout: float) -> list[tuple[Any, Result]]:
        """The calls that have ended, waiting for the first of them at most `timeout` seconds."""
        if not self._flights:
            return []
        flights = list(self._flights)
        ready, _ = self._ray.wait(flights, num_returns=1, timeout=timeout, fetch_local=False)
        if ready:
            ready, _ = self._ray.wait(flights, num_returns=len(flights), timeout=0, fetch_local=False)
        ended = [(self._flights.pop(reference).key, self._collect(reference)) for reference in ready]
        return ended + self._kill_hung()

    def _collect(self, reference: Any) -> Result:
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.OutOfMemoryError:
            return Result(Kind.DIED, detail="the worker ran out of memory")
        except errors.RayError as error:
            return Result(Kind.DIED, detail=_first_line(error))

    def _kill_hung(self) -> list[tuple[Any, Result]]:
        ended, now = [], time.monotonic()
        for reference, flight in list(self._flights.items()):
            if flight.since is None:
                flight.since = now if flight.marker.exists() else None
            elif now - flight.since > flight.limit:
                self._ray.cancel(reference, force=True)
                del self._flights[reference]
                ended.append((flight.key, Result(Kind.HUNG, detail=f"no end after {flight.limit:g} s")))
        return ended

    def close(self) -> None:
        """Ends every call and leaves Ray."""
        self._ray.shutdown()
        if self._temp is not None:
            shutil.rmtree(self._temp, ignore_errors=True)


def _temp_folder() -> Path:
    """A folder for Ray's sockets and logs; those of drivers that were killed are removed on the way."""
    base = os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()
    # The paths of the sockets in there may have 107 characters at most.
    base = Path(base if len(base) < 25 else "/tmp")
    for left in base.glob(f"{TEMP_PREFIX}*"):
        owner = left.name.removeprefix(TEMP_PREFIX).partition("-")[0]
        if owner.isdecimal() and not Path("/proc", owner).exists():
            shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{TEMP_PREFIX}{os.getpid()}-", dir=base))


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
