"""Any regressor as a distribution learner."""

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge

from skldl._inner import (
    check_inner_data,
    check_inner_samples,
    check_weights,
    fit_inner,
    fresh_regressor,
    inner_tags,
    needs_matrix,
    require_instance,
    require_weights,
)
from skldl._sklearn import HasMethods, Interval, StrOptions, fit_context
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin, sample_weight_keys
from skldl.linalg import clr, ilr, inverse_ilr, replace_zeros


class DistributionRegressor(DistributionPredictorMixin, BaseEstimator):
    r"""Make any regressor of scikit-learn a distribution learner.

    The regressor :math:`f` learns transformed distributions, and what it predicts is
    mapped back to the simplex. With the mean distribution :math:`\bar d`, the base
    :math:`b = (1 - s) \bar d + s / L` and :math:`d'_i = (1 - s) d_i + s \, b`, which
    has no zeros, the links are

    - ``"clip"``: f learns :math:`d_i`, and the prediction is
      :math:`(1 - s) \max(f, 0) / \sum_l \max(f_l, 0) + s \, b`;
    - ``"softmax"``: f learns :math:`\ln d'_i`, and the prediction is
      :math:`\mathrm{softmax}(f)`;
    - ``"clr"``: f learns the centred log-ratios of :math:`d'_i`, and the prediction is
      :math:`\mathrm{softmax}(f)`;
    - ``"ilr"``: f learns the L - 1 isometric log-ratios of :math:`d'_i`, and the
      prediction is their inverse.

    Parameters
    ----------
    regressor : estimator or None, default=None
        Any regressor, also a Pipeline or a search. One that takes a single output is
        fitted once per output. None for ``Ridge()``: it is deterministic, takes
        several outputs and sparse features, and saves safely.
    link : {"clip", "softmax", "clr", "ilr"}, default="clip"
        How distributions become targets. ``"clip"`` predicts means of distributions;
        the others predict means of logarithms, which suits small degrees.
    smoothing : float, default=0.01
        s, from 0 to less than 1. For ``"clip"`` 0 leaves exact zeros in predictions,
        which the Kullback-Leibler divergence punishes hard; for the other links 0 is
        only for distributions without zeros.
    n_jobs : int or None, default=None
        Regressors fitted at once, if there is one per output.

    Attributes
    ----------
    regressor_ : estimator
        The fitted regressor, or a ``MultiOutputRegressor`` with one per output.
    distribution_ : ndarray of shape (n_labels,)
        The mean training distribution.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    SoftLabelClassifier : Any classifier as a distribution learner.

    Notes
    -----
    With ``"clip"`` a row without a positive number becomes the mean distribution.
    Averages of distributions, which forests and neighbours predict, are on the simplex
    already.

    The links ``"softmax"`` and ``"clr"`` differ by a constant in each row of the
    targets. For regressors that are linear in the targets (ridge regression, kernel
    ridge, neighbours) the three logarithmic links give equal predictions.

    A DataFrame is passed on as it is, so a Pipeline inside may choose columns by name.
    What the regressor says about missing values and sparse features holds for this
    learner, too.

    References
    ----------
    .. [1] J. Aitchison, "The Statistical Analysis of Compositional Data", Journal of
       the Royal Statistical Society, Series B 44(2), 1982.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import DistributionRegressor
    >>> X, D = make_ldl(300, 3, 3, random_state=0)
    >>> forest = RandomForestRegressor(50, random_state=0)
    >>> model = DistributionRegressor(forest, link="clr").fit(X[:200], D[:200])
    >>> model.score(X[200:], D[200:]) > 0.8
    True
    """

    _parameter_constraints: dict = {
        "regressor": [HasMethods(["fit", "predict"]), None],
        "link": [StrOptions({"clip", "softmax", "clr", "ilr"})],
        "smoothing": [Interval(Real, 0, 1, closed="left")],
        "n_jobs": [Integral, None],
    }

    _grids: dict = {"default": {"link": ["clip", "clr"]}}

    def __init__(
        self,
        regressor: Any = None,
        *,
        link: str = "clip",
        smoothing: float = 0.01,
        n_jobs: int | None = None,
    ) -> None:
        self.regressor = regressor
        self.link = link
        self.smoothing = smoothing
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the regressor to transformed distributions.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, for regressors that take them; an error for others.

        Returns
        -------
        self : DistributionRegressor
        """
        inner = self._inner()
        require_instance(inner, "regressor")
        if sample_weight is not None:
            advice = "Leave sample_weight out, or choose a regressor that takes it."
            require_weights(inner, "DistributionRegressor", advice)
        X, D = check_inner_data(self, X, y, sparse=self._sparse())
        weights = check_weights(sample_weight, D)
        self.distribution_ = np.average(D, axis=0, weights=weights)
        targets = self._targets(D)
        model = fresh_regressor(inner, targets.shape[1], self.n_jobs)
        if targets.shape[1] == 1 and not needs_matrix(model):
            targets = targets.ravel()
        self.regressor_ = fit_inner(model, X, targets, weights)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Predict with the regressor and map to the simplex.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Rows on the simplex.
        """
        X = check_inner_samples(self, X, sparse=self._sparse())
        found = np.asarray(self.regressor_.predict(X), dtype=np.float64)
        found = found.reshape(len(found), -1)
        bad = ~np.isfinite(found).all(axis=1)
        if bad.any():
            raise ValueError(
                f"{type(self._inner()).__name__} predicted NaN or infinity for row "
                f"{int(np.argmax(bad))} of X; scale the features, or regularise it."
            )
        if self.link == "clip":
            return self._clip(found)
        return inverse_ilr(found) if self._uses_ilr() else softmax(found, axis=1)

    def _clip(self, found: FloatArray) -> FloatArray:
        P = np.maximum(found, 0.0)
        P[~P.any(axis=1)] = self.distribution_
        P /= P.max(axis=1, keepdims=True)  # sums of huge numbers stay finite
        P /= P.sum(axis=1, keepdims=True)
        return replace_zeros(P, self.smoothing, base=self._base())

    def _targets(self, D: FloatArray) -> FloatArray:
        if self.link == "clip":
            return D
        if self.smoothing == 0 and (D <= 0).any():
            raise ValueError(
                f"link={self.link!r} takes logarithms, but row "
                f"{int(np.argmax((D <= 0).any(axis=1)))} of y contains a zero; use a "
                "smoothing above 0, or link='clip'."
            )
        positive = replace_zeros(D, self.smoothing, base=self._base())
        if self.link == "softmax":
            return np.log(positive)
        return ilr(positive) if self._uses_ilr() else clr(positive)

    def _base(self) -> FloatArray:
        """The mean distribution with a trace of every label."""
        return replace_zeros([self.distribution_], self.smoothing)[0]

    def _uses_ilr(self) -> bool:
        # a single label has no log-ratio, and regressors want a column
        return self.link == "ilr" and len(self.classes_) > 1

    def _inner(self) -> Any:
        return Ridge() if self.regressor is None else self.regressor

    def _sparse(self) -> bool:
        return inner_tags([self._inner()]).sparse

    def _takes_sample_weight(self) -> bool:
        return bool(sample_weight_keys(self._inner()))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = inner_tags([self._inner()])
        return tags
