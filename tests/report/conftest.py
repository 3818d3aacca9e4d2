"""A store with made-up results, made once."""

import pytest

from made import fill
from skldl.benchmark import Store
from skldl.datasets import load


@pytest.fixture(scope="session")
def made_store(tmp_path_factory):
    """A store as a real comparison would leave it."""
    path = tmp_path_factory.mktemp("store") / "results.sqlite"
    data = load("synthetic")
    picture = {
        "method": "MSLP",
        "samples": [0, 1, 2],
        "coordinates": [[0, 1], [1, 0], [-1, 0.5]],
        "degrees": data.D[:3].round(6).tolist(),
    }
    with Store(path) as store:
        fill(store)
        store.note_run("skldl compare first second third", {"python": "3"})
        store.note_dataset("mark of first", data, picture)
    return path
