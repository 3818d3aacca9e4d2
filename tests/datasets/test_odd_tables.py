"""Tables of votes with their usual oddities, to data sets; and check_table."""

import io
import shlex

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skldl.datasets import check_table, load_table

VOTES = "id,age,region,yes,no\n1,31,Nord,3,1\n2,,Süd,1,1\n3,28,Nord,0,0\n4,50,,,\n"


def table(content, *arguments, **options):
    return load_table(io.StringIO(content), *arguments, **options)


def test_mixed_columns_and_rows_without_votes():
    data = table(VOTES, "yes,no")
    assert_allclose(data.D, [[0.75, 0.25], [0.5, 0.5]])
    assert_array_equal(data.extra["n_votes"], [4, 2])
    assert list(data.feature_names) == ["age", "region"]
    assert data.X["region"].tolist() == ["Nord", "Süd"]
    assert data.X.index.tolist() == [0, 1]
    notes = data.extra["notes"]
    assert "Left out 2 rows without votes (lines 4, 5)." in notes
    assert any("only number the rows: id" in note for note in notes)
    with pytest.raises(ValueError, match=r"2 rows without votes \(lines 4, 5\)"):
        table(VOTES, "yes,no", empty="error")
    X, D = data.frames()
    assert list(X.columns) == ["age", "region"]
    assert len(X) == len(D) == 2


def test_numbers_without_gaps_stay_an_array():
    data = table("a,b,yes,no\n1,2.5,1,1\n3,4,2,0\n", "yes,no")
    assert isinstance(data.X, np.ndarray)
    assert data.X.dtype == np.float64
    assert_array_equal(data.X, [[1, 2.5], [3, 4]])


@pytest.mark.parametrize("normalize", [None, False, True])
@pytest.mark.parametrize("off", [0.0, 1e-6, 0.004, -0.01, 0.01])
def test_rounded_shares(normalize, off):
    frame = pd.DataFrame({"a": [1.0, 2.0], "yes": [0.7, 0.5], "no": [0.3 + off, 0.5]})
    data = load_table(frame, ["yes", "no"], normalize=normalize)
    assert_allclose(data.D, frame[["yes", "no"]].div(1 + np.array([off, 0]), axis=0))
    assert_allclose(data.D.sum(axis=1), 1, rtol=1e-14)
    told = any("only nearly" in note for note in data.extra["notes"])
    assert told == (abs(off) > 1e-5 and normalize is not True) or off == 1e-6
    assert "n_votes" not in data.extra


def test_shares_that_are_too_far_off():
    frame = pd.DataFrame({"a": 1.0, "yes": [0.7, 0.5, 0.6], "no": [0.32, 0.5, 0.6]})
    with pytest.raises(ValueError, match="2 of 3 do not.*worst sums to 1.2 "):
        load_table(frame, ["yes", "no"])
    assert_allclose(load_table(frame, ["yes", "no"], normalize=True).D[2], 0.5)


def test_percentages_are_no_counts():
    frame = pd.DataFrame({"a": [1, 2], "yes": [70, 45], "no": [30, 56]})
    data = load_table(frame, ["yes", "no"])
    assert "n_votes" not in data.extra  # a hundred votes would be a false claim
    assert "The labels are percentages; each row was divided" in data.extra["notes"][0]
    with pytest.raises(ValueError, match="normalize=True"):
        load_table(frame, ["yes", "no"], normalize=False)
    text = "a,yes,no\n1,70.3%,29.7%\n2,45%,55%\n"
    assert_allclose(table(text, "yes,no").D, [[0.703, 0.297], [0.45, 0.55]])


def test_all_faults_of_a_kind_at_once():
    rows = "".join(f"{i},2,x,1\n" for i in range(7)) + "7,2,1,y\n8,2,1,1\n"
    with pytest.raises(ValueError) as error:
        table("a,b,yes,no\n" + rows, "yes,no")
    assert "'yes' does not contain numbers, such as 'x', 'x', 'x', in 7 rows (lines "\
        "2, 3, 4, 5, 6, ...)" in str(error.value)  # fmt: skip
    assert "'no' does not contain numbers, such as 'y', in 1 row (line 9)" in str(
        error.value
    )


def test_words_among_numbers(tmp_path):
    numbers = [f"{i},5" for i in range(30)]
    numbers[7] = "n. a."
    rows = "".join(f"{cell};1;1\n" for cell in numbers)
    with pytest.raises(ValueError, match=r"'n. a.', in 1 row \(line 9\)"):
        table("a;yes;no\n" + rows, "yes,no")
    data = table("a;yes;no\n" + rows, "yes,no", text=["a"])
    assert data.X["a"].tolist() == numbers
    some = "".join(f"{cell};1;1\n" for cell in [*"11122", "3a", "3b"])
    codes = table("a;yes;no\n" + some, "yes,no")
    assert any("most of their cells are numbers: a" in n for n in codes.extra["notes"])


