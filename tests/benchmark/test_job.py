"""One job: its result, its key and its tuning."""

import os
import platform
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from faulty import Holds, NaN, OffSimplex, Raises, Random, WrongShape
from skldl.benchmark import Split
from skldl.benchmark._identity import describe_object, fingerprint
from skldl.benchmark._job import Job, run_job
from skldl.datasets import Dataset, load
from skldl.ldl import AAkNN, MeanDistribution
from skldl.methods import Tuning, derive_seed
from skldl.metrics import SCORERS, clark
from skldl.model_selection import PathSearchCV
from skldl.projection import MSLP

DATA = load("synthetic")
MARK = fingerprint(DATA)


def job(estimator, **changes):
    facts = {
        "dataset": "synthetic", "fingerprint": MARK, "split": Split(n_splits=5),
        "repetition": 0, "fold": 1, "method": "m", "estimator": estimator, **changes,
    }  # fmt: skip
    return Job(**facts)


def test_result_is_that_of_a_direct_computation():
    result = run_job(job(AAkNN(7)), DATA)
    train, test = Split(n_splits=5).rows(DATA, 0, 0, 1)
    P = AAkNN(7).fit(DATA.X[train], DATA.D[train]).predict(DATA.X[test])
    assert result.status == "ok"
    assert result.metrics["clark"] == clark(DATA.D[test], P)
    assert result.fit_s >= 0
    assert result.peak_mb >= 0
    assert "emd" not in result.metrics  # the labels are not ordered
    assert result.versions["numpy"] == np.__version__


def test_keys_name_the_content():
    base = job(AAkNN(7))
    assert base.key == job(AAkNN(7)).key
    different = [
        job(AAkNN(8)),
        job(AAkNN(7), fold=2),
        job(AAkNN(7), repetition=1),
        job(AAkNN(7), seed=1),
        job(AAkNN(7), method="other"),
        job(AAkNN(7), fingerprint="x"),
        job(AAkNN(7), split=Split(n_splits=6)),
        job(AAkNN(7), tuning=Tuning(), grid={"n_neighbors": [1]}),
        job(make_pipeline(AAkNN(7))),
    ]
    assert len({base.key, *(other.key for other in different)}) == 1 + len(different)
    # neither the number of repetitions nor a grid that is not searched matters
    assert job(AAkNN(7), split=Split(n_splits=5, n_repeats=9)).key == base.key
    assert job(AAkNN(7), grid={"n_neighbors": [1]}).key == base.key
    assert job(AAkNN(7), tuning=Tuning()).key == base.key


def power(exponent):
    return lambda x: x**exponent


def test_keys_tell_functions_and_fixed_splits_apart():
    first, same, other = (job(Holds(power(p))).key for p in (1.0, 1.0, 9.0))
    assert first == same
    assert first != other
    names = DATA.feature_names, DATA.label_names
    marks = {
        fingerprint(Dataset("s", DATA.X, "distribution", DATA.D, *names, **details))
        for details in (
            {},
            {"ordered": True},
            {"train": np.arange(5), "test": np.arange(5, 9)},
            {"train": np.arange(4), "test": np.arange(5, 9)},
        )
    }
    assert len(marks) == 4


