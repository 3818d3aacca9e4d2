"""One self-contained HTML page from a title, a summary and sections."""

import base64
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from skldl._files import write_text
from skldl._version import __version__
from skldl.report._fragments import paragraph


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it.

    Parameters
    ----------
    heading : str
        Its title; escaped.
    parts : sequence
        Text (becomes a paragraph, escaped), markup of :func:`skldl.report.table` or
        :func:`skldl.report.figure`, or sections one level below.
    folded : bool, default=False
        Whether readers open it by a click, for long detail.
    """

    heading: str
    parts: Sequence[Any] = field(default_factory=list)
    folded: bool = False


def render_page(
    title: str, summary: Sequence[Any], sections: Sequence[Section], *, footer: str = ""
) -> str:
    """Make a page that needs no network and runs no code but its own.

    Parameters
    ----------
    title : str
        Heading of the page.
    summary : sequence of str or Markup
        What stands first, before the list of contents: text or fragments.
    sections : sequence of Section
        What follows.
    footer : str, default=""
        Last line; the version of the library is added.

    Returns
    -------
    html : str

    Examples
    --------
    >>> from skldl.report import Section, render_page
    >>> page = render_page("Votes", ["Two runs."], [Section("Scores", ["Good."])])
    >>> page.startswith("<!doctype html>")
    True
    """
    environment = _environment()
    script = environment.get_template("page.js").render()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = environment.get_template("page.html").render(
        title=title,
        summary=[_part(part) for part in summary],
        sections=[_prepare(section, f"s{i + 1}") for i, section in enumerate(sections)],
        style=Markup(environment.get_template("page.css").render()),
        script=Markup(script),
        digest=digest,
        footer=footer,
        version=__version__,
    )
    return page.lstrip()


def write_page(
    path: str | os.PathLike[str],
    title: str,
    summary: Sequence[Any],
    sections: Sequence[Section],
    *,
    footer: str = "",
) -> Path:
    """Write a page as one file, whole or not at all.

    Parameters
    ----------
    path : str or Path
        Where to.
    title : str
        Heading of the page.
    summary : sequence of str or Markup
        What stands first.
    sections : sequence of Section
        What follows.
    footer : str, default=""
        Last line.

    Returns
    -------
    path : Path
    """
    return write_text(path, render_page(title, summary, sections, footer=footer))


def _prepare(section: Section, name: str) -> dict[str, Any]:
    """A section as the template wants it, with a name to link to."""
    parts: list[dict[str, Any]] = []
    for place, part in enumerate(section.parts):
        if isinstance(part, Section):
            parts.append({"section": _prepare(part, f"{name}-{place + 1}")})
        else:
            parts.append({"html": _part(part)})
    return {
        "id": name,
        "heading": section.heading,
        "folded": section.folded,
        "parts": parts,
    }


def _part(part: Any) -> Markup:
    return part if isinstance(part, Markup) else paragraph(str(part))


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("skldl.report"),
        autoescape=jinja2.select_autoescape(["html"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
