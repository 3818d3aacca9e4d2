"""Blocks of a table as LaTeX and Markdown."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skldl.metrics import METRICS

_MARKS = {"win": "•", "loss": "◦"}
_DASH = "–"  # noqa: RUF001
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#",
    "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "±": r"$\pm$", "•": r"$\bullet$", "◦": r"$\circ$", "↑": r"$\uparrow$",
    "↓": r"$\downarrow$", "–": "--",  # noqa: RUF001
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A cell: a text, whether it is bold, and a mark behind it."""

    text: str
    bold: bool = False
    mark: str = ""


@dataclass(frozen=True)
class Block:
    """The cells of one metric, or of a single data set.

    Attributes
    ----------
    title : str
        What the block is about.
    columns : list of str
        Names over the columns.
    rows : list of (str, list of Entry)
        Names of rows and their cells.
    n_totals : int
        How many of the last rows, or of the last columns, are totals.
    turned : bool
        Whether methods are rows, so that totals are columns.
    """

    title: str
    columns: list[str]
    rows: list[tuple[str, list[Entry]]]
    n_totals: int
    turned: bool = False

    @classmethod
    def of(
        cls,
        title: str,
        cells: pd.DataFrame,
        along: str,
        totals: pd.DataFrame,
        control: str | None,
        digits: int,
    ) -> "Block":
        """Methods as columns, then rows of totals.

        Parameters
        ----------
        title : str
            A metric, or the single data set.
        cells, totals : DataFrame
            Of this block; totals by method.
        along : {"dataset", "metric"}
            What the rows are.
        control : str or None
            What the others were tested against.
        digits : int
            Decimals.

        Returns
        -------
        block : Block
        """
        methods = list(cells["method"].unique())
        rows = []
        for name, part in cells.groupby(along, sort=False):
            part = part.set_index("method").reindex(methods)
            entries = [_score(row, digits) for row in part.to_dict("records")]
            rows.append((_heading(str(name)), entries))
        bottom = []
        counts = totals.reindex(methods)
        if cells["outcome"].notna().any():
            bottom.append(("win/tie/loss", _counts(counts, control)))
        if len(methods) > 1:
            ranks = [_rank(value) for value in counts["average_rank"]]
            bottom.append(("average rank", ranks))
        return cls(_heading(title), methods, [*rows, *bottom], len(bottom))

    def transposed(self) -> "Block":
        """The same with methods as rows."""
        columns = [name for name, _ in self.rows]
        rows = [
            (method, [entries[i] for _, entries in self.rows])
            for i, method in enumerate(self.columns)
        ]
        return Block(self.title, columns, rows, self.n_totals, turned=True)

    @property
    def lines_at(self) -> int:
        """Number of rows above the totals; all of them if totals are columns."""
        return len(self.rows) - (0 if self.turned else self.n_totals)


def _heading(name: str) -> str:
    """Metrics with title and arrow, data sets as they are called."""
    metric = METRICS.get(name)
    return name if metric is None else f"{metric.title} {metric.arrow}"


def _score(row: dict[str, Any], digits: int) -> Entry:
    if pd.isna(row["mean"]):
        return Entry(_DASH)
    text = f"{row['mean']:.{digits}f}"
    if not np.isnan(row["std"]):
        text += f"±{row['std']:.{digits}f}"
    return Entry(text, bool(row["best"]), _MARKS.get(row["outcome"], ""))


def _counts(totals: pd.DataFrame, control: str | None) -> list[Entry]:
    return [
        Entry(_DASH)
        if method == control
        else Entry(f"{row['win']:.0f}/{row['tie']:.0f}/{row['loss']:.0f}")
        for method, row in totals.iterrows()
    ]


def _rank(value: float) -> Entry:
    return Entry(_DASH if np.isnan(value) else f"{value:.2f}")


def latex_escape(text: str) -> str:
    r"""Text as LaTeX shows it, whatever signs it has.

    Parameters
    ----------
    text : str
        Plain text.

    Returns
    -------
    escaped : str

    Examples
    --------
    >>> from skldl.benchmark import latex_escape
    >>> print(latex_escape("SBU_3DFE & 50%"))
    SBU\_3DFE \& 50\%
    """
    return "".join(_LATEX.get(sign, sign) for sign in " ".join(text.split()))


def latex_text(
    blocks: list[Block],
    *,
    corner: str,
    caption: str,
    own_caption: str | None,
    label: str,
) -> str:
    """A table with booktabs: one tabular, a part for each block."""
    width = max(len(block.columns) for block in blocks) + 1
    one_head = all(block.columns == blocks[0].columns for block in blocks)
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_escape(caption) if own_caption is None else own_caption}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{l{'c' * (width - 1)}}}",
        r"\toprule",
    ]
    if one_head:
        lines += [_latex_row([corner, *blocks[0].columns]), r"\midrule"]
    for number, block in enumerate(blocks):
        lines += [r"\midrule"] if number else []
        title = latex_escape(block.title)
        lines.append(rf"\multicolumn{{{width}}}{{l}}{{\textit{{{title}}}}} \\")
        if not one_head:
            lines += [_latex_row([corner, *block.columns])]
        for place, (name, entries) in enumerate(block.rows):
            if place == block.lines_at:
                lines.append(rf"\cmidrule(lr){{1-{width}}}")
            lines.append(_latex_row([name, *entries], width))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def _latex_row(cells: list[Any], width: int = 0) -> str:
    texts = [_latex_cell(cell) for cell in cells]
    return " & ".join(texts + [""] * (width - len(texts))) + r" \\"


def _latex_cell(cell: Entry | str) -> str:
    if isinstance(cell, str):
        return latex_escape(cell)
    text = latex_escape(cell.text)
    if cell.bold:
        text = rf"\textbf{{{text}}}"
    return text + (f" {latex_escape(cell.mark)}" if cell.mark else "")


def markdown_text(blocks: list[Block], *, corner: str, caption: str) -> str:
    """One table for each block, the caption below."""
    parts = []
    for block in blocks:
        lines = [
            f"**{_markdown_escape(block.title)}**",
            "",
            _markdown_row([corner, *block.columns], _markdown_cell),
            "|" + " --- |" * (len(block.columns) + 1),
        ]
        lines += [
            _markdown_row([name, *entries], _markdown_cell)
            for name, entries in block.rows
        ]
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, _markdown_escape(caption)]) + "\n"


def _markdown_row(cells: list[Any], show: Callable[[Any], str]) -> str:
    return "| " + " | ".join(show(cell) for cell in cells) + " |"


def _markdown_escape(text: str) -> str:
    text = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in text)


def _markdown_cell(cell: Entry | str) -> str:
    if isinstance(cell, str):
        return _markdown_escape(cell)
    text = f"**{cell.text}**" if cell.bold else cell.text
    return text + (f" {cell.mark}" if cell.mark else "")
