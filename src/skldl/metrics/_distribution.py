"""Distances and similarities between true and predicted distributions.

Each kernel takes the true distributions D and the predicted ones P, both of
shape (n_samples, n_labels), and gives one value per sample.
"""

import numpy as np
from scipy.special import rel_entr
from scipy.stats import rankdata

from skldl._typing import FloatArray
from skldl.metrics._wrap import guarded_metric, metric

_CHUNK = 1 << 22  # floats held at once by the pairwise rank comparison


@metric
def chebyshev(D: FloatArray, P: FloatArray) -> FloatArray:
    r"""Largest absolute difference, :math:`\max_j |d_j - p_j|`; ideal 0.

    Examples
    --------
    >>> from skldl.metrics import chebyshev
    >>> round(chebyshev([[0.5, 0.5, 0.0]], [[0.2, 0.5, 0.3]]), 6)
    0.3
    """
    return np.abs(D - P).max(axis=1)


@guarded_metric
def clark(D: FloatArray, P: FloatArray) -> FloatArray:
    r"""Clark distance, :math:`(\sum_j (d_j - p_j)^2 / (d_j + p_j)^2)^{1/2}`; ideal 0.

    Not divided by the square root of the number of labels.

    Examples
    --------
    >>> from skldl.metrics import clark
    >>> round(clark([[0.5, 0.5, 0, 0]], [[1, 0, 0, 0]]), 3)
    1.054
    """
    return np.linalg.norm((D - P) / (D + P), axis=1)


@guarded_metric
def canberra(D: FloatArray, P: FloatArray) -> FloatArray:
    r"""Canberra distance, :math:`\sum_j |d_j - p_j| / (d_j + p_j)`; ideal 0.

    Not divided by the number of labels.

    Examples
    --------
    >>> from skldl.metrics import canberra
    >>> round(canberra([[0.5, 0.5, 0, 0]], [[1, 0, 0, 0]]), 3)
    1.333
    """
    return (np.abs(D - P) / (D + P)).sum(axis=1)


@guarded_metric
def kl_divergence(D: FloatArray, P: FloatArray) -> FloatArray:
    r"""Kullback-Leibler divergence in nats, :math:`\sum_j d_j \ln(d_j/p_j)`; ideal 0.

    A label with degree d that is predicted as exactly 0 costs about 36 d under
    the default guard, so predictors that give exact zeros (nearest neighbours)
    are punished hard.

    Examples
    --------
    >>> from skldl.metrics import kl_divergence
    >>> D, P = [[0.5, 0.5, 0, 0]], [[1, 0, 0, 0]]
    >>> round(kl_divergence(D, P), 2)
    17.33
    >>> round(kl_divergence(D, P, guard="add", eps=1e-6), 2)
    6.21
    """
    return (D * np.log(D / P)).sum(axis=1)


@metric
def cosine(D: FloatArray, P: FloatArray) -> FloatArray:
    r"""Cosine similarity, :math:`d^T p / (\|d\| \|p\|)`; ideal 1.

    Examples
    --------
    >>> from skldl.metrics import cosine
    >>> round(cosine([[0.5, 0.5]], [[1.0, 0.0]]), 4)
    0.7071
    """
    norms = np.linalg.norm(D, axis=1) * np.linalg.norm(P, axis=1)
    return (D * P).sum(axis=1) / norms


@metric
def intersection(D: FloatArray, P: FloatArray) -> FloatArray:
    r"""Shared mass, :math:`\sum_j \min(d_j, p_j)`; ideal 1.

    One minus the total variation distance; defined at zeros, in [0, 1]; the
    default ``score`` of every distribution predictor.

    Examples
    --------
    >>> from skldl.metrics import intersection
    >>> intersection([[0.5, 0.5]], [[1.0, 0.0]])
    0.5
    """
    return np.minimum(D, P).sum(axis=1)


@metric
def euclidean(D: FloatArray, P: FloatArray) -> FloatArray:
    r"""Euclidean distance, :math:`(\sum_j (d_j - p_j)^2)^{1/2}`; ideal 0.

    Examples
    --------
    >>> from skldl.metrics import euclidean
    >>> round(euclidean([[0.5, 0.5]], [[1.0, 0.0]]), 4)
    0.7071
    """
    return np.linalg.norm(D - P, axis=1)


@metric
def sorensen(D: FloatArray, P: FloatArray) -> FloatArray:
    r"""Sorensen distance, :math:`\sum_j |d_j - p_j| / \sum_j (d_j + p_j)`; ideal 0.

    Between distributions this is one minus the intersection.

    Examples
    --------
    >>> from skldl.metrics import sorensen
    >>> sorensen([[0.5, 0.5]], [[1.0, 0.0]])
    0.5
    """
    return np.abs(D - P).sum(axis=1) / (D + P).sum(axis=1)


