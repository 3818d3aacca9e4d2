"""Every import of scikit-learn's private names.

When a scikit-learn release moves one of them, this is the file to mend.
"""

from sklearn.base import _fit_context as fit_context
from sklearn.externals._arff import DENSE_GEN, ArffException
from sklearn.externals._arff import load as read_arff
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_params,
)
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.metaestimators import _BaseComposition as BaseComposition
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "DENSE_GEN",
    "ArffException",
    "BaseComposition",
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_sample_weight",
    "fit_context",
    "output_container",
    "read_arff",
    "safe_indexing",
    "validate_params",
]


def output_container(estimator: object) -> str:
    """What ``transform`` shall give: "default", "pandas" or "polars"."""
    return _get_output_config("transform", estimator)["dense"]
