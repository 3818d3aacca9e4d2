"""Text that a spreadsheet would run is made safe, and comes back as it was."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from skldl._cells import plain_table, plain_text, safe_table, safe_text
from skldl.benchmark import Store
from skldl.cli import main
from skldl.datasets import read_frame
from skldl.datasets.readers import csv_columns, csv_pieces

HOT = [
    "=1+1",
    "@SUM(A1)",
    "-2+3",
    "+cmd|' /C calc'!A0",
    "\t=1",
    "\r=1",
    " =1",
    "\uff1d1",
]
NUMBERS = ["-5", "+5", "-1.5e-7", "-.5", "1", "", "a-b", "x=1", "'quoted'"]


@pytest.mark.parametrize("text", HOT)
def test_formulas_become_text(text):
    assert safe_text(text) == f"'{text}"
    assert safe_text(safe_text(text)) == f"''{text}"


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_and_other_text_stay(text):
    assert safe_text(text) == text == plain_text(text)


@given(st.text(alphabet="'=+-@ \t\r\n.e15ab", max_size=6))
def test_the_way_back(text):
    assert plain_text(safe_text(text)) == text
    assert not re.match(r"\s*[=@]", safe_text(text))
    if text.startswith("'"):  # what was safe when it was read is written the same
        assert safe_text(plain_text(text)) == text


def test_tables():
    table = pd.DataFrame({"=a": ["-x", None, "b"], "n": [-1, -2.5, np.nan]})
    safe = safe_table(table)
    assert list(safe) == ["'=a", "n"]
    assert safe["'=a"].tolist()[::2] == ["'-x", "b"]
    assert safe["n"] is not None
    assert_frame_equal(plain_table(safe).set_axis(table.columns, axis=1), table)
    plain = pd.DataFrame({"a": ["x"], "b": [-1]})
    assert safe_table(plain) is plain


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_readers_take_the_apostrophe_off(tmp_path, kind):
    table = pd.DataFrame({"=1+1": [1, 2], "@b": ["-x", "y"], "c": [-1.5, 2.0]})
    path = tmp_path / f"t.{kind}"
    safe = safe_table(table)
    if kind == "csv":
        safe.to_csv(path, index=False)
        assert csv_columns(path) == list(table)
        (piece,) = csv_pieces(path, 10, ["@b"])
        assert piece["@b"].tolist() == ["-x", "y"]
    else:
        safe.to_excel(path, index=False)
    frame = read_frame(path)[0]
    assert list(frame) == list(table)
    assert frame["@b"].tolist() == ["-x", "y"]
    assert frame["c"].tolist() == [-1.5, 2.0]


def test_labels_survive_the_way_through_the_commands(tmp_path, capsys):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=20), "=1+1": 1, "@b": range(20)})
    table.insert(0, "id", [f"-{i}a" for i in range(20)])
    data, model = tmp_path / "t.csv", tmp_path / "m.skldl"
    table.to_csv(data, index=False)
    main(["fit", str(data), "-l", "=1+1,@b", "--ignore", "id", "-m", "AAkNN",
          "-o", str(model)])  # fmt: skip
    out = tmp_path / "out.csv"
    main(["predict", str(model), str(data), "--keep", "id", "-o", str(out)])
    text = out.read_text()
    cells = [cell for line in text.splitlines() for cell in line.split(",")]
    assert not [cell for cell in cells if cell[:1] in "=@-" and cell]
    frame = read_frame(out)[0]
    assert list(frame) == ["id", "=1+1", "@b", "label"]
    assert frame["id"].tolist() == table["id"].tolist()
    assert set(frame["label"]) <= {"=1+1", "@b"}
    capsys.readouterr()
    main(["predict", str(model), str(data), "--raw-cells"])
    assert capsys.readouterr().out.startswith("=1+1,@b,label\n")


def test_exports(tmp_path, monkeypatch):
    rows = pd.DataFrame({"method": ["=1+1", "a"], "value": [-1.0, 2.0]})
    with Store(tmp_path / "s.sqlite") as store:
        monkeypatch.setattr(store, "rows", lambda: rows)
        text = store.export(tmp_path / "a.csv").read_text()
        assert text == "method,value\n'=1+1,-1.0\na,2.0\n"
        text = store.export(tmp_path / "a.csv", raw_cells=True).read_text()
        assert text == "method,value\n=1+1,-1.0\na,2.0\n"
        with pytest.raises(ValueError, match=r"ends|must end in .csv"):
            store.export(tmp_path / "s.sqlite")
        (tmp_path / "link.csv").symlink_to(tmp_path / "s.sqlite")
        with pytest.raises(ValueError, match="is the store itself"):
            store.export(tmp_path / "link.csv")
