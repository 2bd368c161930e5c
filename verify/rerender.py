"""Whether videos show what the recording says: chosen frames are drawn again from the recorded states and compared.

The frame of the fastest motion is also compared with its neighbours, because a video that is off by one frame looks
right everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import mujoco
import numpy as np

from sim.camera import Renderer
from sim.recording import Recording

PSNR = 30.0
"""dB, at half the resolution; the default encoder gives 40 and more."""
SAMPLES = 5
SETTINGS = tuple((supersample, meshes) for supersample in (1, 2, 4) for meshes in ("light", "full"))
"""How frames may have been drawn; a dataset does not say, and each setting is a faithful picture."""
VISIBLE_MOTION = 1.5
"""A neighbour has to differ this many times more than the codec's error before it can be told from the frame."""


def chosen_ticks(robot: np.ndarray) -> tuple[list[int], int]:
    """Frames to compare, and among them the one of the fastest motion with a neighbour on either side.

    `robot` is float32 (T, 16).
    """
    length = len(robot)
    ticks = set(np.round(np.linspace(0, length - 1, min(SAMPLES, length))).astype(int).tolist())
    if length < 3:
        return sorted(ticks), 0
    speed = np.abs(np.diff(robot, axis=0)).sum(axis=1)
    fastest = 1 + int(np.minimum(speed[:-1], speed[1:]).argmax())
    return sorted(ticks | {fastest}), fastest


def check_frames(
    index: int,
    model: mujoco.MjModel,
    recording: Recording,
    shown: Mapping[str, Mapping[int, np.ndarray]],
    fastest: int,
) -> Iterator[str]:
    """Compares decoded frames with frames drawn from the states.

    Args:
        shown: camera -> frame -> uint8 (H, H, 3).
        fastest: one of the frames, with a neighbour on either side; 0 if there is none.
    """
    data = mujoco.MjData(model)
    size = next(iter(next(iter(shown.values())).values())).shape[0]
    problems: list[str] = []
    for supersample, meshes in SETTINGS:
        with Renderer(model, size, supersample=supersample, meshes=meshes) as renderer:
            found = list(_compare(index, data, renderer, recording, shown, fastest))
        if not found:
            return
        problems = problems or found
    yield from problems


def _compare(
    index: int,
    data: mujoco.MjData,
    renderer: Renderer,
    recording: Recording,
    shown: Mapping[str, Mapping[int, np.ndarray]],
    fastest: int,
) -> Iterator[str]:
    if fastest:
        around = {t: _draw(data, renderer, recording, t, shown) for t in (fastest - 1, fastest, fastest + 1)}
        error = {t: max(_mse(shown[c][fastest], image) for c, image in drawn.items()) for t, drawn in around.items()}
        best = min(error, key=error.__getitem__)
        if _decibel(error[best]) >= PSNR and error[fastest] > VISIBLE_MOTION * error[best]:
            yield f"episode {index}: frame {fastest} shows state {best}"
            return
    for tick in sorted(next(iter(shown.values()))):
        drawn = _draw(data, renderer, recording, tick, shown)
        for camera, frames in shown.items():
            quality = _psnr(frames[tick], drawn[camera])
            if quality < PSNR:
                yield (
                    f"episode {index}: frame {tick} of {camera} is not what its state shows "
                    f"({quality:.1f} dB, at least {PSNR:.0f})"
                )
                return


def _draw(
    data: mujoco.MjData, renderer: Renderer, recording: Recording, tick: int, cameras: Mapping[str, object]
) -> dict[str, np.ndarray]:
    mujoco.mj_setState(renderer.model, data, recording.states[tick], recording.spec)
    mujoco.mj_forward(renderer.model, data)
    return {camera: renderer.rgb(data, camera) for camera in cameras}


def _mse(a: np.ndarray, b: np.ndarray) -> float:
    """Over means of 2 x 2 pixels: yuv420p has no colour finer than that."""
    return float(((_halved(a) - _halved(b)) ** 2).mean())


def _halved(image: np.ndarray) -> np.ndarray:
    height, width = image.shape[0] // 2, image.shape[1] // 2
    return image[: 2 * height, : 2 * width].reshape(height, 2, width, 2, 3).mean(axis=(1, 3))


def _psnr(a: np.ndarray, b: np.ndarray) -> float:
    if a.shape != b.shape:
        return 0.0
    return _decibel(_mse(a, b))


def _decibel(error: float) -> float:
    return float(10 * np.log10(255.0**2 / max(error, 1e-9)))
