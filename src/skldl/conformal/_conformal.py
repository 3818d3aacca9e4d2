"""Conformal prediction around any distribution learner."""

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from skldl._inner import check_inner_data, require_instance
from skldl._sklearn import HasMethods, Interval, StrOptions, fit_context
from skldl._typing import FloatArray
from skldl.auto import AutoLDL
from skldl.conformal._balls import METRICS, Ball
from skldl.conformal._fitting import (
    FitData,
    Part,
    fit_part,
    fit_rows,
    folds_of,
    label_scale,
    predict_rows,
    split_rows,
)
from skldl.conformal._predicting import RegionPredictor
from skldl.conformal._prepare import calibrate, checked_rows, difficulty_bins
from skldl.conformal._votes import fit_concentration, simulate_scores


class ConformalDistribution(RegionPredictor, BaseEstimator):
    r"""Regions around predicted distributions that hold the true ones.

    Scores :math:`s_i = s(d_i, p(x_i))` of calibration samples that the learner has not
    seen say how far predictions are off. The region of a new sample is a ball on the
    simplex,

    .. math:: \{q : s(q, p(x)) \le s_{(k)}\}, \quad k = \lceil (n + 1) c \rceil,

    with the k-th smallest of n scores. If new samples come from the same source as the
    others, it holds the new distribution with probability at least c, whatever the
    learner and however few the samples.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Distribution learner, pipeline, search or :class:`~skldl.auto.AutoLDL`; None for
        ``LogisticLDL()``. A fitted model in scikit-learn's ``FrozenEstimator`` stays as
        it is, and all rows are for the calibration; they must be new to it.
    distance : {"label", "tv", "kl", "aitchison"}, default="label"
        Score s, the distance of distributions:

        - "label": the largest absolute difference, each label in units of its standard
          deviation in the training rows; has the shortest intervals;
        - "tv": total variation, half the sum of absolute differences: the share of
          votes to move;
        - "kl": Kullback-Leibler divergence of the truth from the prediction;
        - "aitchison": Euclidean distance of centred log-ratios.
    method : {"split", "cross", "oof"}, default="split"
        Where calibration samples come from: rows that are kept apart; folds, so that
        all rows are used twice; or the out-of-fold predictions that AutoLDL made
        anyway, see Notes.
    coverage : float, default=0.9
        Probability c that a region holds the distribution.
    calibration_size : int or float, default=0.25
        Calibration rows of "split", as a number or a share.
    cv : int or splitter, default=5
        Folds of "cross", and (if it is a number) of the difficulty.
    difficulty : None, "prediction" or regressor, default=None
        Divides scores by an estimate of how hard a sample is, so that regions are
        smaller where prediction is easy. It learns the logarithms of scores in folds of
        the training rows: "prediction" by a ridge on the predicted distribution, a
        regressor from the features.
    n_bins : int or None, default=None
        Groups of samples of about equal difficulty, each with a quantile of its own,
        so that the coverage holds in each. With "split" and ``difficulty``.
    target : {"observed", "underlying"}, default="observed"
        What regions are for: the shares of as many votes as the calibration samples
        have, which is guaranteed; or the distribution behind the votes, which rests on
        a model, see Notes.
    smoothing : float, default=0.01
        Share of the uniform distribution that is mixed in before logarithms: into
        predictions for "kl", into all distributions for "aitchison".
    random_state : int, RandomState instance or None, default=None
        For the split or the folds, and for learners whose seed is open.

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted learner, or one per fold.
    calibration_ : Calibration
        Scores of the calibration samples.
    groups_ : list
        Names of the groups that ``fit`` has seen; empty without groups.
    concentration_ : float
        Of the Dirichlet-multinomial of votes, the lower end of its 95 % interval; only
        with ``target="underlying"``.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    Notes
    -----
    The guarantee is *marginal*: on average over calibration samples and new samples, if
    all of them are exchangeable. It is not one for each x, not one for a label or a
    group that was not asked for, and it ends where new data differ from the old.

    "cross" predicts the mean of the models of K folds. Its ball holds the
    cross-conformal region by the triangle inequality, so it needs a metric, which "kl"
    is not. The proof gives the coverage
    :math:`1 - 2(1 - c) - 2 (1 - 1/K) / (n/K + 1)` or more; in practice it is about c or
    above. "oof" has no such proof: the out-of-fold predictions come from other models
    than the final one, which is usually a little better.

    Weights count samples: a sample of weight 2 is two samples. For new data from
    elsewhere, weight by how likely a sample is there relative to here, in ``fit`` and
    in ``predict_region``. A learner that does not take weights is fitted without.

    With ``target="underlying"`` the votes of a sample are taken to be drawn from a
    distribution that is Dirichlet around the prediction, with one concentration that is
    fitted to the votes of the calibration samples, on the safe side. The radius is
    multiplied by the ratio of the quantiles of simulated scores, of the distributions
    behind the votes and of the votes' shares. It is as good as this model.

    For "aitchison" the intervals are those of the ball in smoothed distributions, which
    may be a little wider than the region.

    References
    ----------
    .. [1] V. Vovk, A. Gammerman and G. Shafer, "Algorithmic Learning in a Random
       World", Springer, 2005.
    .. [2] J. Lei, M. G'Sell, A. Rinaldo, R. J. Tibshirani and L. Wasserman,
       "Distribution-Free Predictive Inference for Regression", Journal of the American
       Statistical Association 113, 2018.
    .. [3] V. Vovk, "Cross-Conformal Predictors", Annals of Mathematics and Artificial
       Intelligence 74, 2015.
    .. [4] R. Foygel Barber, E. J. Candès, A. Ramdas and R. J. Tibshirani, "Predictive
       Inference with the Jackknife+", Annals of Statistics 49(1), 2021.
    .. [5] R. J. Tibshirani, R. Foygel Barber, E. J. Candès and A. Ramdas, "Conformal
       Prediction Under Covariate Shift", NeurIPS, 2019.

    Examples
    --------
    >>> from skldl.conformal import ConformalDistribution
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LogisticLDL
    >>> X, D = make_ldl(500, random_state=0)
    >>> model = ConformalDistribution(LogisticLDL(), coverage=0.8, random_state=0)
    >>> regions = model.fit(X[:300], D[:300]).predict_region(X[300:])
    >>> bool(0.7 < regions.contains(D[300:]).mean() < 0.9)
    True
    >>> regions.lower.shape, regions.labels.shape
    ((200, 5), (200, 5))
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "distance": [StrOptions({"tv", "kl", "aitchison", "label"})],
        "method": [StrOptions({"split", "cross", "oof"})],
        "coverage": [Interval(Real, 0, 1, closed="neither")],
        "calibration_size": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
        ],
        "cv": ["cv_object"],
        "difficulty": [
            StrOptions({"prediction"}), HasMethods(["fit", "predict"]), None
        ],
        "n_bins": [Interval(Integral, 2, None, closed="left"), None],
        "target": [StrOptions({"observed", "underlying"})],
        "smoothing": [Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
    }  # fmt: skip

    def __init__(
        self,
        estimator: Any = None,
        distance: str = "label",
        method: str = "split",
        coverage: float = 0.9,
        *,
        calibration_size: float = 0.25,
        cv: Any = 5,
        difficulty: Any = None,
        n_bins: int | None = None,
        target: str = "observed",
        smoothing: float = 0.01,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.distance = distance
        self.method = method
        self.coverage = coverage
        self.calibration_size = calibration_size
        self.cv = cv
        self.difficulty = difficulty
        self.n_bins = n_bins
        self.target = target
        self.smoothing = smoothing
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        n_votes: Any = None,
    ) -> Self:
        """Fit the learner, and score it on samples that it has not seen.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples; those of weight 0 are left out.
        groups : array-like of shape (n_samples,), default=None
            A group of each sample, such as a country: each gets a quantile of its own,
            so that the coverage holds in each.
        n_votes : array-like of shape (n_samples,) or int, default=None
            Votes behind each row of y, for ``target="underlying"``; None takes the sums
            of its rows if these are counts.

        Returns
        -------
        self : ConformalDistribution
        """
        inner = self._inner()
        require_instance(inner, "estimator")
        self._check_settings(inner, groups)
        X, D = check_inner_data(self, X, y, sparse=self._sparse())
        wanted = self.target == "underlying"
        data = checked_rows(
            FitData(X, D, self.classes_),
            sample_weight,
            groups,
            (y if n_votes is None else n_votes) if wanted else None,
        )
        rng = check_random_state(self.random_state)
        parts, P, unseen = self._fit_parts(inner, data, rng)
        self.estimators_ = [part.model for part in parts]
        self._balls = [part.ball for part in parts]
        self._difficulties = [part.difficulty for part in parts]
        if self.n_bins is not None:
            self._edges = difficulty_bins(data, parts[0], self.n_bins)
            unseen.group = self._bin(parts[0].difficulty, unseen.X, P)
            unseen.group_names = [f"difficulty {i + 1}" for i in range(self.n_bins)]
        self.groups_ = list(unseen.group_names)
        self.calibration_, spread = calibrate(unseen, P, parts)
        if wanted:
            self._simulate(unseen, P, spread, rng)
        return self

    def _fit_parts(
        self, inner: Any, data: FitData, rng: Any
    ) -> tuple[list[Part], FloatArray, FitData]:
        """Fitted models, predictions of rows new to them, and these rows."""
        n_samples = len(data.D)
        seed = int(rng.randint(2**31 - 1))
        if self.method == "oof":
            return self._out_of_fold(fit_rows(inner, data, seed), data)
        if isinstance(inner, FrozenEstimator):
            ball = Ball(self.distance, self.smoothing, np.ones(data.D.shape[1]))
            parts = [Part(inner, ball, None, np.arange(n_samples))]
        elif self.method == "split":
            folds = [split_rows(n_samples, self.calibration_size, rng)]
            parts = [fit_part(inner, data, *folds[0], self, seed)]
        else:
            folds = folds_of(self.cv, data, seed)
            parts = [fit_part(inner, data, *fold, self, seed) for fold in folds]
        rows = np.concatenate([part.rows for part in parts])
        found = [predict_rows(p.model, data.rows(p.rows).X) for p in parts]
        return parts, np.concatenate(found), data.rows(rows)

    def _out_of_fold(self, model: Any, data: FitData) -> Any:
        rows = model.oof_rows_
        ball = Ball(self.distance, self.smoothing, label_scale(data.D[rows]))
        part = Part(model, ball, None, np.arange(len(rows)))
        return [part], model.oof_prediction_, data.rows(rows)

    def _simulate(self, data: FitData, P: FloatArray, spread: Any, rng: Any) -> None:
        counts = np.rint(data.D * data.n_votes[:, None])
        self.concentration_ = fit_concentration(counts, P, confidence=0.95)
        self._simulated = simulate_scores(
            P, data.n_votes, self.concentration_, self._wide_ball(), spread, rng
        )

    @classmethod
    def from_fitted(
        cls, model: Any, *, distance: str = "label", coverage: float = 0.9
    ) -> "ConformalDistribution":
        """Regions around a fitted AutoLDL, by its out-of-fold predictions.

        Nothing is fitted. There is no proof of the coverage, see Notes of the class.

        Parameters
        ----------
        model : AutoLDL
            Fitted.
        distance : {"label", "tv", "kl", "aitchison"}, default="label"
            Distance of distributions.
        coverage : float, default=0.9
            Probability that a region holds the distribution.

        Returns
        -------
        regions : ConformalDistribution
            Fitted.
        """
        check_is_fitted(model)
        if not hasattr(model, "oof_target_"):
            raise ValueError(
                f"{type(model).__name__} has no out-of-fold predictions. Fit "
                "ConformalDistribution(model) instead, which calibrates on other rows "
                "than it fits."
            )
        new = cls(clone(model), distance, "oof", coverage)
        new._validate_params()
        D, P = model.oof_target_, model.oof_prediction_
        ball = Ball(distance, new.smoothing, label_scale(D))
        new.estimators_, new._balls, new._difficulties = [model], [ball], [None]
        part = Part(model, ball, None, np.arange(len(D)))
        data = FitData(None, D, model.classes_)
        new.calibration_, _ = calibrate(data, P, [part])
        new.groups_, new.classes_ = [], model.classes_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(model, name):
                setattr(new, name, getattr(model, name))
        return new

    def _check_settings(self, inner: Any, groups: Any) -> None:
        """Refuse settings that do not go together, before anything is fitted."""
        frozen = isinstance(inner, FrozenEstimator)
        if self.method == "cross" and self.distance not in METRICS:
            raise ValueError(
                f"method='cross' needs a distance with a triangle inequality, which "
                f"{self.distance!r} does not have: take distance='tv', 'aitchison' or "
                "'label', or method='split'."
            )
        if self.method == "oof" and not isinstance(inner, AutoLDL):
            raise ValueError(
                "method='oof' needs an estimator that keeps out-of-fold predictions, "
                f"AutoLDL; {type(inner).__name__} does not. Take method='cross'."
            )
        if self.difficulty is not None and (frozen or self.method == "oof"):
            raise ValueError(
                "difficulty is learned from training rows; take method='split' or "
                "'cross', and an estimator that is not frozen."
            )
        if frozen and self.method != "split":
            raise ValueError(
                "A FrozenEstimator is not fitted again; use method='split' with it."
            )
        if self.n_bins is None:
            return
        if self.difficulty is None or self.method != "split" or groups is not None:
            raise ValueError(
                "n_bins makes groups by difficulty: it needs a difficulty, "
                "method='split', and no groups."
            )
