"""The field's learners against PyLDL's, in one run, by CPU time of a fit.

One split of 90/10, features standardised, defaults of both libraries, one thread. The
objectives differ, so the divergence on training and test samples stands beside the
time; for learners made to classify read the 0/1 loss. LALOT's 500 sweeps take very long
in PyLDL: it is stopped after 20, so its ratio is a lower bound.

PyLDL is optional: install it (``python-ldl``) and tensorflow-cpu where Python finds
them, at the end of the path. Learners whose backend is missing are shown alone.

    python bench/peers.py [DATASET ...] [--methods=A,B]
"""

import os
import sys
import time
import warnings

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import skldl.ldl
from skldl.datasets import load
from skldl.metrics import kl_divergence, zero_one_loss

DATASETS = ["SJAFFE", "Yeast_alpha"]
# ours to theirs, with settings of their fit; None where they have nothing
PEERS = {
    "AABP": ("AA_BP", {}),
    "CPNN": ("CPNN", {}),
    "LDLSCL": ("LDL_SCL", {}),
    "LALOT": ("LALOT", {"max_iterations": 20}),
    "LDLM": ("LDLM", {}),
    "LDLLC": ("LDLLC", {}),
    "RWLM": ("LDL4C", {}),
    "PTBayes": ("PT_Bayes", {}),
    "PTSVM": ("PT_SVM", {}),
    "LDSVR": ("LDSVR", {}),
    "LDLLDM": (None, {}),
}


def prepared(name):
    """Train and test samples, standardised."""
    data = load(name)
    parts = train_test_split(data.X, data.D, test_size=0.1, random_state=0)
    scaler = StandardScaler().fit(parts[0])
    return scaler.transform(parts[0]), scaler.transform(parts[1]), *parts[2:]


def measured(fit, predict, data):
    """CPU seconds of a fit; divergence on training and test samples, 0/1 loss."""
    X, X_test, D, D_test = data
    start = time.process_time()
    model = fit(X, D)
    seconds = time.process_time() - start
    P, P_test = (np.asarray(predict(model, part), float) for part in (X, X_test))
    loss = zero_one_loss(D_test, P_test)
    return seconds, kl_divergence(D, P), kl_divergence(D_test, P_test), loss


def probabilities(model, X):
    """Distributions also of learners that predict labels."""
    predict = getattr(model, "predict_proba", model.predict)
    P = np.clip(np.asarray(predict(X), float), 0, None)
    return P / P.sum(axis=1, keepdims=True)


def line(seconds, train, test, loss):
    """Numbers of one learner."""
    return f"{seconds:8.2f} s  KL {train:.4f} / {test:.4f}  0/1 {loss:.3f}"


def theirs(name, settings, data):
    """Numbers of PyLDL's learner, or the reason why there are none."""
    try:
        import pyldl.algorithms as algorithms

        model = getattr(algorithms, name)(random_state=0)
        return measured(lambda X, D: model.fit(X, D, **settings), probabilities, data)
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0][:70]


def main(arguments):
    """Print a table for each data set."""
    names = [a for a in arguments if not a.startswith("--")] or DATASETS
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    wanted = given["methods"].split(",") if "methods" in given else list(PEERS)
    for dataset in names:
        data = prepared(dataset)
        mean = skldl.ldl.MeanDistribution().fit(data[0], data[2])
        print(f"{dataset}: mean {kl_divergence(data[3], mean.predict(data[1])):.4f}")
        for name in wanted:
            other, settings = PEERS[name]
            model = getattr(skldl.ldl, name)()
            ours = measured(model.fit, lambda m, X: m.predict(X), data)
            print(f"  {name:8} {line(*ours)}", flush=True)
            if other is None:
                continue
            found = theirs(other, settings, data)
            if isinstance(found, str):
                print(f"  {'PyLDL':8} {found}", flush=True)
            else:
                ratio = found[0] / ours[0]
                print(f"  {'PyLDL':8} {line(*found)}  ratio {ratio:.1f}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1:])
