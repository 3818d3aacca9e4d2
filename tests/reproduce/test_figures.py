"""Rows of figures, and the files that keep them."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from drawn import FIGURES, committed_figures, curve_table
from skldl.datasets import make_dataset, make_ldl, make_toy_ldl
from skldl.graphs import neighbor_graph, neighbor_mean
from skldl.ldl import AAkNN, LWkNN
from skldl.metrics import kl_divergence
from skldl.projection import LPP, MSLP
from skldl.reproduce import _figures as figures_module
from skldl.reproduce import read_summary
from skldl.reproduce._columns import make_summary
from skldl.reproduce._counted import counted_rows
from skldl.reproduce._data_facts import DATA_ROWS
from skldl.reproduce._figures import DRAWINGS, Drawing, measure_figures, paper_pictures
from skldl.reproduce.figures import _hamming_rows, _lwknn_rows, _mslp_rows, _panels
from skldl.reproduce.figures._splits import (
    curve_points,
    mean_and_error,
    random_splits,
    split_scores,
)
from skldl.reproduce.figures.hamming import (
    differences_from_pca,
)
from skldl.reproduce.figures.jplay import (
    _depth_caption,
    depth_rows,
    first_whole_part,
    released_rows,
)
from skldl.reproduce.figures.lwknn import margin_differences, margin_tests
from skldl.reproduce.figures.mslp import paired_differences
from skldl.reproduce.papers import jplay


def test_the_toy_figure_has_the_papers_points_and_noise():
    rows = _mslp_rows.toy_points()
    assert set(rows["panel"].value_counts()) == {3000}
    for word, noise in (("no noise", 0.0), ("noise", 0.1)):  # the paper: variance 0.1
        X, D = make_toy_ldl(3000, noise=noise, random_state=0)
        for label, center in ((_mslp_rows.AS_PRINTED, False), ("LPP, centred", True)):
            part = rows[rows["panel"] == f"{label}: {word}"]
            expected = LPP(2, center=center).fit(X).transform(X)
            assert np.abs(part[["x", "y"]].to_numpy() - expected).max() < 1e-8
            assert np.abs(part[["d1", "d2", "d3"]].to_numpy() - D).max() < 1e-12


def test_shares_of_dimensions_are_those_of_single_fits():
    X, D = make_ldl(180, n_features=10, random_state=0)
    X, D, new = X[:150], D[:150], X[150:]
    found = {(name, u): P for name, u, P in _mslp_rows._by_share(X, D, new, 5)}
    for share in (0.1, 0.5):
        model = MSLP(share, n_decoder_neighbors=5, **_mslp_rows.SETTING)
        expected = model.fit(X, D).predict(new)
        assert np.abs(found["MSLP", share] - expected).max() < 1e-10
        lpp = LPP(round(share * 10)).fit(X)
        expected = AAkNN(5).fit(lpp.transform(X), D).predict(lpp.transform(new))
        assert np.abs(found["LPP", share] - expected).max() < 1e-6


def test_locality_is_a_share_of_chance(monkeypatch):
    X, D = make_toy_ldl(130, random_state=0)
    monkeypatch.setattr(_mslp_rows, "N_POINTS", 130)
    monkeypatch.setattr(_mslp_rows, "load", lambda name: make_dataset(X, D))
    rows = _mslp_rows.label_locality(5)
    row = rows[(rows["dataset"] == "toy, no noise") & (rows["method"] == "MSLP")]
    Z = MSLP(2, **_mslp_rows.SETTING).fit(X, D).transform(X)
    near = neighbor_mean(D, neighbor_graph(Z, 5).indices)
    expected = np.abs(D - near).sum() / np.abs(D - D.mean(axis=0)).sum()
    assert row["share"].iloc[0] == pytest.approx(expected)


def test_scores_are_of_the_test_part():
    X, D = make_ldl(60, random_state=0)
    splits = random_splits(60, 2, 0.2)
    found = list(split_scores({"a": AAkNN(3)}, X, D, splits, ["kl_divergence"]))
    for (name, metric, _, value), (train, test) in zip(found, splits, strict=True):
        P = AAkNN(3).fit(X[train], D[train]).predict(X[test])
        assert value == pytest.approx(kl_divergence(D[test], P))
        assert (name, metric) == ("a", "kl_divergence")
        assert not set(train) & set(test)
    assert [row[2] for row in found] == [0, 1]
    (point,) = curve_points(
        {"a": AAkNN(3)}, make_dataset(X, D), splits, "kl_divergence", "p", 7
    )
    values = [row[3] for row in found]
    assert point[:3] == ("p", "a", 7)
    assert point[3] == pytest.approx(np.mean(values))
    assert point[4] == pytest.approx(np.std(values, ddof=1) / np.sqrt(2))
    assert np.isnan(mean_and_error([1.0])[1])


def test_the_objective_of_fig_10_ends_where_the_estimator_does(monkeypatch):
    X, D = make_ldl(80, random_state=0)
    monkeypatch.setattr(_lwknn_rows, "load", lambda name: make_dataset(X, D))
    rows = _lwknn_rows.margin_history(("any",))
    part = rows[rows["series"] == "LWkNN-LDL"].sort_values("x")
    assert (part["y"].diff().dropna() <= 1e-12).all()
    assert part["y"].iloc[-1] <= 1e-5
    model = LWkNN(11, tol=1e-6).fit(X, D)
    assert part["x"].iloc[-1] >= model.n_iter_ - 1


def test_examples_are_wrong_without_the_margin_and_right_with_it(monkeypatch):
    X, D = make_ldl(300, n_labels=4, random_state=1)
    monkeypatch.setattr(_lwknn_rows, "load", lambda name: make_dataset(X, D))
    monkeypatch.setattr(_lwknn_rows, "EXAMPLES", {"WkNN-LDL": ("any",)})
    counts = _lwknn_rows.example_counts().set_index("right alone")["samples"]
    P, right, losses = _lwknn_rows._predictions("WkNN-LDL", "any")
    only = (right["LWkNN-LDL"] & ~right["WkNN-LDL"]).sum()
    assert counts["LWkNN-LDL"] == only
    larger = losses["LWkNN-LDL"] > losses["WkNN-LDL"]
    typical = right["LWkNN-LDL"] & ~right["WkNN-LDL"] & larger
    assert counts["as in Figs 7 and 8"] == typical.sum() < only
    given = P["given"].argmax(axis=1)
    assert (right["WkNN-LDL"] == (P["WkNN-LDL"].argmax(axis=1) == given)).all()


def test_the_margin_wins_where_it_always_helps():
    noise = np.array([0.0, 0.01, -0.01, 0.02])
    rows = [
        ("a", method, metric, split, base + noise[(split + shift) % 4])
        for metric in ("zero_one_loss", "error_probability")
        for split in range(4)
        for method, base, shift in (
            ("LWkNN-LDL", 0.1, 0), ("WkNN-LDL", 0.5, 1),
            ("LDkNN-LDL", 0.5, 0), ("DkNN-LDL", 0.1, 1),
        )
    ]  # fmt: skip
    frame = pd.DataFrame(
        rows, columns=["dataset", "method", "metric", "split", "value"]
    )
    table = margin_tests(frame).set_index(["metric", "method"])
    for metric in ("zero_one_loss", "error_probability"):
        counts = table[["win", "tie", "loss"]]
        assert list(counts.loc[metric, "LWkNN-LDL"]) == [1, 0, 0]
        assert list(counts.loc[metric, "LDkNN-LDL"]) == [0, 0, 1]


def test_the_gain_of_the_margin_is_paired():
    values = {"LWkNN-LDL": [0.2, 0.5], "WkNN-LDL": [0.1, 0.6],
              "LDkNN-LDL": [0.1, 0.2], "DkNN-LDL": [0.3, 0.4]}  # fmt: skip
    rows = pd.DataFrame(
        [("a", m, "zero_one_loss", i, v) for m, vs in values.items()
         for i, v in enumerate(vs)],
        columns=["dataset", "method", "metric", "split", "value"],
    )  # fmt: skip
    table = margin_differences(rows).set_index("method")
    assert table["mean"]["LWkNN-LDL"] == pytest.approx(0.0)
    assert table["error"]["LWkNN-LDL"] == pytest.approx(0.1)
    assert table["mean"]["LDkNN-LDL"] == pytest.approx(-0.2)
    assert table["error"]["LDkNN-LDL"] == pytest.approx(0.0, abs=1e-12)


def test_the_gain_of_the_margin_is_drawn_for_all_data_sets():
    path = FIGURES / "lwknn-margin-gain.csv"
    if not path.exists():
        pytest.skip("needs the results of the repository")
    (drawing,) = (d for d in DRAWINGS if d.name == "margin-gain")
    left, right = drawing.picture(pd.read_csv(path)).draw().axes
    assert [t.get_text() for t in left.get_yticklabels()] == _lwknn_rows.DATASETS
    for ax in (left, right):
        assert [len(c[0].get_xdata()) for c in ax.containers] == 2 * [15]


def test_the_stored_curves_have_the_data_sets_of_their_captions():
    path = FIGURES / "lwknn-margin-size.csv"
    if not path.exists():
        pytest.skip("needs the results of the repository")
    (names,) = _lwknn_rows.margin_sizes.__defaults__
    assert tuple(dict.fromkeys(pd.read_csv(path)["panel"])) == names


def test_differences_are_paired():
    values = {"with": [1.0, 2.2], "without": [1.0, 2.0]}
    rows = pd.DataFrame(
        [("a", m, i, v) for m, vs in values.items() for i, v in enumerate(vs)],
        columns=["dataset", "method", "split", "value"],
    )
    (line,) = paired_differences(rows).to_dict("records")
    assert line["mean"] == pytest.approx(100 * 0.1 / 1.5)
    losses = rows.assign(
        embedding=rows["method"].map({"with": "GH", "without": "PCA"}), ranker="r"
    )
    (line,) = differences_from_pca(losses).to_dict("records")
    assert line["embedding"] == "GH"
    assert line["mean"] == pytest.approx(0.1)
    assert line["error"] == pytest.approx(0.1)


def test_accuracies_of_one_line_are_of_one_part():
    rows = pd.DataFrame(
        [("d", "NN", "new", "A", 0.9), ("d", "NN", "new", "B", 0.8),
         ("d", "CCF", "new", "A", 0.7),  # B has not run on it
         ("d", "NN", "old", "A", 0.1), ("d", "NN", "old", "B", 0.2),
         ("d", "CCF", "old", "A", 0.3), ("d", "CCF", "old", "B", 0.4)],
        columns=["dataset", "classifier", "part", "published", "mean"],
    )  # fmt: skip
    table = first_whole_part(rows)
    assert list(table.loc[("d", "NN")]) == [0.9, 0.8]
    assert list(table.loc[("d", "CCF")]) == [0.3, 0.4]


def test_depths_are_in_the_order_of_the_tables_and_have_errors():
    shared = {"part": "", "method": "", "features": "raw", "variant": "",
              "protocol": "honest", "metric": "accuracy"}  # fmt: skip
    rows = [
        {**shared, "dataset": dataset, "part": part, "published": f"J-Play{depth}",
         "method": f"J-Play{depth}", "classifier": kind, "mean": 0.9, "std": std,
         "n_folds": n_folds}
        for dataset, part, std, n_folds in (
            ("AR_60x43", "AR", np.nan, 1), ("YaleB_32x32", "Yale-B", 0.02, 4))
        for kind in ("CCF", "NN")
        for depth in (1, 2)
    ]  # fmt: skip
    script = {"part": "repaired cube", "variant": jplay.AS_RELEASED, "mean": 0.8}
    rows += [{**rows[0], "dataset": "Indian_Pines", "n_folds": 1, **script}]
    (line,) = released_rows(make_summary(rows, ["classifier"])).to_dict("records")
    assert (line["panel"], line["x"], line["y"]) == ("Indian Pines, CCF", 1, 80)
    assert line["error"] == pytest.approx(100 * np.sqrt(0.8 * 0.2 / 9671))
    found = depth_rows(make_summary(rows, ["classifier"]))
    order = list(dict.fromkeys(zip(found["dataset"], found["classifier"], strict=True)))
    assert order == [("Extended Yale-B", "1-NN"), ("Extended Yale-B", "CCF"),
                     ("AR", "1-NN"), ("AR", "CCF")]  # fmt: skip
    errors = found.groupby("dataset")["error"].first()
    assert errors["Extended Yale-B"] == pytest.approx(100 * 0.02 / 2)
    # of one run: that of a share among the 699 test images
    assert errors["AR"] == pytest.approx(100 * np.sqrt(0.9 * 0.1 / 699))


def test_the_caption_of_depths_names_what_stands_in():
    found = pd.DataFrame(
        [("Indian Pines", "1-NN", True, True), ("AR", "CCF", True, False)],
        columns=["dataset", "classifier", "first", "repaired"],
    )
    whole = _depth_caption(found)
    assert "Indian Pines is the repaired cube" in whole
    assert "stands in" not in whole
    part = _depth_caption(found.assign(first=[True, False], repaired=False))
    assert "Indian Pines is the cube as distributed" in part
    assert "some depths of: AR, CCF." in part


def test_rankers_are_judged_behind_every_embedding(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6))
    Y = (X[:, :3] + rng.normal(size=(80, 3)) > 0).astype(int)
    Y[0], Y[1] = 0, 1
    data = make_dataset(X, Y, name="small")
    monkeypatch.setattr(_hamming_rows, "load", lambda name: data)
    monkeypatch.setattr(_hamming_rows, "N_FOLDS", 2)
    rows = _hamming_rows.ranker_scores(("small",))
    assert len(rows) == 5 * 4 * 2
    assert rows["value"].between(0, 1).all()
    F = _hamming_rows.label_matrices(("small",))
    assert len(F) == 9


def drawing_of(measure, **options):
    def draw(rows):
        return _panels.draw_curves(rows, xlabel="x", ylabel="y")

    return Drawing("mslp", "some", measure, draw, "A caption.", **options)


def test_rows_of_figures_are_measured_once(tmp_path, monkeypatch):
    calls = []

    def measure():
        calls.append(1)
        return curve_table()

    monkeypatch.setattr(figures_module, "DRAWINGS", [drawing_of(measure)])
    assert len(measure_figures(["mslp"], tmp_path)) == 1
    assert measure_figures(["mslp"], tmp_path) == []
    assert measure_figures(["jplay"], tmp_path, again=True) == []
    assert len(measure_figures(["mslp"], tmp_path, again=True)) == 1
    assert len(calls) == 2
    (picture,) = paper_pictures("mslp", pd.DataFrame(), tmp_path)
    assert isinstance(picture.draw(), Figure)
    assert picture.svg_text() == picture.svg_text()
    assert paper_pictures("mslp", pd.DataFrame(), None) == []


def test_rows_that_carry_samples_are_not_kept(tmp_path, monkeypatch):
    drawing = drawing_of(curve_table, keep_rows=False)
    monkeypatch.setattr(figures_module, "DRAWINGS", [drawing])
    (path,) = measure_figures(["mslp"], tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mslp-some.svg"]
    (picture,) = paper_pictures("mslp", pd.DataFrame(), tmp_path)
    assert picture.svg_text() == path.read_text(encoding="utf-8")


def test_committed_pictures_are_those_of_their_rows():
    for drawing, figure in committed_figures():
        picture = (FIGURES / drawing.file).with_suffix(".svg")
        committed = picture.read_text(encoding="utf-8")
        titles = re.findall(r"<!-- (.+?) -->", committed)
        for ax in figure.axes:
            for line in ax.get_title().splitlines():
                assert line in titles or line in committed, f"{drawing.name}: {line}"


@pytest.mark.parametrize(
    ("name", "kind", "error"),
    [("maps-ccf", "CCF", 0.6), ("maps-nn", "NN", 0.051)],  # rounding changes forests
)
def test_accuracies_of_the_committed_maps_are_those_of_the_tables(name, kind, error):
    path = FIGURES / f"jplay-{name}.svg"
    if not path.exists():
        pytest.skip("needs the results of the repository")
    drawn = dict(re.findall(r">([\w-]+): ([\d.]+)%<", path.read_text(encoding="utf-8")))
    rows = counted_rows("jplay", read_summary(FIGURES.parent / "jplay.csv"))
    rows = rows[(rows["part"] == jplay.REPAIRED) & (rows["classifier"] == kind)]
    measured = 100 * rows.set_index("published")["mean"]
    assert len(drawn) == 9
    for method, accuracy in drawn.items():
        assert abs(float(accuracy) - measured[method]) < error, method


def test_no_figure_is_left_over():
    """Every file beside the summaries belongs to a page."""
    if not FIGURES.exists():
        pytest.skip("needs the results of the repository")
    pages = "".join(p.read_text(encoding="utf-8") for p in FIGURES.parent.glob("*.md"))
    kept = {item.file for item in [*DRAWINGS, *DATA_ROWS]}
    for path in FIGURES.iterdir():
        linked = f"figures/{path.name}" in pages
        assert linked or path.name in kept, f"{path.name} is on no page"


def test_pictures_from_summaries():
    results = FIGURES.parent
    if not (results / "jplay.csv").exists():
        pytest.skip("needs the summaries of the repository")
    (ranks,) = figures_module.FROM_SUMMARY["lse-ldl"](
        read_summary(results / "lse-ldl.csv")
    )
    assert ranks.svg.count("<svg") == 1 + ranks.alt.count("critical difference")
    assert "LDLLC" in ranks.alt
    assert "SA-BFGS" in ranks.alt
    (depth,) = figures_module.FROM_SUMMARY["jplay"](read_summary(results / "jplay.csv"))
    assert len(depth.draw().axes) == 9
