"""Tables as reStructuredText: one writer for the guide and the benchmarks."""

from typing import Any

import pandas as pd


def to_rst(table: pd.DataFrame) -> str:
    r"""Write a table in the simple form of reStructuredText.

    Parameters
    ----------
    table : DataFrame
        Cells are shown as ``str`` gives them, so numbers are rounded before; empty and
        missing cells show a dash. The index is not shown.

    Returns
    -------
    text : str
        Lines without trailing blanks, the last one ended.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.report import to_rst
    >>> print(to_rst(pd.DataFrame({"method": ["MSLP", "PCA"], "clark": ["0.32", ""]})))
    ====== =====
    method clark
    ====== =====
    MSLP   0.32
    PCA    \-
    ====== =====
    <BLANKLINE>
    """
    cells = [[str(name) for name in table.columns]]
    cells += [[_cell_text(value) for value in row] for row in table.to_numpy().tolist()]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rule = " ".join("=" * width for width in widths)
    head, *lines = [
        " ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([rule, head, rule, *lines, rule, ""])


def _cell_text(value: Any) -> str:
    # an empty first cell would join its row to the one above
    return "\\-" if pd.isna(value) or str(value) == "" else str(value)
