"""What every loader returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_array

from skldl._typing import FloatArray
from skldl.datasets._roles import column_roles
from skldl.validation import Target, TargetKind, check_target


@dataclass(frozen=True, eq=False)
class Dataset:
    """Samples with one kind of target and the names of everything.

    Attributes
    ----------
    name : str
        Name of the data set.
    X : ndarray or DataFrame of shape (n_samples, n_features)
        Features, as distributed (not scaled): a matrix of numbers, or a table that
        also has categories, dates, text or gaps (see :attr:`mixed`).
    kind : {"distribution", "indicator", "classes"}
        What the target is: ``D``, ``Y`` or ``y``.
    target : ndarray of shape (n_samples, n_labels) or (n_samples,)
        The target of that kind.
    feature_names, label_names : ndarray of str
        Names of the columns of X, and of the labels or classes.
    train, test : ndarray of int or None
        Row numbers of a fixed split, where the data set has one.
    ordered : bool
        Whether the order of the labels means something (ratings).
    source, licence, note : str
        Where the data come from, what terms are known, what to watch out for.
    extra : mapping
        Further arrays, such as the cube of a hyperspectral image.
    encoding : mapping
        Parameters of :class:`skldl.preprocessing.TableEncoder` for a mixed table, where
        the roles of columns are known.
    """

    name: str
    X: Any
    kind: TargetKind
    target: NDArray[Any] = field(repr=False)
    feature_names: NDArray[Any] = field(repr=False)
    label_names: NDArray[Any] = field(repr=False)
    train: NDArray[np.intp] | None = field(default=None, repr=False)
    test: NDArray[np.intp] | None = field(default=None, repr=False)
    ordered: bool = False
    source: str = ""
    licence: str = ""
    note: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)
    encoding: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def mixed(self) -> bool:
        """Whether X is a table that a learner cannot take as it is."""
        return isinstance(self.X, pd.DataFrame)

    @property
    def D(self) -> FloatArray:
        """Label distributions, of shape (n_samples, n_labels)."""
        return self._of_kind("distribution", "D")

    @property
    def Y(self) -> NDArray[Any]:
        """Label indicators, of shape (n_samples, n_labels)."""
        return self._of_kind("indicator", "Y")

    @property
    def y(self) -> NDArray[Any]:
        """Classes, of shape (n_samples,)."""
        return self._of_kind("classes", "y")

    def _of_kind(self, kind: TargetKind, symbol: str) -> NDArray[Any]:
        if self.kind != kind:
            other = {"distribution": "D", "indicator": "Y", "classes": "y"}[self.kind]
            raise AttributeError(
                f"{self.name} has {self.kind} targets: use .{other}, not .{symbol}."
            )
        return self.target

    @property
    def counts(self) -> FloatArray | None:
        """Counts of votes, of shape (n_samples, n_labels); None if D has none.

        D must be the shares of a known number of votes, ``extra["n_votes"]``.
        Distributions that were smoothed or made by a model of the annotators are not.
        """
        n_votes = self.extra.get("n_votes")
        if n_votes is None or self.kind != "distribution":
            return None
        counts = self.target * np.asarray(n_votes, dtype=np.float64)[:, None]
        whole = counts.round()
        return whole if np.allclose(counts, whole, rtol=0, atol=1e-6) else None

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.X.shape[1]

    @property
    def n_labels(self) -> int:
        """Number of labels or classes."""
        return len(self.label_names)

    def frames(self) -> tuple[pd.DataFrame, pd.DataFrame | pd.Series]:
        """Features and target with their names, as pandas objects.

        Returns
        -------
        X : DataFrame of shape (n_samples, n_features)
        target : DataFrame of shape (n_samples, n_labels), or Series of classes
        """
        X = pd.DataFrame(self.X, columns=_plain(self.feature_names))
        if self.mixed:
            X = X.copy()  # the data set stays as it is, whatever becomes of the table
        if self.kind == "classes":
            return X, pd.Series(self.target, name="class")
        return X, pd.DataFrame(self.target, columns=_plain(self.label_names))

    def subset(self, rows: Any) -> "Dataset":
        """Some of the rows, as a data set without a fixed split.

        Parameters
        ----------
        rows : array-like of int or of bool
            Row numbers, or a mask.

        Returns
        -------
        dataset : Dataset

        Examples
        --------
        >>> from skldl.datasets import load
        >>> load("toy").subset([0, 2, 5]).n_samples
        3
        """
        rows = np.asarray(rows)
        X = self.X.iloc[rows].reset_index(drop=True) if self.mixed else self.X[rows]
        extra = dict(self.extra)
        for name in ("n_votes", "row_names"):
            if name in extra:
                extra[name] = extra[name][rows]
        target = self.target[rows]
        return replace(self, X=X, target=target, train=None, test=None, extra=extra)

    def describe(self) -> dict[str, Any]:
        """Say what is in the data set.

        Returns
        -------
        facts : dict
            Name, kind, size and source. For distributions also ``mean_margin``
            (largest less second-largest degree, rows with ties left out),
            ``ties`` (rows with several largest labels) and ``zeros`` (exact
            zeros in D); for indicators the mean number of labels per row. For mixed
            tables also ``roles`` (columns of each role) and ``missing`` (gaps).
        """
        facts: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "n_samples": self.n_samples,
            "n_features": self.n_features,
            "n_labels": self.n_labels,
        }
        if self.kind == "distribution":
            facts |= _margins(self.target)
        elif self.kind == "indicator":
            facts["labels_per_sample"] = float(self.target.sum(axis=1).mean())
        else:
            facts["smallest_class"] = int(
                np.unique(self.target, return_counts=True)[1].min()
            )
        if self.mixed:
            found = column_roles(self.X)
            facts["roles"] = found["role"].value_counts().to_dict()
            facts["missing"] = int(found["missing"].sum())
        facts |= {
            "fixed_split": None
            if self.train is None or self.test is None
            else (len(self.train), len(self.test)),
            "source": self.source,
            "licence": self.licence,
            "note": self.note,
        }
        return facts


def _plain(names: Any) -> list[Any]:
    """Names as Python's own objects: scikit-learn keeps ``str``, not ``numpy.str_``."""
    return np.asarray(names).tolist()


