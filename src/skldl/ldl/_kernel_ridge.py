"""Kernel ridge regression of distributions, all settings by leave-one-out."""

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import Interval, StrOptions, fit_context
from skldl._typing import FloatArray, IndexArray
from skldl.base import DistributionPredictorMixin
from skldl.ldl._equal_rows import Merged, checked_weights, merge_equal_rows, spread
from skldl.ldl._kernel_choice import FIRST, Candidate, Targets, climb, judge
from skldl.ldl._kernel_map import (
    Front,
    check_centers,
    exact_path,
    kernel_values,
    landmark_path,
    make_front,
    usual_distance,
)
from skldl.ldl._links import Link
from skldl.validation import check_features, check_fit_data

_BATCH = 1000  # samples predicted at once
_MOST_EXACT = 2000  # samples that are all centres by default
_CENTERS = 1000  # of them, if there are more samples
_SEARCH = 800  # samples on which widths are compared, if all are centres
_FEW = 2  # samples per feature from which leave-one-out may judge whitening
_SMOOTHINGS = {"identity": (0.003, 0.01, 0.03, 0.1), "clr": (0.001, 0.01, 0.1)}
_POSITIVE = Interval(Real, 0, None, closed="neither")
_AUTO = StrOptions({"auto"})


def _first(rows: Merged) -> Merged:
    """Rows on which widths are compared; their order is as good as random."""
    if len(rows.X) <= _SEARCH:
        return rows
    parts = (rows.X[:_SEARCH], rows.Z[:_SEARCH], rows.weights[:_SEARCH])
    return Merged(*parts, rows.of_row)


