"""A table with categories, dates, text and gaps, from the file to predictions."""

import json

import numpy as np
import pandas as pd
import pytest

from mixed_table import FEATURES, LABELS, mixed_table
from skldl.models import load_model
from votes_table import run

NAMES = ",".join(LABELS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Training, test and new rows, and a model."""
    folder = tmp_path_factory.mktemp("mixed")
    whole = mixed_table(300)
    whole[:200].to_csv(folder / "train.csv", index=False)
    whole[200:].to_csv(folder / "test.csv", index=False)
    whole[200:][FEATURES].to_csv(folder / "new.csv", index=False)
    result = run("fit", folder / "train.csv", "-l", NAMES, "--normalize",
                 "--categorical", "zip", "-m", "standard+AAkNN",
                 "-o", folder / "m.skldl")  # fmt: skip
    (folder / "fit.txt").write_text(result.stdout)
    return folder


def test_fit_says_what_was_done_to_each_column(folder):
    said = (folder / "fit.txt").read_text()
    assert "What was done to the columns:" in said
    for word in ("gaps filled with the median", "one 0/1 column", "TF-IDF", "left out"):
        assert word in said


def test_show_says_it_again(folder):
    said = run("show", folder / "m.skldl").stdout
    for word in ("standard+AAkNN", "yes, no, maybe", "200 rows of train", "TF-IDF",
                 "n_neighbors", "scikit-learn", "constant"):  # fmt: skip
        assert word in said
    header = json.loads(run("show", folder / "m.skldl", "--json").stdout)
    roles = {record["column"]: record["role"] for record in header["columns"]}
    assert roles["zip"] == roles["region"] == "category"
    assert (roles["day"], roles["comment"], roles["id"]) == ("date", "text", "id")


def test_predict_takes_the_table_as_it_is(folder, tmp_path):
    run("predict", folder / "m.skldl", folder / "new.csv", "-o", tmp_path / "p.csv")
    found = pd.read_csv(tmp_path / "p.csv")[LABELS].to_numpy()
    new = mixed_table(300)[200:]
    wanted = load_model(folder / "m.skldl").predict(new[FEATURES])
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_predict_with_new_categories_gaps_and_another_order(folder, tmp_path):
    new = mixed_table(300)[200:][FEATURES[::-1]].drop(columns=["id", "same"])
    new = new.assign(region="West", income=None, more="what", zip="01067")
    new.to_csv(tmp_path / "odd.csv", index=False)
    run("predict", folder / "m.skldl", tmp_path / "odd.csv", "-o", tmp_path / "p.csv")
    found = pd.read_csv(tmp_path / "p.csv")[LABELS].to_numpy()
    wanted = load_model(folder / "m.skldl").predict(new.drop(columns="more"))
    np.testing.assert_allclose(found, wanted, rtol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_postal_codes_keep_their_zeros(folder):
    saved = load_model(folder / "m.skldl")
    assert "zip_01067" in saved.estimator[0].get_feature_names_out()


def test_evaluate_and_a_column_that_is_not_there(folder, tmp_path, refused):
    said = run("evaluate", folder / "m.skldl", folder / "test.csv", "--json").stdout
    rows = {row["metric"]: row for row in json.loads(said)["metrics"]}
    assert rows["chebyshev"]["model"] < rows["chebyshev"]["mean"]
    mixed_table(20).drop(columns="region").to_csv(tmp_path / "less.csv", index=False)
    for command in ("predict", "evaluate"):
        _, message = refused(command, folder / "m.skldl", tmp_path / "less.csv")
        assert "lacks 1: region" in message


def test_words_among_numbers_are_refused_with_the_row(folder, tmp_path, refused):
    new = mixed_table(300)[200:][FEATURES].astype({"income": object})
    new.iloc[3, new.columns.get_loc("income")] = "plenty"
    new.to_csv(tmp_path / "odd.csv", index=False)
    _, message = refused("predict", folder / "m.skldl", tmp_path / "odd.csv")
    assert "'income'" in message
    assert "'plenty'" in message


@pytest.mark.parametrize("missing", ["drop", "error"])
def test_missing(folder, tmp_path, missing, refused):
    options = ("fit", folder / "train.csv", "-l", NAMES, "--normalize", "--missing",
               missing, "-o", tmp_path / "m.skldl")  # fmt: skip
    if missing == "error":
        _, message = refused(*options)
        assert "'age'" in message
        assert not (tmp_path / "m.skldl").exists()
        return
    whole = mixed_table(300)[:200][FEATURES].notna().all(axis=1).sum()
    assert f"Dropped {200 - whole} of 200 rows" in run(*options).stderr
    assert load_model(tmp_path / "m.skldl").header.n_samples == whole


def test_ignore_and_unknown_columns(folder, tmp_path, refused):
    run("fit", folder / "train.csv", "-l", NAMES, "--normalize", "--ignore",
        "comment,day", "--text", "region", "-o", tmp_path / "m.skldl")  # fmt: skip
    header = load_model(tmp_path / "m.skldl").header
    assert "comment" not in header.feature_names
    roles = {record["column"]: record["role"] for record in header.columns}
    assert roles["region"] == "text"
    _, message = refused("fit", folder / "train.csv", "-l", NAMES, "--categorical",
                         "regoin", "-o", tmp_path / "n.skldl")  # fmt: skip
    assert "Did you mean 'region'" in message


def test_compare_two_methods(folder, tmp_path):
    said = run("compare", folder / "train.csv", "-l", NAMES, "--normalize", "--cv", 2,
               "-m", "standard+AAkNN", "-m", "standard+SABFGS(reg=1.0)", "--serial",
               "--store", tmp_path / "s.sqlite", "--metrics", "chebyshev", "--json",
               "--keep-predictions", 2)  # fmt: skip
    means = {row["method"]: row["mean"] for row in json.loads(said.stdout)}
    assert means["standard+AAkNN"] < means["MeanDistribution"]
    assert len(means) == 3
    run("report", tmp_path / "s.sqlite", "-o", tmp_path / "r.html")
    assert "standard+SABFGS" in (tmp_path / "r.html").read_text("utf-8")


def test_embed_takes_mixed_tables(folder, tmp_path):
    run("embed", folder / "train.csv", "-l", NAMES, "--normalize", "-m",
        "standard+MSLP(n_components=2)", "-o", tmp_path / "z.csv")  # fmt: skip
    assert len(pd.read_csv(tmp_path / "z.csv")) == 200
