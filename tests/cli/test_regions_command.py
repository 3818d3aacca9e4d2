"""Intervals from the command line: fit --coverage and predict --coverage."""

import numpy as np
import pandas as pd
import pytest

from skldl.conformal import ConformalDistribution
from skldl.models import load_model
from votes_table import LABELS, run

NAMES = LABELS.split(",")


def test_fit_and_predict_with_intervals(tables, tmp_path):
    model, out = tmp_path / "m.skldl", tmp_path / "out.csv"
    run("fit", tables / "votes.csv", "-l", LABELS, "--normalize", "--ignore", "id,name",
        "-m", "standard+AAkNN", "--tune", "--coverage", "0.9", "-o", model)  # fmt: skip
    run("predict", model, tables / "new.csv", "--coverage", "0.8", "-o", out)
    table = pd.read_csv(out)
    saved = load_model(model)
    assert isinstance(saved.estimator, ConformalDistribution)
    assert saved.header.tuned
    X = saved.columns(pd.read_csv(tables / "new.csv").drop(columns=["id", "name"]))
    regions = saved.estimator.predict_region(X, coverage=0.8)
    for j, name in enumerate(NAMES):
        assert np.allclose(table[name], regions.center[:, j])
        assert np.allclose(table[f"{name}_lower"], regions.lower[:, j])
        assert np.allclose(table[f"{name}_upper"], regions.upper[:, j])
    assert (table["labels"].str.count(r"\|") + 1 == regions.labels.sum(axis=1)).all()
    assert (table["labels"].str.split("|").str[0] == table["label"]).all()
    run("predict", model, tables / "new.csv", "-o", out)
    assert "labels" not in pd.read_csv(out)


def test_auto_needs_no_option_in_fit(tables, tmp_path):
    model, out = tmp_path / "auto.skldl", tmp_path / "out.csv"
    run("fit", tables / "votes.csv", "-l", LABELS, "--ignore", "id,name", "--preset",
        "fast", "--time-limit", "30", "-o", model)  # fmt: skip
    run("predict", model, tables / "new.csv", "--coverage", "0.9", "-o", out)
    table = pd.read_csv(out)
    assert (table[f"{NAMES[0]}_lower"] <= table[NAMES[0]]).all()


@pytest.mark.parametrize("share", ["0", "1", "90"])
def test_a_share_is_between_0_and_1(tables, refused, share):
    code, message = refused(
        "predict", tables / "model.skldl", tables / "new.csv", "--coverage", share
    )
    assert code == 2
    assert "0<x<1" in message


def test_a_model_without_scores_is_refused(tables, refused):
    code, message = refused(
        "predict", tables / "model.skldl", tables / "new.csv", "--coverage", "0.9"
    )
    assert code == 2
    assert "skldl fit --coverage" in message


def test_only_distributions_have_regions(tables, refused, tmp_path):
    code, message = refused(
        "fit", "toy", "-m", "MLkNN", "--coverage", "0.9", "-o", tmp_path / "m.skldl"
    )
    assert code != 0
    assert message
