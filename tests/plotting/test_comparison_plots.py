"""Pictures of comparisons show the numbers of the tables."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose

from skldl.benchmark import score_table, stats
from skldl.datasets import make_ldl
from skldl.ldl import AAkNN
from skldl.plotting import (
    DistributionDisplay,
    plot_critical_difference,
    plot_pairwise_scores,
    plot_score_heatmap,
)

METHODS = ["good", "fair", "poor", "odd"]


def results():
    rng = np.random.default_rng(0)
    rows = []
    for d in range(6):
        for m, method in enumerate(METHODS):
            for fold in range(2):
                failed = (method, d, fold) == ("odd", 5, 0)
                row = {
                    "job": f"{d}/{m}/{fold}", "dataset": f"d{d}", "method": method,
                    "repetition": 0, "fold": fold, "split": "kfold-2", "seed": 0,
                    "tuned": False, "status": "timeout" if failed else "ok",
                }  # fmt: skip
                value = 0.1 * m + 0.15 * rng.uniform()
                scores = {"clark": value, "cosine": 1 - value}
                for name, score in ({None: None} if failed else scores).items():
                    rows.append({**row, "metric": name, "value": score})
    return pd.DataFrame(rows)


ROWS = results()


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_diagram_has_ranks_groups_and_difference():
    ax = plot_critical_difference(ROWS, "clark")
    table = score_table(ROWS, "clark").dropna()
    ranks = stats.average_ranks(table, greater_is_better=False)
    cd = stats.critical_difference(4, 5)
    texts = [text.get_text() for text in ax.texts]
    assert f"CD = {cd:.2f}" in texts
    assert {f"{m} ({ranks[m]:.2f})" for m in METHODS} <= set(texts)
    bars = [line for line in ax.lines if line.get_gid() == "group"]
    groups = stats.cd_groups(ranks, cd)
    assert len(bars) == len(groups)
    for bar, group in zip(bars, groups, strict=True):
        assert bar.get_xdata()[0] < ranks[group[0]] < bar.get_xdata()[1]
        assert_allclose(bar.get_xdata()[1] - 0.03, ranks[group[-1]])


def test_names_are_inside_the_figure():
    long = pd.Series({f"standard+Method{i}(n_neighbors=7)": i + 1.0 for i in range(9)})
    fig, ax = plt.subplots(figsize=(9, 4), layout="constrained")
    assert plot_critical_difference(long, cd=2.0, ax=ax) is ax
    fig.canvas.draw()
    for text in ax.texts:
        box = text.get_window_extent()
        assert box.x0 >= 0, text.get_text()
        assert box.x1 <= fig.bbox.x1, text.get_text()


@pytest.mark.parametrize("metric", ["clark", "cosine"])
def test_heat_map_puts_the_best_on_top(metric):
    ax = plot_score_heatmap(ROWS, metric)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == METHODS[: len(names)]
    shown = ax.images[0].get_array()
    greater = metric == "cosine"
    ranks = stats.rank_rows(score_table(ROWS, metric), greater_is_better=greater)
    assert_allclose(shown.filled(np.nan), ranks[names].T)
    assert shown.mask[names.index("odd"), 5]
    scores = plot_score_heatmap(ROWS, metric, show="score").images[0].get_array()
    assert_allclose(scores.filled(np.nan), score_table(ROWS, metric)[names].T)


def test_pairs_are_points_and_counted():
    ax = plot_pairwise_scores(ROWS, "cosine", "good", "odd")
    table = score_table(ROWS, "cosine")[["good", "odd"]].dropna()
    assert_allclose(ax.collections[0].get_offsets(), table.to_numpy())
    better = int((table["good"] > table["odd"]).sum())
    assert ax.get_title().startswith(f"Cosine ↑: good better on {better}, equal on 0")
    assert {text.get_text() for text in ax.texts} == set(table.index)
    assert not plot_pairwise_scores(ROWS, "clark", "good", "odd", names=False).texts


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot_critical_difference(ROWS), "metric is needed"),
        (lambda: plot_critical_difference(pd.Series({"a": 1.0})), "cd is needed"),
        (lambda: plot_score_heatmap(ROWS, "emd"), "no results of emd"),
        (lambda: plot_score_heatmap(ROWS, "clark", show="x"), "show must be"),
        (lambda: plot_pairwise_scores(ROWS, "clark", "x", "odd"), "'x' is not among"),
    ],
)
def test_bad_wishes(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_display_of_predictions():
    X, D = make_ldl(40, n_labels=3, random_state=0)
    D = pd.DataFrame(D, columns=["joy", "fear", "calm"])
    model = AAkNN().fit(X, D)
    display = DistributionDisplay.from_estimator(model, X, D, samples=[4, 7])
    assert display.figure_ is display.axes_[0].figure
    bars = [bar.get_height() for bar in display.axes_[1].patches]
    expected = np.concatenate([D.to_numpy()[7], model.predict(X)[7]])
    assert_allclose(bars, expected)
    other = DistributionDisplay.from_predictions(D, model.predict(X))
    assert list(other.labels) == ["joy", "fear", "calm"]
    assert len(other.axes_) == 3
    _, ax = plt.subplots()
    assert other.plot(samples=1, axes=ax).axes_ == [ax]
    with pytest.raises(ValueError, match="fitted predictor"):
        DistributionDisplay.from_estimator(AAkNN(), X, D)
