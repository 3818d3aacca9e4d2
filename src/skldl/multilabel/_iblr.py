"""IBLR-ML: logistic regression on the labels of the neighbours."""

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.linalg import LinAlgWarning
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from skldl._sklearn import Interval
from skldl._typing import FloatArray, IndexArray
from skldl._warnings import caller_level
from skldl.multilabel._base import NeighborCounter


class IBLR(NeighborCounter):
    r"""Instance-based learning by logistic regression (IBLR-ML).

    .. math:: S_l(x) = \sigma\Bigl(w_{l0} + \sum_{m} w_{lm}\, \frac{c_m(x)}{k}\Bigr)

    with :math:`c_m` the number of neighbours that have label m. The weights of a label
    say how much each label of the neighbours counts for it.

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbours, k.
    reg : float, default=1e-6
        Ridge of the logistic regressions, nearly none.
    max_iter : int, default=200
        Iterations of each at most.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    n_jobs : int or None, default=None
        Threads of the search.

    Attributes
    ----------
    label_coef_ : ndarray of shape (n_labels, n_labels)
        Row l holds :math:`w_l`.
    intercept_ : ndarray of shape (n_labels,)
        :math:`w_{l0}`; plus or minus 30 for labels that all or no samples have.
    n_iter_ : int
        The most iterations that any label took.
    n_neighbors_ : int
        Neighbours that were used in fit, and are in predictions.
    classes_ : ndarray of shape (n_labels,)
        Label names, or classes if the target was a vector.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    Notes
    -----
    The variant IBLR-ML+ with the original features among the inputs is not here.

    References
    ----------
    .. [1] W. Cheng, E. Hüllermeier, "Combining instance-based learning and logistic
       regression for multilabel classification", Machine Learning 76, 2009.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from skldl.multilabel import IBLR
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> IBLR().fit(X, Y).label_coef_.shape
    (5, 5)
    """

    _parameter_constraints: dict = {
        **NeighborCounter._counter_constraints,
        "reg": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        reg: float = 1e-6,
        max_iter: int = 200,
        engine: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.reg = reg
        self.max_iter = max_iter
        self.engine = engine
        self.n_jobs = n_jobs

    def _learn(self, counts: IndexArray, Y: Any) -> None:
        shares = counts / self.n_neighbors
        columns = Y.tocsc()
        n_labels = counts.shape[1]
        self.label_coef_ = np.zeros((n_labels, n_labels))
        self.intercept_ = np.empty(n_labels)
        self.n_iter_ = 0
        stopped = []
        for label in range(n_labels):
            target = columns[:, [label]].toarray().ravel()
            if target.min() == target.max():
                self.intercept_[label] = 30.0 if target[0] else -30.0
                continue
            model, converged = self._fit_one(shares, target)
            self.label_coef_[label] = model.coef_[0]
            self.intercept_[label] = model.intercept_[0]
            self.n_iter_ = max(self.n_iter_, int(model.n_iter_[0]))
            if not converged:
                stopped.append(label)
        self.n_iter_ = max(self.n_iter_, 1)
        if stopped:
            warnings.warn(
                f"The logistic regressions of {len(stopped)} labels, the first of them "
                f"{str(self.classes_[stopped[0]])!r}, stopped after {self.max_iter} "
                "iterations. Raise max_iter or reg.",
                ConvergenceWarning,
                stacklevel=caller_level(),
            )

    def _fit_one(self, shares: FloatArray, target: FloatArray) -> tuple[Any, bool]:
        model = LogisticRegression(
            C=1.0 / self.reg, solver="newton-cholesky", max_iter=self.max_iter
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(shares, target)
        for warning in caught:
            if not issubclass(warning.category, ConvergenceWarning | LinAlgWarning):
                warnings.warn_explicit(
                    warning.message, warning.category, warning.filename, warning.lineno
                )
        bad = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
        return model, not bad

    def _scores(self, counts: IndexArray) -> FloatArray:
        return expit(counts / self.n_neighbors_ @ self.label_coef_.T + self.intercept_)
