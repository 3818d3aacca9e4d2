"""The one reader: files as people have them, with the numbers that they mean."""

import io
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.io import savemat

from skldl.datasets import frame_origin, load_table, name_rows, read_frame, readers
from skldl.datasets.readers import csv_columns, csv_pieces

GERMAN = (
    "id;größe;preis;region;sehr glücklich;etwas Ärger;traurig, böse\n"
    "1;1,5;1.304,50;Süd;3;1;0\n"
    "2;2,25;20,00;;1;1;2\n"
    "3;;7,10;Nord;0;5;0\n"
)
LABELS = ["sehr glücklich", "etwas Ärger", "traurig, böse"]
D = [[0.75, 0.25, 0], [0.25, 0.25, 0.5], [0, 1, 0]]


def text(content):
    return read_frame(io.StringIO(content))


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-32"]
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_german_file_in_any_encoding(tmp_path, encoding, stream):
    path = tmp_path / "votes.csv"
    content = GERMAN.replace("traurig, böse", '"traurig, böse"')
    path.write_bytes(content.encode(encoding))
    source = io.BytesIO(path.read_bytes()) if stream else path
    data = load_table(source, labels_after="region")
    assert list(data.label_names) == LABELS
    assert_allclose(data.D, D)
    assert_array_equal(data.extra["n_votes"], [4, 4, 5])
    assert list(data.feature_names) == ["größe", "preis", "region"]
    assert_array_equal(data.X["größe"], [1.5, 2.25, np.nan])
    assert_allclose(data.X["preis"], [1304.5, 20, 7.1])
    assert list(data.X["region"].fillna("?")) == ["Süd", "?", "Nord"]
    notes = " ".join(data.extra["notes"])
    assert ("cp1252" in notes) == (encoding == "cp1252")
    for words in ("decimal comma", "1.304,50 is read as 1304.5", "counts of votes"):
        assert words in notes


def test_bytes_that_cp1252_lacks_are_latin(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a\x81,b\xe4\n1,2\n")
    frame, notes = read_frame(tmp_path / "a.csv")
    assert list(frame.columns) == ["a\x81", "bä"]
    assert "latin-1" in notes[0]


def test_told_beats_found(tmp_path):
    (tmp_path / "a.csv").write_bytes("ö;b\n1,5;2\n".encode("cp850"))
    frame, notes = read_frame(tmp_path / "a.csv", encoding="cp850", decimal=".")
    assert list(frame.columns) == ["ö", "b"]
    assert list(frame["ö"]) == ["1,5"]
    assert not notes
    bars = io.StringIO("a;b|c\n1;2|3\n")
    assert list(read_frame(bars, sep="|")[0].columns) == ["a;b", "c"]
    quoted = io.StringIO('a,b\n"1,5","2,25"\n')
    assert_array_equal(read_frame(quoted, decimal=",")[0], [[1.5, 2.25]])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"sep": ";;"}, "sep must be one character"),
        ({"decimal": "'"}, "decimal must be"),
        ({"encoding": "utf-80"}, "Unknown encoding"),
        ({"encoding": "ascii"}, "has another encoding"),
    ],
)
def test_wrongly_told(tmp_path, arguments, words):
    (tmp_path / "a.csv").write_text("ä,b\n1,2\n", encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        read_frame(tmp_path / "a.csv", **arguments)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n1,2\n", [[1, 2]]),
        ("a;b\n1;2\n", [[1, 2]]),
        ("a\tb\n1\t2\n", [[1, 2]]),
        ("a|b\n1|2\n", [[1, 2]]),
        ("sep=|\na|b\n1|2\n", [[1, 2]]),
        ("height, cm;width, cm\n1;2\n", [[1, 2]]),
        ("a;b\n1,5;2,5\n", [[1.5, 2.5]]),
        ("a;b\n1.5;2.5\n", [[1.5, 2.5]]),
        ("a;b\n-1,5e-3;2\n", [[-0.0015, 2]]),
        ("a;b\n1.304,5;2\n", [[1304.5, 2]]),
        ("a;b\n1,304.5;2\n", [[1304.5, 2]]),
        ('a,b\n"1,304",2\n', [[1304, 2]]),
        ("a,b\n1'304,2\n", [[1304, 2]]),
        ("a,b\n\u22121.5,2\n", [[-1.5, 2]]),
        ("a;b\n1,5;2.5\n", [[1.5, 2.5]]),  # each column as it is
        ("a,b\n25.3%,2\n", [[0.253, 2]]),
        ("a;b\n25,3 %;2\n", [[0.253, 2]]),
        ("a,b\n25%,2\n,3\n", [[0.25, 2], [np.nan, 3]]),
        ("a,b\n-,2\n?,3\nn/a,\n", [[np.nan, 2], [np.nan, 3], [np.nan, np.nan]]),
        ("a, b\n1, 2\n", [[1, 2]]),
        ("a,b,,\n1,2,,\n", [[1, 2]]),
    ],
)
def test_numbers(content, expected):
    assert_allclose(text(content)[0].to_numpy(float), expected, rtol=1e-15)


