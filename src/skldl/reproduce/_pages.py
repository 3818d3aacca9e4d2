"""A page per paper, in Markdown and HTML, from a summary and nothing else."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from skldl._files import write_text
from skldl.reproduce._columns import label_columns
from skldl.reproduce._field_page import field_chapters
from skldl.reproduce._figure_tables import figure_tables
from skldl.reproduce._figures import Picture, paper_pictures
from skldl.reproduce._further import further_chapters
from skldl.reproduce._metric_words import metric_words, with_metric_words
from skldl.reproduce._page_costs import cost_blocks
from skldl.reproduce._page_settings import (
    classifier_sentence,
    preset_sentences,
    settings_table,
)
from skldl.reproduce._page_tables import ALIKE, number, table_chapters
from skldl.reproduce._protocol import Paper
from skldl.reproduce._ranks import first_forms, rank_blocks, win_table
from skldl.reproduce._render import Chapter, Table, to_html, to_markdown
from skldl.reproduce._summary import BEST, HONEST, with_baseline
from skldl.reproduce._verdicts import (
    BETTER,
    FAILED,
    LEAST_FOLDS,
    NOT_AT_HAND,
    VERDICTS,
    count_verdicts,
    coverage,
)

_ROMAN = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"]
RULES = (
    "A cell is better, the same within noise, or worse than the published number. "
    "Noise is one published deviation where that is over folds, otherwise three "
    "standard errors of our mean (of a single run: of a share among its test rows), "
    "plus half a unit of the last printed digit. There is no verdict for fewer than "
    f"{LEAST_FOLDS} folds of several, nor for times, which come from another machine. "
    "Differences are ours less published, in the unit that judges: published "
    "deviations, or our standard errors (marked se)."
)
COLUMN_RULES = (
    f"Forms named '{HONEST}' choose parameters inside the training part. Forms named "
    f"'{BEST}' take the setting with the best mean over the test folds, as published "
    "numbers were often made; they flatter the method and are here only to explain "
    "differences. Of the honest forms on raw features the first that was measured "
    "counts; if that is not the form which should count, its name follows the number. "
    f"{ALIKE} marks a learner within 1.5 % of the mean distribution on every metric "
    "that was measured: it has learned next to nothing there, and a verdict says "
    "little."
)


def column_counts(cells: pd.DataFrame) -> pd.DataFrame:
    """Count verdicts in each column of numbers.

    Parameters
    ----------
    cells : DataFrame
        What :func:`compare_paper` gave.

    Returns
    -------
    counts : DataFrame
        One row per column.
    """
    known = cells[cells["column"].notna()]
    counts = pd.crosstab(known["column"], known["verdict"])
    order = [verdict for verdict in VERDICTS if verdict in counts.columns]
    names = list(dict.fromkeys(known["column"]))
    return counts.reindex(index=names, columns=order).reset_index(names="column")


def paper_page(
    paper: Paper,
    summary: pd.DataFrame,
    cells: pd.DataFrame | None = None,
    *,
    quick: bool = False,
    figures: str | Path | None = None,
) -> tuple[str, list[str], list[Chapter]]:
    """Say what was published and what was measured.

    Parameters
    ----------
    paper : Paper
        Which one.
    summary : DataFrame
        What :func:`summarize_paper` gave.
    cells : DataFrame, default=None
        What :func:`compare_paper` gave; not needed for a quick run, nor for a paper
        without published tables.
    quick : bool, default=False
        Whether it comes from a quick run.
    figures : str or Path, default=None
        Folder with the rows that pictures are drawn from.

    Returns
    -------
    title : str
    lead : list of str
        First sentences.
    chapters : list of Chapter
    """
    pictures = paper_pictures(paper.key, summary, figures)
    drawn = _said([Chapter("Figures", pictures)]) if pictures else []
    if quick:
        lead = ["A quick run on the smallest data: it shows that everything runs, and "
                "must not be compared with published numbers."]  # fmt: skip
        return paper.title, lead, [_measured_chapter(paper, summary)]
    if cells is None:
        return paper.title, [*paper.notes], [*field_chapters(summary), *drawn]
    chapters = [
        Chapter("How it was measured", _measured_how(paper, cells)),
        Chapter(
            "Verdicts by form",
            [
                Table(
                    column_counts(cells).rename(columns={"column": "form"}),
                    "Cells by verdict",
                )
            ],
        ),
        *sorted(
            [*table_chapters(cells), *figure_tables(paper.key, figures)],
            key=_table_place,
        ),
        *_said(further_chapters(paper, summary, cells)),
        *_said(
            [Chapter("Ranks", [*_wins(paper, summary), *rank_blocks(paper.key, cells)])]
        ),
        *drawn,
        Chapter("Settings", _settings(paper, summary), folded=True),
        Chapter("Costs", _costs(paper, summary), folded=True),
    ]
    return paper.title, _lead(paper, cells), [c for c in chapters if c.blocks]


def _table_place(chapter: Chapter) -> int:
    """The number of a published table, Roman or not."""
    number = re.split("[ :]", chapter.heading)[1]
    return int(number) if number.isdigit() else _ROMAN.index(number)


def _measured_how(paper: Paper, cells: pd.DataFrame) -> list[str]:
    said = " ".join(preset_sentences(cells))
    return [*paper.notes, *filter(None, [said]), RULES, COLUMN_RULES]


def _settings(paper: Paper, summary: pd.DataFrame) -> list[Any]:
    frame = settings_table(paper, summary)
    caption = (
        "Settings of the runs on raw features as they were stored: the parameters of "
        "the published preset, and others that are not as by default today; values "
        "that were searched are in the last column"
    )
    after = classifier_sentence(summary)
    return [] if frame.empty else [Table(frame, caption), *filter(None, [after])]


def _lead(paper: Paper, cells: pd.DataFrame) -> list[str]:
    measured, possible = coverage(cells)
    main = cells[cells["main"]]
    counts = count_verdicts(cells)
    share = measured / possible if possible else 0.0
    said = [f"{count} {name}" for name, count in counts.items() if count]
    lines = [
        f"{len(main)} published cells: {', '.join(said)}.{_alike_sentence(cells)}",
        f"{measured} of the {possible} cells whose data are at hand have a measured "
        f"value ({share:.1%}).",
    ]
    partial = int((main["n_folds"] < main["n_expected"]).sum())
    if partial:
        lines.append(
            f"Cells without all folds yet: {partial}. What counts as noise is wider "
            f"there, and fewer than {LEAST_FOLDS} folds get no verdict."
        )
    instead = main[main["stands_in"].isin([True])]
    if len(instead):
        lines.append(
            f"{len(instead)} cells count in another form than the first, which has not "
            f"been run there: {_where(instead)}."
        )
    for reason, part in main[main["verdict"] == NOT_AT_HAND].groupby("reason"):
        names = ", ".join(dict.fromkeys(part["dataset"]))
        lines.append(f"Not run here, {len(part)} cells: {names} ({reason}).")
    for reason, part in main[main["verdict"] == FAILED].groupby("reason"):
        names = ", ".join(dict.fromkeys(part["method"] + " on " + part["dataset"]))
        lines.append(f"Did not run: {names} ({reason}).")
    return lines


def better_alike(cells: pd.DataFrame) -> int:
    """Count better cells of learners that are about the mean distribution.

    Parameters
    ----------
    cells : DataFrame
        What :func:`compare_paper` gave.

    Returns
    -------
    count : int
    """
    better = cells[cells["main"] & (cells["verdict"] == BETTER)]
    return int(better["like_mean"].isin([True]).sum())


def _alike_sentence(cells: pd.DataFrame) -> str:
    count = better_alike(cells)
    if not count:
        return ""
    return (
        f" Of the better cells, {count} {'is' if count == 1 else 'are'} of learners "
        f"marked {ALIKE}, within 1.5 % of the mean distribution."
    )


def _where(cells: pd.DataFrame) -> str:
    """Methods with their data sets; those with the same ones together."""
    found: dict[str, list[str]] = {}
    for method, part in cells.groupby("method", sort=False):
        found.setdefault(", ".join(dict.fromkeys(part["dataset"])), []).append(
            str(method)
        )
    return "; ".join(f"{', '.join(who)} ({names})" for names, who in found.items())


def _said(chapters: Sequence[Chapter]) -> list[Chapter]:
    """Chapters with metrics in words in the captions of tables and pictures."""

    def words(block: Any) -> Any:
        if isinstance(block, Table):
            return replace(block, caption=with_metric_words(block.caption))
        if isinstance(block, Picture):
            alt, caption = map(with_metric_words, (block.alt, block.caption))
            return replace(block, alt=alt, caption=caption)
        return block

    return [replace(c, blocks=[words(block) for block in c.blocks]) for c in chapters]


def _wins(paper: Paper, summary: pd.DataFrame) -> list[Any]:
    wins = win_table(summary, paper.control, alpha=paper.alpha)
    if wins.empty:
        return []
    caption = (
        f"Data sets where {paper.control} wins, ties or loses, by two-sided paired "
        f"t-tests over folds at the level {paper.alpha:g} ({1 - paper.alpha:.0%} "
        "confidence)"
    )
    wins["data sets"] = wins[["win", "tie", "loss"]].sum(axis=1)
    wins["metric"] = wins["metric"].map(metric_words)
    return [*_left_out(paper.control, summary, wins), Table(wins, caption)]


def _left_out(control: str, summary: pd.DataFrame, wins: pd.DataFrame) -> list[str]:
    """Why methods are compared on fewer data sets than others, if they are."""
    if wins.groupby("metric")["data sets"].nunique().max() == 1:
        return []
    places = _first_places(summary)
    missing = {
        method: [d for p, d in places[control] if (p, d) not in places[method]]
        for method in dict.fromkeys(wins["against"])
    }
    named = [f"{m} ({', '.join(found)})" for m, found in missing.items() if found]
    return [
        "Compared are the first forms of two methods, on the data sets where all folds "
        f"of both have run and have the metric, at most {len(places[control])} of "
        f"{control}; no other form stands in here. So these are left out: "
        f"{'; '.join(named)}."
    ]


def _first_places(summary: pd.DataFrame) -> dict[str, list[tuple[str, str]]]:
    """Parts and data sets of the methods whose first form has all folds."""
    whole = first_forms(summary).drop_duplicates(["published", "part", "dataset"])
    return {
        str(method): list(zip(rows["part"], rows["dataset"], strict=True))
        for method, rows in whole.groupby("published")
    }


def stored_names(
    paper: Paper, summary: pd.DataFrame, *, quick: bool = False
) -> list[str]:
    """Give for each row the name under which stores have the method.

    Parameters
    ----------
    paper : Paper
        Which one.
    summary : DataFrame
        What :func:`summarize_paper` gave.
    quick : bool, default=False
        Whether it comes from a quick run.

    Returns
    -------
    names : list of str
    """
    own = ["method", "features", "variant", *label_columns(summary)]
    names = {
        (part.name, *(entry.columns.get(key, "") for key in own)): entry.method.name
        for part in paper.parts(quick)
        for entry in with_baseline(part)
    }
    columns = [summary[key] for key in ["part", *own]]
    return [
        # an entry that is not run any more has no name
        names.get(key, ", ".join(filter(None, key[1:])))
        for key in zip(*columns, strict=True)
    ]


def _costs(paper: Paper, summary: pd.DataFrame) -> list[Any]:
    return cost_blocks(summary.assign(method=stored_names(paper, summary)))


def _measured_chapter(paper: Paper, summary: pd.DataFrame) -> Chapter:
    named = summary.assign(method=stored_names(paper, summary, quick=True))
    frame = named[["part", "dataset", "method", "protocol", "metric"]].copy()
    pairs = zip(summary["mean"], summary["std"], strict=True)
    frame["metric"] = frame["metric"].map(metric_words)
    frame["mean"] = [number(*pair) or FAILED for pair in pairs]
    frame["reason"] = summary["reason"]
    return Chapter("Measured", [Table(frame, "Mean ± deviation over folds")])


def write_pages(
    paper: Paper,
    summary: pd.DataFrame,
    cells: pd.DataFrame | None,
    folder: str | Path,
    *,
    quick: bool = False,
    figures: str | Path | None = None,
) -> list[Path]:
    """Write a paper's page as Markdown (pictures beside it) and as HTML.

    Parameters
    ----------
    paper : Paper
        Which one.
    summary : DataFrame
        What :func:`summarize_paper` gave, or :func:`read_summary`.
    cells : DataFrame or None
        As for :func:`paper_page`.
    folder : str or Path
        Where to.
    quick : bool, default=False
        Whether the summary comes from a quick run; then the files are named so.
    figures : str or Path, default=None
        Folder with the rows that pictures are drawn from.

    Returns
    -------
    paths : list of Path
    """
    page = paper_page(paper, summary, cells, quick=quick, figures=figures)
    folder, name = Path(folder), paper.key + ("-quick" if quick else "")
    for chapter in page[2]:
        for block in chapter.blocks:
            if isinstance(block, Picture):
                write_text(folder / "figures" / f"{block.name}.svg", block.svg_text())
    return [
        write_text(folder / f"{name}.md", to_markdown(*page)),
        write_text(folder / f"{name}.html", to_html(*page)),
    ]


def write_index(
    comparisons: Sequence[tuple[Paper, pd.DataFrame]],
    folder: str | Path,
    claims: Sequence[Chapter] = (),
) -> Path:
    """Write a page that counts the verdicts of all papers and links to their pages.

    Parameters
    ----------
    comparisons : sequence of (Paper, DataFrame)
        With what :func:`compare_paper` gave.
    folder : str or Path
        Where the pages lie.
    claims : sequence of Chapter, default=()
        What comes first.

    Returns
    -------
    path : Path
    """
    lines = []
    for paper, cells in comparisons:
        measured, possible = coverage(cells)
        counts = count_verdicts(cells)
        facts = {"cells": int(counts.sum()), "data at hand": possible}
        lines.append(
            {"paper": paper.name, "page": f"[{paper.key}]({paper.key}.md)"}
            | {k: str(v) for k, v in (facts | {"measured": measured}).items()}
            | {str(name): str(count) for name, count in counts.items()}
            | {f"better, but {ALIKE}": str(better_alike(cells))}
        )
    table = Table(pd.DataFrame(lines), "Published cells by verdict")
    chapters = [Chapter("Papers", [table]), Chapter("Rules", [RULES, COLUMN_RULES])]
    lead = [
        "Verdicts count the honest numbers on raw features.",
        "The learners of the tables with their former defaults: [field](field.md).",
    ]
    title = "Published tables run again"
    text = to_markdown(title, lead, [*claims, *chapters])
    return write_text(Path(folder) / "README.md", text)
