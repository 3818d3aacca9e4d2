"""Damaged and hostile files: an error that names the file, or a load; nothing else."""

import io
import pickle
import struct
import time
import zipfile
import zlib
from contextlib import suppress
from datetime import timedelta

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.io import loadmat, savemat

from archives import parts_of, write_parts
from skldl.datasets import make_ldl, readers
from skldl.ldl import SABFGS, AAkNN
from skldl.models import ModelFileError, load_model, save_model
from skldl.models._contents import CONTENTS

X, D = make_ldl(30, 3, 3, random_state=0)
FUZZ = settings(
    max_examples=150,
    deadline=timedelta(seconds=10),
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
# where to flip or cut, as shares of the file, and what to flip with
DAMAGE = st.tuples(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), max_size=4),
    st.one_of(st.just(1.0), st.floats(0, 1)),
)


def damaged(content, damage):
    flips, length = damage
    broken = bytearray(content)
    for place, bits in flips:
        broken[min(int(place * len(broken)), len(broken) - 1)] ^= bits
    return bytes(broken[: int(length * len(broken)) or 1])


def message(read, path, otherwise):
    """What the library says about a file, if it does not read it."""
    try:
        read(path)
    except ValueError as error:
        return str(error)
    return otherwise


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("broken")


def saved_bytes(folder, model):
    return save_model(model.fit(X, D), folder / "whole.skldl", y=D).read_bytes()


@pytest.mark.filterwarnings("ignore")
def test_damaged_model_files(folder):
    path, content = folder / "m.skldl", saved_bytes(folder, SABFGS(reg=0.1))

    @FUZZ
    @given(DAMAGE)
    def check(damage):
        path.write_bytes(damaged(content, damage))
        try:
            model = load_model(path)
        except ModelFileError as error:
            text = str(error)
        else:
            text = "m.skldl"
            model.predict(X)
        assert "m.skldl" in text

    check()


@pytest.mark.filterwarnings("ignore")
def test_model_files_damaged_inside_their_parts(folder):
    """With sums that fit, so that the damage gets past the archive."""
    path, content = folder / "m.skldl", saved_bytes(folder, AAkNN(2))
    parts = parts_of(io.BytesIO(content))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        listed = archive.read(CONTENTS)

    @FUZZ
    @given(st.sampled_from(sorted(parts)), DAMAGE)
    def check(name, damage):
        broken = damaged(parts[name], damage)
        with zipfile.ZipFile(path, "w") as archive:
            for part, whole in parts.items():
                archive.writestr(part, broken if part == name else whole)
            archive.writestr(CONTENTS, listed)
        if broken != parts[name]:
            with pytest.raises(ModelFileError, match="damaged"):
                load_model(path)
        write_parts(path, {**parts, name: broken})
        try:
            P = load_model(path).predict(X)
        except ValueError:
            return  # refused in words
        assert_allclose(P.sum(axis=1), 1, rtol=0, atol=1e-6)  # as `predict` promises

    check()


ARFF = b"""% comment
@relation 'some words'
@attribute 'a b' numeric
@attribute kind {red,'light green',"x"}
@attribute when date "yyyy"
@attribute label {0,1}
@data
1.5,red,1999,0
-3e4,'light green',2000,1
?,x,2001,1
"""
SPARSE = b"""@relation r
@attribute a numeric
@attribute b {0,1}
@data
{0 1.5, 1 1}
{}
"""


@pytest.mark.parametrize("content", [ARFF.replace(b'date "yyyy"', b"string"), SPARSE])
def test_damaged_arff(folder, content):
    path = folder / "a.arff"

    @FUZZ
    @given(DAMAGE, st.binary(max_size=8), st.floats(0, 1))
    def check(damage, extra, place):
        broken = damaged(content, damage)
        at = int(place * len(broken))
        path.write_bytes(broken[:at] + extra + broken[at:])
        assert "a.arff" in message(readers.read_arff, path, "a.arff")

    check()


@pytest.mark.parametrize("compress", [False, True])
def test_damaged_mat(folder, compress):
    path = folder / "whole.mat"
    content = {
        "features": X,
        "labels": D.astype(np.float32),
        "names": np.array(["one", "three"]),
        "sparse": sp.csc_matrix(np.eye(4)),
        "cell": np.array([1, "a"], dtype=object),
        "struct": {"a": 1, "b": np.eye(2)},
    }
    savemat(path, content, do_compression=compress)
    for name, array in readers.read_mat(path).items():
        theirs = loadmat(path)[name]
        theirs = theirs.toarray() if sp.issparse(theirs) else theirs
        assert array.dtype == theirs.dtype
        np.testing.assert_array_equal(array, theirs)
    whole = path.read_bytes()
    assert set(readers.read_mat(path)) == {"features", "labels", "names", "sparse"}
    broken = folder / "b.mat"

    @FUZZ
    @given(DAMAGE)
    def check(damage):
        broken.write_bytes(damaged(whole, damage))
        assert "b.mat" in message(readers.read_mat, broken, "b.mat")

    check()


