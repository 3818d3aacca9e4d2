"""The curve of a metric against the number of features."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from skldl.plotting import plot_selection_curve

TABLE = pd.DataFrame(
    {
        "share": [0.2, 0.1, 0.1],
        "n_features": [4, 2, 2],
        "metric": ["clark", "clark", "cosine"],
        "mean": [0.3, 0.5, 0.9],
        "std": [0.1, 0.2, 0.1],
    }
)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_draws_the_rows_of_one_metric_in_order():
    figure, given = plt.subplots()
    ax = plot_selection_curve(TABLE, ax=given, label="LSE-LDL", title="t", color="red")
    assert ax is given
    assert_allclose(ax.lines[0].get_xydata(), [[10, 0.5], [20, 0.3]])
    assert ax.lines[0].get_color() == "red"
    band = ax.collections[0].get_paths()[0].vertices
    assert_allclose([band[:, 1].min(), band[:, 1].max()], [0.2, 0.7])
    assert ax.get_ylabel() == "clark ↓"
    assert ax.get_legend().get_texts()[0].get_text() == "LSE-LDL"
    figure.canvas.draw()


def test_own_figure_and_unknown_metric():
    ax = plot_selection_curve(TABLE, "cosine")
    assert ax.get_ylabel() == "cosine ↑"
    assert ax.get_legend() is None
    with pytest.raises(ValueError, match="no metric 'kl'; it has clark, cosine"):
        plot_selection_curve(TABLE, "kl")
