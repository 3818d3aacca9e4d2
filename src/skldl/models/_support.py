"""Check what would be followed without looking: indices, counts and functions."""

from collections.abc import Collection
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

from skldl.models._trust import FUNCTION_TRANSFORMER, ModelFileError


def check_state(estimator: Any, trusted: Collection[str] = ()) -> None:
    """Refuse arrays that do not fit together, and steps that call functions.

    libsvm trusts the counts in a fitted machine, and scipy the indices in a sparse
    matrix; wrong ones would make them read somewhere else. A FunctionTransformer calls
    whatever it holds. Only without a function it is harmless: it passes columns
    through.

    Parameters
    ----------
    estimator : object
        Anything loaded, or about to be saved.
    trusted : collection of str, default=()
        Names of further types that the caller trusts.
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
            _check_one(thing, trusted)
            stack.extend(getattr(thing, "__dict__", {}).values())


def _check_one(thing: Any, trusted: Collection[str]) -> None:
    if isinstance(thing, SVC):
        _check_machine(thing)
    elif isinstance(thing, FunctionTransformer):
        _check_passes(thing, trusted)
    elif isinstance(thing, CountVectorizer | HashingVectorizer):
        _check_words(thing, trusted)
    elif sp.issparse(thing):
        thing.check_format(full_check=True)
        starts = np.asarray(thing.indptr, dtype=np.int64)
        # scipy does not look at the starts of rows if the last one is zero
        if starts[0] != 0 or (np.diff(starts) < 0).any():
            raise ValueError("indices of a sparse matrix")


def _check_passes(step: Any, trusted: Collection[str]) -> None:
    """The schema cannot tell: a function may come in by reference."""
    state = vars(step)
    called = [state.get("func"), state.get("inverse_func")]
    names = state.get("feature_names_out")
    plain = called == [None, None] and (names is None or isinstance(names, str))
    if not plain and FUNCTION_TRANSFORMER not in trusted:
        raise ModelFileError(
            "A FunctionTransformer that calls a function is not trusted. Nothing was "
            "kept. If you know the function and the file's author, pass "
            f"{FUNCTION_TRANSFORMER!r} as trusted to load_model."
        )


def _check_words(step: Any, trusted: Collection[str]) -> None:
    """A vectorizer may call functions on text, or take text for names of files."""
    state = vars(step)
    names = ("analyzer", "preprocessor", "tokenizer", "strip_accents")
    calls = [n for n in names if not isinstance(state.get(n), str | None)]
    opens = state.get("input", "content") != "content"
    kind = f"{type(step).__module__}.{type(step).__qualname__}"
    # the type is trusted as it is; who names it trusts its functions, too
    if (calls or opens) and kind not in trusted:
        raise ModelFileError(
            f"A {type(step).__name__} that calls a function or opens files is not "
            "trusted. Nothing was kept. If you know the file's author, pass "
            f"{kind!r} as trusted to load_model."
        )


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
