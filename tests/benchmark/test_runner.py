"""Runs that are killed, shared, limited and poisoned end with the right rows."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import faulty
from faulty import (
    Crashes,
    Daemonizes,
    EatsMemory,
    Exits,
    Forks,
    GlobalRandom,
    Hangs,
    Holds,
    NaN,
    OffSimplex,
    Prints,
    Raises,
    RaisesMute,
    RaisesStrange,
    Random,
    Slow,
    TimeBomb,
    WrongShape,
)
from processes import alive, wait_until
from skldl._processes import _pool
from skldl.benchmark import Plan, Split, Store, run
from skldl.datasets import load
from skldl.methods import Method, Tuning

HELPERS = Path(faulty.__file__).parent
VALUES = ["dataset", "repetition", "fold", "method", "metric", "value", "params"]


def small_plan(*methods, folds=3, **options):
    return Plan(["synthetic"], list(methods), Split(n_splits=folds), **options)


def same_results(first, second):
    pd.testing.assert_frame_equal(first[VALUES], second[VALUES], check_exact=True)


def test_present_is_skipped_and_a_larger_plan_only_adds(tmp_path):
    path, log = tmp_path / "s.sqlite", tmp_path / "log"
    method = Method("slow", Slow(0.0, str(log)))
    first = run(small_plan(method), path, engine="serial")
    again = run(small_plan(method), path, engine="serial")
    same_results(first, again)
    assert len(log.read_text().splitlines()) == 3
    run(small_plan(method, "AAkNN"), path, engine="serial")
    assert len(log.read_text().splitlines()) == 3
    repeated = Plan(["synthetic"], [method], Split(n_splits=3, n_repeats=2))
    run(repeated, path, engine="serial")
    assert len(log.read_text().splitlines()) == 6


def test_all_engines_give_the_same_bits(tmp_path):
    pytest.importorskip("distributed", reason="needs the extra distributed")
    plan = Plan(
        ["synthetic", "toy_noisy"],
        ["AAkNN", "standard+PCA+AAkNN(weights='dudani')", Method("random", Random())],
        Split(n_splits=3),
        tuning=Tuning("clark", 3),
    )
    serial = run(plan, tmp_path / "serial.sqlite", engine="serial")
    assert (serial["status"] == "ok").all()
    for name, options in {
        "one": {"n_jobs": 1},
        "two": {"n_jobs": 2},
        "dask": {"engine": "dask", "n_jobs": 2},
    }.items():
        same_results(serial, run(plan, tmp_path / f"{name}.sqlite", **options))


def test_nothing_poisons_a_comparison(tmp_path):
    faults = {
        "raises": (Raises(), "failed", "no luck"),
        "hangs": (Hangs(), "timeout", "Stopped after 1.5 s"),
        "crashes": (Crashes(), "failed", "SIGSEGV"),
        "nan": (NaN(), "invalid", "not finite"),
        "off": (OffSimplex(), "invalid", "sums to"),
        "shape": (WrongShape(), "invalid", "shape"),
    }
    methods = [Method(name, estimator) for name, (estimator, *_) in faults.items()]
    rows = run(
        small_plan(*methods, "AAkNN", folds=2),
        tmp_path / "s.sqlite",
        n_jobs=2,
        time_limit=1.5,
    )
    clean = run(small_plan("AAkNN", folds=2), engine="serial")
    same_results(rows[rows["status"] == "ok"].reset_index(drop=True), clean)
    for name, (_, status, words) in faults.items():
        part = rows[rows["method"] == name]
        assert (part["status"] == status).all(), part["message"].tolist()
        assert part["message"].str.contains(words).all(), part["message"].tolist()


def test_stranger_faults_on_every_engine(tmp_path):
    methods = [
        Method("exits", Exits()),
        Method("mute", RaisesMute()),
        Method("strange", RaisesStrange()),
        Method("prints", Prints()),
        Method("random", GlobalRandom()),
        "AAkNN",
    ]
    plan = small_plan(*methods, folds=2)
    serial = run(plan, tmp_path / "a.sqlite", engine="serial")
    process = run(plan, tmp_path / "b.sqlite", n_jobs=2)
    same_results(serial, process)
    for rows in (serial, process):
        bad = rows[rows["status"] != "ok"]
        assert set(bad["method"]) == {"exits", "mute", "strange"}


def test_a_forking_method_cannot_give_others_its_numbers(tmp_path):
    rows = run(small_plan(Method("forks", Forks()), "AAkNN"), n_jobs=1)
    clean = run(small_plan("AAkNN"), engine="serial")
    innocent = rows[rows["method"] != "forks"].reset_index(drop=True)
    same_results(innocent, clean)


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are found on Linux only")
def test_daemons_of_a_method_end_with_the_run(tmp_path):
    path = tmp_path / "pids"
    run(small_plan(Method("daemon", Daemonizes(str(path))), folds=2), n_jobs=1)
    pids = [int(line) for line in path.read_text().split()]
    assert len(pids) == 2  # one of each fold
    try:
        wait_until(lambda: not any(map(alive, pids)))
    finally:
        for pid in filter(alive, pids):
            os.kill(pid, signal.SIGKILL)


def test_a_late_crash_is_not_charged_to_the_next_method(tmp_path):
    plan = small_plan(Method("bomb", TimeBomb()), Method("slow", Slow(0.5)), folds=2)
    rows = run(plan, n_jobs=1)
    assert set(rows[rows["method"] == "slow"]["status"]) == {"ok"}


def test_methods_do_not_print_into_the_output(capfd):
    run(small_plan(Method("prints", Prints())), engine="serial")
    run(small_plan(Method("prints", Prints())), n_jobs=1)
    assert capfd.readouterr().out == ""


def test_parameters_that_cannot_be_described_are_named():
    plan = small_plan(Method("locked", Holds(threading.Lock())))
    with pytest.raises(ValueError, match="Method 'locked' has a parameter"):
        run(plan, engine="serial")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
def test_memory_limit_stops_a_fit(tmp_path):
    rows = run(
        small_plan(Method("hungry", EatsMemory()), folds=2),
        n_jobs=1,
        memory_limit=300,
        time_limit=60,
    )
    hungry = rows[rows["method"] == "hungry"]
    assert (hungry["status"] == "memory").all(), hungry["message"].tolist()
    assert hungry["message"].str.contains("over 300 MB").all()


def test_failures_are_retried_on_request_only(tmp_path):
    path = tmp_path / "s.sqlite"
    flag = tmp_path / "works"
    plan = small_plan(Method("sometimes", Sometimes(str(flag))), folds=2)
    assert "failed" in set(run(plan, path, engine="serial")["status"])
    flag.touch()
    assert "failed" in set(run(plan, path, engine="serial")["status"])
    rows = run(plan, path, engine="serial", retry_failed=True)
    assert set(rows["status"]) == {"ok"}


class Sometimes(Slow):
    def __init__(self, flag=""):
        super().__init__(0.0)
        self.flag = flag

    def fit(self, X, y):
        if not Path(self.flag).exists():
            raise RuntimeError("not yet")
        return super().fit(X, y)


def test_progress_tells_the_truth(tmp_path):
    seen = []
    plan = small_plan("AAkNN", Method("broken", Raises()), folds=2)
    run(plan, tmp_path / "s.sqlite", n_jobs=2, progress=seen.append)
    last = seen[-1]
    assert (last.total, last.done, last.failed, last.running) == (6, 6, 2, 0)
    assert max(now.running for now in seen) == 2
    assert [now.done for now in seen] == sorted(now.done for now in seen)
    seen.clear()
    run(plan, tmp_path / "s.sqlite", progress=seen.append)
    assert (seen[-1].skipped, seen[-1].failed) == (6, 2)


def test_wrong_options():
    plan = small_plan("AAkNN")
    with pytest.raises(ValueError, match="engine must be"):
        run(plan, engine="cloud")
    with pytest.raises(ValueError, match="n_jobs"):
        run(plan, n_jobs=0)
    with pytest.raises(ValueError, match="time_limit must be positive"):
        run(plan, time_limit=0)
    with pytest.raises(ValueError, match="memory_limit need engine='process'"):
        run(plan, engine="serial", time_limit=1)


SCRIPT = """
    import sys
    sys.path.insert(0, {helpers!r})
    from faulty import Slow
    from skldl.benchmark import Plan, Split, run
    from skldl.methods import Method

    # no guard around this on purpose: workers must not run the script again
    plan = Plan(
        ["synthetic"],
        ["AAkNN", Method("slow", Slow(0.08, {log!r}))],
        Split(n_splits=10, n_repeats=2),
    )
    rows = run(plan, {store!r}, n_jobs=2)
    print(len(rows.drop_duplicates("job")))
