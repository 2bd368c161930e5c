"""Statistics of a dataset: per episode as LeRobot v2.1 stores them, and over the dataset.

Everything streams. Images are counted in a histogram per channel (256 bins hold all that min, max, mean and
std need), vectors are merged with Chan's parallel formula

    M2 = M2_a + M2_b + (mean_b - mean_a)^2 n_a n_b / (n_a + n_b),     std = sqrt(M2 / n),

and the 1 % quantiles of N rows need only the N/100 smallest and largest values of each column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Stats = dict[str, list]

LOW, HIGH = 0.01, 0.99
CONSTANT_RANGE = 1e-6
"""A dimension that moves less than this (m, rad, or action units) in the whole dataset carries no signal."""


class StatsError(ValueError):
    """Statistics were asked of data that has none: no rows, or a value that is not finite."""


def sample_indices(n: int) -> np.ndarray:
    """Frames whose images enter the statistics of an episode of `n` frames: int64 (k,), rising.

    k = max(min(100, n), min(int(n**0.75), 10000)), lerobot's rule.
    """
    if n < 1:
        raise StatsError("an episode without frames has no statistics")
    k = max(min(100, n), min(int(n**0.75), 10_000))
    return np.round(np.linspace(0, n - 1, k)).astype(np.int64)


class ImageStats:
    """Statistics of uint8 RGB images of one camera, added one at a time."""

    def __init__(self) -> None:
        self._histogram = np.zeros((3, 256), dtype=np.int64)
        self._images = 0

    def add(self, image: np.ndarray) -> None:
        """Count `image`, uint8 (H, W, 3).

        From 300 px up only every n-th pixel of a row and column is taken (about 150 remain), as lerobot does.
        """
        height, width = image.shape[:2]
        if max(height, width) >= 300:
            step = (width if width > height else height) // 150
            image = image[::step, ::step]
        for channel in range(3):
            self._histogram[channel] += np.bincount(image[..., channel].ravel(), minlength=256)
        self._images += 1

    def result(self) -> Stats:
        """`min max mean std` as [3][1][1] in [0, 1] and `count` [images]."""
        if not self._images:
            raise StatsError("a camera without images has no statistics")
        values = np.arange(256) / 255.0
        pixels = self._histogram.sum(axis=1)
        mean = self._histogram @ np.arange(256) / pixels / 255.0
        variance = (self._histogram * (values - mean[:, None]) ** 2).sum(axis=1) / pixels
        present = self._histogram > 0
        columns = {
            "min": values[present.argmax(axis=1)],
            "max": values[255 - present[:, ::-1].argmax(axis=1)],
            "mean": mean,
            "std": np.sqrt(variance),
        }
        stats: Stats = {name: column.reshape(3, 1, 1).tolist() for name, column in columns.items()}
        return stats | {"count": [self._images]}


def column_stats(values: np.ndarray) -> Stats:
    """`min max mean std` as [N] and `count` [T] of `values`, numbers (T, N) or (T,) (then N = 1).

    Computed in float64, where a sum of float32 values is exact, so that a constant dimension gets a std of exactly
    0. In float32 rounding gives it a std near 1e-6, by which a policy's normaliser would then divide.
    """
    running = _moments(values)
    return {
        "min": _plain(running["min"], values),
        "max": _plain(running["max"], values),
        "mean": running["mean"].tolist(),
        "std": np.sqrt(running["m2"] / running["n"]).tolist(),
        "count": [running["n"]],
    }


class ColumnStats:
    """Statistics of one column over the dataset of `total` rows, added episode by episode."""

    def __init__(self, total: int) -> None:
        self._keep = int(LOW * total) + 2
        self._total = total
        self._running: dict[str, Any] | None = None
        self._smallest: np.ndarray = np.empty((0, 0))
        self._largest: np.ndarray = np.empty((0, 0))
        self._like: np.ndarray = np.empty(0)

    def add(self, values: np.ndarray) -> None:
        """Add the rows of one episode, numbers (T, N) or (T,) (then N = 1)."""
        new = _moments(values)
        rows = _rows(values)
        self._like = values[:0]
        if self._running is None:
            self._running, self._smallest, self._largest = new, rows[:0], rows[:0]
        else:
            self._running = _merge(self._running, new)
        self._smallest = _extreme(np.concatenate([self._smallest, rows]), self._keep)
        self._largest = -_extreme(-np.concatenate([self._largest, rows]), self._keep)

    def result(self) -> Stats:
        """`min max mean std q01 q99`, each [N]; the quantiles are numpy's linear ones, exact."""
        running = self._running
        if running is None or running["n"] != self._total:
            seen = 0 if running is None else running["n"]
            raise StatsError(f"statistics of {self._total} rows were announced, but {seen} rows were added")
        return {
            "min": _plain(running["min"], self._like),
            "max": _plain(running["max"], self._like),
            "mean": running["mean"].tolist(),
            "std": np.sqrt(running["m2"] / running["n"]).tolist(),
            "q01": self._quantile(LOW).tolist(),
            "q99": self._quantile(HIGH).tolist(),
        }

    def _quantile(self, q: float) -> np.ndarray:
        position = q * (self._total - 1)
        below = int(position)
        above = int(np.ceil(position))
        ordered = np.sort(self._smallest if q < 0.5 else self._largest, axis=0)
        offset = 0 if q < 0.5 else self._total - len(ordered)
        low, high = ordered[below - offset], ordered[above - offset]
        return low + (high - low) * (position - below)


def constant_dimensions(stats: Stats) -> list[int]:
    """Dimensions of a column that move by no more than `CONSTANT_RANGE` in the whole dataset."""
    ranges = np.subtract(stats["max"], stats["min"])
    return np.flatnonzero(ranges <= CONSTANT_RANGE).tolist()


def _rows(values: np.ndarray) -> np.ndarray:
    return np.asarray(values, dtype=np.float64).reshape(len(values), -1)


def _moments(values: np.ndarray) -> dict[str, Any]:
    rows = _rows(values) if len(values) else None
    if rows is None or not np.isfinite(rows).all():
        raise StatsError("statistics need at least one row, and only finite values")
    low, high = rows.min(axis=0), rows.max(axis=0)
    mean = rows.mean(axis=0)
    return {"n": len(rows), "min": low, "max": high, "mean": mean, "m2": ((rows - mean) ** 2).sum(axis=0)}


def _merge(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    n = a["n"] + b["n"]
    step = b["mean"] - a["mean"]
    return {
        "n": n,
        "min": np.minimum(a["min"], b["min"]),
        "max": np.maximum(a["max"], b["max"]),
        "mean": a["mean"] + step * (b["n"] / n),
        "m2": a["m2"] + b["m2"] + step**2 * (a["n"] * b["n"] / n),
    }


def _extreme(rows: np.ndarray, keep: int) -> np.ndarray:
    """The `keep` smallest values of each column, in no particular order."""
    return rows if len(rows) <= keep else np.partition(rows, keep - 1, axis=0)[:keep]


def _plain(values: np.ndarray, like: np.ndarray) -> list:
    """Whole numbers stay whole in the JSON of an integer column."""
    return list((values.astype(np.int64) if np.issubdtype(like.dtype, np.integer) else values).tolist())
