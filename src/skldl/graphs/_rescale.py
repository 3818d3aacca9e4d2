"""Move data to where distances can be computed well, and distances back.

Shifting and scaling change no order of distances; directions replace vectors for the
cosine, because half the squared distance of unit vectors is the cosine distance.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from skldl._typing import FloatArray

_SAMPLE = 100
_GLANCE = 32  # rows that tell whether a closer look is needed
_FAR = 10.0  # how many spreads from the origin data may lie
_RANGE = 1e30  # moduli beyond this, or below its inverse, are scaled
_MOST = 1e100  # squares of much larger ones overflow


@dataclass(frozen=True)
class Frame:
    """What was done to the rows, to be done to queries too.

    Attributes
    ----------
    metric : {"euclidean", "manhattan"}
        Distance inside the frame.
    center : ndarray of shape (n_features,) or None
        Subtracted first.
    factor : float
        Multiplied then; a power of two, so nothing is rounded.
    cosine : bool
        Whether rows are made unit vectors.
    """

    metric: str
    center: FloatArray | None = None
    factor: float = 1.0
    cosine: bool = False

    def apply(self, X: Any, like: Any = None) -> Any:
        """Move rows into the frame; sparse ones become dense if the others are."""
        if sp.issparse(X) and not (like is None or sp.issparse(like)):
            X = X.toarray()
        if self.cosine:
            return _unit_rows(X)
        if self.center is not None:
            X = (X.toarray() if sp.issparse(X) else X) - self.center
        if self.factor != 1.0:
            X = X.astype(np.float64) * self.factor  # it may be too large for float32
        return _compress(X)

    def restore(self, distances: FloatArray) -> FloatArray:
        """Give distances in the units of the data."""
        if self.cosine:
            return distances**2 / 2
        return distances if self.factor == 1.0 else distances / self.factor


def fit_frame(X: Any, metric: str) -> Frame:
    """Choose the frame for the rows that will be searched."""
    if metric == "cosine":
        return Frame("euclidean", cosine=True)
    if sp.issparse(X):
        return Frame(metric, factor=_factor(X))
    center = _far_center(X)
    moved = X if center is None else X - center
    return Frame(metric, center, _factor(moved))


def _far_center(X: Any) -> FloatArray | None:
    """Median row, if the data lie far from 0, where products of rows lose digits."""
    if not _maybe_far(_sample(X, _GLANCE)):
        return None
    sample = _sample(X, _SAMPLE)
    scale = np.abs(sample).max() or 1.0
    center = np.median(sample, axis=0)
    spread = np.median(np.linalg.norm((sample - center) / scale, axis=1))
    return center if np.linalg.norm(center / scale) > _FAR * spread else None


def _sample(X: Any, size: int) -> FloatArray:
    step = max(1, len(X) // size)
    return X[::step][:size].astype(np.float64)


def _maybe_far(sample: FloatArray) -> bool:
    """Whether rows are several times as long as near ones differ; medians cost more."""
    if len(sample) < 8:
        return True
    sample /= np.abs(sample).max() or 1.0
    lengths = np.einsum("ij,ij->i", sample, sample)
    difference = sample[1:] - sample[:-1]
    apart = np.einsum("ij,ij->i", difference, difference)
    # the middle length, and the first quarter's difference
    length, near = np.sort(lengths)[len(lengths) // 2], np.sort(apart)[len(apart) // 4]
    return bool(length >= (_FAR * 0.4) ** 2 * near)


def _factor(X: Any) -> float:
    """Power of two that brings extreme numbers near 1."""
    size = _reach(X)
    if size > _MOST:  # a few huge cells must not make all other rows equal
        rows = abs(X).max(axis=1)
        rows = rows.toarray().ravel() if sp.issparse(rows) else rows
        size = float(np.median(rows[rows > 0]))
    if size == 0 or 1 / _RANGE <= size <= _RANGE:
        return 1.0
    return float(2.0 ** -np.clip(np.frexp(size)[1], -1000, 1000))


def _reach(X: Any) -> float:
    """Largest modulus."""
    values = X.data if sp.issparse(X) else X
    return max(float(values.max()), -float(values.min())) if values.size else 0.0


def _compress(X: Any) -> Any:
    """Bring cells over 1e100 near it, in their order, so that squares are finite."""
    if _reach(X) <= _MOST:
        return X
    X = X.astype(np.float64)
    values = X.data if sp.issparse(X) else X
    far = np.abs(values) > _MOST
    logs = np.log(np.abs(values[far]) / _MOST)
    values[far] = np.sign(values[far]) * _MOST * (1 + logs)
    return X


def _unit_rows(X: Any) -> Any:
    empty = np.asarray(abs(X).sum(axis=1)).ravel() == 0
    if empty.any():
        raise ValueError(
            f"Row {int(np.argmax(empty))} of X has only zeros: it has no direction "
            "and no cosine distance. Remove it or use another metric."
        )
    return normalize(X)
