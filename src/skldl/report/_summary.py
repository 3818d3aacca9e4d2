"""The first words of a report: what was run and what came of it."""

from typing import Any

import pandas as pd

from skldl.benchmark import score_table
from skldl.metrics import get_metric
from skldl.report._fragments import facts, paragraph
from skldl.report._ranks import BASELINE, Ranking, is_baseline, of_metric
from skldl.report._results import Results


def count(number: int, word: str) -> str:
    """A number with its noun."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def listed(names: Any, most: int = 6) -> str:
    """Names in a sentence, the rest counted."""
    names = [str(name) for name in names]
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def summary_parts(
    results: Results, rankings: list[Ranking], places: pd.Series
) -> list[Any]:
    """Sentences and facts."""
    jobs = results.jobs
    bad = int((jobs["status"] != "ok").sum())
    lead = (
        f"{count(len(results.methods), 'method')} on "
        f"{count(len(results.datasets), 'data set')}: {count(len(jobs), 'fold')} in "
        f"all, {_failures(bad, len(jobs))}."
    )
    parts = [paragraph(lead), _facts(results, jobs, rankings, places)]
    parts += [paragraph(text) for text in _findings(results, rankings, places)]
    return parts + [paragraph(note, note=True) for note in results.notes]


def _failures(bad: int, total: int) -> str:
    if bad == total:
        return "none of which ended well"
    return f"{bad} of which did not end well" if bad else "all of which ended well"


def _facts(
    results: Results, jobs: pd.DataFrame, rankings: list[Ranking], places: pd.Series
) -> Any:
    entries: dict[str, str] = {}
    if len(places):
        best = [f"{m} ({rank:.2f})" for m, rank in places.head(3).items()]
        entries["Best by average rank"] = ", ".join(best)
    entries["Data sets"] = listed(results.datasets)
    for column, name in (("split", "Split"), ("seed", "Seed")):
        if column in jobs.columns:
            entries[name] = ", ".join(map(str, jobs[column].unique()))
    if "tuned" in jobs.columns and jobs["tuned"].any():
        by = [name for name in jobs["tuned_by"].unique() if name]
        entries["Tuned by"] = ", ".join(by) or "the usual metric of the data"
    if results.metrics:
        entries["Metrics"] = ", ".join(get_metric(m).label for m in results.metrics)
    return facts(entries)


def _findings(
    results: Results, rankings: list[Ranking], places: pd.Series
) -> list[str]:
    if not results.metrics:
        return ["No fold gave a score, so there is nothing to compare."]
    if not rankings:
        return [
            "Ranks need at least two methods with a score on every fold; here are the "
            "scores only."
        ]
    over = f"{count(len(rankings), 'metric')} and {count(_over(rankings), 'data set')}"
    found = [
        f"By average rank over {over}, {places.index[0]} comes first with "
        f"{places.iloc[0]:.2f}."
        if len(places)
        else "No method has a rank by every metric."
    ]
    found += _difference(rankings[0])
    return found + _baseline(results, places)


def _over(rankings: list[Ranking]) -> int:
    return max(r.n_datasets for r in rankings)


def _difference(first: Ranking) -> list[str]:
    """Whether the ranks could be chance."""
    label = get_metric(first.metric).name
    if first.n_datasets < 2:
        return [
            "One data set ranks methods but says nothing about others; differences on "
            "it are tested fold by fold in the tables."
        ]
    if pd.isna(first.p_value):  # two methods
        return []
    if first.p_value >= 0.05:
        return [
            f"By {label}, the ranks do not differ more than chance would have them "
            f"differ (Friedman, p = {first.p_value:.2g})."
        ]
    near = first.ranks[first.ranks < first.ranks.iloc[0] + first.cd]
    alike = (
        f"the first {len(near)} are within the critical difference of each other"
        if len(near) > 1
        else "the first is better than all others by more than the critical difference"
    )
    return [
        f"By {label}, the ranks differ (Friedman, p = {first.p_value:.2g}); {alike}."
    ]


def _baseline(results: Results, places: pd.Series) -> list[str]:
    """Where the mean distribution stands, which has looked at no feature."""
    base = next((m for m in places.index if is_baseline(m)), None)
    if base is None:
        return []
    place = list(places.index).index(base)
    text = (
        f"{BASELINE}, which ignores the features, has place {place + 1} of "
        f"{len(places)}."
    )
    behind = [m for m in places.index[place + 1 :] if not is_baseline(m)]
    if behind:
        rank = "ranks" if len(behind) == 1 else "rank"
        text += f" {listed(behind)} {rank} behind it: no gain from the features there."
    else:
        text += " Every other method ranks before it."
    return [text, *_datasets_won(results, base)]


def _datasets_won(results: Results, base: str) -> list[str]:
    metric = results.metrics[0]
    table = score_table(of_metric(results, metric), metric)
    if base not in table.columns or table.shape[1] < 2:
        return []
    better = get_metric(metric).greater_is_better
    others = table.drop(columns=base)
    best = others.max(axis=1) if better else others.min(axis=1)
    won = table.index[table[base] >= best if better else table[base] <= best]
    if not len(won):
        return []
    return [
        f"By {get_metric(metric).name}, no method beats it on {listed(won)}: there is "
        "little to learn there, or the methods are set up badly for it."
    ]
