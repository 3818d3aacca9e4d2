"""Pages about one model from the command line."""

import json

import pytest

from pages import check_page
from skldl.metrics import chebyshev
from skldl.models import load_model
from votes_table import LABELS, run

FIT = ("-l", LABELS, "-m", "standard+LogisticLDL")


def test_fit_writes_a_page_by_rows_that_were_not_fitted_on(tables, tmp_path):
    page, model = tmp_path / "page.html", tmp_path / "my model.skldl"
    said = run("fit", tables / "votes.csv", *FIT, "-o", model, "--report", page)
    assert f"The page is {page.resolve()}" in said.output
    text = "".join(check_page(page.read_text()).text)
    assert "a cross-validation of 5 folds" in text
    assert "standard+LogisticLDL on votes" in text
    assert "a perfect model would still put" in text  # the votes are counted
    assert f"skldl predict '{model}' NEW.csv" in text
    assert "picture" not in text  # the column id names the rows, not the second one


def test_autoldl_is_judged_out_of_fold_and_evaluate_by_new_rows(tables, tmp_path):
    page, model = tmp_path / "page.html", tmp_path / "m.skldl"
    run("fit", tables / "votes.csv", "-l", LABELS, "-o", model, "--report", page)
    text = "".join(check_page(page.read_text()).text)
    assert "by out-of-fold predictions" in text
    assert "Leaderboard" in text
    assert "What was done to each column" in text
    said = run(
        "evaluate", model, tables / "test.csv", "--html", page, "--json", "--force"
    )
    assert said.stdout.startswith("{")
    text = "".join(check_page(page.read_text()).text)
    assert "Judged on 100 rows that were given for this" in text
    assert "AutoLDL on test" in text
    # rows that it was fitted on are recognised, and do not flatter it
    said = run("evaluate", model, tables / "votes.csv", "--html", page, "--force")
    words = "of the training table by out-of-fold predictions"
    assert words in page.read_text()
    # the terminal has the same sentence, the same scores, and JSON too
    assert words in said.output
    facts = json.loads(run("evaluate", model, tables / "votes.csv", "--json").stdout)
    assert words in facts["how"]
    fitted = load_model(model).estimator
    judged = {row["metric"]: row["model"] for row in facts["metrics"]}
    assert facts["n_samples"] == len(fitted.oof_rows_)
    assert judged["chebyshev"] == pytest.approx(
        chebyshev(fitted.oof_target_, fitted.oof_prediction_)
    )
    assert "how" not in json.loads(
        run("evaluate", model, tables / "test.csv", "--json").stdout
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "m.skldl", "--report", "page.txt"], "must end in .html, .htm"),
        (["-o", "m.skldl", "--report", "votes.csv"], "must end in .html"),
        (["-o", "m.skldl", "--report", "p.html", "-m", "SVM"], "one column"),
    ],
)
def test_a_page_that_cannot_be_is_refused_before_the_fit(
    tables, refused, tmp_path, monkeypatch, arguments, words
):
    monkeypatch.chdir(tmp_path)
    code, message = refused("fit", tables / "votes.csv", "-l", LABELS, *arguments)
    assert code == 2
    assert words in message
    assert not list(tmp_path.iterdir())


def test_pages_are_about_distributions(tables, refused, tmp_path):
    page, model = tmp_path / "p.html", tmp_path / "m.skldl"
    code, message = refused("fit", "iris", "-m", "SVM", "-o", model, "--report", page)
    assert code == 2
    assert "--report is about predicted distributions" in message
    assert not list(tmp_path.iterdir())


def test_compare_keeps_predictions_by_id_unless_they_are_done(tables, tmp_path):
    store = tmp_path / "s.sqlite"
    common = ("-l", LABELS, "--cv", "2", "--serial", "-m", "AAkNN", "--store", store)
    data = tables / "votes.csv"
    said = run("compare", data, *common, "--keep-predictions", "0")
    assert "kept no predictions" not in said.stderr
    said = run("compare", data, *common)
    assert "from an earlier run that kept no predictions" in said.stderr
    fresh = tmp_path / "t.sqlite"
    said = run("compare", data, *common[:-1], fresh)
    assert "kept no predictions" not in said.stderr
    page = tmp_path / "page.html"
    run("report", fresh, "-o", page)
    charts = [
        attributes["aria-label"]
        for _, attributes in check_page(page.read_text()).tags
        if attributes.get("aria-label", "").startswith("votes, ")
    ]
    assert len(charts) == 6
    assert all(label.split(",")[1].split(".")[0].strip().isdigit() for label in charts)
