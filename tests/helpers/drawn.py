"""Figures of the reproduction that tests look at."""

from functools import cache
from pathlib import Path

import pandas as pd

from skldl.reproduce._figures import DRAWINGS

FIGURES = Path(__file__).resolve().parents[2] / "results" / "figures"


def curve_table(**more):
    """Rows of two panels with three lines."""
    rows = {"panel": list("aabb"), "series": list("xxxy"), "x": [1, 2, 1, 1],
            "y": [0.1, 0.2, 0.3, 0.4], "error": [0.0, 0.1, 0.1, 0.1]}  # fmt: skip
    return pd.DataFrame({**rows, **more})


@cache
def committed_figures():
    """Drawings and figures whose rows are in the repository."""
    rows = [(d, FIGURES / d.file) for d in DRAWINGS if d.keep_rows]
    return [(d, d.picture(pd.read_csv(p)).draw()) for d, p in rows if p.exists()]
