"""What every distribution predictor must do, on genuine distributions."""

import pickle
import traceback
import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd
import skops.io
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

from skldl.datasets import make_ldl
from skldl.metrics import SCORERS, intersection
from skldl.validation import check_distribution


def _data(n_samples: int = 60, **settings: Any) -> tuple[np.ndarray, np.ndarray]:
    settings = {"n_features": 4, "n_labels": 3, "random_state": 0, **settings}
    return make_ldl(n_samples, **settings)


def _fresh(estimator: BaseEstimator) -> Any:
    model = clone(estimator)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    return model


def _same(actual: Any, expected: Any) -> None:
    """Equal up to what another order of summation changes."""
    assert_allclose(actual, expected, rtol=1e-6, atol=1e-8)


def _raises(error: type[Exception], call: Callable[[], Any], *words: str) -> None:
    """Require an error whose message holds all the words."""
    try:
        call()
    except error as raised:
        missing = [word for word in words if word not in str(raised)]
        assert not missing, f"the message {str(raised)!r} does not say {missing}"
    else:
        raise AssertionError(f"{error.__name__} was not raised")


def check_simplex_output(estimator: BaseEstimator) -> None:
    """Predictions are float64 rows on the simplex, one column per label."""
    X, D = _data()
    P = _fresh(estimator).fit(X, D).predict(X)
    assert isinstance(P, np.ndarray), f"predict gave {type(P).__name__}, not an array"
    assert P.shape == D.shape, f"predict gave shape {P.shape}, not {D.shape}"
    assert P.dtype == np.float64, f"predict gave {P.dtype}, not float64"
    check_distribution(P, on_unnormalized="raise", name="prediction")


def check_zeros_and_one_hot(estimator: BaseEstimator) -> None:
    """Exact zeros and one-hot rows in D are fine."""
    X, D = _data()
    D = np.where(D < 0.2, 0.0, D)
    D[::3] = np.eye(3)[np.arange(20) % 3]
    D /= D.sum(axis=1, keepdims=True)
    P = _fresh(estimator).fit(X, D).predict(X)
    check_distribution(P, on_unnormalized="raise", name="prediction")


def check_constant_labels(estimator: BaseEstimator) -> None:
    """If all training distributions are equal, so are the predictions."""
    X, _ = _data()
    constant = np.array([0.2, 0.3, 0.5])
    P = _fresh(estimator).fit(X, np.tile(constant, (len(X), 1))).predict(X)
    assert_allclose(P, np.tile(constant, (len(X), 1)), rtol=1e-3, atol=1e-3)


def check_single_label(estimator: BaseEstimator) -> None:
    """One label leaves only one answer: all ones."""
    X, _ = _data()
    P = _fresh(estimator).fit(X, np.ones((len(X), 1))).predict(X)
    assert_allclose(P, 1.0)


def check_label_permutation(estimator: BaseEstimator) -> None:
    """Permuting the labels permutes the predictions."""
    X, D = _data()
    order = [2, 0, 1]
    P = _fresh(estimator).fit(X, D).predict(X)
    permuted = _fresh(estimator).fit(X, D[:, order]).predict(X)
    _same(permuted, P[:, order])


def check_row_order(estimator: BaseEstimator) -> None:
    """The order of the training rows does not matter."""
    X, D = _data()
    order = np.random.default_rng(0).permutation(len(X))
    P = _fresh(estimator).fit(X, D).predict(X)
    shuffled = _fresh(estimator).fit(X[order], D[order]).predict(X)
    _same(shuffled, P)


def check_duplicate_rows(estimator: BaseEstimator) -> None:
    """Exact duplicates in the training data do no harm."""
    X, D = _data()
    model = _fresh(estimator).fit(np.vstack([X, X]), np.vstack([D, D]))
    check_distribution(model.predict(X), on_unnormalized="raise", name="prediction")
    X[:] = X[0]
    P = _fresh(estimator).fit(X, D).predict(X)
    check_distribution(P, on_unnormalized="raise", name="prediction")


