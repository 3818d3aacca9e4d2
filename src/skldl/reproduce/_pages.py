"""A page per paper, in Markdown and HTML, from a summary and nothing else."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skldl._files import write_text
from skldl.reproduce._columns import label_columns
from skldl.reproduce._field_page import field_chapters
from skldl.reproduce._figures import Picture, paper_pictures
from skldl.reproduce._further import further_chapters
from skldl.reproduce._page_settings import preset_sentence, settings_table
from skldl.reproduce._protocol import Paper, describe
from skldl.reproduce._ranks import rank_blocks, win_table
from skldl.reproduce._render import Chapter, Table, to_html, to_markdown
from skldl.reproduce._summary import BEST, HONEST, with_baseline
from skldl.reproduce._verdicts import (
    BETTER,
    FAILED,
    LEAST_FOLDS,
    NOT_AT_HAND,
    SAME,
    VERDICTS,
    WORSE,
    count_verdicts,
    coverage,
)

_MARKS = {BETTER: "+", SAME: "=", WORSE: "\N{MINUS SIGN}"}
RULES = (
    "A cell is better, the same within noise, or worse than the published number. "
    "Noise is one published deviation where that is over folds, otherwise three "
    "standard errors of our mean (of a single run: of a share among its test rows), "
    "plus half a unit of the last printed digit. There is no verdict for fewer than "
    f"{LEAST_FOLDS} folds of several, nor for times, which come from another machine. "
    "Differences are in published deviations where those are printed, otherwise in our "
    "standard errors (marked se)."
)
COLUMN_RULES = (
    f"Columns named '{HONEST}' choose parameters inside the training part. Columns "
    f"named '{BEST}' take the setting with the best mean over the test folds, as "
    "published numbers were often made; they flatter the method and are here only to "
    "explain differences. Of the honest columns on raw features the first that was "
    "measured counts. After a number: + better, = same within noise, \N{MINUS SIGN} "
    "worse. \N{ALMOST EQUAL TO} marks a learner within 1.5 % of the mean distribution "
    "on every metric that was measured: it has learned next to nothing there, and a "
    "verdict says little."
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
    drawn = [Chapter("Figures", pictures)] if pictures else []
    if quick:
        lead = ["A quick run on the smallest data: it shows that everything runs, and "
                "must not be compared with published numbers."]  # fmt: skip
        return paper.title, lead, [_measured_chapter(paper, summary)]
    if cells is None:
        return paper.title, [*paper.notes], [*field_chapters(summary), *drawn]
    chapters = [
        Chapter("How it was measured", _measured_how(paper, summary)),
        Chapter(
            "Verdicts by column", [Table(column_counts(cells), "Cells by verdict")]
        ),
        *_table_chapters(cells),
        *further_chapters(paper, summary, cells),
        Chapter("Ranks", [*_wins(paper, summary), *rank_blocks(paper.key, cells)]),
        *drawn,
        Chapter("Settings", _settings(paper, summary), folded=True),
        Chapter("Costs", [_costs(paper, summary)], folded=True),
    ]
    return paper.title, _lead(paper, cells), [c for c in chapters if c.blocks]


def _measured_how(paper: Paper, summary: pd.DataFrame) -> list[str]:
    sentence = preset_sentence(summary)
    return [*paper.notes, *([sentence] if sentence else []), RULES, COLUMN_RULES]


def _settings(paper: Paper, summary: pd.DataFrame) -> list[Table]:
    frame = settings_table(paper, summary)
    caption = (
        "Settings of the runs on raw features as they were stored: the parameters of "
        "the published preset, and others that are not as by default today"
    )
    return [] if frame.empty else [Table(frame, caption)]


def _lead(paper: Paper, cells: pd.DataFrame) -> list[str]:
    measured, possible = coverage(cells)
    main = cells[cells["main"]]
    counts = count_verdicts(cells)
    share = measured / possible if possible else 0.0
    lines = [
        f"{len(main)} published cells: "
        + ", ".join(f"{number} {name}" for name, number in counts.items() if number)
        + ".",
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


def _where(cells: pd.DataFrame) -> str:
    """Methods, each with its data sets."""
    return "; ".join(
        f"{method} ({', '.join(dict.fromkeys(part['dataset']))})"
        for method, part in cells.groupby("method", sort=False)
    )


def _table_chapters(cells: pd.DataFrame) -> Iterator[Chapter]:
    for name, whole in cells.groupby("table", sort=False):
        blocks = []
        for dataset, part in whole.groupby("dataset", sort=False):
            if (part["verdict"] == NOT_AT_HAND).all():
                continue
            blocks.append(Table(_side_by_side(part), f"{name}: {dataset}"))
        if blocks:
            yield Chapter(str(name), blocks)


def _side_by_side(part: pd.DataFrame) -> pd.DataFrame:
    """One line per method and metric: published, each column, the main verdict."""
    columns = [c for c in dict.fromkeys(part["column"]) if pd.notna(c)]
    lines: dict[tuple[str, str], dict[str, str]] = {}
    ends: dict[tuple[str, str], dict[str, str]] = {}
    for row in part.to_dict("records"):
        key = row["method"], row["metric"]
        line = lines.setdefault(
            key,
            {
                "method": row["method"],
                "metric": row["metric"],
                "published": _printed(row),
                **dict.fromkeys(columns, ""),
            },
        )
        if pd.notna(row["column"]):
            line[row["column"]] = _measured_text(row)
        if row["main"]:
            ends[key] = {"difference": _difference(row), "verdict": row["verdict"]}
    return pd.DataFrame([line | ends[key] for key, line in lines.items()])


def _wins(paper: Paper, summary: pd.DataFrame) -> list[Table]:
    wins = win_table(summary, paper.control, alpha=paper.alpha)
    caption = (
        f"Data sets where {paper.control} wins, ties or loses, by two-sided paired "
        f"t-tests over folds at the level {paper.alpha:g} ({1 - paper.alpha:.0%} "
        "confidence)"
    )
    return [] if wins.empty else [Table(wins, caption)]


def _printed(row: Mapping[str, Any]) -> str:
    """The published number with the digits that were printed."""
    if pd.isna(row["value"]):
        return ""
    digits = int(row["digits"])
    text = f"{row['value']:.{digits}f}"
    return text if pd.isna(row["std"]) else f"{text} ± {row['std']:.{digits}f}"


def _number(value: float, spread: float = np.nan) -> str:
    if pd.isna(value):
        return ""
    digits = 2 if abs(value) >= 5 else 4
    text = f"{value:.{digits}f}"
    return text if pd.isna(spread) else f"{text} ± {spread:.{digits}f}"


def _measured_text(row: Mapping[str, Any]) -> str:
    text = _number(row["measured"], row["deviation"]) or FAILED
    if 0 < row["n_folds"] < row["n_expected"]:
        text += f" ({row['n_folds']:.0f} of {row['n_expected']:.0f} folds)"
    alike = "\N{ALMOST EQUAL TO}" if row["like_mean"] is True else ""
    return " ".join(filter(None, (text, _MARKS.get(row["verdict"], ""), alike)))


def _difference(row: Mapping[str, Any]) -> str:
    if pd.isna(row["difference"]):
        return ""
    suffix = " se" if row["unit"] == "our standard error" else ""
    return f"{row['difference']:+.1f}{suffix}"


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


def _costs(paper: Paper, summary: pd.DataFrame) -> Table:
    """Seconds of a fit, memory, and what tuning chose most often."""
    names = ["part", "dataset", "method", "protocol"]
    named = summary.assign(method=stored_names(paper, summary))
    rows = named.drop_duplicates(names)
    wanted = [*names, "fit_s", "predict_s", "peak_mb", "params", "versions"]
    frame = rows[wanted].copy()
    for column, digits in (("fit_s", 2), ("predict_s", 3), ("peak_mb", 0)):
        frame[column] = [f"{v:.{digits}f}" for v in frame[column]]
    best = frame["protocol"] == BEST
    frame.loc[best, "params"] = [describe(json.loads(v)) for v in frame["params"][best]]
    frame["versions"] = frame["versions"].map(_version_text)
    return Table(
        frame.rename(columns={"params": "chosen most often"}),
        "Seconds to fit (tuning included) and to predict, MB beyond the data",
    )


def _version_text(text: str) -> str:
    facts = json.loads(text) if text else {}
    return ", ".join(f"{name} {version}" for name, version in facts.items())


def _measured_chapter(paper: Paper, summary: pd.DataFrame) -> Chapter:
    named = summary.assign(method=stored_names(paper, summary, quick=True))
    frame = named[["part", "dataset", "method", "protocol", "metric"]].copy()
    pairs = zip(summary["mean"], summary["std"], strict=True)
    frame["mean"] = [_number(*pair) or FAILED for pair in pairs]
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
            | {str(name): str(number) for name, number in counts.items()}
        )
    table = Table(pd.DataFrame(lines), "Published cells by verdict")
    chapters = [Chapter("Papers", [table]), Chapter("Rules", [RULES, COLUMN_RULES])]
    lead = [
        "Verdicts count the honest numbers on raw features.",
        "Every distribution learner with its defaults: [field](field.md).",
    ]
    title = "Published tables run again"
    text = to_markdown(title, lead, [*claims, *chapters])
    return write_text(Path(folder) / "README.md", text)
