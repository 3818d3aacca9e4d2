"""Pieces of a page: tables and pictures as safe HTML."""

import base64
import hashlib
import io
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
import pandas as pd
from markupsafe import Markup, escape
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

# drawn in these, a figure takes the colours of the page, light or dark
_INK, _LINE = "#123457", "#123458"
_MISSING = "\N{EN DASH}"
_SENTENCE = 24  # letters; longer cells are kept from being squeezed on a phone
_PAGE_FONT: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
}
_THEME: Any = {
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.titlecolor": _INK,
    "axes.edgecolor": _LINE,
    "xtick.color": _LINE,
    "ytick.color": _LINE,
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
    "grid.color": _LINE,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "legend.facecolor": "none",
    "legend.edgecolor": _LINE,
    "legend.framealpha": 0.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


@dataclass(frozen=True)
class Cell:
    """A cell that shows one thing and is sorted by another.

    Parameters
    ----------
    text : str
        What stands in it; escaped, unless it is markup.
    key : float or str, default=None
        What the column is sorted by; None takes the text, a missing number goes last.
    strong : bool, default=False
        Whether it is set in bold, such as the best of a table.
    title : str, default=""
        Words that explain the cell.
    after : str, default=""
        What follows the text and is never bold, such as a mark.
    below : str, default=""
        What follows in small letters, such as a deviation.
    shade : float, default=None
        How dark its ground is, from 0 to 1, in a heat map.
    """

    text: str
    key: float | str | None = None
    strong: bool = False
    title: str = ""
    after: str = ""
    below: str = ""
    shade: float | None = None


def paragraph(text: str, *, note: bool = False) -> Markup:
    """A paragraph of plain text.

    Parameters
    ----------
    text : str
        Escaped, unless it is markup already.
    note : bool, default=False
        Whether it is set as a remark.

    Returns
    -------
    html : Markup
    """
    return Markup('<p class="note">{}</p>' if note else "<p>{}</p>").format(text)


def next_step(command: str) -> Markup:
    """The command to run next, set apart.

    Parameters
    ----------
    command : str
        As one would type it; escaped.

    Returns
    -------
    html : Markup
    """
    return Markup('<p class="next">Next: <code>{}</code></p>').format(command)


def facts(entries: Mapping[str, Any]) -> Markup:
    """Words and what they stand for, as a list.

    Parameters
    ----------
    entries : mapping of str to str
        Word to explanation.

    Returns
    -------
    html : Markup
    """
    rows = Markup("").join(
        Markup("<div><dt>{}</dt><dd>{}</dd></div>").format(name, value)
        for name, value in entries.items()
    )
    return Markup('<dl class="facts">{}</dl>').format(rows)


def table(
    frame: pd.DataFrame,
    caption: str,
    *,
    index: bool = True,
    digits: int = 4,
    titles: Mapping[str, str] | None = None,
    dense: bool = False,
) -> Markup:
    """A table that readers sort by clicking, or with the keyboard.

    Parameters
    ----------
    frame : DataFrame
        Text, numbers, or :class:`Cell`.
    caption : str
        What the table shows; also its name for readers who cannot see it.
    index : bool, default=True
        Whether the index is the first column; otherwise the first column names rows.
    digits : int, default=4
        Decimals of numbers that are not whole.
    titles : mapping of str to str, default=None
        Words that explain headings, by heading, for a pointer that rests on one.
    dense : bool, default=False
        Whether headings and deviations may take a further line, for many columns.

    Returns
    -------
    html : Markup

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.report import table
    >>> html = table(pd.DataFrame({"score": [0.5]}, index=["<a>"]), "Scores")
    >>> "&lt;a&gt;" in html and "0.5000" in html
    True
    """
    if index:
        frame = frame.reset_index(names=frame.index.name or "")
    columns = [frame.iloc[:, i].tolist() for i in range(frame.shape[1])]
    numeric = [_is_numeric(values) for values in columns]
    head = Markup("").join(
        Markup(
            '<th scope="col"{}><button type="button">{}<span aria-hidden="true" '
            'class="arrow"></span></button></th>'
        ).format(
            Markup(' class="number"' if number else ""),
            explained_name(str(name) or "name", (titles or {}).get(str(name), "")),
        )
        for name, number in zip(frame.columns, numeric, strict=True)
    )
    body = Markup("\n").join(
        Markup("<tr>{}</tr>").format(_table_row(values, numeric, digits))
        for values in zip(*columns, strict=True)
    )
    return Markup(
        '<div class="scroll" role="region" tabindex="0" aria-label="{0}">'
        '<table class="sortable{3}"><caption><span>{0}</span></caption>'
        "<thead><tr>{1}</tr></thead><tbody>\n{2}\n</tbody></table></div>"
    ).format(caption, head, body, " dense" if dense else "")


def explained_name(name: str, meaning: str) -> Markup:
    """A name, with its meaning for a pointer that rests on it.

    Parameters
    ----------
    name : str
        Escaped.
    meaning : str
        One sentence; empty gives the name alone.

    Returns
    -------
    html : Markup
    """
    shown = breakable(name)
    if not meaning:
        return shown
    return Markup('<abbr title="{}">{}</abbr>').format(meaning, shown)


def breakable(name: Any) -> Markup:
    """A name that may go on in the next line where its parts meet."""
    text = re.sub(r"([+,_/])(?=\S)", r"\1<wbr>", str(escape(str(name))))
    return Markup(re.sub(r"(?<=\w)\(", "<wbr>(", text))


def _table_row(values: tuple[Any, ...], numeric: list[bool], digits: int) -> Markup:
    cells = []
    for place, value in enumerate(values):
        cell = value if isinstance(value, Cell) else _plain_cell(value, digits)
        kinds = ["number"] * numeric[place] + ["heat"] * (cell.shade is not None)
        if place and not numeric[place] and len(cell.text) > _SENTENCE:
            kinds.append("words")
        attributes = Markup("")
        if kinds:
            attributes += Markup(' class="{}"').format(" ".join(kinds))
        if cell.shade is not None:
            attributes += Markup(' style="--shade:{:.0f}%"').format(42 * cell.shade)
        if cell.key is not None:
            attributes += Markup(' data-key="{}"').format(_key(cell.key))
        if cell.title:
            attributes += Markup(' title="{}"').format(cell.title)
        text = Markup("<strong>{}</strong>" if cell.strong else "{}").format(cell.text)
        if cell.below:
            text += Markup(" <small>{}</small>").format(cell.below)
        if cell.after:
            text += Markup('<span class="after">{}</span>').format(cell.after)
        shape = '<th scope="row"{}>{}</th>' if place == 0 else "<td{}>{}</td>"
        cells.append(Markup(shape).format(attributes, text))
    return Markup("").join(cells)


def _is_numeric(values: list[Any]) -> bool:
    keys = [v.key if isinstance(v, Cell) else v for v in values]
    known = [k for k in keys if k is not None and not _is_missing(k)]
    return bool(known) and all(_is_number(k) for k in known)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, Real) and math.isnan(value))


