"""Which geoms a camera cannot possibly see.

A point x is inside a square pinhole camera's pyramid when n.(x - c) >= 0 for the five inward normals n of its side
planes and its back plane, all through the camera centre c. A geom is outside when, for one n, its farthest point in
that direction is: n.(m - c) + sum_i |n.a_i| h_i < 0, with box centre m, box axes a_i and half sizes h_i.
"""

from __future__ import annotations

import mujoco
import numpy as np

MARGIN = 1e-3  # metres; keeps geoms that touch the border of the picture


def pyramid(fovy: float) -> np.ndarray:
    """Inward normals, not of unit length, in the camera frame (x right, y up, looking along -z): (5, 3)."""
    t = np.tan(np.radians(fovy) / 2)
    return np.array([[0, 0, -1], [1, 0, -t], [-1, 0, -t], [0, 1, -t], [0, -1, -t]], np.float64)


def in_view(model: mujoco.MjModel, data: mujoco.MjData, camera: int, geoms: np.ndarray) -> np.ndarray:
    """Which of the geoms may show in a square picture of a model camera.

    Args:
        model, data: positions must be current (mj_forward or mj_kinematics and mj_camlight).
        camera: camera id.
        geoms: int (N,), geom ids.

    Returns:
        bool (N,); False only for geoms that cannot contribute a pixel. Planes, which have no end, are always True.
    """
    if model.cam_orthographic[camera] or model.cam_sensorsize[camera].any():
        return np.ones(len(geoms), bool)
    normals = pyramid(float(model.cam_fovy[camera])) @ data.cam_xmat[camera].reshape(3, 3).T
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    centre = data.cam_xpos[camera]
    radius = model.geom_rbound[geoms]
    distance = (data.geom_xpos[geoms] - centre) @ normals.T
    seen = (distance >= -(radius + MARGIN)[:, None]).all(axis=1) | (radius == 0)
    # The sphere keeps much that the box rules out, above all long thin panels.
    unsure = np.flatnonzero(seen & (radius > 0) & (distance < radius[:, None]).any(axis=1))
    ids = geoms[unsure]
    axes = data.geom_xmat[ids].reshape(-1, 3, 3)
    middle = distance[unsure] + np.matmul(axes, model.geom_aabb[ids, :3, None])[..., 0] @ normals.T
    reach = (np.abs(normals @ axes) * model.geom_aabb[ids, None, 3:]).sum(axis=2)
    seen[unsure] = (middle + reach >= -MARGIN).all(axis=1)
    return seen
