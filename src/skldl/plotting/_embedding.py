"""Scatter plots whose colours show label distributions."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from skldl._typing import FloatArray
from skldl.validation import check_distribution

#: Colour of samples whose labels are nearly even.
NEUTRAL_COLOR = (0.1, 0.1, 0.1)


def label_colors(D: Any, *, neutral: float = 0.05, cmap: str = "tab10") -> FloatArray:
    """Colours of distributions: mixed for three labels, else the largest label's.

    Three degrees are red, green and blue, stretched together so that the smallest
    degree of all is 0 and the largest 1.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        Distributions.
    neutral : float, default=0.05
        With other than three labels, samples whose largest degree exceeds the uniform
        share by less than this are dark.
    cmap : str, default="tab10"
        Colours of the labels; a longer palette is taken when there are more labels.

    Returns
    -------
    colors : ndarray of shape (n_samples, 3)
        Red, green and blue in [0, 1].

    Examples
    --------
    >>> from skldl.plotting import label_colors
    >>> label_colors([[0.6, 0.2, 0.2], [0.2, 0.4, 0.4]])
    array([[1. , 0. , 0. ],
           [0. , 0.5, 0.5]])
    """
    D = check_distribution(D)
    if D.shape[1] == 3:
        low, high = D.min(), D.max()  # one stretch for all: mixtures stay mixtures
        return (D - low) / ((high - low) or 1.0)
    colors = palette(D.shape[1], cmap)[D.argmax(axis=1)]
    colors[D.max(axis=1) - 1.0 / D.shape[1] < neutral] = NEUTRAL_COLOR
    return colors


def palette(n_labels: int, cmap: str = "tab10") -> FloatArray:
    """One colour per label."""
    chosen = mpl.colormaps[cmap]
    if n_labels > chosen.N:
        return mpl.colormaps["hsv"](np.linspace(0, 1, n_labels, endpoint=False))[:, :3]
    return chosen(np.arange(n_labels))[:, :3]


def plot_embedding(
    Z: Any,
    D: Any,
    *,
    ax: Axes | None = None,
    label_names: Sequence[str] | None = None,
    neutral: float = 0.05,
    cmap: str = "tab10",
    title: str = "",
    **scatter: Any,
) -> Axes:
    """Draw the first two coordinates of an embedding, coloured by distributions.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        Embedding; a single coordinate is drawn against the sample number.
    D : array-like or DataFrame of shape (n_samples, n_labels)
        Distributions. Three labels mix red, green and blue; otherwise the largest label
        gives the colour, and samples near the uniform distribution are dark; the
        legend calls these "(flat)", in more brackets if a label has that name.
    ax : Axes, default=None
        Where to draw; None makes a figure.
    label_names : sequence of str, default=None
        Names for the legend; None takes the columns of a DataFrame, or numbers.
    neutral : float, default=0.05
        See :func:`label_colors`.
    cmap : str, default="tab10"
        Colours of the labels.
    title : str, default=""
        Title.
    **scatter : optional
        For ``Axes.scatter``.

    Returns
    -------
    ax : Axes

    Examples
    --------
    >>> from skldl.datasets import make_toy_ldl
    >>> from skldl.plotting import plot_embedding
    >>> from skldl.projection import MSLP
    >>> X, D = make_toy_ldl(200, random_state=0)
    >>> ax = plot_embedding(MSLP(2).fit_transform(X, D), D)
    >>> len(ax.collections[0].get_offsets())
    200
    """
    if label_names is None:
        label_names = [str(name) for name in getattr(D, "columns", [])] or None
    Z, D = np.asarray(Z, dtype=np.float64), check_distribution(D)
    if Z.ndim != 2 or len(Z) != len(D):
        raise ValueError(
            f"Z has shape {Z.shape} and D {D.shape}; both need one row per sample."
        )
    if ax is None:
        ax = plt.subplots(layout="constrained")[1]
    x, y = (Z[:, 0], Z[:, 1]) if Z.shape[1] > 1 else (np.arange(len(Z)), Z[:, 0])
    colors = label_colors(D, neutral=neutral, cmap=cmap)
    ax.scatter(x, y, c=colors, **{"s": 12, "linewidths": 0, **scatter})
    ax.set(title=title, xticks=[], yticks=[])
    names = range(D.shape[1]) if label_names is None else label_names
    _legend(ax, [str(name) for name in names], D, neutral, cmap)
    return ax


def _legend(
    ax: Axes, names: list[str], D: FloatArray, neutral: float, cmap: str
) -> None:
    three = len(names) == 3
    shown = np.eye(3) if three else palette(len(names), cmap)
    entries = list(zip(names, shown, strict=True))
    if not three and (D.max(axis=1) - 1 / len(names) < neutral).any():
        entries.append((_unlike(names), np.array(NEUTRAL_COLOR)))
    handles = [
        ax.scatter([], [], color=[tuple(color)], s=25, label=name)
        for name, color in entries
    ]
    ax.legend(handles=handles, fontsize="small", loc="best", framealpha=0.8)


def _unlike(names: list[str]) -> str:
    """A word for near-uniform samples that is not the name of a label."""
    word = "(flat)"
    while word in names:
        word = f"({word})"
    return word
