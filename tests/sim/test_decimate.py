"""Edge collapse: fewer triangles, the same surface, the same answer."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from sim.decimate import decimate
from sim.light_meshes import corner_normals


def sphere(count: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    """Unit sphere: vertices (count, 3) and outward faces."""
    height = 1 - 2 * (np.arange(count) + 0.5) / count
    turn = np.pi * (1 + 5**0.5) * np.arange(count)
    ring = np.sqrt(1 - height**2)
    points = np.stack([ring * np.cos(turn), ring * np.sin(turn), height], axis=1)
    faces = ConvexHull(points).simplices
    inward = np.linalg.det(points[faces]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return points, faces


def test_sphere_stays_a_closed_sphere() -> None:
    points, faces = sphere()
    light = decimate(points, faces, tolerance=0.01)
    assert len(light) < len(faces) / 5
    edges = np.sort(light[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()
    volume = np.linalg.det(points[light].astype(float)).sum() / 6
    assert abs(volume / (4 / 3 * np.pi) - 1) < 0.04
    assert (np.linalg.norm(points[light].mean(axis=1), axis=1) > 0.95).all()


def test_same_answer_twice_and_nothing_at_zero_tolerance() -> None:
    points, faces = sphere(500)
    assert (decimate(points, faces, 0.02) == decimate(points, faces, 0.02)).all()
    assert len(decimate(points, faces, 0.0)) == len(faces)


def test_flat_sheet_keeps_its_border() -> None:
    x, y = np.meshgrid(np.arange(11.0), np.arange(11.0), indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), np.zeros(121)], axis=1)
    corner = np.array([11 * i + j for i in range(10) for j in range(10)])[:, None]
    faces = np.concatenate([corner + np.array([0, 11, 12]), corner + np.array([0, 12, 1])])
    light = decimate(points, faces, 1e-6)
    a, b, c = points[light[:, 0]], points[light[:, 1]], points[light[:, 2]]
    area = np.cross(b - a, c - a)[:, 2] / 2
    assert len(light) < 60
    assert (area > 0).all() and np.isclose(area.sum(), 100)


def test_crease_picks_the_normal_of_its_side() -> None:
    """Two faces of a cube share an edge; the place has two normals, each corner takes its own."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 0, 0], [1, 0, 1]], float)
    normals = np.array([[0, 0, 1], [0, -1, 0]], float)
    faces = np.array([[0, 1, 2], [3, 4, 5]])
    facenormals = np.array([[0, 0, 0], [1, 1, 1]])
    light = np.array([[0, 1, 2], [0, 1, 5]])
    assert corner_normals(vertices, normals, faces, facenormals, light).tolist() == facenormals.tolist()
