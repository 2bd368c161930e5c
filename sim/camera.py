"""Frames of a MuJoCo model as numpy arrays: colour and geom ids.

Call `sim.gl.setup_gl` before this module is imported.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import mujoco
import numpy as np

from sim.frustum import in_view
from sim.light_meshes import lightened

CAMERAS = ("agentview_left", "agentview_right", "wrist")
MUJOCO_CAMERAS = {
    "agentview_left": "robot0_agentview_left",
    "agentview_right": "robot0_agentview_right",
    "wrist": "robot0_eye_in_hand",
}
MESHES = ("light", "full")
LIGHT_QUALITY = {"numquads": 1, "numstacks": 8}  # MuJoCo draws a box as 192 triangles otherwise
VISUAL_GROUP = 1
HIDDEN_GROUP = 0
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

    def __init__(
        self,
        model: mujoco.MjModel,
        size: int,
        *,
        supersample: int = 1,
        samples: int = 0,
        meshes: str = "light",
        cull: bool = True,
    ) -> None:
        """Makes the GL context and uploads meshes and textures; the model is the same afterwards.

        Args:
            model: the compiled model.
            size: side of the frames in pixels.
            supersample: colour frames are drawn at supersample * size and averaged over squares.
            samples: multisampling of the off-screen buffer, 0 for none.
            meshes: "full", or "light" for coarser curves and decimated robot meshes at a third of the time.
            cull: leave out geoms that lie outside the picture. The pixels are the same, only sooner.
        """
        if size < 1 or supersample < 1 or samples < 0:
            raise ValueError(f"size={size}, supersample={supersample} must be >= 1 and samples={samples} >= 0")
        if meshes not in MESHES:
            raise ValueError(f"render.meshes={meshes!r} is not known; use one of {', '.join(MESHES)}")
        self.model, self.size, self.supersample, self.cull = model, size, supersample, cull
        # Frames go to an off-screen buffer, so the context's own window can be tiny.
        self._gl = mujoco.gl_context.GLContext(16, 16)
        self._gl.make_current()
        with _upload_settings(model, size * supersample, samples, meshes):
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
        with self._outside_hidden(data, camera):
            mujoco.mjv_updateScene(
                self.model, data, self._option, self._perturb, camera, mujoco.mjtCatBit.mjCAT_ALL, self._scene
            )
        viewport = mujoco.MjrRect(0, 0, side, side)
        mujoco.mjr_render(viewport, self._scene, self._context)
        pixels = np.empty((side, side, 3), np.uint8)
        mujoco.mjr_readPixels(pixels, None, viewport, self._context)
        return pixels[::-1]

    @contextlib.contextmanager
    def _outside_hidden(self, data: mujoco.MjData, camera: mujoco.MjvCamera) -> Iterator[None]:
        """Within the block, visual geoms outside a fixed camera's view are in a group that is not drawn."""
        if not self.cull or camera.type != mujoco.mjtCamera.mjCAMERA_FIXED:
            yield
            return
        visual = np.flatnonzero(self.model.geom_group == VISUAL_GROUP)
        outside = visual[~in_view(self.model, data, camera.fixedcamid, visual)]
        self.model.geom_group[outside] = HIDDEN_GROUP
        try:
            yield
        finally:
            self.model.geom_group[outside] = VISUAL_GROUP

    def _colour(self, data: mujoco.MjData, camera: mujoco.MjvCamera) -> np.ndarray:
        pixels = self._draw(data, camera, self.size * self.supersample)
        return area_mean(pixels, self.supersample)


@contextlib.contextmanager
def _upload_settings(model: mujoco.MjModel, side: int, samples: int, meshes: str) -> Iterator[None]:
    """Within the block, the model asks for our buffer and the preset's triangles; afterwards it is as it was."""
    settings = {"offsamples": samples, "shadowsize": 0}  # no shadows: spare their 64 MB map
    if meshes == "light":
        settings |= LIGHT_QUALITY
    view, quality = model.vis.global_, model.vis.quality
    saved_size = view.offwidth, view.offheight
    saved = {name: getattr(quality, name) for name in settings}
    try:
        view.offwidth = view.offheight = side
        for name, value in settings.items():
            setattr(quality, name, value)
        with lightened(model) if meshes == "light" else contextlib.nullcontext():
            yield
    finally:
        view.offwidth, view.offheight = saved_size
        for name, value in saved.items():
            setattr(quality, name, value)


def area_mean(pixels: np.ndarray, factor: int) -> np.ndarray:
    """Mean over factor x factor squares, uint8 (n, n, 3) -> (n / factor, n / factor, 3); halves round up."""
    if factor == 1:
        return np.ascontiguousarray(pixels)
    side = pixels.shape[0] // factor
    total = pixels.reshape(side, factor, side, factor, 3).sum(axis=(1, 3), dtype=np.uint32)
    area = factor * factor
    return ((2 * total + area) // (2 * area)).astype(np.uint8)
