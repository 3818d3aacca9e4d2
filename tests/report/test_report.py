"""The report of a comparison says what its store holds."""

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from made import METHODS, fill, make_job
from pages import check_page
from skldl.benchmark import (
    Plan,
    Result,
    Split,
    Store,
    run,
    score_table,
    stats,
    summarize,
)
from skldl.datasets import make_dataset
from skldl.report import write_report

CELL = re.compile("<t[hd][^>]*>(.*?)</t[hd]>")


def page_of(source, tmp_path, **options):
    html = write_report(source, tmp_path / "report.html", **options).read_text()
    return html, check_page(html)


def plain(html):
    """Text without tags."""
    return re.sub("<[^>]+>", "", html)


def said_in(page):
    """Words for readers who cannot see the charts."""
    return " ".join(a["aria-label"] for _, a in page.tags if "aria-label" in a)


def tables(html):
    """Caption to a frame of the cells' text, row names as index."""
    found = {}
    for text in re.findall(r"<table.*?</table>", html, re.DOTALL):
        caption = plain(re.search("<caption>(.*?)</caption>", text)[1])
        head = re.findall('<button type="button">(.*?)<span', text)
        head = [plain(name) for name in head]
        rows = [
            [plain(cell) for cell in CELL.findall(row)]
            for row in re.findall("<tr>(.*?)</tr>", text.split("<tbody>")[1], re.DOTALL)
        ]
        found[caption] = pd.DataFrame(rows, columns=head).set_index(head[0])
    return found


def headings(html):
    return re.findall(r"<h2[^>]*>(.*?)</h2>", html)


ALL = ["Leaderboards", "Methods by data sets", "Ranks", "Spread over folds",
       "Time against accuracy", "Predictions", "The data in the plane",
       "Chosen parameters", "How it was made"]  # fmt: skip


def test_the_report_has_every_section(made_store, tmp_path):
    html, page = page_of(made_store, tmp_path, title="Faces & <votes>")
    assert headings(html) == ALL
    assert "<h1>Faces &amp; &lt;votes&gt;</h1>" in html
    assert "skldl compare first second third" in html
    text = "".join(page.text)
    assert "3 methods on 3 data sets: 45 folds in all, of which none failed." in text
    assert "MeanDistribution, which ignores the features, is number 3 of 3." in text


def test_tables_say_what_the_summaries_say(made_store, tmp_path):
    html, _ = page_of(made_store, tmp_path)
    with Store(made_store, read_only=True) as store:
        rows = store.rows()
    shown = tables(html)
    for metric, label in (("chebyshev", "chebyshev ↓"), ("cosine", "cosine ↑")):
        cells = shown[f"{label}, by method"]
        for _, row in summarize(rows, metrics=[metric]).iterrows():
            text = f"{row['mean']:.4f} ± {row['std']:.4f}"
            assert cells.loc[row["method"], row["dataset"]].startswith(text)
        ranks = stats.average_ranks(
            score_table(rows, metric), greater_is_better=metric == "cosine"
        )
        for method, rank in ranks.items():
            assert float(cells.loc[method, "average rank"]) == pytest.approx(rank)
            table = shown["Average ranks over data sets"]
            assert float(table.loc[method, label]) == pytest.approx(rank)
    # the best is bold, and the others, clearly worse, are marked
    strong = re.findall("<strong>(.*?)</strong>", html)
    assert cells.loc["good", "first"].split(" ±")[0] in strong
    assert "•" not in cells.loc["good", "first"]
    assert cells.loc["MeanDistribution", "first"].endswith("•")


def test_marks_against_a_control(made_store, tmp_path):
    html, page = page_of(made_store, tmp_path, control=METHODS[1])
    cells = tables(html)["clark ↓, by method"]
    assert cells.loc["good", "first"].endswith("◦")
    assert cells.loc["MeanDistribution", "first"].endswith("•")
    assert f"worse than {METHODS[1]}" in "".join(page.text)
    with pytest.raises(ValueError, match="control 'x' is not among"):
        write_report(made_store, tmp_path / "r.html", control="x")


def test_what_is_shown_as_best_is_not_marked_as_worse(tmp_path):
    # apart by less than the digits shown, but in every fold
    def spoil(job, result):
        value = {"good": 0.20002, METHODS[1]: 0.20001}.get(job.method, 0.3)
        return replace(result, metrics={"clark": value + 0.01 * job.fold})

    html, _ = page_of(spoiled(spoil=spoil), tmp_path)
    cells = tables(html)["clark ↓, by method"]
    assert not re.search("[•◦]", "".join(cells.loc["good"]))
    assert not re.search("[•◦]", "".join(cells.loc[METHODS[1]]))
    assert all(cell.endswith("•") for cell in cells.loc["MeanDistribution"][:3])


