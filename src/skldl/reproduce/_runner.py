"""From a paper to plans, and the plans into a store."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from skldl.benchmark import Plan, Progress, Store, run
from skldl.methods import Method, Tuning
from skldl.report import BASELINE
from skldl.reproduce._papers import get_papers
from skldl.reproduce._protocol import Entry, Paper, Part, is_standardised


@dataclass(frozen=True)
class Selection:
    """What of a paper to run.

    Parameters
    ----------
    quick : bool, default=False
        Smallest data, few folds, short grids.
    datasets, methods : sequence of str, default=()
        Only these, by published or our name; empty takes all. A method with
        "standard+" before its name runs on standardised features alone.
    standardize : bool, default=False
        Also every method on standardised features.
    best_on_test : bool, default=False
        Also every setting of the grids by itself, so that the best over the test
        folds can be named beside the honest number.
    max_folds : int or None, default=None
        Only the first folds, splits or draws of each data set; a later run adds the
        others.
    skip_folds : int, default=0
        Leave out so many of the first ones, which earlier results have.
    """

    quick: bool = False
    datasets: Sequence[str] = ()
    methods: Sequence[str] = ()
    standardize: bool = False
    best_on_test: bool = False
    max_folds: int | None = None
    skip_folds: int = 0

    def __post_init__(self) -> None:
        skipped, most = self.skip_folds, self.max_folds
        if skipped < 0:
            raise ValueError(f"skip_folds must be at least 0, got {skipped}.")
        if most is not None and skipped >= most:
            raise ValueError(
                f"skip_folds={skipped} leaves nothing of max_folds={most}, which "
                "counts from the first fold; lower skip_folds."
            )

    def chosen_datasets(self, part: Part) -> list[str]:
        """Give the published data sets of a part that are wanted.

        What must be downloaded first has to be called by its own name: the published
        one may mean a file that is at hand.
        """
        wanted = {name.lower() for name in self.datasets}
        if not wanted:
            return list(part.datasets)
        called = {name: [name, *part.names(name)] for name in part.datasets}
        called |= {name: [*part.names(name)] for name in part.further}
        return [
            name
            for name, names in called.items()
            if not wanted.isdisjoint(n.lower() for n in names)
        ]

    def chosen_entries(self, part: Part) -> list[Entry]:
        """Give the entries of a part that are wanted, raw features first."""
        found = [e for e in part.entries if self._wants(e)]
        return sorted(found, key=lambda e: e.features != "raw")

    def _wants(self, entry: Entry) -> bool:
        names = [name for name in self.methods if entry.is_called(name)]
        if entry.features != "raw" and not self.standardize:
            return any(map(is_standardised, names))
        return bool(names) if self.methods else not entry.optional


def check_selection(papers: Sequence[Paper], selection: Selection) -> None:
    """Say which names mean nothing in these papers.

    Parameters
    ----------
    papers : sequence of Paper
        What shall run.
    selection : Selection
        With the names.
    """
    parts = [part for paper in papers for part in paper.parts(selection.quick)]
    datasets = {
        name for p in parts for d in p.all_datasets for name in (d, *p.names(d))
    }  # fmt: skip
    entries = [entry for part in parts for entry in part.entries]
    for name in selection.datasets:
        if name.lower() not in {known.lower() for known in datasets}:
            missing = {k.lower(): why for p in papers for k, why in p.missing.items()}
            reason = missing.get(name.lower(), "")
            raise ValueError(_unknown("data set", name, sorted(datasets), reason))
    for name in selection.methods:
        if not any(entry.is_called(name) for entry in entries):
            known = sorted({e.published or e.method.name for e in entries})
            baseline = name.lower() == BASELINE.lower()
            reason = "it always runs, beside the others" if baseline else ""
            raise ValueError(_unknown("method", name, known, reason))


def _unknown(kind: str, name: str, known: list[str], reason: str) -> str:
    if reason:
        return f"The {kind} {name} cannot be chosen: {reason}."
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"No table here has the {kind} {name!r}.{hint} Known: {', '.join(known)}."


def make_plans(paper: Paper, selection: Selection) -> Iterator[tuple[str, Plan]]:
    """Give what to run, honest jobs before those of single settings.

    Parameters
    ----------
    paper : Paper
        Which tables.
    selection : Selection
        What of them.

    Yields
    ------
    name : str
        For a heading.
    plan : Plan
        Data sets are loaded.
    """
    parts = paper.parts(selection.quick)
    for part in parts:
        groups: dict[Tuning | None, list[Method]] = {}
        for entry in selection.chosen_entries(part):
            groups.setdefault(part.tuning_of(entry), []).append(entry.method)
        for tuning, methods in groups.items():
            yield from _plan(paper, replace(part, tuning=tuning), selection, methods)
    if not selection.best_on_test:
        return
    for part in parts:
        entries = [e for e in selection.chosen_entries(part) if e.published]
        settings = [method for e in entries for _, method in e.settings()]
        yield from _plan(paper, part, selection, settings)


def _plan(
    paper: Paper, part: Part, selection: Selection, methods: list[Method]
) -> Iterator[tuple[str, Plan]]:
    # where a data set has one run, its draws are what is counted
    drawn = part.split.n_parts == 1
    skipped = selection.skip_folds if drawn else 0
    if not drawn and selection.skip_folds >= part.split.n_parts:
        return
    datasets = [
        part.load(name)
        for published in selection.chosen_datasets(part)
        for name in part.names(published)[skipped : selection.max_folds]
    ]
    if datasets and methods:
        name = " ".join(filter(None, (paper.key, part.name)))
        yield (
            name,
            Plan(
                datasets,
                methods,
                part.split,
                part.tuning,
                max_folds=selection.max_folds,
                skip_folds=0 if drawn else selection.skip_folds,
            ),
        )


def run_papers(
    names: Sequence[str],
    store: Store | str | os.PathLike[str],
    *,
    selection: Selection | None = None,
    progress: Callable[[str, Progress], None] | None = None,
    **options: Any,
) -> None:
    """Run the tables of papers into a store; what is there is skipped.

    Parameters
    ----------
    names : sequence of str
        Papers by key, see :func:`list_papers`; "all" means all.
    store : Store, str or Path
        Where results are kept.
    selection : Selection, default=None
        What to run; None takes every table on raw features.
    progress : callable, default=None
        Called with the name of a part and where its run stands.
    **options : object
        For :func:`skldl.benchmark.run`: ``n_jobs``, ``time_limit`` and the like.

    Examples
    --------
    >>> from skldl.reproduce import Selection, run_papers
    >>> few = Selection(quick=True, methods=["PCA"])
    >>> run_papers(["generalized-hamming"], "results.sqlite", selection=few)
    ... # doctest: +SKIP
    """
    selection = selection or Selection()
    papers = get_papers(names)
    check_selection(papers, selection)
    if not isinstance(store, Store):
        with Store(store) as opened:
            run_papers(names, opened, selection=selection, progress=progress, **options)
        return
    ran = False
    for paper in papers:
        for name, plan in make_plans(paper, selection):
            run(plan, store, progress=_named(name, progress), **options)
            ran = True
    if not ran and selection.skip_folds:
        raise ValueError(
            f"skip_folds={selection.skip_folds} leaves no fold to run; lower it."
        )


def _named(
    name: str, progress: Callable[[str, Progress], None] | None
) -> Callable[[Progress], None] | None:
    if progress is None:
        return None
    return lambda now: progress(name, now)
