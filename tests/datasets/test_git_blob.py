"""Files known by their git blob id, without any network."""

import hashlib
import json
import shutil
import subprocess
from contextlib import contextmanager
from io import BytesIO

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import skldl
from skldl.datasets import _git_blob, _registry, load, registry
from skldl.datasets._git_blob import git_blob_id

X = np.arange(12.0).reshape(4, 3)
D = np.array([[0.25, 0.75]] * 4)


def blob(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def npy(array):
    file = BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.fixture
def web(tmp_path, monkeypatch):
    """A data set of two arrays in a repository, and what was asked for."""
    files = {"Mini/feature.npy": npy(X), "Mini/label.npy": npy(D)}
    entry = {
        "title": "Mini", "kind": "distribution", "reader": "npy_pair",
        "files": [{"file": path[5:], "git_blob": None, "repo": "someone/data",
                   "commit": "1" * 40, "path": path} for path in files],
    }  # fmt: skip
    asked = []

    @contextmanager
    def urlopen(address, timeout):
        asked.append(address)
        if "api.github.com" in address:
            assert address.endswith("contents/Mini?ref=" + "1" * 40)
            listing = [{"path": p, "sha": blob(c)} for p, c in ids.items()]
            yield BytesIO(json.dumps(listing).encode())
        else:
            yield BytesIO(files[address.split("1" * 40 + "/")[1]])

    ids = dict(files)
    monkeypatch.setattr(_git_blob, "urlopen", urlopen)
    monkeypatch.setattr(_registry, "registry", lambda: {"Mini": entry})
    skldl.set_data_home(tmp_path / "home")
    return entry, files, asked, tmp_path / "home"


def test_the_id_is_gits_own(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"hello\n")
    assert git_blob_id(path) == "ce013625030ba8dba906f756967f9e9ca394464a"
    if shutil.which("git"):
        path.write_bytes(bytes(range(256)) * 5000)
        done = subprocess.run(
            ["git", "hash-object", str(path)], capture_output=True, text=True
        )
        assert git_blob_id(path) == done.stdout.strip()


def test_an_unknown_id_is_asked_for_and_kept(web):
    _, _, asked, home = web
    data = load("Mini")
    assert_array_equal(data.X, X)
    assert_array_equal(data.D, D)
    assert len(asked) == 4  # the listing and the file, twice
    assert load("Mini").X.shape == (4, 3)
    assert len(asked) == 4
    kept = (home / "Mini" / "label.npy.git-blob").read_text().strip()
    assert kept == blob(npy(D))


def test_a_known_id_is_not_asked_for(web):
    entry, files, asked, _ = web
    for file in entry["files"]:
        file["git_blob"] = blob(files[file["path"]])
    load("Mini")
    assert not [address for address in asked if "api." in address]


def test_another_content_is_refused_and_not_kept(web):
    entry, files, _, home = web
    entry["files"][1]["git_blob"] = blob(b"something else")
    with pytest.raises(FileNotFoundError, match="blob id is .*, expected"):
        load("Mini")
    assert not list(home.rglob("label*"))
    entry["files"][1]["git_blob"] = None
    files["Mini/label.npy"] = npy(D[:, ::-1])  # not what the commit lists
    with pytest.raises(FileNotFoundError, match="expected"):
        load("Mini")


def test_a_file_that_changed_later_is_named(web):
    *_, home = web
    load("Mini")
    (home / "Mini" / "label.npy").write_bytes(npy(D[:, ::-1]))
    with pytest.raises(ValueError, match="git blob id differs.*Delete it"):
        load("Mini")


def test_files_brought_by_hand_are_read(web, monkeypatch):
    _, files, asked, home = web
    (home / "Mini").mkdir(parents=True)
    for path, content in files.items():
        (home / path).write_bytes(content)
    assert_array_equal(load("Mini").D, D)
    assert not asked


def test_a_path_that_the_commit_lacks(web):
    entry, *_ = web
    entry["files"][0]["path"] = "Mini/other.npy"
    with pytest.raises(FileNotFoundError, match="has no file Mini/other.npy"):
        load("Mini")


@pytest.mark.parametrize("name", ["Human_Gene", "Twitter_LDL", "Flickr_LDL"])
def test_sets_of_two_arrays(name, tmp_path):
    # files of the same form as the real ones, which the tests do not have
    (tmp_path / name).mkdir()
    np.save(tmp_path / name / "feature.npy", X.astype(np.float32))
    np.save(tmp_path / name / "label.npy", D)
    skldl.set_data_home(tmp_path)
    data = load(name, download=False)
    assert_array_equal(data.X, X)
    assert_array_equal(data.D, D)
    assert "wangjing4research/LDL at 1cb276b8e173" in data.source
    assert "asked for at the pinned commit" in registry()[name]["note"]
