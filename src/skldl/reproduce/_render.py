"""Headings, text, tables and pictures as Markdown and as HTML."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from skldl.report import Section, figure, render_page, svg, table, theme
from skldl.reproduce._figures import Picture


@dataclass(frozen=True)
class Table:
    """A table with its caption."""

    frame: pd.DataFrame
    caption: str


@dataclass(frozen=True)
class Chapter:
    """A heading, and text, tables and pictures below it."""

    heading: str
    blocks: Sequence[Any] = field(default_factory=list)
    folded: bool = False


def to_markdown(title: str, lead: Sequence[str], chapters: Sequence[Chapter]) -> str:
    """Write a page as Markdown; pictures are named by the files beside it.

    Parameters
    ----------
    title : str
        Heading.
    lead : sequence of str
        First sentences.
    chapters : sequence of Chapter
        The rest.

    Returns
    -------
    text : str
    """
    lines = [f"# {title}", ""]
    for text in lead:
        lines += [text, ""]
    for chapter in chapters:
        lines += [f"## {chapter.heading}", ""]
        for block in chapter.blocks:
            lines += _markdown_block(block)
    return "\n".join(lines).rstrip() + "\n"


def _markdown_block(block: Any) -> list[str]:
    if isinstance(block, Table):
        cells = [[_text(v) for v in row] for row in block.frame.to_numpy().tolist()]
        head = [str(name) for name in block.frame.columns]
        lines = [f"**{block.caption}**", "", _line(head), _line(["---"] * len(head))]
        return [*lines, *map(_line, cells), ""]
    if isinstance(block, Picture):
        return [f"![{block.alt}](figures/{block.name}.svg)", "", block.caption, ""]
    return [str(block), ""]


def _text(value: Any) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.4f}"
    return str(value).replace("|", "\\|").replace("\n", " ")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def to_html(title: str, lead: Sequence[str], chapters: Sequence[Chapter]) -> str:
    """Write a page as one self-contained HTML file.

    Parameters
    ----------
    title : str
        Heading.
    lead : sequence of str
        First sentences.
    chapters : sequence of Chapter
        The rest.

    Returns
    -------
    html : str
    """
    with theme():
        sections = [
            Section(c.heading, [_html_block(b) for b in c.blocks], c.folded)
            for c in chapters
        ]
    return render_page(title, lead, sections)


def _html_block(block: Any) -> Any:
    if isinstance(block, Table):
        return table(_verdict_in_view(block.frame), block.caption, index=False)
    if isinstance(block, Picture):
        if block.svg:
            return svg(block.svg, block.alt, block.caption)
        return figure(block.draw(), block.alt, block.caption, kind=block.kind)
    return block


def _verdict_in_view(frame: pd.DataFrame) -> pd.DataFrame:
    """The verdict beside the column that it judges: wide tables end off the screen."""
    ends = [name for name in ("difference", "verdict") if name in frame.columns]
    rest = [name for name in frame.columns if name not in ends]
    return frame[[*rest[:4], *ends, *rest[4:]]] if len(ends) == 2 else frame
