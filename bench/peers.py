"""The field's learners against PyLDL's, in one run, by CPU time of a fit.

A third of the samples is held out, features are standardised, both libraries have
their defaults and one thread. Each fit has a process of its own. The objectives differ,
so the divergence on held-out samples stands beside the time; for learners to classify
read the 0/1 loss. A fit of PyLDL's that takes more CPU seconds than the limit is
stopped: its ratio is then a lower bound, and there is nothing to score. Of fits that
take less than a tenth of a second the median of 20 more counts, so that what happens
once in a process does not.

Measured pairs go into the STORE, a JSON file, and are not measured again.

PyLDL is optional: install it (``python-ldl``), tensorflow-cpu and
tensorflow-probability where Python finds them, at the end of the path. A learner whose
backend is missing is shown alone.

    python bench/peers.py STORE [DATASET ...] [--methods=A,B] [--limit=S] [--write]
"""

import json
import os
import resource
import statistics
import sys
import time
import warnings
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
from _tables import rst, write_include
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import skldl.ldl
from skldl.datasets import load
from skldl.metrics import kl_divergence, zero_one_loss
from skldl.reproduce._protocol import STORED

DATASETS = ["SJAFFE", "Yeast_alpha"]
LIMIT = 300  # CPU seconds
QUICK, REPEATS = 0.1, 20  # fits under so many seconds are repeated
# ours to theirs; None where they have nothing
PEERS = {
    "AABP": "AA_BP",
    "AAkNN": "AA_KNN",
    "CPNN": "CPNN",
    "LALOT": "LALOT",
    "LDLLC": "LDLLC",
    "LDLLDM": None,
    "LDLM": "LDLM",
    "LDLSCL": "LDL_SCL",
    "LDSVR": "LDSVR",
    "PTBayes": "PT_Bayes",
    "PTSVM": "PT_SVM",
    "RWLM": "LDL4C",
}
LAZY = ("AAkNN", "AA_KNN")  # these work when they predict, so that is timed, too
HEAD = ["data set", "learner", "CPU s", "KL", "0/1", "PyLDL", "s", "KL", "0/1", "ratio"]


def prepared(name):
    """Train and test samples, standardised."""
    data = load(name)
    parts = train_test_split(data.X, data.D, test_size=1 / 3, random_state=0)
    scaler = StandardScaler().fit(parts[0])
    return scaler.transform(parts[0]), scaler.transform(parts[1]), *parts[2:]


def model_of(library, name):
    """An instance with the settings of the stored table, or default ones."""
    if library == "skldl":
        return getattr(skldl.ldl, name)(**STORED.get(name, {}))
    import pyldl.algorithms as algorithms

    return getattr(algorithms, name)(random_state=0)


def distributions(model, X):
    """Predictions, also of learners that predict labels."""
    predict = getattr(model, "predict_proba", model.predict)
    P = np.clip(np.asarray(predict(X), float), 0, None)
    return P / P.sum(axis=1, keepdims=True)


def fit_and_score(library, name, dataset, limit, answer):
    """CPU seconds of a fit; divergence and 0/1 loss of samples held out."""
    warnings.simplefilter("ignore")
    X, X_test, D, D_test = prepared(dataset)
    try:
        model = model_of(library, name)
        start = time.process_time()
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(start + limit) + 1, hard))
        model.fit(X, D)
        seconds = time.process_time() - start
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
        P = distributions(model, X_test)
        if name in LAZY:
            seconds = time.process_time() - start
        if seconds < QUICK:
            make = partial(model_of, library, name)
            seconds = repeated(make, name in LAZY, X, D, X_test)
        scores = kl_divergence(D_test, P), zero_one_loss(D_test, P)
        answer.put({"seconds": seconds, "kl": scores[0], "zero_one": scores[1]})
    except Exception as error:
        answer.put({"error": f"{type(error).__name__}: {error}".splitlines()[0][:70]})


def repeated(make, lazy, X, D, X_test):
    """Median CPU seconds of more fits.

    Under a limit the clock of the process moves in steps of milliseconds; that of its
    only thread does not.
    """
    spent = []
    for _ in range(REPEATS):
        model = make()
        start = time.thread_time()
        model.fit(X, D)
        if lazy:
            distributions(model, X_test)
        spent.append(time.thread_time() - start)
    return statistics.median(spent)


def measured(library, name, dataset, limit):
    """Numbers of a fresh process, or that it was stopped."""
    context = get_context("spawn")
    answer = context.SimpleQueue()
    arguments = (library, name, dataset, limit, answer)
    process = context.Process(target=fit_and_score, args=arguments)
    process.start()
    process.join()
    return {"stopped": limit} if answer.empty() else answer.get()


def cells(side):
    """Seconds, divergence and 0/1 loss as text."""
    if side is None or "error" in side:
        return ["-", "-", "-"]
    if "stopped" in side:
        return [f"> {side['stopped']:g}", "-", "-"]
    seconds = side["seconds"]
    time_ = f"{seconds:.2f}" if seconds >= QUICK else f"{seconds:.4f}"
    return [time_, f"{side['kl']:.4f}", f"{side['zero_one']:.3f}"]


def row_of(row):
    """A line of the table."""
    ours, theirs = row["ours"], row["theirs"]
    ratio = "-"
    if theirs is not None and "error" not in theirs and "seconds" in ours:
        seconds = theirs.get("seconds", theirs.get("stopped"))
        sign = "> " if "stopped" in theirs else ""
        ratio = f"{sign}{seconds / ours['seconds']:.1f}"
    names = [row["dataset"], row["learner"]]
    return [*names, *cells(ours), row["peer"] or "-", *cells(theirs), ratio]


def main(arguments):
    """Measure what is missing, print, and write if asked to."""
    store, *names = [a for a in arguments if not a.startswith("--")]
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    wanted = given["methods"].split(",") if "methods" in given else list(PEERS)
    limit = float(given.get("limit", LIMIT))
    path = Path(store)
    rows = json.loads(path.read_text()) if path.exists() else []
    if find_spec("pyldl") is None:
        print("PyLDL is not here (python-ldl); ours alone.")
    done = {(row["dataset"], row["learner"]) for row in rows}
    for dataset in names or DATASETS:
        for name in wanted:
            if (dataset, name) in done:
                continue
            peer = PEERS[name]
            row = {"dataset": dataset, "learner": name, "peer": peer}
            row["ours"] = measured("skldl", name, dataset, limit)
            here = peer and find_spec("pyldl")
            row["theirs"] = measured("pyldl", peer, dataset, limit) if here else None
            rows.append(row)
            path.write_text(json.dumps(rows, indent=1))
            print(*row_of(row), flush=True)
    rows.sort(key=lambda row: (row["dataset"], row["learner"]))
    text = rst(HEAD, [row_of(row) for row in rows])
    print(text)
    if "write" in given:
        write_include("peers_results", text)


if __name__ == "__main__":
    main(sys.argv[1:])
