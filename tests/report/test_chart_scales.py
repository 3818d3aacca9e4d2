"""Scales of charts, and the command that follows a comparison."""

import shlex

import numpy as np
import pandas as pd
import pytest

from skldl.report._axes import Axis, axis, near
from skldl.report._next_command import fit_command
from skldl.report._strips import box_chart


def test_a_bad_method_does_not_squash_the_others():
    values = {f"m{i}": [0.30 + 0.01 * i] * 5 for i in range(8)} | {"bad": [0.9] * 5}
    kept = near([v[0] for v in values.values()], greater_is_better=False)
    assert kept.tolist() == [True] * 8 + [False]
    html = box_chart(values, "alt", label="x")
    assert html.count('class="far"') == 1
    assert "Past the end of the axis: bad." in html
    assert "0.900" in html  # its value is still there


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_only_bad_values_are_far(greater_is_better):
    values = np.array([0.5, 0.51, 0.52, 0.53, 0.9])
    kept = near(values, greater_is_better=greater_is_better)
    assert kept.all() == greater_is_better  # a very good one is not cut off
    assert near(values[[0, 4]], greater_is_better=False).all()
    assert near(np.ones(6), greater_is_better=False).all()


def test_places_on_an_axis():
    scale = Axis(1.0, 100.0, 0.0, 100.0, log=True)
    assert [scale(v) for v in (1, 10, 100)] == pytest.approx([0, 50, 100])
    assert scale(1e9) == 100
    assert scale.beyond(101)
    assert not scale.beyond(100)
    inside = axis([3.0, 3.0])
    assert inside.low < 3 < inside.high
    assert inside.ticks()


RUN = "skldl compare 'my votes.csv' -l joy,fear --normalize --cv=5 -m AAkNN --tune"


CASES = pytest.mark.parametrize(
    ("datasets", "command", "found"),
    [
        (["my votes"], RUN, "'my votes.csv' -l joy,fear --normalize"),
        (["my votes"], f"python -m {RUN}", "'my votes.csv' -l joy,fear --normalize"),
        (["a", "b"], "skldl compare a b --cv 5", "DATA"),
        (["toy"], "a Python session", "toy"),
        (["toy"], "skldl compare 'unclosed", "toy"),
    ],
)


def test_quotes_of_the_next_command_are_read_back_by_a_shell():
    datasets, command = ["toy"], "a Python session"
    runs = pd.DataFrame({"command": [command]})
    for method in ("AAkNN(weights='dudani')", "a'b\"c$d", "plain"):
        words = shlex.split(fit_command(method, datasets, runs, tuned=False))
        assert words[words.index("--method") + 1] == method
    assert '"AAkNN(weights=' in fit_command("AAkNN(weights='x')", ["toy"], runs,
                                            tuned=False)  # fmt: skip


@CASES
def test_the_next_command(datasets, command, found):
    runs = pd.DataFrame({"command": ["old", command]})
    text = fit_command("standard+AAkNN(n_neighbors=7)", datasets, runs, tuned=True)
    assert text == (
        f"skldl fit {found} --method 'standard+AAkNN(n_neighbors=7)' --tune "
        "-o model.skldl --report model.html"
    )
