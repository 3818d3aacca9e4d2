"""Pictures of the papers: rows first, drawn last.

Every picture has a function that measures tidy rows and one that draws them. Rows are
in CSV files, so that a page can be made again without a fit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from skldl._files import write_text
from skldl.plotting import class_image, label_colors
from skldl.report import svg_text
from skldl.reproduce import _measure

_COLUMNS = 3
_MARKERS = "osD^vP*X"


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
        """Give the matplotlib figure."""
        assert self.make is not None
        return self.make()

    def svg_text(self) -> str:
        """Give the drawing as a file's text, the same in every run."""
        if self.svg:
            return self.svg
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
    """

    paper: str
    name: str
    measure: Callable[[], pd.DataFrame]
    draw: Callable[[pd.DataFrame], Figure]
    caption: str
    kind: Literal["svg", "png"] = "svg"

    @property
    def file(self) -> str:
        """Name of the file with its rows."""
        return f"{self.paper}-{self.name}.csv"


def draw_curves(
    rows: pd.DataFrame,
    *,
    xlabel: str,
    ylabel: str,
    logx: bool = False,
    logy: bool = False,
) -> Figure:
    """Draw lines: one panel per ``panel``, one line per ``series``.

    Parameters
    ----------
    rows : DataFrame
        Columns panel, series, x, y and perhaps error.
    xlabel, ylabel : str
        Names of the axes.
    logx, logy : bool, default=False
        Whether an axis is logarithmic.

    Returns
    -------
    drawing : Figure
    """
    panels = list(dict.fromkeys(rows["panel"]))
    drawing, axes = _grid(len(panels))
    for ax, panel in zip(axes, panels, strict=True):
        part = rows[rows["panel"] == panel]
        for place, (series, line) in enumerate(part.groupby("series", sort=False)):
            errors = line.get("error")
            ax.errorbar(
                line["x"],
                line["y"],
                yerr=errors,
                marker=_MARKERS[place % len(_MARKERS)] if len(line) < 40 else "",
                markersize=4,
                linewidth=1.2,
                label=str(series),
            )
        ax.set(title=str(panel), xlabel=xlabel, ylabel=ylabel)
        ax.set_xscale("log" if logx else "linear")
        ax.set_yscale("log" if logy else "linear")
        if part["series"].nunique() > 1:
            ax.legend(fontsize="small")
    drawing.tight_layout()
    return drawing


def draw_points(rows: pd.DataFrame) -> Figure:
    """Draw embeddings in two dimensions, coloured by the distributions.

    Parameters
    ----------
    rows : DataFrame
        Columns panel, x, y and one per label, from ``d1`` on.

    Returns
    -------
    drawing : Figure
    """
    panels = list(dict.fromkeys(rows["panel"]))
    degrees = [name for name in rows.columns if name.startswith("d")]
    drawing, axes = _grid(len(panels))
    for ax, panel in zip(axes, panels, strict=True):
        part = rows[rows["panel"] == panel]
        D = part[degrees].to_numpy()
        colors = label_colors(D / D.sum(axis=1, keepdims=True))  # rows were rounded
        # thousands of points are smaller as pixels than as shapes
        ax.scatter(part["x"], part["y"], c=colors, s=6, rasterized=len(part) > 1000)
        ax.set(title=str(panel), xticks=[], yticks=[])
    drawing.tight_layout()
    return drawing


def draw_maps(rows: pd.DataFrame) -> Figure:
    """Draw maps of classes: the truth, then the predictions of each method.

    Parameters
    ----------
    rows : DataFrame
        Columns row, column, test (1 for test pixels), truth, and one per method.

    Returns
    -------
    drawing : Figure
    """
    methods = list(rows.columns[rows.columns.get_loc("truth") :])
    shape = (int(rows["row"].max()) + 1, int(rows["column"].max()) + 1)
    classes = np.unique(rows["truth"])
    drawing, axes = _grid(len(methods), height=3.4)
    test = rows[rows["test"] == 1]
    for ax, method in zip(axes, methods, strict=True):
        pixels = rows[["row", "column"]].to_numpy()
        ax.imshow(class_image(rows[method], pixels, shape, classes))
        right = (test[method] == test["truth"]).mean()
        title = method if method == "truth" else f"{method}: {right:.1%}"
        ax.set(title=title, xticks=[], yticks=[])
    drawing.tight_layout()
    return drawing


def _grid(n_panels: int, height: float = 3.0) -> tuple[Figure, Sequence[Axes]]:
    columns = min(n_panels, _COLUMNS)
    lines = -(-n_panels // columns)
    drawing = Figure(figsize=(3.6 * columns, height * lines))
    axes = np.atleast_1d(drawing.subplots(lines, columns, squeeze=False)).ravel()
    for ax in axes[n_panels:]:
        ax.set_visible(False)
    return drawing, list(axes[:n_panels])


def _curves(
    xlabel: str, ylabel: str, *, logx: bool = False, logy: bool = False
) -> Callable[[pd.DataFrame], Figure]:
    def draw(rows: pd.DataFrame) -> Figure:
        return draw_curves(rows, xlabel=xlabel, ylabel=ylabel, logx=logx, logy=logy)

    return draw


DRAWINGS = [
    Drawing(
        "mslp", "embedding", _measure.embedding, draw_points,
        "The paper's toy set in two dimensions; colours mix the three degrees.", "png",
    ),
    Drawing(
        "mslp", "parameters", _measure.mslp_parameters,
        _curves("value", "KL divergence"),
        "SJAFFE, ten folds: the best KL divergence over the test folds when one "
        "parameter is held and the others are free.",
    ),
    Drawing(
        "lse-ldl", "selection", _measure.selection,
        _curves("share of features", "Clark"),
        "Clark distance against the share of selected features, five folds, "
        "standardised features.",
    ),
    Drawing(
        "lse-ldl", "convergence", _measure.lse_convergence,
        _curves("iteration", "objective above its end", logy=True),
        "LSE-LDL's objective less its last value, standardised features.",
    ),
    Drawing(
        "lwknn", "training-size", _measure.training_size,
        _curves("training share", "KL divergence"),
        "KL divergence against the share of training rows, five random splits, k = 15.",
    ),
    Drawing(
        "lwknn", "margin", _measure.margin, _curves("margin", "0/1 loss", logx=True),
        "0/1 loss against the margin, five random 90/10 splits, k = 15.",
    ),
    Drawing(
        "lwknn", "time", _measure.fit_time,
        _curves("training rows", "CPU seconds", logx=True, logy=True),
        "CPU time of a fit against the number of training rows, defaults, k = 11.",
    ),
    Drawing(
        "jplay", "convergence", _measure.jplay_convergence,
        _curves("iteration", "objective"),
        "J-Play's objective on Indian Pines, by number of layers.",
    ),
    Drawing(
        "jplay", "maps", _measure.class_maps, draw_maps,
        "Indian Pines: ground truth and 1-NN after each projection; titles give the "
        "accuracy on test pixels.", "png",
    ),
]  # fmt: skip


def measure_figures(
    papers: Sequence[str], folder: str | Path, *, again: bool = False
) -> list[Path]:
    """Measure the rows of the papers' pictures that are not there yet.

    Parameters
    ----------
    papers : sequence of str
        Keys.
    folder : str or Path
        Where the CSV files lie.
    again : bool, default=False
        Whether to measure also what is there.

    Returns
    -------
    paths : list of Path
        Files that were written.
    """
    written = []
    for drawing in DRAWINGS:
        path = Path(folder) / drawing.file
        if drawing.paper in papers and (again or not path.exists()):
            text = drawing.measure().to_csv(
                index=False, float_format="%.6g", lineterminator="\n"
            )
            written.append(write_text(path, text))
    return written


def paper_pictures(
    paper: str, summary: pd.DataFrame, folder: str | Path | None
) -> list[Picture]:
    """Give a paper's pictures, as far as there are rows.

    Parameters
    ----------
    paper : str
        Key.
    summary : DataFrame
        What :func:`summarize_paper` gave.
    folder : str or Path, default=None
        Where rows of pictures lie; None gives only those from the summary.

    Returns
    -------
    pictures : list of Picture
    """
    pictures = _dimension_picture(summary) if paper == "generalized-hamming" else []
    if folder is None:
        return pictures
    for drawing in DRAWINGS:
        path = Path(folder) / drawing.file
        drawn = path.with_suffix(".svg")
        if drawing.paper == paper and path.exists():
            pictures.append(_picture(drawing, pd.read_csv(path)))
        elif drawing.paper == paper and drawn.exists():
            # rows that would carry the labels of a data set are not kept with it
            pictures.append(_finished_picture(drawing, drawn.read_text()))
    return pictures


def _picture(drawing: Drawing, rows: pd.DataFrame) -> Picture:
    return Picture(
        f"{drawing.paper}-{drawing.name}",
        drawing.caption,
        drawing.caption,
        make=lambda: drawing.draw(rows),
        kind=drawing.kind,
    )


def _finished_picture(drawing: Drawing, svg: str) -> Picture:
    name = f"{drawing.paper}-{drawing.name}"
    return Picture(name, drawing.caption, drawing.caption, svg=svg)


def _dimension_picture(summary: pd.DataFrame) -> list[Picture]:
    """Ranking loss by dimension, from the summary alone."""
    part = summary[
        (summary["metric"] == "ranking_loss") & summary["published"].astype(bool)
    ]
    if part.empty:
        return []
    rows = pd.DataFrame(
        {
            "panel": part["dataset"] + ", " + part["part"],
            "series": part["published"],
            "x": part["size"].astype(int),
            "y": part["mean"],
        }
    )
    caption = "Ranking loss of ML-kNN against the number of dimensions."
    draw = _curves("dimensions", "ranking loss", logx=True)
    return [
        Picture("generalized-hamming-dimensions", caption, caption, lambda: draw(rows))
    ]
