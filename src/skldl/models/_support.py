"""Check what compiled code would follow without looking."""

from typing import Any

import numpy as np
from sklearn.svm import SVC


def check_state(estimator: Any) -> None:
    """Refuse support vector machines whose arrays do not fit together.

    libsvm trusts the counts in a fitted machine; wrong ones would make it read
    somewhere else.

    Parameters
    ----------
    estimator : object
        Anything loaded.
    """
    stack, seen = [estimator], set()
    while stack:
        thing = stack.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, dict):
            stack.extend(thing.values())
        elif isinstance(thing, list | tuple | set):
            stack.extend(thing)
        elif isinstance(thing, np.ndarray):
            stack.extend(thing.ravel().tolist() if thing.dtype == object else [])
        else:
            if isinstance(thing, SVC):
                _check_machine(thing)
            stack.extend(getattr(thing, "__dict__", {}).values())


def _check_machine(machine: Any) -> None:
    if not hasattr(machine, "support_vectors_"):
        return
    if machine._sparse:
        raise ValueError("sparse support vectors")
    n_vectors, n_features = machine.support_vectors_.shape
    counts, n_classes = np.asarray(machine._n_support), len(machine.classes_)
    pairs, shape = n_classes * (n_classes - 1) // 2, (n_classes - 1, n_vectors)
    good = counts.shape == (n_classes,) and bool((counts >= 0).all())
    good &= int(counts.sum()) == n_vectors
    good &= machine._dual_coef_.shape == machine.dual_coef_.shape == shape
    good &= len(machine.support_) == n_vectors
    good &= len(machine._intercept_) == len(machine.intercept_) == pairs
    good &= n_features == machine.n_features_in_ and machine.kernel != "precomputed"
    for name in ("_probA", "_probB"):
        good &= len(getattr(machine, name, ())) in (0, pairs)
    if not good:
        raise ValueError("support vectors")