def check_single_sample_prediction(estimator: BaseEstimator) -> None:
    """A sample's prediction does not depend on the samples beside it."""
    X, D = _data()
    model = _fresh(estimator).fit(X, D)
    alone = np.vstack([model.predict(X[i : i + 1]) for i in range(5)])
    _same(alone, model.predict(X)[:5])


def check_clone_pickle_refit(estimator: BaseEstimator) -> None:
    """Pickling keeps predictions; refitting forgets the first data."""
    X, D = _data()
    model = _fresh(estimator).fit(X, D)
    P = model.predict(X)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), P)
    other_X, other_D = _data(40, n_features=5, n_labels=2, random_state=1)
    refitted = model.fit(other_X, other_D).predict(other_X)
    _same(refitted, _fresh(estimator).fit(other_X, other_D).predict(other_X))
    assert len(model.classes_) == 2, "classes_ are those of the first data"


def check_skops(estimator: BaseEstimator) -> None:
    """Saving with skops keeps predictions, with ours and scikit-learn's types only."""
    X, D = _data()
    model = _fresh(estimator).fit(X, D)
    saved = skops.io.dumps(model)
    types = skops.io.get_untrusted_types(data=saved)
    foreign = [t for t in types if not t.startswith(("skldl.", "sklearn.", "scipy."))]
    assert not foreign, f"the fitted state contains types of others: {foreign}"
    again = skops.io.loads(saved, trusted=types)
    assert_array_equal(again.predict(X), model.predict(X))


def check_random_state(estimator: BaseEstimator) -> None:
    """Equal seeds give equal predictions."""
    X, D = _data()
    first, second = (_fresh(estimator).fit(X, D).predict(X) for _ in range(2))
    assert_array_equal(first, second)


def check_dataframe_names(estimator: BaseEstimator) -> None:
    """Column names become feature names and label names, and are checked."""
    X, D = _data()
    features = pd.DataFrame(X, columns=list("abcd"))
    labels = pd.DataFrame(D, columns=["joy", "fear", "calm"])
    model = _fresh(estimator).fit(features, labels)
    assert_array_equal(model.classes_, ["joy", "fear", "calm"])
    assert_array_equal(model.feature_names_in_, list("abcd"))
    _same(model.predict(features), _fresh(estimator).fit(X, D).predict(X))
    chosen = set(model.classify(features))
    assert chosen <= {"joy", "fear", "calm"}, f"classify gave {chosen}"
    _raises(ValueError, lambda: model.predict(features[list("dcba")]), "feature names")
    wrong = labels[["calm", "fear", "joy"]]
    _raises(ValueError, lambda: model.score(features, wrong), "columns", "fit")


def check_array_likes(estimator: BaseEstimator) -> None:
    """Lists and float32 give what float64 arrays give."""
    X, D = _data()
    P = _fresh(estimator).fit(X, D).predict(X)
    from_lists = _fresh(estimator).fit(X.tolist(), D.tolist()).predict(X.tolist())
    _same(from_lists, P)
    single = _fresh(estimator).fit(X.astype("f4"), D.astype("f4"))
    dtype = single.predict(X.astype("f4")).dtype
    assert dtype == np.float64, f"predict gave {dtype}, not float64, of float32"


def check_votes(estimator: BaseEstimator) -> None:
    """Counts of votes are normalised, with exactly one warning."""
    X, D = _data()
    votes = np.round(D * 100) + 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = _fresh(estimator).fit(X, votes)
    n_warnings = [w.category for w in caught].count(DataConversionWarning)
    assert n_warnings == 1, f"fit gave {n_warnings} DataConversionWarnings of votes"
    shares = votes / votes.sum(axis=1, keepdims=True)
    _same(model.predict(X), _fresh(estimator).fit(X, shares).predict(X))