class KernelRidgeLDL(DistributionPredictorMixin, BaseEstimator):
    r"""Kernel ridge regression, with settings chosen by exact leave-one-out.

    .. math:: \min_{f, b} \sum_i w_i \lVert t(d_i) - f(x_i) - b \rVert^2
       + \lambda \lVert f \rVert_k^2

    in the functions of a kernel k, with targets t: the degrees themselves, or their
    centred log-ratios. Predicted degrees are clipped at 0 and divided by their sum;
    of predicted log-ratios the softmax is taken. The intercept b is free, so that a
    very strong ridge gives the mean distribution.

    One eigendecomposition of the kernel matrix gives, for every ridge, the prediction
    of each sample by all others. Width, ridge, smoothing and link are those with the
    least Kullback-Leibler divergence of these predictions.

    Parameters
    ----------
    gamma : float or "auto", default="auto"
        Width :math:`\gamma` of the kernel, for distances after ``standardize`` and
        ``whiten``. ``"auto"`` begins at 3 divided by the median squared distance and
        goes on by factors of about 3, from 0.01 to 100, as long as the loss falls. If
        all of more than 800 distinct samples are kernel centres, widths and ``whiten``
        are compared on 800 of them, and all else is chosen on all.
    reg : float or "auto", default="auto"
        Ridge :math:`\lambda`; ``"auto"`` tries 17, from 1e-5 to 1e3 of the mean
        eigenvalue.
    link : {"mix", "identity", "clr"}, default="mix"
        Targets: degrees (``"identity"``), centred log-ratios (``"clr"``), or both, with
        predictions mixed in the shares 0, 1/4, ... 1 that suit best.
    kernel : {"rational", "rbf"}, default="rational"
        :math:`1 / (1 + \gamma \lVert x - x' \rVert^2)`, which is a mixture of Gaussian
        kernels of all widths, or :math:`\exp(-\gamma \lVert x - x' \rVert^2)`.
    smoothing : float or "auto", default="auto"
        Share of the mean distribution that is mixed into distributions before the
        logarithm, and into clipped predictions, so that no predicted degree is 0.
    standardize : bool, default=True
        Whether features are divided by their standard deviations.
    whiten : bool or "auto", default="auto"
        Whether principal components are evened out before distances are taken (see
        Notes); ``"auto"`` tries both, which takes twice the time, with at least two
        distinct samples per feature, and else does not.
    n_components : int or None, default=None
        Landmarks of Nystroem's approximation: samples that kernel functions stand on.
        None takes all of up to 2000 distinct samples, and 1000 of more. Memory for
        all is about 40 n^2 bytes, and for landmarks 24 bytes for each pair of them.
    random_state : int, RandomState instance or None, default=None
        For the draw of landmarks, if there are any.

    Attributes
    ----------
    gamma_ : float
        Width of the kernel.
    gammas_ : ndarray of shape (n_gammas,)
        Widths tried with the chosen ``whiten_``.
    loo_losses_ : ndarray of shape (n_gammas,)
        Loss of each of them at its best ridge, smoothing and link, on the samples that
        widths are compared on.
    whiten_ : bool
        Whether components are evened out.
    parts_ : list of dict
        The regressions that are mixed: ``link``, ``reg``, ``smoothing``, ``share``, and
        the ``loss`` of each alone.
    loo_loss_ : float
        Weighted mean divergence of left-out samples.
    loo_prediction_ : ndarray of shape (n_samples, n_labels)
        Each training sample predicted by the others. Samples with equal features are
        left out together; a sample of weight 0 gets NaN.
    X_fit_ : ndarray of shape (n_centers, n_axes)
        What kernel functions stand on, after ``standardize`` and ``whiten``.
    dual_coef_ : ndarray of shape (n_parts, n_centers, n_labels)
        Coefficients of the kernel functions.
    intercept_ : ndarray of shape (n_parts, n_labels)
        b, and what calibrates log-ratios (see Notes).
    distribution_ : ndarray of shape (n_labels,)
        The mean distribution.
    mean_, axes_ : ndarray
        What is subtracted from features, and what they are multiplied by then.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    LogRatioRidgeLDL : Without a kernel.
    KernelSoftmaxLDL : Kernel functions fitted by divergence.
    LDSVR : Support vector regression of logits.

    Notes
    -----
    A left-out prediction is what a regression on the other samples would give, exactly
    [1]_, for given features and targets: standardisation, whitening, and the mean that
    is mixed in are those of all samples. With landmarks it is that of the ridge
    regression on their kernel functions [2]_.

    The mean of log-ratios is that of a geometric mean. Predicted log-ratios are
    therefore shifted, each label's by a constant, so that left-out predictions have
    the mean of the distributions; these constants have the least divergence.

    ``whiten`` divides the principal component of variance :math:`\sigma_k^2` by
    :math:`(\sigma_k^2 + v)^{1/4}` with v the mean variance. It is not done with more
    than 2000 samples and features both. With about as many features as samples it puts
    all training samples at the same distance from their mean, and new ones nearer to
    it: leave-one-out then promises too much.

    Samples with equal features become one, with the sum of their weights: the same
    regression, and a sample given twice is the same as one of weight 2.

    References
    ----------
    .. [1] G. H. Golub, M. Heath, G. Wahba, "Generalized Cross-Validation as a Method
       for Choosing a Good Ridge Parameter", Technometrics 21(2), 1979.
    .. [2] C. K. I. Williams, M. Seeger, "Using the Nyström Method to Speed Up Kernel
       Machines", Advances in Neural Information Processing Systems 13, 2001.
    .. [3] C. Saunders, A. Gammerman, V. Vovk, "Ridge Regression Learning Algorithm in
       Dual Variables", International Conference on Machine Learning, 1998.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import KernelRidgeLDL
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = KernelRidgeLDL().fit(X[:150], D[:150])
    >>> round(model.score(X[150:], D[150:]), 1)
    1.0
    """

    _parameter_constraints: dict = {
        "gamma": [_POSITIVE, _AUTO],
        "reg": [_POSITIVE, _AUTO],
        "link": [StrOptions({"mix", "identity", "clr"})],
        "kernel": [StrOptions({"rational", "rbf"})],
        "smoothing": [Interval(Real, 0, 1, closed="left"), _AUTO],
        "standardize": ["boolean"],
        "whiten": ["boolean", _AUTO],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        gamma: float | str = "auto",
        *,
        reg: float | str = "auto",
        link: str = "mix",
        kernel: str = "rational",
        smoothing: float | str = "auto",
        standardize: bool = True,
        whiten: bool | str = "auto",
        n_components: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.gamma = gamma
        self.reg = reg
        self.link = link
        self.kernel = kernel
        self.smoothing = smoothing
        self.standardize = standardize
        self.whiten = whiten
        self.n_components = n_components
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the settings and find the coefficients.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        self : KernelRidgeLDL
        """
        X, D = check_fit_data(self, X, y)
        weights = checked_weights(sample_weight, X)
        self.distribution_ = weights @ D / weights.sum()
        targets = Targets(D, self._links())
        rows = merge_equal_rows(X, targets.columns, weights)
        centers = self._draw(len(rows.X))
        few = _first(rows) if centers is None else rows
        best, front = self._choose(rows, few, targets, centers)
        if few is not rows:
            best = self._at(best.gamma, front.apply(rows.X), rows, targets, centers)
        self.mean_, self.axes_ = front.mean, front.axes
        self._store_solution(best)
        self.loo_prediction_ = spread(best.P, rows.of_row)
        return self

    def _choose(
        self, rows: Merged, few: Merged, targets: Targets, centers: IndexArray | None
    ) -> tuple[Candidate, Front]:
        """Find the treatment of the features and the width, on some of the rows."""
        best: tuple[Candidate, Front] | None = None
        place = FIRST
        for whiten in self._ways(rows.X):
            front = make_front(
                rows.X, rows.weights, standardize=self.standardize, whiten=whiten
            )
            if best is not None and front.axes.ndim == 1:
                continue  # too large to be whitened: the same again
            found, losses, place = self._search(front, few, targets, centers, place)
            if best is None or found.loss < best[0].loss:
                best, self.whiten_ = (found, front), whiten
                self.gammas_ = np.array(sorted(losses))
                self.loo_losses_ = np.array([losses[gamma] for gamma in sorted(losses)])
        assert best is not None  # there always is one way or another
        return best

    def _ways(self, X: FloatArray) -> tuple[bool, ...]:
        """Treatments of the features to try."""
        if self.whiten != "auto":
            return (bool(self.whiten),)
        return (False, True) if len(X) >= _FEW * X.shape[1] else (False,)

    def _links(self) -> list[Link]:
        names = ("identity", "clr") if self.link == "mix" else (self.link,)
        return [
            Link(name, float(smoothing), self.distribution_)
            for name in names
            for smoothing in (
                _SMOOTHINGS[name] if self.smoothing == "auto" else [self.smoothing]
            )
        ]

    def _draw(self, n_rows: int) -> IndexArray | None:
        """Landmarks among distinct rows, or None if all of them are centres."""
        wanted = self.n_components
        if wanted is None:
            wanted = n_rows if n_rows <= _MOST_EXACT else _CENTERS
        if wanted >= n_rows:
            check_centers(n_rows)
            return None
        check_centers(wanted)
        random_state = check_random_state(self.random_state)
        return random_state.choice(n_rows, wanted, replace=False)

    def _search(
        self,
        front: Front,
        rows: Merged,
        targets: Targets,
        centers: IndexArray | None,
        place: int,
    ) -> tuple[Candidate, dict[float, float], int]:
        """Find the best width for one treatment of the features."""
        X = front.apply(rows.X)
        usual = usual_distance(X)
        if self.gamma != "auto":
            candidate = self._at(float(self.gamma), X, rows, targets, centers)
            return candidate, {candidate.gamma: candidate.loss}, place
        return climb(
            lambda width: self._at(width / usual, X, rows, targets, centers), place
        )

    def _at(
        self,
        gamma: float,
        X: FloatArray,
        rows: Merged,
        targets: Targets,
        centers: IndexArray | None,
    ) -> Candidate:
        """The best that one width can do; X are the features after treatment."""
        D, Z = targets.split(rows.Z)
        reg = None if self.reg == "auto" else float(self.reg)
        if centers is None:
            path = exact_path(X, Z, rows.weights, gamma, self.kernel)
        else:
            path = landmark_path(X, Z, rows.weights, gamma, self.kernel, X[centers])
        return judge(gamma, path, D, targets, reg)

    def _store_solution(self, best: Candidate) -> None:
        self.gamma_, self.loo_loss_ = best.gamma, best.loss
        self.parts_: list[dict[str, Any]] = [
            {
                "link": part.link.name,
                "smoothing": part.link.smoothing,
                "reg": part.reg,
                "share": part.share,
                "loss": part.loss,
            }
            for part in best.parts
        ]
        solved = [best.path.solve(part.reg, part.columns) for part in best.parts]
        self.X_fit_ = best.path.centers
        self.dual_coef_ = np.array([coef for coef, _ in solved])
        self.intercept_ = np.array(
            [
                b + part.link.shift
                for (_, b), part in zip(solved, best.parts, strict=True)
            ]
        )

    def predict(self, X: Any) -> FloatArray:
        """Mix the predictions of the parts.

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
        X = Front(self.mean_, self.axes_).apply(X)
        P = np.zeros((len(X), len(self.classes_)))
        for rows in gen_batches(len(X), _BATCH):
            K = kernel_values(X[rows], self.X_fit_, self.gamma_, self.kernel)
            for part, coef, b in zip(
                self.parts_, self.dual_coef_, self.intercept_, strict=True
            ):
                link = Link(part["link"], part["smoothing"], self.distribution_)
                P[rows] += part["share"] * link.distributions(K @ coef + b)
        return P
