"""Names beside points, so that they can be read."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

_Align = Literal["left", "center", "right"]
_Place = tuple[float, float, _Align]

_POINT = 4.0  # half the side of a point, in points of the figure
_NEAR = 13.0  # steps within which a name needs no line to its point
_ROUNDING = 1e-6
_SIDES: tuple[_Place, ...] = (
    (5, 3, "left"), (5, -9, "left"), (-5, 3, "right"), (-5, -9, "right"),
    (0, 6, "center"), (0, -13, "center"),
)  # fmt: skip
#: Places to try, the nearest first: steps from the point, and how the text is aligned.
_PLACES: list[_Place] = [
    (dx * reach, dy * reach, ha)
    for reach in (1.0, 2.2, 3.6, 5.0, 6.6)
    for dx, dy, ha in _SIDES
]


def name_points(
    ax: Axes, x: Any, y: Any, names: Sequence[Any], *, fontsize: Any = "small"
) -> list[Annotation]:
    """Write a name beside each point, where it covers no other name and no point.

    Draw the points and set scales and limits first: places are chosen on the page. A
    name that finds no free place nearby goes where it covers least. Names that end up
    away from their point are joined to it by a thin line.

    Parameters
    ----------
    ax : Axes
        What the points are drawn on.
    x, y : array-like of shape (n_points,)
        The points, in the data's units.
    names : sequence
        One for each point.
    fontsize : float or str, default="small"
        Size of the names.

    Returns
    -------
    texts : list of Annotation
        In the order of the names.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skldl.plotting import name_points
    >>> x, y = [1.0, 1.0, 2.0], [3.0, 3.1, 5.0]
    >>> ax = plt.figure().subplots()
    >>> points = ax.scatter(x, y)
    >>> [text.get_text() for text in name_points(ax, x, y, ["a", "b", "c"])]
    ['a', 'b', 'c']
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if not len(x) == len(y) == len(names):
        raise ValueError(
            f"x, y and names must have the same length, got {len(x)}, {len(y)} and "
            f"{len(names)}."
        )
    if ax.figure is None:
        raise ValueError("ax is not on a figure; make it with figure.subplots().")
    figure = ax.figure.figure  # of a subfigure, the whole one
    figure.draw_without_rendering()  # so that the layout is what it will be
    half = _POINT * figure.dpi / 72
    taken = [
        Bbox.from_extents(a - half, b - half, a + half, b + half)
        for a, b in ax.transData.transform(np.column_stack([x, y]))
    ]
    texts = []
    for name, a, b in zip(names, x, y, strict=True):
        place, box = _free_place(ax, str(name), (a, b), taken, fontsize)
        taken.append(box)
        texts.append(_write(ax, str(name), (a, b), place, fontsize))
    return texts


def _write(
    ax: Axes, name: str, point: tuple[float, float], place: _Place, fontsize: Any,
    *, line: bool = True,
) -> Annotation:  # fmt: skip
    """The name in its place, with a line to the point if it is not next to it."""
    far = line and max(abs(place[0]), abs(place[1])) > _NEAR
    arrow = {"arrowstyle": "-", "lw": 0.5, "color": "0.5", "shrinkA": 0, "shrinkB": 2}
    text = ax.annotate(
        name, point, place[:2], textcoords="offset points", fontsize=fontsize,
        ha=place[2], arrowprops=arrow if far else None,
    )  # fmt: skip
    text.set_in_layout(False)  # the layout stays what the places were chosen for
    return text


def _free_place(
    ax: Axes, name: str, point: tuple[float, float], taken: list[Bbox], fontsize: Any
) -> tuple[_Place, Bbox]:
    """The first place that is free, or the one that covers least."""
    costs: list[tuple[float, int, Bbox]] = []
    trial = _write(ax, name, point, _PLACES[0], fontsize, line=False)
    for place in _PLACES:
        trial.set_position(place[:2])
        trial.set_horizontalalignment(place[2])
        box = trial.get_window_extent()
        costs.append((_cost(box, taken, ax.bbox), len(costs), box))
        if costs[-1][0] == 0:
            break
    trial.remove()
    _, best, box = min(costs, key=lambda cost: cost[:2])
    return _PLACES[best], box


def _cost(box: Bbox, taken: list[Bbox], frame: Any) -> float:
    """Area of the box that covers others or is outside of the frame."""
    covered = sum(_area(Bbox.intersection(box, other)) for other in taken)
    outside = _area(box) - _area(Bbox.intersection(box, frame))
    return covered + (outside if outside > _ROUNDING else 0.0)


def _area(box: Any) -> float:
    return 0.0 if box is None else float(box.width * box.height)
