"""How rows of figures are drawn."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from drawn import committed_figures, curve_table
from skldl.plotting import style_context
from skldl.reproduce.figures import _panels, _samples
from skldl.reproduce.figures._diagrams import stacked_diagrams
from skldl.reproduce.figures._drawing import Picture
from skldl.reproduce.figures._looks import looks_of, series_color
from skldl.reproduce.figures.hamming import (
    by_number,
    published_losses,
)


def test_curves_have_a_panel_and_a_line_each():
    drawing = _panels.draw_curves(curve_table(), xlabel="n", ylabel="loss", logx=True)
    assert [ax.get_title() for ax in drawing.axes] == ["a", "b"]
    assert [len(ax.containers) for ax in drawing.axes] == [1, 2]
    assert drawing.axes[0].get_xscale() == "log"
    assert list(drawing.axes[0].get_xticks()) == [1, 2]
    # a legend beside the data, not on it
    assert not any(ax.get_legend() for ax in drawing.axes)
    (legend,) = drawing.legends
    assert [text.get_text() for text in legend.get_texts()] == ["x", "y"]


def test_a_series_has_one_colour_in_all_panels_and_after_the_style_is_left():
    with style_context():
        wanted = series_color(0)
        drawing = _panels.draw_curves(curve_table(), xlabel="n", ylabel="loss")
    found = {ax.containers[0][0].get_color() for ax in drawing.axes}
    assert found == {wanted}


def test_no_two_tick_labels_overlap():
    """Of the committed figures, as far as their rows are there."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    for drawing, figure in committed_figures():
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        for ax in figure.axes:
            labels = [t for t in ax.get_xticklabels() if t.get_text()]
            if any(t.get_rotation() for t in labels):
                continue
            low, high = ax.get_xlim()
            boxes = [
                t.get_window_extent(canvas.get_renderer())
                for t in labels
                if low <= t.get_position()[0] <= high
            ]
            for left, right in pairwise(boxes):
                assert left.x1 < right.x0, f"{drawing.name}: {ax.get_title()}"


@pytest.mark.parametrize("logx", [False, True])
def test_bars_of_one_x_do_not_hide_each_other(logx):
    x = [0.1, 0.2, 0.4]
    rows = pd.DataFrame(
        {"panel": "a", "series": np.repeat(list("stu"), 3), "x": x * 3,
         "y": 1.0, "error": 0.1}
    )  # fmt: skip
    drawing = _panels.draw_curves(rows, xlabel="", ylabel="", logx=logx, dodge=True)
    found = np.array([c[0].get_xdata() for c in drawing.axes[0].containers], float)
    places = np.log(found) if logx else found
    step = np.log(2) if logx else 0.1
    # equal steps from series to series, the middle one in its place
    assert np.allclose(np.diff(places, axis=0), step * 0.5 / 3)
    assert np.allclose(found[1], x)
    assert list(drawing.axes[0].get_xticks()) == x


def test_points_of_one_x_are_beside_each_other():
    rows = curve_table(panel="a", series=list("xxyy"), x=[1, 2, 1, 2])
    plain, moved = (
        _panels.draw_curves(rows, xlabel="n", ylabel="loss", logx=True, dodge=dodge)
        for dodge in (False, True)
    )
    at = [[list(c[0].get_xdata()) for c in d.axes[0].containers]
          for d in (plain, moved)]  # fmt: skip
    assert at[0] == [[1, 2], [1, 2]]
    ratios = np.array(at[1]) / np.array(at[0])
    # the same share to the left and to the right, and less than a tick apart
    assert np.allclose(ratios.prod(axis=0), 1.0)
    assert (ratios[0] < 1).all()
    assert (ratios[1] < 1.1).all()
    assert list(moved.axes[0].get_xticks()) == [1, 2]


def test_bars_have_their_heights_and_errors():
    rows = pd.DataFrame(
        {"panel": "p", "group": ["a", "a", "b", "b"], "series": list("stst"),
         "y": [1.0, 2.0, 3.0, 4.0], "error": [0.1, 0.2, 0.3, 0.4]}
    )  # fmt: skip
    drawing = _panels.draw_bars(rows, ylabel="loss")
    (ax,) = drawing.axes
    heights = {(round(p.get_x() + p.get_width() / 2, 6), p.get_height())
               for p in ax.patches}  # fmt: skip
    assert heights == {(-0.2, 1.0), (0.2, 2.0), (0.8, 3.0), (1.2, 4.0)}
    lines = [line for c in ax.collections for line in c.get_segments()]
    assert sorted(round(line[1][1] - line[0][1], 6) for line in lines) == [
        0.2, 0.4, 0.6, 0.8,
    ]  # fmt: skip


def test_a_method_looks_the_same_on_every_figure():
    alone, crowd = looks_of(["LDkNN-LDL"]), looks_of(["DAA-kNN", "new", "LDkNN-LDL"])
    assert alone["LDkNN-LDL"] == crowd["LDkNN-LDL"]
    # unknown names take what is left
    assert len({look.color for look in crowd.values()}) == 3
    exact, fast = looks_of(["LWkNN-LDL", "LWkNN-LDL, approximate search"]).values()
    assert (exact.color, exact.marker) == (fast.color, fast.marker)
    assert (exact.line, fast.line) == ("-", "--")
    assert exact.face == exact.color != fast.face


