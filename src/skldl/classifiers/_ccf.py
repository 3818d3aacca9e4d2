"""Canonical correlation forests."""

from numbers import Integral
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from skldl._progress import report
from skldl._sklearn import Interval, fit_context
from skldl._threads import ThreadLimitMixin
from skldl._typing import FloatArray
from skldl.classifiers._ccf_tree import apply_tree, check_tree, grow_tree
from skldl.validation import check_class_vector, check_features

_TIE = 1e-9  # share of the votes that the classes' sizes decide


class CanonicalCorrelationForestClassifier(
    ThreadLimitMixin, ClassifierMixin, BaseEstimator
):
    r"""Forest of trees that split along canonical correlations with the classes.

    In every node some features are drawn at random, and the canonical directions

    .. math:: \max_{a, b} \operatorname{corr}(X a, Y b)

    between them and the indicators Y of the classes are found on a resample of the
    node's samples. All samples are projected on all directions, and the cut with the
    largest information gain divides them. The trees vote.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees; publications use 300.
    max_features : int or None, default=None
        Features drawn in each node; None takes
        :math:`\lceil \log_2 d + 1 \rceil`.
    max_depth : int or None, default=None
        Levels below the root at most; None grows until the leaves are pure.
    bootstrap : bool, default=False
        Whether each tree sees a resample of the samples.
    projection_bootstrap : bool, default=True
        Whether directions come from a resample of the node's samples; the cut always
        comes from all of them.
    random_state : int, RandomState or None, default=None
        Seed.
    n_jobs : int or None, default=None
        Processes that grow trees, by joblib; the result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes.
    class_counts_ : ndarray of shape (n_classes,)
        Training samples of each.
    trees_ : list of dict of ndarray
        Nodes of each tree.
    mean_, scale_ : ndarray of shape (n_features,)
        What features are standardised by.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    Notes
    -----
    The trees neither need nor notice a scaling of the features, apart from the rank
    decisions inside a node. Ties of a leaf are settled by the nodes above it, ties of
    the forest by the sizes of the classes. A bundled implementation elsewhere switches
    the two resamplings the wrong way round; here they are what their names say.

    References
    ----------
    .. [1] T. Rainforth, F. Wood, "Canonical Correlation Forests",
       arXiv:1507.05444, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from skldl.classifiers import CanonicalCorrelationForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CanonicalCorrelationForestClassifier(20, random_state=0)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    _parameter_constraints: dict = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "max_depth": [Interval(Integral, 0, None, closed="left"), None],
        "bootstrap": ["boolean"],
        "projection_bootstrap": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_features: int | None = None,
        max_depth: int | None = None,
        bootstrap: bool = False,
        projection_bootstrap: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.max_depth = max_depth
        self.bootstrap = bootstrap
        self.projection_bootstrap = projection_bootstrap
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : CanonicalCorrelationForestClassifier
        """
        X, y = check_features(self, X, y, dtype=np.float64)
        self.classes_, codes = check_class_vector(y)
        self.class_counts_ = np.bincount(codes)
        self.mean_, spread = _moments(X)
        self.scale_ = np.where(spread > 0, spread, 1.0)
        rng = check_random_state(self.random_state)
        seeds = rng.randint(2**31 - 1, size=self.n_estimators)
        Z = self._standardise(X)
        grown = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(grow_tree)(
                Z,
                codes,
                len(self.classes_),
                max_features=self._count(X.shape[1]),
                max_depth=self.max_depth,
                bootstrap=self.bootstrap,
                projection_bootstrap=self.projection_bootstrap,
                seed=int(seed),
            )
            for seed in seeds
        )
        self.trees_ = []
        for tree in grown:
            self.trees_.append(tree)
            report("Canonical correlation forest", len(self.trees_), len(seeds))
        return self

    def _count(self, n_features: int) -> int:
        wanted = self.max_features or int(np.ceil(np.log2(n_features) + 1))
        return min(wanted, n_features)

    def _standardise(self, X: FloatArray) -> FloatArray:
        return (X - self.mean_) / self.scale_

    def predict_proba(self, X: Any) -> FloatArray:
        """Share of the trees' votes for each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Rows sum to 1; the sizes of the classes break ties by a billionth.
        """
        check_is_fitted(self)
        X = self._standardise(check_features(self, X, reset=False, dtype=np.float64))
        votes = np.zeros((len(X), len(self.classes_)))
        rows = np.arange(len(X))
        for tree in self.trees_:
            votes[rows, apply_tree(tree, X)] += 1.0
        votes /= len(self.trees_)
        prior = self.class_counts_ / self.class_counts_.sum()
        return (votes + _TIE * prior) / (1 + _TIE)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class with the most votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        P = self.predict_proba(X)
        return self.classes_[P.argmax(axis=1)]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Look at what a walk would follow, since it may come from a file."""
        super().__setstate__(state)
        for tree in state.get("trees_", ()):
            check_tree(tree, self.n_features_in_, len(self.classes_))


def _moments(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means and standard deviations of columns, safe for huge and tiny numbers."""
    _, powers = np.frexp(np.maximum(X.max(axis=0), -X.min(axis=0)))
    Z = np.ldexp(X, -powers)  # powers of two do not change other results by a bit
    return np.ldexp(Z.mean(axis=0), powers), np.ldexp(Z.std(axis=0), powers)
