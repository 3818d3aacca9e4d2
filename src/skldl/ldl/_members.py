"""Ensembles of named members: their settings, predictions and failures."""

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from skldl._inner import check_inner_samples, inner_tags
from skldl._sklearn import BaseComposition
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.ldl._baseline import MeanDistribution
from skldl.ldl._knn import AAkNN
from skldl.ldl._maxent import SABFGS
from skldl.ldl._pool import combine
from skldl.validation import check_distribution

Members = list[tuple[str, Any]]


def default_members() -> Members:
    """A linear model, neighbours, and the mean distribution."""
    softmax = SABFGS(max_iter=1000)
    return [
        ("softmax", Pipeline([("scale", StandardScaler()), ("learn", softmax)])),
        ("neighbors", Pipeline([("scale", StandardScaler()), ("learn", AAkNN())])),
        ("mean", MeanDistribution()),
    ]


class NamedMembers(DistributionPredictorMixin, BaseComposition):
    """``estimators`` is a list of pairs of names and distribution learners."""

    estimators: Members | None
    pool: str

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Give the settings, those of members by ``name__parameter``.

        Parameters
        ----------
        deep : bool, default=True
            Whether to give the members and their settings, too.

        Returns
        -------
        params : dict
        """
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params: Any) -> Self:
        """Change settings; a member may be replaced, or dropped by ``"drop"``.

        Parameters
        ----------
        **params : object
            Settings by name, members by name, their settings by ``name__parameter``.

        Returns
        -------
        self : estimator
        """
        self._set_params("estimators", **params)
        return self

    @property
    def named_estimators_(self) -> dict[str, Any]:
        """The fitted members by name."""
        return dict(zip(self.names_, self.estimators_, strict=True))

    def _members(self) -> Members:
        """Names and members that take part."""
        if self.estimators is None:
            return default_members()
        name = type(self).__name__
        try:
            members = [(str(n), member) for n, member in self.estimators]
        except (TypeError, ValueError):
            raise ValueError(
                f"estimators of {name} must be a list of pairs (name, learner), such "
                f"as [('mean', MeanDistribution())]; got {self.estimators!r}."
            ) from None
        self._validate_names([n for n, _ in members])
        members = [pair for pair in members if pair[1] != "drop"]
        if not members:
            raise ValueError(f"{name} has no members; give at least one.")
        for n, member in members:
            if isinstance(member, type) or not hasattr(member, "predict"):
                raise ValueError(
                    f"Member {n!r} of {name} must be a learner with fit and predict, "
                    f"got {member!r}."
                )
        return members

    def _sparse(self) -> bool:
        return inner_tags([member for _, member in self._members()]).sparse

    def _pooled(self, X: Any, weights: Any, bias: Any = None) -> FloatArray:
        X = check_inner_samples(self, X, sparse=self._sparse())
        found = [
            member_prediction(name, model, X, len(self.classes_))
            for name, model in self.named_estimators_.items()
        ]
        return combine(np.stack(found), weights, pool=self.pool, bias=bias)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            members = self._members()
        except ValueError:  # fit will say what is wrong
            return tags
        tags.input_tags = inner_tags([member for _, member in members])
        return tags


def member_prediction(name: str, model: Any, X: Any, n_labels: int) -> FloatArray:
    """What a member predicts, if these are distributions.

    Parameters
    ----------
    name : str
        The member's name, for messages.
    model : estimator
        Fitted.
    X : array-like of shape (n_samples, n_features)
        Samples.
    n_labels : int
        Number of labels.

    Returns
    -------
    P : ndarray of shape (n_samples, n_labels)
    """
    P = np.asarray(model.predict(X), dtype=np.float64)
    P = P.reshape(len(P), -1)
    try:
        if P.shape[1] != n_labels:
            raise ValueError(f"It has {P.shape[1]} columns for {n_labels} labels.")
        return check_distribution(P, on_unnormalized="raise", name="The prediction")
    except ValueError as error:
        raise ValueError(
            f"Member {name!r} does not predict distributions. {error} Put a regressor "
            "of scikit-learn into DistributionRegressor, and a classifier into "
            "SoftLabelClassifier."
        ) from None


def fresh(members: Iterable[tuple[str, Any]]) -> list[Any]:
    """Clones of the members."""
    return [clone(member) for _, member in members]


def check_member_weights(weights: Any, members: Members) -> FloatArray:
    """One weight per member, none negative, with sum 1; None for equal ones.

    Parameters
    ----------
    weights : array-like of shape (n_members,) or None
        As the user gave them.
    members : list of (str, estimator)
        The members that take part.

    Returns
    -------
    weights : ndarray of shape (n_members,)
    """
    if weights is None:
        return np.full(len(members), 1 / len(members))
    try:
        found = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (len(members),):
        raise ValueError(
            f"weights must contain one number for each of the {len(members)} members, "
            f"got {weights!r}."
        )
    if not np.isfinite(found).all() or (found < 0).any() or found.sum() <= 0:
        raise ValueError(
            f"weights must not be negative and must have a positive sum, got "
            f"{weights!r}."
        )
    return found / found.sum()


def kept_weights(weights: Any, estimators: Sequence[Any] | None) -> Any:
    """Weights without those of members that were dropped."""
    if weights is None or estimators is None or len(weights) != len(estimators):
        return weights
    pairs = zip(weights, estimators, strict=True)
    return [w for w, (_, member) in pairs if not isinstance(member, str)]