@pytest.mark.parametrize("paper", ["lwknn", "mslp", "generalized-hamming"])
def test_methods_of_a_paper_are_told_apart(paper):
    """On each committed figure no two series share colour and line."""
    figures = [fig for drawing, fig in committed_figures() if drawing.paper == paper]
    for figure in figures:
        for ax in figure.axes:
            errorbars = [c for c in ax.containers if hasattr(c, "has_yerr")]
            lines = [c[0] for c in errorbars if c[0] is not None]
            kinds = [(line.get_color(), line.get_linestyle()) for line in lines]
            assert len(set(kinds)) == len(kinds)


def test_no_figure_is_wider_than_a_page():
    for drawing, figure in committed_figures():
        assert figure.get_figwidth() <= _panels.MOST_WIDTH, drawing.name


def test_bars_of_two_series_stand_in_the_middle_of_their_panel():
    rows = pd.DataFrame(
        {"panel": list("aabb"), "group": "g", "series": list("stuv"),
         "y": [1.0, 2.0, 3.0, 4.0], "error": np.nan}
    )  # fmt: skip
    for ax in _panels.draw_bars(rows, ylabel="n", columns=2).axes:
        middles = [p.get_x() + p.get_width() / 2 for p in ax.patches]
        assert middles == pytest.approx([-0.2, 0.2])
        assert all(tick % 1 == 0 for tick in ax.get_yticks())  # counts


def test_far_points_are_counted_and_at_the_edge():
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(50, 2))
    points[:3] = [[90.0, 0.5], [-90.0, 0.5], [0.5, 90.0]]
    D = rng.dirichlet(np.ones(4), size=50)
    rows = pd.DataFrame(np.hstack([points, D]), columns=["x", "y", *"abcd"])
    rows.insert(0, "panel", "some")
    drawing = _samples.draw_points(rows)
    (ax,) = drawing.axes
    assert ax.get_title() == "some\n3 of 50 are outside of the frame"
    drawn = np.vstack([c.get_offsets() for c in ax.collections])
    assert len(drawn) == 50
    assert (drawn >= 0).all()
    assert (drawn <= 1).all()
    assert ((drawn == 0) | (drawn == 1)).any(axis=1).sum() == 3
    names = [text.get_text() for text in drawing.legends[0].get_texts()]
    assert names[-1] == "outside of the frame"
    near = _samples.draw_points(rows[3:])
    assert near.axes[0].get_title() == "some"
    assert len(near.legends[0].get_texts()) == len(names) - 1
    # labels differ by their markers, too
    shapes = [
        tuple(c.get_paths()[0].vertices.ravel()) for c in near.axes[0].collections
    ]
    assert len(set(shapes)) >= 4


def test_a_constant_coordinate_is_no_picture_of_rounding():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 2))
    points[:, 0] = 0.04 + 1e-17 * points[:, 0]
    framed = _samples._framed(points)
    assert (framed[:, 0] == 0.5).all()
    assert np.ptp(framed[:, 1]) == pytest.approx(1 / 1.08)


def test_numbers_that_tie_have_more_decimals():
    assert _samples._told_apart(pd.Series({"a": 0.271, "b": 0.309})) == "a 0.27, b 0.31"
    assert _samples._told_apart(pd.Series({"a": 0.1358, "b": 0.1389})) == (
        "a 0.136, b 0.139"
    )
    assert _samples._told_apart(pd.Series({"a": 0.5, "b": 0.5})) == "a 0.50, b 0.50"


def test_labels_are_in_the_order_of_their_numbers():
    assert by_number(["Class1", "Class10", "Class2"]) == ["Class1", "Class2", "Class10"]
    assert by_number(["b", "a1"]) == ["b", "a1"]


def test_diagrams_stand_below_their_titles():
    one = '<svg xmlns="x" width="30" height="20"></svg>'
    found = stacked_diagrams([("a < b", one), ("c", one)])
    assert found.index("a &lt; b") < found.index(' y="26"') < found.index(">c</text>")
    assert 'viewBox="0 0 30 116"' in found  # two of title, diagram and gap


def test_files_of_diagrams_are_black_on_white():
    """In a page they take its colours; a file may be shown on a dark page."""
    one = '<svg xmlns="x" width="30" height="20"></svg>'
    picture = Picture("d", "", "", svg=stacked_diagrams([("a", one)]))
    text = picture.svg_text()
    assert text.startswith('<svg style="color:black;background:white" ')
    assert replace(picture, svg=text).svg_text() == text
    assert Picture("d", "", "", svg=one).svg_text() == one


def test_published_losses_are_those_of_the_poster():
    rows = published_losses()
    assert set(rows["panel"]) == {"yeast, published"}
    assert len(rows) == 25
    value = rows[(rows["series"] == "GH") & (rows["x"] == 1)]["y"]
    assert value.item() == 0.209  # as printed


def test_points_and_maps():
    rows = pd.DataFrame(
        {"panel": ["a", "a"], "x": [0.0, 1.0], "y": [0.0, 1.0], "d1": [0.2, 0.5],
         "d2": [0.3, 0.3], "d3": [0.5, 0.2]}
    )  # fmt: skip
    assert len(_samples.draw_points(rows).axes[0].collections[0].get_offsets()) == 2
    pixels = pd.DataFrame(
        {"row": [0, 0, 1], "column": [0, 1, 1], "test": [0, 1, 1],
         "truth": ["corn", "oats", "oats"], "NN": ["oats", "oats", "corn"]}
    )  # fmt: skip
    drawing = _samples.draw_maps(pixels, np.zeros((2, 2, 3)))
    titles = [ax.get_title() for ax in drawing.axes]
    # of the two test pixels one is right
    assert titles == ["false colour", "ground truth", "NN: 50.0%"]
    names = [text.get_text() for text in drawing.legends[0].get_texts()]
    assert names == ["corn", "oats"]