def _plain_cell(value: Any, digits: int) -> Cell:
    if _is_missing(value):
        return Cell(_MISSING, float("nan"))
    if _is_number(value):
        whole = isinstance(value, Integral)
        return Cell(f"{value:d}" if whole else f"{value:.{digits}f}", float(value))
    return Cell(value if isinstance(value, Markup) else str(value))


def _key(key: float | str) -> str:
    """Missing numbers have an empty key, which the page sorts last."""
    if isinstance(key, str):
        return key
    return "" if math.isnan(key) else f"{float(key):.10g}"


@contextmanager
def theme() -> Iterator[None]:
    """Draw matplotlib figures in the colours of the page, light or dark.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from skldl.report import figure, theme
    >>> with theme():
    ...     drawing = Figure()
    ...     _ = drawing.subplots().plot([1, 2])
    ...     html = figure(drawing, alt="A rising line.")
    >>> "currentColor" in html
    True
    """
    with mpl.rc_context({**_PAGE_FONT, **_THEME}):
        yield


def figure(
    drawing: Figure,
    alt: str,
    caption: str = "",
    *,
    kind: Literal["svg", "png"] = "svg",
    dpi: int = 110,
) -> Markup:
    """A matplotlib figure as part of the page.

    Parameters
    ----------
    drawing : Figure
        What was drawn; inside :func:`theme` it follows the page's light and dark
        colours, otherwise it stands on white.
    alt : str
        What it shows, in words, for readers who cannot see it.
    caption : str, default=""
        A line below.
    kind : {"svg", "png"}, default="svg"
        Lines stay sharp as SVG; thousands of points are smaller as PNG.
    dpi : int, default=110
        Dots per inch of a PNG.

    Returns
    -------
    html : Markup
    """
    if not alt.strip():
        raise ValueError("A figure needs words that say what it shows (alt).")
    if kind == "png":
        return _framed(_png(drawing, alt, dpi), caption, "paper")
    markup = _short(svg_text(drawing, _PAGE_FONT))
    themed = _INK in markup or _LINE in markup
    for color, name in ((_INK, "currentColor"), (_LINE, "var(--line)")):
        markup = markup.replace(color, name)
    return svg(markup, alt, caption, paper=not themed)


