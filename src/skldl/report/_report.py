"""The report of a comparison: one HTML file from a store."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skldl._files import write_text
from skldl.report._leaderboards import (
    all_cells,
    heat_section,
    leaderboards_section,
)
from skldl.report._model_report import require_html
from skldl.report._page import Section, render_page
from skldl.report._pictures import pictures_section, predictions_section
from skldl.report._ranks import groups_of
from skldl.report._results import Results, read_results
from skldl.report._sections import (
    failures_section,
    origin_section,
    parameters_section,
    ranks_section,
    spread_section,
    time_section,
)
from skldl.report._summary import summary_parts


def write_report(
    results: Any,
    path: str | os.PathLike[str],
    *,
    metrics: Sequence[str] = (),
    title: str = "",
    control: str | None = None,
    split: str | None = None,
    seed: int | None = None,
    tuned: bool | None = None,
) -> Path:
    """Write the report of a comparison as one HTML file.

    The file needs no network: tables that sort, figures and style are inside.

    Parameters
    ----------
    results : Store, str, Path or DataFrame
        A store, the path of one, or the rows that :func:`skldl.benchmark.run` gave
        (then without predictions and commands, which only a store has).
    path : str or Path
        Where to; the name ends in .html or .htm.
    metrics : sequence of str, default=()
        What to show; the first is drawn. Empty shows those of the published tables.
    title : str, default=""
        Heading; empty makes one from the data sets.
    control : str, default=None
        Method that all others are tested against; None takes the best method of each
        data set.
    split, seed, tuned : str, int, bool, default=None
        Which comparison, where a store has several of the same folds.

    Returns
    -------
    path : Path

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skldl.benchmark import Plan, Split, run
    >>> from skldl.report import write_report
    >>> rows = run(Plan(["toy"], ["AAkNN"], Split(n_splits=2)), engine="serial")
    >>> with TemporaryDirectory() as folder:
    ...     page = write_report(rows, Path(folder) / "report.html")
    ...     "AAkNN" in page.read_text()
    True
    """
    require_html(Path(path))
    given = {"split": split, "seed": seed, "tuned": tuned}
    where = {name: value for name, value in given.items() if value is not None}
    found = read_results(results, metrics, where)
    if control is not None and control not in found.methods:
        raise ValueError(
            f"The control {control!r} is not among the methods: "
            f"{', '.join(found.methods)}."
        )
    return write_text(path, _render(found, title, control))


def _render(results: Results, title: str, control: str | None) -> str:
    groups = groups_of(results)
    ranked = [method for group in groups for method in group.places.index]
    order = list(dict.fromkeys([*ranked, *results.methods]))
    cells = all_cells(results, order, control)
    sections = [
        leaderboards_section(results, cells, control),
        heat_section(results, groups, cells),
        ranks_section(groups, order),
        spread_section(results, groups),
        time_section(results, groups, order),
        predictions_section(results, order),
        pictures_section(results),
        parameters_section(results),
        failures_section(results),
        origin_section(results),
    ]
    return render_page(
        title or _title(results),
        summary_parts(results, groups),
        [section for section in sections if isinstance(section, Section)],
    )


def _title(results: Results) -> str:
    names = results.datasets
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if names[3:] else "")
    return f"Comparison on {shown}"