def test_ignore_features_and_kinds():
    frame = pd.DataFrame(
        {"id": [1, 2, 3], "a": [1, 2, 3], "b": [1, 2, 4], "x": [1, 0, 1],
         "y": [1, 1, 0], "kind": ["u", None, "v"]}
    )  # fmt: skip
    data = load_table(frame, "x,y", ignore="b,kind")
    assert list(data.feature_names) == ["a"]
    assert list(load_table(frame, "x,y", "id,a").feature_names) == ["id", "a"]
    classes = load_table(frame, "kind", ["a"], kind="classes")
    assert classes.y.tolist() == ["u", "v"]
    assert_array_equal(classes.X, [[1], [3]])
    sets = load_table(frame, "x,y", ["a"], kind="indicator")
    assert_array_equal(sets.Y, frame[["x", "y"]])
    with pytest.raises(ValueError, match="to be ignored and as a feature"):
        load_table(frame, "x,y", "a", ignore="a")


def test_check_lists_everything():
    content = (
        "id,age,comment,day,all,yes,no,never\n"
        + "".join(
            f"{i},{i},what a lovely day it is {i},2024-05-0{1 + i % 9},1,1,{i % 3},0\n"
            for i in range(30)
        )
        + "30,many,,,1,-1,4,0\n31,,,,1,x,1,0\n31,,,,1,x,1,0\n"
    )
    check = check_table(io.StringIO(content), "yes,no,never")
    roles = check.columns["role"].to_dict()
    assert roles["comment"] == "text"
    assert roles["day"] == "date"
    assert check.columns["use"].to_dict() == {
        "id": "feature", "age": "feature", "comment": "feature", "day": "feature",
        "all": "left out", "yes": "label", "no": "label", "never": "label",
    }  # fmt: skip
    problems = "\n".join(check.problems)
    assert not check.ok
    assert (
        "'yes' does not contain numbers, such as 'x', 'x', in 2 rows (lines 33, 34)"
        in (problems)
    )
    assert "'yes' must be non-negative, but has -1 (1 such cell, line 32)" in problems
    assert "Nobody chose never" in problems
    assert (
        "'age' does not contain numbers, such as 'many', in 1 row (line 32)" in problems
    )
    notes = "\n".join(check.notes)
    assert "'comment' has 3 missing values (lines 32, 33, 34)" in notes
    assert "Left out as constant: all" in notes
    assert "1 row repeats another (line 34)" in notes


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"a": [1, 5, 9], "yes": [0.5, 0.1, 0], "no": [0.5, 0.9, 1]}, ["yes", "no"]),
        ({"a": [1, 5, 9], "yes": [50, 10, 0], "no": [50, 90, 99.5]}, ["yes", "no"]),
        ({"a": [1, 5, 9], "u": [5, 1, 2], "v": [1, 5, 4]}, ["u", "v"]),
        ({"vote_u": [5, 1, 2], "vote_v": [1, 5, 5], "b": [9, 9, 7]},
         ["vote_u", "vote_v"]),
        ({"age": [31, 50, 40], "u": [3, 0, 2], "v": [1, 1, 0]}, ["u", "v"]),
        ({"a": [1.5, 2, 3], "class": ["u", "v", "u"]}, ["class"]),
        ({"a": [1.5, 2, 3], "b": [1.5, 7, 3]}, []),
    ],
)  # fmt: skip
def test_guesses_of_labels(columns, expected):
    check = check_table(pd.DataFrame(columns))
    assert check.guessed
    assert check.labels == expected
    assert check.ok == bool(expected)


def test_the_command_names_the_labels_again():
    labels = ["sehr gut", "na, ja", 'so "so"', "(x)"]
    frame = pd.DataFrame([[1, 2, 1, 0, 3], [2, 1, 1, 1, 1]], columns=["a", *labels])
    command = shlex.split(check_table(frame, labels).command("my votes.csv"))
    assert command[:3] == ["skldl", "fit", "my votes.csv"]
    data = load_table(frame, command[command.index("--labels") + 1])
    assert list(data.label_names) == labels
    wide = pd.DataFrame(np.eye(9, dtype=int), columns=list("abcdefghi"))
    wide.insert(0, "x", range(9))
    words = shlex.split(check_table(wide, labels_after="x").command("t.csv"))
    assert words[words.index("--labels") + 1] == "a..i"


def test_one_vote_per_row():
    frame = pd.DataFrame(
        {"item_id": [1, 1, 2], "worker": ["a", "b", "a"], "label": ["x", "y", "x"]}
    )
    assert check_table(frame).long == {
        "item": "item_id", "annotator": "worker", "label": "label",
    }  # fmt: skip
    assert check_table(frame.drop(columns="worker")).long is None


@pytest.mark.parametrize(
    "content", ["a,b\n", "a\n1\n", "yes,no\n1,1\n", "a,b\nx,\n,y\n", "a,a2\n1,[1]\n"]
)
def test_check_of_poor_tables(content):
    assert not check_table(io.StringIO(content)).ok
    assert not check_table(io.StringIO(content), "nothing", ignore="none").ok
