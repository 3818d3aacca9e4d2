"""Critical-difference diagrams in rows, which fit a phone."""

import pandas as pd
from markupsafe import Markup

from skldl.benchmark import stats
from skldl.report._axes import Axis
from skldl.report._marks import bar_at, mark_at
from skldl.report._strips import Row, strips


def rank_chart(ranks: pd.Series, cd: float, alt: str, *, caption: str = "") -> Markup:
    """Average ranks, with bars that join methods that do not differ.

    Parameters
    ----------
    ranks : Series
        Average ranks by method.
    cd : float
        Critical difference.
    alt : str
        What the chart shows, in words.
    caption : str, default=""
        A line below.

    Returns
    -------
    html : Markup
    """
    ordered = ranks.sort_values(kind="stable")
    groups = stats.cd_groups(ordered, cd)
    scale = Axis(1.0, float(max(len(ordered), 2)))
    reach = scale(min(scale.high, float(ordered.iloc[0]) + cd))
    rows = []
    for name, rank in ordered.items():
        shade = bar_at(scale(float(ordered.iloc[0])), reach, 0, 22, "zone")
        value = Markup("{:.2f}{}").format(rank, _lanes(str(name), groups))
        rows.append(Row(str(name), [shade, mark_at(scale(rank), 11, 1, 4.5)], value))
    words = (
        "average rank; the shaded part is within the critical difference of the best"
    )
    return strips(rows, scale, alt, label=words, caption=caption)


def _lanes(name: str, groups: list[list[str]]) -> Markup:
    """Upright bars of the groups that a method belongs to."""
    marks = Markup("").join(
        Markup('<i class="on"></i>' if name in map(str, group) else "<i></i>")
        for group in groups
    )
    return Markup('<span class="lanes">{}</span>').format(marks)
