"""NPZ and MAT files as tables: one array of features, one of labels."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from skldl._text import split_names
from skldl.datasets._dataset import numbered
from skldl.datasets.readers import read_mat, read_npz

ARRAY_READERS = {".npz": read_npz, ".mat": read_mat}
_X_NAMES = ("features", "feature", "X", "x", "fea", "data")
_D_NAMES = ("labels", "label", "D", "Y", "y", "target", "targets", "distribution",
            "distributions", "gnd")  # fmt: skip


def arrays_frame(
    path: Path, arrays: Sequence[str] = (), names: Sequence[str] = ()
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Features and labels of a file of arrays side by side, and which are labels.

    Parameters
    ----------
    path : Path
        A .npz or .mat file.
    arrays : sequence of str, default=()
        Names of the arrays of features and labels; empty for the usual names.
    names : sequence of str, default=()
        Names of the labels, if there are as many, and the file has none.

    Returns
    -------
    frame : DataFrame
    labels : tuple of str
    """
    content = ARRAY_READERS[path.suffix.lower()](path)
    matrices = {n: a for n, a in content.items() if a.dtype.kind in "fiub"}
    shapes = ", ".join(f"{n} {a.shape}" for n, a in content.items()) or "no arrays"
    wanted = [[name] for name in arrays] or [[*_X_NAMES], [*_D_NAMES]]
    found = [next((n for n in some if n in matrices), None) for some in wanted]
    if found[0] is None or (arrays and None in found):
        raise ValueError(
            f"{path.name} has {shapes}. Name those of the features and the labels, as "
            "in --arrays X,D (arrays=['X', 'D'])."
        )
    X = matrices[found[0]]
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(
            f"{path.name}: {found[0]} must have rows and columns, got shape {X.shape}."
        )
    features = _column_names(content, "feature", X.shape[1])
    frame = pd.DataFrame(X, columns=pd.Index(features))
    if len(found) < 2 or found[1] is None:
        return frame, ()
    target = _target_rows(matrices[found[1]], len(X), f"{path.name}: {found[1]}")
    labels = _column_names(content, "label", target.shape[1], names)
    degrees = pd.DataFrame(target, columns=pd.Index(labels))
    return pd.concat([frame, degrees], axis=1), labels


def _target_rows(target: Any, n_rows: int, what: str) -> Any:
    if target.ndim == 1 or target.shape == (1, n_rows):
        target = target.reshape(-1, 1)
    if target.ndim != 2 or len(target) != n_rows:
        raise ValueError(
            f"{what} has shape {target.shape}, but there are {n_rows} rows of features;"
            " both need one row per sample. Transpose the one that has "
            "samples as columns."
        )
    return target


def _column_names(
    content: dict[str, Any], what: str, count: int, given: Sequence[str] = ()
) -> tuple[str, ...]:
    """Names that the file or the user gives, else numbers."""
    stored = content.get(f"{what}_names")
    if stored is not None and stored.size == count and stored.dtype.kind == "U":
        return tuple(str(name).strip() for name in stored.ravel())
    for names in (list(given), [one for text in given for one in split_names(text)]):
        if len(names) == count:
            return tuple(names)
    return tuple(map(str, numbered(what, count)))
