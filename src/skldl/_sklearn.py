"""Every import of scikit-learn's private names.

When a scikit-learn release moves one of them, this is the file to correct.
"""

from collections.abc import Callable
from functools import wraps
from numbers import Integral, Real
from typing import Any

from sklearn import get_config
from sklearn.base import _fit_context
from sklearn.ensemble._hist_gradient_boosting._gradient_boosting import (
    _update_raw_predictions as add_leaf_values,
)
from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper as BinMapper
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.ensemble._hist_gradient_boosting.grower import TreeGrower
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.externals._arff import DENSE_GEN, ArffException
from sklearn.externals._arff import load as read_arff
from sklearn.tree._tree import Tree
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads as all_threads
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    StrOptions,
    validate_params,
)
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.metaestimators import _BaseComposition as BaseComposition
from sklearn.utils.validation import _check_feature_names_in as check_feature_names_in
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "DENSE_GEN",
    "PREDICTOR_RECORD_DTYPE",
    "ArffException",
    "BaseComposition",
    "BinMapper",
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "StrOptions",
    "Tree",
    "TreeGrower",
    "TreePredictor",
    "add_leaf_values",
    "all_threads",
    "check_feature_names_in",
    "check_sample_weight",
    "fit_context",
    "output_container",
    "read_arff",
    "safe_indexing",
    "validate_params",
]

#: Counts of iterations, trees, neighbours and the like are at most this large.
MOST_COUNT = 10**8
#: Jobs at once are at most so many.
MOST_JOBS = 10**4


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[..., Any]:
    """Validate parameters as scikit-learn does, and refuse absurd numbers, too.

    scikit-learn takes ``True`` for the number 1, and any integer where there is no
    upper bound; with 10**9 trees or rounds ``fit`` would not end.
    """
    outer = _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)

    def decorate(fit: Callable[..., Any]) -> Callable[..., Any]:
        checked = outer(fit)

        @wraps(fit)
        def wrapper(estimator: Any, *args: Any, **kwargs: Any) -> Any:
            if not get_config()["skip_parameter_validation"]:
                require_sane_numbers(estimator)
            return checked(estimator, *args, **kwargs)

        return wrapper

    return decorate


def require_sane_numbers(estimator: Any) -> None:
    """Refuse parameters that are numbers by type only, or beyond all use."""
    constraints = getattr(estimator, "_parameter_constraints", {})
    for name, value in estimator.get_params(deep=False).items():
        if isinstance(value, Real) and name != "random_state":
            allowed = constraints.get(name, [])
            fault = _fault(name, value, allowed if isinstance(allowed, list) else [])
            if fault:
                raise InvalidParameterError(
                    f"The {name!r} parameter of {type(estimator).__name__} {fault} "
                    f"Got {_shown(value)} instead."
                )


def _fault(name: str, value: Any, allowed: list[Any]) -> str:
    """What is wrong with a number, as the end of a sentence."""
    kinds = [getattr(c, "type", c) for c in allowed]  # of intervals, that of numbers
    if isinstance(value, bool):
        numeric = any(kind in kinds for kind in (Integral, Real, "cv_object"))
        truth = "boolean" in kinds or bool in kinds
        return "must be a number, not a truth value." if numeric and not truth else ""
    if name == "n_jobs" and (value == 0 or abs(value) > MOST_JOBS):
        return f"must be None, -1 for all processors, or a number up to {MOST_JOBS}."
    if Integral in kinds and isinstance(value, Integral) and int(value) > MOST_COUNT:
        return f"must be at most {MOST_COUNT}."
    return ""


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 40 else f"{text[:20]}... ({len(text)} digits)"


def output_container(estimator: object) -> str:
    """What ``transform`` shall give: "default", "pandas" or "polars"."""
    return _get_output_config("transform", estimator)["dense"]
