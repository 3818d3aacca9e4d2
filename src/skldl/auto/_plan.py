"""Rows and folds of the search: everything at once, or halving on larger tables."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

#: Up to so many rows every candidate sees all of them.
SMALL = 4000
#: Candidates are judged on at most so many rows; the pool is fitted on all.
LARGEST = 50_000
_FIRST = 2000  # rows of the first of several stages
_GROWTH = 5  # each stage has so many times the rows of the one before
_LEAST = 4  # candidates that every stage keeps

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True, eq=False)
class Stage:
    """One round of the search.

    Attributes
    ----------
    folds : list of (train, test)
        Row numbers; all candidates share them.
    n_rows : int
        Rows that take part.
    keep : int
        Number of candidates that go on; those of the last stage enter the pool.
    """

    folds: list[Fold]
    n_rows: int
    keep: int

    @property
    def rows(self) -> NDArray[np.intp]:
        """Rows in the order of the folds that predict them."""
        return np.concatenate([test for _, test in self.folds])


def plan_stages(
    n_rows: int, n_candidates: int, n_splits: int, seed: int
) -> list[Stage]:
    """Stages of the search; a table of up to 4,000 rows has one.

    Larger ones begin with 2,000 rows in three folds. Each stage keeps the better half
    of the candidates, at least four, and takes five times the rows, up to 50,000.

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    n_candidates : int
        Candidates at the start.
    n_splits : int
        Folds of a single stage.
    seed : int
        Of the draw of rows and folds.

    Returns
    -------
    stages : list of Stage
    """
    if n_rows <= SMALL:
        folds = _folds(np.arange(n_rows), min(n_splits, n_rows), seed)
        return [Stage(folds, n_rows, n_candidates)]
    order = np.random.default_rng(seed).permutation(n_rows)
    sizes = [_FIRST]
    while sizes[-1] < min(n_rows, LARGEST):
        sizes.append(min(sizes[-1] * _GROWTH, n_rows, LARGEST))
    stages = []
    for size in sizes:
        n_candidates = max(_LEAST, -(-n_candidates // 2))
        rows = np.sort(order[:size])
        stages.append(Stage(_folds(rows, 3, seed), size, n_candidates))
    return stages


def _folds(rows: Any, n_splits: int, seed: int) -> list[Fold]:
    cv = KFold(n_splits, shuffle=True, random_state=seed)
    return [(rows[train], rows[test]) for train, test in cv.split(rows)]
