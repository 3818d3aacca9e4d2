"""Many settings of LSE-LDL, each solution starting the next."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from skldl._progress import report
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.ldl._lse_start import spectral_start, with_ones
from skldl.objectives import LSEPoint
from skldl.solvers import LSEProducts, lse_alternate

#: The weights of the objective.
WEIGHTS = ("encoding_weight", "sparsity_weight", "smoothness_weight", "reg")
_COUNT = "n_selected_features"
#: What the path varies.
AXES = (*WEIGHTS, _COUNT)
Weights = tuple[float, ...]


def lse_path(
    X: FloatArray,
    D: FloatArray,
    X_test: FloatArray,
    settings: Sequence[Mapping[str, Any]],
    base: Any,
    *,
    n_selected_features: Sequence[int | float | None] = (None,),
) -> Iterator[tuple[dict[str, Any], FloatArray]]:
    """Predictions of many settings, for one training and one test part.

    The label graph, the products of the features and the first start are made once. A
    setting starts from the solution of the setting nearest to it among those that
    came before, unless the first start has a lower objective. Numbers of selected
    features cost a product each.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Training samples.
    D : ndarray of shape (n_samples, n_labels)
        Their distributions.
    X_test : ndarray of shape (n_test, n_features)
        Samples to predict.
    settings : sequence of dict
        Values of encoding_weight, sparsity_weight, smoothness_weight and reg; what is
        missing is taken from ``base``.
    base : LSELDL
        All other settings; its ``solver`` is not looked at.
    n_selected_features : sequence of int, float or None, default=(None,)
        Numbers or shares of features to predict from.

    Yields
    ------
    params : dict
        One setting.
    P : ndarray of shape (n_test, n_labels)
        Its predictions.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LSELDL, lse_path
    >>> X, D = make_ldl(80, random_state=0)
    >>> path = lse_path(X, D, X[:5], [{"reg": 0.1}, {"reg": 1.0}], LSELDL())
    >>> [params["reg"] for params, _ in path]
    [0.1, 1.0]
    """
    for model in _solutions(X, D, settings, base):
        weights = {name: float(getattr(model, name)) for name in WEIGHTS}
        predictions = model.predict_path(X_test, n_selected_features)
        for count, P in zip(n_selected_features, predictions, strict=True):
            yield {**weights, _COUNT: count}, P


def lse_settings_path(
    X: FloatArray,
    D: FloatArray,
    X_test: FloatArray,
    settings: Sequence[dict[str, Any]],
    base: Any,
) -> Iterator[tuple[dict[str, Any], FloatArray]]:
    """The same for any settings, those of equal weights from one solution."""
    groups: dict[tuple, list[dict[str, Any]]] = {}
    for setting in settings:
        key = tuple(setting.get(name) for name in WEIGHTS)
        groups.setdefault(key, []).append(setting)
    firsts = [group[0] for group in groups.values()]
    for group, model in zip(
        groups.values(), _solutions(X, D, firsts, base), strict=True
    ):
        counts = [setting.get(_COUNT, base.n_selected_features) for setting in group]
        yield from zip(group, model.predict_path(X_test, counts), strict=True)


def _solutions(
    X: FloatArray, D: FloatArray, settings: Sequence[Mapping[str, Any]], base: Any
) -> Iterator[Any]:
    """A fitted model for each setting of the weights."""
    wide = with_ones(X, base.fit_intercept)
    graph = base._graph(D)
    first = spectral_start(wide, D, base._size(D))
    products: LSEProducts | None = None
    solved: dict[Weights, LSEPoint] = {}
    for setting in settings:
        model = clone(base).set_params(**setting)
        weights = tuple(float(getattr(model, name)) for name in WEIGHTS)
        objective = model._objective(wide, D, graph)
        products = products or LSEProducts(objective)
        starts = [first, *_nearest(solved, weights)]
        start = min(starts, key=objective.value)
        solution = lse_alternate(
            objective, start, max_iter=base.max_iter, tol=base.tol, products=products
        )
        report("LSELDL: path", len(solved) + 1, len(settings), objective=solution.value)
        if not solution.converged:
            warnings.warn(
                f"LSELDL stopped after {solution.n_iter} iterations with a gradient of "
                f"{solution.residual:.2g} (tol={base.tol:g}) on the path.",
                ConvergenceWarning,
                stacklevel=caller_level(),
            )
        solved[weights] = solution.x
        model.n_features_in_ = X.shape[1]
        model._store_solution(objective, solution)
        yield model


def _nearest(solved: dict[Weights, LSEPoint], weights: Weights) -> list[LSEPoint]:
    """The solution whose weights differ by the fewest decades, if there is any."""

    def decades(other: Weights) -> float:
        return float(
            np.abs(
                np.log10(np.add(other, 1e-6)) - np.log10(np.add(weights, 1e-6))
            ).sum()
        )

    return [solved[min(solved, key=decades)]] if solved else []
