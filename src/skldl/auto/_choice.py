"""The pool of the candidates, and an honest estimate of its error."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skldl._typing import FloatArray
from skldl.ldl import Pool, fit_pool
from skldl.metrics import get_metric

#: Ways of pooling that are compared: settings of ``fit_pool``, or None for the single
#: candidate that is best.
WAYS: dict[str, dict[str, Any] | None] = {
    "single": None,
    "linear": {"pool": "linear"},
    "log": {"pool": "log"},
    "log with biases": {"pool": "log", "fit_bias": True},
}
_SINGLE = "single"
_MEMBERS = 8  # candidates that a pool begins with
_FEW_ROWS = 500  # below which weights are shrunk to equal ones
_SMALL_WEIGHT = 0.02  # candidates with less leave the pool
_ROWS = 4000  # on which weights are searched, for metrics other than the divergence


@dataclass(frozen=True, eq=False)
class Choice:
    """A pool of candidates.

    Attributes
    ----------
    way : str
        How it was made, one of ``WAYS``.
    kind : {"linear", "log"}
        How predictions are pooled.
    weights : dict of str to float
        Weights of its members by name.
    bias : ndarray of shape (n_labels,) or None
        Of a log-linear pool.
    """

    way: str
    kind: str
    weights: dict[str, float]
    bias: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Estimate:
    """Pools that each predict a fold which did not choose their members or weights.

    Attributes
    ----------
    way : str
        The way that is taken for the model.
    losses : dict of str to ndarray of shape (n_samples,)
        What each way reaches.
    folds : list of ndarray of int
        Numbers of samples, each in one fold.
    pools : list of (members, Pool)
        For each fold the pool of the other folds, in the way that is best there, and
        the numbers of the candidates in it.
    """

    way: str
    losses: dict[str, FloatArray]
    folds: list[NDArray[np.intp]]
    pools: list[tuple[NDArray[np.intp], Pool]]

    @property
    def members(self) -> NDArray[np.intp]:
        """Numbers of the candidates that are in some pool."""
        return np.unique(np.concatenate([members for members, _ in self.pools]))

    def predict(self, predictions: FloatArray) -> FloatArray:
        """Pool predictions of the candidates, each fold by its own pool.

        Parameters
        ----------
        predictions : ndarray of shape (n_candidates, n_samples, n_labels)
            Only those of ``members`` are used.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
        """
        P = np.empty(predictions.shape[1:])
        for fold, (members, pool) in zip(self.folds, self.pools, strict=True):
            P[fold] = pool.combine(predictions[members][:, fold])
        return P


def sample_losses(metric: str, D: FloatArray, P: FloatArray) -> FloatArray:
    """One loss per sample; less is better, whatever the metric."""
    found = get_metric(metric)
    values = found.fn(D, P, average=None)
    return -values if found.greater_is_better else values


def choose(
    way: str,
    predictions: FloatArray,
    D: FloatArray,
    weight: FloatArray,
    metric: str,
    names: Sequence[str],
) -> Choice:
    """Pool candidates in one way.

    Parameters
    ----------
    way : str
        One of ``WAYS``.
    predictions : ndarray of shape (n_candidates, n_samples, n_labels)
        For samples that the candidates were not fitted on.
    D : ndarray of shape (n_samples, n_labels)
        True distributions.
    weight : ndarray of shape (n_samples,)
        Weights of the samples.
    metric : str
        What to make best.
    names : sequence of str
        Names of the candidates.

    Returns
    -------
    choice : Choice
    """
    members, pool = _members_and_pool(way, predictions, D, weight, metric)
    weights = {names[i]: float(w) for i, w in zip(members, pool.weights, strict=True)}
    return Choice(way, pool.kind, weights, pool.bias)


def _members_and_pool(
    way: str, predictions: FloatArray, D: FloatArray, weight: FloatArray, metric: str
) -> tuple[NDArray[np.intp], Pool]:
    """Numbers of the candidates in the pool, and the pool."""
    means = [
        np.average(sample_losses(metric, D, P), weights=weight) for P in predictions
    ]
    best = np.argsort(means, kind="stable")
    settings = WAYS[way]
    if settings is None or len(best) == 1:
        return best[:1], Pool("linear", np.ones(1), None, 0.0, float(np.min(means)))
    members = np.sort(best[:_MEMBERS])
    if metric != "kl_divergence" and len(D) > _ROWS:
        rows = np.linspace(0, len(D) - 1, _ROWS).astype(int)
        predictions, D, weight = predictions[:, rows], D[rows], weight[rows]
    pool = _fitted(settings, predictions[members], D, weight, metric)
    kept = pool.weights >= _SMALL_WEIGHT * pool.weights.sum()
    if not kept.all():
        members = members[kept]
        pool = _fitted(settings, predictions[members], D, weight, metric)
    return members, pool


def _fitted(
    settings: dict[str, Any],
    predictions: FloatArray,
    D: FloatArray,
    weight: FloatArray,
    metric: str,
) -> Pool:
    shrinkage = "auto" if len(D) < _FEW_ROWS else 0.0
    return fit_pool(
        predictions,
        D,
        metric=metric,
        sample_weight=weight,
        shrinkage=shrinkage,
        **settings,
    )


def estimate(
    predictions: FloatArray,
    D: FloatArray,
    weight: FloatArray,
    metric: str,
    folds: list[NDArray[np.intp]],
    ways: list[str],
) -> Estimate:
    """Make every way on all folds but one, judge it on that one, and take one of them.

    The best way is taken if it is better than the single candidate by more than one
    standard error of the difference, otherwise the single candidate. A fold is
    predicted in the way that the losses of the other folds take.

    Parameters
    ----------
    predictions, D, weight, metric
        As in :func:`choose`.
    folds : list of ndarray of int
        Numbers of samples, each in one fold.
    ways : list of str
        Ways to compare, of ``WAYS``.

    Returns
    -------
    estimate : Estimate
    """
    losses = {way: np.empty(len(D)) for way in ways}
    made = []
    for fold in folds:
        rest = np.delete(np.arange(len(D)), fold)
        known = predictions[:, rest], D[rest], weight[rest], metric
        made.append({way: _members_and_pool(way, *known) for way in ways})
        for way, (members, pool) in made[-1].items():
            P = pool.combine(predictions[members][:, fold])
            losses[way][fold] = sample_losses(metric, D[fold], P)
    pools = []
    for fold, found in zip(folds, made, strict=True):
        rest = np.delete(np.arange(len(D)), fold)
        others = {way: values[rest] for way, values in losses.items()}
        pools.append(found[_taken_way(others, weight[rest])])
    return Estimate(_taken_way(losses, weight), losses, folds, pools)


def _taken_way(losses: dict[str, FloatArray], weight: FloatArray) -> str:
    """The best way, or the single candidate if that is as good within noise."""
    best = min(losses, key=lambda way: np.average(losses[way], weights=weight))
    if best == _SINGLE or _SINGLE not in losses:
        return best
    gain, error = mean_and_error(losses[_SINGLE] - losses[best], weight)
    return best if gain > error else _SINGLE


def mean_and_error(values: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Weighted mean of values, and its standard error.

    Parameters
    ----------
    values, weight : ndarray of shape (n_samples,)
        Values and weights of the samples.

    Returns
    -------
    mean, error : float
    """
    mean = float(np.average(values, weights=weight))
    share = weight / weight.sum()
    spread = np.sqrt((share**2 * (values - mean) ** 2).sum())
    count = 1 / (share**2).sum()
    return mean, float(spread * np.sqrt(count / max(count - 1, 1)))