def check_score_and_classify(estimator: BaseEstimator) -> None:
    """``score`` is the mean intersection, ``classify`` the largest label."""
    X, D = _data()
    model = _fresh(estimator).fit(X, D)
    P = model.predict(X)
    assert model.score(X, D) == intersection(D, P), "score is not the intersection"
    weights = np.arange(1.0, len(X) + 1)
    weighted = intersection(D, P, sample_weight=weights)
    score = model.score(X, D, sample_weight=weights)
    assert score == weighted, "score does not use sample_weight"
    assert_array_equal(model.classify(X), P.argmax(axis=1))


def check_model_selection(estimator: BaseEstimator) -> None:
    """Works in pipelines, cross-validation and searches, names kept."""
    X, D = _data()
    labels = pd.DataFrame(D, columns=["joy", "fear", "calm"])
    pipeline = make_pipeline(StandardScaler(), _fresh(estimator))
    scoring = {name: SCORERS[name] for name in ("clark", "intersection")}
    scores = cross_validate(
        pipeline, X, labels, cv=3, scoring=scoring, error_score="raise"
    )
    assert np.isfinite(scores["test_clark"]).all(), "a score is not finite"
    shape = cross_val_predict(pipeline, X, labels, cv=3).shape
    assert shape == D.shape, f"cross_val_predict gave shape {shape}, not {D.shape}"
    search = GridSearchCV(pipeline, {"standardscaler__with_mean": [True, False]}, cv=3)
    search.fit(X, labels)
    assert_array_equal(search.classes_, ["joy", "fear", "calm"])


def check_bad_targets(estimator: BaseEstimator) -> None:
    """Targets that are not distributions are refused with the place of the fault."""
    X, D = _data()

    def fit(target: Any) -> Callable[[], Any]:
        return lambda: _fresh(estimator).fit(X, target)

    def spoiled(value: float) -> np.ndarray:
        bad = D.copy()
        bad[7, 1] = value
        return bad

    _raises(ValueError, fit(spoiled(np.nan)), "NaN", "row 7")
    _raises(ValueError, fit(spoiled(np.inf)), "infinity", "row 7")
    _raises(ValueError, fit(spoiled(-0.1)), "non-negative", "row 7")
    empty = D.copy()
    empty[7] = 0.0
    _raises(ValueError, fit(empty), "Row 7", "zero")
    _raises(ValueError, fit(D[:, 0]))
    _raises(ValueError, fit(None), "requires y")
    _raises(ValueError, fit(D[:-1]), "inconsistent numbers of samples")


def check_bad_features(estimator: BaseEstimator) -> None:
    """NaN (unless the tags allow it), wrong width and unfitted use are refused."""
    X, D = _data()
    _raises(NotFittedError, lambda: _fresh(estimator).predict(X))
    if not estimator.__sklearn_tags__().input_tags.allow_nan:
        broken = X.copy()
        broken[3, 2] = np.nan
        _raises(ValueError, lambda: _fresh(estimator).fit(broken, D), "NaN")
    model = _fresh(estimator).fit(X, D)
    _raises(ValueError, lambda: model.predict(X[:, :2]), "2 features", "expecting 4")
    _raises(ValueError, lambda: model.predict(X[0]), "2D")


def check_few_samples(estimator: BaseEstimator) -> None:
    """With fewer samples than neighbours: a clear error, or a valid answer."""
    X, D = _data(2)
    try:
        P = _fresh(estimator).fit(X, D).predict(X)
    except ValueError as error:
        assert "n_samples" in str(error), f"{error} does not name n_samples"
    else:
        check_distribution(P, on_unnormalized="raise", name="prediction")


