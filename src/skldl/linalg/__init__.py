"""Linear algebra that the estimators share."""

from skldl.linalg._center import centered
from skldl.linalg._eigen import Eigenpairs, generalized_eigh, range_whitening

__all__ = ["Eigenpairs", "centered", "generalized_eigh", "range_whitening"]
