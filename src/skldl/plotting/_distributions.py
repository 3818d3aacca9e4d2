"""True against predicted distributions of single samples."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from skldl.validation import check_distribution_pair, label_names

_COLORS = {"true": "0.55", "predicted": "C0"}


def plot_distributions(
    D: Any,
    P: Any,
    *,
    samples: Sequence[int] | int = 3,
    labels: Sequence[Any] | None = None,
    axes: Axes | Sequence[Axes] | None = None,
) -> list[Axes]:
    """Paired bars of true and predicted degrees, the largest of each marked.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        True distributions.
    P : array-like of shape (n_samples, n_labels)
        Predicted distributions.
    samples : sequence of int or int, default=3
        Row numbers to show; a number n shows the first n.
    labels : sequence, default=None
        Label names; None takes the columns of D, or numbers.
    axes : Axes or sequence of Axes, default=None
        One per sample; None makes a figure.

    Returns
    -------
    axes : list of Axes
        Titles say whether the largest label was hit; a star is over the largest
        bar of each kind.

    Examples
    --------
    >>> from skldl.plotting import plot_distributions
    >>> axes = plot_distributions([[0.7, 0.3]], [[0.4, 0.6]], samples=[0])
    >>> axes[0].get_title()
    'sample 0: 0 taken for 1'
    """
    given = D
    D, P = check_distribution_pair(D, P)
    if labels is None:
        labels = list(label_names(given, D.shape[1]))
    rows = _check_rows(samples, len(D))
    names = [str(name) for name in labels]
    if len(names) != D.shape[1]:
        raise ValueError(f"labels has {len(names)} names for {D.shape[1]} labels.")
    if axes is None:
        width = 2.0 + 0.35 * len(names)
        _, grid = plt.subplots(
            1,
            len(rows),
            figsize=(width * len(rows), 3.0),
            squeeze=False,
            sharey=True,
            layout="constrained",
        )
        axes = list(grid[0])
    axes = [axes] if isinstance(axes, Axes) else list(axes)
    if len(axes) != len(rows):
        raise ValueError(f"axes has {len(axes)} entries for {len(rows)} samples.")
    for ax, row in zip(axes, rows, strict=True):
        _draw(ax, D[row], P[row], names)
        true, predicted = names[D[row].argmax()], names[P[row].argmax()]
        hit = true if true == predicted else f"{true} taken for {predicted}"
        ax.set_title(f"sample {row}: {hit}")
    axes[0].set_ylabel("degree")
    axes[0].legend()
    return axes


def _check_rows(samples: Sequence[int] | int, n_samples: int) -> list[int]:
    if isinstance(samples, int | np.integer):
        samples = range(min(int(samples), n_samples))
    fractions = [row for row in samples if row != int(row)]
    if fractions:
        raise ValueError(f"samples has {fractions[0]!r}, which is not a row number.")
    rows = [int(row) for row in samples]
    if not rows:
        raise ValueError("samples names no sample; give at least one row number.")
    wrong = [row for row in rows if not 0 <= row < n_samples]
    if wrong:
        raise ValueError(f"samples has row {wrong[0]}, but there are {n_samples} rows.")
    return rows


def _draw(ax: Axes, d: Any, p: Any, names: list[str]) -> None:
    places = np.arange(len(names))
    for shift, degrees, kind in ((-0.2, d, "true"), (0.2, p, "predicted")):
        ax.bar(places + shift, degrees, 0.4, color=_COLORS[kind], label=kind)
        top = int(degrees.argmax())
        ax.annotate(
            "★",
            (top + shift, degrees[top]),
            ha="center",
            va="bottom",
            color=_COLORS[kind],
        )
    ax.set_xticks(places, names, rotation=90 if max(map(len, names)) > 2 else 0)
    ax.margins(y=0.12)
