"""Heat map of how labels are related."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from sklearn.utils.validation import check_array

from skldl._typing import FloatArray
from skldl.graphs import label_correlation
from skldl.validation import check_distribution, label_names

_WRITTEN = 15  # labels up to which the numbers are written into the cells
_TITLES = {
    "pearson": "Pearson correlation",
    "spearman": "Spearman rank correlation",
    "kendall": "Kendall rank correlation",
    "mutual_information": "normalised mutual information",
}
Method = Literal["pearson", "spearman", "kendall", "mutual_information"]


def plot_label_correlation(
    F: Any,
    *,
    method: Method | None = None,
    labels: Sequence[Any] | None = None,
    ax: Axes | None = None,
    cmap: str | None = None,
) -> Axes:
    """Show how labels are related, with their names.

    Parameters
    ----------
    F : array-like of shape (n_samples, n_labels) or (n_labels, n_labels)
        Distributions D or label sets Y, whose columns are compared; or a matrix that
        is ready, from ``np.corrcoef(D.T)``, ``D.corr()`` or
        :func:`skldl.graphs.label_correlation`. What is square, symmetric and has ones
        on the diagonal is such a matrix.
    method : {"pearson", "spearman", "kendall", "mutual_information"}, default=None
        How to compare the columns of D; None takes "pearson". Of a matrix it says what
        the entries are, for title and colours; None looks for entries below 0.
    labels : sequence, default=None
        Label names; None takes the columns of a DataFrame, or numbers.
    ax : Axes, default=None
        Where to draw; None makes a figure.
    cmap : str, default=None
        Colours; None takes "RdBu_r" from -1 to 1 for correlations, and "viridis" from
        0 to the largest entry off the diagonal for mutual information.

    Returns
    -------
    ax : Axes
        The diagonal, which is 1, is left blank, and so are labels that never vary.

    Notes
    -----
    Degrees of one sample sum to 1, so that a larger degree of one label takes from the
    others: correlations of D are negative on average, even if nothing else ties the
    labels.

    Examples
    --------
    >>> from skldl.graphs import label_correlation
    >>> from skldl.plotting import plot_label_correlation
    >>> F = label_correlation([[1, 1], [1, 0], [0, 0]])
    >>> plot_label_correlation(F, labels=["beach", "sea"]).get_xticklabels()[1]
    Text(1, 0, 'sea')
    """
    if method is not None and method not in _TITLES:
        raise ValueError(f"method must be one of {', '.join(_TITLES)}, got {method!r}.")
    names, F, method = _matrix(F, method, labels)
    title = "label correlation" if method is None else _TITLES[method]
    signed = method not in (None, "mutual_information")
    if method is None and np.nanmin(F) < 0:
        signed, title = True, "correlation"
    if ax is None:
        side = 2.5 + 0.35 * len(F)
        _, ax = plt.subplots(figsize=(side + 0.8, side), layout="constrained")
    shown = np.ma.masked_array(F, mask=np.eye(len(F), dtype=bool) | np.isnan(F))
    top = 1.0 if signed or shown.mask.all() else float(shown.max()) or 1.0
    ax.set_facecolor("0.9")  # blank is not 0, which may be white
    image = ax.imshow(
        shown,
        cmap=cmap or ("RdBu_r" if signed else "viridis"),
        vmin=-1.0 if signed else 0.0,
        vmax=top,
    )
    ax.set_xticks(range(len(F)), names, rotation=90)
    ax.set_yticks(range(len(F)), names)
    ax.figure.colorbar(image, ax=ax, label=title)
    if len(F) <= _WRITTEN:
        _write_numbers(ax, image, shown)
    return ax


def _matrix(
    F: Any, method: Method | None, labels: Sequence[Any] | None
) -> tuple[list[str], FloatArray, Method | None]:
    """Names of the labels, their matrix, and what its entries are, if that is known."""
    columns = check_array(
        F, dtype=np.float64, input_name="F", ensure_all_finite="allow-nan"
    )
    given = labels if labels is not None else label_names(F, columns.shape[1])
    names = [str(name) for name in given]
    if len(names) != columns.shape[1]:
        raise ValueError(
            f"labels has {len(names)} names for {columns.shape[1]} labels."
        )
    if _is_ready(columns):
        return names, columns, method
    try:
        degrees = _check_degrees(columns)
    except ValueError as error:
        raise ValueError(
            "F must be a symmetric matrix with ones on the diagonal, or distributions "
            f"or label sets: {error}"
        ) from None
    if len(columns) < 2:
        raise ValueError("F has one row, but correlations need at least two samples.")
    method = method or "pearson"
    if method == "mutual_information":
        return names, label_correlation(degrees), method
    return names, pd.DataFrame(degrees).corr(method=method).to_numpy(), method


def _check_degrees(F: FloatArray) -> FloatArray:
    """Label sets or distributions; a torn matrix is not taken for votes."""
    if np.isin(F, (0.0, 1.0)).all():
        return F
    return check_distribution(F, on_unnormalized="raise", name="F")


def _is_ready(F: FloatArray) -> bool:
    if F.shape[0] != F.shape[1]:
        return False
    diagonal = np.diagonal(F)
    ones = np.isclose(diagonal, 1.0) | np.isnan(diagonal)
    return bool(ones.all() and np.allclose(F, F.T, equal_nan=True))


def _write_numbers(ax: Axes, image: AxesImage, shown: Any) -> None:
    for row, column in np.argwhere(~np.ma.getmaskarray(shown)):
        value = round(float(shown[row, column]), 2) + 0.0  # not -0.00
        red, green, blue, _ = image.to_rgba(np.array([shown[row, column]]))[0]
        bright = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
        ax.text(
            column,
            row,
            f"{value:.2f}".replace("0.", ".", 1).replace("-", "\N{MINUS SIGN}"),
            ha="center",
            va="center",
            fontsize="x-small",
            color="black" if bright else "white",
        )
