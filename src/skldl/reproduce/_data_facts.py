"""Facts that papers print of their data sets, and the same facts of the files here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from skldl.datasets import describe

MARGIN = "mean margin"
FACTS = ["samples", "features", "labels", MARGIN]
_YEAST = {"alpha": (18, 0.004), "cdc": (15, 0.005), "cold": (4, 0.034),
          "diau": (7, 0.014), "dtt": (4, 0.022), "elu": (14, 0.004),
          "heat": (6, 0.021), "spo": (6, 0.031), "spo5": (3, 0.083)}  # fmt: skip
#: Printed facts by paper and data set, in the paper's order.
PRINTED: dict[str, dict[str, tuple[float, ...]]] = {
    "lwknn": {
        **{f"Yeast_{name}": (2465, 24, *facts) for name, facts in _YEAST.items()},
        "SJAFFE": (213, 243, 6, 0.257),
        "SBU_3DFE": (2500, 243, 6, 0.090),
        "Natural_Scene": (2000, 294, 9, 0.131),
        "Movie": (7755, 1869, 5, 0.104),
        "M2B": (1240, 250, 5, 0.513),
        "SCUT_FBP": (1500, 300, 5, 0.291),
        "Twitter_LDL": (10040, 200, 8, 0.369),
        "Flickr_LDL": (11150, 200, 8, 0.490),
    },
    "lse-ldl": {
        **{f"Yeast_{name}": (2465, 24, labels) for name, (labels, _) in _YEAST.items()},
        "Yeast_spoem": (2465, 24, 2),
        "Human_Gene": (17892, 36, 68),
        "Natural_Scene": (2000, 294, 9),
        "SJAFFE": (213, 243, 6),
        "SBU_3DFE": (2500, 243, 6),
        "Movie": (7755, 1869, 5),
    },
}
_NOT_HERE = ("Twitter_LDL", "Flickr_LDL", "Human_Gene")
_DIGITS = 3  # of printed margins


@dataclass(frozen=True)
class DataRows:
    """Facts of a paper's data sets, measured once and kept in a file.

    Attributes
    ----------
    paper : str
        Key.
    measure : callable
        Gives a row per data set.
    """

    paper: str
    measure: Callable[[], pd.DataFrame]

    @property
    def file(self) -> str:
        """Name of the file with the rows."""
        return f"{self.paper}-data-sets.csv"


def data_facts(names: Iterable[str]) -> pd.DataFrame:
    """Give sizes and mean margins of data sets.

    Parameters
    ----------
    names : iterable of str
        Data sets of distributions.

    Returns
    -------
    rows : DataFrame
        Columns dataset, samples, features, labels and mean margin.
    """
    keys = ("name", "n_samples", "n_features", "n_labels", "mean_margin")
    rows = [[facts[key] for key in keys] for facts in map(describe, names)]
    return pd.DataFrame(rows, columns=["dataset", *FACTS])


DATA_ROWS = [
    DataRows(paper, partial(data_facts, [x for x in printed if x not in _NOT_HERE]))
    for paper, printed in PRINTED.items()
]


def agreement(printed: dict[str, float], found: pd.Series | None) -> str:
    """Say whether a data set here has the printed facts.

    Parameters
    ----------
    printed : dict of str to float
        Facts of the paper.
    found : Series or None
        Facts of the files here; None if there are none.

    Returns
    -------
    words : str
        "yes", "not run here", or the facts that differ, sizes with their numbers.
    """
    if found is None:
        return "not run here"
    other = []
    for fact, value in printed.items():
        if fact == MARGIN and value not in _printed_as(found[fact]):
            other.append(fact)
        elif fact != MARGIN and found[fact] != value:
            other.append(f"{found[fact]:,.0f} {fact} here")
    return f"no: {', '.join(other)}" if other else "yes"


def _printed_as(margin: float) -> tuple[float, float]:
    """A margin with the digits that are printed, rounded and cut."""
    return round(margin, _DIGITS), np.floor(margin * 10**_DIGITS) / 10**_DIGITS
