"""Bars with intervals, triangles with borders, coverage."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

from skldl.conformal import ConformalDistribution, coverage_table
from skldl.datasets import make_ldl
from skldl.plotting import plot_coverage, plot_regions, plot_ternary

X, D = make_ldl(120, n_features=3, n_labels=3, random_state=0)


@pytest.fixture(scope="module")
def model():
    return ConformalDistribution(random_state=0).fit(X[:100], D[:100])


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_bars_and_intervals_are_those_of_the_regions(model):
    regions = model.predict_region(X[100:])
    axes = plot_regions(regions, D[100:], samples=[4, 7])
    for ax, row in zip(axes, [4, 7], strict=True):
        heights = [bar.get_height() for bar in ax.patches]
        assert_allclose(heights, regions.center[row])
        ends = np.array([path.vertices[:, 1] for path in ax.collections[0].get_paths()])
        assert_allclose(ends, np.column_stack([regions.lower, regions.upper])[row][
            [0, 3, 1, 4, 2, 5]].reshape(3, 2))  # fmt: skip
        assert_allclose(ax.lines[-1].get_ydata(), D[100 + row])
        dark = [bar.get_facecolor()[2] < 0.8 for bar in ax.patches]
        assert dark == regions.labels[row].tolist()


def test_bad_requests(model):
    regions = model.predict_region(X[100:])
    with pytest.raises(ValueError, match="rows from 0 to 19"):
        plot_regions(regions, samples=[20])
    with pytest.raises(ValueError, match="2 names for 3"):
        plot_regions(regions, labels=["a", "b"])
    with pytest.raises(ValueError, match="2 entries for 1"):
        plot_regions(regions, samples=[0], axes=plt.subplots(1, 2)[1])
    with pytest.raises(ValueError, match="3 labels, but there are 4"):
        plot_ternary(np.full((2, 4), 0.25))


@pytest.mark.parametrize("distance", ["tv", "kl", "aitchison", "label"])
def test_borders_in_the_triangle_are_at_the_radius(distance):
    model = ConformalDistribution(distance=distance, random_state=0)
    regions = model.fit(X[:100], D[:100]).predict_region(X[100:])
    ax = plot_ternary(regions, D[100:], samples=[2])
    border = ax.collections[-1].get_paths()[0].vertices
    height = border[:, 1] / (np.sqrt(3) / 2)
    right = border[:, 0] - height / 2
    degrees = np.clip(np.column_stack([1 - right - height, right, height]), 0, 1)
    degrees /= degrees.sum(axis=1, keepdims=True)
    assert_allclose(regions.distances(degrees, 2), regions.radius[2], rtol=0.05)


def test_a_whole_triangle_has_no_border(model):
    small = ConformalDistribution(calibration_size=5, random_state=0).fit(X, D)
    with pytest.warns(match="whole simplex"):
        regions = small.predict_region(X[:1])
    plot_ternary(regions)
    plot_regions(regions, samples=1)


def test_lines_of_coverage(model):
    groups = np.where(X[100:, 0] > 0, "a", "b")
    table = coverage_table(model, X[100:], D[100:], [0.6, 0.9], groups=groups)
    ax = plot_coverage(table)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names[:3] == ["asked for", "all samples", "by chance"]
    assert names.count("single labels") == 1
    assert {"group a", "group b"} <= set(names)
    everyone = table[table["kind"] == "all"]
    assert_allclose(ax.lines[1].get_ydata(), everyone["coverage"])
