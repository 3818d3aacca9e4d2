"""Every import of scikit-learn's private names.

When a scikit-learn release moves one of them, this is the file to correct.
"""

from sklearn.base import _fit_context as fit_context
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


def output_container(estimator: object) -> str:
    """What ``transform`` shall give: "default", "pandas" or "polars"."""
    return _get_output_config("transform", estimator)["dense"]
