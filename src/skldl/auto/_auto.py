"""AutoLDL: many learners within a time limit, and the best pool of them."""

import time
import warnings
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import pairwise
from numbers import Integral, Real
from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from skldl._seeds import with_seed
from skldl._sklearn import (
    Interval,
    StrOptions,
    fit_context,
)
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.auto._board import (
    POOL,
    Score,
    best_single,
    board_rows,
    judge,
)
from skldl.auto._candidates import (
    BASELINE,
    PRESETS,
    Candidate,
    make_candidates,
    split_by_size,
)
from skldl.auto._choice import (
    WAYS,
    Choice,
    choose,
    estimate,
    mean_and_error,
    sample_losses,
)
from skldl.auto._curve import gains_of_all_rows, halved, mean_rows
from skldl.auto._job import Data
from skldl.auto._plan import plan_stages
from skldl.auto._pooled import PooledModel, checked_data
from skldl.auto._search import Budget, Features, Search, fit_members
from skldl.auto._store import Store
from skldl.auto._words import misplaced, verdict
from skldl.metrics import get_metric
from skldl.preprocessing import TableEncoder

_SEARCH = 0.75  # of the time for the search; the rest is for fits on all rows
_LATE = 0.1  # of the time that the best member may take more, if no other one is fitted


class AutoLDL(PooledModel, BaseEstimator):
    r"""The best pool of many learners that a time limit allows.

    Candidates of a portfolio predict shared folds; a linear pool :math:`\sum_j w_j p_j`
    or a log-linear pool :math:`\mathrm{softmax}(\sum_j w_j \ln p_j + b)` of them is
    fitted by the chosen metric, and its members are fitted again on all rows. The mean
    distribution is always a candidate. A candidate that fails, takes too long or needs
    too much memory is listed in the leaderboard with the reason.

    Parameters
    ----------
    time_limit : float, default=300
        Seconds that ``fit`` may take. Three quarters are for the search.
    metric : str, default="kl_divergence"
        What to make best: any metric of distributions or of their largest label.
    preset : {"fast", "medium", "best"}, default="medium"
        How much is tried: 4 candidates in 3 folds, 12 in 5, or all in 8.
    portfolio : list, default=None
        Candidates in place of the preset's: pairs (name, learner), or entries as
        :func:`read_portfolio` gives them.
    encoder : TableEncoder, default=None
        What turns tables into numbers, with your own settings; None takes
        ``TableEncoder()``, and for an array without gaps nothing.
    cv : int, default=None
        Number of folds; None takes the preset's.
    backend : {"auto", "serial", "process", "dask"}, default="auto"
        Where candidates are fitted: in this process, in processes of their own (which
        can be stopped at a limit), or on the workers of the current Dask client.
        ``"auto"`` takes processes, unless ``n_jobs`` is 1 and the table is small.
    memory_limit : float, default=None
        MB that a fit may need, in processes (Linux).
    store : str or Path, default=None
        File that keeps the predictions of candidates, so that a run that was stopped
        goes on where it was; made if it is not there.
    n_jobs : int, default=None
        Candidates that are fitted at the same time; None means 1, -1 all cores.
    random_state : int, RandomState instance or None, default=None
        For folds and for learners that draw. An integer makes results repeatable,
        unless the time limit ends the search.

    Attributes
    ----------
    leaderboard_ : DataFrame
        The pool and all candidates, best first: ``score`` on rows that they were not
        fitted on, its ``standard_error``, ``gain`` over the mean distribution with its
        ``gain_error``, seconds of a fold's fit and prediction, ``weight`` in the pool,
        ``status`` and ``message``.
    best_ : str
        Name of the best single candidate.
    weights_ : dict of str to float
        Weights of the pool's members.
    pool_ : {"linear", "log"}
        How predictions are pooled.
    bias_ : ndarray of shape (n_labels,) or None
        Biases b of a log-linear pool.
    estimators_ : list of estimators
        Members, fitted on all rows, in the order of ``weights_``.
    encoder_ : TableEncoder or None
        What turns a table into numbers; None if X is an array without gaps.
    score_, score_error_ : float
        Estimate of the metric on new data, and its standard error. Each row was
        predicted by a pool whose members and weights were chosen without it. The score
        is that of the pool in the leaderboard, corrected by ``size_gain_``.
    size_gain_ : float
        What the score gains because the model is fitted on all rows, and not on those
        of a fold alone. NaN if it could not be estimated, because there was no time, a
        fit failed or Ctrl-C was pressed; ``score_`` is then not corrected.
    mean_score_ : float
        The mean distribution's score, estimated in the same way.
    oof_prediction_ : ndarray of shape (n_rows, n_labels)
        Predictions of the rows ``oof_rows_`` by pools whose members, fitted on the
        other folds, and weights were chosen without them.
    oof_rows_ : ndarray of int
        Rows of X that took part in the last stage of the search, in the order of the
        folds.
    oof_target_ : ndarray of shape (n_rows, n_labels)
        The distributions of these rows, for regions around predictions.
    verdict_ : str
        How good the model is, in words.
    notes_ : list of str
        What the user should know: candidates left out by their size, an interrupt, the
        end of the time.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    skldl.ldl.StackedDistribution : A pool of members that you choose.

    Notes
    -----
    Up to 4,000 rows every candidate sees all of them. Larger tables are searched by
    successive halving: the better half of the candidates goes on to five times the
    rows, up to 50,000. Only the fits of the members take all rows. Candidates that
    cannot take so many rows are left out, which ``notes_`` says.

    Each way of pooling is fitted on all folds but one and judged on that one. The ways
    are the best single candidate, the linear pool and the log-linear pool with and
    without biases. The best of them is taken if it is better than the single candidate
    by more than one standard error of the difference, and the single candidate
    otherwise. Weights and biases are fitted to the metric, and with fewer than 500 rows
    shrunk to equal weights.

    For the estimate a fold is predicted by the pool of the other folds, in the way that
    their losses take. The members of that pool saw the m rows of the other folds, those
    of the model see all n rows. So they are also fitted on h, half of the m rows. Where
    the loss falls with the number of rows as :math:`L(m) = a + b / m`,

    .. math:: L(m) - L(n) = \frac{1/m - 1/n}{1/h - 1/m} \, (L(h) - L(m)),

    which the estimate takes into account.

    Ctrl-C ends the search; what is finished becomes the model. A second Ctrl-C stops
    the fit.

    References
    ----------
    .. [1] R. Caruana, A. Niculescu-Mizil, G. Crew and A. Ksikes, "Ensemble Selection
       from Libraries of Models", ICML, 2004.
    .. [2] M. Feurer, K. Eggensperger, S. Falkner, M. Lindauer and F. Hutter,
       "Auto-Sklearn 2.0: Hands-free AutoML via Meta-Learning", Journal of Machine
       Learning Research 23, 2022.
    .. [3] K. Jamieson and A. Talwalkar, "Non-stochastic Best Arm Identification and
       Hyperparameter Optimization", AISTATS, 2016.

    Examples
    --------
    >>> from skldl.auto import AutoLDL
    >>> from skldl.datasets import make_ldl
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = AutoLDL(preset="fast", random_state=0).fit(X, D)
    >>> bool(model.score_ < model.mean_score_)
    True
    >>> model.predict(X[:2]).shape
    (2, 5)
    """

    _parameter_constraints: dict = {
        "time_limit": [Interval(Real, 0, None, closed="neither")],
        "metric": [str],
        "preset": [StrOptions(set(PRESETS))],
        "portfolio": [list, tuple, None],
        "encoder": [TableEncoder, None],
        "cv": [Interval(Integral, 2, None, closed="left"), None],
        "backend": [StrOptions({"auto", "serial", "process", "dask"})],
        "memory_limit": [Interval(Real, 0, None, closed="neither"), None],
        "store": [str, PathLike, None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        time_limit: float = 300,
        metric: str = "kl_divergence",
        preset: str = "medium",
        *,
        portfolio: Sequence[Any] | None = None,
        encoder: TableEncoder | None = None,
        cv: int | None = None,
        backend: str = "auto",
        memory_limit: float | None = None,
        store: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.time_limit = time_limit
        self.metric = metric
        self.preset = preset
        self.portfolio = portfolio
        self.encoder = encoder
        self.cv = cv
        self.backend = backend
        self.memory_limit = memory_limit
        self.store = store
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search, pool, and fit the members on all rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_columns)
            Training samples. A DataFrame may have categories, dates, text and gaps, an
            array gaps.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, such as their numbers of votes; those of weight 0
            are left out. Candidates that cannot use weights ignore them in their fit,
            but are judged by them.

        Returns
        -------
        self : AutoLDL
        """
        begin = time.monotonic()
        if get_metric(self.metric).kind not in ("distribution", "classification"):
            raise ValueError(
                f"metric={self.metric!r} is not a metric of predicted distributions; "
                "use one that is, such as 'kl_divergence'."
            )
        X, D, weight = checked_data(self, X, y, sample_weight)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        candidates = make_candidates(self.portfolio, self.preset, self.metric, seed)
        candidates, left_out = split_by_size(candidates, len(D))
        features = Features(X, self._new_encoder(X))
        n_splits = self.cv or PRESETS[self.preset][0]
        stages = plan_stages(len(D), len(candidates), n_splits, seed)
        search = Search(
            candidates, stages, features, D, weight, self.metric,
            self._budget(X, begin, _SEARCH), Store(self.store),
        )  # fmt: skip
        with search.store:
            search.run()
            self.notes_ = [*search.notes(), *_left_out(left_out, len(D))]
            self._fit_pool(search, X, begin)
            self._correct_scores(search, self._budget(X, begin, 1.0), seed)
        self._board = board_rows(self._scores, search.records, self.weights_, left_out)
        del self._scores
        for note in self.notes_:
            warnings.warn(note, UserWarning, stacklevel=caller_level())
        return self

    def _new_encoder(self, X: Any) -> TableEncoder | None:
        if isinstance(X, np.ndarray) and np.isfinite(X).all():
            return None
        encoder = TableEncoder() if self.encoder is None else clone(self.encoder)
        return with_seed(encoder, 0)

    def _choose(self, search: Search, only: Container[str] | None = None) -> Choice:
        """Pool what was predicted, and estimate what the pool reaches.

        ``only`` names the candidates that the pool may have; the scores of the others
        are kept.
        """
        stage, finished = search.stages[search.last], search.finished()
        if not finished or search.records[finished[0]].name != BASELINE:
            reason = search.records[0].message or "interrupted"
            raise RuntimeError(
                f"AutoLDL did not finish any candidate, not even the mean "
                f"distribution, within time_limit={self.time_limit:g} seconds "
                f"({reason}). Raise time_limit."
            )
        names = [search.records[i].name for i in finished]
        P = search.predictions(names)
        rows, D = stage.rows, search.D[stage.rows]
        weight = search.weight_of(rows)
        ends = np.cumsum([0, *(len(test) for _, test in stage.folds)])
        folds = [np.arange(*pair) for pair in pairwise(ends)]
        able = [i for i, name in enumerate(names) if only is None or name in only]
        found = estimate(P[able], D, weight, self.metric, folds, list(WAYS))
        self._estimate = found, [names[i] for i in able]
        self.oof_prediction_, self.oof_rows_ = found.predict(P[able]), rows
        self.oof_target_ = D
        pool_losses = sample_losses(self.metric, D, self.oof_prediction_)
        self._judge(judge(names, P, pool_losses, D, weight, self.metric), D, weight)
        able_names = [names[i] for i in able]
        return choose(found.way, P[able], D, weight, self.metric, able_names)

    def _judge(self, scores: dict[str, Score], D: FloatArray, weight: Any) -> None:
        """Keep scores, and say in words how good the pool is."""
        pool = scores[POOL]
        self._scores = scores
        self.score_, self.score_error_ = pool.score, pool.error
        self.mean_score_ = scores[BASELINE].score
        self.best_ = best_single(scores)
        mean = np.broadcast_to(np.average(D, axis=0, weights=weight), D.shape)
        self.verdict_ = verdict(
            misplaced(D, self.oof_prediction_, weight),
            misplaced(D, mean, weight),
            pool.gain,
            pool.gain_error,
        )

    def _correct_scores(self, search: Search, budget: Budget, seed: int) -> None:
        """Add what fits on all rows gain, if there is time to find out."""
        self.size_gain_ = float("nan")
        found, names = self._estimate
        del self._estimate
        stage = search.stages[search.last]
        halves = halved(stage.folds, seed)
        n_rows = mean_rows(halves), mean_rows(stage.folds), float(len(search.D))
        used = {BASELINE, *(names[i] for i in found.members)}
        again = None
        if n_rows[0] < n_rows[1]:
            again = search.predict_again(sorted(used), halves, budget)
        if again is None:
            return
        D, weight = self.oof_target_, search.weight_of(stage.rows)
        mean = search.predictions([BASELINE])[0]
        pooled = found.predict(np.stack([again.get(n, mean) for n in names]))
        pairs = (self.oof_prediction_, pooled), (mean, again[BASELINE])
        sign = -1.0 if get_metric(self.metric).greater_is_better else 1.0
        scores = []
        for P, from_half in pairs:
            gains = gains_of_all_rows(D, from_half, P, weight, self.metric, n_rows)
            losses = sample_losses(self.metric, D, P) - gains
            scores.append(mean_and_error(losses, weight))
        (score, self.score_error_), (mean_score, _) = scores
        self.size_gain_ = sign * (self.score_ - sign * score)
        self.score_, self.mean_score_ = sign * score, sign * mean_score

    def _fit_pool(self, search: Search, X: Any, begin: float) -> None:
        """Pool the candidates, and fit the members on all rows.

        If some member does not end in time, the pool is made again of those that did,
        so that the scores are those of the model.
        """
        self.encoder_ = search.features.encoder
        if self.encoder_ is not None:
            self.encoder_ = clone(self.encoder_).fit(X)
        data = Data(search.features.learned_from(slice(None)), search.D, search.weight)
        fitted: dict[str, Any] = {}
        choice = self._choose(search)
        self._fit_members(fitted, choice, search, data, begin)
        lost = choice.weights.keys() - fitted.keys()
        if lost:  # the next best ones have a chance, if there is time
            others = {record.name for record in search.records} - lost | {BASELINE}
            choice = self._choose(search, others)
            self._fit_members(fitted, choice, search, data, begin)
        if any(name not in fitted for name in choice.weights):
            mean = clone(_models(search)[BASELINE]).fit(data.X, data.D)
            fitted.setdefault(BASELINE, mean)
            choice = self._choose(search, fitted)
        self.pool_, self.bias_, self.weights_ = choice.kind, choice.bias, choice.weights
        self.estimators_ = [fitted[name] for name in self.weights_]

    def _fit_members(
        self,
        fitted: dict[str, Any],
        choice: Choice,
        search: Search,
        data: Data,
        begin: float,
    ) -> None:
        """Fit members on all rows that are not fitted; the first one may be late."""
        weights = {n: w for n, w in choice.weights.items() if n not in fitted}
        heavy_first = sorted(weights, key=lambda name: -weights[name])
        models = {name: _models(search)[name] for name in heavy_first}
        budget = self._budget(data.X, begin, 1.0)
        found = fit_members(models, data, budget)
        if not fitted and all(o.status == "timeout" for o in found.values()):
            late = replace(budget, deadline=time.monotonic() + _LATE * self.time_limit)
            found |= fit_members({heavy_first[0]: models[heavy_first[0]]}, data, late)
        self.notes_ += [
            f"{name!r} left the pool, as its fit on all rows did not end well: "
            f"{found[name].message}"
            for name in weights
            if found[name].status != "ok"
        ]
        fitted.update({n: o.model for n, o in found.items() if o.status == "ok"})


def _models(search: Search) -> dict[str, Any]:
    """Candidates by name, not fitted."""
    return {candidate.name: candidate.estimator for candidate in search.candidates}


def _left_out(candidates: list[Candidate], n_rows: int) -> list[str]:
    """The rule of sizes, where it leaves out candidates."""
    if not candidates:
        return []
    names = ", ".join(f"{c.name} (up to {c.max_rows:,})" for c in candidates)
    return [f"Left out, as the table has {n_rows:,} rows: {names}."]