@metric
def squared_chi2(D: FloatArray, P: FloatArray) -> FloatArray:
    r"""Squared chi-square distance, :math:`\sum_j (d_j-p_j)^2/(d_j+p_j)`; ideal 0.

    A label with degree 0 on both sides counts 0.

    Examples
    --------
    >>> from skldl.metrics import squared_chi2
    >>> round(squared_chi2([[0.5, 0.5, 0.0]], [[1.0, 0.0, 0.0]]), 4)
    0.6667
    """
    total = D + P
    terms = np.divide((D - P) ** 2, total, out=np.zeros_like(total), where=total > 0)
    return terms.sum(axis=1)


@metric
def fidelity(D: FloatArray, P: FloatArray) -> FloatArray:
    r"""Fidelity (Bhattacharyya), :math:`\sum_j \sqrt{d_j p_j}`; ideal 1.

    Examples
    --------
    >>> from skldl.metrics import fidelity
    >>> round(fidelity([[0.5, 0.5]], [[1.0, 0.0]]), 4)
    0.7071
    """
    return np.sqrt(D * P).sum(axis=1)


@metric
def jensen_shannon(D: FloatArray, P: FloatArray) -> FloatArray:
    r"""Jensen-Shannon divergence in nats, at most :math:`\ln 2`; ideal 0.

    :math:`\tfrac12 KL(d, m) + \tfrac12 KL(p, m)` with :math:`m = (d + p)/2`. Needs
    no zero guard.

    Examples
    --------
    >>> from skldl.metrics import jensen_shannon
    >>> round(jensen_shannon([[1.0, 0.0]], [[0.0, 1.0]]), 4)
    0.6931
    """
    middle = (D + P) / 2
    return (rel_entr(D, middle) + rel_entr(P, middle)).sum(axis=1) / 2


@metric
def emd(D: FloatArray, P: FloatArray) -> FloatArray:
    r"""Earth mover's distance for ordered labels one step apart; ideal 0.

    :math:`\sum_{j<m} |\sum_{i \le j} (d_i - p_i)|`. Depends on the order of the
    columns: for ratings, ages and other ordered labels only.

    Examples
    --------
    >>> from skldl.metrics import emd
    >>> emd([[1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]])
    2.0
    """
    return np.abs(np.cumsum(D - P, axis=1)[:, :-1]).sum(axis=1)


@metric
def spearman(D: FloatArray, P: FloatArray) -> FloatArray:
    """Spearman's rank correlation of the labels within each sample; ideal 1.

    Tied degrees share their mean rank. Two constant rows agree (1); a constant
    row against another counts 0.

    Examples
    --------
    >>> from skldl.metrics import spearman
    >>> round(spearman([[0.1, 0.3, 0.6]], [[0.2, 0.3, 0.5]]), 6)
    1.0
    """
    rank_d, rank_p = (rankdata(M, axis=1) - (M.shape[1] + 1) / 2 for M in (D, P))
    return _correlation(
        (rank_d * rank_p).sum(axis=1),
        (rank_d**2).sum(axis=1),
        (rank_p**2).sum(axis=1),
    )


@metric
def kendall(D: FloatArray, P: FloatArray) -> FloatArray:
    """Kendall's tau-b of the labels within each sample; ideal 1.

    Two constant rows agree (1); a constant row against another counts 0.

    Examples
    --------
    >>> from skldl.metrics import kendall
    >>> round(kendall([[0.1, 0.3, 0.6]], [[0.2, 0.5, 0.3]]), 4)
    0.3333
    """
    first, second = np.triu_indices(D.shape[1], 1)
    values = np.empty(len(D))
    step = max(1, _CHUNK // max(1, len(first)))
    for start in range(0, len(D), step):
        rows = slice(start, start + step)
        sign_d = np.sign(D[rows][:, first] - D[rows][:, second])
        sign_p = np.sign(P[rows][:, first] - P[rows][:, second])
        values[rows] = _correlation(
            (sign_d * sign_p).sum(axis=1),
            np.abs(sign_d).sum(axis=1),
            np.abs(sign_p).sum(axis=1),
        )
    return values


def _correlation(
    covariance: FloatArray, spread_d: FloatArray, spread_p: FloatArray
) -> FloatArray:
    """Correlation with a rule where it is undefined: constant rows.

    Two constant rows rank the labels alike (1); one constant row against one
    that is not says nothing (0).
    """
    scale = np.sqrt(spread_d * spread_p)
    values = np.divide(
        covariance, scale, out=np.zeros_like(covariance), where=scale > 0
    )
    return np.where((spread_d <= 0) & (spread_p <= 0), 1.0, values)
