"""Frames of a MuJoCo model as numpy arrays: colour and geom ids.

Call `sim.gl.setup_gl` before this module is imported.
"""

from __future__ import annotations

import mujoco
import numpy as np

CAMERAS = ("agentview_left", "agentview_right", "wrist")
MUJOCO_CAMERAS = {
    "agentview_left": "robot0_agentview_left",
    "agentview_right": "robot0_agentview_right",
    "wrist": "robot0_eye_in_hand",
}
VISUAL_GROUP = 1
MAX_GEOMS = 10_000


class UnknownCamera(KeyError):
    """The model has no camera of that name."""


class RendererClosed(RuntimeError):
    """A frame was asked of a renderer that has been closed."""


class Renderer:
    """Draws square frames of one model with one GL context, which it frees with that context current.

    Only geoms of group 1 (visual) are drawn; sites, shadows and reflections are off. Models differ per
    episode, so a process makes one renderer after another: close each before the next (or use `with`).
    """

    def __init__(self, model: mujoco.MjModel, size: int, *, supersample: int = 1, samples: int = 0) -> None:
        """Makes the GL context and uploads meshes and textures.

        Args:
            model: the compiled model; its visual quality settings are changed (never its physics).
            size: side of the frames in pixels.
            supersample: colour frames are drawn at supersample * size and averaged over squares.
            samples: multisampling of the off-screen buffer, 0 for none.
        """
        if size < 1 or supersample < 1 or samples < 0:
            raise ValueError(
                f"size={size} and supersample={supersample} must be >= 1, samples={samples} >= 0"
            )
        self.model, self.size, self.supersample = model, size, supersample
        side = size * supersample
        model.vis.global_.offwidth = model.vis.global_.offheight = side
        model.vis.quality.offsamples = samples
        self._gl = mujoco.gl_context.GLContext(side, side)
        self._gl.make_current()
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._scene = mujoco.MjvScene(model, maxgeom=MAX_GEOMS)
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
            self._scene.flags[flag] = 0
        self._option = mujoco.MjvOption()
        self._option.geomgroup[:] = 0
        self._option.geomgroup[VISUAL_GROUP] = 1
        self._option.sitegroup[:] = 0
        self._perturb = mujoco.MjvPerturb()

    def rgb(self, data: mujoco.MjData, camera: str) -> np.ndarray:
        """Colour of a camera of `CAMERAS`, or any of the model: uint8 (size, size, 3), row 0 on top."""
        return self._colour(data, self._fixed(camera))

    def rgb_free(
        self, data: mujoco.MjData, lookat: np.ndarray, distance: float, azimuth: float, elevation: float
    ) -> np.ndarray:
        """Colour from a free camera: uint8 (size, size, 3). Metres and, as in MuJoCo, degrees."""
        camera = mujoco.MjvCamera()
        camera.type = mujoco.mjtCamera.mjCAMERA_FREE
        camera.lookat[:] = lookat
        camera.distance, camera.azimuth, camera.elevation = distance, azimuth, elevation
        return self._colour(data, camera)

    def segmentation(self, data: mujoco.MjData, camera: str) -> np.ndarray:
        """Geom id a pixel shows: int32 (size, size), row 0 on top, -1 where there is no geom."""
        flags = (mujoco.mjtRndFlag.mjRND_SEGMENT, mujoco.mjtRndFlag.mjRND_IDCOLOR)
        for flag in flags:
            self._scene.flags[flag] = 1
        pixels = self._draw(data, self._fixed(camera), self.size).astype(np.int32)
        for flag in flags:
            self._scene.flags[flag] = 0
        segment = pixels[..., 0] + (pixels[..., 1] << 8) + (pixels[..., 2] << 16)
        ids = np.full(self._scene.ngeom + 1, -1, np.int32)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.segid >= 0 and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM:
                ids[geom.segid + 1] = geom.objid
        return ids[segment]

    def close(self) -> None:
        """Frees the GL objects, then the context. Safe to call twice."""
        if self._gl is None:
            return
        self._gl.make_current()
        self._context.free()
        self._gl.free()
        self._context = self._gl = self._scene = None

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _fixed(self, name: str) -> mujoco.MjvCamera:
        index = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_CAMERA, MUJOCO_CAMERAS.get(name, name))
        if index < 0:
            raise UnknownCamera(f"the model has no camera {name!r}")
        camera = mujoco.MjvCamera()
        camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        camera.fixedcamid = index
        return camera

    def _draw(self, data: mujoco.MjData, camera: mujoco.MjvCamera, side: int) -> np.ndarray:
        if self._gl is None:
            raise RendererClosed("this renderer has been closed")
        self._gl.make_current()
        mujoco.mjv_updateScene(
            self.model, data, self._option, self._perturb, camera, mujoco.mjtCatBit.mjCAT_ALL, self._scene
        )
        viewport = mujoco.MjrRect(0, 0, side, side)
        mujoco.mjr_render(viewport, self._scene, self._context)
        pixels = np.empty((side, side, 3), np.uint8)
        mujoco.mjr_readPixels(pixels, None, viewport, self._context)
        return pixels[::-1]

    def _colour(self, data: mujoco.MjData, camera: mujoco.MjvCamera) -> np.ndarray:
        pixels = self._draw(data, camera, self.size * self.supersample)
        return area_mean(pixels, self.supersample)


def area_mean(pixels: np.ndarray, factor: int) -> np.ndarray:
    """Mean over factor x factor squares, uint8 (n, n, 3) -> (n / factor, n / factor, 3); halves round up."""
    if factor == 1:
        return np.ascontiguousarray(pixels)
    side = pixels.shape[0] // factor
    total = pixels.reshape(side, factor, side, factor, 3).sum(axis=(1, 3), dtype=np.uint32)
    area = factor * factor
    return ((2 * total + area) // (2 * area)).astype(np.uint8)
