"""Sections of a page about one model: scores, leaderboard, labels, calibration."""

from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from skldl.conformal import reliability_table
from skldl.metrics import get_metric
from skldl.report._axes import Axis
from skldl.report._evidence import Evidence
from skldl.report._fragments import Cell, breakable, facts, paragraph, table
from skldl.report._marks import (
    bar_at,
    bar_shape,
    key_of,
    line_shape,
    mark_at,
    mark_shape,
)
from skldl.report._page import Section
from skldl.report._plots import Curve, diagonal, error_bar, line_chart
from skldl.report._score_words import Score, votes
from skldl.report._strips import Row, strips

PERFECT = "perfect model"
MEAN = "mean distribution"
_MATRIX = 15  # labels up to which all mix-ups are in one table
_PAIRS = 12  # mix-ups that are listed otherwise
_CHARTS = 12  # labels whose calibration is drawn
_BINS = 8
_FEW = 40  # rows of a bin


def multiples(charts: list[Markup]) -> Markup:
    """Charts beside each other, as many as there is room for."""
    return Markup('<div class="multiples">{}</div>').format(Markup("").join(charts))


def score_strip(scores: dict[str, Score]) -> Markup:
    """Votes on the wrong label: the model between a perfect one and the mean."""
    wrong = scores["sorensen"]
    lines = [("this model", wrong.model, "best"), (MEAN, wrong.mean, "bar")]
    if wrong.floor is not None:
        lines.append((PERFECT, wrong.floor, "bar"))
    scale = Axis(0.0, 108 * max(value for _, value, _ in lines))
    rows = [
        Row(name, [bar_at(scale(0), scale(100 * value), 3, 16, kind)], votes(value))
        for name, value, kind in lines
    ]
    said = ", ".join(f"{name} {votes(value)}" for name, value, _ in lines)
    return strips(rows, scale, f"Votes of 100 on the wrong label: {said}.",
                  label="of 100 votes on the wrong label; less is better")  # fmt: skip


def metric_names(metrics: list[str]) -> dict[str, str]:
    """What metrics mean, by their labels."""
    return {get_metric(name).label: get_metric(name).meaning for name in metrics}


def metrics_meaning(metrics: list[str]) -> Section:
    """A list of what metrics mean, for those who cannot hover."""
    return Section("What the metrics mean", [facts(metric_names(metrics))], folded=True)


def scores_part(scores: dict[str, Score]) -> Section:
    """Every metric of the model, the mean distribution and a perfect model."""
    floors = any(score.floor is not None for score in scores.values())
    rows = []
    for score in scores.values():
        metric = get_metric(score.metric)
        sign = 1 if metric.greater_is_better else -1
        better = sign * (score.model - score.mean) > 0
        rows.append(
            {
                "metric": Cell(metric.label, metric.name, title=metric.meaning),
                "this model": Cell(f"{score.model:.4f}", score.model, better),
                MEAN: Cell(f"{score.mean:.4f}", score.mean, not better),
                **({PERFECT: score.floor} if floors else {}),
            }
        )
    words = (
        "Arrows point to the better side; the better of the first two is bold. The "
        f"{MEAN} predicts the same average for every row."
    )
    if floors:
        words += (
            f" The {PERFECT} knows the true distributions, but is judged by the same "
            "few votes (the noise floor): nothing can be expected to be better."
        )
    frame = pd.DataFrame(rows)
    return Section(
        "Scores",
        [words, table(frame, "Scores", index=False), metrics_meaning(list(scores))],
    )


def leaderboard_part(model: Any) -> Section | None:
    """The candidates of AutoLDL; None for other models."""
    board = getattr(model, "leaderboard_", None)
    if board is None:
        return None
    metric = get_metric(model.metric)
    scored = board[board["score"].notna()]
    shown = pd.DataFrame(
        {
            f"{metric.label} (± error)": [
                Cell(f"{s:.4f} ± {e:.4f}", s, name == model.best_ or name == "pool")
                for name, s, e in scored[["score", "standard_error"]].itertuples()
            ],
            "gain over the mean": [
                Cell(f"{g:.4f} ± {e:.4f}", g)
                for g, e in scored[["gain", "gain_error"]].to_numpy()
            ],
            "weight in the pool": [
                Cell(f"{w:.2f}" if w > 0 else "–", w)  # noqa: RUF001
                for w in scored["weight"]
            ],
            "fit, s": scored["fit_s"].to_numpy(),
            "predict, s": scored["predict_s"].to_numpy(),
        },
        index=pd.Index([str(name) for name in scored.index], name="candidate"),
    ).astype(object)
    parts: list[Any] = [
        f"All candidates on the same folds, judged by {metric.name}, rows weighted as "
        "in the fit. The pool of the best ones is the model.",
        table(shown, "Leaderboard", digits=2, titles=metric_names([metric.name])),
    ]
    rest = board[board["score"].isna()]
    if len(rest):
        frame = rest[["status", "message"]].rename_axis("candidate")
        parts.append(Section("Candidates without a score",
                             [table(frame, "Candidates without a score")],
                             folded=True))  # fmt: skip
    parts += [paragraph(note, note=True) for note in getattr(model, "notes_", [])]
    return Section("Leaderboard", parts)


