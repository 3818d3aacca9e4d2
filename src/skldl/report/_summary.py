"""The first words of a report: what was run and what came of it."""

from typing import Any

import pandas as pd
from markupsafe import Markup

from skldl.benchmark import best_methods, score_table, summarize
from skldl.metrics import get_metric
from skldl.report._fragments import explained_name, facts, next_step, paragraph
from skldl.report._next_command import fit_command
from skldl.report._ranks import BASELINE, Group, Ranking, is_baseline, of_metric
from skldl.report._results import Results

_SPACE = "\N{NO-BREAK SPACE}"
_NO_RANKS = (
    "There are no average ranks: they need at least two methods that have a score on "
    "every fold."
)


def count(number: int, word: str) -> str:
    """A number with its noun."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def listed(names: Any, most: int = 6) -> str:
    """Names in a sentence, the rest counted."""
    names = [str(name) for name in names]
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def split_words(name: str) -> str:
    """A split in words, with the name that ``--split`` takes: 3 folds (kfold-3)."""
    kind, _, rest = str(name).partition("-")
    size, _, more = rest.partition("-")
    how = f", {more}" if more else ""
    if kind == "kfold" and size:
        return f"{size} folds{how} ({name})"
    if kind == "shuffle" and size:
        return f"random splits, {float(size):.0%} for the test{how} ({name})"
    return "the data sets' own (fixed)" if name == "fixed" else str(name)


def summary_parts(results: Results, groups: list[Group]) -> list[Any]:
    """Sentences and facts."""
    jobs = results.jobs
    bad = int((jobs["status"] != "ok").sum())
    lead = (
        f"{count(len(results.methods), 'method')} on "
        f"{count(len(results.datasets), 'data set')}: {count(len(jobs), 'fold')} in "
        f"all, of which {_failures(bad, len(jobs))} failed."
    )
    parts: list[Any] = []
    if not groups:
        parts.append(paragraph("No fold has a score, so there is nothing to compare."))
    for group in groups:
        found = _findings(results, group)
        if len(groups) > 1:
            found[0] = f"On {group.kind}, {found[0]}"
        found[0] = found[0][0].upper() + found[0][1:]
        parts += [paragraph(text) for text in found]
    if groups and (best := _best_method(results, groups[0])) is not None:
        parts.append(next_step(_next(results, groups[0], best)))
    parts += [paragraph(lead), _facts(results, jobs, groups)]
    return parts + [paragraph(note, note=True) for note in results.notes]


def _best_method(results: Results, group: Group) -> str | None:
    """The first by average rank; where nothing is ranked, the most frequent best."""
    if len(group.places):
        names = [m for m in group.places.index if not is_baseline(m)]
        return str(names[0]) if names else BASELINE
    wins = _wins(results, group.metrics[0])
    return max(wins, key=lambda name: len(wins[name])) if wins else None


def _wins(results: Results, metric: str) -> dict[str, list[str]]:
    """The data sets on which each method is best, of those that did every fold."""
    table = summarize(of_metric(results, metric), metrics=[metric])
    found: dict[str, list[str]] = {}
    for dataset, part in table.groupby("dataset", sort=False):
        for method in best_methods(part, metric)[:1]:
            found.setdefault(str(method), []).append(str(dataset))
    return found


def _most_wins(results: Results, group: Group) -> str:
    metric = group.metrics[0]
    wins = _wins(results, metric)
    if not wins:
        return f"no method has a score by {metric} on every fold of a data set."
    best = max(wins, key=lambda name: len(wins[name]))
    total = sum(map(len, wins.values()))
    return f"by {metric}, {best} is best on {len(wins[best])} of {total} data sets."


def _next(results: Results, group: Group, best: str) -> str:
    """The command that makes a model of the best method."""
    jobs = results.jobs
    tuned = "tuned" in jobs.columns and bool(jobs["tuned"].any())
    fitting = of_metric(results, group.metrics[0])["dataset"].unique()
    return fit_command(best, list(fitting), results.runs, tuned=tuned)


def _failures(bad: int, total: int) -> str:
    if bad == total:
        return "all"
    return f"{bad}" if bad else "none"


def _facts(results: Results, jobs: pd.DataFrame, groups: list[Group]) -> Any:
    entries: dict[str, Any] = {}
    for group in groups:
        best = [f"{m} ({rank:.2f})" for m, rank in group.places.head(3).items()]
        on = f" on {group.kind}" if len(groups) > 1 else ""
        if best:
            entries[f"Best by average rank{on}"] = ", ".join(best)
    entries["Data sets"] = listed(results.datasets)
    for column, name in (("split", "Split"), ("seed", "Seed")):
        if column in jobs.columns:
            words = split_words if column == "split" else str
            entries[name] = ", ".join(map(words, jobs[column].unique()))
    if "tuned" in jobs.columns and jobs["tuned"].any():
        by = [name for name in jobs["tuned_by"].unique() if name]
        entries["Tuned by"] = ", ".join(by) or "the usual metric of the data"
    if results.metrics:
        metrics = map(get_metric, results.metrics)
        entries["Metrics"] = Markup(", ").join(
            explained_name(m.label.replace(" ", _SPACE), m.meaning) for m in metrics
        )
    return facts(entries)


def _findings(results: Results, group: Group) -> list[str]:
    rankings, places = group.rankings, group.places
    if not rankings:
        return [_most_wins(results, group), _NO_RANKS]
    most = max(r.n_datasets for r in rankings)
    over = f"{count(len(rankings), 'metric')} and {count(most, 'data set')}"
    found = "no method has a rank by every metric."
    if len(places):
        found = (
            f"by average rank over {over}, {places.index[0]} comes first with "
            f"{places.iloc[0]:.2f}."
        )
    return [found, *_difference(rankings[0]), *_baseline(results, group)]


def _difference(first: Ranking) -> list[str]:
    """Whether the ranks could be chance."""
    label = get_metric(first.metric).name
    if first.n_datasets < 2:
        return [
            "These ranks are of one data set and say nothing about others. The tables "
            "test the differences fold by fold."
        ]
    if pd.isna(first.p_value):  # two methods
        return []
    if first.p_value >= 0.05:
        return [
            f"By {label}, the ranks differ no more than they would by chance "
            f"(Friedman, p = {first.p_value:.2g})."
        ]
    near = first.ranks[first.ranks < first.ranks.iloc[0] + first.cd]
    alike = (
        f"; the first {len(near)} of {len(first.ranks)} are within the critical "
        "difference of each other"
    )
    if len(near) == 1:
        alike = "; the first is ahead of all others by the critical difference"
    elif len(near) == len(first.ranks):
        alike = (
            ", but with this few data sets no two methods differ by the critical "
            "difference"
        )
    return [f"By {label}, the ranks differ (Friedman, p = {first.p_value:.2g}){alike}."]


def _baseline(results: Results, group: Group) -> list[str]:
    """Where the mean distribution stands, which has looked at no feature."""
    places = group.places
    base = next((m for m in places.index if is_baseline(m)), None)
    if base is None:
        return []
    place = list(places.index).index(base)
    text = (
        f"{BASELINE}, which ignores the features, is number {place + 1} of "
        f"{len(places)}."
    )
    level = places[(places >= places.iloc[place]).to_numpy()].index
    behind = [m for m in level if not is_baseline(m)]
    if behind:
        rank = "ranks" if len(behind) == 1 else "rank"
        text += (
            f" {listed(behind)} {rank} no better than it: the features do not help "
            "there."
        )
    else:
        text += " Every other method ranks before it."
    return [text, *_datasets_won(results, group.metrics[0], base)]


def _datasets_won(results: Results, metric: str, base: str) -> list[str]:
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
        "little to learn there, or the settings of the methods do not suit the data."
    ]
