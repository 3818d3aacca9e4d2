"""Training and test rows, the same for every method."""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import (
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from skldl._typing import IndexArray
from skldl.datasets import Dataset
from skldl.methods import derive_seed
from skldl.validation import check_distribution


@dataclass(frozen=True)
class Split:
    """How to divide a data set.

    Parameters
    ----------
    kind : {"kfold", "shuffle", "fixed"}, default="kfold"
        Shuffled k folds; independent random splits; or the data set's own split.
    n_splits : int, default=10
        Folds of each repetition (``kfold``).
    n_repeats : int, default=1
        Repetitions, each with a seed of its own.
    test_size : float, default=0.1
        Share of test rows (``shuffle``): 0.1 for 90/10.
    stratify : bool, default=False
        Whether each part keeps the shares of the classes or largest labels.

    Examples
    --------
    >>> from skldl.benchmark import Split
    >>> len(list(Split("shuffle", test_size=0.3, n_repeats=5).parts()))
    5
    """

    kind: Literal["kfold", "shuffle", "fixed"] = "kfold"
    n_splits: int = 10
    n_repeats: int = 1
    test_size: float = 0.1
    stratify: bool = False

    def __post_init__(self) -> None:
        if self.kind not in ("kfold", "shuffle", "fixed"):
            raise ValueError(
                f"split kind must be 'kfold', 'shuffle' or 'fixed', got {self.kind!r}."
            )
        for name, least in (("n_splits", 2), ("n_repeats", 1)):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < least:
                raise ValueError(
                    f"{name} must be an integer of at least {least}, got {value!r}."
                )
        if not (isinstance(self.test_size, Real) and 0 < self.test_size < 1):
            raise ValueError(f"test_size must be in (0, 1), got {self.test_size}.")

    @property
    def n_parts(self) -> int:
        """Number of training and test parts, all repetitions together."""
        folds = self.n_splits if self.kind == "kfold" else 1
        return folds * (1 if self.kind == "fixed" else self.n_repeats)

    def describe(self) -> dict[str, Any]:
        """Only what matters for the kind, so that equal splits have equal keys."""
        facts: dict[str, Any] = {"kind": self.kind, "stratify": self.stratify}
        if self.kind == "kfold":
            facts["n_splits"] = self.n_splits
        elif self.kind == "shuffle":
            facts["test_size"] = self.test_size
        return facts if self.kind != "fixed" else {"kind": "fixed"}

    def parts(self) -> Iterator[tuple[int, int]]:
        """Numbers of repetitions and folds.

        Yields
        ------
        repetition, fold : int
        """
        folds = self.n_splits if self.kind == "kfold" else 1
        repeats = 1 if self.kind == "fixed" else self.n_repeats
        for repetition in range(repeats):
            for fold in range(folds):
                yield repetition, fold

    def rows(
        self, dataset: Dataset, seed: int, repetition: int, fold: int
    ) -> tuple[IndexArray, IndexArray]:
        """Training and test rows of one part.

        Parameters
        ----------
        dataset : Dataset
            The data.
        seed : int
            Base seed; the rows depend on it, the data set's name and the
            repetition, never on the method.
        repetition, fold : int
            Which part.

        Returns
        -------
        train, test : ndarray of int
        """
        if self.kind == "fixed":
            if dataset.train is None or dataset.test is None:
                raise ValueError(f"{dataset.name} has no fixed split; use kfold.")
            return dataset.train, dataset.test
        number = derive_seed("split", seed, dataset.name, repetition)
        groups = _groups(dataset) if self.stratify else None
        if self.kind == "kfold":
            kind = StratifiedKFold if self.stratify else KFold
            splitter = kind(self.n_splits, shuffle=True, random_state=number)
        else:
            kind = StratifiedShuffleSplit if self.stratify else ShuffleSplit
            splitter = kind(1, test_size=self.test_size, random_state=number)
        return list(splitter.split(dataset.X, groups))[fold]


def _groups(dataset: Dataset) -> Any:
    if dataset.kind == "classes":
        return dataset.y
    if dataset.kind == "distribution":
        return dataset.D.argmax(axis=1)
    raise ValueError(
        f"{dataset.name} has several labels per row, so that its splits cannot be "
        "stratified. Use stratify=False."
    )


class LargestLabelKFold:
    """Folds that keep the shares of the labels with the largest degree.

    For ``cv=`` in scikit-learn's tools, which would otherwise take plain folds for
    distributions.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    shuffle : bool, default=False
        Whether to shuffle first.
    random_state : int, RandomState or None, default=None
        Seed of the shuffle.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from skldl.benchmark import LargestLabelKFold
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import AAkNN
    >>> X, D = make_ldl(60, random_state=0)
    >>> cross_val_score(AAkNN(), X, D, cv=LargestLabelKFold(3)).shape
    (3,)
    """

    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None
    ) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def split(
        self, X: Any, y: Any, groups: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Give training and test rows of each fold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples, n_labels)
            Distributions.
        groups : ignored
            For scikit-learn's signature.

        Yields
        ------
        train, test : ndarray of int
        """
        largest = check_distribution(y, name="y").argmax(axis=1)
        folds = StratifiedKFold(
            self.n_splits, shuffle=self.shuffle, random_state=self.random_state
        )
        yield from folds.split(X, largest)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of folds.

        Parameters
        ----------
        X, y, groups : ignored
            For scikit-learn's signature.

        Returns
        -------
        n_splits : int
        """
        return self.n_splits
