"""Pictures of the papers: rows first, drawn last.

Every picture has a function that measures tidy rows and one that draws them. Rows are
in CSV files, so that a page can be made again without a fit; rows that carry samples
of a data set are drawn at once and not kept.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from skldl._files import write_text
from skldl.reproduce._data_facts import DATA_ROWS, DataRows
from skldl.reproduce.figures import hamming, jplay, lse, lwknn, mslp
from skldl.reproduce.figures._drawing import Drawing, Picture

__all__ = ["DRAWINGS", "Drawing", "Picture", "measure_figures", "paper_pictures"]

DRAWINGS: list[Drawing] = [
    drawing
    for module in (mslp, lse, lwknn, jplay, hamming)
    for drawing in module.DRAWINGS
]
#: Pictures that need no rows of their own.
FROM_SUMMARY: dict[str, Callable[[pd.DataFrame], list[Picture]]] = {
    "lse-ldl": lse.rank_pictures,
    "jplay": jplay.depth_pictures,
    "generalized-hamming": hamming.dimension_pictures,
}


def measure_figures(
    papers: Sequence[str], folder: str | Path, *, again: bool = False
) -> list[Path]:
    """Measure the rows of the papers' pictures and data that are not there yet.

    Parameters
    ----------
    papers : sequence of str
        Keys.
    folder : str or Path
        Where the files are.
    again : bool, default=False
        Whether to measure also what is there.

    Returns
    -------
    paths : list of Path
        Files that were written.
    """
    written = []
    items: list[Drawing | DataRows] = [*DRAWINGS, *DATA_ROWS]
    for item in items:
        path = Path(folder) / item.file
        if item.paper in papers and (again or not path.exists()):
            written.append(write_text(path, _file_text(item)))
    return written


def _file_text(item: Drawing | DataRows) -> str:
    """Rows as CSV, or the picture where rows are not kept."""
    rows = item.measure()
    if isinstance(item, Drawing) and not item.keep_rows:
        return item.picture(rows).svg_text()
    return rows.to_csv(index=False, float_format="%.6g", lineterminator="\n")


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
        Where rows of pictures are; None gives only those from the summary.

    Returns
    -------
    pictures : list of Picture
    """
    pictures: list[Picture] = []
    if paper in FROM_SUMMARY and not summary.empty:
        pictures += FROM_SUMMARY[paper](summary)
    if folder is None:
        return pictures
    for drawing in DRAWINGS:
        path = Path(folder) / drawing.file
        if drawing.paper != paper or not path.exists():
            continue
        if drawing.keep_rows:
            pictures.append(drawing.picture(pd.read_csv(path)))
        else:
            pictures.append(drawing.picture(svg=path.read_text(encoding="utf-8")))
    return pictures
