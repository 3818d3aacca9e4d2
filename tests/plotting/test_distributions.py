"""Bars of true and predicted degrees."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from skldl.plotting import plot_distributions

D = pd.DataFrame([[0.7, 0.2, 0.1], [0.1, 0.5, 0.4]], columns=["joy", "fear", "calm"])
P = np.array([[0.6, 0.3, 0.1], [0.2, 0.3, 0.5]])


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_bars_are_the_degrees_and_stars_the_largest():
    axes = plot_distributions(D, P)
    assert [ax.get_title() for ax in axes] == [
        "sample 0: joy",
        "sample 1: fear taken for calm",
    ]
    for row, ax in enumerate(axes):
        heights = [bar.get_height() for bar in ax.patches]
        assert_allclose(heights, [*D.to_numpy()[row], *P[row]])
        assert [t.get_text() for t in ax.get_xticklabels()] == ["joy", "fear", "calm"]
        stars = [text.xy for text in ax.texts]
        expected = [
            (D.to_numpy()[row].argmax() - 0.2, D.to_numpy()[row].max()),
            (P[row].argmax() + 0.2, P[row].max()),
        ]
        assert_allclose(stars, expected)


def test_chosen_samples_on_given_axes():
    _, ax = plt.subplots()
    assert plot_distributions(D, P, samples=[1], labels="abc", axes=[ax]) == [ax]
    assert ax.get_title() == "sample 1: b taken for c"


def test_bad_arguments():
    with pytest.raises(ValueError, match="row 2, but there are 2 rows"):
        plot_distributions(D, P, samples=[0, 2])
    with pytest.raises(ValueError, match="names no sample"):
        plot_distributions(D, P, samples=[])
    with pytest.raises(ValueError, match="2 names for 3 labels"):
        plot_distributions(D, P, labels=["a", "b"])
    with pytest.raises(ValueError, match="1 entries for 2 samples"):
        plot_distributions(D, P, axes=[plt.gca()])