def test_damaged_npz(folder):
    np.savez(folder / "whole.npz", X=X, D=D)
    whole, path = (folder / "whole.npz").read_bytes(), folder / "b.npz"

    @FUZZ
    @given(DAMAGE)
    def check(damage):
        path.write_bytes(damaged(whole, damage))
        assert "b.npz" in message(readers.read_npz, path, "b.npz")

    check()


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "f4", "f8", "?", "i8"])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (2, 3), (2, 2, 3)])
def test_mat_like_scipy(folder, dtype, shape):
    array = (np.arange(np.prod(shape)) % 2).reshape(shape).astype(dtype)
    savemat(folder / "s.mat", {"a": array, "tschüß": np.eye(2)}, do_compression=True)
    ours = readers.read_mat(folder / "s.mat")
    theirs = loadmat(folder / "s.mat")
    np.testing.assert_array_equal(ours["a"], theirs["a"])
    savemat(folder / "old.mat", {"a": np.eye(3)}, format="4")
    np.testing.assert_array_equal(readers.read_mat(folder / "old.mat")["a"], np.eye(3))


def test_damaged_old_mat(folder):
    savemat(folder / "old.mat", {"X": X, "S": sp.csc_matrix(np.eye(3))}, format="4")
    whole, path = (folder / "old.mat").read_bytes(), folder / "o.mat"

    @FUZZ
    @given(DAMAGE)
    def check(damage):
        path.write_bytes(damaged(whole, damage))
        assert "o.mat" in message(readers.read_mat, path, "o.mat")

    check()


def mat_element(kind, content):
    return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)


def mat_variable(array_class, shape, data=b""):
    flags = mat_element(6, struct.pack("<II", array_class, 0))
    dimensions = mat_element(5, struct.pack(f"<{len(shape)}i", *shape))
    return mat_element(14, flags + dimensions + mat_element(1, b"features") + data)


def mat_file(body):
    return b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + body


HUGE = (2**30, 2**30)


@pytest.mark.parametrize(
    "body",
    [
        mat_variable(6, HUGE, mat_element(9, bytes(80))),  # double
        mat_variable(4, HUGE, mat_element(4, bytes(80))),  # char
        mat_variable(5, HUGE),  # sparse
        struct.pack("<II", 14, 2**31 - 8) + bytes(64),  # a length beyond the end
    ],
)
def test_huge_sizes_declared_in_mat(folder, body):
    path = folder / "huge.mat"
    for content in (body, mat_element(15, zlib.compress(body))):
        path.write_bytes(mat_file(content))
        begin = time.process_time()
        with pytest.raises(ValueError, match=r"huge\.mat"):
            readers.read_mat(path)
        assert time.process_time() - begin < 5


@pytest.mark.parametrize("array_class", [1, 2, 3])  # cell, struct, object
def test_objects_in_mat_are_left_out_whatever_they_claim(folder, array_class):
    path = folder / "cells.mat"
    path.write_bytes(mat_file(mat_variable(array_class, (2**20, 2**10))))
    assert readers.read_mat(path) == {}


def test_bombs(folder, monkeypatch):
    monkeypatch.setattr(readers, "_MAX_BYTES", 2**20)
    path = folder / "bomb.mat"
    body = mat_variable(6, (1000, 1000), mat_element(9, bytes(8_000_000)))
    path.write_bytes(mat_file(mat_element(15, zlib.compress(body, 9))))
    with pytest.raises(ValueError, match=r"bomb\.mat.*far larger than its header"):
        readers.read_mat(path)
    savemat(path, {"features": sp.csc_matrix((10**5, 10**5))})
    with pytest.raises(ValueError, match=r"bomb\.mat.*claims"):
        readers.read_mat(path)
    np.savez_compressed(folder / "bomb.npz", X=np.zeros((1000, 1000)))
    with pytest.raises(ValueError, match=r"bomb\.npz.*claims"):
        readers.read_npz(folder / "bomb.npz")
    names = "".join(f"@attribute a{i} numeric\n" for i in range(500))
    text = f"@relation r\n{names}@data\n" + "{0 1}\n" * 500
    (folder / "bomb.arff").write_text(text)
    with pytest.raises(ValueError, match=r"bomb\.arff.*claims"):
        readers.read_arff(folder / "bomb.arff")


class Payload:
    """What a pickle would run."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


@seed(0)
@settings(FUZZ, max_examples=20)
@given(st.sampled_from([".mat", ".arff", ".npz"]), st.floats(0, 1))
def test_pickles_are_never_opened(folder, suffix, place):
    mark = folder / "owned"
    content = pickle.dumps(Payload(mark))
    whole = {".mat": mat_file(b""), ".arff": ARFF, ".npz": b""}[suffix]
    at = int(place * len(whole))
    path = folder / f"p{suffix}"
    path.write_bytes(whole[:at] + content + whole[at:])
    read = {".mat": readers.read_mat, ".npz": readers.read_npz}
    with suppress(ValueError):
        read.get(suffix, readers.read_arff)(path)
    assert not mark.exists()


def test_arff_with_a_percent_sign_in_a_bad_line(tmp_path):
    path = tmp_path / "a.arff"
    path.write_text("@relation r\n@attribute a numeric\n@data\n1,2%d\n")
    with pytest.raises(ValueError, match=r"a\.arff is not a readable ARFF file"):
        readers.read_arff(path)
