"""A table of votes, and how tests run a command."""

from importlib import import_module
from inspect import signature

import numpy as np
import pandas as pd
from click.testing import CliRunner

from skldl.cli._main import COMMANDS
from skldl.datasets import load

LABELS = "joy,fear,calm"
NAMES = ["bright", "contrast", "hue"]
# click 8.1 must be told to keep errors apart, later versions always do
_MIXES = "mix_stderr" in signature(CliRunner).parameters
RUNNER = CliRunner(**({"mix_stderr": False} if _MIXES else {}))
FIT = ["-l", LABELS, "--normalize", "--ignore", "id,name"]


def votes(rows=400):
    """Ids, names, three features and counts of three labels."""
    data = load("toy_noisy")
    rng = np.random.default_rng(0)
    counts = [rng.multinomial(20, p) for p in data.D[:rows]]
    table = pd.DataFrame(data.X[:rows], columns=NAMES)
    table.insert(0, "id", np.arange(rows))
    table.insert(1, "name", [f"picture {i}" for i in range(rows)])
    return table.join(pd.DataFrame(counts, columns=LABELS.split(",")))


def run(command, *arguments, fails=False):
    """Run a command in this process; an error of it is raised as it is.

    Outputs may be there already: that this needs --force is tested by itself.
    """
    function = import_module(COMMANDS[command][0]).command
    words = [str(a) for a in arguments]
    if {"-o", "--plot", "--export"} & {*words} and "--force" not in words:
        words.append("--force")
    result = RUNNER.invoke(function, words)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert fails or result.exit_code == 0, result.output
    return result
