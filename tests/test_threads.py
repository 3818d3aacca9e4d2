"""Threads of BLAS and OpenMP: limited while an estimator works, then as before."""

import inspect
import multiprocessing
import os
import sys
import threading

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from threadpoolctl import ThreadpoolController, threadpool_limits

import skldl
from skldl import _threads
from skldl.auto._job import Data, Job, do_job
from skldl.base import DistributionPredictorMixin, LinearProjectionMixin
from skldl.datasets import make_ldl
from skldl.discovery import all_estimators
from skldl.ldl import BoostingLDL, LightGBMLDL
from skldl.validation import check_fit_data

X = np.arange(12.0).reshape(6, 2)
D = np.full((6, 2), 0.5)


def counts(api="blas"):
    controller = ThreadpoolController().select(user_api=api)
    return {library["num_threads"] for library in controller.info()}


class Spy(DistributionPredictorMixin, LinearProjectionMixin, BaseEstimator):
    """Remembers the number of threads that its methods were given."""

    def fit(self, X, y):
        check_fit_data(self, X, y)
        self.fit_counts_ = counts()
        self.predict(X)
        self.after_nested_ = counts()
        return self

    def predict(self, X):
        self.predict_counts_ = counts()
        return np.full((len(X), 2), 0.5)

    def transform(self, X):
        with _threads.large_product(5000, 1000, 1000):
            self.large_counts_ = counts()
        with _threads.large_product(100_000, 64, 64):
            self.small_counts_ = counts()
        return X


@pytest.fixture(autouse=True)
def two_threads():
    """Tests run with one thread; these need a limit to come down from."""
    with threadpool_limits(2), skldl.config_context(threads="auto"):
        if counts() != {2}:
            pytest.skip("this BLAS has no more than one thread")
        yield


def test_one_thread_inside_and_as_before_outside():
    spy = Spy().fit(X, D)
    assert spy.fit_counts_ == spy.predict_counts_ == spy.after_nested_ == {1}
    assert counts() == {2}


def test_the_limit_ends_with_an_error():
    with pytest.raises(ValueError, match="NaN"):
        Spy().fit(np.full((6, 2), np.nan), D)
    assert counts() == {2}


@pytest.mark.parametrize(("threads", "expected"), [(2, 2), (None, 2), (1, 1)])
def test_setting(threads, expected):
    with skldl.config_context(threads=threads):
        assert Spy().fit(X, D).fit_counts_ == {expected}
    assert skldl.get_config() == {"threads": "auto"}


def test_only_large_products_get_the_threads_back():
    spy = Spy()
    spy.transform(X)
    assert spy.large_counts_ == {2}
    assert spy.small_counts_ == {1}
    with skldl.config_context(threads=1):
        spy.transform(X)
    assert spy.large_counts_ == {1}
    spy = Spy()
    with _threads.worker_threads(1):
        spy.transform(X)
    assert spy.large_counts_ == {1}


def test_workers_of_a_comparison_use_what_they_were_given():
    with _threads.worker_threads(2):
        assert Spy().fit(X, D).fit_counts_ == {2}
    with _threads.worker_threads(1):
        assert counts() == {1}
    assert counts() == {2}


def test_fits_in_several_python_threads_share_the_limit():
    """The first to end must not lift the limit of the other."""
    inside, leave = threading.Event(), threading.Event()

    def work():
        with _threads.limited_threads():
            inside.set()
            leave.wait(10)

    other = threading.Thread(target=work)
    other.start()
    assert inside.wait(10)
    with _threads.limited_threads():
        pass
    assert counts() == {1}
    leave.set()
    other.join()
    assert counts() == {2}


def test_small_loops_have_one_openmp_thread():
    import sklearn.cluster  # noqa: F401  # loads the library

    if counts("openmp") != {2}:
        pytest.skip("no OpenMP library with two threads")
    with _threads.small_openmp(600):
        assert counts("openmp") == {1}
    with _threads.small_openmp(1_000_000):
        assert counts("openmp") == {2}


@pytest.mark.parametrize(
    ("name", "cls"), all_estimators(), ids=[name for name, _ in all_estimators()]
)
def test_every_estimator_limits_its_methods(name, cls):
    """Whatever a class defines or inherits, the limit is around it."""
    for method in ("fit", "predict", "transform", "predict_proba"):
        function = inspect.getattr_static(cls, method, None)  # no delegation
        if inspect.isfunction(function) and function.__module__.startswith("skldl"):
            while hasattr(function, "__wrapped__"):
                if function.__code__.co_filename == _threads.__file__:
                    break
                function = function.__wrapped__
            assert function.__code__.co_filename == _threads.__file__, method


@pytest.mark.parametrize("threads", [0, -1, 1.5, "many", True])
def test_bad_settings_are_refused(threads):
    with pytest.raises(ValueError, match="threads must be"):
        skldl.set_config(threads=threads)
    assert skldl.get_config() == {"threads": "auto"}


@pytest.mark.parametrize(
    ("text", "expected"), [("", "auto"), ("auto", "auto"), ("None", None), ("3", 3)]
)
def test_environment_variable(monkeypatch, text, expected):
    monkeypatch.setenv("SKLDL_THREADS", text)
    assert skldl.config._first_threads() == expected


def test_bad_environment_variable(monkeypatch):
    monkeypatch.setenv("SKLDL_THREADS", "few")
    with pytest.raises(ValueError, match="SKLDL_THREADS"):
        skldl.config._first_threads()


class Meets(BaseEstimator):
    """Fits that overlap: each waits for what the test says."""

    began, go = {}, {}

    def __init__(self, name="first"):
        self.name = name

    def fit(self, X, y):
        sys.stdout.write("not to be seen")
        self.began[self.name].set()
        self.go[self.name].wait(30)
        return self


def test_jobs_in_threads_give_the_output_back(capsys):
    before = sys.stdout
    names = ("first", "second")
    Meets.began = {name: threading.Event() for name in names}
    Meets.go = {name: threading.Event() for name in names}
    outcomes, threads = [], {}
    for name in names:
        job = Job(name, Meets(name), "data", "", np.arange(6), None)
        threads[name] = threading.Thread(
            target=lambda job=job: outcomes.append(do_job(job, Data(X, D)))
        )
        threads[name].start()
        assert Meets.began[name].wait(30)
    for name in names:  # the first to begin is the first to end
        Meets.go[name].set()
        threads[name].join(30)
    after, sys.stdout = sys.stdout, before
    assert after is before
    assert [outcome.status for outcome in outcomes] == ["ok", "ok"]
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("cls", [BoostingLDL, LightGBMLDL])
def test_trees_predict_in_a_fork_of_a_process_with_threads(cls):
    X, D = make_ldl(60, 4, 3, random_state=0)
    model = cls(max_iter=3, n_jobs=2).fit(X, D)
    expected = model.predict(X)
    queue = multiprocessing.get_context("fork").SimpleQueue()
    child = multiprocessing.get_context("fork").Process(
        target=lambda: queue.put(model.predict(X))
    )
    child.start()
    child.join(60)
    ended = not child.is_alive()
    child.kill()
    assert ended
    np.testing.assert_allclose(queue.get(), expected)
