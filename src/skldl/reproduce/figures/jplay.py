"""Figures of J-Play: maps, faces, accuracy by depth, the objective."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from skldl.datasets import load
from skldl.plotting import false_color
from skldl.reproduce._verdicts import compare_paper
from skldl.reproduce.figures import _jplay_rows as rows_of
from skldl.reproduce.figures._drawing import Drawing, Picture
from skldl.reproduce.figures._panels import curves, draw_curves, draw_faces, draw_maps

_SETS = {
    "Indian_Pines": "Indian Pines",
    "YaleB_32x32": "Extended Yale-B",
    "AR_60x43": "AR",
}
_KINDS = {"NN": "1-NN", "SVM": "SVM", "CCF": "CCF"}


def depth_rows(summary: pd.DataFrame) -> pd.DataFrame:
    """Give accuracy by depth, measured and published.

    Parameters
    ----------
    summary : DataFrame
        Of the paper.

    Returns
    -------
    rows : DataFrame
        Columns dataset, classifier, depth, measured, error and published.
    """
    cells = compare_paper("jplay", summary)
    cells = cells[cells["main"] & cells["method"].str.match(r"J-Play\d$")]
    cells = cells[cells["measured"].notna()]
    return pd.DataFrame(
        {
            "dataset": cells["dataset"].map(_SETS),
            "classifier": cells["classifier"].map(_KINDS),
            "depth": cells["method"].str[-1].astype(int),
            "measured": cells["measured"],
            "error": cells["deviation"] / np.sqrt(cells["n_folds"]),
            "published": cells["value"],
        }
    )


def depth_pictures(summary: pd.DataFrame) -> list[Picture]:
    """Accuracy against the number of layers, from the summary alone."""
    found = depth_rows(summary)
    if found.empty:
        return []
    alike = {
        "panel": found["dataset"] + ", " + found["classifier"],
        "x": found["depth"],
    }
    ours = pd.DataFrame(
        {**alike, "series": "measured", "y": found["measured"], "error": found["error"]}
    )
    theirs = pd.DataFrame({**alike, "series": "published", "y": found["published"]})
    rows = pd.concat([ours, theirs])
    caption = (
        "Accuracy of J-Play against the number of layers, published and measured. Bars "
        "are standard errors over the draws of Extended Yale-B; the others have one "
        "split."
    )

    def draw() -> Figure:
        return draw_curves(rows, xlabel="layers", ylabel="accuracy in %")

    return [Picture("jplay-depth", caption, caption, draw)]


def _draw_scene(rows: pd.DataFrame) -> Figure:
    cube = load("Indian_Pines_repaired").extra["cube"]
    # near infrared, red and green, as aerial photographs of plants are shown
    return draw_maps(rows, false_color(cube, (43, 26, 14)))


_MAPS = (
    "Indian Pines, the repaired cube: false colour (near infrared, red, green), ground "
    "truth, and classes by {} after each projection; titles give the accuracy on test "
    "pixels, black pixels have no class. "
)
_MADE = (
    "One layer of J-Play is tuned on folds of the training part, and four layers take "
    "its setting; the other projections are not tuned, so that accuracies differ a "
    "little from those of the tables."
)

DRAWINGS = [
    Drawing(
        "jplay", "maps-ccf", rows_of.forest_maps, _draw_scene,
        "Fig. 3: " + _MAPS.format("canonical correlation forests of 100 trees") + _MADE,
        keep_rows=False,
    ),
    Drawing(
        "jplay", "maps-nn", rows_of.nearest_maps, _draw_scene,
        _MAPS.format("1-NN") + _MADE,
        keep_rows=False,
    ),
    Drawing(
        "jplay", "faces", rows_of.face_directions, draw_faces,
        "Fig. 5: the first 20 directions of J-Play on Extended Yale-B, one draw of ten "
        "images a person, with one layer and with four. AR is at hand as eigenface "
        "coordinates only, without the images that its directions would need.",
        keep_rows=False,
    ),
    Drawing(
        "jplay", "convergence", rows_of.jplay_history, curves("iteration", "objective"),
        "J-Play's objective on Indian Pines, by the number of layers, defaults.",
    ),
]  # fmt: skip
