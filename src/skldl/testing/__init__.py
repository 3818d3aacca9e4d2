"""Common checks for estimators, beside scikit-learn's own.

Anyone may run them on an estimator of their own::

    from skldl.testing import check_distribution_predictor
    check_distribution_predictor(MyLearner())
"""

from skldl.testing._checks import (
    DISTRIBUTION_CHECKS,
    check_distribution_predictor,
)
from skldl.testing._instances import (
    EXPECTED_FAILURES,
    EXPECTED_ON_DISTRIBUTIONS,
    EXPECTED_OWN_FAILURES,
    expected_failures,
    expected_own_failures,
    instances,
)

__all__ = [
    "DISTRIBUTION_CHECKS",
    "EXPECTED_FAILURES",
    "EXPECTED_ON_DISTRIBUTIONS",
    "EXPECTED_OWN_FAILURES",
    "check_distribution_predictor",
    "expected_failures",
    "expected_own_failures",
    "instances",
]