"""


def start(tmp_path, log=None):
    code = textwrap.dedent(SCRIPT).format(
        helpers=str(HELPERS), log=log and str(log), store=str(tmp_path / "s.sqlite")
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    return subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # a test run in the background may have been told to ignore interrupts
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )


def stored(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        return store.statuses()


def wait_for_rows(tmp_path, count, process):
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        if (tmp_path / "s.sqlite").exists() and len(stored(tmp_path)) >= count:
            return
        time.sleep(0.02)
    assert process.poll() is None, process.stderr.read().decode()


def expected_rows():
    methods = ["AAkNN", Method("slow", Slow(0.0))]
    plan = Plan(["synthetic"], methods, Split(n_splits=10, n_repeats=2))
    return run(plan, engine="serial")


def check_final(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        rows = store.rows()
    assert (rows["status"] == "ok").all()
    keys = ["method", "repetition", "fold", "metric"]
    final = rows.sort_values(keys).reset_index(drop=True)
    clean = expected_rows().sort_values(keys).reset_index(drop=True)
    assert_array_equal(final[keys], clean[keys])
    assert_array_equal(final["value"], clean["value"])


def test_killed_several_times_ends_like_an_uninterrupted_run(tmp_path):
    for count in (3, 30):
        process = start(tmp_path)
        wait_for_rows(tmp_path, count, process)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)  # ends only when the workers have ended, too
        done = len(stored(tmp_path))
        assert done < 60
        time.sleep(0.5)
        assert len(stored(tmp_path)) == done  # no orphan goes on
    process = start(tmp_path)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors.decode()
    assert int(output) == 60
    check_final(tmp_path)


def test_two_processes_on_one_store_do_no_fold_twice(tmp_path):
    log = tmp_path / "log"
    processes = [start(tmp_path, log) for _ in range(2)]
    for process in processes:
        output, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode()
        assert int(output) == 60  # both know all results in the end
    pids = log.read_text().split()
    assert len(pids) == 20  # one line per fold of the slow method
    assert len(set(pids)) > 2  # and both had a part in it
    assert len(stored(tmp_path)) == 60


@pytest.mark.parametrize("error", [EOFError, ConnectionRefusedError])
def test_a_server_of_workers_that_was_killed_is_started_again(monkeypatch, error):
    tries, start = [], _pool.ProcessPool._start_once

    def killed_twice(self):
        tries.append(len(tries))
        if len(tries) < 3:
            raise error
        return start(self)

    monkeypatch.setattr(_pool.ProcessPool, "_start_once", killed_twice)
    plan = Plan(["synthetic"], ["MeanDistribution"], Split(n_splits=2))
    assert set(run(plan, n_jobs=1)["status"]) == {"ok"}
    assert tries == [0, 1, 2]

    def never(self):
        raise error

    monkeypatch.setattr(_pool.ProcessPool, "_start_once", never)
    with pytest.raises(RuntimeError, match="could not start; use engine='serial'"):
        run(plan, n_jobs=1)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_server_of_workers_does_not_hear_interrupts():
    # Ctrl-C in a terminal reaches it while it imports: a traceback on the screen
    script = """
        from multiprocessing import forkserver
        from pathlib import Path
        from skldl.benchmark import Plan, Split, run
        run(Plan(["synthetic"], ["AAkNN"], Split(n_splits=2)), n_jobs=1)
        pid = forkserver._forkserver._forkserver_pid
        for who in (pid, "self"):
            lines = Path(f"/proc/{who}/status").read_text().splitlines()
            print(next(line for line in lines if line.startswith("SigBlk")))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True
    )
    server, here = (int(line.split()[1], 16) for line in done.stdout.splitlines())
    bit = 1 << (signal.SIGINT - 1)
    assert server & bit, done.stderr
    assert not here & bit


