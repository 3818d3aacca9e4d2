"""Rows before a search, and row numbers after it."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from skldl._typing import IndexArray
from skldl.validation import is_plain


def drop_self(found: IndexArray, rows: IndexArray | None = None) -> IndexArray:
    """Remove each row's own number from its neighbours, or else the last one.

    Parameters
    ----------
    found : ndarray of shape (n_queries, n_neighbors + 1)
        Candidates, nearest first.
    rows : ndarray of shape (n_queries,), default=None
        The rows' own numbers; None for 0 .. n-1.

    Returns
    -------
    found : ndarray of shape (n_queries, n_neighbors)
    """
    own = np.arange(len(found)) if rows is None else rows
    keep = found != own[:, None]
    keep[keep.all(axis=1), -1] = False
    return found[keep].reshape(len(found), -1)


def check_rows(X: Any) -> Any:
    """Dense or CSR rows in float64 or float32."""
    if is_plain(X, (np.float64, np.float32)):
        return X
    return check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))


def all_found(found: Any) -> IndexArray:
    """Answers of an engine, which may not leave any out."""
    found = np.asarray(found)
    missing = (found < 0).any(axis=1)
    if missing.any():
        raise RuntimeError(
            f"The neighbour engine found fewer than {found.shape[1]} neighbours for "
            f"row {int(np.argmax(missing))}; use engine='exact'."
        )
    return found


def check_count(n_neighbors: int, available: int, what: str) -> None:
    """Refuse numbers of neighbours that ``what`` cannot give."""
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1, got {n_neighbors}.")
    if n_neighbors > available:
        raise ValueError(
            f"n_neighbors={n_neighbors} is more than {what} can give ({available}). "
            "Lower n_neighbors or add samples."
        )
