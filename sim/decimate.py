"""Fewer triangles for the same look: quadric edge collapse onto existing vertices.

Every vertex v carries a quadric Q_v = sum over its faces of area * p p^T, where p = (n, d) is the face's plane
n.x + d = 0, and the weight w_v = sum of those areas. Moving u onto v costs the mean squared distance

    cost(u -> v) = x_v^T (Q_u + Q_v) x_v / (w_u + w_v),        x_v = (position of v, 1)

and collapses are made while cost <= tolerance^2. Each pass collapses a set of edges that do not touch one another's
neighbourhoods, cheapest first, so that a pass is a handful of array operations and the result depends on nothing
but its input.
"""

from __future__ import annotations

import numpy as np

MAX_PASSES = 400
BOUNDARY_WEIGHT = 10.0
MIN_COSINE = 0.3  # a face may not turn further than this when a corner moves
ROUNDS = 4  # of picking disjoint collapses within a pass
MIN_PROGRESS = 0.003  # a pass that removes a smaller share of the faces is the last
LENGTH_TIEBREAK = 1e-4  # flat regions cost nothing: shrink short edges first


def decimate(vertices: np.ndarray, faces: np.ndarray, tolerance: float) -> np.ndarray:
    """Collapses edges of a triangle mesh while the surface moves by no more than about `tolerance`.

    Args:
        vertices: float (V, 3), metres. Vertices at the same place are treated as one.
        faces: int (F, 3), counter-clockwise.
        tolerance: root mean square distance to the original planes that a collapse may cause, metres.

    Returns:
        int32 (G, 3), G <= F: faces over the same, unmoved vertices.
    """
    points = np.asarray(vertices, np.float64)
    points = points - points.mean(axis=0)
    _, first, inverse = np.unique(points, axis=0, return_index=True, return_inverse=True)
    faces = _drop_degenerate(first[inverse.reshape(-1)][np.asarray(faces, np.int64)])
    quadrics, weights = _vertex_quadrics(points, faces)
    refused = np.empty(0, np.int64)
    for _ in range(MAX_PASSES):
        source, target = _cheapest_collapses(points, faces, quadrics, weights, tolerance, refused)
        if len(source) == 0:
            break
        bad = _breaks_surface(points, faces, source, target)
        refused = np.union1d(refused, source[bad] * len(points) + target[bad])
        source, target = source[~bad], target[~bad]
        moved = np.arange(len(points))
        moved[source] = target
        before = len(faces)
        faces = _drop_degenerate(moved[faces])
        quadrics[target] += quadrics[source]
        weights[target] += weights[source]
        if before - len(faces) < MIN_PROGRESS * before:
            break
    return faces.astype(np.int32)


def _drop_degenerate(faces: np.ndarray) -> np.ndarray:
    a, b, c = faces.T
    return faces[(a != b) & (b != c) & (c != a)]


def _edges(faces: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Undirected edges: ends u < v, and how many faces share each."""
    pairs = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    keys, uses = np.unique(pairs[:, 0] * count + pairs[:, 1], return_counts=True)
    return keys // count, keys % count, uses


def _normals(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Face normals with the length of twice the face's area: (F, 3)."""
    a, b, c = points[faces[:, 0]], points[faces[:, 1]], points[faces[:, 2]]
    return np.cross(b - a, c - a)


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30)


