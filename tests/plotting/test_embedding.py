"""Embeddings are coloured by their label distributions."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from skldl.plotting import label_colors, plot_embedding
from skldl.plotting._embedding import NEUTRAL_COLOR, palette

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_three_labels_are_mixed():
    D = RNG.dirichlet(np.ones(3), 20)
    colors = label_colors(D)
    assert (colors.min(), colors.max()) == (0.0, 1.0)
    slope, offset = np.polyfit(D.ravel(), colors.ravel(), 1)
    assert_allclose(colors, slope * D + offset, atol=1e-12)
    assert_allclose(label_colors(np.full((2, 3), 1 / 3)), 0.0)


def test_other_numbers_take_the_largest_label_and_neutral_is_dark():
    D = np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.7], [0.26, 0.25, 0.25, 0.24]])
    expected = [palette(4)[0], palette(4)[3], NEUTRAL_COLOR]
    assert_allclose(label_colors(D), expected)
    assert len(np.unique(palette(25), axis=0)) == 25


def test_scatter_has_one_point_per_sample_and_a_legend():
    D = pd.DataFrame(RNG.dirichlet(np.ones(4), 30), columns=list("abcd"))
    D.iloc[0] = 0.25
    figure, given = plt.subplots()
    ax = plot_embedding(RNG.normal(size=(30, 3)), D, ax=given, title="t", s=5)
    assert ax is given
    assert len(ax.collections[0].get_offsets()) == 30
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["a", "b", "c", "d", "(flat)"]
    figure.canvas.draw()


@pytest.mark.parametrize(
    ("names", "flat"),
    [
        (["joy", "fear", "calm", "neutral"], "(flat)"),
        (["joy", "((flat))", "calm", "(flat)"], "(((flat)))"),
    ],
)
def test_the_word_for_flat_samples_is_not_a_label(names, flat):
    D = np.vstack([np.eye(4), np.full(4, 0.25)])
    ax = plot_embedding(RNG.normal(size=(5, 2)), D, label_names=names)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [*names, flat]


def test_one_coordinate_and_bad_shapes():
    D = RNG.dirichlet(np.ones(3), 10)
    ax = plot_embedding(RNG.normal(size=(10, 1)), D, label_names=np.array(list("xyz")))
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["x", "y", "z"]
    assert_allclose(ax.collections[0].get_offsets()[:, 0], np.arange(10))
    with pytest.raises(ValueError, match="one row per sample"):
        plot_embedding(np.ones((9, 2)), D)