def test_interrupt_stops_the_workers_and_keeps_what_is_done(tmp_path):
    process = start(tmp_path)
    wait_for_rows(tmp_path, 5, process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode != 0
    done = len(stored(tmp_path))
    assert 5 <= done < 60
    with Store(tmp_path / "s.sqlite") as store:
        claims = store._connection.execute("SELECT count(*) FROM claims").fetchone()
    assert claims == (0,)  # given back


def test_a_killed_dask_worker_loses_nothing(tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs extra distributed")
    plan = small_plan(Method("slow", Slow(0.15)), "AAkNN", folds=10)
    killed = []
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(sys.path.insert, 0, str(HELPERS))

        def kill_one(now):
            if now.done >= 5 and not killed:
                pid = next(iter(client.run(os.getpid).values()))
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

        rows = run(
            plan,
            tmp_path / "s.sqlite",
            engine="dask",
            dask_address=cluster.scheduler_address,
            progress=kill_one,
        )
    assert killed
    same_results(rows, run(plan, engine="serial"))


def test_a_method_that_kills_dask_workers_is_a_failure_of_its_own(tmp_path):
    pytest.importorskip("distributed", reason="needs the extra distributed")
    methods = ["AAkNN", Method("killer", Crashes())]
    plan = Plan(["synthetic"], methods, Split("shuffle", n_repeats=1))
    rows = run(plan, tmp_path / "s.sqlite", engine="dask", n_jobs=2)
    statuses = rows.drop_duplicates("job").set_index("method")["status"].to_dict()
    assert statuses == {"AAkNN": "ok", "MeanDistribution": "ok", "killer": "failed"}


def test_no_dask_worker_is_an_error_in_bounded_time():
    pytest.importorskip("distributed", reason="needs the extra distributed")
    from skldl.benchmark._dask import DaskEngine

    engine = DaskEngine({}, address="tcp://127.0.0.1:9", patience=1.0)
    with pytest.raises(OSError, match="No Dask worker was found at tcp"), engine:
        pass


def test_a_dask_worker_that_dies_while_it_starts(monkeypatch):
    distributed = pytest.importorskip("distributed", reason="needs extra distributed")
    from skldl.benchmark._dask import _start_cluster

    outcomes = []

    def start(**options):
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(distributed, "LocalCluster", start)
    died = RuntimeError("Nanny failed to start.")
    outcomes += [died, "a cluster"]
    assert _start_cluster(2) == "a cluster"
    outcomes += [died] * 3
    with pytest.raises(OSError, match=r"of 2 workers did not start.*Nanny failed"):
        _start_cluster(2)


def test_class_data_run_without_the_baseline():
    plan = Plan(["iris"], ["1NN", "standard+LDA"], Split(n_splits=3, stratify=True))
    rows = run(plan, engine="serial")
    assert set(rows["method"]) == {"1NN", "standard+LDA"}
    assert set(rows["metric"]) == {"accuracy", "balanced_accuracy", "cohen_kappa"}


def test_data_given_as_objects_go_to_workers_too():
    data = load("wine")
    rows = run(Plan([data], ["standard+1NN"], Split(n_splits=2)), n_jobs=1)
    assert (rows["status"] == "ok").all()
    assert np.isfinite(rows["peak_mb"]).all()
