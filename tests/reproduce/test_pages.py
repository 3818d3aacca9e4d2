"""Summaries from stores, pages from summaries."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skldl.benchmark import Split, Store, run
from skldl.ldl import AAkNN
from skldl.methods import Method, Tuning
from skldl.reproduce import Selection, compare_paper, read_summary
from skldl.reproduce._columns import (
    VERSIONS_FILE,
    fold_columns,
    fold_values,
    label_columns,
    make_summary,
    write_summary,
)
from skldl.reproduce._metric_words import metric_words, with_metric_words
from skldl.reproduce._page_costs import chosen_words, cost_blocks
from skldl.reproduce._page_tables import table_chapters
from skldl.reproduce._pages import paper_page, stored_names, write_index, write_pages
from skldl.reproduce._papers import PAPERS
from skldl.reproduce._protocol import Entry, Paper, Part
from skldl.reproduce._ranks import win_table
from skldl.reproduce._render import Chapter, Table, to_html, to_markdown
from skldl.reproduce._runner import make_plans
from skldl.reproduce._summary import Results, summarize_paper

RESULTS = Path(__file__).resolve().parents[2] / "results"
COMMITTED = pytest.mark.skipif(
    not (RESULTS / "mslp.csv").exists(), reason="needs the summaries of the repository"
)


def small_paper(n_splits=3):
    """The tables of MSLP by name, but on data that need no file."""
    grid = {"n_neighbors": [1, 5]}
    entries = [
        Entry(Method("AAkNN", AAkNN(), grid), "AA-KNN"),
        Entry(Method("MSLP", AAkNN(30)), "MSLP"),
    ]

    def parts(quick):
        split = Split(n_splits=2 if quick else n_splits)
        names = {"SJAFFE": ["toy"]}
        part = Part("", ["Table 1"], ["SJAFFE"], entries, split,
                    Tuning("kl_divergence", 2), members=names)  # fmt: skip
        return [part]

    return Paper("mslp", "MSLP", "A small paper", parts)


def page_of(summary):
    return paper_page(small_paper(), summary, compare_paper(small_paper(), summary))


@pytest.fixture
def finished(tmp_path):
    path = tmp_path / "s.sqlite"
    selection = Selection(best_on_test=True)
    for _, plan in make_plans(small_paper(), selection):
        run(plan, path, engine="serial")
    return path


def test_summary_has_every_column(finished):
    summary = summarize_paper(small_paper(), Results.read([finished]))
    kinds = set(zip(summary["method"], summary["protocol"], strict=True))
    assert kinds == {
        ("AAkNN", "honest"), ("AAkNN", "best on test"), ("MSLP", "honest"),
        ("MeanDistribution", "honest"),
    }  # fmt: skip
    assert set(summary["n_folds"]) == {3}
    row = summary[(summary["method"] == "MSLP") & (summary["metric"] == "clark")].iloc[
        0
    ]
    with Store(finished) as store:
        rows = store.rows()
    values = rows[(rows["method"] == "MSLP") & (rows["metric"] == "clark")]["value"]
    assert row["mean"] == pytest.approx(values.mean(), rel=1e-12)
    assert row["std"] == pytest.approx(values.std(), rel=1e-12)
    assert fold_columns(summary) == ["fold_0", "fold_1", "fold_2"]
    assert np.allclose(row[fold_columns(summary)].astype(float), values, rtol=1e-5)
    assert json.loads(row["versions"]) == json.loads(rows["versions"].iloc[0])


def test_best_on_test_is_the_best_setting_over_the_test_folds(finished):
    summary = summarize_paper(small_paper(), Results.read([finished]))
    best = summary[
        (summary["protocol"] == "best on test") & (summary["metric"] == "kl_divergence")
    ].iloc[0]
    with Store(finished) as store:
        rows = store.rows()
    settings = rows[
        rows["method"].str.contains("@") & (rows["metric"] == "kl_divergence")
    ]
    means = settings.groupby("method")["value"].mean()
    assert best["mean"] == pytest.approx(means.min())
    (chosen,) = json.loads(best["params"]).items()
    assert means.idxmin() == "AAkNN @ {}={}".format(*chosen)
    # pages say it as text
    assert f"| n_neighbors = {chosen[1]} |" in to_markdown(*page_of(summary))
    # tuned honestly it cannot be better than the best of its settings on every fold
    honest = summary[
        (summary["method"] == "AAkNN")
        & (summary["protocol"] == "honest")
        & (summary["metric"] == "kl_divergence")
    ].iloc[0]
    folds = settings.pivot_table(index="fold", columns="method", values="value")
    assert honest["mean"] >= folds.min(axis=1).mean() - 1e-12


def test_summary_needs_no_data(finished, monkeypatch):
    before = summarize_paper(small_paper(), Results.read([finished]))

    def nothing(name):
        raise FileNotFoundError(name)

    monkeypatch.setattr("skldl.datasets.load", nothing)
    pd.testing.assert_frame_equal(
        before, summarize_paper(small_paper(), Results.read([finished]))
    )


def test_folds_of_another_protocol_do_not_count(finished):
    other = summarize_paper(small_paper(n_splits=4), Results.read([finished]))
    assert other.empty


def test_failed_folds_are_named(tmp_path, finished):
    with Store(finished) as store:
        connection = store._connection
        connection.execute(
            "UPDATE results SET status='timeout', message='Too slow' "
            "WHERE method='MSLP' AND fold=1"
        )
        connection.execute(
            "DELETE FROM metrics WHERE job IN (SELECT job FROM results "
            "WHERE status='timeout')"
        )
    summary = summarize_paper(small_paper(), Results.read([finished]))
    row = summary[summary["method"] == "MSLP"].iloc[0]
    assert (row["n_folds"], row["n_expected"], row["failed"]) == (2, 3, 1)
    assert row["reason"] == "stopped by the limit of time"
    assert list(np.isnan(fold_values(summary)[summary["method"] == "MSLP"][0])) == [
        False, True, False,
    ]  # fmt: skip
    _, lead, chapters = page_of(summary)
    assert any("without all folds" in text for text in lead)
    assert "(2 of 3 folds)" in to_markdown("x", lead, chapters)


def test_page_from_the_file_equals_the_page_from_the_store(tmp_path, finished):
    paper = small_paper()
    summary = summarize_paper(paper, Results.read([finished]))
    again = read_summary(write_summary(summary, tmp_path / "mslp.csv"))
    first = write_pages(paper, summary, compare_paper(paper, summary), tmp_path / "a")
    second = write_pages(paper, again, compare_paper(paper, again), tmp_path / "b")
    for one, two in zip(first, second, strict=True):
        assert one.read_text() == two.read_text()


def test_page_shows_published_and_measured(finished):
    summary = summarize_paper(small_paper(), Results.read([finished]))
    page = page_of(summary)
    text, html = to_markdown(*page), to_html(*page)
    measured = summary[
        (summary["method"] == "AAkNN")
        & (summary["protocol"] == "honest")
        & (summary["metric"] == "clark")
    ]["mean"].iloc[0]
    line = next(
        x for x in text.splitlines() if x.startswith("| AA-KNN | Clark | 0.3523")
    )
    assert f"{measured:.4f}" in line
    assert "best on test, raw" in text
    assert "390 published cells" in text
    rules = [line for line in text.splitlines() if line.startswith("| --- |")]
    assert html.count("<table") == len(rules)
    assert f"{measured:.4f}" in html


def committed(key):
    summary = read_summary(RESULTS / f"{key}.csv")
    return PAPERS[key], summary, compare_paper(key, summary)


def result_tables(cells):
    """Tables of what counts, and of other forms, by published table and data set."""
    for chapter in table_chapters(cells):
        for dataset in chapter.blocks:
            first, *rest = dataset.blocks
            below = [table for folded in rest for table in folded.blocks]
            yield chapter.heading, dataset.heading, first.frame, below


@COMMITTED
@pytest.mark.parametrize("key", ["lse-ldl", "lwknn", "jplay"])
def test_every_verdict_stands_beside_the_number_that_it_judges(key):
    _, _, cells = committed(key)
    main = cells[cells["main"]].set_index(["table", "dataset"]).sort_index()
    for name, dataset, frame, _ in result_tables(cells):
        heads = ["published", "ours", "difference", "verdict"]
        assert list(frame.columns) == ["method", "metric", *heads]
        rows = main.loc[[(name, dataset)]]
        assert list(frame["verdict"]) == list(rows["verdict"])
        for text, row in zip(frame["ours"], rows.to_dict("records"), strict=True):
            assert float(re.split("[ ,]", text)[0]) == pytest.approx(
                row["measured"], abs=5e-3
            )
            form = row["column"].split(", ", 2)[2:]
            assert ("".join(form) in text) if row["stands_in"] else "," not in text


@COMMITTED
@pytest.mark.parametrize("key", ["mslp", "lwknn", "jplay"])
def test_other_forms_have_no_blanks_and_none_is_lost(key):
    _, _, cells = committed(key)
    found = [table.frame for *_, below in result_tables(cells) for table in below]
    rest = cells[~cells["main"] & cells["column"].notna()]
    assert sum(map(len, found)) == len(rest)
    assert all(frame.map(bool).all(axis=None) for frame in found)
    assert set(pd.concat(found)["form"]) == set(rest["column"])


@COMMITTED
def test_differences_are_in_the_unit_that_judged():
    _, _, cells = committed("lse-ldl")
    judged = cells[cells["main"] & cells["verdict"].isin(["better", "worse"])]
    assert set(judged["unit"]) == {"our standard error"}
    assert (judged["difference"].abs() > 3).all()


@COMMITTED
@pytest.mark.parametrize("key", ["mslp", "lse-ldl", "lwknn", "jplay"])
def test_better_cells_of_learners_like_the_mean_are_counted(key):
    paper, summary, cells = committed(key)
    better = cells[cells["main"] & (cells["verdict"] == "better")]
    count = int((better["like_mean"] == True).sum())  # noqa: E712 (it may be missing)
    assert bool(count) == (key != "jplay")  # which has no such learner
    texts = [
        text
        for *_, frame, _ in result_tables(cells)
        for text, verdict in zip(frame["ours"], frame["verdict"], strict=True)
        if verdict == "better" and "\N{ALMOST EQUAL TO}" in text
    ]
    assert len(texts) == count
    _, lead, _ = paper_page(paper, summary, cells)
    assert (f"{count} are of learners" in lead[0]) == bool(count)


@COMMITTED
@pytest.mark.parametrize("key", ["mslp", "lse-ldl", "lwknn", "jplay"])
def test_pages_say_metrics_in_words(key):
    paper, summary, cells = committed(key)
    text = to_markdown(*paper_page(paper, summary, cells))
    text = re.sub(r"\(figures/\S+\)", "", text)  # files keep their names
    for name in {*cells["metric"], *summary["metric"]} - {"cosine", "intersection"}:
        assert not re.search(rf"\b{name}\b", text) or name == "accuracy", name


def test_metrics_in_words():
    assert metric_words("zero_one_percent") == "0/1 loss in %"
    assert metric_words("ranking_loss_iblr_dim1") == (
        "ranking loss, IBLR-ML, 1 dimension"
    )
    assert metric_words("coverage_error") == "coverage error"
    said = with_metric_words("kl_divergence, published: n_neighbors and Clark")
    assert said == "KL divergence, published: n_neighbors and Clark"


def test_chapters_may_be_below_chapters():
    frame = pd.DataFrame({"a": [1]})
    inner = Chapter("Forms", [Table(frame, "Second")], folded=True)
    page = "Title", ["Run `--all`."], [Chapter("Top", [Table(frame, "First"), inner])]
    text, html = to_markdown(*page), to_html(*page)
    assert "## Top\n" in text
    assert "\n### Forms\n\n**Second**" in text
    assert re.search(r"<details[^>]*>\s*<summary><h3>Forms</h3>", html)
    assert "Run <code>--all</code>." in html
    assert "<code>&lt;b&gt;</code>" in to_html("x", ["`<b>`"], [])


def test_choices_are_written_in_one_way():
    assert chosen_words("") == chosen_words("{}") == ""
    assert chosen_words('{"aaknn__n_neighbors": 5, "a__reg": 0.0001}') == (
        "reg = 0.0001, n_neighbors = 5"
    )
    each = {"zero_one_loss": {"reg": 10.0}, "error_probability": {"reg": 1.0}}
    assert chosen_words(json.dumps(each)) == (
        "0/1 loss: reg = 10; error probability: reg = 1"
    )
    each["error_probability"] = {"reg": 10.0}
    assert chosen_words(json.dumps(each)) == "reg = 10"


def test_versions_are_said_once(finished):
    summary = summarize_paper(small_paper(), Results.read([finished]))
    said, table = cost_blocks(summary)
    assert said.count("numpy") == 1
    assert not {"part", "versions"} & set(table.frame.columns)  # there is one part
    two = pd.concat([summary, summary.assign(part="b", versions='{"numpy": "0"}')])
    said, table = cost_blocks(two)
    assert said.count("numpy") == 2
    assert "part" in table.frame.columns


def test_index_counts_and_links(tmp_path, finished):
    paper = small_paper()
    summary = summarize_paper(paper, Results.read([finished]))
    cells = compare_paper(paper, summary)
    text = write_index([(paper, cells)], tmp_path).read_text()
    line = next(line for line in text.splitlines() if "[mslp](mslp.md)" in line)
    numbers = [int(cell) for cell in line.split("|")[3:-2]]  # the last is a part
    # cells, data at hand, measured; then the verdicts, which are as many as the cells
    assert numbers[:3] == [390, 390, 12]
    assert sum(numbers[3:]) == 390


def test_two_stores_make_one_summary(tmp_path, finished):
    half = tmp_path / "half.sqlite"
    plans = list(make_plans(small_paper(), Selection(methods=["MSLP"])))
    run(plans[0][1], half, engine="serial")
    with Store(finished) as store:
        store._connection.execute("DELETE FROM results WHERE method = 'MSLP'")
    assert "MSLP" not in set(
        summarize_paper(small_paper(), Results.read([finished]))["method"]
    )
    both = summarize_paper(small_paper(), Results.read([finished, half]))
    assert {"MSLP", "AAkNN"} <= set(both["method"])


def test_files_that_are_not_there_or_not_ours(tmp_path):
    with pytest.raises(FileNotFoundError, match="no store"):
        Results.read([tmp_path / "none.sqlite"])
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("part,dataset\n,a\n")
    with pytest.raises(ValueError, match="not a summary: it lacks 'failed'"):
        read_summary(wrong)


def test_versions_are_beside_the_summaries(tmp_path):
    def summary(*versions):
        facts = {"n_folds": 1, "n_expected": 1, "failed": 0}
        texts = [json.dumps(v) if v else "" for v in versions]
        return make_summary([{**facts, "versions": t, "folds": [0.5]} for t in texts])

    old, new = {"numpy": "2.0"}, {"numpy": "2.1", "scipy": "1.17"}
    first = write_summary(summary(old, {}, old), tmp_path / "a.csv")
    second = write_summary(summary(new, old), tmp_path / "b.csv")
    assert len(pd.read_csv(tmp_path / VERSIONS_FILE)) == 2  # each once
    assert "numpy" not in first.read_text()
    assert list(read_summary(first)["versions"]) == ['{"numpy": "2.0"}', ""] + [
        '{"numpy": "2.0"}'
    ]
    assert [json.loads(t) for t in read_summary(second)["versions"]] == [new, old]
    (tmp_path / VERSIONS_FILE).unlink()
    with pytest.raises(
        ValueError, match=r"a\.csv names the versions 'v\w{7}'.*versions"
    ):
        read_summary(first)


def test_labels_are_columns(tmp_path):
    rows = [
        {"method": "PCA", "classifier": "NN", "folds": [1.0, np.nan]},
        {"method": "MeanDistribution", "folds": []},
    ]
    whole = {"n_folds": 1, "n_expected": 2, "failed": 1, "versions": ""}
    summary = make_summary([whole | row for row in rows], ["classifier"])
    again = read_summary(write_summary(summary, tmp_path / "a.csv"))
    for table in (summary, again):
        assert label_columns(table) == ["classifier"]
        assert list(table["classifier"]) == ["NN", ""]
        assert np.array_equal(
            fold_values(table), [[1, np.nan], [np.nan, np.nan]], equal_nan=True
        )


def test_rows_of_an_entry_that_is_gone_still_have_a_name():
    rows = [{"part": "", "method": "AAkNN", "features": "raw", "variant": ""},
            {"part": "", "method": "Gone", "features": "raw",
             "variant": "old"}]  # fmt: skip
    names = stored_names(small_paper(), make_summary(rows))
    assert names == ["AAkNN", "Gone, raw, old"]


def test_wins_are_counted_by_paired_folds():
    def row(dataset, published, folds):
        values = [float(v) for v in folds.split()]
        return {
            "part": "", "dataset": dataset, "method": published, "features": "raw",
            "published": published, "variant": "", "protocol": "honest",
            "metric": "clark", "mean": np.mean(values), "n_folds": 4,
            "n_expected": 4, "folds": values,
        }  # fmt: skip

    summary = make_summary(
        [
            row("a", "own", "0.1 0.2 0.3 0.4"),
            row("a", "other", "0.2 0.31 0.39 0.5"),  # always about 0.1 above
            row("b", "own", "0.1 0.2 0.3 0.4"),
            row("b", "other", "0.4 0.1 0.2 0.3"),  # no order
            row("c", "own", "0.2 0.31 0.39 0.5"),
            row("c", "other", "0.1 0.2 0.3 0.4"),
            {**row("d", "own", "0.1 0.2"), "n_folds": 2},  # not all folds yet
            row("d", "other", "0.2 0.31 0.39 0.5"),
        ]
    )
    (line,) = win_table(summary, "own").to_dict("records")
    assert line == {
        "metric": "clark",
        "against": "other",
        "win": 1,
        "tie": 1,
        "loss": 1,
    }
    assert win_table(summary, "nobody").empty


@COMMITTED
def test_the_table_of_wins_says_which_data_sets_it_lacks():
    paper, summary, cells = committed("lwknn")
    gone = (summary["published"] == "LDLM") & (summary["dataset"] == "SJAFFE")
    summary = summary[~gone]
    (ranks,) = [c for c in paper_page(paper, summary, cells)[2] if c.heading == "Ranks"]
    table = next(block for block in ranks.blocks if isinstance(block, Table))
    said = " ".join(block for block in ranks.blocks if isinstance(block, str))
    frame = table.frame[table.frame["metric"] == "0/1 loss"].set_index("against")
    most = frame["data sets"].max()
    assert f"{most} of {paper.control}" in said
    for method, row in frame.iterrows():
        assert row["data sets"] == row["win"] + row["tie"] + row["loss"]
        named = re.search(rf"{method} \(([^)]*)\)", said)
        lacking = named[1].split(", ") if named else []
        assert row["data sets"] == most - len(lacking), method
    assert frame["data sets"].nunique() > 1


def test_the_index_counts_better_cells_like_the_mean(tmp_path, finished):
    paper = small_paper()
    cells = compare_paper(paper, summarize_paper(paper, Results.read([finished])))
    cells.loc[cells["main"] & cells["measured"].notna(), "verdict"] = "better"
    cells.loc[cells["method"] == "MSLP", "like_mean"] = True
    text = write_index([(paper, cells)], tmp_path).read_text()
    line = next(line for line in text.splitlines() if "[mslp](mslp.md)" in line)
    assert line.endswith("| 6 |")


def test_specs_of_a_store_are_those_of_its_jobs(finished):
    with Store(finished) as store:
        specs = store.specs()
        assert set(specs) == set(store.done())
    assert all(json.loads(text)["dataset"] == "toy" for text in specs.values())
