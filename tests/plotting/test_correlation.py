import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

from skldl.plotting import plot_label_correlation

F = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.0]])


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


def test_many_labels_without_numbers_on_a_given_axes():
    _, ax = plt.subplots()
    assert plot_label_correlation(np.eye(16), ax=ax) is ax
    assert not ax.texts


def test_bad_arguments():
    with pytest.raises(ValueError, match=r"square, got the shape \(2, 3\)"):
        plot_label_correlation(F[:2])
    with pytest.raises(ValueError, match="2 names for 3 labels"):
        plot_label_correlation(F, labels="ab")
