"""What a comparison page says in words, and numbers that are easy to read."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from made import fill
from pages import check_page
from skldl.benchmark import Result, Store
from skldl.datasets import load
from skldl.plotting import plot_embedding
from skldl.report import table, write_report
from skldl.report._leaderboards import _short_number
from skldl.report._pictures import _put_legend_below
from skldl.report._summary import split_words

FLOOR = "perfect model (noise floor)"


def text_of(store, tmp_path):
    html = write_report(store, tmp_path / "report.html").read_text("utf-8")
    return html, "".join(check_page(html).text)


def test_a_data_set_without_votes_has_no_row_for_the_floor(tmp_path):
    with Store(":memory:") as store:
        fill(store, datasets=("voted", "rated"), metrics=("chebyshev", "clark"))
        store.note_dataset("mark of voted", load("toy"), None, {"chebyshev": 0.01})
        html, _ = text_of(store, tmp_path)
    boards = {
        name: html.split(f"Methods on {name}</span>")[1].split("</table>")[0]
        for name in ("voted", "rated")
    }
    assert FLOOR in boards["voted"]
    assert FLOOR not in boards["rated"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (2e-5, "< 0.001"),
        (0.0834, "0.083"),
        (3.794, "3.79"),
        (1234.5, "1234"),
    ],
)
def test_times_have_no_exponent_and_are_sorted_by_their_value(value, text):
    cell = _short_number(value)
    assert (cell.text, cell.key) == (text, value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kfold-3", "3 folds (kfold-3)"),
        ("shuffle-0.1-stratified",
         "random splits, 10% for the test, stratified (shuffle-0.1-stratified)"),
        ("fixed", "the data sets' own (fixed)"),
        ("other", "other"),
    ],
)  # fmt: skip
def test_a_split_is_told_in_words_and_by_its_name(name, words):
    assert split_words(name) == words


def test_a_method_that_ties_with_the_mean_is_not_behind_it(tmp_path):
    def tie(job, result):
        if job.method == "good":
            return result
        return replace(result, metrics=dict.fromkeys(result.metrics, 0.5))

    with Store(":memory:") as store:
        fill(store, methods=("good", "same", "MeanDistribution"), spoil=tie,
             metrics=("chebyshev", "clark"))  # fmt: skip
        _, text = text_of(store, tmp_path)
    assert "same ranks no better than it: the features do not help there." in text
    assert "good ranks no better" not in text


@pytest.mark.parametrize("n_labels", [3, 8, 13])
def test_a_legend_is_below_the_picture_and_left_out_for_many(n_labels):
    drawing = Figure(figsize=(4.6, 3.9), layout="constrained")
    D = np.eye(n_labels)
    ax = plot_embedding(np.random.default_rng(0).normal(size=(n_labels, 2)), D,
                        ax=drawing.subplots())  # fmt: skip
    _put_legend_below(drawing, ax, n_labels)
    assert ax.get_legend() is None
    assert len(drawing.legends) == (n_labels <= 12)
    FigureCanvasAgg(drawing).draw()
    for legend in drawing.legends:
        assert len(legend.get_texts()) >= n_labels
        box = legend.get_window_extent()
        assert box.y1 <= ax.get_window_extent().y0
        assert box.x0 >= 0
        assert box.x1 <= drawing.bbox.width


def test_long_cells_keep_a_width_on_a_phone():
    long = "left out: a name of each row tells nothing about new rows"
    frame = pd.DataFrame({"done": [long, "as it is"]}, index=["a", "b"])
    html = table(frame, "Columns")
    assert html.count('class="words"') == 1


def test_a_page_without_ranks_names_who_is_best_most_often(tmp_path):
    def gaps(job, result):
        holes = {"second": "good", "third": "other", "first": "MeanDistribution"}
        if job.fold == 0 and holes[job.dataset] == job.method:
            return Result("timeout", f"Stopped after {len(job.dataset)} s.")
        return result

    with Store(":memory:") as store:
        fill(store, methods=("good", "other", "MeanDistribution"), spoil=gaps)
        _, text = text_of(store, tmp_path)
    # good has the best mean wherever it did every fold, and other is best on second
    assert "By chebyshev, good is best on 2 of 3 data sets." in text
    assert "skldl fit DATA --method good" in text
    assert "There are no average ranks" in text
    assert "There is no chart" in text
    assert "Up and to the left is better" not in text


def test_a_failure_on_many_data_sets_is_one_line(tmp_path):
    def late(job, result):
        if job.method == "good":
            return Result("timeout", f"Stopped after {3 + job.fold} s.")
        return result

    with Store(":memory:") as store:
        fill(store, spoil=late)
        html, _ = text_of(store, tmp_path)
    rows = html.split("Folds that failed</span>")[1].split("</table>")[0]
    assert rows.split("<tbody>")[1].count("<tr>") == 1
    assert "first, second, third" in rows
