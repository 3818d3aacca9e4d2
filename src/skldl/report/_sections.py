"""The sections of a report that come from ranks, folds and times."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from skldl.benchmark import score_table
from skldl.metrics import get_metric
from skldl.report._fragments import (
    Cell,
    breakable,
    explained_name,
    facts,
    paragraph,
    table,
)
from skldl.report._model_scores import metric_names
from skldl.report._page import Section
from skldl.report._plots import scatter_chart
from skldl.report._rank_chart import rank_chart
from skldl.report._ranks import Group, Ranking, is_baseline, of_metric
from skldl.report._results import Results
from skldl.report._strips import box_chart, named_rows
from skldl.report._summary import count, listed

_OPEN = 4  # parts of one kind that need no click
_MOST_CHARTS = 24
_MOST_LINES = 400
_TIME_WORDS = (
    "Seconds to fit and predict one fold, tuning included, as the geometric mean over "
    "folds and the data sets that all methods drawn have done. Up and to the left is "
    "better; filled points and bold names are those that no other method beats in both."
)
_NO_TIMES = (
    "There is no chart, because no data set has a score of every method. Means are "
    "over the folds that each method has done."
)


def _remark(text: str) -> Any:
    return paragraph(text, note=True)


def ranks_section(groups: list[Group], order: list[str]) -> Section | None:
    """Average ranks by every metric, and who differs."""
    rankings = [r for group in groups for r in group.rankings]
    if not rankings:
        return None
    if max(r.n_datasets for r in rankings) < 2:
        return None  # the leaderboard says it
    parts: list[Any] = [
        paragraph("Rank 1 is best; methods that tie share their mean rank.")
    ]
    for group in groups:
        if group.rankings:
            on = f" with {group.kind}" if len(groups) > 1 else ""
            caption = f"Average ranks over data sets{on}"
            cells = _rank_cells(group.rankings, order)
            titles = metric_names([r.metric for r in group.rankings])
            parts.append(table(cells, caption, titles=titles, dense=True))
    parts += _left_out(rankings)
    diagrams = [_diagram(r) for r in rankings if r.cd == r.cd]
    if not diagrams:
        parts.append(
            _remark("Critical differences need at least two data sets without gaps.")
        )
        return Section("Ranks", parts)
    parts.append(
        paragraph(
            "In a critical-difference diagram, the bars on the right join methods "
            "whose average ranks do not differ by Nemenyi's test at 0.05."
        )
    )
    for place, (name, diagram) in enumerate(diagrams):
        parts.append(Section(name, [diagram], folded=place > 0))
    return Section("Ranks", parts)


def _rank_cells(rankings: list[Ranking], order: list[str]) -> pd.DataFrame:
    frame = pd.DataFrame({get_metric(r.metric).label: r.ranks for r in rankings})
    frame.insert(0, "mean", frame.mean(axis=1, skipna=False))
    frame = frame.reindex([m for m in order if m in frame.index])
    best = frame.min()
    cells = frame.apply(
        lambda column: column.map(
            lambda rank: (
                Cell(f"{rank:.2f}", rank, rank == best[column.name])
                if rank == rank
                else rank
            )
        )
    ).astype(object)
    return cells.set_axis(named_rows(cells.index, "method"), axis=0)


def _left_out(rankings: list[Ranking]) -> list[Any]:
    datasets = dict.fromkeys(d for r in rankings for d in r.without_datasets)
    methods = dict.fromkeys(m for r in rankings for m in r.without_methods)
    found = []
    if datasets:
        found.append(f"Not every method has a score on {listed(datasets)}: left out.")
    if methods:
        found.append(f"Without a score on every data set, so left out: "
                     f"{listed(methods)}.")  # fmt: skip
    return [_remark(text) for text in found]


def _diagram(ranking: Ranking) -> tuple[str, Any]:
    label = get_metric(ranking.metric).label
    shown = ", ".join(f"{m} {r:.2f}" for m, r in ranking.ranks.items())
    test = "" if np.isnan(ranking.p_value) else f" Friedman: p = {ranking.p_value:.2g}."
    return f"Critical difference by {label}", rank_chart(
        ranking.ranks,
        ranking.cd,
        f"Average ranks by {label}: {shown}. Critical difference {ranking.cd:.2f}.",
        caption=f"{count(ranking.n_datasets, 'data set')}, critical difference "
        f"{ranking.cd:.2f}.{test}",
    )


def spread_section(results: Results, groups: list[Group]) -> Section | None:
    """Boxes of the scores over folds, a chart per data set."""
    charts = [
        chart for group in groups for chart in _box_charts(results, group.metrics[0])
    ]
    if not charts:
        return None
    drawn = charts[:_MOST_CHARTS]
    shown = [chart for _, chart in drawn]
    parts: list[Any] = [_wide(shown[:_OPEN])]
    if shown[_OPEN:]:
        rest = count(len(shown) - _OPEN, "more data set")
        parts.append(Section(rest.capitalize(), [_wide(shown[_OPEN:])], folded=True))
    labels = ", ".join(get_metric(group.metrics[0]).label for group in groups)
    text = (
        f"{labels} of each fold: the box contains the middle half, the line in it is "
        "the median, and whiskers end at the last value within 1.5 lengths of the box. "
        "Best median on "
        "top."
    )
    if any(is_baseline(method) for method in results.methods):
        text += " The dashed line is the mean distribution's median."
    more = len(charts) - len(drawn)
    notes = [_remark(f"{count(more, 'more data set')} not drawn.")] if more else []
    return Section("Spread over folds", [paragraph(text), *parts, *notes])


def _wide(charts: list[Any]) -> Markup:
    return Markup('<div class="multiples wide">{}</div>').format(
        Markup("").join(charts)
    )


def _box_charts(results: Results, name: str) -> Iterator[tuple[str, Any]]:
    metric = get_metric(name)
    good = results.rows[results.rows["status"] == "ok"]
    good = good[good["metric"] == name]
    for dataset, part in good.groupby("dataset", sort=False):
        values = part.groupby("method")["value"].apply(list)
        middle = values.map(np.median).sort_values(
            ascending=not metric.greater_is_better
        )
        base = next((m for m in middle.index if is_baseline(m)), None)
        groups = {str(method): values[method] for method in middle.index}
        said = ", ".join(f"{m} {v:.4f}" for m, v in middle.items())
        alt = f"Box plot of {metric.name} on {dataset}. Medians: {said}."
        drawn = box_chart(
            groups, alt, label=explained_name(metric.label, metric.meaning), line=base,
            title=breakable(dataset), greater_is_better=metric.greater_is_better,
        )  # fmt: skip
        yield str(dataset), drawn


def time_section(
    results: Results, groups: list[Group], order: list[str]
) -> Section | None:
    """Seconds against ranks, or against the score of one data set."""
    jobs = results.jobs
    if not {"fit_s", "predict_s"} <= set(jobs.columns) or not groups:
        return None
    good = jobs[jobs["status"] == "ok"]
    good = good.assign(seconds=(good["fit_s"] + good["predict_s"]).clip(lower=1e-5))
    parts: list[Any] = []
    for group in groups:
        scores, datasets, label, down = _accuracy(results, group)
        seconds = _geometric(good[good["dataset"].isin(datasets)])
        points = pd.DataFrame({"x": seconds, "y": scores}).dropna()
        points = points.sort_values("y", ascending=down, kind="stable")
        if len(points):
            said = (f"{m}: {x:.3g} s, {y:.3g}" for m, x, y in points.itertuples())
            alt = f"Seconds against {label}. {', '.join(said)}."
            xlabel = "seconds for a fold (logarithmic)"
            parts.append(
                scatter_chart(points, alt, xlabel=xlabel, ylabel=label, down=down)
            )
    words = _TIME_WORDS if parts else _NO_TIMES
    if len(results.datasets) > 1:
        shown = table(_times(good, order), "Means over folds")
        parts.append(Section("Time and memory", [shown], folded=bool(parts)))
    return Section("Time against accuracy", [paragraph(words), *parts])


def _geometric(jobs: pd.DataFrame) -> pd.Series:
    return np.exp(np.log(jobs["seconds"]).groupby(jobs["method"]).mean())


def _times(jobs: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    names = {"fit_s": "fit, s", "predict_s": "predict, s", "peak_mb": "memory, MB"}
    columns = [column for column in names if column in jobs.columns]
    means = jobs.groupby("method")[columns].mean().rename(columns=names)
    means.insert(0, "geometric mean, s", _geometric(jobs))
    means = means.reindex([m for m in order if m in means.index])
    return means.set_axis(named_rows(means.index, "method"), axis=0)


def _accuracy(results: Results, group: Group) -> tuple[pd.Series, list[Any], str, bool]:
    """What stands on the upright axis, its data sets, name, and if small is good."""
    metric = get_metric(group.metrics[0])
    table = score_table(of_metric(results, metric.name), metric.name)
    table = table.dropna(how="all").dropna(axis=1, how="all")
    first = next((r for r in group.rankings if r.metric == metric.name), None)
    if first is not None:
        table = table.drop(index=first.without_datasets, columns=first.without_methods)
        if first.n_datasets > 1:
            label = f"average rank by {metric.name}"
            return first.ranks, list(table.index), label, True
    scores = table.mean(skipna=False)
    return scores, list(table.index), metric.label, not metric.greater_is_better


def parameters_section(results: Results) -> Section | None:
    """What tuning chose, and how often."""
    jobs = results.jobs
    if "params" not in jobs.columns:
        return None
    tuned = jobs[(jobs["status"] == "ok") & ~jobs["params"].isin(["", "{}"])]
    if tuned.empty:
        return None
    lines = []
    for (method, dataset), part in tuned.groupby(["method", "dataset"], sort=False):
        choices = Counter(part["params"]).most_common()
        shown = "; ".join(
            f"{_settings(text)} ({times} of {len(part)})" for text, times in choices[:3]
        )
        lines.append((method, dataset, shown, len(choices)))
    columns = ["method", "data set", "chosen most often (folds)", "different choices"]
    frame = pd.DataFrame(lines[:_MOST_LINES], columns=columns)
    caption = "Parameters chosen on the training part of each fold"
    return Section(
        "Chosen parameters",
        [Section(caption, [table(frame, caption, index=False)], len(frame) > 12)],
    )


def _settings(text: str) -> str:
    settings = json.loads(text)
    return ", ".join(
        f"{k.split('__')[-1]}={_value_text(v)}" for k, v in settings.items()
    )


def _value_text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def failures_section(results: Results) -> Section | None:
    """Errors and warnings, each once for a method; None if there are none."""
    jobs = results.jobs
    bad = jobs[jobs["status"] != "ok"]
    parts: list[Any] = []
    if len(bad):
        parts.append(table(_messages(bad), "Folds that failed", index=False))
    if "message" in jobs.columns:
        warned = jobs[(jobs["status"] == "ok") & jobs["message"].astype(bool)]
        if len(warned):
            shown = table(
                _messages(warned), "Warnings of folds with a score", index=False
            )
            parts.append(Section("Warnings", [shown], folded=True))
    return Section("Failures and warnings", parts) if parts else None


def _messages(jobs: pd.DataFrame) -> pd.DataFrame:
    if "message" not in jobs.columns:
        jobs = jobs.assign(message="")
    reasons = jobs["message"].fillna("").str.replace(r"\d[\d.,]*", "#", regex=True)
    lines = [
        {
            "method": method,
            "status": status,
            "message": part["message"].iloc[0],
            "data sets": ", ".join(dict.fromkeys(map(str, part["dataset"]))),
            "folds": len(part),
        }
        for (method, status, _), part in jobs.groupby(
            ["method", "status", reasons], sort=False
        )
    ]
    found = pd.DataFrame(lines).sort_values("folds", ascending=False, kind="stable")
    return found.head(_MOST_LINES)


def origin_section(results: Results) -> Section:
    """Data, versions and commands."""
    parts: list[Any] = []
    known = {name: f for name, f in results.facts.items() if "kind" in f}
    if known:
        parts.append(table(_data(known), "Data sets"))
    jobs = results.jobs
    if "versions" in jobs.columns:
        texts = list(jobs["versions"].dropna().unique())
        for place, text in enumerate(texts[:3]):
            if place:
                parts.append("Some folds were run with other versions:")
            parts.append(facts(json.loads(text)))
    if "finished" in jobs.columns:
        first, last = (_day(jobs["finished"].agg(end)) for end in ("min", "max"))
        parts.append(f"Folds finished between {first} and {last}.")
    if len(results.runs):
        parts.append(table(_commands(results.runs), "Commands that added results",
                           index=False))  # fmt: skip
    else:
        parts.append("The command that made the results was not stored.")
    if results.predictions.empty and any(
        fact["kind"] == "distribution" for fact in known.values()
    ):
        parts.append(
            "The store has no predictions, so the page shows none: its folds were "
            "run without --keep-predictions."
        )
    return Section("How it was made", parts)


def _data(known: Mapping[str, dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            name: {
                "samples": fact["n_samples"],
                "features": fact["n_features"],
                "labels": len(fact["labels"]),
                "target": fact["kind"],
                "source": fact["source"],
            }
            for name, fact in known.items()
        }
    ).T.rename_axis("data set")


def _commands(runs: pd.DataFrame) -> pd.DataFrame:
    last = runs.drop_duplicates("command", keep="last").tail(20)
    return pd.DataFrame(
        {
            "command": [
                Cell(Markup("<code>{}</code>").format(c), c) for c in last["command"]
            ],
            "last started": [_day(at) for at in last["started"]],
        }
    )


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