def labels_part(evidence: Evidence) -> Section:
    """Error of each label, and which largest labels are mixed up."""
    D, weight = evidence.D, evidence.weight
    own, base = (
        np.average(np.abs(D - P), axis=0, weights=weight)
        for P in (evidence.P, evidence.mean)
    )
    true, said = (np.average(V, axis=0, weights=weight) for V in (D, evidence.P))
    order = np.argsort(-true, kind="stable")
    scale = Axis(0.0, 106 * float(max(own.max(), base.max(), 1e-9)))
    rows = [
        Row(
            evidence.labels[j],
            [
                bar_at(scale(0), scale(100 * own[j]), 3, 16, "best"),
                mark_at(scale(100 * base[j]), 11, 2),
            ],
            f"{100 * own[j]:.1f}",
            f"{evidence.labels[j]}: model {100 * own[j]:.1f}, mean {100 * base[j]:.1f}",
        )
        for j in order
    ]
    words = ", ".join(f"{evidence.labels[j]} {100 * own[j]:.1f}" for j in order)
    frame = pd.DataFrame(
        {
            "true share": true, "predicted share": said, "error of the model": own,
            "error of the mean": base,
        },
        index=pd.Index(evidence.labels, name="label"),
    ).iloc[order]  # fmt: skip
    return Section(
        "Labels",
        [
            "Mean absolute error of each label, in votes of 100, the most frequent "
            "label first.",
            key_of([("this model", bar_shape("best")), (MEAN, mark_shape(2))]),
            strips(rows, scale, f"Error of each label: {words}.",
                   label="votes of 100 off; less is better"),
            Section("The same as a table", [table(frame, "Errors of the labels")],
                    folded=True),
            _confusion(evidence),
        ],
    )  # fmt: skip


def _confusion(evidence: Evidence) -> Section:
    """Largest labels, true against predicted."""
    D, labels = evidence.D, evidence.labels
    chosen = evidence.P.argmax(axis=1)
    rows = np.arange(len(D))
    tied = D.max(axis=1, keepdims=True) == D
    true = np.where(tied[rows, chosen], chosen, D.argmax(axis=1))
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    np.add.at(counts, (true, chosen), 1)
    right = float(np.trace(counts) / len(D))
    words = (
        f"The largest label is right in {100 * right:.0f} % of the rows. Where several "
        "labels are the largest, any of them is right."
    )
    if len(labels) > _MATRIX:
        return Section("Largest labels", [words, _pairs(counts, labels)])
    total = counts.sum(axis=1, keepdims=True)
    share = counts / np.maximum(total, 1)
    cells = {
        name: [
            Cell(str(counts[i, j]), float(counts[i, j]), i == j,
                 f"{100 * share[i, j]:.0f} % of the rows with {labels[i]}",
                 shade=float(share[i, j]))
            for i in range(len(labels))
        ]
        for j, name in enumerate(labels)
    }  # fmt: skip
    frame = pd.DataFrame(cells, index=pd.Index(labels, name="largest true label"))
    frame = frame.astype(object)
    caption = "Rows by their largest true label (down) and predicted label (across)"
    return Section("Largest labels", [words, table(frame, caption)])


def _pairs(counts: np.ndarray, labels: list[str]) -> Markup:
    wrong = counts.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:_PAIRS]
    pairs = [np.unravel_index(place, wrong.shape) for place in order]
    frame = pd.DataFrame(
        [(labels[i], labels[j], int(wrong[i, j])) for i, j in pairs if wrong[i, j]],
        columns=["largest true label", "largest predicted label", "rows"],
    )
    return table(frame, "The most frequent mix-ups", index=False)


def calibration_part(evidence: Evidence) -> Section | None:
    """Predicted against observed degrees, a small chart per label."""
    bins = min(_BINS, len(evidence.D) // _FEW)
    if bins < 3:
        return None
    D = pd.DataFrame(evidence.D, columns=evidence.labels)
    found = reliability_table(D, evidence.P, n_bins=bins)
    top = 1.05 * float(found[["predicted", "observed"]].to_numpy().max())
    order = np.argsort(-evidence.D.mean(axis=0), kind="stable")[:_CHARTS]
    across, upright = Axis(0.0, top), (0.0, top)
    charts = []
    for j in order:
        part = found[found["label"] == evidence.labels[j]]
        bars = [
            error_bar(across, upright, p, (max(0.0, o - 2 * e), min(top, o + 2 * e)))
            for p, o, e in part[["predicted", "observed", "standard_error"]].to_numpy()
            if e == e
        ]
        said = "; ".join(f"{p:.2f}, {o:.2f}" for p, o in
                         part[["predicted", "observed"]].to_numpy())  # fmt: skip
        curve = Curve(evidence.labels[j], part["predicted"].tolist(),
                      part["observed"].tolist())  # fmt: skip
        charts.append(
            line_chart(
                [curve], f"{evidence.labels[j]}, predicted and observed: {said}.",
                title=breakable(evidence.labels[j]), across=across, upright=upright,
                bands=[diagonal(across, upright), *bars], dots=True,
            )
        )  # fmt: skip
    parts: list[Any] = [
        "Each point is a group of rows with similar predictions, with the mean "
        "predicted degree on the horizontal axis and the mean true degree on the "
        "vertical axis. Where the model is right on average, "
        "points are on the dashed line. Vertical bars are two standard errors.",
        key_of([("rows together", line_shape("line l0")),
                ("perfect agreement", line_shape("mark"))]),
        multiples(charts),
    ]  # fmt: skip
    more = len(evidence.labels) - len(order)
    if more:
        parts.append(paragraph(f"{more} rarer labels are not drawn.", note=True))
    return Section("Calibration", parts)
