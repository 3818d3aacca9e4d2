"""Where the real data sets are, if they are anywhere."""

import os
from pathlib import Path

import hypothesis
import matplotlib as mpl
import pytest

import skldl

mpl.use("Agg")
# a busy machine is no reason to fail; bench/ measures times
hypothesis.settings.register_profile("skldl", deadline=None)
hypothesis.settings.load_profile("skldl")

# a folder with the original files may stand beside the clone
_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(autouse=True)
def _data_home():
    """Tests see the files beside the clone or in SKLDL_DATA, and never the network."""
    if "SKLDL_DATA" not in os.environ and _BESIDE.is_dir():
        skldl.set_data_home(_BESIDE)
    yield
    skldl.set_data_home(None)


@pytest.fixture
def real_data():
    """Load a real data set, or skip the test with the reason."""

    def load(name):
        try:
            return skldl.datasets.load(name, download=False)
        except FileNotFoundError as error:
            pytest.skip(f"needs a data file that is not here: {error}")

    return load
