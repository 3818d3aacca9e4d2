"""What columns are, and how they are named."""

import unicodedata

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skldl._text import quoted, split_names
from skldl.datasets import column_roles, date_format, pick_labels

N = 60
COLUMNS = ["id", "age", "sad, angry", "vote_joy", "vote_fear", "3-5", "überrascht"]


def role(values, name="column"):
    return column_roles(pd.DataFrame({name: values}))["role"].iloc[0]


@pytest.mark.parametrize(
    ("values", "name", "expected"),
    [
        (range(N), "id", "id"),
        (range(N), "item_id", "id"),
        (range(N), "itemId", "id"),
        (range(N), "ID", "id"),
        ([1.0, np.nan, 3.0], "id", "id"),
        ([1.5, 2.5, 3.0], "id", "number"),
        ([1, 1, 2], "id", "number"),  # ids differ
        (range(N), "paid", "number"),
        (range(N), "age", "number"),
        ([f"x{i}" for i in range(N)], "code", "id"),
        ([*map(str, range(N)), "many"], "age", "text"),
        ([f"0{i}" for i in range(N)], "code", "id"),
        ([f"x{i}" for i in range(5)], "code", "category"),  # too few to tell
        ([f"x{i}" for i in range(5)], "uuid", "id"),
        ([f"Ann {i}" for i in range(N)], "who", "text"),
        (["north", "south"] * N, "region", "category"),
        ([f"town {i % 50}" for i in range(N)], "town", "text"),
        ([f"town {i % 50}" for i in range(20 * N)], "town", "category"),
        ([f"this is comment number {i}" for i in range(N)], "c", "text"),
        (["I fully agree with it", "I do not agree at all"] * N, "c", "category"),
        ([1, 2, 3, 4, 5] * 9, "rating", "number"),
        ([True, False], "b", "number"),
        ([True, None, False], "b", "number"),
        ([4, 4, 4], "x", "constant"),
        (["a", "a"], "x", "constant"),
        (["a", None, "a"], "x", "category"),  # the gap may mean something
        ([4], "x", "number"),  # one row tells nothing
        ([None, None], "x", "empty"),
        (pd.to_datetime(["2024-05-01", "2024-05-02"]), "d", "date"),
        (pd.Series(["a", "b"], dtype="category"), "c", "category"),
        ([[1], [2]], "lists", "category"),
    ],
)
def test_roles(values, name, expected):
    assert role(values, name) == expected


@pytest.mark.parametrize(
    ("cells", "form"),
    [
        (["2024-05-01", "2024-12-31"], "ISO8601"),
        (["2024-05-01T10:00:00Z", "2024-12-31T10:00:00Z"], "ISO8601"),
        (["2024-05-01 10:00", "2024-12-31 23:59"], "ISO8601"),
        (["01.05.2024", "31.12.2024"], "%d.%m.%Y"),
        (["1.5.2024", "31.12.2024"], "%d.%m.%Y"),
        (["01.05.2024 10:30", "31.12.2024 00:00"], "%d.%m.%Y %H:%M"),
        (["01/05/2024", "02/05/2024"], "%d/%m/%Y"),
        (["01/05/2024", "12/31/2024"], "%m/%d/%Y"),
        (["May 1, 2024", "June 2, 2024"], "%B %d, %Y"),
        (["2024-05-01", "soon"], None),
        (["2024-05-01", "2024-13-01"], None),
        (["1.5", "2.5"], None),
        (["20240501", "20240502"], None),
        (["10:30", "11:30"], None),
        ([1, 2], None),
        ([None, None], None),
    ],
)
def test_dates(cells, form):
    assert date_format(pd.Series(cells)) == form
    if form is not None:
        assert role([*cells, None]) == "date"


def test_a_late_cell_that_is_not_a_date():
    cells = ["2024-05-01"] * 5000
    assert date_format(pd.Series(cells)) == "ISO8601"
    assert date_format(pd.Series([*cells, "x"])) is None


def test_table_of_roles():
    frame = pd.DataFrame({"a": [1, 1, None], "b": ["x", "y", "z"]})
    roles = column_roles(frame)
    assert list(roles.columns) == ["role", "missing", "distinct", "why"]
    assert roles.loc["a", ["missing", "distinct"]].tolist() == [1, 1]
    assert column_roles(frame[[]]).empty


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("age", ["age"]),
        ("sad, angry", ["sad, angry"]),  # the whole text is a name
        ('"sad, angry",age', ["sad, angry", "age"]),
        (["sad, angry", "age"], ["sad, angry", "age"]),
        (["age,id", "vote_joy"], ["age", "id", "vote_joy"]),
        ("vote_*", ["vote_joy", "vote_fear"]),
        ("vote_*,vote_joy", ["vote_joy", "vote_fear"]),
        ("3-5", ["3-5"]),  # a name comes before a range
        ("4-5", ["vote_joy", "vote_fear"]),
        ("2 - 3", ["age", "sad, angry"]),
        ("vote_joy..3-5", ["vote_joy", "vote_fear", "3-5"]),
        (unicodedata.normalize("NFD", "überrascht"), ["überrascht"]),
    ],
)
def test_picks(spec, expected):
    assert pick_labels(COLUMNS, spec) == expected


@pytest.mark.parametrize(
    ("spec", "after", "words"),
    [
        ("vote_jo", None, "no column 'vote_jo'.*Did you mean 'vote_joy'"),
        ("x_*", None, "No column fits 'x_\\*'"),
        ("5-4", None, "not a range"),
        ("4-99", None, "columns 1 to 7"),
        ("age..x", None, "no column 'x'"),
        ("age,age", None, "twice: 'age'"),
        ("", None, "is empty"),
        (None, None, "is empty"),
        (None, "agee", "no column 'agee'.*Did you mean 'age'"),
        (None, "überrascht", "No column follows"),
        ("age", "id", "not both"),
    ],
)
def test_wrong_picks(spec, after, words):
    with pytest.raises(ValueError, match=words):
        pick_labels(COLUMNS, spec, after=after)


def test_picks_after():
    assert pick_labels(COLUMNS, after="vote_fear") == ["3-5", "überrascht"]


@given(st.lists(st.text('ab ,"()*', min_size=1).filter(str.strip), min_size=1))
def test_quoted_names_are_read_back(names):
    assert split_names(",".join(map(quoted, names))) == names
