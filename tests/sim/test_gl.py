"""setup_gl in fresh processes: every form of CUDA_VISIBLE_DEVICES, every error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim import gl

ROOT = Path(__file__).parents[2]
GL_VARIABLES = ("MUJOCO_GL", "PYOPENGL_PLATFORM", "CUDA_VISIBLE_DEVICES", "MUJOCO_EGL_DEVICE_ID")
UUID = "aaaa-bbbb-cccc-123456789abc"


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch):
    """machine(working, gpu): a machine where only the contexts in `working` can be made; returns the attempts."""
    for name in (*GL_VARIABLES, *gl.THREAD_VARIABLES):
        monkeypatch.setenv(name, "")  # whatever setup_gl sets is put back afterwards
        monkeypatch.delenv(name)

    def make(working: dict, gpu: bool = False) -> list:
        attempts = []

        def context(backend: str, device: int | None) -> str | None:
            attempts.append((backend, device))
            return working.get((backend, device), working.get(backend))

        monkeypatch.setattr(gl, "_try_context", context)
        monkeypatch.setattr(gl, "_has_gpu_device", lambda: gpu)
        monkeypatch.setattr(gl, "_already_bound", lambda: None)
        gl.probe.cache_clear()
        return attempts

    yield make
    gl.probe.cache_clear()


def run(code: str, **variables: str) -> str:
    """Standard output of `code` in a fresh process; its last stderr line if it fails."""
    env = {k: v for k, v in os.environ.items() if k not in GL_VARIABLES} | variables
    child = subprocess.run([sys.executable, "-c", code], env=env, cwd=ROOT, capture_output=True, text=True, timeout=120)
    return child.stdout.strip() if child.returncode == 0 else child.stderr.strip().splitlines()[-1]


VISIBLE = [None, "", "0", "0,1", "3", f"GPU-8f2c1d3e-{UUID}", f"MIG-4b1f9f1e-{UUID}"]


@pytest.mark.parametrize("visible", VISIBLE)
@pytest.mark.parametrize("device_id", [None, "0", "7", "-1"])
@pytest.mark.parametrize("works", ["osmesa", "egl", ("egl", None)])
def test_what_robosuite_asserts_at_import_holds(machine, monkeypatch, visible, device_id, works) -> None:
    machine({works: "some renderer"})
    for name, value in (("CUDA_VISIBLE_DEVICES", visible), ("MUJOCO_EGL_DEVICE_ID", device_id)):
        if value is not None:
            monkeypatch.setenv(name, value)
    backend = gl.setup_gl("osmesa" if works == "osmesa" else "egl")
    devices, device = os.environ.get("CUDA_VISIBLE_DEVICES", ""), os.environ.get("MUJOCO_EGL_DEVICE_ID")
    assert devices == "" or device is None or (device.isdigit() and device in devices)
    assert os.environ["MUJOCO_GL"] == os.environ["PYOPENGL_PLATFORM"] == backend


def test_robosuite_imports_on_a_scheduler_with_uuids() -> None:
    code = """
from sim.gl import setup_gl
chosen = setup_gl()
import robosuite.utils.binding_utils
import mujoco
assert mujoco.gl_context.GLContext.__module__ == "mujoco." + chosen
assert setup_gl(chosen) == setup_gl() == chosen
print("fine")
"""
    assert run(code, CUDA_VISIBLE_DEVICES=VISIBLE[-2], MUJOCO_EGL_DEVICE_ID="0").endswith("fine")


def test_threads_are_limited(machine, monkeypatch) -> None:
    machine({"osmesa": "llvmpipe"})
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    gl.setup_gl()
    assert {os.environ[name] for name in gl.THREAD_VARIABLES} == {"1"}


@pytest.mark.parametrize(
    ("working", "gpu", "chosen"),
    [
        ({"egl": "NVIDIA A100", "osmesa": "llvmpipe"}, True, "egl"),
        ({"egl": "llvmpipe (LLVM 15)", "osmesa": "llvmpipe"}, True, "osmesa"),
        ({"egl": "NVIDIA A100", "osmesa": "llvmpipe"}, False, "osmesa"),
        ({"egl": "llvmpipe (LLVM 15)"}, False, "egl"),
    ],
)
def test_auto(machine, working: dict, gpu: bool, chosen: str) -> None:
    machine(working, gpu)
    assert gl.setup_gl("auto") == chosen


def test_egl_prefers_the_granted_device(machine, monkeypatch) -> None:
    attempts = machine({"egl": "NVIDIA A100"}, gpu=True)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,3")
    assert gl.setup_gl() == "egl"
    assert attempts == [("egl", 2)]
    assert os.environ["MUJOCO_EGL_DEVICE_ID"] == "2"


def test_no_opengl_is_one_clear_sentence(machine) -> None:
    machine({})
    with pytest.raises(gl.NoOpenGL) as caught:
        gl.setup_gl()
    assert str(caught.value) == (
        "no OpenGL: neither osmesa nor egl works here; install libosmesa6 "
        "(apt-get install libosmesa6) or set render.gl=egl on a machine with a GPU driver"
    )


@pytest.mark.parametrize(("backend", "other"), [("osmesa", "egl"), ("egl", "osmesa")])
def test_explicit_backend_that_does_not_work(machine, backend: str, other: str) -> None:
    machine({other: "llvmpipe"})
    with pytest.raises(gl.NoOpenGL, match=f"^render.gl={backend} does not work on this machine; .*render.gl={other}$"):
        gl.setup_gl(backend)


def test_a_broken_driver_counts_as_absent() -> None:
    code = "import sim.gl as gl; gl._PROBE = {!r}; print(gl.probe('egl'), gl.probe('osmesa'))"
    assert run(code.format("import os; os.abort()")) == "None None"
    assert run(code.format("raise ImportError")) == "None None"


def test_unknown_backend() -> None:
    with pytest.raises(ValueError, match=r"render\.gl='glfw' is not known; use one of auto, osmesa, egl"):
        gl.setup_gl("glfw")


def test_too_late() -> None:
    message = run("import mujoco; from sim.gl import setup_gl; setup_gl('osmesa')")
    assert message.startswith("sim.gl.GLTooLate: setup_gl('osmesa') came too late")
