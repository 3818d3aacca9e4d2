"""Model files whose list of parts is right but whose numbers lead astray."""

import io
import struct
import subprocess
import sys
import textwrap
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import savemat

from archives import parts_of, rewrite, write_parts
from skldl.classifiers import CanonicalCorrelationForestClassifier
from skldl.classifiers._ccf_tree import check_tree
from skldl.datasets import make_ldl
from skldl.datasets.readers import read_mat
from skldl.graphs._engines import PyNNDescentEngine
from skldl.ldl import SABFGS, AAkNN
from skldl.models import ModelFileError, load_model, read_header, save_model
from skldl.models._contents import CONTENTS
from skldl.models._support import check_state

X, D = make_ldl(60, 4, 3, random_state=0)
Y = D.argmax(axis=1)


@pytest.fixture(scope="module")
def tree():
    model = CanonicalCorrelationForestClassifier(1, random_state=0).fit(X, Y)
    return model.trees_[0]


def with_part(tree, name, change):
    return {**tree, name: change(tree[name].copy())}


def put(place, value):
    def change(array):
        array.flat[place] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("left", np.zeros_like),  # leads in a circle
        ("left", put(0, 10**6)),
        ("right", put(0, 0)),
        ("right", put(0, -1)),
        ("features", put(0, 4)),
        ("features", put(0, -1)),
        ("classes", put(0, 99)),
        ("directions", put(0, np.nan)),
        ("directions", lambda a: a[:, :1]),
        ("thresholds", put(0, np.inf)),
        ("thresholds", lambda a: a[:-1]),
        ("classes", lambda a: a.astype(float)),
        ("left", lambda a: a[:0]),
    ],
)
def test_trees_that_lead_astray(tree, name, change):
    check_tree(tree, 4, 3)
    with pytest.raises(ValueError, match="of a tree"):
        check_tree(with_part(tree, name, change), 4, 3)


def test_parts_that_are_not_there(tree):
    with pytest.raises(ValueError, match="parts"):
        check_tree({**tree, "more": tree["left"]}, 4, 3)


def changed_arrays(path, change):
    changes = {}
    for name, content in parts_of(path).items():
        if name.endswith(".npy"):
            array = change(np.load(io.BytesIO(content)))
            file = io.BytesIO()
            np.save(file, array)
            changes[name] = file.getvalue()
    return rewrite(path, changes)


def test_a_circle_in_a_file_is_refused(tmp_path):
    model = CanonicalCorrelationForestClassifier(2, random_state=0).fit(X, Y)
    path = save_model(model, tmp_path / "m.skldl", y=Y)

    def circle(array):
        children = array.dtype.kind == "i" and array.ndim == 1 and array.min() == -1
        return np.zeros_like(array) if children else array

    with pytest.raises(ModelFileError, match="parts do not match"):
        load_model(changed_arrays(path, circle))


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e308])
def test_numbers_that_are_not_finite_do_not_leave(tmp_path, value):
    path = save_model(SABFGS(reg=0.1).fit(X, D), tmp_path / "m.skldl", y=D)

    def spoil(array):
        return np.full_like(array, value) if array.dtype.kind == "f" else array

    with pytest.raises(ModelFileError, match="not finite|not a distribution"):
        load_model(changed_arrays(path, spoil)).predict(X)


def test_answers_of_another_shape_do_not_leave(tmp_path):
    saved = load_model(save_model(SABFGS(reg=0.1).fit(X, D), tmp_path / "m", y=D))
    for answer in (np.ones((5, 3)), np.full((5, 2), 0.5), np.full((5, 3), -1 / 3)):
        saved.estimator.predict = lambda X, answer=answer: answer
        with pytest.raises(ModelFileError, match="not distributions of 3 labels"):
            saved.predict(X[:5])

    def broken(X):
        raise IndexError("index 7 is out of bounds")

    saved.estimator.predict = broken
    with pytest.raises(ModelFileError, match="cannot predict.*index 7.*fit it again"):
        saved.predict(X)


