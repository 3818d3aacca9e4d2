"""The picture of label correlations."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import kendalltau, spearmanr

from skldl.graphs import label_correlation
from skldl.plotting import plot_label_correlation

F = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.0]])
D = pd.DataFrame(
    np.random.default_rng(0).dirichlet([1, 2, 3, 1], 40), columns=list("abcd")
)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_cells_names_and_a_blank_diagonal():
    ax = plot_label_correlation(F, labels=["sea", "sun", "snow"])
    shown = ax.images[0].get_array()
    assert_allclose(shown.filled(1.0), F)
    assert np.array_equal(shown.mask, np.eye(3, dtype=bool))
    assert ax.images[0].get_clim() == (0.0, 0.5)
    for ticks in (ax.get_xticklabels(), ax.get_yticklabels()):
        assert [t.get_text() for t in ticks] == ["sea", "sun", "snow"]
    assert {t.get_text() for t in ax.texts} == {".50", ".25", ".00"}


def title(ax):
    return ax.figure.axes[-1].get_ylabel()


def test_a_matrix_of_correlations_has_its_own_scale_and_title():
    C = np.corrcoef(D.T)
    assert C.min() < -0.2
    ax = plot_label_correlation(C)
    assert ax.images[0].get_clim() == (-1.0, 1.0)
    assert title(ax) == "correlation"
    assert_allclose(ax.images[0].get_array().filled(1.0), C)
    named = plot_label_correlation(D.corr(), method="pearson")
    assert title(named) == "Pearson correlation"
    assert [t.get_text() for t in named.get_xticklabels()] == list("abcd")
    # nothing below 0 need not be mutual information
    assert title(plot_label_correlation(np.abs(C))) == "label correlation"
    told = plot_label_correlation(np.abs(C), method="spearman")
    assert told.images[0].get_clim() == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("method", "words", "expected"),
    [
        (None, "Pearson correlation", lambda: np.corrcoef(D.T)),
        ("pearson", "Pearson correlation", lambda: np.corrcoef(D.T)),
        ("spearman", "Spearman rank", lambda: spearmanr(D).statistic),
        ("kendall", "Kendall rank", lambda: D.corr(method=lambda a, b: _tau(a, b))),
        ("mutual_information", "normalised mutual", lambda: label_correlation(D)),
    ],
)
def test_distributions_are_compared_by_columns(method, words, expected):
    ax = plot_label_correlation(D, method=method)
    assert title(ax).startswith(words)
    shown = ax.images[0].get_array()
    assert_allclose(shown.filled(1.0), expected(), atol=1e-12)
    assert np.array_equal(shown.mask, np.eye(4, dtype=bool))
    assert [t.get_text() for t in ax.get_xticklabels()] == list("abcd")


def _tau(a, b):
    return kendalltau(a, b).statistic


def test_as_many_samples_as_labels():
    four = D.iloc[:4]
    ax = plot_label_correlation(four)
    assert_allclose(ax.images[0].get_array().filled(1.0), np.corrcoef(four.T))


def test_a_label_that_never_varies_is_blank():
    Y = np.array([[1, 0, 1], [1, 1, 0], [1, 1, 1]])
    ax = plot_label_correlation(Y)
    assert ax.images[0].get_array().mask[0].all()
    assert [t.get_text() for t in ax.texts] == ["\N{MINUS SIGN}.50"] * 2


def test_many_labels_without_numbers_on_a_given_axes():
    _, ax = plt.subplots()
    assert plot_label_correlation(np.eye(16), ax=ax) is ax
    assert not ax.texts


def test_bad_arguments():
    with pytest.raises(ValueError, match="ones on the diagonal, or distributions"):
        plot_label_correlation(F[:2])
    with pytest.raises(ValueError, match="at least two samples"):
        plot_label_correlation([[0.5, 0.5]])
    with pytest.raises(ValueError, match="pearson, spearman.*got 'cosine'"):
        plot_label_correlation(F, method="cosine")
    with pytest.raises(ValueError, match="2 names for 3 labels"):
        plot_label_correlation(F, labels="ab")
