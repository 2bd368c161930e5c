"""The `light` picture preset: the GL upload sees decimated meshes, the model keeps the full ones.

A robot has some 260,000 visual triangles, most of them smaller than a pixel. `lightened(model)` swaps the face lists
of heavy, untextured, visual-only meshes for shorter ones while a renderer uploads them, and puts the originals back.
Vertices and normals are never touched; a short face list only picks among them. So physics, ids, saved models and
every other reader of the model see no difference.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np

from sim.decimate import decimate

RELATIVE_TOLERANCE = 0.001  # of the mesh's diagonal: big parts are seen from farther away
HEAVY = 500  # triangles; lighter meshes are not worth the trouble
CLOSE_CAMERA = "robot0_eye_in_hand"  # what rides on its body fills the frame: the hand stays as it is
CACHE_VERSION = 1


@contextlib.contextmanager
def lightened(model: mujoco.MjModel, cache: Path | None = None) -> Iterator[None]:
    """Within the block, heavy visual meshes of `model` have decimated face lists.

    Args:
        model: restored on exit, whatever happens inside.
        cache: folder that keeps the decimated face lists between runs; None for the user's cache folder.
    """
    cache = default_cache() if cache is None else cache
    names = ("mesh_facenum", "mesh_face", "mesh_facenormal", "mesh_facetexcoord")
    saved = {name: getattr(model, name).copy() for name in names}
    try:
        for mesh in visual_meshes(model):
            faces, normals = _light_faces(model, mesh, cache)
            start = model.mesh_faceadr[mesh]
            model.mesh_facenum[mesh] = len(faces)
            model.mesh_face[start : start + len(faces)] = faces
            model.mesh_facenormal[start : start + len(faces)] = normals
        yield
    finally:
        for name, value in saved.items():
            getattr(model, name)[:] = value


def visual_meshes(model: mujoco.MjModel) -> list[int]:
    """Heavy meshes drawn without a texture, used by no colliding geom, and not right before the wrist camera."""
    mesh_geoms = np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)
    collides = (model.geom_contype[mesh_geoms] | model.geom_conaffinity[mesh_geoms]) != 0
    material = model.geom_matid[mesh_geoms]
    textured = np.zeros(len(mesh_geoms), bool)
    has = material >= 0
    textured[has] = (model.mat_texid[material[has]] >= 0).any(axis=1)
    near = np.isin(model.geom_bodyid[mesh_geoms], _subtree(model, CLOSE_CAMERA))
    used = model.geom_dataid[mesh_geoms]
    light = set(used.tolist()) - set(used[collides | textured | near].tolist())
    return sorted(mesh for mesh in light if model.mesh_facenum[mesh] > HEAVY)


def _subtree(model: mujoco.MjModel, camera: str) -> list[int]:
    """Bodies that carry the camera or hang below its body; none if there is no such camera."""
    index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, camera)
    if index < 0:
        return []
    bodies = {int(model.cam_bodyid[index])}
    for body in range(model.nbody):  # parents come before their children
        if int(model.body_parentid[body]) in bodies:
            bodies.add(body)
    return sorted(bodies)


def default_cache() -> Path:
    """`meshes` in the program's cache folder: under `$XDG_CACHE_HOME`, else under `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "exploring-demonstrations" / "meshes"


def corner_normals(
    vertices: np.ndarray, normals: np.ndarray, faces: np.ndarray, facenormals: np.ndarray, light: np.ndarray
) -> np.ndarray:
    """Picks for every corner of the light faces one of the normals the full mesh has at that place.

    Where there are several (a crease), the one closest to the light face's own normal wins.

    Args:
        vertices: (V, 3). normals: (N, 3). faces, facenormals: int (F, 3), indices into them.
        light: int (G, 3), faces over the same vertices.

    Returns:
        int32 (G, 3), indices into `normals`.
    """
    place = np.unique(vertices, axis=0, return_inverse=True)[1].reshape(-1)
    pairs = np.unique(np.stack([place[faces].reshape(-1), facenormals.reshape(-1)], axis=1), axis=0)
    first = np.searchsorted(pairs[:, 0], np.arange(place.max() + 2))
    a, b, c = vertices[light[:, 0]], vertices[light[:, 1]], vertices[light[:, 2]]
    wanted = np.repeat(np.cross(b - a, c - a), 3, axis=0)
    start, stop = first[place[light.reshape(-1)]], first[place[light.reshape(-1)] + 1]
    chosen, best = pairs[start, 1], np.full(len(start), -np.inf)
    for offset in range(int((stop - start).max(initial=0))):
        rows = np.flatnonzero(start + offset < stop)
        candidate = pairs[start[rows] + offset, 1]
        score = (normals[candidate] * wanted[rows]).sum(axis=1)
        better = score > best[rows]
        chosen[rows[better]], best[rows[better]] = candidate[better], score[better]
    return chosen.reshape(-1, 3).astype(np.int32)


def _light_faces(model: mujoco.MjModel, mesh: int, cache: Path) -> tuple[np.ndarray, np.ndarray]:
    """Faces and corner normals (each int32 (G, 3)) of a decimated mesh, from the cache if it is there."""
    vertices = _rows(model.mesh_vert, model.mesh_vertadr, model.mesh_vertnum, mesh)
    normals = _rows(model.mesh_normal, model.mesh_normaladr, model.mesh_normalnum, mesh)
    faces = _rows(model.mesh_face, model.mesh_faceadr, model.mesh_facenum, mesh)
    facenormals = _rows(model.mesh_facenormal, model.mesh_faceadr, model.mesh_facenum, mesh)
    digest = hashlib.sha256(f"{CACHE_VERSION} {RELATIVE_TOLERANCE}".encode())
    for array in (vertices, normals, faces, facenormals):
        digest.update(array.tobytes())
    file = cache / f"{digest.hexdigest()[:24]}.npy"
    with contextlib.suppress(OSError, ValueError, EOFError):
        light, chosen = np.load(file)
        return light, chosen
    diagonal = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    light = decimate(vertices, faces, RELATIVE_TOLERANCE * diagonal)
    chosen = corner_normals(vertices, normals, faces, facenormals, light)
    with contextlib.suppress(OSError):  # a read-only home only costs the time again
        _publish(file, np.stack([light, chosen]))
    return light, chosen


def _rows(array: np.ndarray, start: np.ndarray, number: np.ndarray, mesh: int) -> np.ndarray:
    return array[start[mesh] : start[mesh] + number[mesh]].copy()


def _publish(file: Path, array: np.ndarray) -> None:
    """Writes by rename, because several workers may fill the cache at once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(prefix=f".{file.stem}-", dir=file.parent)
    with os.fdopen(handle, "wb") as stream:
        np.save(stream, array)
    Path(scratch).replace(file)