def test_parts_and_their_list(tmp_path):
    path = save_model(SABFGS(reg=0.1).fit(X, D), tmp_path / "m.skldl", y=D)
    parts = parts_of(path)
    array = next(name for name in parts if name.endswith(".npy"))
    with zipfile.ZipFile(path) as archive:
        listed = archive.read(CONTENTS)

    def written(parts, listed=listed):
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in {**parts, CONTENTS: listed}.items():
                archive.writestr(name, content)
        return path

    header = parts["header.json"].replace(b'"method"', b'"methud"')
    for read in (load_model, read_header):
        with pytest.raises(ModelFileError, match=r"header\.json has another content"):
            read(written({**parts, "header.json": header}))
        with pytest.raises(ModelFileError, match="not those that it lists"):
            read(written({**parts, "more.npy": b""}))
        with pytest.raises(ModelFileError, match="list of its parts"):
            read(written(parts, b"[]"))
    flipped = parts[array][:-1] + bytes([parts[array][-1] ^ 1])
    with pytest.raises(ModelFileError, match=f"{array} has another content"):
        load_model(written({**parts, array: flipped}))
    for word, other, message in (
        (b'"shape": [', b'"shape": [1, ', "another shape"),
        (b"<f8", b"<f4", "another type"),
        (b'"finite": true', b'"finite": false', "not finite"),
    ):
        with pytest.raises(ModelFileError, match=message):
            load_model(written(parts, listed.replace(word, other)))
    load_model(write_parts(path, parts))


@pytest.mark.parametrize(
    "state",
    [
        {"metric": len},
        {"metric": None},
        {"n_jobs": "two"},
        {"_rows": [[1.0]]},
        {"_rows": np.array([[1]])},
        {"_rows": np.array([["a"]])},
    ],
)
def test_an_index_takes_numbers_and_names_only(state):
    good = {"metric": "euclidean", "random_state": 0, "n_jobs": None, "_rows": X}
    made = PyNNDescentEngine.__new__(PyNNDescentEngine)
    made.__setstate__({**good, "_index": "anything"})
    assert made._index is None  # always built anew
    with pytest.raises(ValueError, match="of an index"):
        made.__setstate__({**good, **state})


CODE = """
import sys
from skldl.models import load_model
seen = []
sys.addaudithook(lambda event, a: event == "pickle.find_class" and seen.append(a))
model = load_model(sys.argv[1]).estimator
engine = model.index_.engine_
print(type(engine).__name__, engine._index, seen, "numba" in sys.modules)
"""


def test_an_approximate_index_is_opened_without_its_library(tmp_path):
    """Nothing is unpickled, and what compiles is not even imported."""
    model = AAkNN(3).fit(X, D)
    model.index_.engine_ = PyNNDescentEngine()
    model.index_.engine_._rows, model.index_.exact_ = X, False
    path = save_model(model, tmp_path / "m.skldl", y=D)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(CODE), str(path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "PyNNDescentEngine None [] False"


def test_a_sparse_matrix_whose_starts_fall_is_refused():
    matrix = sp.csr_array(np.eye(4))
    matrix.indptr = np.array([0, 10, 4194350, 20, 0], dtype=matrix.indptr.dtype)
    matrix.data, matrix.indices = matrix.data[:0], matrix.indices[:0]
    with pytest.raises(ValueError, match="indices of a sparse matrix"):
        check_state({"a": matrix})


def test_a_matlab_file_whose_starts_fall_is_refused(tmp_path):
    matrix = sp.csc_matrix(np.eye(4)[np.arange(30) % 4])
    path = tmp_path / "t.mat"
    savemat(path, {"features": matrix})
    content = path.read_bytes()
    good = struct.pack("<5I", *matrix.indptr.tolist())
    assert content.count(good) == 1
    path.write_bytes(content.replace(good, struct.pack("<5I", 0, 10, 4194350, 20, 0)))
    with pytest.raises(ValueError, match="parts of a sparse array do not match"):
        read_mat(path)
