"""The table encoder against scikit-learn's parts, put together by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from mixed_table import features_and_degrees
from skldl.preprocessing import TableEncoder
from skldl.preprocessing import _table_encoder as module


@pytest.fixture(scope="module")
def table():
    return features_and_degrees()[0]


def test_equals_a_column_transformer_made_by_hand(table):
    numbers, categories = ["age", "income", "flag"], ["region", "zip"]
    words = HashingVectorizer(n_features=2**14, norm=None, alternate_sign=False)
    by_hand = ColumnTransformer(
        [
            ("n", SimpleImputer(strategy="median", add_indicator=True), numbers),
            ("c", OneHotEncoder(sparse_output=False), categories),
            ("t", make_pipeline(words, VarianceThreshold(), TfidfTransformer(),
                                TruncatedSVD(8, random_state=0)), "comment"),
        ],
        sparse_threshold=0,
    )  # fmt: skip
    ready = table.assign(
        region=table["region"].astype(object).where(table["region"].notna(), None),
        comment=table["comment"].fillna(""),
        flag=table["flag"].astype(float),
    )
    encoder = TableEncoder(ignore=["day"], text_components=8, random_state=0)
    found = encoder.fit_transform(table)
    np.testing.assert_array_equal(found, by_hand.fit_transform(ready))


def test_roles_and_names(table):
    encoder = TableEncoder(text_components=2, random_state=0).fit(table)
    columns = encoder.columns_.set_index("column")
    assert columns["role"].to_dict() == {
        "id": "id", "age": "number", "income": "number", "region": "category",
        "zip": "category", "day": "date", "comment": "text", "flag": "number",
        "same": "constant",
    }  # fmt: skip
    names = encoder.get_feature_names_out()
    assert len(names) == columns["n_features"].sum() == len(set(names))
    assert names[:4].tolist() == ["age", "income", "flag", "age_missing"]
    assert encoder.transform(table).shape == (len(table), len(names))
    assert {"region_missing", "zip_01067"} < set(names)
    assert list(encoder.feature_names_in_) == list(table.columns)
    framed = encoder.set_output(transform="pandas").transform(table)
    assert list(framed.columns) == list(names)


def test_the_order_of_columns_does_not_matter_and_more_are_ignored(table):
    encoder = TableEncoder(random_state=0).fit(table)
    turned = table[table.columns[::-1]].assign(more=1)
    np.testing.assert_array_equal(encoder.transform(turned), encoder.transform(table))
    # what is left out need not be there
    needed = table.drop(columns=["id", "same"])
    np.testing.assert_array_equal(encoder.transform(needed), encoder.transform(table))
    with pytest.raises(ValueError, match=r"lacks 2 of the 7 columns.*age, zip"):
        encoder.transform(table.drop(columns=["age", "zip"]))


def test_gaps_are_the_median_of_the_training_rows():
    train = pd.DataFrame({"a": [1.0, 5.0, np.nan, 9.0], "b": [2.0, 2.0, 8.0, 4.0]})
    encoder = TableEncoder().fit(train)
    new = pd.DataFrame({"a": [np.nan], "b": [np.nan]})  # b had no gaps in training
    np.testing.assert_array_equal(encoder.transform(new), [[5.0, 3.0, 1.0]])
    assert encoder.get_feature_names_out().tolist() == ["a", "b", "a_missing"]


def test_unknown_categories_are_zeros_or_rare():
    train = pd.DataFrame({"c": ["a"] * 5 + ["b"] * 4 + ["d"] * 2 + ["e"]})
    new = pd.DataFrame({"c": ["z", None, "e", "a"]})
    plain = TableEncoder().fit(train)
    assert plain.get_feature_names_out().tolist() == ["c_a", "c_b", "c_d", "c_e"]
    np.testing.assert_array_equal(
        plain.transform(new),
        [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]],
    )
    few = TableEncoder(max_categories=3).fit(train)
    assert few.get_feature_names_out().tolist() == ["c_a", "c_b", "c_rare"]
    np.testing.assert_array_equal(
        few.transform(new), [[0, 0, 1], [0, 0, 1], [0, 0, 1], [1, 0, 0]]
    )


def test_numbers_as_categories_match_whatever_type_they_have():
    encoder = TableEncoder(categorical=["k"]).fit(pd.DataFrame({"k": [3, 7, 3]}))
    wanted = [[1.0, 0.0], [0.0, 1.0]]
    for cells in ([3, 7], [3.0, 7.0], ["3", "7"], np.array([3, "7"], dtype=object)):
        found = encoder.transform(pd.DataFrame({"k": cells}))
        np.testing.assert_array_equal(found, wanted)


def test_date_parts_are_those_of_the_calendar():
    dates = pd.Series(
        pd.to_datetime(["1969-12-31T18:30", "2024-02-29T00:00", "2023-12-31T00:00"])
    )
    encoder = TableEncoder().fit(pd.DataFrame({"t": dates}))
    names = [name[2:] for name in encoder.get_feature_names_out()]
    found = dict(
        zip(names, encoder.transform(pd.DataFrame({"t": dates})).T, strict=True)
    )
    angle = 2 * np.pi * (dates.dt.day_of_year - 1) / 365.2425
    epoch = pd.Timestamp("1970-01-01")
    np.testing.assert_allclose(found["seconds"], (dates - epoch).dt.total_seconds())
    np.testing.assert_array_equal(found["year"], dates.dt.year)
    np.testing.assert_array_equal(found["month"], dates.dt.month)
    np.testing.assert_array_equal(found["weekday"], dates.dt.day_of_week)
    np.testing.assert_allclose(found["hour"], [18.5, 0, 0])
    np.testing.assert_allclose(found["yearday_sin"], np.sin(angle))
    np.testing.assert_allclose(found["yearday_cos"], np.cos(angle))


def test_dates_in_words_are_read_as_in_training():
    # alone, 03.04.2024 may be a day in March or in April
    train = pd.DataFrame({"t": ["31.12.2023", "03.04.2024", None]})
    encoder = TableEncoder().fit(train)
    as_dates = pd.DataFrame({"t": pd.to_datetime(["2024-04-03"])})
    found = encoder.transform(pd.DataFrame({"t": ["03.04.2024"]}))
    np.testing.assert_array_equal(found, encoder.transform(as_dates))
    assert (
        dict(zip(encoder.get_feature_names_out(), found[0], strict=True))["t_month"]
        == 4
    )
    with pytest.raises(ValueError, match=r"'t' must contain dates.*row 1 has 'soon'"):
        encoder.transform(pd.DataFrame({"t": ["03.04.2024", "soon"]}))


def test_words_in_a_column_of_numbers_are_named():
    encoder = TableEncoder().fit(pd.DataFrame({"age": [31.0, 45.0], "b": [1.0, 2.0]}))
    with pytest.raises(
        ValueError, match=r"'age' must contain numbers, but row 1 .*'old'"
    ):
        encoder.transform(pd.DataFrame({"age": [20, "old"], "b": [0, 0]}))
    with pytest.raises(ValueError, match=r"'age' contains infinity in row 0"):
        encoder.transform(pd.DataFrame({"age": [np.inf], "b": [0]}))


def test_missing_error_names_the_column_and_the_row(table):
    with pytest.raises(
        ValueError, match=r"'age' has \d+ missing values .*first in row"
    ):
        TableEncoder(missing="error").fit(table)
    whole = table.dropna()
    encoder = TableEncoder(missing="error", random_state=0).fit(whole)
    with pytest.raises(ValueError, match="missing"):
        encoder.transform(table)
    allowed = TableEncoder(random_state=0).fit(whole)
    np.testing.assert_array_equal(encoder.transform(whole), allowed.transform(whole))


def test_wrong_parameters(table):
    with pytest.raises(ValueError, match=r"no column 'regoin'.*Did you mean 'region'"):
        TableEncoder(categorical=["regoin"]).fit(table)
    with pytest.raises(ValueError, match="named twice"):
        TableEncoder(categorical=["zip"], text=["zip"]).fit(table)
    with pytest.raises(ValueError, match=r"No column is left.*'same' left out"):
        TableEncoder().fit(table[["id", "same"]])


def test_polars_equals_pandas(table):
    polars = pytest.importorskip("polars")
    theirs = polars.DataFrame(
        {
            name: [None if pd.isna(value) else value for value in table[name].tolist()]
            for name in table.columns
        }
    )
    ours = TableEncoder(random_state=0).fit(table)
    other = TableEncoder(random_state=0).fit(theirs)
    np.testing.assert_array_equal(other.transform(theirs), ours.transform(table))
    np.testing.assert_array_equal(ours.transform(theirs), ours.transform(table))


def test_arrays_pass_through():
    X = np.random.default_rng(0).normal(size=(6, 3))
    X[:, 1] = 4.0  # constant, but an array has no roles
    np.testing.assert_array_equal(TableEncoder().fit_transform(X), X)
    X[2, 0] = np.nan
    found = TableEncoder().fit_transform(X)
    assert found[2, 0] == np.nanmedian(X[:, 0])
    np.testing.assert_array_equal(found[:, 3], np.isnan(X[:, 0]))


def test_text_without_words_is_left_out():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "t": ["!", "?", None]})
    encoder = TableEncoder(text=["t"]).fit(table)
    assert encoder.columns_["n_features"].tolist() == [1, 0]
    np.testing.assert_array_equal(encoder.transform(table), table[["a"]])


def test_names_that_come_again_get_a_number():
    table = pd.DataFrame({"a": ["missing", None, "x", "missing"]})
    names = TableEncoder().fit(table).get_feature_names_out().tolist()
    assert names == ["a_missing", "a_x", "a_missing_2"]


def test_too_large_a_table_is_refused(table, monkeypatch):
    encoder = TableEncoder(random_state=0).fit(table)
    monkeypatch.setattr(module, "_MAX_CELLS", 1000)
    with pytest.raises(ValueError, match="transform the table in parts"):
        encoder.transform(table)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.one_of(st.none(), st.text(max_size=3), st.integers(-3, 3), st.booleans()),
        min_size=2,
        max_size=12,
    )
)
def test_every_row_has_at_most_one_category(values):
    table = pd.DataFrame(
        {"c": pd.Series(values, dtype=object), "n": range(len(values))}
    )
    if table["c"].isna().all():
        return
    encoder = TableEncoder(categorical=["c"], numeric=["n"]).fit(table)
    found = encoder.transform(table)[:, 1:]
    np.testing.assert_array_equal(found.sum(axis=1), 1.0)
    same = [str(v) for v in values]
    for i in range(len(values)):  # equal words, equal rows; and the other way round
        for j in range(i):
            equal = same[i] == same[j] and (values[i] is None) == (values[j] is None)
            assert (found[i] == found[j]).all() == equal
