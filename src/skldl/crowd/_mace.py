"""MACE: annotators know the label, or guess."""

from numbers import Integral, Real
from typing import Self

import numpy as np

from skldl._sklearn import Interval, fit_context
from skldl._typing import FloatArray
from skldl.crowd._aggregator import (
    TINY,
    Aggregator,
    check_votes,
    normalized,
    shares,
    sums_by,
)
from skldl.crowd._votes import Votes


class MACE(Aggregator):
    r"""Multi-annotator competence estimation.

    Annotator a knows the label of an item with the probability :math:`\theta_a`, and
    otherwise guesses, with own habits :math:`\xi_a`. All labels are equally probable.
    Expectation-maximisation climbs

    .. math:: \sum_i \log \frac{1}{L} \sum_k \prod_{(i, a, l)}
       \left( \theta_a [k = l] + (1 - \theta_a) \xi_{al} \right)^w
       + s \sum_a \Big( \log \theta_a (1 - \theta_a) + \sum_l \log \xi_{al} \Big).

    With few votes for each annotator it is safer than :class:`DawidSkene`.

    Parameters
    ----------
    max_iter : int, default=500
        Iterations at most.
    tol : float, default=1e-7
        Converged when an iteration raises the objective by less than this per vote.
    smoothing : float, default=0.01
        Votes s that are added to each expected count.

    Attributes
    ----------
    distributions_ : ndarray of shape (n_items, n_labels)
        Probabilities of the true labels; equal for an item without votes.
    reliability_ : ndarray of shape (n_annotators,)
        Competence :math:`\theta_a`: how often the annotator knows the label.
    strategy_ : ndarray of shape (n_annotators, n_labels)
        Habits :math:`\xi_a` of who guesses.
    objective_history_ : list of float
        Objective of each iteration; it never decreases.
    n_iter_ : int
        Iterations.
    item_names_, annotator_names_ : Index
        Names of the rows of the arrays above.
    label_names_ : ndarray of str
        Names of their columns.

    Notes
    -----
    The search starts at the shares of the votes and at annotators who know half of the
    labels, so that there is nothing random in it; the paper takes the best of several
    random starts. The paper's variational variant is not offered. The logarithm of the
    two factors of a vote differs in one label only, so that an iteration takes time in
    proportion to the votes, whatever the number of labels.

    References
    ----------
    .. [1] D. Hovy, T. Berg-Kirkpatrick, A. Vaswani, E. Hovy, "Learning Whom to Trust
       with MACE", NAACL-HLT, 2013.

    Examples
    --------
    >>> from skldl.crowd import MACE, Votes
    >>> from skldl.datasets import make_crowd
    >>> crowd = make_crowd(200, n_labels=3, n_annotators=10, random_state=0)
    >>> votes = Votes.from_frame(
    ...     crowd.votes, item="item", label="label", annotator="annotator"
    ... )
    >>> MACE().fit(votes).reliability_.shape
    (10,)
    """

    _parameter_constraints: dict = {
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "smoothing": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self, *, max_iter: int = 500, tol: float = 1e-7, smoothing: float = 0.01
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.smoothing = smoothing

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, votes: Votes) -> Self:
        """Find the distributions and the competences.

        Parameters
        ----------
        votes : Votes
            Votes with annotators.

        Returns
        -------
        self : MACE
        """
        votes = check_votes(votes)
        self._keep_names(votes)
        knows = np.full(votes.n_annotators, 0.5)
        habits = np.full((votes.n_annotators, votes.n_labels), 1 / votes.n_labels)
        P = votes.distributions(smoothing=1e-12)
        history: list[float] = []
        enough = self.tol * votes.weight.sum()
        converged = False
        while len(history) < self.max_iter and not converged:
            knows, habits = _learned(votes, P, knows, habits, self.smoothing)
            P, value = _judged(votes, knows, habits)
            value += self.smoothing * float(
                np.log(knows).sum() + np.log1p(-knows).sum() + np.log(habits).sum()
            )
            converged = bool(history) and value - history[-1] <= enough
            history.append(value)
        self.distributions_, self.reliability_, self.strategy_ = P, knows, habits
        self.objective_history_, self.n_iter_ = history, len(history)
        self._warn_unless(converged)
        return self


def _factors(
    votes: Votes, knows: FloatArray, habits: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Of each vote: the probability to know, and to guess, what was answered."""
    annotator = votes.annotator
    assert annotator is not None
    return knows[annotator], (1 - knows[annotator]) * habits[annotator, votes.label]


def _judged(
    votes: Votes, knows: FloatArray, habits: FloatArray
) -> tuple[FloatArray, float]:
    """Distributions of the items, and the log-likelihood."""
    known, guessed = _factors(votes, knows, habits)
    gain = votes.weight * np.log1p(known / guessed)
    cell = votes.item * votes.n_labels + votes.label
    size = votes.n_items * votes.n_labels
    log_joint = sums_by(cell, gain, size).reshape(votes.n_items, -1)
    P, evidence = normalized(log_joint - np.log(votes.n_labels))
    return P, float(evidence.sum() + votes.weight @ np.log(guessed))


def _learned(
    votes: Votes,
    P: FloatArray,
    knows: FloatArray,
    habits: FloatArray,
    smoothing: float,
) -> tuple[FloatArray, FloatArray]:
    """Competences and habits that expect these counts."""
    known, guessed = _factors(votes, knows, habits)
    surely = votes.weight * P[votes.item, votes.label] * known / (known + guessed)
    rest = votes.weight - surely
    n_annotators, annotator = votes.n_annotators, votes.annotator
    assert annotator is not None
    cell = annotator * votes.n_labels + votes.label
    size = n_annotators * votes.n_labels
    guesses = sums_by(cell, rest, size).reshape(n_annotators, -1)
    knowing = sums_by(annotator, surely, n_annotators)
    both = shares(np.column_stack([knowing, guesses.sum(axis=1)]), smoothing)
    return np.clip(both[:, 0], TINY, 1 - TINY), shares(guesses, smoothing)
