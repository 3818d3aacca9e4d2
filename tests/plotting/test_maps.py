"""Maps of land cover and projections as images."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skldl.plotting import (
    class_image,
    false_color,
    plot_class_map,
    plot_projections_as_images,
)
from skldl.plotting._embedding import palette

RNG = np.random.default_rng(0)
CUBE = RNG.uniform(size=(6, 5, 8))
PIXELS = np.array([[0, 0], [5, 4], [2, 3], [1, 1]])
TRUTH = np.array(["corn", "oats", "corn", "wheat"])


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_false_colours_stretch_each_band():
    image = false_color(CUBE, [7, 0, 3], stretch=0.0)
    for i, band in enumerate([7, 0, 3]):
        flat = CUBE[:, :, band]
        expected = (flat - flat.min()) / np.ptp(flat)
        assert_allclose(image[:, :, i], expected, atol=1e-12)
    assert_array_equal(false_color(CUBE), false_color(CUBE, [6, 4, 2]))
    clipped = false_color(CUBE, stretch=0.2)
    assert (clipped == 0).mean() > 0.15
    assert_array_equal(false_color(np.ones((2, 2, 4))), 0)


def test_one_colour_per_class_and_black_elsewhere():
    classes = ["wheat", "corn", "oats"]
    image = class_image(TRUTH, PIXELS, (6, 5), classes)
    for (row, column), name in zip(PIXELS, TRUTH, strict=True):
        assert_allclose(image[row, column], palette(3, "tab20")[classes.index(name)])
    assert (image.sum(axis=2) > 0).sum() == len(PIXELS)


def test_maps_stand_side_by_side_with_shares_and_a_legend():
    guess = np.array(["corn", "oats", "oats", "wheat"])
    figure = plot_class_map(CUBE, PIXELS, TRUTH, {"one": guess, "two": TRUTH})
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["false colour", "ground truth", "one: 75.0 %", "two: 100.0 %"]
    shown = [ax.images[0].get_array() for ax in figure.axes]
    assert_allclose(shown[0], false_color(CUBE))
    assert_allclose(shown[1], shown[3])
    assert np.abs(shown[1] - shown[2]).max() > 0
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["corn", "oats", "wheat"]
    figure.canvas.draw()
    assert not plot_class_map(CUBE, PIXELS, TRUTH, legend=False).legends


@pytest.mark.parametrize("order", ["C", "F"])
def test_directions_become_images(order):
    components = RNG.normal(size=(7, 12))
    figure = plot_projections_as_images(
        components, (3, 4), order=order, n_images=5, n_columns=3
    )
    assert len(figure.axes) == 5
    for ax, row in zip(figure.axes, components, strict=False):
        expected = row.reshape((3, 4), order=order)
        assert_allclose(ax.images[0].get_array(), expected)
    figure.canvas.draw()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: false_color(CUBE[0]), "rows, columns and bands"),
        (lambda: false_color(CUBE, [0, 1]), "three of the 8 bands"),
        (lambda: false_color(CUBE, [0, 1, 8]), "three of the 8 bands"),
        (lambda: class_image(TRUTH, PIXELS[:2], (6, 5), TRUTH), "a row and a column"),
        (lambda: class_image(["rye"], PIXELS[:1], (6, 5), TRUTH), "'rye' is a label"),
        (lambda: plot_projections_as_images(np.eye(5), (2, 3)), "need 6 columns"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()
