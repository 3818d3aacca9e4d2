"""Every odd file of a newcomer, from the file to a saved model to predictions."""

import numpy as np
import pandas as pd
import pytest

from skldl.models import load_model
from votes_table import run

ROWS = 24
FAST = ["-m", "standard+AAkNN"]


def plain():
    """Two features, a category, and votes for three labels."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 70, ROWS),
            "income": (rng.random(ROWS) * 5000 + 1000).round(2),
            "region": rng.choice(["Nord", "Süd", "Ost"], ROWS),
        }
    )
    counts = rng.multinomial(9, [0.5, 0.3, 0.2], size=ROWS)
    return table.join(pd.DataFrame(counts, columns=["joy", "fear", "calm"]))


def csv(folder, table, **options):
    encoding = options.pop("encoding", "utf-8")
    path = folder / "votes.csv"
    table.to_csv(path, index=False, encoding=encoding, **options)
    return [path, "-l", "joy,fear,calm"]


def missing_values(folder):
    table = plain().astype({"age": float})
    table.loc[[1, 5, 7], "age"] = None
    table.loc[[2, 5], "region"] = None
    return csv(folder, table)


def categories(folder):
    return csv(folder, plain().assign(channel=["web", "shop"] * (ROWS // 2)))


def percent_signs(folder):
    table = plain()
    names = ["joy", "fear", "calm"]
    shares = table[names].div(table[names].sum(axis=1), axis=0) * 100
    table[names] = shares.map(lambda share: f"{share:.1f}%")
    return csv(folder, table)


def percentages(folder):
    table = plain()
    names = ["joy", "fear", "calm"]
    table[names] = table[names].div(table[names].sum(axis=1), axis=0).mul(100).round(1)
    return csv(folder, table)


def rounded_shares(folder):
    table = plain()
    names = ["joy", "fear", "calm"]
    table[names] = table[names].div(table[names].sum(axis=1), axis=0).round(2)
    return csv(folder, table)


def decimal_comma(folder):
    return csv(folder, plain(), sep=";", decimal=",")


def cp1252(folder):
    return csv(folder, plain(), sep=";", decimal=",", encoding="cp1252")


def byte_order_mark(folder):
    return csv(folder, plain(), encoding="utf-8-sig")


def excel(folder):
    pytest.importorskip("openpyxl")
    plain().to_excel(folder / "votes.xlsx", index=False)
    return [folder / "votes.xlsx", "-l", "joy,fear,calm"]


def thousands(folder):
    table = plain()
    table["income"] = table["income"].map(lambda value: f"{value:,.2f}")
    return csv(folder, table)


def zero_votes(folder):
    table = plain()
    table.loc[[0, 9], ["joy", "fear", "calm"]] = 0
    return csv(folder, table)


def labels_with_commas(folder):
    table = plain().rename(columns={"joy": "sad, angry", "fear": "sehr glücklich"})
    path = csv(folder, table)[0]
    return [path, "-l", '"sad, angry",sehr glücklich,calm']


def duplicate_rows(folder):
    table = plain()
    return csv(folder, pd.concat([table, table[:8]]))


def ids_and_dates(folder):
    days = pd.date_range("2024-01-30", periods=ROWS).strftime("%d.%m.%Y")
    table = plain()
    table.insert(0, "id", range(1, ROWS + 1))
    return csv(folder, table.assign(day=days, said="what a day it was"))


def long_format(folder):
    table = plain()
    table.insert(0, "item", [f"{i:03d}" for i in range(ROWS)])
    names = ["joy", "fear", "calm"]
    answers = table.melt("item", names, "label", "n")
    answers = answers.loc[answers.index.repeat(answers["n"]), ["item", "label"]]
    answers.to_csv(folder / "answers.csv", index=False)
    table.drop(columns=names).to_csv(folder / "items.csv", index=False)
    return [folder / "items.csv", "--annotations", folder / "answers.csv"]


ODD = [
    missing_values, categories, percent_signs, percentages, rounded_shares,
    decimal_comma, cp1252, byte_order_mark, excel, thousands, zero_votes,
    labels_with_commas, duplicate_rows, ids_and_dates, long_format,
]  # fmt: skip


def predicted(arguments, folder, *options):
    """Fit with one command and predict with another: rows and labels."""
    model, out = folder / "m.skldl", folder / "p.csv"
    run("fit", *arguments, *options, "-o", model)
    run("predict", model, arguments[0], "-o", out)
    labels = load_model(model).header.label_names
    return pd.read_csv(out)[labels], labels


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_an_odd_file_needs_one_command(make, tmp_path):
    P, labels = predicted(make(tmp_path), tmp_path, *FAST)
    expected = ["joy", "fear", "calm"]
    if make is labels_with_commas:
        expected = ["sad, angry", "sehr glücklich", "calm"]
    assert sorted(labels) == sorted(expected)
    assert len(P) == ROWS + 8 * (make is duplicate_rows)
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-9)
    assert (P >= 0).all(axis=None)
    assert P.std().min() > 0  # something was learned from the features


@pytest.mark.parametrize(
    "make", [decimal_comma, cp1252, byte_order_mark, excel, thousands, long_format],
    ids=lambda make: make.__name__,
)  # fmt: skip
def test_the_same_table_gives_the_same_predictions(make, tmp_path):
    (tmp_path / "plain").mkdir()
    wanted, labels = predicted(csv(tmp_path / "plain", plain()), tmp_path, *FAST)
    found, _ = predicted(make(tmp_path), tmp_path, *FAST)
    np.testing.assert_allclose(found[labels], wanted, atol=1e-8)


def test_an_odd_file_with_the_usual_method(tmp_path):
    arguments = missing_values(tmp_path)
    P, _ = predicted(arguments, tmp_path, "--preset", "fast", "--time-limit", 20)
    assert len(P) == ROWS
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-9)
