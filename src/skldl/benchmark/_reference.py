"""Published numbers."""

import os
from importlib.resources import files
from typing import Any

import pandas as pd


def read_reference(
    path: str | os.PathLike[str] | None = None, **where: Any
) -> pd.DataFrame:
    """Read published numbers from a CSV file.

    Parameters
    ----------
    path : str or Path, default=None
        A file with the columns dataset, method, metric, value and perhaps others;
        None takes the tables of five papers that come with the library: columns
        paper, table, dataset, method, metric, value (missing where the paper says
        that the method could not run) and std (missing where none is printed).
    **where : str or list
        Keep the rows whose column has this value, as in ``paper="MSLP"``.

    Returns
    -------
    reference : DataFrame
        Also with ``digits``, the number of printed decimals, final zeros included.

    Examples
    --------
    >>> from skldl.benchmark import read_reference
    >>> len(read_reference()), len(read_reference(paper="MSLP", dataset="SJAFFE"))
    (1272, 78)
    """
    if path is None:
        with (files("skldl.benchmark") / "data" / "published.csv").open() as file:
            table = pd.read_csv(file, dtype={"value": str})
    else:
        table = pd.read_csv(path, dtype={"value": str})
    path = path or "The library's table"
    missing = {"dataset", "method", "metric", "value"} - set(table.columns)
    if missing:
        raise ValueError(f"{path} has no column {sorted(missing)[0]!r}.")
    table["metric"] = table["metric"].replace({"kl": "kl_divergence"})
    printed = table["value"].fillna("")
    table["value"] = [float(text or "nan") for text in printed]
    table["digits"] = printed.str.strip().str.partition(".")[2].str.len()
    for column, wanted in where.items():
        if column not in table.columns:
            raise ValueError(f"{path} has no column {column!r} to select by.")
        chosen = wanted if isinstance(wanted, list) else [wanted]
        table = table[table[column].isin(chosen)]
    return table.reset_index(drop=True)
