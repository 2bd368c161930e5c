import json

import numpy as np
import pytest

from pipeline.stats import (
    ColumnStats,
    ImageStats,
    StatsError,
    column_stats,
    constant_dimensions,
    sample_indices,
)


@pytest.mark.parametrize("n", [1, 2, 99, 100, 101, 500, 1000, 5300])
def test_samples_the_frames_that_lerobot_samples(n):
    reference = pytest.importorskip("lerobot.datasets.compute_stats")
    assert sample_indices(n).tolist() == reference.sample_indices(n)


def test_no_frames_have_no_samples():
    with pytest.raises(StatsError, match="without frames"):
        sample_indices(0)


@pytest.mark.parametrize(("height", "width"), [(64, 64), (48, 96), (300, 300), (320, 480), (512, 300)])
def test_image_statistics_are_lerobots(height, width):
    reference = pytest.importorskip("lerobot.datasets.compute_stats")
    rng = np.random.default_rng(0)
    images = rng.integers(3, 251, (5, height, width, 3), dtype=np.uint8)
    images[..., 1] //= 2
    stats = ImageStats()
    for image in images:
        stats.add(image)
    small = np.stack([reference.auto_downsample_height_width(i.transpose(2, 0, 1)) for i in images])
    expected = reference.get_feature_stats(small, axis=(0, 2, 3), keepdims=True)
    result = stats.result()
    for name in ("min", "max", "mean", "std"):
        assert np.shape(result[name]) == (3, 1, 1)
        np.testing.assert_allclose(result[name], expected[name][0] / 255, rtol=1e-12)
    assert result["count"] == [5]


def test_a_uniform_image_has_exactly_no_spread():
    stats = ImageStats()
    stats.add(np.full((16, 16, 3), 77, dtype=np.uint8))
    assert np.ravel(stats.result()["std"]).tolist() == [0, 0, 0]


def test_column_statistics():
    values = np.random.default_rng(1).standard_normal((200, 3)).astype(np.float32)
    stats = column_stats(values)
    np.testing.assert_array_equal(stats["min"], values.min(axis=0))
    np.testing.assert_array_equal(stats["max"], values.max(axis=0))
    np.testing.assert_allclose(stats["mean"], values.mean(axis=0, dtype=np.float64), rtol=1e-12)
    np.testing.assert_allclose(stats["std"], values.std(axis=0, dtype=np.float64), rtol=1e-12)
    assert stats["count"] == [200]


def test_a_constant_dimension_has_its_value_as_mean_and_no_spread():
    values = np.full((5000, 2), 0.7, dtype=np.float32)
    values[:, 1] = np.linspace(0, 1, 5000)
    assert values[:, 0].std() > 0, "numpy's float32 mean is exact here, so this test shows nothing"
    stats = column_stats(values)
    assert stats["mean"][0] == values[0, 0]
    assert stats["std"][0] == 0
    total = ColumnStats(10_000)
    total.add(values)
    total.add(values)
    assert total.result()["std"][0] == 0
    assert constant_dimensions(total.result()) == [0]


def test_whole_numbers_stay_whole():
    stats = column_stats(np.arange(7))
    assert json.dumps(stats["max"]) == "[6]"
    assert json.dumps(stats["mean"]) == "[3.0]"


@pytest.mark.parametrize("sizes", [[1], [2], [1, 1, 1], [50, 51], [100, 1], [333, 1, 777, 90], [5000, 5001]])
def test_dataset_statistics_equal_those_of_all_rows_together(sizes):
    rng = np.random.default_rng(len(sizes))
    parts = [rng.standard_t(2, (n, 4)).astype(np.float32) + i for i, n in enumerate(sizes)]
    total = ColumnStats(sum(sizes))
    for part in parts:
        total.add(part)
    result = total.result()
    rows = np.concatenate(parts).astype(np.float64)
    expected = {
        "min": rows.min(axis=0),
        "max": rows.max(axis=0),
        "mean": rows.mean(axis=0),
        "std": rows.std(axis=0),
        "q01": np.quantile(rows, 0.01, axis=0),
        "q99": np.quantile(rows, 0.99, axis=0),
    }
    assert list(result) == list(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(result[name], value, rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("n", [*range(1, 12), 99, 100, 101, 199, 200, 201, 301, 999, 1001, 2001, 10_001])
def test_quantiles_are_exact_at_every_row_count(n):
    values = np.random.default_rng(n).permutation(n).astype(np.float64)
    total = ColumnStats(n)
    for part in np.array_split(values, min(n, 7)):
        total.add(part)
    result = total.result()
    assert result["q01"] == pytest.approx([np.quantile(values, 0.01)], rel=1e-12)
    assert result["q99"] == pytest.approx([np.quantile(values, 0.99)], rel=1e-12)


def test_missing_rows_and_values_that_are_not_finite_are_refused():
    total = ColumnStats(3)
    total.add(np.zeros((2, 1)))
    with pytest.raises(StatsError, match="3 rows were announced, but 2"):
        total.result()
    with pytest.raises(StatsError, match="finite"):
        column_stats(np.array([1.0, np.nan]))
    with pytest.raises(StatsError, match="at least one row"):
        column_stats(np.empty((0, 3)))