def test_a_method_with_failures_is_not_marked_as_better_than_the_best(tmp_path):
    def spoil(job, result):
        bad = job.method == "good" and job.fold == 2
        return failing(job, result) if bad else result

    html, _ = page_of(spoiled(spoil=spoil), tmp_path)
    assert "◦" not in html  # no legend would explain it


def test_no_marks_where_the_control_was_not_run(tmp_path):
    with Store(":memory:") as store:
        fill(store, datasets=("first", "second"), methods=METHODS[1:])
        fill(store, datasets=("first",), methods=METHODS[:1])
        html, _ = page_of(store, tmp_path, control="good")
    cells = tables(html)["chebyshev ↓, by method"]
    assert cells.loc["MeanDistribution", "first"].endswith("•")
    assert "•" not in "".join(cells["second"])


def test_times_are_of_the_data_sets_that_all_have_done(tmp_path):
    # "slow" takes long; the method that failed there must not look faster for it
    def spoil(job, result):
        if job.dataset == "slow" and job.method == "good":
            return failing(job, result)
        return replace(result, fit_s=100.0 if job.dataset == "slow" else 1.0,
                       predict_s=0.0)  # fmt: skip

    for names in (("first", "second", "slow"), ("first", "slow")):
        html, _ = page_of(spoiled(datasets=names, spoil=spoil), tmp_path)
        said = re.search('aria-label="(Seconds against .*?)"', html)[1]
        assert said.count(": 1 s") == 3, said


def test_parameters_predictions_and_times(made_store, tmp_path):
    html, page = page_of(made_store, tmp_path)
    chosen = tables(html)["Parameters chosen on the training part of each fold"]
    assert chosen.loc["good", "chosen most often (folds)"].iloc[0] == (
        "n_neighbors=3 (3 of 5); n_neighbors=5 (2 of 5)"
    )
    said = said_in(page)
    assert "first, sample 4. good" in said
    assert "joy: 0.70, predicted 0.70, 0.10, 0.20" in said
    assert "3 samples of first in two MSLP coordinates" in said
    assert "Box plot of chebyshev on second. Medians: good" in said
    means = tables(html)["Means over folds"]
    assert means.loc["good", "fit, s"] == "0.1000"
    data = tables(html)["Data sets"]
    assert data.loc["first", "samples"] == "500"


def test_names_from_outside_are_harmless(tmp_path):
    evil = "<script>alert(1)</script>"
    with Store(":memory:") as store:
        fill(store, datasets=(evil, "b"), methods=(evil, "</title>", "c"),
             spoil=lambda job, r: replace(r, message=evil))  # fmt: skip
        store.note_run(evil, {})
        html, page = page_of(store, tmp_path)
    assert "<script>alert" not in html
    assert "".join(page.text).count(evil) > 10


def test_names_are_no_formulas(tmp_path):
    name = r"$\frac$ & _{x}"
    data = make_dataset(np.eye(4), pd.DataFrame(np.eye(3)[[0, 1, 2, 0]] * 0.9 + 0.1 / 3,
                        columns=["$a$", r"$\broken", "<b>"]), name=name)  # fmt: skip
    picture = {"method": "PCA", "samples": [0, 1, 2, 3], "degrees": data.D.tolist(),
               "coordinates": [[0, 1], [1, 0], [1, 1], [0, 0]]}  # fmt: skip
    with Store(":memory:") as store:
        fill(store, datasets=(name, "$"), methods=("$m$", "$", "a_b^c"))
        store.note_dataset(f"mark of {name}", data, picture)
        _, page = page_of(store, tmp_path)
    text = "".join(page.text)
    assert r"$\broken" in text
    assert f"{name}, by PCA" in text


