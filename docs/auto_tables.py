"""Tables of AutoLDL on outer folds, from the committed bench."""

from pathlib import Path

import pandas as pd

from skldl.report import to_rst

RESULTS = Path(__file__).parent.parent / "bench" / "results"
#: Includes by name, and the files that they come from.
SOURCES = {
    "overview": "auto_overview.csv",
    "ranks": "auto_ranks.csv",
    "estimates": "auto_estimates.csv",
    "published": "auto_published_counts.csv",
    "peers": "auto_peers.csv",
    "ways": "auto_ways.csv",
}


def tables():
    """Text of every include; what was not measured is empty."""
    return {f"{name}.inc": _table(RESULTS / file) for name, file in SOURCES.items()}


def _table(path):
    if not path.exists():
        return "Not measured yet.\n"
    return to_rst(pd.read_csv(path, dtype=str, keep_default_na=False))
