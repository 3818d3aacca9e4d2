"""The page about one model says what its predictions of unseen rows say."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mixed_table import LABELS, features_and_degrees
from pages import check_page
from skldl.auto import AutoLDL
from skldl.conformal import ConformalDistribution
from skldl.crowd import noise_floor
from skldl.datasets import make_ldl
from skldl.ldl import ExtraTreesLDL, LogisticLDL, MeanDistribution
from skldl.metrics import sorensen
from skldl.preprocessing import TableEncoder
from skldl.report import write_model_report
from skldl.report._evidence import check_given, gather
from skldl.report._features import dependences, importances

NAMES = ["joy", "fear", "calm"]


@pytest.fixture(scope="module")
def data():
    X, D = make_ldl(240, n_features=4, n_labels=3, random_state=0)
    columns = ["age", "size", "<b>hue</b>", "noise"]
    return pd.DataFrame(X, columns=columns), pd.DataFrame(D, columns=NAMES)


@pytest.fixture(scope="module")
def model(data):
    X, D = data
    return LogisticLDL().fit(X[:160], D[:160])


@pytest.fixture(scope="module")
def auto(data):
    portfolio = [("logistic", LogisticLDL()), ("trees", ExtraTreesLDL(n_estimators=10))]
    X, D = data
    return AutoLDL(portfolio=portfolio, cv=3, random_state=0).fit(X, D)


def page_of(tmp_path, *arguments, **options):
    path = write_model_report(*arguments, tmp_path / "page.html", **options)
    html = path.read_text()
    page = check_page(html)
    return html, "".join(page.text)


def sections(html):
    return re.findall(r"<h2[^>]*>(.*?)</h2>", html)


def gathered(model, X, D, rows="auto", **options):
    facts = dict.fromkeys(["sample_weight", "n_votes", "row_names", "mean"])
    given = check_given(model, X, D, **facts | options)
    return gather(model, given, rows, 0.9, 0)


ALL = ["Scores", "Labels", "Calibration", "Cases", "Features", "How it was made"]


def test_new_rows_are_predicted_by_the_model(data, model, tmp_path):
    X, D = data
    names = [f"K-{i}" for i in range(80)]
    html, text = page_of(
        tmp_path, model, X[160:], D[160:], row_names=names, data="test", method="mine",
        command="skldl predict <x>",
    )  # fmt: skip
    assert sections(html) == [name for name in ALL if name != "Calibration"]
    wrong = sorensen(D[160:], model.predict(X[160:]))
    assert f"{100 * wrong:.1f} of 100 votes are put on the wrong label" in text
    assert "Judged on 80 rows that were given for this" in text
    assert "Next: skldl predict <x>" in text
    assert "mine on test" in text
    errors = np.abs(D[160:] - model.predict(X[160:])).sum(axis=1).to_numpy()
    for row in (*np.argsort(errors)[:3], *np.argsort(-errors)[:3]):
        assert f"K-{row}" in text


def test_training_rows_are_predicted_by_models_without_them(data):
    X, D = data
    model = make_pipeline(StandardScaler(), LogisticLDL(reg=0.1)).fit(X, D)
    found = gathered(model, X, D, "training")
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        alone = make_pipeline(StandardScaler(), LogisticLDL(reg=0.1))
        alone.fit(X.iloc[train], D.iloc[train])
        assert np.allclose(found.P[test], alone.predict(X.iloc[test]))
    assert "cross-validation of 5 folds" in found.how
    # the mean distribution of a row does not know the row
    others = (D.sum().to_numpy() - D.to_numpy()) / (len(D) - 1)
    assert np.allclose(found.mean, others)
    # features are shown by rows that their model has not seen
    assert len(found.explained.X) == 48


def test_regions_need_no_calibration_of_their_own(data):
    X, D = data
    model = ConformalDistribution(LogisticLDL(), random_state=0).fit(X[:160], D[:160])
    crossed = gathered(model, X[:160], D[:160], "training")
    inside = crossed.regions.contains(D[:160])
    assert 0.85 < inside.mean() < 0.95
    new = gathered(model, X[160:], D[160:])
    assert np.array_equal(new.regions.radius, model.predict_region(X[160:]).radius)


def test_autoldl_knows_its_training_rows(data, auto, tmp_path):
    X, D = data
    found = gathered(auto, X, D)
    assert found.P is auto.oof_prediction_
    assert np.array_equal(found.D, D.to_numpy()[auto.oof_rows_])
    assert found.names == [f"row {i}" for i in auto.oof_rows_]
    assert "out-of-fold" in found.how
    changed = gathered(auto, X, D.to_numpy()[::-1])
    assert "must be new to the model" in changed.how
    html = auto.report(tmp_path / "a.html", X, D, time_limit=1).read_text()
    assert "Leaderboard" in sections(html)
    alone = auto.report(tmp_path / "b.html").read_text()
    assert "Features" not in sections(alone)
    assert check_page(alone)
    board = [name for name in auto.leaderboard_.index if name in alone]
    assert board == ["pool", *[n for n in auto.leaderboard_.index if n != "pool"]]


def test_a_mixed_table_with_votes(tmp_path):
    X, D = features_and_degrees(200)
    D = pd.DataFrame(D, columns=LABELS)
    model = make_pipeline(TableEncoder(random_state=0), ExtraTreesLDL(n_estimators=20))
    model.fit(X[:100], D[:100])
    html, text = page_of(
        tmp_path, model, X[100:], D[100:], n_votes=np.full(100, 20),
        row_names=X["id"][100:],
    )  # fmt: skip
    assert sections(html) == ["Scores", "Labels", "Cases", "Features", "Columns",
                              "How it was made"]  # fmt: skip
    floor = noise_floor(D[100:], 20, "sorensen", random_state=0).value
    assert f"a perfect model would still put {100 * floor:.0f} wrong" in text
    assert "left out: a name of each row" in text
    assert "q00" in text
    found = gathered(model, X[100:], D[100:])
    table, note = importances(found.explained, 60.0, 0)
    assert note == ""
    assert table.index[0] == "comment"  # votes follow the words
    assert not {"id", "same"} & set(table.index)
    shown = dependences(found.explained, list(table.index), 60.0, 0)
    assert "comment" not in [one.column for one in shown]  # text has no axis
    assert {"region", "day", "age"} <= {one.column for one in shown}
    for one in shown:
        assert np.allclose(one.degrees.sum(axis=1), 1)


def test_partial_dependence_is_a_mean_over_rows(data, model):
    X, D = data
    found = gathered(model, X[:50], D[:50], "new")
    (one,) = dependences(found.explained, ["age"], 60.0, 0)
    changed = X[:50].assign(age=one.values[3])
    assert np.allclose(one.degrees[3], model.predict(changed).mean(axis=0))


def test_the_time_for_features_is_kept(data, model, tmp_path):
    X, D = data
    found = gathered(model, X[160:], D[160:])
    table, note = importances(found.explained, 0.0, 0)
    assert len(table) == 0
    assert note == "The time was over for 4 of 4 columns."
    html, _ = page_of(tmp_path, model, X[160:], D[160:], time_limit=0)
    assert "Features" not in sections(html)


def test_what_is_not_better_than_the_mean_is_said(data, tmp_path):
    X, D = data
    _, text = page_of(tmp_path, MeanDistribution().fit(X, D), X, D, rows="training")
    assert "not better than the mean distribution beyond chance" in text


@pytest.mark.parametrize("count", [1, 4, 12])
def test_few_rows(data, model, count, tmp_path):
    X, D = data
    _, text = page_of(tmp_path, model, X[:count], D[:count].to_numpy())
    assert "nan" not in text.lower().split()


def test_many_labels(tmp_path):
    X, D = make_ldl(60, n_features=2, n_labels=20, random_state=0)
    html, text = page_of(tmp_path, LogisticLDL().fit(X, D), X, D, rows="training")
    assert "The most frequent mix-ups" in html
    assert "12 labels that change less are not drawn." in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rows": "old"}, "rows must be"),
        ({"row_names": ["a"]}, "row_names has 1 names for 240 rows"),
        ({"D": None}, "Give X and D, or neither"),
        ({"X": None, "D": None}, "keeps no predictions"),
        ({"path": "page.txt"}, r"must end in .html"),
        ({"coverage": 2.0}, "coverage"),
        ({"model": StandardScaler()}, "needs a fitted learner of distributions"),
    ],
)
def test_what_cannot_be_written(data, model, options, words, tmp_path):
    X, D = data
    given = {"model": model, "X": X, "D": D, "path": "p.html"} | options
    if isinstance(given["model"], StandardScaler):
        given["model"].fit(X)
    given["path"] = tmp_path / given["path"]
    with pytest.raises(ValueError, match=words):
        write_model_report(**given)
    assert not list(tmp_path.iterdir())
