"""What a fitted AutoLDL can do: predict, refit, explain, distill."""

import time
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted

from skldl._inner import check_weights
from skldl._sklearn import safe_indexing
from skldl._typing import FloatArray
from skldl.auto._board import as_table
from skldl.auto._explain import importances
from skldl.auto._job import Data
from skldl.auto._search import Budget, fit_members
from skldl.base import DistributionPredictorMixin
from skldl.ldl import ExtraTreesLDL, combine
from skldl.validation import check_distribution, check_features, label_names

_JOB = 0.3  # of the time that one fit may take
# up to which a single job at a time runs in this process, where it cannot be stopped
_SMALL_ROWS, _SMALL_CELLS = 1000, 200_000


class PooledModel(DistributionPredictorMixin):
    """A pool of fitted learners behind one encoder of tables."""

    encoder_: Any
    estimators_: list[Any]
    weights_: dict[str, float]
    pool_: str
    bias_: FloatArray | None
    metric: str
    backend: str
    memory_limit: float | None
    n_jobs: int | None
    time_limit: float
    _board: list[list[Any]]

    def _budget(self, X: Any, begin: float, share: float) -> Budget:
        n_jobs = effective_n_jobs(self.n_jobs)
        backend = self.backend
        if backend == "auto":
            small = len(X) <= _SMALL_ROWS and np.prod(X.shape) <= _SMALL_CELLS
            backend = "serial" if n_jobs == 1 and small else "process"
        return Budget(
            backend,
            n_jobs,
            self.memory_limit if backend == "process" else None,
            begin + share * self.time_limit,
            _JOB * self.time_limit,
        )

    @property
    def leaderboard_(self) -> pd.DataFrame:
        """The pool and all candidates, best first."""
        check_is_fitted(self)
        return as_table(self._board)

    def predict(self, X: Any) -> FloatArray:
        """Pool the members' predictions.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_columns)
            Samples, as in ``fit``. New categories and gaps are fine.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Rows on the simplex.
        """
        check_is_fitted(self)
        X = self._encoded(X)
        found = np.stack([model.predict(X) for model in self.estimators_])
        weights = list(self.weights_.values())
        return combine(found, weights, pool=self.pool_, bias=self.bias_)

    def _encoded(self, X: Any) -> FloatArray:
        X = samples(self, X, reset=False)
        if self.encoder_ is not None:
            return self.encoder_.transform(X)
        if not np.isfinite(X).all():
            row, column = np.argwhere(~np.isfinite(X))[0]
            raise ValueError(
                f"X contains NaN or infinity in row {row}, column {column}. The "
                "training rows had none; fill the gap, or fit on rows with gaps."
            )
        return X

    def refit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the members of the pool on other rows; their weights stay.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_columns)
            Samples with the same columns, such as the old ones and new ones.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        self : AutoLDL
        """
        check_is_fitted(self)
        classes = self.classes_
        X, D, weight = checked_data(self, X, y, sample_weight)
        if not np.array_equal(classes, self.classes_):
            self.classes_ = classes
            raise ValueError(f"y must have the labels {list(classes)}, in this order.")
        data = Data(
            X if self.encoder_ is None else self.encoder_.fit(X).transform(X), D, weight
        )
        pairs = zip(self.weights_, self.estimators_, strict=True)
        members = {name: clone(model) for name, model in pairs}
        found = fit_members(members, data, self._budget(X, time.monotonic(), 1.0))
        bad = {name: o.message for name, o in found.items() if o.status != "ok"}
        if bad:
            name = next(iter(bad))
            raise RuntimeError(f"The fit of {name!r} failed: {bad[name]}")
        self.estimators_ = [found[name].model for name in self.weights_]
        return self

    def explain(
        self, X: Any, y: Any, *, n_repeats: int = 5, random_state: Any = None
    ) -> pd.DataFrame:
        """Permutation importance of every column, for the metric and for each label.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_columns)
            Samples; better new ones than those of ``fit``.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        n_repeats : int, default=5
            Shuffles of each column.
        random_state : int, RandomState instance or None, default=None
            For the shuffles.

        Returns
        -------
        importances : DataFrame
            One row per column, the most important first: ``importance`` (how much worse
            the metric becomes), its standard deviation ``std`` over the shuffles, and
            for each label how much its mean absolute error grows.
        """
        check_is_fitted(self)
        X = samples(self, X, reset=False)
        D = check_distribution(y, name="y")
        names = getattr(self, "feature_names_in_", None)
        names = [f"x{j}" for j in range(X.shape[1])] if names is None else list(names)
        rng = check_random_state(random_state)
        return importances(self, X, D, names, self.metric, n_repeats, rng)

    def report(self, path: Any, X: Any = None, y: Any = None, **options: Any) -> Path:
        """Write a page about the model as one HTML file.

        Parameters
        ----------
        path : str or Path
            Where to; the name ends in .html or .htm.
        X : array-like or DataFrame of shape (n_samples, n_columns), default=None
            Rows to judge the model by: those of ``fit``, which are judged by
            out-of-fold predictions, or new ones. None takes the out-of-fold
            predictions alone, without what the columns do.
        y : array-like of shape (n_samples, n_labels), default=None
            Their label distributions, D.
        **options : optional
            Others of :func:`skldl.report.write_model_report`.

        Returns
        -------
        path : Path
        """
        import skldl  # pages are a higher layer, which is loaded if one is wanted

        return skldl.report.write_model_report(self, X, y, path, **options)

    def distill(self, X: Any, learner: Any = None) -> Any:
        """Fit one learner to the predictions of the pool.

        The learner is smaller and faster than the pool, and nearly as good if it can
        imitate it. It needs samples, but no votes.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_columns)
            Samples, such as those of ``fit`` and others without votes.
        learner : estimator, default=None
            A distribution learner; None takes extra trees. It gets a clone of the
            encoder in front if the table needs one.

        Returns
        -------
        model : estimator
            Fitted; takes the same tables as the pool.
        """
        P = self.predict(X)
        model = ExtraTreesLDL(random_state=0) if learner is None else clone(learner)
        if self.encoder_ is not None:
            model = Pipeline([("table", clone(self.encoder_)), ("learn", model)])
        plain = np.array_equal(self.classes_, np.arange(P.shape[1]))
        return model.fit(X, P if plain else pd.DataFrame(P, columns=self.classes_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def checked_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[Any, FloatArray, FloatArray | None]:
    """Samples, distributions and weights of a fit, without those of weight 0."""
    if y is None:
        raise ValueError(
            "AutoLDL requires y to be passed, but the target y is None: give the "
            "label distributions D, one row per sample."
        )
    X = samples(estimator, X, reset=True)
    D = check_distribution(y, name="y")
    check_consistent_length(X, D)
    estimator.classes_ = label_names(y, D.shape[1])
    weight = check_weights(sample_weight, D)
    if weight is not None:
        rows = np.flatnonzero(weight)
        X, D, weight = safe_indexing(X, rows), D[rows], weight[rows]
    if len(D) < 4:
        raise ValueError(
            "AutoLDL needs a minimum of 4 samples to compare its candidates, got "
            f"n_samples = {len(D)}."
        )
    return X, D, weight


def samples(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """A table stays one, and an array may have gaps."""
    if hasattr(X, "columns"):
        if not reset and hasattr(estimator, "feature_names_in_"):
            return X  # its encoder finds columns by name, in any order
        if reset:
            return check_features(estimator, X, skip_check_array=True)
    return check_features(
        estimator, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"
    )