def test_keys_are_the_same_in_every_process():
    code = (
        "from skldl.benchmark._identity import describe_object\n"
        "print(describe_object([frozenset('abcdef'), {'x', 'y'}, {'b': 1, 'a': 2}]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


def test_tuning_skips_settings_that_do_not_fit():
    grid = {"n_neighbors": [3, 9999]}
    result = run_job(job(AAkNN(), grid=grid, tuning=Tuning("clark", 3)), DATA)
    assert result.status == "ok"
    assert result.params == {"n_neighbors": 3}
    assert "n_neighbors=9999 is left out" in result.message


def test_descriptions_hold_no_addresses():
    text = str(describe_object([AAkNN(engine=AAkNN), np.eye(2), len, np.int64(3), {1}]))
    assert "0x" not in text
    assert describe_object(np.float64(0.5)) == 0.5
    assert describe_object(np.eye(2)) != describe_object(np.ones((2, 2)))


def test_fingerprint_follows_the_content():
    changed = DATA.X.copy()
    changed[0, 0] += 1e-9
    names = DATA.feature_names, DATA.label_names
    other = Dataset("synthetic", changed, "distribution", DATA.D, *names)
    assert fingerprint(other) != MARK
    strings = np.array(["a", "b"], dtype=object)
    fingerprint(Dataset("s", np.eye(2), "classes", strings, *names))


@pytest.mark.parametrize(
    ("estimator", "status", "words"),
    [
        (Raises(), "failed", "RuntimeError: no luck today"),
        (NaN(), "invalid", "not finite"),
        (OffSimplex(), "invalid", "sums to 1.01"),
        (WrongShape(), "invalid", "shape (100, 4), expected (100, 5)"),
        (AAkNN(10_000), "failed", "n_neighbors=10000"),
    ],
)
def test_faults_become_results(estimator, status, words):
    result = run_job(job(estimator), DATA)
    assert result.status == status
    assert words in result.message
    assert result.metrics == {}


def test_seeds_of_models_differ_by_fold_and_method_but_not_by_run():
    values = [
        run_job(job(Random(), **changes), DATA).metrics["clark"]
        for changes in ({}, {}, {"method": "other"}, {"seed": 3})
    ]
    assert values[0] == values[1]
    assert len(set(values)) == 3
    chosen = [run_job(job(Random(7), seed=s), DATA).status for s in (0, 1)]
    assert chosen == ["ok", "ok"]  # a seed that the user chose stays


def test_tuning_is_a_grid_search_on_the_training_part():
    grid = {"n_neighbors": [1, 9, 40]}
    tuned = run_job(job(AAkNN(), grid=grid, tuning=Tuning("clark", 3)), DATA)
    train, test = Split(n_splits=5).rows(DATA, 0, 0, 1)
    folds = KFold(
        3, shuffle=True, random_state=derive_seed("tuning", 0, "synthetic", 0, 1)
    )
    search = GridSearchCV(AAkNN(), grid, scoring=SCORERS["clark"], cv=folds)
    search.fit(DATA.X[train], DATA.D[train])
    assert tuned.params == search.best_params_
    assert tuned.metrics["clark"] == clark(DATA.D[test], search.predict(DATA.X[test]))
    with pytest.raises(ValueError, match="Unknown scoring"):
        Tuning("accuracyy")


class OwnPath(AAkNN):
    """Has a path of its own, on which 4 neighbours are always right."""

    def _path(self, X, D, X_test, settings):
        for setting in settings:
            P = np.full((len(X_test), D.shape[1]), 1 / D.shape[1])
            if setting["n_neighbors"] == 4:
                P = AAkNN(4).fit(X, D).predict(X_test)
            yield setting, P


def test_a_methods_own_path_is_used():
    grid = {"n_neighbors": [1, 4, 9]}
    tuned = run_job(job(OwnPath(), grid=grid, tuning=Tuning()), DATA)
    assert tuned.params == {"n_neighbors": 4}
    assert tuned.metrics == run_job(job(AAkNN(4)), DATA).metrics


class Talks(MeanDistribution):
    def fit(self, X, y):
        import warnings

        warnings.warn("did not converge", RuntimeWarning, stacklevel=1)
        warnings.warn("did not converge", RuntimeWarning, stacklevel=1)
        return super().fit(X, y)


def test_warnings_are_kept_once():
    result = run_job(job(Talks()), DATA)
    assert (result.status, result.message) == ("ok", "RuntimeWarning: did not converge")


def test_class_data_get_class_metrics():
    iris = load("iris")
    result = run_job(job(KNeighborsClassifier(1), dataset="iris"), iris)
    assert set(result.metrics) == {"accuracy", "balanced_accuracy", "cohen_kappa"}
    assert result.metrics["accuracy"] > 0.8


class Ranker(BaseEstimator):
    def fit(self, X, y):
        self.share_ = y.mean(axis=0)
        return self

    def predict_proba(self, X):
        return np.tile(self.share_, (len(X), 1))

    def predict(self, X):
        return (self.predict_proba(X) > 0.5).astype(int)


def test_indicator_data_get_ranking_metrics():
    Y = (DATA.D > 0.25).astype(float)
    data = Dataset("m", DATA.X, "indicator", Y, DATA.feature_names, DATA.label_names)
    result = run_job(job(Ranker(), dataset="m"), data)
    assert result.status == "ok", result.message
    assert {"ranking_loss", "hamming_loss", "coverage"} <= set(result.metrics)
    assert_allclose(result.metrics["hamming_loss"], Y.mean(), atol=0.1)


class Hungry(MeanDistribution):
    """Touches 64 MB in pieces that a heap keeps when they are freed."""

    def fit(self, X, y):
        pieces = [np.ones(8_000) for _ in range(1024)]
        assert len(pieces) == 1024
        return super().fit(X, y)


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc"
    or not os.access("/proc/self/clear_refs", os.W_OK),
    reason="no freed memory is given back, or no new peak can be started",
)
def test_memory_left_by_an_earlier_job_counts_again():
    peaks = [run_job(job(Hungry()), DATA).peak_mb for _ in range(3)]
    assert min(peaks) > 50


@pytest.mark.parametrize("scaled", [False, True])
def test_each_metric_has_the_setting_that_is_best_for_it(scaled):
    model = make_pipeline(StandardScaler(), AAkNN()) if scaled else AAkNN()
    name = "aaknn__n_neighbors" if scaled else "n_neighbors"
    grid = {name: [1, 4, 25]}
    names = ("zero_one_loss", "kl_divergence")
    together = run_job(job(model, grid=grid, tuning=Tuning(names, 3)), DATA)
    assert together.status == "ok", together.message
    for metric in names:
        alone = run_job(job(model, grid=grid, tuning=Tuning(metric, 3)), DATA)
        if not scaled:  # one metric alone scales the whole training part, for speed
            assert together.params[metric] == alone.params
            assert together.metrics[metric] == alone.metrics[metric]
        assert set(together.params[metric]) == {name}
    # metrics that nobody asked for come from the setting of the first
    first = together.params[names[0]]
    plain = run_job(job(clone(model).set_params(**first)), DATA)
    assert together.metrics["clark"] == plain.metrics["clark"]


def test_scorings_are_named_in_the_key():
    grid = {"n_neighbors": [1, 4]}
    keys = {
        job(AAkNN(), grid=grid, tuning=Tuning(scoring)).key
        for scoring in ("clark", ("clark",), ("clark", "cosine"), ("cosine", "clark"))
    }
    assert len(keys) == 4
    with pytest.raises(ValueError, match="Unknown scoring 'nothing'"):
        Tuning(("clark", "nothing"))


def test_what_a_step_before_the_end_chose_is_kept():
    search = PathSearchCV(MSLP(), {"n_neighbors": [5]}, cv=3)
    result = run_job(job(make_pipeline(search, AAkNN(3))), DATA)
    assert result.params == {"pathsearchcv__n_neighbors": 5}
