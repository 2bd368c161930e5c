"""Statistics worked out again from the rows, and those of images from decoded frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

RELATIVE = 1e-5
IMAGE_TOLERANCE = 0.02
"""Decoded frames differ from the rendered ones by the codec's noise, about 0.01 (40 dB)."""
CONSTANT = 1e-6


def sampled_frames(length: int) -> np.ndarray:
    """Frames whose images enter LeRobot's statistics: int64 (k,)."""
    k = max(min(100, length), min(int(length**0.75), 10_000))
    return np.round(np.linspace(0, length - 1, k)).astype(np.int64)


def describe(values: np.ndarray) -> dict[str, np.ndarray]:
    """min, max, mean, std, q01 and q99, each (N,), of rows (T, N) or (T,)."""
    rows = values.astype(np.float64).reshape(len(values), -1)
    return {
        "min": rows.min(axis=0),
        "max": rows.max(axis=0),
        "mean": rows.mean(axis=0),
        "std": rows.std(axis=0),
        "q01": np.quantile(rows, 0.01, axis=0),
        "q99": np.quantile(rows, 0.99, axis=0),
    }


def check_numbers(where: str, stats: Mapping[str, Any], values: np.ndarray, names: tuple[str, ...]) -> Iterator[str]:
    """Compares the statistics `names` in `stats` with those of the rows."""
    expected = describe(values)
    for name in names:
        said = np.asarray(stats.get(name, []), dtype=np.float64)
        right = expected[name]
        if said.shape != right.shape or not np.isfinite(said).all():
            yield f"{where}: {name} has shape {said.shape}; it must be finite {right.shape}"
        elif (np.abs(said - right) > RELATIVE * np.maximum(1.0, np.abs(right))).any():
            worst = int(np.abs(said - right).argmax())
            yield f"{where}: {name}[{worst}] is {said[worst]:.6g}; the rows give {right[worst]:.6g}"


def check_count(where: str, stats: Mapping[str, Any], count: int) -> Iterator[str]:
    """`count` is a list of one number, as lerobot wants it."""
    if stats.get("count") != [count]:
        yield f"{where}: count is {stats.get('count')}; it must be [{count}]"


def check_images(where: str, stats: Mapping[str, Any], moments: Mapping[int, np.ndarray]) -> Iterator[str]:
    """Statistics of a camera against decoded frames. `moments` is frame -> (2, 3), see `image_moments`."""
    said = {name: np.asarray(stats.get(name, []), dtype=np.float64) for name in ("min", "max", "mean", "std")}
    for name, value in said.items():
        if value.shape != (3, 1, 1) or not np.isfinite(value).all():
            yield f"{where}: {name} has shape {value.shape}; it must be finite (3, 1, 1)"
            return
    low, high, mean, std = (said[name].ravel() for name in ("min", "max", "mean", "std"))
    if not (np.all(low >= 0) and np.all(high <= 1) and np.all(low <= mean) and np.all(mean <= high)):
        yield f"{where}: min, mean and max are not in order within [0, 1]"
    pixels = np.stack(list(moments.values()))
    first, second = pixels[:, 0].mean(axis=0), pixels[:, 1].mean(axis=0)
    right = {"mean": first, "std": np.sqrt(np.maximum(second - first**2, 0.0))}
    for name, value in (("mean", mean), ("std", std)):
        off = np.abs(value - right[name]).max()
        if off > IMAGE_TOLERANCE:
            yield f"{where}: {name} is off by {off:.3f} from that of the decoded frames"


def image_moments(image: np.ndarray) -> np.ndarray:
    """Mean and mean square (2, 3) per channel of a uint8 image (H, W, 3), scaled to [0, 1]."""
    values = image.reshape(-1, 3).astype(np.float64) / 255.0
    return np.stack([values.mean(axis=0), (values**2).mean(axis=0)])


def constant_dimensions(values: np.ndarray) -> list[int]:
    """Dimensions that never move."""
    rows = values.astype(np.float64)
    return np.flatnonzero(rows.max(axis=0) - rows.min(axis=0) <= CONSTANT).tolist()
