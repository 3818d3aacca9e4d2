"""Headings, text, tables and pictures as Markdown and as HTML."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup, escape

from skldl.report import (
    Section,
    figure,
    paragraph,
    render_page,
    svg,
    table,
    theme,
)
from skldl.reproduce._figures import Picture


@dataclass(frozen=True)
class Table:
    """A table with its caption."""

    frame: pd.DataFrame
    caption: str


@dataclass(frozen=True)
class Chapter:
    """A heading, and text, tables, pictures and chapters below it."""

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
        lines += _markdown_block(chapter)
    return "\n".join(lines).rstrip() + "\n"


def _markdown_block(block: Any, level: int = 2) -> list[str]:
    if isinstance(block, Chapter):
        below = (_markdown_block(b, level + 1) for b in block.blocks)
        heading = f"{'#' * level} {block.heading}"
        return [heading, "", *(line for lines in below for line in lines)]
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
        sections = [_html_block(chapter) for chapter in chapters]
    return render_page(title, [_html_block(text) for text in lead], sections)


def _html_block(block: Any) -> Any:
    if isinstance(block, Chapter):
        return Section(block.heading, [_html_block(b) for b in block.blocks],
                       block.folded)  # fmt: skip
    if isinstance(block, Table):
        return table(block.frame, block.caption, index=False)
    if isinstance(block, Picture):
        if block.svg:
            return svg(block.svg, block.alt, block.caption)
        return figure(block.draw(), block.alt, block.caption, kind=block.kind)
    return paragraph(_with_code(str(block)))


def _with_code(text: str) -> Markup:
    """Words between backticks as code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))
