"""Names of labels: where they come from, and whether they fit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def label_names(target: Any, n_labels: int) -> NDArray[Any]:
    """Names of the labels: the columns of a DataFrame, otherwise 0 .. m-1.

    Parameters
    ----------
    target : array-like or DataFrame of shape (n_samples, n_labels)
        The target as the user gave it.
    n_labels : int
        Its number of columns.

    Returns
    -------
    names : ndarray of shape (n_labels,)

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.validation import label_names
    >>> list(map(str, label_names(pd.DataFrame({"joy": [1.0], "fear": [0.0]}), 2)))
    ['joy', 'fear']
    """
    columns = getattr(target, "columns", None)
    if columns is None:
        return np.arange(n_labels)
    if getattr(columns, "nlevels", 1) > 1:
        raise ValueError(
            "The target's columns have several levels; join them to one name per label."
        )
    names = np.asarray(columns)
    if all(isinstance(name, str) for name in names):
        names = names.astype(str)
    unique, counts = np.unique(names.astype(str), return_counts=True)
    if (counts > 1).any():
        raise ValueError(
            f"Label names must be unique, but column {str(unique[counts > 1][0])!r} of "
            "the target appears more than once. Rename or merge the columns."
        )
    return names


def check_label_names(target: Any, classes: NDArray[Any]) -> None:
    """Refuse a DataFrame target whose columns are not the fitted labels in order.

    Parameters
    ----------
    target : array-like or DataFrame
        The target as the user gave it; anything but a DataFrame passes.
    classes : ndarray of shape (n_labels,)
        Label names seen in ``fit``.
    """
    columns = getattr(target, "columns", None)
    if columns is None or list(map(str, columns)) == list(map(str, classes)):
        return
    numbered = np.array_equal(classes, np.arange(len(classes)))
    if numbered and set(columns) != set(classes) and len(columns) == len(classes):
        return  # fitted without names: nothing to compare
    raise ValueError(
        f"The target's columns {list(columns)} are not the labels seen in fit, "
        f"{[str(c) for c in classes]}. Select and order the columns as in fit."
    )
