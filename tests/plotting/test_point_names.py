"""Names beside points cover neither each other nor the points."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Annotation, Text

from skldl.plotting import name_points


def boxes(texts):
    """What the letters cover, without the lines to the points."""
    texts[0].get_figure().draw_without_rendering()
    return [Text.get_window_extent(text) for text in texts]


def overlaps(one, other):
    return min(one.x1, other.x1) > max(one.x0, other.x0) and min(
        one.y1, other.y1
    ) > max(one.y0, other.y0)


def drawn(x, y, names, **options):
    ax = plt.figure(figsize=(6, 4)).subplots()
    ax.scatter(x, y)
    return ax, name_points(ax, x, y, names, **options)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_crowded_names_do_not_cover_each_other(scale):
    rng = np.random.default_rng(0)
    x = 10 ** rng.uniform(0, 2, 24)
    y = rng.normal(size=24)
    y[1], x[1] = y[0], x[0] * 1.01  # nearly the same place
    ax = plt.figure(figsize=(8, 5)).subplots()
    ax.scatter(x, y)
    ax.set_xscale(scale)
    names = [f"a name, {i}" for i in range(24)]
    texts = name_points(ax, x, y, names)
    assert [text.get_text() for text in texts] == names
    assert not any(overlaps(a, b) for a, b in combinations(boxes(texts), 2))
    # each text belongs to its own point
    assert np.array_equal([text.xy for text in texts], np.column_stack([x, y]))


def test_a_lone_name_stands_right_beside_its_point():
    _, (text,) = drawn([1.0], [1.0], ["alone"])
    assert text.get_position() == (5, 3)
    assert text.arrow_patch is None


def test_a_name_at_the_right_edge_goes_to_the_left():
    ax, texts = drawn([0.0, 1.0], [0.0, 0.0], ["left", "a long name at the edge"])
    box = boxes(texts)[1]
    assert box.x1 <= ax.bbox.x1 + 1e-6
    assert texts[1].get_horizontalalignment() == "right"


def test_a_name_that_had_to_move_away_is_joined_to_its_point():
    n = 9
    _, texts = drawn(np.ones(n), np.ones(n), [f"name {i}" for i in range(n)])
    assert any(text.arrow_patch is not None for text in texts)
    assert not any(overlaps(a, b) for a, b in combinations(boxes(texts), 2))


def test_lengths_must_agree():
    ax = plt.figure().subplots()
    with pytest.raises(ValueError, match="same length, got 2, 2 and 1"):
        name_points(ax, [1, 2], [1, 2], ["a"])
    assert not [a for a in ax.get_children() if isinstance(a, Annotation)]
