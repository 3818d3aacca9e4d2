"""The examples do what they show."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow  # make docs runs them all
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples").rglob("plot_*.py")), ids=lambda p: p.stem
)
def test_examples_run_and_draw(path):
    runpy.run_path(str(path))
    assert plt.get_fignums()
    plt.close("all")
