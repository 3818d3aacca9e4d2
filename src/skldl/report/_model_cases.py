"""Sections of a page about one model: cases, features, columns."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from skldl.datasets import date_format
from skldl.report._axes import Axis, axis
from skldl.report._evidence import Evidence
from skldl.report._features import (
    Dependence,
    column_records,
    dependences,
    importances,
    to_times,
)
from skldl.report._fragments import breakable, paragraph, table
from skldl.report._marks import (
    bar_at,
    bar_shape,
    key_of,
    line_at,
    line_shape,
    mark_shape,
)
from skldl.report._model_scores import multiples
from skldl.report._page import Section
from skldl.report._plots import LINES, Curve, curve_dot, curve_shape, line_chart
from skldl.report._score_words import votes
from skldl.report._strips import Row, degree_chart, strips

_CASES = 3  # of each kind
_BARS = 20  # columns whose importance is drawn
_DEPENDENCES = 6
_SHARE = 0.5  # of the time for importances; the rest is for partial dependence


def cases_part(evidence: Evidence) -> Section:
    """Best, typical and worst rows, by the user's names."""
    order = np.argsort(evidence.misplaced, kind="stable")
    kinds = _kinds(order)
    rows = np.concatenate(list(kinds.values()))
    assert evidence.regions is not None
    chosen = replace(
        evidence.regions,
        center=evidence.regions.center[rows],
        radius=evidence.regions.radius[rows],
        index=None,
    )
    lower, upper = chosen.lower, chosen.upper
    inside = chosen.contains(evidence.D[rows])
    top = min(1.0, 1.03 * float(max(evidence.D[rows].max(), upper.max())))
    parts: list[Any] = [_case_words(evidence), _case_key(evidence)]
    place = 0
    for name, members in kinds.items():
        charts = []
        for row in members:
            spans = lower[place], upper[place]
            charts.append(_case(evidence, row, spans, bool(inside[place]), top))
            place += 1
        parts.append(Section(name, [multiples(charts)]))
    return Section("Cases", parts)


def _kinds(order: np.ndarray) -> dict[str, np.ndarray]:
    """Rows of each kind; with few rows there is one kind."""
    if len(order) < 3 * _CASES:
        return {"All rows, the best first": order}
    middle = (len(order) - _CASES) // 2
    return {
        "Best": order[:_CASES],
        "Typical": order[middle : middle + _CASES],
        "Worst": order[::-1][:_CASES],
    }


def _case_words(evidence: Evidence) -> str:
    assert evidence.regions is not None
    share = float(evidence.regions.contains(evidence.D).mean())
    level = f"{100 * evidence.regions.coverage:g} %"
    words = (
        "Rows with the fewest votes on the wrong label, in the middle, and with the "
        f"most. The lines are {level} regions: they are made to contain {level} of the "
        "true distributions of new rows, for all labels together. They contain "
        f"{100 * share:.0f} % of those on this page."
    )
    if all(name.startswith("row ") for name in evidence.names[:3]):
        words += " Rows are counted from 0."
    return words


def _case_key(evidence: Evidence) -> Markup:
    assert evidence.regions is not None
    return key_of(
        [
            ("predicted", bar_shape("bar")),
            (f"{100 * evidence.regions.coverage:g} % region", line_shape("span")),
            ("true", mark_shape(2)),
        ]
    )


def _case(evidence: Evidence, row: int, spans: Any, inside: bool, top: float) -> Markup:
    name, wrong = evidence.names[row], evidence.misplaced[row]
    words = f"{votes(wrong)} of 100 votes on the wrong label"
    if evidence.n_votes is not None:
        words = f"{evidence.n_votes[row]:g} votes, {words}"
    if not inside:
        words += "; the true distribution is outside of the region"
    said = "; ".join(
        f"{label}: predicted {p:.2f}, true {d:.2f}"
        for label, p, d in zip(
            evidence.labels, evidence.P[row], evidence.D[row], strict=True
        )
    )
    return degree_chart(
        evidence.labels, evidence.P[row], [None, evidence.D[row]],
        f"{name}. {said}.", title=breakable(name), top=top, spans=spans,
        note=f"{words}.",
    )  # fmt: skip


