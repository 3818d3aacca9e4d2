"""Figures of J-Play: maps, faces, accuracy by depth, the objective."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from skldl.benchmark import read_reference
from skldl.datasets import load
from skldl.plotting import false_color
from skldl.reproduce._counted import counted_rows
from skldl.reproduce.figures import _jplay_rows as rows_of
from skldl.reproduce.figures._drawing import Drawing, Picture
from skldl.reproduce.figures._panels import curves, draw_curves
from skldl.reproduce.figures._samples import draw_faces, draw_maps
from skldl.reproduce.papers.jplay import (
    AS_RELEASED,
    CLASSIFIERS,
    REPAIRED,
    TEST_SIZES,
)

_SETS = {
    "Indian_Pines": "Indian Pines",
    "YaleB_32x32": "Extended Yale-B",
    "AR_60x43": "AR",
}
_KINDS = {"NN": "1-NN", "SVM": "SVM", "CCF": "CCF"}
_ORDER = [(name, kind) for name in _SETS for kind in _KINDS]  # of the paper's tables


def first_whole_part(rows: pd.DataFrame, values: str = "mean") -> pd.DataFrame:
    """Give methods in columns, of the first part that has a number of each of them.

    Parameters
    ----------
    rows : DataFrame
        What :func:`counted_rows` gave, by part.
    values : str, default="mean"
        Which column.

    Returns
    -------
    table : DataFrame
        Data sets and classifiers in rows.
    """
    places = ["dataset", "classifier"]
    order = {name: place for place, name in enumerate(dict.fromkeys(rows["part"]))}
    wide = rows.pivot_table(
        index=[*places, "part"], columns="published", values=values, dropna=False
    )
    done = rows.pivot_table(index=[*places, "part"], columns="published", values="mean")
    whole = wide.loc[done.dropna().index].reset_index("part")
    whole = whole.sort_values("part", key=lambda p: p.map(order), kind="stable")
    whole = whole[~whole.index.duplicated()].sort_index()
    return whole.drop(columns="part")


def depth_rows(summary: pd.DataFrame) -> pd.DataFrame:
    """Give accuracy by depth, measured and published, in per cent.

    Parameters
    ----------
    summary : DataFrame
        Of the paper.

    Returns
    -------
    rows : DataFrame
        Columns dataset, classifier, depth, measured, error and published; first says
        whether it is the form that counts, repaired whether the cube was. All depths
        are of the same form of the data. The error of a single run is that of a share
        among its test rows.
    """
    rows = counted_rows("jplay", summary, by_part=True)
    rows = rows[rows["published"].str.match(r"J-Play\d$")]
    if rows.empty:
        return pd.DataFrame()
    rows = rows.assign(
        error=[_standard_error(row) for row in rows.to_dict("records")],
        repaired=rows["part"] == REPAIRED,
    )
    means, errors, first, repaired = (
        first_whole_part(rows, name) for name in ("mean", "error", "first", "repaired")
    )
    published = read_reference(paper="J-Play").set_index(
        ["dataset", "method", "metric"]
    )["value"]
    lines = []
    for dataset, classifier in sorted(means.index, key=_ORDER.index):
        metric = f"overall_accuracy_percent_{CLASSIFIERS[classifier]}"
        for method in means:
            at = (dataset, classifier), method
            lines.append(
                (
                    _SETS[dataset], _KINDS[classifier], int(str(method)[-1]),
                    100 * means.loc[at], 100 * errors.loc[at],
                    published[dataset, method, metric],
                    bool(first.loc[at]), bool(repaired.loc[at]),
                )
            )  # fmt: skip
    columns = [
        "dataset", "classifier", "depth", "measured", "error", "published",
        "first", "repaired",
    ]  # fmt: skip
    return pd.DataFrame(lines, columns=columns)


def _standard_error(row: Mapping[str, Any]) -> float:
    if row["n_folds"] > 1:
        return float(row["std"] / np.sqrt(row["n_folds"]))
    share, n_test = row["mean"], TEST_SIZES[row["dataset"]]
    return float(np.sqrt(share * (1 - share) / n_test))


def released_rows(summary: pd.DataFrame) -> pd.DataFrame:
    """Give accuracy by depth with the weights of the authors' script, in per cent.

    Parameters
    ----------
    summary : DataFrame
        Of the paper.

    Returns
    -------
    rows : DataFrame
        Columns panel, series, x, y and error, of the repaired cube.
    """
    own = summary[
        (summary["variant"] == AS_RELEASED)
        & (summary["part"] == REPAIRED)
        & (summary["n_folds"] > 0)
    ]
    rows = [
        (
            f"{_SETS[row['dataset']]}, {_KINDS[row['classifier']]}",
            f"measured, {AS_RELEASED}",
            int(row["method"][-1]),
            100 * row["mean"],
            100 * _standard_error(row),
        )
        for row in own.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=["panel", "series", "x", "y", "error"])


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
    rows = pd.concat([ours, theirs, released_rows(summary)])
    caption = _depth_caption(found)

    def draw() -> Figure:
        return draw_curves(rows, xlabel="layers", ylabel="accuracy in %")

    return [Picture("jplay-depth", caption, caption, draw)]


def _depth_caption(found: pd.DataFrame) -> str:
    """How the curves were measured, with the panels where another form stands in."""
    cube = found[found["dataset"] == _SETS["Indian_Pines"]]
    which = "the repaired cube" if cube["repaired"].all() else "the cube as distributed"
    others = found[~found["first"]]
    panels = dict.fromkeys(others["dataset"] + ", " + others["classifier"])
    stand_in = (
        " One of four settings, chosen for 1-NN, stands in for them on some depths of: "
        f"{'; '.join(panels)}."
        if panels
        else ""
    )
    return (
        "Accuracy of J-Play against the number of layers, published and measured. Bars "
        "are standard errors: over the draws of Extended Yale-B, and of a share among "
        "the test rows of the others, which have one split. Indian Pines is "
        f"{which}. Weights are chosen on folds for the classifier that follows, with "
        "one layer and, on Indian Pines, with two. Deeper models take the beta and "
        "gamma of such a choice, from fewer values, or the default weights, whichever "
        "the folds prefer."
        f"{stand_in} The third line on Indian Pines, always the repaired cube, has the "
        "weights of the authors' script, which has none for faces."
    )


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
    "Projections and classifiers are those of the tables, with the same choices on "
    "folds of the training part; J-Play's settings are chosen for the classifier of "
    "the map, and of its depths only one and four layers are mapped."
)
_GROWN_AGAIN = (
    " Forests were grown again for the maps. They depend on rounding, and so on the "
    "machine, which changes their accuracy by up to half a point."
)
_NO_MAPS = (
    " Fig. 4, the same for Houston, is missing: the test spectra are not at hand."
)

DRAWINGS = [
    Drawing(
        "jplay", "maps-ccf", rows_of.forest_maps, _draw_scene,
        "Fig. 3: " + _MAPS.format("canonical correlation forests") + _MADE
        + _GROWN_AGAIN + _NO_MAPS,
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
        "images a person, with one layer and with four: after 200 eigenfaces, with "
        "the settings that folds choose for 1-NN, as in the tables. AR is at hand as "
        "eigenface coordinates only, without the images that its directions would "
        "need.",
        keep_rows=False,
    ),
    Drawing(
        "jplay", "convergence", rows_of.jplay_history, curves("round", "objective"),
        "J-Play's objective on Indian Pines, the repaired cube, at the start and after "
        "each of 15 rounds, by the number of layers: 20 dimensions, default weights. "
        "It need not fall in every round: alternating directions with a growing "
        "penalty solve the step of a layer only roughly.",
    ),
]  # fmt: skip
