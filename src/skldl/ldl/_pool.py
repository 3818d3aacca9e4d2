"""Pools of distributions: several predictions become one.

Nothing here knows an estimator; predictions come in an array of shape (n_members,
n_samples, n_labels).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.utils import check_array

from skldl._sklearn import check_sample_weight
from skldl._typing import FloatArray
from skldl.ldl._pool_search import descend, divergence_weights, log_weights, search
from skldl.ldl._pool_task import Task, largest_labels, logs
from skldl.metrics import get_metric
from skldl.validation import check_distribution

#: Ways of pooling.
POOLS = ("linear", "log")
_KINDS = ("distribution", "classification")


@dataclass(frozen=True)
class Pool:
    """Weights of a pool, and what they reach.

    Attributes
    ----------
    kind : {"linear", "log"}
        How predictions are pooled.
    weights : ndarray of shape (n_members,)
        One weight per member, none negative. Their sum is 1, except for a log-linear
        pool with a temperature.
    bias : ndarray of shape (n_labels,) or None
        What a log-linear pool adds to the logarithms; None for nothing.
    shrinkage : float
        How far the weights were moved to equal ones, from 0 to 1.
    value : float
        The metric on the data of the fit.
    """

    kind: str
    weights: FloatArray
    bias: FloatArray | None
    shrinkage: float
    value: float

    def combine(self, predictions: Any) -> FloatArray:
        """Pool predictions of the same members.

        Parameters
        ----------
        predictions : array-like of shape (n_members, n_samples, n_labels)
            Distributions of the members.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
        """
        return combine(predictions, self.weights, pool=self.kind, bias=self.bias)


def combine(
    predictions: Any, weights: Any, *, pool: str = "linear", bias: Any = None
) -> FloatArray:
    r"""Pool distributions with given weights.

    The linear pool is :math:`\sum_j w_j p_j`, the log-linear pool
    :math:`\mathrm{softmax}(\sum_j w_j \ln p_j + b)`, in which degrees below 1e-6 count
    as 1e-6.

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_samples, n_labels)
        Distributions of the members.
    weights : array-like of shape (n_members,)
        One weight per member, none negative. The linear pool divides them by their
        sum.
    pool : {"linear", "log"}, default="linear"
        How to pool.
    bias : array-like of shape (n_labels,), default=None
        b of the log-linear pool.

    Returns
    -------
    P : ndarray of shape (n_samples, n_labels)
        Rows on the simplex.

    Examples
    --------
    >>> from skldl.ldl import combine
    >>> combine([[[0.9, 0.1]], [[0.1, 0.9]]], [0.75, 0.25])
    array([[0.7, 0.3]])
    >>> combine([[[0.9, 0.1]], [[0.1, 0.9]]], [0.5, 0.5], pool="log")
    array([[0.5, 0.5]])
    """
    predictions, weights = (
        np.asarray(predictions, dtype=np.float64),
        np.asarray(weights),
    )
    check_pool(pool)
    if predictions.ndim != 3 or weights.shape != predictions.shape[:1]:
        raise ValueError(
            f"predictions has shape {predictions.shape} and weights {weights.shape}; "
            "give predictions of shape (n_members, n_samples, n_labels) and one weight "
            "per member."
        )
    if (weights < 0).any() or not np.isfinite(weights).all():
        raise ValueError("weights must be finite and not negative.")
    if pool == "log":
        scores = np.tensordot(weights, logs(predictions), 1)
        return softmax(scores if bias is None else scores + bias, axis=1)
    if weights.sum() <= 0:
        raise ValueError("weights of a linear pool must have a positive sum.")
    P = np.tensordot(weights / weights.sum(), predictions, 1)
    return P / P.sum(axis=1, keepdims=True)


def fit_pool(
    predictions: Any,
    D: Any,
    *,
    metric: str = "kl_divergence",
    pool: str = "linear",
    sample_weight: Any = None,
    shrinkage: float | str = "auto",
    fit_temperature: bool = True,
    fit_bias: bool = False,
) -> Pool:
    r"""Choose the weights of a pool by predictions on samples that members did not see.

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_samples, n_labels)
        Distributions of the members, for samples that they were not fitted on.
    D : array-like of shape (n_samples, n_labels)
        True distributions.
    metric : str, default="kl_divergence"
        What to make best: any metric of distributions or of their largest label.
    pool : {"linear", "log"}, default="linear"
        See :func:`combine`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples; a weight of 2 counts as two equal samples.
    shrinkage : float or "auto", default="auto"
        Share :math:`\lambda` of equal weights in the weights, from 0 to 1: the best
        weights :math:`\hat w` become :math:`(1 - \lambda) \hat w + \lambda / m`.
        ``"auto"`` takes :math:`1 / (1 + t^2)`, where t is the mean improvement of
        :math:`\hat w` over equal weights divided by its standard error over the
        samples. So equal weights remain where few samples cannot tell.
    fit_temperature : bool, default=True
        Whether the weights of a log-linear pool may have any sum, which makes
        distributions sharper or flatter; else their sum is 1.
    fit_bias : bool, default=False
        Whether a log-linear pool has one bias per label. The sum of the samples'
        losses plus :math:`\lVert b \rVert^2 / 2` decides on them, together with the
        weights; for metrics that jump, such as the zero-one loss, that of divergences.

    Returns
    -------
    pool : Pool
        With ``weights``, ``bias``, ``shrinkage``, ``value`` (the metric on these data)
        and ``combine(predictions)``, which pools predictions of the same members.

    Notes
    -----
    For the Kullback-Leibler divergence both pools are convex problems, and the weights
    are the optimum. For other metrics the best of that optimum, of equal weights and of
    the single members is where a descent along the slopes begins; for metrics that jump
    a search moves weight from member to member instead. For the zero-one loss it may
    also begin at the pool that predicts the largest labels with the least divergence.
    So with ``shrinkage=0`` the pool is never worse than its best member on the data of
    the fit. Members with equal predictions share their weight.

    References
    ----------
    .. [1] D. H. Wolpert, "Stacked Generalization", Neural Networks 5(2), 1992.
    .. [2] L. Breiman, "Stacked Regressions", Machine Learning 24(1), 1996.
    .. [3] C. Genest and J. V. Zidek, "Combining Probability Distributions: A Critique
       and an Annotated Bibliography", Statistical Science 1(1), 1986.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.ldl import fit_pool
    >>> D = np.array([[0.6, 0.4], [0.3, 0.7]])
    >>> members = np.stack([D[::-1], D])  # the second one is right
    >>> fit_pool(members, D, shrinkage=0).weights.round(3)
    array([0., 1.])
    """
    predictions, D, sample_weight = _checked(predictions, D, sample_weight)
    check_pool(pool)
    check_pool_metric(metric)
    if shrinkage != "auto" and not (
        isinstance(shrinkage, (int, float)) and 0 <= shrinkage <= 1
    ):
        raise ValueError(f"shrinkage must be 'auto' or from 0 to 1, got {shrinkage!r}.")
    free = pool == "log" and fit_temperature
    task = Task(predictions, D, sample_weight, metric, pool)
    distinct, groups = _distinct(predictions)
    single = Task(predictions[distinct], D, sample_weight, metric, pool)
    weights, bias = _best(single, free, fit_bias and pool == "log")
    weights = _share(weights, groups)
    auto = shrinkage == "auto"
    share = task.shrinkage(weights, bias) if auto else float(shrinkage)
    weights = (1 - share) * weights + share / len(weights)
    bias = None if bias is None else (1 - share) * bias
    value = task.value(weights, bias)
    value = -value if get_metric(metric).greater_is_better else value
    return Pool(pool, weights, bias, share, value)


def _best(
    task: Task, free: bool, fit_bias: bool
) -> tuple[FloatArray, FloatArray | None]:
    """The best weights and biases for members that differ."""
    found, bias = _of_least_divergence(task, task.D, free, fit_bias)
    if task.metric == "kl_divergence":
        return found, bias
    m = len(found)
    equal = np.full(m, 1 / m)
    zero = None if bias is None else np.zeros_like(bias)
    starts = [(equal, zero), *((unit, zero) for unit in np.eye(m)), (found, bias)]
    if task.metric == "zero_one_loss":
        labels = largest_labels(task.D)
        starts.append(_of_least_divergence(task, labels, free, fit_bias))
    values = [task.value(*start) for start in starts]
    weights, bias = starts[int(np.argmin(values))]
    if not task.is_smooth:
        return search(lambda w: task.value(w, bias), weights, free_sum=free), bias
    end = descend(task, weights, bias, free_sum=free)
    return end if task.value(*end) <= min(values) else (weights, bias)


def _of_least_divergence(
    task: Task, D: FloatArray, free: bool, fit_bias: bool
) -> tuple[FloatArray, FloatArray | None]:
    """Weights and biases of least divergence from some distributions."""
    if task.pool == "linear":
        return divergence_weights(task.predictions, D, task.shares), None
    found, shift = log_weights(
        task.members,
        D,
        task.shares,
        fit_temperature=free,
        bias_reg=1 / task.sample_weight.sum() if fit_bias else None,
    )
    return found, shift if fit_bias else None


def _distinct(predictions: FloatArray) -> tuple[list[int], list[list[int]]]:
    """First of each group of equal members, and the groups."""
    groups: list[list[int]] = []
    for j, P in enumerate(predictions):
        for group in groups:
            if np.array_equal(P, predictions[group[0]]):
                group.append(j)
                break
        else:
            groups.append([j])
    return [group[0] for group in groups], groups


def _share(weights: FloatArray, groups: list[list[int]]) -> FloatArray:
    shared = np.zeros(sum(map(len, groups)))
    for weight, group in zip(weights, groups, strict=True):
        shared[group] = weight / len(group)
    return shared


def check_pool(pool: str) -> None:
    """Refuse an unknown way of pooling."""
    if pool not in POOLS:
        raise ValueError(f"pool must be 'linear' or 'log', got {pool!r}.")


def check_pool_metric(metric: str) -> None:
    """Refuse metrics that do not judge distributions."""
    if get_metric(metric).kind not in _KINDS:
        raise ValueError(
            f"metric={metric!r} is not a metric of predicted distributions; use one "
            "that is, such as 'kl_divergence'."
        )


def _checked(
    predictions: Any, D: Any, sample_weight: Any
) -> tuple[FloatArray, FloatArray, FloatArray]:
    D = check_distribution(D)
    predictions = check_array(
        predictions, allow_nd=True, dtype=np.float64, input_name="predictions"
    )
    if predictions.ndim != 3 or predictions.shape[1:] != D.shape:
        raise ValueError(
            f"predictions has shape {predictions.shape}, but D has {D.shape}; give one "
            "matrix like D per member, in an array of shape (n_members, *D.shape)."
        )
    rows = predictions.reshape(-1, D.shape[1])
    check_distribution(rows, on_unnormalized="raise", name="predictions")
    weights = check_sample_weight(
        sample_weight, D, dtype=np.float64, ensure_non_negative=True
    )
    if weights.sum() <= 0:
        raise ValueError(
            "sample_weight must have a positive sum: all weights are zero."
        )
    return predictions, D, weights