def test_a_damaged_store_is_an_error_without_a_page(made_store, tmp_path):
    whole = made_store.read_bytes()
    for size in (0, 50, 1000, len(whole) // 2):
        broken = tmp_path / f"{size}.sqlite"
        broken.write_bytes(whole[:size])
        with pytest.raises((ValueError, OSError, sqlite3.Error)):
            write_report(broken, tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_rows_alone_make_a_report(tmp_path):
    plan = Plan(["synthetic"], ["AAkNN"], Split(n_splits=3))
    html, page = page_of(run(plan, engine="serial"), tmp_path)
    text = "".join(page.text)
    assert "The command that made the results was not stored." in text
    assert headings(html) == [
        "Leaderboard", "Spread over folds", "Time against accuracy",
        "The data in the plane", "How it was made",
    ]  # fmt: skip
    # one data set: scores in the picture of times, no critical difference
    assert "These ranks are of one data set" in text
    assert "critical-difference" not in text
    # built-in data are loaded for their picture
    assert "400 samples of synthetic in two MSLP coordinates" in html


def test_a_kept_picture_and_predictions_of_a_real_run(tmp_path):
    distributions = Plan(["synthetic"], ["AAkNN"], Split(n_splits=3))
    classes = Plan(["iris", "wine"], ["1NN", "LDA"], Split(n_splits=3))
    with Store(tmp_path / "s.sqlite") as store:
        for plan in (distributions, classes):
            run(plan, store, engine="serial", keep_predictions=3)
        kept = store.predictions()
        html, page = page_of(store, tmp_path)
    assert kept["sample"].nunique() == 3
    text = "".join(page.text)
    assert "On distributions, by average rank" in text
    assert "On classes, by average rank" in text
    assert said_in(page).count("samples of ") == 1  # only distributions have a picture
    assert "Average ranks over data sets with classes" in tables(html)


OPENED = []


@pytest.fixture(autouse=True)
def closed_stores():
    """Stores of :func:`spoiled` do not wait for the garbage collector."""
    yield
    while OPENED:
        OPENED.pop().close()


def spoiled(**options):
    store = Store(":memory:")
    OPENED.append(store)
    fill(store, **options)
    return store


def failing(job, result):
    return Result("failed", "ValueError: no luck")


def test_a_store_with_failures_only(tmp_path):
    html, page = page_of(spoiled(spoil=failing), tmp_path)
    assert headings(html) == ["Failures and warnings", "How it was made"]
    text = "".join(page.text)
    assert "of which all failed" in text
    assert "No fold has a score" in text
    assert "no luck" in text
    lines = tables(html)["Folds that failed"]
    assert lines.loc["good", ["data sets", "folds"]].tolist() == [
        "first, second, third", "15",
    ]  # fmt: skip


def test_some_failures(tmp_path):
    def spoil(job, result):
        if job.method == "good" and job.dataset == "first" and job.fold == 2:
            return failing(job, result)
        if job.method == METHODS[1] and job.dataset == "second":
            return failing(job, result)
        return result

    html, page = page_of(spoiled(spoil=spoil), tmp_path)
    cells = tables(html)["chebyshev ↓, by method"]
    assert "(!)" in cells.loc["good", "first"]
    assert cells.loc[METHODS[1], "second"].strip() == "failed"
    best = re.findall("<strong>(.*?)</strong>", html)
    assert cells.loc["good", "first"].split(" ±")[0] not in best
    # only the third data set has all scores: methods with gaps are left out instead
    text = "".join(page.text)
    assert "There are no average ranks" in text or "left out" in text


def test_cells_that_were_never_run(tmp_path):
    with Store(":memory:") as store:
        fill(store, datasets=("first", "second", "third"), methods=METHODS[1:])
        fill(store, datasets=("first",), methods=METHODS[:1])
        html, _ = page_of(store, tmp_path)
    cells = tables(html)["chebyshev ↓, by method"]
    assert cells.loc["good", "third"] == "–"  # noqa: RUF001
    assert "left out: good." in html


@pytest.mark.parametrize(
    "options",
    [
        {"datasets": ("only",)},
        {"methods": ("only",)},
        {"methods": ("MeanDistribution",)},
        {"metrics": ("cosine",)},
        {"folds": 2},
        {"datasets": ("only",), "methods": ("only",), "metrics": ("emd",)},
        {"metrics": ("accuracy",)},
        {"methods": tuple(f"m{i}" for i in range(30))},
        {"methods": ("x" * 300, "y z")},
        {"tuning": False},
    ],
)
def test_small_and_odd_stores(tmp_path, options):
    html, _ = page_of(spoiled(**options), tmp_path)
    assert headings(html)[0] in ("Leaderboard", "Leaderboards")
    assert "nan" not in re.sub("<style.*?</style>|<script.*?</script>", "", html,
                               flags=re.DOTALL).lower().split()  # fmt: skip


def test_equal_scores_everywhere(tmp_path):
    def spoil(job, result):
        return replace(result, metrics={"clark": 0.25}, fit_s=0.0, predict_s=0.0)

    html, _ = page_of(spoiled(spoil=spoil), tmp_path)
    assert "differ no more than they would by chance" in html


def test_only_a_page_is_called_a_page(made_store, tmp_path):
    assert write_report(made_store, tmp_path / "r.HTM").is_file()
    with pytest.raises(ValueError, match=r"'r.tex' must end in .html or .htm"):
        write_report(made_store, tmp_path / "r.tex")
    assert not (tmp_path / "r.tex").exists()


def test_what_cannot_be_reported(tmp_path):
    path = tmp_path / "report.html"
    with pytest.raises(FileNotFoundError, match="There is no store"):
        write_report(tmp_path / "none.sqlite", path)
    assert not (tmp_path / "none.sqlite").exists()
    with Store(tmp_path / "empty.sqlite"):
        pass
    with pytest.raises(ValueError, match="has no results"):
        write_report(tmp_path / "empty.sqlite", path)
    (tmp_path / "text").write_text("no database at all, but long enough " * 9)
    with pytest.raises(ValueError, match="not a store"):
        write_report(tmp_path / "text", path)
    with closing(sqlite3.connect(tmp_path / "other")) as connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(ValueError, match="not a store"):
        write_report(tmp_path / "other", path)
    with pytest.raises(TypeError, match="not from int"):
        write_report(3, path)
    with pytest.raises(ValueError, match="no column 'job'"):
        write_report(pd.DataFrame({"a": [1]}), path)
    with pytest.raises(ValueError, match="no results of emd"):
        write_report(spoiled(), path, metrics=["emd"])
    with pytest.raises(ValueError, match="no results with seed=9"):
        write_report(spoiled(), path, seed=9)
    assert not path.exists()


def test_one_of_several_comparisons(tmp_path):
    store = spoiled()
    fill(store, seed=7)
    with pytest.raises(ValueError, match="several comparisons.*seed 0.*seed 7"):
        write_report(store, tmp_path / "r.html")
    _, page = page_of(store, tmp_path, seed=7)
    assert "45 folds in all" in "".join(page.text)


def test_the_baseline_belongs_to_the_tuned_comparison_too(tmp_path):
    with Store(":memory:") as store:
        fill(store, methods=("a", "b"))
        fill(store, methods=("a", "b", "MeanDistribution"), tuning=False)
        with pytest.raises(ValueError, match="tuned True.*tuned False"):
            write_report(store, tmp_path / "r.html")
        for tuned in (True, False):
            html, _ = page_of(store, tmp_path, tuned=tuned)
            cells = tables(html)["clark ↓, by method"]
            assert set(cells.index) == {"a", "b", "MeanDistribution"}
            assert ("Tuned by" in html) is tuned


def test_folds_run_anew_under_one_name_show_the_last(tmp_path):
    store = spoiled(tuning=False)
    store.save(
        replace(make_job("first", "good", 0, tuning=False), fingerprint="changed"),
        Result("ok", metrics={"clark": 9.0}),
    )
    rows = store.rows()
    html, page = page_of(store, tmp_path, metrics=["clark"])
    assert "run more than once" in "".join(page.text)
    mean = rows[(rows["dataset"] == "first") & (rows["method"] == "good")
                & (rows["metric"] == "clark")]["value"].tolist()  # fmt: skip
    expected = np.mean([9.0, *sorted(mean)[:4]])
    shown = float(tables(html)["clark ↓, by method"].loc["good", "first"].split()[0])
    assert shown == pytest.approx(expected, abs=0.05)


def test_a_store_that_cannot_be_written_is_read(made_store, tmp_path):
    copy = tmp_path / "locked" / "results.sqlite"
    copy.parent.mkdir()
    copy.write_bytes(made_store.read_bytes())
    before = copy.read_bytes()
    page_of(copy, tmp_path)
    assert copy.read_bytes() == before


def test_stores_of_the_first_version_have_no_records(tmp_path):
    path = tmp_path / "old.sqlite"
    with Store(path) as store:
        fill(store)
    with sqlite3.connect(path) as connection:
        for table in ("predictions", "runs", "datasets"):
            connection.execute(f"DROP TABLE {table}")
    connection.close()
    html, _ = page_of(path, tmp_path)
    without = ("Predictions", "The data in the plane")
    assert headings(html) == [name for name in ALL if name not in without]
    with Store(path) as store:  # opened to write, it gets them
        store.note_run("again", json.loads("{}"))
        assert store.runs()["command"].tolist() == ["again"]
