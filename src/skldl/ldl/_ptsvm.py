"""PT-SVM: support vector classification of weighted single labels."""

import warnings
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import Interval, StrOptions, fit_context
from skldl._typing import FloatArray, IndexArray
from skldl._warnings import caller_level
from skldl.base import DistributionPredictorMixin
from skldl.ldl._gaussian import (
    check_kernel_size,
    inner_distances,
    mean_distance_gamma,
)
from skldl.ldl._maxent import SABFGS
from skldl.ldl._ptsvm_calibration import Calibration
from skldl.ldl._ptsvm_pairs import Machine, fit_pairs
from skldl.validation import check_features, check_fit_data, weighted_rows

_POSITIVE = [Interval(Real, 0, None, closed="neither")]


class PTSVM(DistributionPredictorMixin, BaseEstimator):
    r"""Problem transformation with support vectors, PT-SVM.

    Every sample becomes one example of each label that it has, weighted by the degree.
    For each pair (j, k) of labels a support vector classifier with the kernel
    :math:`\exp(-\gamma \lVert x - x' \rVert^2)` is fitted to the examples,

    .. math::
        \min_{f, b}\ \tfrac12 \lVert f \rVert^2 + C m \sum_i
        d_{ik} \max(0, 1 - f(x_i) - b) + d_{ij} \max(0, 1 + f(x_i) + b)

    with m labels; the decision values, summed over the pairs that a label is in, become
    distributions :math:`\mathrm{softmax}(A f + b)`, with A and b fitted to values for
    samples that the classifiers had not seen. Where these values tell nothing about the
    labels, A is 0 and the mean distribution is predicted.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the errors.
    gamma : float or {"auto", "scale", "mean"}, default="auto"
        :math:`\gamma`; ``"auto"`` is 1 / n_features, ``"scale"`` divides by the
        variance of X, too, ``"mean"`` is :math:`1/2m^2` with m the mean distance of two
        samples.
    cv : int, default=3
        Folds for the decision values of samples not seen.
    resample : bool, default=False
        Whether to draw the examples at random, as many as there are samples: a sample,
        then a label of it according to the degrees. Noisier than weights.
    random_state : int, RandomState or None, default=None
        Seed of the examples that are drawn, and of the folds.
    max_iter : int, default=1_000_000
        Steps for a pair of labels at most.
    tol : float, default=1e-3
        Slope of the dual objective at which a pair is done.
    max_samples : int, default=8000
        Training samples to accept at most. About 8 n^2 bytes are needed, 0.5 GB for
        8000, and two copies of X.

    Attributes
    ----------
    support_vectors_ : ndarray of shape (n_support, n_features)
        Samples that the decision values depend on; none if there is a single label.
    dual_coef_ : ndarray of shape (n_support, n_labels)
        Their coefficients, summed over the pairs that a label is in.
    intercept_ : ndarray of shape (n_labels,)
        Constants of the decision values.
    gamma_ : float
        :math:`\gamma`.
    calibration_ : SABFGS or None
        From decision values to distributions; None if there is a single label.
    value_range_ : ndarray of shape (2, n_labels)
        Smallest and largest decision values that it was fitted to; others are moved to
        the nearer one.
    labels_ : ndarray of int
        Numbers of the labels that any sample has.
    n_iter_ : int
        Steps of the pair of labels that took most.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    PTBayes : The same transformation with Gaussians.

    Notes
    -----
    Deviations: the published method draws the examples at random, one for each sample
    and label; weights do the same without chance. With `resample` they are drawn here,
    too, but only one for each sample, which counts n_labels times: on average the
    objective is that of the weights, and `C` means the same. The examples are drawn
    once; a fold is fitted to those of its training samples. A label that is not drawn
    has decision value 0, and a degree by the softmax.

    Folds are drawn over rows, so the result depends on the order of the rows: degrees
    of 150 samples in another order differed by up to 0.07. More folds (`cv`) make the
    difference smaller.

    A sample with both labels of a pair stays one sample: the two dual variables that it
    would have as two examples enter the kernel by their difference only. So all pairs
    share one matrix of kernel values, see :func:`skldl.solvers.smo`; a solver for
    examples of one label each needs a matrix four times as large for every pair.

    The published method makes probabilities of pairs of labels by sigmoids and couples
    them; here one softmax does both. The constants of two classifiers may differ by
    more than the values of one classifier vary, above all where the kernel is nearly
    constant or nearly the identity. So the softmax is fitted to values less the mean
    value for the classifier's own training samples. A has a ridge of 1, 10, 100 or
    infinity, for values with a mean square of 1: the one with the least divergence for
    folds that A and b were not fitted to, of those which are not worse than the mean
    distribution for the training samples. The targets are moved towards the mean
    distribution by 1 / (n_samples + 1), in the manner of Platt [2]_.

    The published code leaves the columns of its predictions in the order in which
    labels happen to be drawn, so published numbers belong to permuted labels and cannot
    be met.

    References
    ----------
    .. [1] X. Geng, "Label Distribution Learning", IEEE Transactions on Knowledge
       and Data Engineering 28(7), 2016.
    .. [2] J. Platt, "Probabilistic Outputs for Support Vector Machines and Comparisons
       to Regularized Likelihood Methods", Advances in Large Margin Classifiers, 1999.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import PTSVM
    >>> X, D = make_ldl(120, n_labels=3, random_state=0)
    >>> model = PTSVM(random_state=0).fit(X[:90], D[:90])
    >>> model.score(X[90:], D[90:]) > 0.8
    True
    """

    _parameter_constraints: dict = {
        "C": _POSITIVE,
        "gamma": [*_POSITIVE, StrOptions({"auto", "scale", "mean"})],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "resample": ["boolean"],
        "random_state": ["random_state"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": _POSITIVE,
        "max_samples": [Interval(Integral, 1, None, closed="left")],
    }

    _grids: dict = {"default": {"C": [0.1, 1.0, 10.0]}}

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float | str = "auto",
        cv: int = 3,
        resample: bool = False,
        random_state: Any = None,
        max_iter: int = 1_000_000,
        tol: float = 1e-3,
        max_samples: int = 8000,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.cv = cv
        self.resample = resample
        self.random_state = random_state
        self.max_iter = max_iter
        self.tol = tol
        self.max_samples = max_samples

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier, and the softmax of its decision values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, which multiply those of their examples, and weights
            in the fit of A and b. With `resample` samples are drawn in proportion to
            them.

        Returns
        -------
        self : PTSVM
        """
        X, D = check_fit_data(self, X, y)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        self._check_size(len(X))
        self.labels_ = np.flatnonzero(D.any(axis=0))
        rng = check_random_state(self.random_state)
        # as many examples as would be drawn: one per sample and label
        weights = D.shape[1] * D
        if self.resample:
            weights = drawn(D, rng, sample_weight)
        elif sample_weight is not None:
            weights *= sample_weight[:, None]
        unseen, folds, ends = self._unseen(X, weights, rng, sample_weight)
        machine = self._machine(X, weights)
        self._warn_of_the_worst([*ends, (machine.residual, machine.n_iter)])
        self.support_vectors_, self.dual_coef_, self.intercept_ = machine[:3]
        self.gamma_, self.n_iter_ = machine.gamma, max(1, machine.n_iter)
        self.calibration_: SABFGS | None = None
        self.value_range_ = np.tile(machine.intercept, (2, 1))
        if len(self.labels_) > 1:
            self._calibrate(unseen, folds, machine.seen, D, sample_weight)
        return self

    def _unseen(
        self,
        X: FloatArray,
        weights: FloatArray,
        rng: Any,
        sample_weight: FloatArray | None,
    ) -> tuple[FloatArray, IndexArray, list[tuple[float, int]]]:
        """Decision values of samples left out, without the constants of the machines.

        Also the folds of the samples, and slopes and steps of the machines.
        """
        values, folds = np.zeros(weights.shape), np.zeros(len(X), dtype=np.intp)
        ends = []
        splits = KFold(self.cv, shuffle=True, random_state=rng).split(X)
        for fold, (train, test) in enumerate(splits):
            machine = self._machine(X[train], weights[train])
            own = None if sample_weight is None else sample_weight[train]
            center = np.average(machine.seen, axis=0, weights=own)
            values[test] = machine.values(X[test]) - center
            folds[test] = fold
            ends.append((machine.residual, machine.n_iter))
        return values, folds, ends

    def _calibrate(
        self,
        unseen: FloatArray,
        folds: IndexArray,
        seen: FloatArray,
        D: FloatArray,
        sample_weight: FloatArray | None,
    ) -> None:
        unseen, seen, D = (each[:, self.labels_] for each in (unseen, seen, D))
        size = float(np.abs(seen).max())
        calibration = Calibration(unseen, D, size, sample_weight)
        center = np.average(seen, axis=0, weights=sample_weight)
        model, low, high = calibration.choose(folds, seen - center)
        model.intercept_ -= model.coef_ @ center
        self.calibration_ = model
        self.value_range_[:, self.labels_] = np.vstack([low, high]) + center

    def _warn_of_the_worst(self, ends: list[tuple[float, int]]) -> None:
        residual, n_iter = max(ends)
        if residual > self.tol:
            warnings.warn(
                f"PTSVM stopped after {n_iter} steps for a pair of labels with a slope "
                f"of {residual:.2g} (tol={self.tol:g}). Raise max_iter or tol, or "
                "lower C.",
                ConvergenceWarning,
                stacklevel=caller_level(),
            )

    def _check_size(self, n_samples: int) -> None:
        if n_samples < self.cv:
            raise ValueError(
                f"PTSVM needs cv={self.cv} samples or more, got n_samples={n_samples}."
            )
        check_kernel_size("PTSVM", n_samples, self.max_samples, bytes_each=8)

    def _machine(self, X: FloatArray, weights: FloatArray) -> Machine:
        gamma = self.gamma
        if gamma == "mean":
            gamma = mean_distance_gamma(inner_distances(X))
        if isinstance(gamma, str):
            variance = float(X.var()) if gamma == "scale" else 1.0
            gamma = 1.0 / (X.shape[1] * (variance or 1.0))
        return fit_pairs(
            X, self.C * weights, gamma=gamma, max_iter=self.max_iter, tol=self.tol
        )

    def predict(self, X: Any) -> FloatArray:
        """Take the softmax of the decision values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Rows on the simplex.
        """
        check_is_fitted(self)
        X = check_features(self, X, reset=False, dtype=np.float64)
        P = np.zeros((len(X), len(self.classes_)))
        if self.calibration_ is None:
            P[:, self.labels_] = 1.0
        else:
            machine = Machine(
                self.support_vectors_, self.dual_coef_, self.intercept_, self.gamma_
            )
            values = np.clip(machine.values(X), *self.value_range_)
            P[:, self.labels_] = self.calibration_.predict(values[:, self.labels_])
        return P


def drawn(
    D: FloatArray, rng: Any, sample_weight: FloatArray | None = None
) -> FloatArray:
    """Weights of samples and labels: as many are drawn as there are samples."""
    n_samples, n_labels = D.shape
    mean = 1.0 if sample_weight is None else float(sample_weight.mean())
    if sample_weight is None or np.ptp(sample_weight) == 0:
        # equal weights draw the samples that none draw
        rows = rng.randint(n_samples, size=n_samples)
    else:
        shares = sample_weight / sample_weight.sum()
        rows = rng.choice(n_samples, size=n_samples, p=shares)
    sums = np.cumsum(D[rows], axis=1)
    labels = np.argmax(sums > rng.uniform(size=(n_samples, 1)) * sums[:, -1:], axis=1)
    counts = np.zeros(D.shape)
    np.add.at(counts, (rows, labels), 1.0)
    # the same weight in all as without chance
    return n_labels * mean * counts
