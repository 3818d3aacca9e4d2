"""Many settings of a nearest-neighbour learner from one search of neighbours."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_array

from skldl._grids import check_grid
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.graphs import NeighborIndex, left_out_neighbors
from skldl.validation import check_distribution

Setting = dict[str, Any]

_FEW = 3  # numbers of neighbours; with so many left, nothing is missing
# what changes the neighbours themselves
_FIXED = ("engine", "metric", "n_jobs")


def neighbor_path(
    X: Any,
    D: FloatArray,
    X_test: Any,
    grid: Mapping[str, Sequence[Any]],
    base: Any,
) -> Iterator[tuple[Setting, FloatArray]]:
    """Predictions of every setting of a grid, for one training and one test part.

    One neighbour search among the training samples and one from the test samples serve
    all settings. Numbers of neighbours that the training part cannot give are left out,
    with a warning if fewer than three remain, unless it can give none.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Training samples.
    D : ndarray of shape (n_samples, n_labels)
        Their distributions.
    X_test : ndarray or CSR matrix of shape (n_test, n_features)
        Samples to predict.
    grid : dict of str to sequence
        Values of any parameters that leave the neighbours as they are.
    base : AAkNN, LWkNN or LDkNN
        All other settings.

    Yields
    ------
    params : dict
        One setting.
    P : ndarray of shape (n_test, n_labels)
        Its predictions.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LWkNN, neighbor_path
    >>> X, D = make_ldl(80, random_state=0)
    >>> path = neighbor_path(X, D, X[:5], {"n_neighbors": [1, 2]}, LWkNN())
    >>> [params["n_neighbors"] for params, _ in path]
    [1, 2]
    """
    X, X_test = (
        check_array(rows, accept_sparse="csr", dtype=(np.float64, np.float32))
        for rows in (X, X_test)
    )
    D = check_distribution(D)
    check_consistent_length(X, D)
    _check_axes(base, grid)
    check_grid(base, grid)
    settings = [dict(zip(grid, v, strict=True)) for v in product(*grid.values())]
    yield from neighbor_settings_path(X, D, X_test, settings, base)


def neighbor_settings_path(
    X: Any, D: FloatArray, X_test: Any, settings: Sequence[Setting], base: Any
) -> Iterator[tuple[Setting, FloatArray]]:
    """The same for any settings, of data that are known to be good."""
    models = [clone(base).set_params(**setting) for setting in settings]
    index = NeighborIndex(
        base.engine, metric=getattr(base, "metric", "euclidean"), n_jobs=base.n_jobs
    ).fit(X)
    wanted = _counts(models, index, D)
    base._check_enough(min(wanted), len(D))
    most = len(D) - int(base._learns_from_neighbors)
    largest = max(k for k in wanted if k <= most)
    if max(wanted) > most and len({k for k in wanted if k <= most}) < _FEW:
        warnings.warn(
            f"n_neighbors={max(wanted)} is left out: {len(D)} training samples can "
            f"give {most} neighbours.",
            UserWarning,
            stacklevel=caller_level(),
        )
    graph = index.graph(largest) if base._learns_from_neighbors else None
    queries = index.query(X_test, largest)
    for setting, model, k in zip(settings, models, wanted, strict=True):
        if k > largest:
            continue
        if graph is not None:
            model._learn(graph.truncate(k), D, X.dtype)
        yield setting, model._combine(queries.truncate(k), D)


def _counts(models: Sequence[Any], index: NeighborIndex, D: FloatArray) -> list[int]:
    """Numbers of neighbours; those that are to be chosen share a search."""
    if all(model.n_neighbors != "auto" for model in models):
        return [model.n_neighbors for model in models]
    left_out = left_out_neighbors(index)
    return [
        model._best_count(left_out, D)
        if model.n_neighbors == "auto"
        else model.n_neighbors
        for model in models
    ]


def path_axes(base: Any) -> tuple[str, ...]:
    """The parameters that leave the neighbours as they are."""
    return tuple(name for name in base.get_params() if name not in _FIXED)


def _check_axes(base: Any, grid: Mapping[str, Any]) -> None:
    known = path_axes(base)
    unknown = [name for name in grid if name not in known]
    if unknown:
        raise ValueError(
            f"The search over neighbours does not vary {unknown[0]!r} of "
            f"{type(base).__name__}; it varies {', '.join(known)}."
        )