def check_sample_weight(estimator: BaseEstimator) -> None:
    """Weights of 1 change nothing, 0 leaves a row out, others matter, bad ones fail."""
    if not has_fit_parameter(estimator, "sample_weight"):
        return
    X, D = _data()

    def fit(rows: Any, weights: Any) -> Any:
        return _fresh(estimator).fit(X[rows], D[rows], sample_weight=weights)

    everyone = slice(None)
    P = fit(everyone, None).predict(X)
    _same(fit(everyone, np.ones(len(X))).predict(X), P)
    _same(fit(everyone, pd.Series(np.ones(len(X)))).predict(X), P)
    weights = np.linspace(0.2, 3.0, len(X))
    weights[::4] = 0.0
    part = np.flatnonzero(weights)
    weighted = fit(everyone, weights).predict(X)
    _same(weighted, fit(part, weights[part]).predict(X))
    plain = fit(part, None).predict(X)
    assert np.abs(weighted - plain).max() > 1e-5, "the weights change nothing"
    _raises(ValueError, lambda: fit(everyone, -weights), "sample_weight")
    _raises(ValueError, lambda: fit(everyone, 0 * weights), "zero")
    _raises(ValueError, lambda: fit(everyone, weights[1:]), "sample_weight")


#: All checks, in the order in which they run.
DISTRIBUTION_CHECKS: tuple[Callable[[BaseEstimator], None], ...] = (
    check_simplex_output,
    check_zeros_and_one_hot,
    check_constant_labels,
    check_single_label,
    check_label_permutation,
    check_row_order,
    check_duplicate_rows,
    check_single_sample_prediction,
    check_clone_pickle_refit,
    check_skops,
    check_random_state,
    check_dataframe_names,
    check_array_likes,
    check_votes,
    check_score_and_classify,
    check_model_selection,
    check_bad_targets,
    check_bad_features,
    check_few_samples,
    check_sample_weight,
)


def check_distribution_predictor(
    estimator: BaseEstimator, *, on_fail: Literal["raise"] | None = "raise"
) -> list[dict[str, Any]]:
    """Run every check for distribution predictors.

    Parameters
    ----------
    estimator : estimator
        An instance; it is cloned, never changed.
    on_fail : {"raise"} or None, default="raise"
        "raise" stops at the first check that fails, with an error that names the check
        and says what it expects. None runs all checks and only reports.

    Returns
    -------
    results : list of dict
        As of :func:`sklearn.utils.estimator_checks.check_estimator`: ``check_name``,
        ``status`` ("passed" or "failed"), ``expected`` (what the check wants, in one
        sentence), ``message`` (what happened instead) and ``exception``.

    Examples
    --------
    >>> from skldl.ldl import AAkNN
    >>> from skldl.testing import check_distribution_predictor
    >>> results = check_distribution_predictor(AAkNN(), on_fail=None)
    >>> [result for result in results if result["status"] == "failed"]
    []
    """
    if on_fail not in ("raise", None):
        raise ValueError(f"on_fail must be 'raise' or None, got {on_fail!r}.")
    results = []
    for check in DISTRIBUTION_CHECKS:
        result = _run_check(check, estimator)
        if on_fail == "raise" and result["status"] == "failed":
            raise AssertionError(
                f"{type(estimator).__name__} fails {result['check_name']}. Expected: "
                f"{result['expected']} Found: {result['message']}"
            ) from result["exception"]
        results.append(result)
    return results


def _run_check(
    check: Callable[[BaseEstimator], None], estimator: BaseEstimator
) -> dict[str, Any]:
    error: Exception | None = None
    try:
        check(estimator)
    except Exception as raised:
        error = raised
    return {
        "check_name": check.__name__,
        "status": "passed" if error is None else "failed",
        "expected": " ".join((check.__doc__ or "").split()),
        "message": "" if error is None else _what_happened(error),
        "exception": error,
    }


def _what_happened(error: Exception) -> str:
    """The message; of a bare assertion the line of code that did not hold."""
    if str(error).strip():
        kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
        return kind + str(error).strip()
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in line {last.lineno}, {last.line}"
