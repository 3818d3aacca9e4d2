"""How a table names its rows."""

from collections.abc import Collection
from typing import Any

import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from skldl.datasets._roles import column_roles, has_id_name


def row_names(frame: pd.DataFrame, labels: Collection[Any] = ()) -> NDArray[Any] | None:
    """Names of the rows: the first column that is an id by :func:`column_roles`.

    Parameters
    ----------
    frame : DataFrame
        Table, as :func:`read_frame` gives it.
    labels : collection, default=()
        Columns that are labels.

    Returns
    -------
    names : ndarray of str or None
        None if there is no such column.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.datasets import row_names
    >>> row_names(pd.DataFrame({"age": [31, 45], "id": ["a7", "b2"]})).tolist()
    ['a7', 'b2']
    """
    for place, name in enumerate(frame.columns):
        values = frame.iloc[:, place]
        if name in labels or not _may_be_id(values, str(name)):
            continue
        if column_roles(values.to_frame())["role"].iloc[0] == "id":
            return values.astype(str).to_numpy(dtype=object)
    return None


def _may_be_id(values: pd.Series, name: str) -> bool:
    """Whether it is worth a closer look."""
    if types.is_integer_dtype(values):
        return has_id_name(name)
    text = types.is_object_dtype(values) or types.is_string_dtype(values)
    return bool(text and values.notna().all())
