"""The examples and the README do what they show."""

import re
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples").glob("plot_*.py")), ids=lambda p: p.stem
)
def test_examples_run_and_draw(path):
    runpy.run_path(str(path))
    assert plt.get_fignums()
    plt.close("all")


def test_readme_code_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    baseline, model = map(float, capsys.readouterr().out.splitlines()[-2:])
    assert model < baseline
