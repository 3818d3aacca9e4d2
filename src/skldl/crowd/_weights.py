"""Numbers of votes as weights of samples."""

from typing import Any

import numpy as np

from skldl._typing import FloatArray


def vote_weights(
    n_votes: Any, how: str = "precision", *, concentration: float | None = None
) -> FloatArray:
    r"""Give weights for ``sample_weight``, by the number of votes of each sample.

    Parameters
    ----------
    n_votes : array-like of shape (n_samples,)
        Votes of each sample.
    how : {"precision", "count", "sqrt"}, default="precision"
        ``"count"`` is n, as if each vote were a sample. ``"sqrt"`` is its root.
        ``"precision"`` is :math:`n / (n + \phi)`: one over the variance of shares,
        which differ by the chance of n votes and by what a model of the features does
        not know. The thousandth vote then adds next to nothing.
    concentration : float, default=None
        Precision :math:`\phi` for ``how="precision"``, such as the ``concentration_``
        of :class:`~skldl.ldl.DirichletLDL` or the sum of
        :func:`fit_dirichlet_multinomial`; None takes the mean number of votes.

    Returns
    -------
    weights : ndarray of shape (n_samples,)
        With mean 1; 0 for samples without votes.

    Examples
    --------
    >>> from skldl.crowd import vote_weights
    >>> vote_weights([1, 3], "count")
    array([0.5, 1.5])
    """
    n = np.asarray(n_votes, dtype=np.float64)
    if n.ndim != 1 or not (np.isfinite(n) & (n >= 0)).all() or not n.sum() > 0:
        raise ValueError(
            "n_votes must be one list of numbers that are not negative, not all 0."
        )
    if concentration is not None and not concentration > 0:
        raise ValueError(f"concentration must be above 0, got {concentration!r}.")
    if how == "count":
        weights = n
    elif how == "sqrt":
        weights = np.sqrt(n)
    elif how == "precision":
        weights = n / (n + (n.mean() if concentration is None else concentration))
    else:
        raise ValueError(f"how must be 'precision', 'count' or 'sqrt', got {how!r}.")
    return weights / weights.mean()