@pytest.mark.parametrize(
    "cells",
    [
        ["1,304", "many"],  # one word, and all stays text
        ["030 123 456", "555 123 456"],  # telephones
        ["25%", "30"],  # percentages or not?
        ["1,30", "2,5"],  # answers to a question of several, in a file with commas
        ["1.2.3", "1.2.4"],
        ["0,304", "1,304"],
        ["12-34", "56-78"],
    ],
)
def test_what_is_no_number_stays_as_it_is(cells):
    rows = "".join(f'"{cell}",1\n' for cell in cells)
    frame, notes = text(f"a,b\n{rows}")
    assert list(frame["a"]) == cells
    assert not notes


def test_columns_without_name_and_twice():
    frame, notes = text("a,,b,\n1,x,2,y\n")
    assert list(frame.columns) == ["a", "column_2", "b", "column_4"]
    assert "column_2, column_4" in notes[0]
    frame, notes = text(",a\nann,1\n")
    assert list(frame.index) == ["ann"]
    assert not notes
    with pytest.raises(ValueError, match=r"more than one column 'a' \(a, b\)"):
        text("a,b,a,b\n1,2,3,4\n")
    with pytest.raises(ValueError, match="more than one column 'a'"):
        read_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_standard_input(monkeypatch):
    stdin = SimpleNamespace(buffer=io.BytesIO("a;yes;no\n1,5;1;1\n".encode("utf-16")))
    monkeypatch.setattr(sys, "stdin", stdin)
    data = load_table("-", ["yes", "no"])
    assert_allclose(data.X, [[1.5]])
    assert_allclose(data.D, 0.5)


def test_excel(tmp_path):
    pytest.importorskip("openpyxl", reason="needs the extra excel")
    path = tmp_path / "votes.xlsx"
    frame = pd.DataFrame(
        {"id": [1, 2], "day": pd.to_datetime(["2024-05-01", "2024-05-02"]),
         "pay": ["1,304", "7"], "sehr gut": [3, 1], "na, ja": [1, 0]}
    )  # fmt: skip
    with pd.ExcelWriter(path) as writer:
        frame.to_excel(writer, index=False, sheet_name="votes", startrow=2)
        pd.DataFrame({"x": [1]}).to_excel(writer, index=False, sheet_name="more")
    data = load_table(path, labels_after="pay")
    assert_allclose(data.D, [[0.75, 0.25], [1, 0]])
    assert list(data.feature_names) == ["day", "pay"]
    assert_array_equal(data.X["pay"], [1304, 7])
    assert str(data.X["day"].dtype).startswith("datetime64")
    assert any("2 sheets" in note for note in data.extra["notes"])
    for sheet in ("more", "2", 2):
        assert read_frame(path, sheet=sheet)[0].to_numpy().tolist() == [[1]]
    read, _ = read_frame(path)
    assert name_rows(read, [1]) == "line 5"  # as Excel shows it
    with pytest.raises(ValueError, match="no sheet 'x'; it has 'votes', 'more'"):
        read_frame(path, sheet="x")


def test_excel_without_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(readers, "find_spec", lambda name: None)
    for name, extra in (("a.xlsx", "excel"), ("a.feather", "parquet")):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(ImportError, match=rf"scikit-ldl\[{extra}\]"):
            read_frame(tmp_path / name)
    (tmp_path / "a.xls").write_bytes(b"")
    with pytest.raises(ValueError, match=r"Save it as \.xlsx"):
        read_frame(tmp_path / "a.xls")


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_arrow_files(tmp_path, suffix):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": [1.5, None], "b": ["x", None]})
    getattr(frame, f"to_{suffix}")(tmp_path / f"a.{suffix}")
    read, notes = read_frame(tmp_path / f"a.{suffix}")
    assert list(read.columns) == ["a", "b"]
    assert read.isna().equals(frame.isna())
    assert read.iloc[0].tolist() == [1.5, "x"]
    assert not notes


def test_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {"n": [1, None], "t": ["x", None], "p": ["50%", "2%"], "yes": [1, 3],
         "no": [1, 1]}
    )  # fmt: skip
    for source in (frame, frame.lazy()):
        data = load_table(source, ["yes", "no"])
        assert_allclose(data.D, [[0.5, 0.5], [0.75, 0.25]])
        assert_array_equal(data.X["n"], [1, np.nan])
        assert data.X["t"].isna().tolist() == [False, True]
        assert_allclose(data.X["p"], [0.5, 0.02])


