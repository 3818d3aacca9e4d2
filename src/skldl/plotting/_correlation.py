"""Heat map of how labels hang together."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from sklearn.utils.validation import check_array

_WRITTEN = 15  # labels up to which the numbers are written into the cells


def plot_label_correlation(
    F: Any,
    *,
    labels: Sequence[Any] | None = None,
    ax: Axes | None = None,
    cmap: str = "viridis",
) -> Axes:
    """Show a matrix of label correlations with the names of the labels.

    Parameters
    ----------
    F : array-like of shape (n_labels, n_labels)
        As from :func:`skldl.graphs.label_correlation`.
    labels : sequence, default=None
        Label names; None takes the columns of a DataFrame, or numbers.
    ax : Axes, default=None
        Where to draw; None makes a figure.
    cmap : str, default="viridis"
        Colours from 0 to the largest entry off the diagonal.

    Returns
    -------
    ax : Axes
        The diagonal, which is 1, is left blank.

    Examples
    --------
    >>> from skldl.graphs import label_correlation
    >>> from skldl.plotting import plot_label_correlation
    >>> F = label_correlation([[1, 1], [1, 0], [0, 0]])
    >>> plot_label_correlation(F, labels=["beach", "sea"]).get_xticklabels()[1]
    Text(1, 0, 'sea')
    """
    if labels is None and hasattr(F, "columns"):
        labels = list(F.columns)
    F = check_array(F, dtype=np.float64, input_name="F")
    if F.shape[0] != F.shape[1]:
        raise ValueError(f"F must be square, got the shape {F.shape}.")
    names = [str(n) for n in (range(len(F)) if labels is None else labels)]
    if len(names) != len(F):
        raise ValueError(f"labels has {len(names)} names for {len(F)} labels.")
    if ax is None:
        side = 2.5 + 0.35 * len(F)
        _, ax = plt.subplots(figsize=(side + 0.8, side), layout="constrained")
    shown = np.ma.masked_array(F, mask=np.eye(len(F), dtype=bool))
    top = float(shown.max()) if len(F) > 1 else 1.0
    image = ax.imshow(shown, cmap=cmap, vmin=0.0, vmax=top or 1.0)
    ax.set_xticks(range(len(F)), names, rotation=90)
    ax.set_yticks(range(len(F)), names)
    ax.figure.colorbar(image, ax=ax, label="normalised mutual information")
    if len(F) <= _WRITTEN:
        for row, column in np.argwhere(~np.eye(len(F), dtype=bool)):
            bright = F[row, column] > 0.6 * top
            ax.text(
                column,
                row,
                f"{F[row, column]:.2f}".removeprefix("0"),
                ha="center",
                va="center",
                fontsize="x-small",
                color="black" if bright else "white",
            )
    return ax
