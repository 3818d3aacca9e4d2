"""What a figure is: how its rows are measured, how they are drawn, what they say."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import pandas as pd
from matplotlib.figure import Figure

from skldl.plotting import style_context
from skldl.report import svg_text

_WHITE = 'style="color:black;background:white"'


def on_white(svg: str) -> str:
    """Give a drawing in the colour of its page as a file, which has no page.

    Parameters
    ----------
    svg : str
        The drawing.

    Returns
    -------
    svg : str
        Black on white, or as it was if it has colours of its own.
    """
    if "currentColor" not in svg or _WHITE in svg:
        return svg
    return svg.replace("<svg ", f"<svg {_WHITE} ", 1)


@dataclass(frozen=True)
class Picture:
    """A drawing with words for those who cannot see it.

    Attributes
    ----------
    name : str
        Of its file.
    alt, caption : str
        What it shows, and the line below.
    make : callable or None
        Gives the matplotlib figure.
    svg : str
        The drawing itself, in place of ``make``.
    kind : {"svg", "png"}
        How it goes into an HTML page.
    """

    name: str
    alt: str
    caption: str
    make: Callable[[], Figure] | None = None
    svg: str = ""
    kind: Literal["svg", "png"] = "svg"

    def draw(self) -> Figure:
        """Give the matplotlib figure, in the style of all figures."""
        assert self.make is not None
        with style_context():
            return self.make()

    def svg_text(self) -> str:
        """Give the drawing as a file's text, the same in every run."""
        if self.svg:
            return on_white(self.svg)
        return svg_text(self.draw())


@dataclass(frozen=True)
class Drawing:
    """How a picture's rows are measured and drawn.

    Attributes
    ----------
    paper, name : str
        The paper's key, and the picture's own name.
    measure : callable
        Gives tidy rows.
    draw : callable
        Rows to figure.
    caption : str
        What it shows, and from what data.
    kind : {"svg", "png"}
        How it goes into an HTML page.
    keep_rows : bool
        Whether the rows are written to a file. Rows that carry samples of a data set
        are drawn at once and then forgotten.
    """

    paper: str
    name: str
    measure: Callable[[], pd.DataFrame]
    draw: Callable[[pd.DataFrame], Figure]
    caption: str
    kind: Literal["svg", "png"] = "svg"
    keep_rows: bool = True

    @property
    def file(self) -> str:
        """Name of the file with its rows, or of the picture if no rows are kept."""
        end = "csv" if self.keep_rows else "svg"
        return f"{self.paper}-{self.name}.{end}"

    def picture(self, rows: pd.DataFrame | None = None, svg: str = "") -> Picture:
        """Give the picture of rows, or one that is drawn already.

        Parameters
        ----------
        rows : DataFrame, default=None
            What ``measure`` gave.
        svg : str, default=""
            The drawing itself, in place of rows.

        Returns
        -------
        picture : Picture
        """
        name = f"{self.paper}-{self.name}"
        if rows is None:
            return Picture(name, self.caption, self.caption, svg=svg)
        return Picture(
            name, self.caption, self.caption, lambda: self.draw(rows), kind=self.kind
        )