def _margins(D: FloatArray) -> dict[str, Any]:
    if D.shape[1] < 2:
        return {"mean_margin": 0.0, "ties": 0, "zeros": int((D == 0).sum())}
    two = np.partition(D, -2, axis=1)[:, -2:]
    margin = two[:, 1] - two[:, 0]
    clear = margin > 0
    return {
        "mean_margin": float(margin[clear].mean()) if clear.any() else 0.0,
        "ties": int((~clear).sum()),
        "zeros": int((D == 0).sum()),
    }


def numbered(prefix: str, count: int) -> NDArray[Any]:
    """Names such as ``feature_1`` for columns without names of their own.

    Parameters
    ----------
    prefix : str
        What stands before the number.
    count : int
        How many.

    Returns
    -------
    names : ndarray of str

    Examples
    --------
    >>> from skldl.datasets import numbered
    >>> numbered("label", 2).tolist()
    ['label_1', 'label_2']
    """
    return np.array([f"{prefix}_{i}" for i in range(1, count + 1)])


def make_dataset(X: Any, target: Any, *, name: str = "data", **details: Any) -> Dataset:
    """Make a data set from your own arrays or frames.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Features; a DataFrame's columns name them. A DataFrame with categories, dates,
        text or gaps is kept as it is.
    target : array-like or DataFrame
        Distributions (n_samples, n_labels), 0/1 indicators of that shape, or classes
        (n_samples,); a DataFrame's columns name the labels.
    name : str, default="data"
        Name in tables and stores.
    **details : optional
        Other attributes of :class:`Dataset`, such as ``train``, ``test``, ``ordered``.

    Returns
    -------
    dataset : Dataset

    Examples
    --------
    >>> from skldl.datasets import make_dataset
    >>> data = make_dataset([[1.0], [2.0]], [[0.2, 0.8], [0.5, 0.5]], name="mine")
    >>> data.kind, data.n_labels
    ('distribution', 2)
    """
    checked = check_target(target, name="target")
    columns = getattr(X, "columns", None)
    X = numbers_or_table(X)
    check_consistent_length(X, checked.matrix)
    if columns is not None:
        details.setdefault("feature_names", np.array([str(c) for c in columns]))
    if checked.kind != "classes" and getattr(target, "columns", None) is None:
        details.setdefault("label_names", numbered("label", len(checked.classes)))
    return from_target(name, X, checked, **details)


def numbers_or_table(X: Any) -> Any:
    """Features of a data set: a matrix where all are numbers, else the table.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Features. An array must contain finite numbers.

    Returns
    -------
    X : ndarray or DataFrame
        Float64; or, of a DataFrame with other columns than finite numbers, a copy with
        rows numbered from 0.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.datasets import numbers_or_table
    >>> numbers_or_table(pd.DataFrame({"age": [31, 45]}))
    array([[31.],
           [45.]])
    >>> numbers_or_table(pd.DataFrame({"age": [31, None]}, index=["a", "b"]))
        age
    0  31.0
    1   NaN
    """
    if isinstance(X, pd.DataFrame):
        types = [X.iloc[:, i].dtype for i in range(X.shape[1])]
        numbers = all(pd.api.types.is_numeric_dtype(dtype) for dtype in types)
        if not numbers or X.isna().to_numpy().any():
            names = [str(name) for name in X.columns]
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise ValueError(f"The table has more than one column {twice!r}.")
            if len(X) == 0:
                raise ValueError("X has no rows; at least one sample is needed.")
            return X.set_axis(names, axis=1).reset_index(drop=True)
    return check_array(X, dtype=np.float64, input_name="X")


def from_target(name: str, X: Any, target: Target, **details: Any) -> Dataset:
    """Make a data set from a validated target.

    Parameters
    ----------
    name : str
        Name in tables and stores.
    X : ndarray or DataFrame of shape (n_samples, n_features)
        Features.
    target : Target
        What :func:`skldl.validation.check_target` gave.
    **details : optional
        Other attributes of :class:`Dataset`.

    Returns
    -------
    dataset : Dataset

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.datasets import from_target
    >>> from skldl.validation import check_target
    >>> from_target("mine", np.eye(2), check_target(["a", "b"])).kind
    'classes'
    """
    values = target.matrix
    if target.kind == "classes":
        values = target.classes[target.matrix.argmax(axis=1)]
    details.setdefault("feature_names", numbered("feature", X.shape[1]))
    details.setdefault("label_names", target.classes)
    return Dataset(name=name, X=X, kind=target.kind, target=values, **details)
