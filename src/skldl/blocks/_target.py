"""One reading of targets that come in blocks."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.blocks._source import Blocks
from skldl.validation import (
    SUM_TOLERANCE,
    TargetKind,
    check_class_vector,
    check_distribution,
    check_indicator,
    label_names,
    ndim,
    to_matrix,
)


@dataclass(frozen=True)
class BlockTarget:
    """Kind and labels of a target in blocks, and each block as a matrix.

    Attributes
    ----------
    kind : {"classes", "indicator", "distribution"}
        What was given.
    classes : ndarray of shape (n_labels,)
        Label names.
    """

    kind: TargetKind
    classes: NDArray[Any]

    def encode(self, y: Any) -> FloatArray:
        """One block as one-hot rows, indicators or distributions.

        Parameters
        ----------
        y : array-like
            The targets of a block.

        Returns
        -------
        matrix : ndarray of shape (n_samples, n_labels)
        """
        if self.kind == "classes":
            return np.eye(len(self.classes))[np.searchsorted(self.classes, _vector(y))]
        if self.kind == "indicator":
            return np.asarray(check_indicator(y, name="y"))
        return check_distribution(y, on_unnormalized="normalize", name="y")


@dataclass(frozen=True)
class _Look:
    """What one block, or several, show of their target."""

    vector: bool
    classes: NDArray[Any]
    binary: bool = False
    off: float = 0.0


def survey_target(
    blocks: Blocks,
    kinds: tuple[TargetKind, ...] = ("classes", "indicator", "distribution"),
) -> BlockTarget:
    """Find the kind and the labels of a target in blocks, in one pass.

    The rules are those of :func:`skldl.validation.check_target` for the whole.

    Parameters
    ----------
    blocks : Blocks
        Samples and targets.
    kinds : tuple of {"classes", "indicator", "distribution"}
        The kinds that the caller can use.

    Returns
    -------
    target : BlockTarget

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.blocks import Blocks, survey_target
    >>> blocks = Blocks([(np.eye(2), np.array(["b", "a"])), (np.eye(2), ["b", "c"])])
    >>> survey_target(blocks).classes.tolist()
    ['a', 'b', 'c']
    """
    if not blocks.layout.has_target:
        raise ValueError(
            "The target y is None: this method requires y to be passed; give blocks "
            "as pairs (X, y)."
        )
    look = blocks.reduce(_look, _merge)
    kind: TargetKind = "classes"
    if not look.vector:
        kind = "indicator" if look.binary else "distribution"
    if kind == "indicator" and "indicator" not in kinds:
        kind = "distribution"
    if kind not in kinds:
        raise ValueError(
            f"y looks like {kind}, but this method takes {' or '.join(kinds)}."
        )
    if kind == "distribution" and look.off > SUM_TOLERANCE:
        warnings.warn(
            f"Rows of y do not sum to 1 (one is off by {look.off:.3g}); each row was "
            "divided by its sum.",
            DataConversionWarning,
            stacklevel=caller_level(),
        )
    return BlockTarget(kind, look.classes)


def _look(X: Any, y: Any) -> _Look:
    if sp.issparse(y):
        return _Look(False, np.arange(y.shape[1]), bool(np.isin(y.data, (0, 1)).all()))
    if ndim(y, "y") == 1:
        return _Look(True, check_class_vector(_vector(y))[0])
    matrix = to_matrix(y, "y")
    if matrix.shape[1] == 1:
        raise ValueError(
            "y has a single column; give a vector of classes, or two columns."
        )
    binary = bool(np.isin(matrix, (0, 1)).all())
    if not binary:
        check_distribution(y, on_unnormalized="normalize", name="y")
    off = float(np.abs(matrix.sum(axis=1) - 1).max())
    return _Look(False, label_names(y, matrix.shape[1]), binary, off)


def _merge(a: _Look, b: _Look) -> _Look:
    if a.vector != b.vector:
        raise ValueError("Some blocks of y are vectors and others are matrices.")
    if a.vector:
        if _is_text(a.classes) != _is_text(b.classes):
            raise ValueError(
                "Some blocks of y contain text and others contain numbers."
            )
        return _Look(True, np.union1d(a.classes, b.classes))
    if not np.array_equal(a.classes, b.classes):
        raise ValueError(
            f"Blocks of y have different labels: {a.classes.tolist()} and "
            f"{b.classes.tolist()}."
        )
    return _Look(False, a.classes, a.binary and b.binary, max(a.off, b.off))


def _is_text(classes: NDArray[Any]) -> bool:
    return all(isinstance(name, str) for name in classes.tolist())


def _vector(y: Any) -> NDArray[Any]:
    return y.to_numpy() if isinstance(y, pd.Series) else np.asarray(y)