def svg(markup: str, alt: str, caption: str = "", *, paper: bool = False) -> Markup:
    """SVG text of our own making as part of the page.

    Parameters
    ----------
    markup : str
        A complete SVG element. It goes into the page as it is, so it must come from
        a drawing routine, never from data.
    alt : str
        What it shows, in words.
    caption : str, default=""
        A line below.
    paper : bool, default=False
        Whether it needs a white ground.

    Returns
    -------
    html : Markup
    """
    start = markup.index("<svg")
    opening, rest = markup[start:].split(">", 1)
    mark = hashlib.sha256((markup + alt).encode()).hexdigest()[:8]
    opening = re.sub(r'\s(xmlns(:\w+)?|role|aria-label|version)="[^"]*"', "", opening)
    rest = re.sub(r"<metadata>.*?</metadata>", "", rest, flags=re.DOTALL)
    rest = re.sub(r"<style[^>]*>.*?</style>", "", rest, flags=re.DOTALL)
    rest = rest.replace("xlink:href", "href")
    # names inside one picture must not meet those of another; most are not used
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', rest))
    rest = re.sub(
        r'\sid="([^"]+)"',
        lambda found: f' id="f{mark}-{found[1]}"' if found[1] in used else "",
        rest,
    )
    rest = re.sub(r'(href="#|url\(#)', rf"\1f{mark}-", rest)
    opening += str(Markup(' role="img" aria-label="{}"').format(alt))
    return _framed(Markup(f"{opening}>{rest}"), caption, "paper" if paper else "plain")


def _framed(content: Markup, caption: str, kind: str) -> Markup:
    below = Markup("<figcaption>{}</figcaption>").format(caption) if caption else ""
    return Markup('<figure><div class="scroll {}">{}</div>{}</figure>').format(
        kind, content, below
    )


def svg_text(drawing: Figure, style: Mapping[str, Any] | None = None) -> str:
    """A matplotlib figure as the text of an SVG file, the same in every run.

    Parameters
    ----------
    drawing : Figure
        What was drawn.
    style : mapping, default=None
        Settings of matplotlib, for instance of the font.

    Returns
    -------
    markup : str
    """
    target = io.StringIO()
    fixed = {"svg.fonttype": "none", "svg.hashsalt": "skldl"}
    settings: Any = {**(style or {}), **fixed}
    with mpl.rc_context(settings):
        FigureCanvasSVG(drawing).print_svg(target, metadata={"Date": None})
    return target.getvalue()


def _short(text: str) -> str:
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    # between tags are words and ticks, which stay as they are
    text = re.sub(r"<[^>]*>", _short_tag, text)
    return re.sub(r"\n\s*", "\n", text)


def _short_tag(found: re.Match[str]) -> str:
    """Cut numbers to two decimals of a point, which are finer than any screen."""
    return re.sub(r"(\d+\.\d\d)\d+", r"\1", found[0])


def _png(drawing: Figure, alt: str, dpi: int) -> Markup:
    target = io.BytesIO()
    drawing.set_dpi(dpi)
    FigureCanvasAgg(drawing).print_png(target)
    width, height = drawing.get_size_inches() * 96
    return Markup(
        '<img alt="{}" width="{:.0f}" height="{:.0f}" src="data:image/png;base64,{}">'
    ).format(alt, width, height, base64.b64encode(target.getvalue()).decode())