def features_part(
    evidence: Evidence, time_limit: float, random_state: int
) -> Section | None:
    """Importances, and partial dependence on the most important columns."""
    if evidence.explained is None or time_limit <= 0:
        return None
    limit = _SHARE * time_limit
    found, note = importances(evidence.explained, limit, random_state)
    if found.empty:
        return None
    parts: list[Any] = [
        "How many more of 100 votes are put on the wrong label when a column is "
        "shuffled, so that it has no information. Measured on "
        f"{evidence.explained.words}.",
        _importance_chart(found),
    ]
    more = len(found) - _BARS
    if more > 0:
        rest = table(found, "Importance of all columns")
        parts.append(Section("All columns", [rest], folded=True))
    if note:
        parts.append(paragraph(note, note=True))
    columns = [str(n) for n in found.index[: 2 * _DEPENDENCES]]
    shown = dependences(evidence.explained, columns, time_limit - limit, random_state)
    if shown:
        parts.append(_dependence_part(shown[:_DEPENDENCES], evidence.labels))
    return Section("Features", parts)


def _importance_chart(found: pd.DataFrame) -> Markup:
    part = found.head(_BARS)
    values, errors = part["importance"], part["error"]
    low = min(0.0, float((values - errors).min()))
    scale = Axis(low, 1.05 * max(float((values + errors).max()), 1e-6))
    rows = [
        Row(
            str(name),
            [
                bar_at(scale(0), scale(value), 3, 16, "best"),
                line_at(scale(value - error), 11, scale(value + error), 11, "span"),
            ],
            f"{value:.1f}",
            f"{name}: {value:.2f} ± {error:.2f}",
        )
        for name, value, error in part.itertuples()
    ]
    said = ", ".join(f"{name} {value:.1f}" for name, value in values.items())
    return strips(rows, scale, f"Importance of columns: {said}.",
                  label="more of 100 votes on the wrong label")  # fmt: skip


def _dependence_part(found: list[Dependence], labels: list[str]) -> Section:
    """A chart per column, a line per label."""
    swing = np.max([np.ptp(one.degrees, axis=0) for one in found], axis=0)
    shown = np.sort(np.argsort(-swing, kind="stable")[:LINES]).tolist()
    top = 1.05 * max(float(one.degrees[:, shown].max()) for one in found)
    kinds = {j: place for place, j in enumerate(shown)}
    charts = [_dependence_chart(one, labels, kinds, top) for one in found]
    parts: list[Any] = [
        "Mean predicted degree when a column is set to a value in every row, and all "
        "other columns stay as they are. The most important columns come first.",
        key_of([(labels[j], curve_shape(kinds[j])) for j in shown]),
        multiples(charts),
    ]
    more = len(labels) - len(shown)
    if more:
        parts.append(paragraph(f"{more} labels that change less are not drawn.",
                               note=True))  # fmt: skip
    return Section("What the most important columns do", parts)


def _dependence_chart(
    one: Dependence, labels: list[str], kinds: dict[int, int], top: float
) -> Markup:
    first, last = one.degrees[0], one.degrees[-1]
    said = ", ".join(f"{labels[j]} {first[j]:.2f} to {last[j]:.2f}" for j in kinds)
    alt = f"Partial dependence on {one.column}: {said}."
    title = breakable(one.column)
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in one.values):
        x, ticks = [float(v) for v in one.values], None
    elif isinstance(one.values[0], str | bool) and not _is_dates(one.values):
        return _levels_chart(one, labels, kinds, top, alt)
    else:
        x = to_times(one.values).tolist()
        ticks = [(x[i], str(one.values[i])[:10]) for i in (0, len(x) - 1)]
    curves = [Curve(labels[j], x, one.degrees[:, j].tolist(), kinds[j]) for j in kinds]
    across = Axis(x[0], x[-1]) if ticks else axis(x)
    return line_chart(curves, alt, title=title, across=across, upright=(0.0, top),
                      ticks=ticks)  # fmt: skip


def _is_dates(values: list[Any]) -> bool:
    return (
        not isinstance(values[0], bool) and date_format(pd.Series(values)) is not None
    )


def _levels_chart(
    one: Dependence, labels: list[str], kinds: dict[int, int], top: float, alt: str
) -> Markup:
    """Categories as rows, a dot per label."""
    scale = Axis(0.0, top)
    rows = [
        Row(
            str(value),
            [
                curve_dot(scale(d[j]), 11, kind, f"{labels[j]}: {d[j]:.3f}")
                for j, kind in kinds.items()
            ],
        )
        for value, d in zip(one.values, one.degrees, strict=True)
    ]
    return strips(rows, scale, alt, title=breakable(one.column))


def columns_part(model: Any) -> Section | None:
    """What the encoder of a table did to each column."""
    records = column_records(model)
    if not records:
        return None
    frame = pd.DataFrame(records).rename(
        columns={"done": "what was done", "n_features": "features"}
    )
    return Section(
        "Columns",
        [
            "The model does the same to new rows.",
            table(frame, "What was done to each column", index=False),
        ],
    )
