"""From papers to pages: run, summarise, measure figures, write."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from skldl.benchmark import Progress
from skldl.reproduce._claims import claim_chapters
from skldl.reproduce._columns import read_summary, write_summary
from skldl.reproduce._figures import measure_figures
from skldl.reproduce._overlay import lay_over
from skldl.reproduce._pages import write_index, write_pages
from skldl.reproduce._papers import get_papers
from skldl.reproduce._protocol import Paper
from skldl.reproduce._runner import Selection, run_papers
from skldl.reproduce._summary import Results, summarize_paper
from skldl.reproduce._verdicts import compare_paper, coverage

_Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Reproduced:
    """A paper that was run again.

    Attributes
    ----------
    paper : str
        Its key.
    summary : DataFrame
        Numbers of every method, see :func:`read_summary`.
    cells : DataFrame or None
        Published cells beside ours, see :func:`compare_paper`; None for a quick run,
        and for a paper without published tables.
    pages : list of Path
        The page as Markdown and as HTML.
    """

    paper: str
    summary: pd.DataFrame
    cells: pd.DataFrame | None
    pages: list[Path]

    def __str__(self) -> str:
        if self.cells is None:
            return f"{self.paper}: {len(self.summary)} numbers"
        measured, possible = coverage(self.cells)
        return f"{self.paper}: {measured} of {possible} cells measured"


def reproduce(
    papers: str | Sequence[str],
    store: _Path | Sequence[_Path] | None,
    folder: _Path,
    *,
    selection: Selection | None = None,
    run: bool = True,
    results: _Path | None = None,
    figures: bool = False,
    progress: Callable[[str, Progress], None] | None = None,
    **options: Any,
) -> list[Reproduced]:
    """Run the tables of papers again and write a page for each.

    Parameters
    ----------
    papers : str or sequence of str
        Keys, see :func:`list_papers`; "all" means all.
    store : str or Path, or a sequence of them, or None
        The SQLite file where results are kept; what it has is not run again. Several
        can be read with ``run=False``; None goes with ``results`` and runs nothing.
    folder : str or Path
        Where summaries, pages and figures go. With published tables of more than one
        paper there is also an index, ``README.md``.
    selection : Selection, default=None
        What to run; None takes every table on raw features.
    run : bool, default=True
        Whether to run what is missing; False writes pages of what there is.
    results : str or Path, default=None
        A folder of earlier summaries. What the store has is laid over them: it adds
        folds to rows of the same settings, replaces other rows of the same methods,
        and adds what is new. Without a store pages are written from the summaries
        alone.
    figures : bool, default=False
        Whether to measure the rows of figures that are missing.
    progress : callable, default=None
        Called with the name of a part and where its run stands.
    **options : object
        For :func:`skldl.benchmark.run`: ``n_jobs``, ``time_limit`` and the like.

    Returns
    -------
    reproduced : list of Reproduced
        One for each paper: its summary, the comparison, and the files.

    Examples
    --------
    >>> from skldl.reproduce import Selection, reproduce
    >>> quick = Selection(quick=True, methods=["AA-KNN"])
    >>> reproduce("mslp", "results.sqlite", "pages", selection=quick)
    ... # doctest: +SKIP
    """
    papers = [papers] if isinstance(papers, str) else list(papers)
    stores = _as_list(store)
    selection = selection or Selection()
    run = run and bool(stores)
    _check(stores, results, run, selection.quick)
    if run:
        run_papers(papers, stores[0], selection=selection, progress=progress, **options)
    rows = Path(folder if results is None else results) / "figures"
    chosen = get_papers(papers)
    if figures:
        measure_figures([paper.key for paper in chosen], rows)
    found = Results.read(stores) if stores else None
    earlier = None if results is None else Path(results)
    made = [
        _write(paper, found, earlier, Path(folder), rows, selection.quick)
        for paper in chosen
    ]
    compared = [(p, m.cells) for p, m in zip(chosen, made, strict=True)]
    known = [(paper, cells) for paper, cells in compared if cells is not None]
    if len(known) > 1:
        claims = claim_chapters({m.paper: m.summary for m in made}, rows)
        write_index(known, Path(folder), claims)
    return made


def _as_list(store: _Path | Sequence[_Path] | None) -> list[_Path]:
    if store is None:
        return []
    return [store] if isinstance(store, str | os.PathLike) else list(store)


def _check(stores: list[_Path], results: _Path | None, run: bool, quick: bool) -> None:
    if not stores and results is None:
        raise ValueError("Give a store, or a folder of summaries as results.")
    if run and len(stores) > 1:
        raise ValueError("Give one store to run; run=False reads several.")
    if results is not None and quick:
        raise ValueError("results has full runs, so selection cannot be quick.")


def _write(
    paper: Paper,
    found: Results | None,
    earlier: Path | None,
    folder: Path,
    rows: Path,
    quick: bool,
) -> Reproduced:
    """Summary and page of one paper."""
    summary = _summary(paper, found, earlier, quick)
    if found is not None:
        # never where a page could take it for the full tables
        name = f"{paper.key}-quick" if quick else paper.key
        write_summary(summary, folder / f"{name}.csv")
    cells = compare_paper(paper, summary) if paper.name and not quick else None
    pages = write_pages(paper, summary, cells, folder, quick=quick, figures=rows)
    return Reproduced(paper.key, summary, cells, pages)


def _summary(
    paper: Paper, found: Results | None, earlier: Path | None, quick: bool
) -> pd.DataFrame:
    """Of the store, laid over the earlier one if there is one."""
    if earlier is None:
        assert found is not None
        return summarize_paper(paper, found, quick=quick)
    old = read_summary(earlier / f"{paper.key}.csv")
    if found is None:
        return old
    return lay_over(paper, old, summarize_paper(paper, found))
