"""What the columns of a table are: numbers, categories, dates, text, ids."""

import re
from typing import Any

import pandas as pd
from pandas.api import types

#: Formats of dates, the first that fits every cell counts: where 03/04/2024 may be
#: both, the day stands first.
DATE_FORMATS = (
    "ISO8601",
    "%Y/%m/%d", "%Y/%m/%d %H:%M", "%Y/%m/%d %H:%M:%S",
    "%d.%m.%Y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d.%m.%y",
    "%d/%m/%Y", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%d/%m/%y",
    "%m/%d/%Y", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S", "%m/%d/%y",
    "%d-%m-%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y",
)  # fmt: skip
_DATE_LIKE = re.compile(
    r"\d{4}-\d\d(-\d\d([T ]\d\d:\d\d.*)?)?"
    r"|\d{1,4}(?P<mark>[./-])\d{1,2}(?P=mark)\d{2,4}( [\d:]+)?"
    r"|\d{1,2} [A-Za-z]+ \d{4}|[A-Za-z]+ \d{1,2}, \d{4}"
)
_ID_NAME = re.compile(
    r"(^|.*[^a-z])(id|ids|uuid|guid|nr|key)|index|row|rows|row_?(nr|number|id)|number"
    r"|no|nummer|unnamed: ?\d+|",
    re.IGNORECASE,
)
_CAMEL_ID = re.compile(r".*[a-z](Id|ID)")
_FEW = 40  # distinct values that are still categories
_FEW_SHARE = 0.1  # ... or so many of the rows, ...
_MOST = 1000  # ... but no more than these
_WORDS = 4.0  # words per cell from which on cells are sentences
_ID_LENGTH = 40  # a uuid has 36 characters
_ID_ROWS = 20  # so many different words are not categories of a small table
_FIRST = 200  # cells by which most columns are judged


def column_roles(frame: pd.DataFrame) -> pd.DataFrame:
    """What each column of a table seems to be.

    Parameters
    ----------
    frame : DataFrame
        Table, as :func:`read_frame` gives it.

    Returns
    -------
    roles : DataFrame
        One row per column of the table, with its name as the index, and the columns

        - ``role``: "number", "category", "date", "text", "id", "constant" or "empty",
        - ``missing``: the number of cells without a value,
        - ``distinct``: the number of different values,
        - ``why``: the reason in a few words.

    Notes
    -----
    An *empty* column has no value, a *constant* one the same value in every row. An
    *id* has a different value in every row, and either a name such as ``id``,
    ``item_id``, ``uuid`` or ``index`` (integers and text), or at least 20 short values
    without spaces (text only). A *date* is of a date type, or text of which every cell
    fits one of the ISO formats or a few others (:func:`date_format`). The rest of the
    columns of text are *text* if the cells hold four words or more on average, and
    differ, or if there are many different values (more than 40, more than a tenth of
    the rows); otherwise they are a *category*. Numbers and truth values are *numbers*,
    also if they take few values: the values 1 to 5 are more often a rating than five
    names.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.datasets import column_roles
    >>> frame = pd.DataFrame({"id": [7, 8, 9], "age": [31, None, 40],
    ...                       "region": ["north", "south", "north"],
    ...                       "day": ["2024-05-01", "2024-05-02", None]})
    >>> column_roles(frame)[["role", "missing", "distinct"]]
                role  missing  distinct
    id            id        0         3
    age       number        1         2
    region  category        0         2
    day         date        1         2
    """
    rows = [_described(frame.iloc[:, i], name) for i, name in enumerate(frame.columns)]
    index = pd.Index(frame.columns, dtype=object)
    return pd.DataFrame(
        rows, columns=["role", "missing", "distinct", "why"], index=index
    )


