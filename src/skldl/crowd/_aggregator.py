"""What the models of annotators share."""

import warnings
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from skldl._text import listed
from skldl._typing import FloatArray, IndexArray
from skldl._warnings import caller_level
from skldl.crowd._votes import Votes

TINY = 1e-10  # what a count of 0 is raised to, before its logarithm


class Aggregator(BaseEstimator):
    """Contract of the models: fit(votes), then distributions_ and reliability_."""

    max_iter: int
    distributions_: FloatArray
    n_iter_: int
    item_names_: pd.Index
    label_names_: Any
    annotator_names_: pd.Index

    def fit_predict(self, votes: Votes) -> FloatArray:
        """Fit to votes and give the distributions of their items.

        Parameters
        ----------
        votes : Votes
            Votes with annotators.

        Returns
        -------
        distributions : ndarray of shape (n_items, n_labels)
        """
        return self.fit(votes).distributions_

    def fit(self, votes: Votes) -> Self:
        """Fit to votes."""
        raise NotImplementedError

    def _keep_names(self, votes: Votes) -> None:
        self.item_names_ = votes.item_names
        self.label_names_ = votes.label_names
        self.annotator_names_ = votes.annotator_names

    def _warn_unless(self, converged: bool) -> None:
        if not converged:
            warnings.warn(
                f"{type(self).__name__} did not converge in {self.max_iter} "
                "iterations; increase max_iter or tol.",
                ConvergenceWarning,
                stacklevel=caller_level(),
            )

    def _known(self, votes: Votes) -> IndexArray:
        """Place of each annotator of the votes in the fitted ones; -1 for new ones."""
        check_is_fitted(self)
        if votes.label_names.tolist() != self.label_names_.tolist():
            given = listed(votes.label_names.tolist(), 10)
            fitted = listed(self.label_names_.tolist(), 10)
            raise ValueError(
                f"The votes have the labels {given}, but the model was fitted to "
                f"{fitted}. Pass labels= to Votes.from_frame."
            )
        return self.annotator_names_.get_indexer(votes.annotator_names)


def check_votes(votes: Any) -> Votes:
    """Votes that name their annotators."""
    if not isinstance(votes, Votes):
        raise TypeError(
            f"votes must be a skldl.crowd.Votes, got {type(votes).__name__}. Make one "
            "with Votes.from_frame."
        )
    if votes.annotator is None:
        raise ValueError(
            "These votes do not name their annotators, so nothing can be learned "
            "about them. Pass annotator=, or use votes.distributions()."
        )
    if not votes.weight.sum() > 0:
        raise ValueError("There are no votes.")
    return votes


def sums_by(codes: IndexArray, values: FloatArray, size: int) -> FloatArray:
    """Sum of the values of each code."""
    return np.bincount(codes, values, minlength=size).astype(np.float64, copy=False)


def normalized(log_joint: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Distributions and log-evidence of rows of logarithms."""
    evidence = logsumexp(log_joint, axis=1, keepdims=True)
    return np.exp(log_joint - evidence), evidence[:, 0]


def shares(counts: FloatArray, smoothing: float) -> FloatArray:
    """Rows of counts as distributions that are nowhere 0."""
    raised = np.maximum(counts + smoothing, TINY)
    return raised / raised.sum(axis=-1, keepdims=True)