@pytest.mark.parametrize("suffix", ["npz", "mat"])
def test_arrays_of_single_precision(tmp_path, suffix):
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(7), 50).astype(np.float32) * np.float32(1 - 3e-6)
    content = {"X": rng.normal(size=(50, 2)), "D": shares}
    path = tmp_path / f"d.{suffix}"
    (np.savez if suffix == "npz" else savemat)(
        path, **(content if suffix == "npz" else {"mdict": content})
    )
    data = load_table(path)
    assert_allclose(data.D.sum(axis=1), 1, rtol=1e-14)
    assert_allclose(data.D, shares, rtol=1e-5)
    assert any("sum to 1 only nearly" in note for note in data.extra["notes"])
    assert list(load_table(path, list("abcdefg")).label_names) == list("abcdefg")
    assert list(load_table(path, arrays=["X", "D"]).feature_names) == [
        "feature_1", "feature_2",
    ]  # fmt: skip


@pytest.mark.parametrize("source", [3, None, [[1, 2]]])
def test_what_is_no_table(source):
    with pytest.raises(TypeError, match="A table is a path"):
        read_frame(source)


def test_binary_streams_are_told_apart():
    with pytest.raises(ValueError, match="is a Parquet file, not CSV"):
        read_frame(io.BytesIO(b"PAR1...."))
    with pytest.raises(ValueError, match="not text"):
        read_frame(io.BytesIO(b"a,b\n1,\x00\n"))


def test_lines_of_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('\nt;n\n"a\nb";1\n\nc;\nd;\n')
    frame, _ = read_frame(path)
    assert name_rows(frame, frame["n"].isna()) == "lines 6, 7"
    assert name_rows(frame, [0]) == "line 3"
    path.write_text("t;n\na;1\n" * 1 + "c;\n" * 9)
    frame, _ = read_frame(path)
    assert name_rows(frame, frame["n"].isna(), most=2) == "lines 3, 4, ..."
    assert frame_origin(frame)["name"] == "a"
    path.write_text(",t\n0,1\n1,\n")  # pandas' index
    named, _ = read_frame(path)
    assert name_rows(named, [1]) == "line 3"
    assert name_rows(frame[1:], [0]) == "row 0 (counted from 0)"  # not line 2
    path.write_text("t;n\n\na;1\n")
    frame, _ = read_frame(path)
    path.unlink()
    assert name_rows(frame, [0]) == "row 0 (counted from 0)"
    assert name_rows(pd.DataFrame({"a": [1]}), [0]) == "row 0 (counted from 0)"


def test_pieces_are_read_as_the_whole(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(GERMAN.encode("cp1252"))
    whole = read_frame(path)[0]
    assert csv_columns(path) == list(whole.columns)
    parts = pd.concat(list(csv_pieces(path, 2)), ignore_index=True)
    pd.testing.assert_frame_equal(parts, whole, check_dtype=False)
    some = next(csv_pieces(path, None, ["preis", "id"]))
    assert list(some.columns) == ["id", "preis"]
    assert list(next(csv_pieces(path, 1, ["id"], text=["id"]))["id"]) == ["1"]


names = st.text(
    st.characters(codec="cp1252", categories=["Lu", "Ll"]), min_size=1, max_size=5
)
words = st.text("abc ,;|äß\"'", min_size=1, max_size=6).map(lambda w: f"w{w}w")
numbers = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))


@settings(max_examples=60, deadline=None)
@given(
    columns=st.lists(names, min_size=2, max_size=4, unique=True),
    data=st.data(),
    sep=st.sampled_from([",", ";", "\t", "|"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    comma=st.booleans(),
)
def test_written_tables_are_read_back(
    columns, data, sep, encoding, comma, tmp_path_factory
):
    decimal = "," if comma and sep != "," else "."
    count = data.draw(st.integers(3, 6))
    kinds = [
        numbers,
        *(data.draw(st.sampled_from([numbers, words])) for _ in columns[1:]),
    ]
    cells = {
        name: data.draw(st.lists(kind, min_size=count, max_size=count))
        for name, kind in zip(columns, kinds, strict=True)
    }
    frame = pd.DataFrame(
        {"first": ["w w"] * count, **cells, "x": 0.5 + np.arange(count)}
    )
    path = tmp_path_factory.mktemp("t") / "t.csv"
    frame.to_csv(path, sep=sep, decimal=decimal, encoding=encoding, index=False)
    read, _ = read_frame(path)
    assert list(read.columns) == list(frame.columns)
    for name in frame.columns:
        if frame[name].dtype.kind == "f":
            assert_allclose(read[name], frame[name], rtol=1e-12)
        else:
            assert list(read[name]) == list(frame[name])
