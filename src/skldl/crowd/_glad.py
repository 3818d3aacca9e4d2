"""GLAD: abilities of annotators, difficulties of items."""

from numbers import Integral, Real
from typing import Self

import numpy as np
from scipy.special import expit, log_expit

from skldl._sklearn import Interval, fit_context
from skldl._typing import FloatArray
from skldl.crowd._aggregator import Aggregator, check_votes, normalized
from skldl.crowd._votes import Votes
from skldl.solvers import lbfgs


class GLAD(Aggregator):
    r"""Generative model of labels, abilities and difficulties.

    Annotator a answers the true label of item i with the probability

    .. math:: \sigma_{ia} = \frac{1}{1 + \exp(-\alpha_a e^{\beta_i})},

    and one of the others, all equally probable, otherwise. All labels are equally
    probable, and the abilities :math:`\alpha_a` and the log-easinesses :math:`\beta_i`
    are normal with mean 1 and variance 1. The posterior density of both, with the true
    labels summed out, is maximised.

    Parameters
    ----------
    max_iter : int, default=500
        Iterations of L-BFGS at most.
    tol : float, default=1e-7
        Converged when no entry of the gradient is larger than this, or when an
        iteration raises the objective by less than this share of it.

    Attributes
    ----------
    distributions_ : ndarray of shape (n_items, n_labels)
        Probabilities of the true labels; equal for an item without votes.
    ability_ : ndarray of shape (n_annotators,)
        :math:`\alpha_a`: 0 is a guess, below 0 are those who answer wrongly on purpose.
    easiness_ : ndarray of shape (n_items,)
        :math:`e^{\beta_i}`: near 0 for items that nobody can judge.
    reliability_ : ndarray of shape (n_annotators,)
        Mean of :math:`\sigma_{ia}` over the votes of each annotator.
    objective_history_ : list of float
        Log-density after each iteration, without constants; it never decreases.
    n_iter_ : int
        Iterations.
    item_names_, annotator_names_ : Index
        Names of the rows of the arrays above.
    label_names_ : ndarray of str
        Names of their columns.

    Notes
    -----
    The paper alternates between expectations and gradient steps. Both have the same
    stationary points, and the gradient of the marginal density costs no more than that
    of the expectation.

    References
    ----------
    .. [1] J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma, J. Movellan, "Whose Vote Should
       Count More: Optimal Integration of Labels from Labelers of Unknown Expertise",
       NIPS, 2009.

    Examples
    --------
    >>> from skldl.crowd import GLAD, Votes
    >>> from skldl.datasets import make_crowd
    >>> crowd = make_crowd(200, n_labels=3, n_annotators=10, random_state=0)
    >>> votes = Votes.from_frame(
    ...     crowd.votes, item="item", label="label", annotator="annotator"
    ... )
    >>> GLAD().fit(votes).easiness_.shape
    (200,)
    """

    _parameter_constraints: dict = {
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, *, max_iter: int = 500, tol: float = 1e-7) -> None:
        self.max_iter = max_iter
        self.tol = tol

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, votes: Votes) -> Self:
        """Find the distributions, the abilities and the difficulties.

        Parameters
        ----------
        votes : Votes
            Votes with annotators.

        Returns
        -------
        self : GLAD
        """
        votes = check_votes(votes)
        self._keep_names(votes)
        density = _Density(votes)
        start = np.ones(votes.n_annotators + votes.n_items)
        solution = lbfgs(
            density, start, max_iter=self.max_iter, tol=self.tol, ftol=self.tol / 10
        )
        self.ability_, beta = np.split(solution.x, [votes.n_annotators])
        self.easiness_ = np.exp(beta)
        self.distributions_ = density.posterior(solution.x)
        self.reliability_ = density.reliability(solution.x)
        self.objective_history_ = [-value for value in solution.history]
        self.n_iter_ = solution.n_iter
        self._warn_unless(solution.converged)
        return self


class _Density:
    """Minus the log-density of abilities and log-easinesses, true labels summed out."""

    def __init__(self, votes: Votes) -> None:
        assert votes.annotator is not None
        self.votes, self.annotator = votes, votes.annotator
        self.cell = votes.item * votes.n_labels + votes.label
        # with one label there is no wrong answer, and the odds do not matter
        self.others = np.log(max(votes.n_labels - 1, 1))

    def _logits(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        alpha, beta = np.split(x, [self.votes.n_annotators])
        # far outside of what the prior allows, a step must not overflow
        ease = np.exp(np.minimum(beta, 50.0))[self.votes.item]
        return ease, alpha[self.annotator] * ease

    def _judge(self, logits: FloatArray) -> tuple[FloatArray, FloatArray]:
        votes = self.votes
        size = votes.n_items * votes.n_labels
        gain = votes.weight * (logits + self.others)
        joint = np.bincount(self.cell, gain, minlength=size).reshape(votes.n_items, -1)
        return normalized(joint - np.log(votes.n_labels))

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        votes = self.votes
        ease, logits = self._logits(x)
        P, evidence = self._judge(logits)
        value = evidence.sum() + votes.weight @ (log_expit(-logits) - self.others)
        value -= 0.5 * np.sum((x - 1) ** 2)
        slope = votes.weight * (P[votes.item, votes.label] - expit(logits))
        of_alpha = np.bincount(self.annotator, slope * ease, votes.n_annotators)
        of_beta = np.bincount(votes.item, slope * logits, votes.n_items)
        return -float(value), (x - 1) - np.concatenate([of_alpha, of_beta])

    def posterior(self, x: FloatArray) -> FloatArray:
        return self._judge(self._logits(x)[1])[0]

    def reliability(self, x: FloatArray) -> FloatArray:
        weight, size = self.votes.weight, self.votes.n_annotators
        right = np.bincount(self.annotator, weight * expit(self._logits(x)[1]), size)
        return right / np.maximum(np.bincount(self.annotator, weight, size), 1e-300)
