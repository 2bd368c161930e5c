"""Which OpenGL draws the frames, decided once at the top of a process.

MuJoCo, PyOpenGL and robosuite read environment variables at import and cannot change their minds afterwards.
Call `setup_gl` before any of them is imported:

    from sim.gl import setup_gl
    setup_gl(cfg.render.gl)          # "auto", "osmesa" or "egl"
    import mujoco

`auto` takes EGL where a graphics card answers, else OSMesa, else EGL on the CPU. Each candidate is tried in a
child process, because a failed attempt leaves half-loaded GL libraries behind.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

BACKENDS = ("auto", "osmesa", "egl")
SOFTWARE_RENDERERS = ("llvmpipe", "softpipe", "swrast", "swr")
PROBE_SECONDS = 300.0  # importing mujoco took over a minute on a machine at load 10

# LP_NUM_THREADS is llvmpipe's; the workers already fill the cores, one process each.
THREAD_VARIABLES = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "LP_NUM_THREADS",
)

_PROBE = """
import os
from mujoco import gl_context
context = gl_context.GLContext(16, 16)
context.make_current()
from OpenGL import GL
renderer = GL.glGetString(GL.GL_RENDERER)
context.free()
print("renderer:" + renderer.decode("ascii", "replace"), flush=True)
os._exit(0)
"""


class GLError(RuntimeError):
    """OpenGL cannot be set up as asked."""


class NoOpenGL(GLError):
    """The wanted backend, or every backend, does not work on this machine."""


class GLTooLate(GLError):
    """mujoco or PyOpenGL was imported before `setup_gl` and took another backend."""


@dataclass(frozen=True)
class Probe:
    """What a working backend said about itself; `device` is the EGL device index, None for any device."""

    renderer: str
    device: int | None = None

    @property
    def on_gpu(self) -> bool:
        return not any(name in self.renderer.lower() for name in SOFTWARE_RENDERERS)


def limit_threads() -> None:
    """Makes BLAS, OpenMP, numba and llvmpipe use one thread each; call it before numpy is imported."""
    for name in THREAD_VARIABLES:
        os.environ[name] = "1"


def setup_gl(backend: str = "auto") -> str:
    """Chooses the OpenGL backend of this process and sets every variable that depends on it.

    Args:
        backend: "auto", "osmesa" or "egl".

    Returns:
        "osmesa" or "egl".

    Raises:
        ValueError: the name is none of the three.
        NoOpenGL: no backend, or not the one asked for, can make a context here.
        GLTooLate: mujoco or PyOpenGL is already imported with another backend.
    """
    if backend not in BACKENDS:
        raise ValueError(f"render.gl={backend!r} is not known; use one of {', '.join(BACKENDS)}")
    limit_threads()
    bound = _already_bound()
    if bound is not None:
        if bound not in ("osmesa", "egl") or backend not in ("auto", bound):
            raise GLTooLate(
                f"setup_gl({backend!r}) came too late: mujoco or PyOpenGL already runs on {bound!r}; "
                "call setup_gl before importing mujoco, robosuite or OpenGL"
            )
        return bound
    chosen, found = _choose(backend)
    _export(chosen, found.device)
    return chosen


def _choose(backend: str) -> tuple[str, Probe]:
    if backend != "auto":
        found = probe(backend)
        if found is None:
            remedy = {
                "osmesa": "install libosmesa6 (apt-get install libosmesa6) or set render.gl=egl",
                "egl": "install a GPU driver with EGL (or libegl1 and libegl-mesa0) or set render.gl=osmesa",
            }[backend]
            raise NoOpenGL(f"render.gl={backend} does not work on this machine; {remedy}")
        return backend, found
    if _has_gpu_device():
        egl = probe("egl")
        if egl is not None and egl.on_gpu:
            return "egl", egl
    for name in ("osmesa", "egl"):
        found = probe(name)
        if found is not None:
            return name, found
    raise NoOpenGL(
        "no OpenGL: neither osmesa nor egl works here; install libosmesa6 (apt-get install libosmesa6) "
        "or set render.gl=egl on a machine with a GPU driver"
    )


def _has_gpu_device() -> bool:
    """Spares machines without a graphics card the EGL probe."""
    return any(any(Path("/dev").glob(pattern)) for pattern in ("nvidia[0-9]*", "dri/renderD*", "dxg"))


@functools.cache
def probe(backend: str) -> Probe | None:
    """Makes a context in a child process; None if that fails. About 0.5 s the first time, then remembered."""
    if backend == "osmesa":
        renderer = _try_context("osmesa", None)
        return None if renderer is None else Probe(renderer)
    for device in _device_candidates():
        renderer = _try_context("egl", device)
        if renderer is not None:
            return Probe(renderer, device)
    return None


def _device_candidates() -> list[int | None]:
    """EGL device indices to try in turn: the one asked for, the one the scheduler granted, any (None)."""
    asked = os.environ.get("MUJOCO_EGL_DEVICE_ID", "")
    granted = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()
    candidates: list[int | None] = [int(text) for text in (asked, granted) if text.isdecimal()]
    return [*dict.fromkeys(candidates), None]


def _try_context(backend: str, device: int | None) -> str | None:
    env = {k: v for k, v in os.environ.items() if k != "MUJOCO_EGL_DEVICE_ID"}
    env.update(MUJOCO_GL=backend, PYOPENGL_PLATFORM=backend)
    if device is not None:
        env["MUJOCO_EGL_DEVICE_ID"] = str(device)
    try:
        child = subprocess.run(
            [sys.executable, "-c", _PROBE], env=env, capture_output=True, text=True, timeout=PROBE_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = [line for line in child.stdout.splitlines() if line.startswith("renderer:")]
    return lines[-1].removeprefix("renderer:") if child.returncode == 0 and lines else None


def _export(backend: str, device: int | None) -> None:
    """Sets MUJOCO_GL and friends so that importing robosuite cannot raise.

    robosuite asserts at import that MUJOCO_EGL_DEVICE_ID is a number that occurs in CUDA_VISIBLE_DEVICES,
    which schedulers set to "", to an index, to GPU-<uuid> or to MIG-<uuid>.
    """
    os.environ["MUJOCO_GL"] = backend
    os.environ["PYOPENGL_PLATFORM"] = backend
    os.environ.pop("MUJOCO_EGL_DEVICE_ID", None)
    if backend == "egl" and device is not None:
        os.environ["MUJOCO_EGL_DEVICE_ID"] = str(device)
        visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
        if visible and str(device) not in visible:
            os.environ["CUDA_VISIBLE_DEVICES"] = str(device)


def _already_bound() -> str | None:
    """The backend that imported modules have taken, None while the choice is open."""
    module = sys.modules.get("mujoco.gl_context")
    if module is not None:
        context = getattr(module, "GLContext", None)
        return "no OpenGL" if context is None else context.__module__.removeprefix("mujoco.")
    if "OpenGL.platform" in sys.modules:
        return os.environ.get("PYOPENGL_PLATFORM") or "the default platform"
    return None