def date_format(values: pd.Series) -> str | None:
    """The format of dates that every cell of a column of text fits.

    Parameters
    ----------
    values : Series
        Text; missing cells do not count.

    Returns
    -------
    format : str or None
        For :func:`pandas.to_datetime`; None if there is not one, or no cell. Where the
        day and the month may change places, the day comes first.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.datasets import date_format
    >>> date_format(pd.Series(["31.12.2023", "01.02.2024"]))
    '%d.%m.%Y'
    >>> date_format(pd.Series(["12/31/2023", "02/01/2024"]))
    '%m/%d/%Y'
    """
    cells = values.dropna()
    if not len(cells) or types.infer_dtype(cells, skipna=True) != "string":
        return None
    first = cells.iloc[:_FIRST].str.strip()
    if not first.map(lambda cell: bool(_DATE_LIKE.fullmatch(cell))).all():
        return None
    different = pd.Series(cells.str.strip().unique())
    for form in DATE_FORMATS:
        if _parses(first, form) and _parses(different, form):
            return form
    return None


def _parses(cells: pd.Series, form: str) -> bool:
    found = pd.to_datetime(cells, format=form, errors="coerce", utc=True)
    return bool(found.notna().all())


def _described(values: pd.Series, name: Any) -> tuple[str, int, int, str]:
    present = values.dropna()
    missing = len(values) - len(present)
    try:
        distinct = int(present.nunique())
    except TypeError:  # lists and the like
        present = present.astype(str)
        distinct = int(present.nunique())
    role, why = _role(present, str(name), missing, distinct)
    return role, missing, distinct, why


def _role(
    present: pd.Series, name: str, missing: int, distinct: int
) -> tuple[str, str]:
    if not len(present):
        return "empty", "no cell has a value"
    if distinct == 1 and not missing and len(present) > 1:
        return "constant", f"every row holds {present.iloc[0]}"
    all_differ = distinct == len(present) > 1
    named_id = all_differ and has_id_name(name)
    if types.is_numeric_dtype(present):
        if named_id and _are_whole(present):
            return "id", "whole numbers that all differ, and its name"
        return "number", "numbers"
    if isinstance(present.dtype, pd.CategoricalDtype):
        return "category", "of the type category"
    if types.is_datetime64_any_dtype(present):
        return "date", "of a date type"
    return _role_of_objects(present, named_id, all_differ, distinct)


def _role_of_objects(
    present: pd.Series, named_id: bool, all_differ: bool, distinct: int
) -> tuple[str, str]:
    kind = types.infer_dtype(present, skipna=True)
    if kind in ("boolean", "integer", "floating", "mixed-integer-float", "decimal"):
        return "number", "numbers or truth values"
    if kind in ("date", "datetime", "datetime64"):
        return "date", "dates"
    form = date_format(present)
    if form is not None:
        return "date", f"every cell is a date of the form {form}"
    cells = present.astype(str)
    if named_id:
        return "id", "values that all differ, and its name"
    if all_differ and len(cells) >= _ID_ROWS and _are_codes(cells):
        return "id", "short values without spaces that all differ"
    return _words_or_names(cells, distinct)


def _words_or_names(cells: pd.Series, distinct: int) -> tuple[str, str]:
    words = float(cells.iloc[:10_000].str.count(r"\S+").mean())
    if words >= _WORDS and (distinct > _FEW or 2 * distinct > len(cells)):
        return "text", f"{words:.0f} words per cell"
    few = max(_FEW, min(_MOST, _FEW_SHARE * len(cells)))
    if distinct <= few:
        return "category", f"{distinct} different values"
    return "text", f"{distinct} different values, too many for categories"


def has_id_name(name: str) -> bool:
    """Whether the name of a column is one that ids have."""
    name = name.strip()
    return bool(_ID_NAME.fullmatch(name) or _CAMEL_ID.fullmatch(name))


def _are_whole(numbers: pd.Series) -> bool:
    if types.is_integer_dtype(numbers):
        return True
    return bool(types.is_float_dtype(numbers) and (numbers % 1 == 0).all())


def _are_codes(cells: pd.Series) -> bool:
    """Whether text is short and without spaces; the first cells reject most text."""
    if not (_short_words(cells.iloc[:_FIRST]) and _short_words(cells)):
        return False
    # a few words among many numbers are mistakes, and the numbers may be worth much
    numbers = pd.to_numeric(cells, errors="coerce").notna().mean()
    return bool(numbers <= 0.5 or numbers == 1)


def _short_words(cells: pd.Series) -> bool:
    short = cells.str.len() <= _ID_LENGTH
    return bool(short.all() and not cells.str.contains(r"\s", regex=True).any())
