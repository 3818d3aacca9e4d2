"""Figures of MSLP: points in the plane, the share u, hetero-neighbours."""

import pandas as pd
from matplotlib.figure import Figure

from skldl.reproduce.figures import _mslp_rows as rows_of
from skldl.reproduce.figures._drawing import Drawing
from skldl.reproduce.figures._panels import curves, draw_bars, draw_points
from skldl.reproduce.figures._splits import mean_and_error


def paired_differences(rows: pd.DataFrame) -> pd.DataFrame:
    """Give KL with less KL without hetero-neighbours, in per cent, by data set.

    Parameters
    ----------
    rows : DataFrame
        Columns dataset, method ("with" or "without"), split and value.

    Returns
    -------
    table : DataFrame
        Columns dataset, mean and error, in per cent of the mean without.
    """
    lines = []
    for dataset, part in rows.groupby("dataset", sort=False):
        wide = part.pivot(index="split", columns="method", values="value")
        change = 100 * (wide["with"] - wide["without"]) / wide["without"].mean()
        lines.append((dataset, *mean_and_error(change)))
    return pd.DataFrame(lines, columns=["dataset", "mean", "error"])


def _draw_hetero(rows: pd.DataFrame) -> Figure:
    table = paired_differences(rows)
    bars = pd.DataFrame(
        {
            "panel": "KL divergence with hetero-neighbours, against without",
            "group": table["dataset"],
            "series": "change",
            "y": table["mean"],
            "error": table["error"],
        }
    )
    drawing = draw_bars(bars, ylabel="change in %")
    drawing.axes[0].axhline(0, color="0.5", linewidth=0.8)
    return drawing


def _draw_locality(rows: pd.DataFrame) -> Figure:
    bars = pd.DataFrame(
        {
            "panel": "Labels of neighbours in the plane",
            "group": rows["dataset"],
            "series": rows["method"],
            "y": rows["share"],
            "error": float("nan"),
        }
    )
    return draw_bars(bars, ylabel="distance, share of chance")


DRAWINGS = [
    Drawing(
        "mslp", "toy", rows_of.toy_points, draw_points,
        "Figs 5 and 6: the toy set of 3,000 points in two dimensions, below with noise "
        "of variance 0.1; colours mix the three degrees. LPP as printed does not "
        "centre the features, and mixes the colours as in the paper; our LPP centres "
        "them by default, and then keeps the colours as well as MSLP does.",
        "png", keep_rows=False,
    ),
    Drawing(
        "mslp", "sjaffe", rows_of.sjaffe_points, draw_points,
        "Fig. 7: the 213 faces of SJAFFE in two dimensions, for the samples that were "
        "fitted. The strongest emotion gives the colour; faces whose distribution is "
        "nearly uniform are black; a few far points are outside of the frames. The "
        "file does not name the emotions: they are in the order of the paper. MSLP "
        "has no ridge, a value of the paper's grid: with the others two dimensions "
        "show no emotions.",
        keep_rows=False,
    ),
    Drawing(
        "mslp", "locality", rows_of.label_locality, _draw_locality,
        "The same pictures in numbers: the mean absolute difference between a sample's "
        "distribution and the mean of its ten neighbours in the plane, as a share of "
        "the difference from the mean of all samples (1 is chance).",
    ),
    Drawing(
        "mslp", "shares", rows_of.dimension_shares,
        curves("share u of the dimensions", "KL divergence"),
        "The effect of u: KL divergence of MSLP and of its linear peers, ten folds on "
        "SJAFFE and five elsewhere, bars are standard errors. All other settings are "
        "fixed: ten label neighbours, alpha 10, beta 0.5, lambda 0.01, five neighbours "
        "of LPP and NPE. Shares above the rank of the features are cut to it.",
    ),
    Drawing(
        "mslp", "hetero", rows_of.hetero_neighbors, _draw_hetero,
        "Hetero-neighbours switched on (beta 0.5) against off: the change of the KL "
        "divergence over ten paired folds, with its standard error; the rest as in "
        "the figure above.",
    ),
]  # fmt: skip
