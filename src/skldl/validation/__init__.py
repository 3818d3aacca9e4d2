"""The only judge of targets and samples: D, Y, y and X."""

from skldl.validation._errors import RowError, UnnormalizedError
from skldl.validation._folds import check_folds
from skldl.validation._label_names import check_label_names, label_names
from skldl.validation._matrix import is_plain, ndim, to_matrix, too_large_error
from skldl.validation._range import require_balance, require_range, require_spread
from skldl.validation._samples import (
    check_features,
    check_samples,
    weighted_rows,
)
from skldl.validation._targets import (
    SUM_TOLERANCE,
    Target,
    TargetKind,
    check_class_vector,
    check_distribution,
    check_distribution_pair,
    check_fit_data,
    check_indicator,
    check_target,
    is_single_indicator,
)

__all__ = [
    "SUM_TOLERANCE",
    "RowError",
    "Target",
    "TargetKind",
    "UnnormalizedError",
    "check_class_vector",
    "check_distribution",
    "check_distribution_pair",
    "check_features",
    "check_fit_data",
    "check_folds",
    "check_indicator",
    "check_label_names",
    "check_samples",
    "check_target",
    "is_plain",
    "is_single_indicator",
    "label_names",
    "ndim",
    "require_balance",
    "require_range",
    "require_spread",
    "to_matrix",
    "too_large_error",
    "weighted_rows",
]