def _vertex_quadrics(points: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Q (V, 4, 4) and w (V,). Open borders get an upright plane through the border edge, so that they stay put."""
    count = len(points)
    scaled = _normals(points, faces)
    area = np.linalg.norm(scaled, axis=1) / 2
    normal = _unit(scaled)
    quadrics, weights = np.zeros((count, 4, 4)), np.zeros(count)

    def add(corner: np.ndarray, unit: np.ndarray, weight: np.ndarray) -> None:
        plane = np.concatenate([unit, -(unit * points[corner[:, 0]]).sum(axis=1, keepdims=True)], axis=1)
        quadric = weight[:, None, None] * plane[:, :, None] * plane[:, None, :]
        for column in corner.T:
            np.add.at(quadrics, column, quadric)

    add(faces, normal, area)
    for column in faces.T:
        np.add.at(weights, column, area)
    u, v, uses = _edges(faces, count)
    border = set((u[uses == 1] * count + v[uses == 1]).tolist())
    for i, j in ((0, 1), (1, 2), (2, 0)):
        ends = faces[:, [i, j]]
        low, high = ends.min(axis=1), ends.max(axis=1)
        open_edge = np.fromiter((k in border for k in (low * count + high).tolist()), bool, len(faces))
        if open_edge.any():
            ends = ends[open_edge]
            along = points[ends[:, 1]] - points[ends[:, 0]]
            add(ends, _unit(np.cross(along, normal[open_edge])), BOUNDARY_WEIGHT * (along**2).sum(axis=1))
    return quadrics, weights


def _cheapest_collapses(
    points: np.ndarray,
    faces: np.ndarray,
    quadrics: np.ndarray,
    weights: np.ndarray,
    tolerance: float,
    refused: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Collapses (source, target) within tolerance whose neighbourhoods are disjoint, each the cheapest around."""
    count = len(points)
    u, v, _ = _edges(faces, count)
    source, target = np.concatenate([u, v]), np.concatenate([v, u])
    x = np.concatenate([points, np.ones((count, 1))], axis=1)
    total = quadrics[source] + quadrics[target]
    cost = np.einsum("ei,eij,ej->e", x[target], total, x[target]) / (weights[source] + weights[target] + 1e-30)
    allowed = (cost <= tolerance**2) & ~np.isin(source * count + target, refused, kind="sort")
    length = ((points[source] - points[target]) ** 2).sum(axis=1)
    order = np.argsort(np.where(allowed, cost + LENGTH_TIEBREAK * length, np.inf), kind="stable")
    order = order[: np.count_nonzero(allowed)]
    rank = np.full(len(source), len(source))
    rank[order] = np.arange(len(order))
    free = np.ones(count, bool)
    chosen = np.zeros(len(source), bool)
    for _ in range(ROUNDS):
        open_rank = np.where(free[source] & free[target], rank, len(source))
        best = np.full(count, len(source))
        np.minimum.at(best, source, open_rank)
        np.minimum.at(best, target, open_rank)
        around = best.copy()
        np.minimum.at(around, u, best[v])
        np.minimum.at(around, v, best[u])
        won = (open_rank < len(source)) & (open_rank == around[source]) & (open_rank == around[target])
        chosen |= won
        taken = np.zeros(count, bool)
        taken[source[won]] = taken[target[won]] = True
        free &= ~taken
        free[u[taken[v]]] = free[v[taken[u]]] = False
    return source[chosen], target[chosen]


def _breaks_surface(points: np.ndarray, faces: np.ndarray, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Which collapses would fold a face over or pinch the surface: bool (len(source),)."""
    count = len(points)
    which = np.full(count, -1)
    which[source] = np.arange(len(source))
    corner = which[faces]
    touched = np.flatnonzero((corner >= 0).any(axis=1))
    collapse = corner[touched].max(axis=1)
    old = faces[touched]
    shared = (old == target[collapse][:, None]).any(axis=1)
    new = np.where(old == source[collapse][:, None], target[collapse][:, None], old)
    before, after = _normals(points, old), _normals(points, new)
    cosine = (_unit(before) * _unit(after)).sum(axis=1)
    flips = ~shared & ((cosine < MIN_COSINE) | (np.linalg.norm(after, axis=1) < 1e-14))
    bad = np.zeros(len(source), bool)
    bad[collapse[flips]] = True
    # Link condition: the ends of an edge may share only the neighbours across its own faces.
    u, v, _ = _edges(faces, count)
    ends, others = np.concatenate([u, v]), np.concatenate([v, u])
    of_source = which[ends] >= 0
    key_source = which[ends][of_source] * count + others[of_source]
    which_target = np.full(count, -1)
    which_target[target] = np.arange(len(target))
    of_target = which_target[ends] >= 0
    key_target = which_target[ends][of_target] * count + others[of_target]
    common = np.bincount(np.intersect1d(key_source, key_target) // count, minlength=len(source))
    sharing = np.bincount(collapse[shared], minlength=len(source))
    return bad | (common > sharing)
