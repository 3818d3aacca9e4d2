"""Readers of ARFF, MAT, XML and CSV files, whole and broken."""

import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.io import savemat

from skldl.datasets import readers

DENSE = """% a comment
@relation 'two words'
@attribute 'first feature' numeric
@attribute second real
@attribute kind {red,green}
@attribute label {0,1}
@data
1.5,2,red,0
-3,4e1,green,1
"""
SPARSE = """@relation r
@attribute a numeric
@attribute b numeric
@attribute label {0,1}
@data
{0 1.5, 2 1}
{1 2}
"""


def test_arff_dense(tmp_path):
    (tmp_path / "a.arff").write_text(DENSE)
    frame = readers.read_arff(tmp_path / "a.arff")
    assert list(frame.columns) == ["first feature", "second", "kind", "label"]
    assert_array_equal(frame["second"], [2, 40])
    assert_array_equal(frame["label"], [0, 1])
    assert list(frame["kind"]) == ["red", "green"]


def test_arff_sparse(tmp_path):
    (tmp_path / "a.arff").write_text(SPARSE)
    frame = readers.read_arff(tmp_path / "a.arff")
    assert_array_equal(frame.to_numpy(float), [[1.5, 0, 1], [0, 2, 0]])


@pytest.mark.parametrize(
    "text", ["", "no arff at all", DENSE.replace("1.5,2,red,0", "1.5,red"), DENSE[:60]]
)
def test_broken_arff(tmp_path, text):
    (tmp_path / "a.arff").write_text(text)
    with pytest.raises(ValueError, match=r"a\.arff"):
        readers.read_arff(tmp_path / "a.arff")


def test_label_xml(tmp_path):
    path = tmp_path / "labels.xml"
    path.write_text(
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<labels xmlns="http://mulan.sourceforge.net/labels">'
        '<label name="b"></label><label name="a"/></labels>'
    )
    assert readers.read_label_xml(path) == ["b", "a"]
    path.write_text('<!DOCTYPE x [<!ENTITY y "z">]><labels/>')
    with pytest.raises(ValueError, match="entities"):
        readers.read_label_xml(path)


def test_mat(tmp_path):
    savemat(tmp_path / "a.mat", {"features": np.eye(2)})
    assert_array_equal(readers.read_mat(tmp_path / "a.mat")["features"], np.eye(2))
    (tmp_path / "b.mat").write_bytes((tmp_path / "a.mat").read_bytes()[:150])
    with pytest.raises(ValueError, match="not a readable MATLAB file"):
        readers.read_mat(tmp_path / "b.mat")
    header = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + b"\x00" * 400
    (tmp_path / "c.mat").write_bytes(header)
    with pytest.raises(ValueError, match="7.3"):
        readers.read_mat(tmp_path / "c.mat")


def test_pickled_arrays_are_refused(tmp_path):
    objects = np.array([{"a": 1}], dtype=object)
    np.save(tmp_path / "a.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "a.npz", x=objects)
    with pytest.raises(ValueError, match="allow_pickle"):
        readers.read_npy(tmp_path / "a.npy")
    with pytest.raises(ValueError, match="allow_pickle"):
        readers.read_npz(tmp_path / "a.npz")
    (tmp_path / "b.npy").write_bytes(pickle.dumps(1))
    with pytest.raises(ValueError, match="pickle"):
        readers.read_npy(tmp_path / "b.npy")


def test_npz(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.eye(2), y=np.ones(3))
    assert set(readers.read_npz(tmp_path / "a.npz")) == {"x", "y"}


def test_tif(tmp_path):
    image = pytest.importorskip("PIL.Image")
    pixels = np.arange(12, dtype=np.uint8).reshape(3, 4)
    image.fromarray(pixels).save(tmp_path / "a.tif")
    assert_array_equal(readers.read_tif(tmp_path / "a.tif"), pixels)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_separators_and_byte_order_mark(tmp_path, separator):
    text = "\ufeff" + "\n".join(separator.join(row) for row in ("ab", "12"))
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    frame = readers.read_csv(tmp_path / "a.csv")
    assert list(frame.columns) == ["a", "b"]


def test_broken_csv(tmp_path):
    path = tmp_path / "a.csv"
    for content in (b"", b"a,b\n1,2,3,4\n1,2\n,,,,,,\n", b"\xff\xfe\x00"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"a\.csv"):
            readers.read_csv(path)


def test_parquet(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    frame.to_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(readers.read_parquet(tmp_path / "a.parquet"), frame)

    monkeypatch.setattr(readers, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"scikit-ldl\[parquet\]"):
        readers.read_parquet(tmp_path / "a.parquet")


def test_arff_in_parts_is_the_same(tmp_path, monkeypatch):
    rows = ["1,red,?", "2.5,?,?", "?,green,3", "4,red,1", "0,red,?"]
    head = "@relation t\n@attribute a numeric\n@attribute b {red,green}\n"
    text = head + "@attribute c numeric\n@data\n" + "\n".join(rows)
    (tmp_path / "a.arff").write_text(text)
    whole = readers.read_arff(tmp_path / "a.arff")
    monkeypatch.setattr(readers, "_CELLS", 6)
    parts = readers.read_arff(tmp_path / "a.arff")
    pd.testing.assert_frame_equal(parts, whole)
    assert whole["a"].tolist()[3:] == [4.0, 0.0]
    assert np.isnan(whole["c"][0])


def test_parquet_that_claims_too_much(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    pd.DataFrame(np.zeros((1000, 3)), columns=list("abc")).to_parquet(
        tmp_path / "t.parquet"
    )
    assert readers.read_parquet(tmp_path / "t.parquet").shape == (1000, 3)
    monkeypatch.setattr(readers, "_MAX_BYTES", 1000 * 3 * 8 - 1)
    monkeypatch.setattr(readers, "_MAX_RATIO", 0)
    with pytest.raises(ValueError, match=r"t\.parquet .* it claims to contain"):
        readers.read_parquet(tmp_path / "t.parquet")


def test_wide_header(tmp_path):
    names = [f"gene_{i:05d}" for i in range(14_000)]
    (tmp_path / "w.csv").write_text(",".join(names) + "\n" + ",".join("1" * 14_000))
    frame = readers.read_csv(tmp_path / "w.csv")
    assert list(frame.columns) == names
    assert (frame == 1).all(axis=None)


def test_npz_with_another_member(tmp_path):
    np.savez(tmp_path / "z.npz", X=np.ones((3, 2)))
    with zipfile.ZipFile(tmp_path / "z.npz", "a") as archive:
        archive.writestr("readme.txt", "hello")
    assert list(readers.read_npz(tmp_path / "z.npz")) == ["X"]
