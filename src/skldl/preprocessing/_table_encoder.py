"""Mixed columns of a table as numbers, by scikit-learn's own parts."""

from collections.abc import Iterable
from numbers import Integral
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import Interval, StrOptions, check_feature_names_in, fit_context
from skldl._text import listed
from skldl._threads import ThreadLimitMixin
from skldl._typing import FloatArray
from skldl.datasets import column_to_numbers, date_format
from skldl.preprocessing._cells import (
    DATE_PARTS,
    as_pandas,
    date_parts,
    to_seconds,
    to_texts,
    to_words,
)
from skldl.preprocessing._parts import (
    date_columns,
    dense,
    different_names,
    fitted_text,
    shown_categories,
    text_width,
)
from skldl.preprocessing._roles import (
    USED,
    assigned_roles,
    column_records,
    refuse_gaps,
)
from skldl.validation import check_features

_MAX_CELLS = 2**29  # 4 GB of float64


class TableEncoder(ThreadLimitMixin, TransformerMixin, BaseEstimator):
    r"""Turn a table of numbers, categories, dates, text and gaps into numbers.

    Every column has a role, which :func:`skldl.datasets.column_roles` finds in the
    training rows, unless a parameter says otherwise:

    - *numbers* stay as they are and come first; gaps become the median, and a further
      0/1 column marks them if the training rows have gaps in that column,
    - *dates* become seconds since 1970, year, month, weekday, hour (where there are
      times), and the sine and cosine of the day of the year; gaps as in numbers,
    - *categories* become one 0/1 column each; beyond ``max_categories`` the rare ones
      share one; a gap is a category of its own if the training rows have gaps,
    - *text* becomes ``text_components`` numbers: hashed words, weighted by TF-IDF,
      projected on their largest singular directions (latent semantic analysis),
    - ids, constant and empty columns are left out.

    New categories are encoded as rare ones, or as zeros where there are none; so are
    gaps that training did not have. Columns of a DataFrame are matched by name: their
    order does not matter, further ones are ignored.

    Parameters
    ----------
    numeric : list of str, default=None
        Columns that are numbers, also if they look like ids.
    categorical : list of str, default=None
        Columns that are categories, also if they contain numbers.
    text : list of str, default=None
        Columns that are text.
    dates : list of str, default=None
        Columns that are dates.
    ignore : list of str, default=None
        Columns that are not features.
    missing : {"impute", "error"}, default="impute"
        Whether gaps are filled or refused, in training and later.
    max_categories : int, default=30
        Columns that a category may become at most.
    text_components : int, default=30
        Columns that text becomes; fewer if there are fewer rows or words.
    random_state : int, RandomState or None, default=None
        Seed of the projection of text; nothing else is random.

    Attributes
    ----------
    columns_ : DataFrame
        One row per column of the table: ``column``, ``role``, ``done`` in words and
        ``n_features``, the number of columns that it became.
    roles_ : list of str
        Role of each column of the table.
    text_columns_ : list of bool
        Whether each column held text, and so is better read as text again.
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : ndarray of str
        Their names, if the table has names.

    See Also
    --------
    skldl.datasets.column_roles : Says what each column seems to be.

    Notes
    -----
    The parts are scikit-learn's: SimpleImputer, OneHotEncoder, HashingVectorizer,
    TfidfTransformer and TruncatedSVD. skrub's ``TableVectorizer`` does the same work
    and more, but it is a further dependency whose fitted state has types that a saved
    model would have to trust; these parts hold arrays, numbers and text only, so
    :func:`skldl.models.save_model` keeps them without a pickle. Words are hashed and
    not listed for the same reason: a saved model is small and does not hold what
    people wrote.

    The output is a dense matrix of float64. A table that would become more than
    :math:`2^{29}` numbers (4 GB) is refused; transform it in parts, or lower
    ``max_categories`` and ``text_components``. Features are not scaled: put a
    ``StandardScaler`` behind, as seconds and years differ much in size.

    A plain array has no roles: all its columns are numbers, and none is left out.

    References
    ----------
    .. [1] S. Deerwester, S. T. Dumais, G. W. Furnas, T. K. Landauer, R. Harshman,
       "Indexing by latent semantic analysis", Journal of the American Society for
       Information Science 41(6), 1990.
    .. [2] K. Weinberger, A. Dasgupta, J. Langford, A. Smola, J. Attenberg, "Feature
       hashing for large scale multitask learning", ICML, 2009.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.preprocessing import TableEncoder
    >>> table = pd.DataFrame({"age": [31, None, 40, 52],
    ...                       "region": ["north", "south", "north", None]})
    >>> encoder = TableEncoder().fit(table)
    >>> encoder.transform(table)
    array([[31.,  0.,  1.,  0.,  0.],
           [40.,  1.,  0.,  1.,  0.],
           [40.,  0.,  1.,  0.,  0.],
           [52.,  0.,  0.,  0.,  1.]])
    >>> encoder.transform(pd.DataFrame({"region": ["west"], "age": [20]}))
    array([[20.,  0.,  0.,  0.,  0.]])
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'age_missing', 'region_north', 'region_south', 'region_missing']
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "numeric": ["array-like", None],
        "categorical": ["array-like", None],
        "text": ["array-like", None],
        "dates": ["array-like", None],
        "ignore": ["array-like", None],
        "missing": [StrOptions({"impute", "error"})],
        "max_categories": [Interval(Integral, 2, None, closed="left")],
        "text_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        numeric: Iterable[str] | None = None,
        categorical: Iterable[str] | None = None,
        text: Iterable[str] | None = None,
        dates: Iterable[str] | None = None,
        ignore: Iterable[str] | None = None,
        missing: str = "impute",
        max_categories: int = 30,
        text_components: int = 30,
        random_state: Any = None,
    ) -> None:
        self.numeric = numeric
        self.categorical = categorical
        self.text = text
        self.dates = dates
        self.ignore = ignore
        self.missing = missing
        self.max_categories = max_categories
        self.text_components = text_components
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn roles, medians, categories and words.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_columns)
            Table of pandas or polars, or an array of numbers.
        y : ignored
            For scikit-learn's signature.

        Returns
        -------
        self : TableEncoder
        """
        frame = self._checked(X, reset=True)
        roles = ["number"] * frame.shape[1]
        if _is_table(X):
            roles = assigned_roles(frame, self._given())
        if self.missing == "error":
            refuse_gaps(frame, roles)
        self._places = {
            role: [i for i, found in enumerate(roles) if found == role] for role in USED
        }
        self._learn_forms(frame)
        self._parts: dict[str, Any] = {}
        for role, places in self._places.items():
            if places:
                self._parts[role] = self._fitted(role, self._cells(frame, role))
        owners = [place for role in self._parts for place, _ in self._suffixes(role)]
        self._records = column_records(frame, roles, owners)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Encode rows.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_columns)
            A table with the columns of the training that are not left out, in any
            order.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_features_out)
            Float64; a table where ``set_output`` wants one.
        """
        check_is_fitted(self)
        frame = self._checked(X, reset=False)
        if self.missing == "error":
            refuse_gaps(frame, self.roles_)
        width = sum(record["n_features"] for record in self._records)
        if len(frame) * width > _MAX_CELLS:
            raise ValueError(
                f"{len(frame)} rows of {width} features would need "
                f"{len(frame) * width / 2**27:.0f} GB; transform the table in parts, "
                "or lower max_categories and text_components."
            )
        Z = np.empty((len(frame), width))
        start = 0
        for role in self._parts:
            for block in self._encoded(role, self._cells(frame, role)):
                Z[:, start : start + block.shape[1]] = block
                start += block.shape[1]
        return Z

    @property
    def columns_(self) -> pd.DataFrame:
        """What was done to each column."""
        check_is_fitted(self)
        return pd.DataFrame(self._records)

    @property
    def roles_(self) -> list[str]:
        """Role of each column of the training table."""
        check_is_fitted(self)
        return [record["role"] for record in self._records]

    @property
    def text_columns_(self) -> list[bool]:
        """Whether each column held text, and so is better read as text again."""
        check_is_fitted(self)
        return list(self._was_text)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the encoded columns.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns; None takes those of the training.

        Returns
        -------
        names : ndarray of object
        """
        check_is_fitted(self)
        given = check_feature_names_in(self, input_features)
        found = [
            f"{given[place]}{suffix}"
            for role in self._parts
            for place, suffix in self._suffixes(role)
        ]
        return different_names(found)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether the last step of ``fit`` was done."""
        return hasattr(self, "_records")

    def __sklearn_tags__(self) -> Any:
        """Gaps and words are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "impute"
        tags.input_tags.categorical = True
        return tags

    def _checked(self, X: Any, *, reset: bool) -> pd.DataFrame:
        """The table as a DataFrame with the columns of the training."""
        if not _is_table(X):
            matrix = check_features(
                self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"
            )
            return pd.DataFrame(matrix)
        if reset:
            # names and their number only: cells are judged column by column
            check_features(self, X, reset=True, skip_check_array=True)
            frame = as_pandas(X)
        else:
            frame = self._matched(as_pandas(X))
        if len(frame.columns) == 0:
            raise ValueError("0 feature(s): the table has no columns; name some.")
        if len(frame) == 0:
            raise ValueError("Found array with 0 sample(s): the table has no rows.")
        return frame

    def _matched(self, frame: pd.DataFrame) -> pd.DataFrame:
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            check_features(self, frame, reset=False, skip_check_array=True)
            return frame
        there = {str(name): i for i, name in enumerate(frame.columns)}
        used = [
            name for name, role in zip(names, self.roles_, strict=True) if role in USED
        ]
        lacking = [name for name in used if name not in there]
        if lacking:
            raise ValueError(
                f"The table lacks {len(lacking)} of the {len(used)} columns that the "
                f"encoder has learned: {listed(lacking)}. It has {listed(list(there))}."
            )
        whole = frame.reindex(columns=names) if set(names) - set(there) else frame
        return whole[list(names)]

    def _given(self) -> dict[str, tuple[str, Any]]:
        """Role to the parameter that gives it, and its columns."""
        return {
            "number": ("numeric", self.numeric),
            "category": ("categorical", self.categorical),
            "text": ("text", self.text),
            "date": ("dates", self.dates),
            "ignored": ("ignore", self.ignore),
        }

    def _learn_forms(self, frame: pd.DataFrame) -> None:
        """How dates are written, and which columns contain text."""
        self._forms = [
            date_format(frame.iloc[:, place]) for place in self._places["date"]
        ]
        self._was_text = [
            pd.api.types.infer_dtype(frame.iloc[:, i], skipna=True) == "string"
            for i in range(frame.shape[1])
        ]

    def _cells(self, frame: pd.DataFrame, role: str) -> Any:
        """Columns of one role in the form that its part takes."""
        places = self._places[role]
        columns = [(frame.iloc[:, i], str(frame.columns[i])) for i in places]
        # a part of a larger table tells by its index where it begins
        first = frame.index.start if isinstance(frame.index, pd.RangeIndex) else 0
        if role == "number":
            return _stacked(
                [column_to_numbers(c, n, first, gaps=True) for c, n in columns]
            )
        if role == "date":
            both = zip(columns, self._forms, strict=True)
            return _stacked([to_seconds(c, n, form, first) for (c, n), form in both])
        if role == "category":
            return _stacked([to_words(c) for c, _ in columns])
        return [to_texts(c) for c, _ in columns]

    def _fitted(self, role: str, cells: Any) -> Any:
        if role == "category":
            return OneHotEncoder(
                handle_unknown="infrequent_if_exist",
                max_categories=self.max_categories,
                sparse_output=False,
            ).fit(cells)
        if role == "text":
            return [
                fitted_text(texts, self.text_components, self.random_state)
                for texts in cells
            ]
        part = SimpleImputer(
            strategy="median", add_indicator=True, keep_empty_features=True
        ).fit(cells)
        if role == "date":
            filled = part.transform(cells)[:, : cells.shape[1]]
            self._with_hours = [bool((f % 86400).any()) for f in filled.T]
        return part

    def _encoded(self, role: str, cells: Any) -> list[FloatArray]:
        part = self._parts[role]
        if role == "text":
            both = zip(part, cells, strict=True)
            return [dense(p.transform(texts)) for p, texts in both if p is not None]
        if role == "date":
            filled = part.transform(cells)
            several = zip(filled.T, self._with_hours, strict=False)
            parts = [date_parts(f)[:, date_columns(hours)] for f, hours in several]
            return [*parts, filled[:, cells.shape[1] :]]
        return [part.transform(cells)]

    def _suffixes(self, role: str) -> list[tuple[int, str]]:
        """Place of the column, and what its features' names add to its own."""
        places, part = self._places[role], self._parts[role]
        if role == "category":
            return [
                (place, "_missing" if value is None else f"_{value}")
                for place, values in zip(places, shown_categories(part), strict=True)
                for value in values
            ]
        if role == "text":
            widths = [0 if p is None else text_width(p) for p in part]
            return [
                (place, f"_{number}")
                for place, width in zip(places, widths, strict=True)
                for number in range(1, width + 1)
            ]
        marks = [(places[i], "_missing") for i in part.indicator_.features_]
        if role == "number":
            return [*((place, "") for place in places), *marks]
        parts = [
            (place, f"_{DATE_PARTS[i]}")
            for place, hours in zip(places, self._with_hours, strict=True)
            for i in date_columns(hours)
        ]
        return [*parts, *marks]


def _is_table(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "__getitem__")


def _stacked(columns: list[NDArray[Any]]) -> Any:
    return np.column_stack(columns)
