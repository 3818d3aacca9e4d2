"""Tables of the user become data sets, or an error names the column."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skldl.datasets import load_table
from skldl.ldl import AAkNN

FRAME = pd.DataFrame(
    {
        "age": [31, 45, 52, 20],
        "height": [1.7, 1.6, 1.8, 1.75],
        "yes": [3, 1, 0, 2],
        "no": [1, 1, 4, 2],
        "name": ["ann", "bob", "cid", "dan"],
    }
)
LABELS = ["yes", "no"]
FEATURES = ["age", "height"]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_files(tmp_path, suffix):
    path = tmp_path / f"votes.{suffix}"
    if suffix == "parquet":
        FRAME.to_parquet(path)
    else:
        FRAME.to_csv(path, sep="\t" if suffix == "tsv" else ",", index=False)
    data = load_table(path, LABELS, FEATURES, normalize=True)
    assert data.name == "votes"
    assert_allclose(data.D, [[0.75, 0.25], [0.5, 0.5], [0, 1], [0.5, 0.5]])
    assert_array_equal(data.X, FRAME[FEATURES])
    assert list(data.feature_names) == FEATURES
    assert list(data.label_names) == LABELS
    AAkNN(1).fit(data.X, data.D)


@pytest.mark.parametrize("storage", ["python", "pyarrow"])
def test_names_of_a_table_are_kept_by_models(tmp_path, storage):
    pytest.importorskip(storage if storage == "pyarrow" else "pandas")
    path = tmp_path / "votes.csv"
    FRAME.drop(columns="name").to_csv(path, index=False)
    # pandas without pyarrow keeps the objects that it is given as names
    with pd.option_context("mode.string_storage", storage):
        X, D = load_table(path, LABELS, normalize=True).frames()
        assert {type(name) for name in [*X.columns, *D.columns]} == {str}
        model = AAkNN(1).fit(X, D)
        assert list(model.feature_names_in_) == FEATURES
        assert_allclose(model.predict(X), D)
        with pytest.raises(ValueError, match="same order"):
            model.predict(X[FEATURES[::-1]])


def test_all_other_columns_are_features():
    data = load_table(FRAME.drop(columns="name"), LABELS, normalize=True)
    assert list(data.feature_names) == FEATURES
    assert data.name == "table"


def test_shares_need_no_normalising():
    shares = FRAME.assign(yes=[0.75, 0.5, 0, 0.5], no=[0.25, 0.5, 1, 0.5])
    data = load_table(shares, LABELS, FEATURES)
    assert_allclose(data.D.sum(axis=1), 1.0)


def changed(column, row, value):
    frame = FRAME.astype({"age": float})
    frame.loc[row, column] = value
    return frame


@pytest.mark.parametrize(
    ("table", "arguments", "words"),
    [
        (FRAME, {"labels": ["Yes", "no"]}, "no column 'Yes'.*Did you mean 'yes'"),
        (FRAME, {"labels": []}, "labels is empty"),
        (FRAME, {"labels": ["yes", "yes"]}, "twice"),
        (
            FRAME.assign(name=["3", "many", *"1" * (len(FRAME) - 2)]),
            {"labels": ["name", LABELS[0]], "features": ["age"]},
            r"'many', in 1 row \(row 1 \(counted from 0\)\). Degrees are",
        ),
        (FRAME, {"labels": LABELS, "features": ["yes"]}, "label and as a feature"),
        (FRAME, {"labels": list(FRAME.columns)}, "No feature columns"),
        (FRAME, {"labels": LABELS, "features": FEATURES, "normalize": False},
         "4 of 4 do not.*the worst sums to 4.*normalize=True"),
        (FRAME.assign(yes=0.3), {"labels": LABELS}, "sums to.*normalize=True"),
        (FRAME, {"labels": LABELS, "empty": "keep"}, "empty must be"),
        (FRAME, {"labels": ["yes"]}, "at least two label columns"),
        (FRAME, {"labels": LABELS, "kind": "classes"}, "in one column"),
        (FRAME, {}, r"labels=\['joy', 'fear'\]. The table has age, height"),
        (FRAME.assign(age=[1, np.inf, 2, -np.inf]), {"labels": LABELS},
         r"'age' contains infinity in 2 rows \(rows 1, 3"),
        (changed("no", 1, np.nan), {"labels": LABELS, "features": FEATURES},
         "label column 'no'.*row 1"),
        (changed("no", 1, -3), {"labels": LABELS, "features": FEATURES},
         "'no' must be non-negative, but has -3.*row 1"),
        (FRAME.assign(yes=0, no=[0, 1, 0, 1]), {"labels": LABELS, "empty": "error"},
         r"2 rows without votes \(rows 0, 2"),
        (FRAME.assign(yes=0, no=0), {"labels": LABELS}, "All rows are without votes"),
        (FRAME.iloc[:0], {"labels": LABELS}, "no rows"),
    ],
)  # fmt: skip
def test_bad_tables(table, arguments, words):
    with pytest.raises(ValueError, match=words):
        load_table(table, **arguments)


@pytest.mark.parametrize(
    ("text", "features"),
    [
        (",age,yes,no\nann,3,1,1\nbob,4,1,1\n", ["age"]),  # pandas' index
        ('"a, b";yes;no\n1;1;1\n', ["a, b"]),
        ("\n\na;yes;no\n1;1;1\n", ["a"]),
        ("a,yes,no\r\n1,1,1\r\n", ["a"]),
        ("a,yes,no\n1,1,1,\n", ["a"]),  # a comma too many at the end
    ],
)
def test_strange_but_good_csv(tmp_path, text, features):
    (tmp_path / "t.csv").write_text(text)
    data = load_table(tmp_path / "t.csv", LABELS, normalize=True)
    assert list(data.feature_names) == features
    assert_allclose(data.D, 0.5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,yes,no,yes\n1,2,3,4\n", "more than one column 'yes'"),
        ("a,b,yes,no\n9,1,2,3,4\n", "more fields than the header"),
        ("a,yes,no\ninf,2,3\n", r"'a' contains infinity in 1 row \(line 2\)"),
        ("a,yes,no\n1,2\n", "'no' has 1 missing"),
        ("", "is empty"),
    ],
)
def test_strange_and_bad_csv(tmp_path, text, words):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(ValueError, match=words):
        load_table(tmp_path / "t.csv", LABELS, normalize=True)


def test_tsv_may_hold_commas(tmp_path):
    (tmp_path / "t.tsv").write_text("height, cm\tw, kg\tyes\tno\n1\t2\t1\t1\n")
    data = load_table(tmp_path / "t.tsv", LABELS, normalize=True)
    assert list(data.feature_names) == ["height, cm", "w, kg"]


def test_complex_and_repeated_columns():
    table = FRAME.assign(age=FRAME["age"] + 0j)
    with pytest.raises(ValueError, match="'age' does not contain numbers"):
        load_table(table, LABELS, FEATURES, normalize=True)
    twice = pd.concat([FRAME, FRAME[["age"]]], axis=1)
    with pytest.raises(ValueError, match="more than one column 'age'"):
        load_table(twice, LABELS, FEATURES, normalize=True)


def test_bad_paths(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        load_table(tmp_path / "none.csv", LABELS)
    (tmp_path / "a.doc").write_text("x")
    with pytest.raises(ValueError, match=r"cannot read tables of type \.doc"):
        load_table(tmp_path / "a.doc", LABELS)
