"""Results as the table of a paper: means, best, marks, wins and ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from skldl._cells import safe_table
from skldl.benchmark import stats
from skldl.benchmark._selection import read_rows, select_comparison
from skldl.benchmark._table_text import Block, latex_text, markdown_text
from skldl.benchmark._tables import best_methods, shown_metrics, summarize
from skldl.metrics import get_metric

_MOST_COLUMNS = 8  # methods up to which they are columns
_TESTS = {
    "corrected_t": "corrected resampled t-test",
    "t": "paired t-test",
}
Test = Literal["corrected_t", "t"]


@dataclass(frozen=True)
class PaperTable:
    """A table of results, and how to write it.

    Attributes
    ----------
    cells : DataFrame
        One row for each metric, data set and method: mean, std, n (folds), failed
        (folds), best (whether the mean is the best to four digits), rank, p_value and
        outcome of the control against the method ("win", "tie" or "loss").
    totals : DataFrame
        For each metric and method the average_rank over the data sets without gaps,
        and the numbers of wins, ties and losses of the control against the method.
        With one data set these are taken over the metrics.
    control : str or None
        What the others are tested against.
    caption : str
        What the numbers and marks mean, in one paragraph.
    """

    cells: pd.DataFrame
    totals: pd.DataFrame
    control: str | None
    caption: str

    def to_latex(
        self,
        *,
        digits: int = 4,
        transpose: bool | None = None,
        caption: str | None = None,
        label: str = "tab:results",
    ) -> str:
        r"""Write a LaTeX table, which needs the package booktabs.

        Parameters
        ----------
        digits : int, default=4
            Decimals.
        transpose : bool, default=None
            Whether methods are rows; None makes them rows if they are more than eight.
        caption : str, default=None
            In place of the own one; LaTeX that is taken as it is.
        label : str, default="tab:results"
            For ``\ref``.

        Returns
        -------
        text : str
        """
        return latex_text(
            self._blocks(digits, transpose),
            corner=self._corner(transpose),
            caption=self.caption,
            own_caption=caption,
            label=label,
        )

    def to_markdown(self, *, digits: int = 4, transpose: bool | None = None) -> str:
        """Write Markdown tables, one for each metric.

        Parameters
        ----------
        digits : int, default=4
            Decimals.
        transpose : bool, default=None
            Whether methods are rows; None makes them rows if they are more than eight.

        Returns
        -------
        text : str
        """
        return markdown_text(
            self._blocks(digits, transpose),
            corner=self._corner(transpose),
            caption=self.caption,
        )

    def to_csv(self, *, raw_cells: bool = False) -> str:
        """Write all numbers as CSV, one row for each metric, data set and method.

        Parameters
        ----------
        raw_cells : bool, default=False
            Whether text such as ``=1+1``, which a spreadsheet would run, is written as
            it is; otherwise an apostrophe stands in front.

        Returns
        -------
        text : str
            The columns of ``cells``, then those of ``totals``, which are filled in rows
            without a data set (or, of a single data set, without a metric).
        """
        whole = pd.concat([self.cells, self.totals], ignore_index=True)
        counts = ["n", "failed", "win", "tie", "loss"]
        whole[counts] = whole[counts].astype("Int64")
        whole = whole if raw_cells else safe_table(whole)
        return whole.to_csv(index=False, lineterminator="\n")

    @property
    def methods(self) -> list[str]:
        """Names of the methods."""
        return list(self.cells["method"].unique())

    def _turned(self, transpose: bool | None) -> bool:
        return len(self.methods) > _MOST_COLUMNS if transpose is None else transpose

    def _corner(self, transpose: bool | None) -> str:
        if self._turned(transpose):
            return "Method"
        return "Metric" if _single(self.cells) else "Data set"

    def _blocks(self, digits: int, transpose: bool | None) -> list[Block]:
        by, along = _axes(self.cells)
        blocks = []
        for key, part in self.cells.groupby(by, sort=False):
            totals = self.totals[self.totals[by] == key]
            block = Block.of(
                key, part, along, totals.set_index("method"), self.control, digits
            )
            blocks.append(block.transposed() if self._turned(transpose) else block)
        return blocks


def paper_table(
    results: Any,
    *,
    metrics: Sequence[str] = (),
    methods: Sequence[str] = (),
    datasets: Sequence[str] = (),
    control: str | None = None,
    test: Test | None = "corrected_t",
    alpha: float = 0.05,
    split: str | None = None,
    seed: int | None = None,
    tuned: bool | None = None,
) -> PaperTable:
    """Make the table of a paper from results.

    Parameters
    ----------
    results : Store, str, Path or DataFrame
        A store, the path of one, or the rows that :func:`skldl.benchmark.run` gave.
    metrics : sequence of str, default=()
        Which metrics; empty takes those of the published tables.
    methods, datasets : sequence of str, default=()
        Which ones, and in which order; empty takes all.
    control : str, default=None
        The method that the others are tested against; None takes the one with the best
        average rank by the first metric.
    test : {"corrected_t", "t"} or None, default="corrected_t"
        Test over the folds of each data set: the corrected resampled t-test
        (:func:`skldl.benchmark.stats.corrected_resampled_t`), the paired t-test of most
        published tables, or none. Results of fixed splits, which have a single fold,
        are not tested.
    alpha : float, default=0.05
        Level of the test.
    split, seed, tuned : str, int, bool, default=None
        Which comparison, where a store has several of the same folds.

    Returns
    -------
    table : PaperTable

    Examples
    --------
    >>> from skldl.benchmark import Plan, Split, paper_table, run
    >>> plan = Plan(["synthetic"], ["AAkNN", "LogisticLDL"], Split(n_splits=3))
    >>> table = paper_table(run(plan, engine="serial"), metrics=["clark", "cosine"])
    >>> print(table.to_markdown(digits=2).splitlines()[2])
    | Metric | AAkNN | LogisticLDL | MeanDistribution |
    """
    if test is not None and test not in _TESTS:
        raise ValueError(f"test must be 'corrected_t', 't' or None, got {test!r}.")
    given = {"split": split, "seed": seed, "tuned": tuned}
    where = {name: value for name, value in given.items() if value is not None}
    rows, _ = select_comparison(read_rows(results), where)
    rows = _chosen_rows(_chosen_rows(rows, "dataset", datasets), "method", methods)
    names = _chosen_metrics(rows, metrics)
    cells = _scores(rows, names)
    if control is None:
        control = _best_ranked(cells[cells["metric"] == names[0]])
    elif control not in set(rows["method"]):
        known = ", ".join(rows["method"].unique())
        raise ValueError(f"The control {control!r} is not among the methods: {known}.")
    tested = None if _fixed(rows) or control is None else test
    cells = _with_outcomes(cells, rows, control, tested, alpha)
    caption = _caption(rows, cells, control, tested, alpha)
    return PaperTable(cells, _totals(cells), control, caption)


def _chosen_rows(
    rows: pd.DataFrame, column: str, wanted: Sequence[str]
) -> pd.DataFrame:
    """Rows of the wanted names, in their order."""
    if isinstance(wanted, str):
        raise ValueError(f"{column}s must be a list of names, got {wanted!r}.")
    known = list(rows[column].unique())
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise ValueError(
            f"There are no results of {unknown[0]!r}; stored are {', '.join(known)}."
        )
    if not wanted:
        return rows
    place = {name: i for i, name in enumerate(wanted)}
    chosen = rows[rows[column].isin(place)]
    return chosen.sort_values(column, key=lambda c: c.map(place), kind="stable")


def _chosen_metrics(rows: pd.DataFrame, wanted: Sequence[str]) -> list[str]:
    if isinstance(wanted, str):
        raise ValueError(f"metrics must be a list of names, got {wanted!r}.")
    stored = list(rows["metric"].dropna().unique())
    absent = [name for name in wanted if get_metric(name).name not in stored]
    if not stored:
        raise ValueError("Every fold failed, so there is nothing to show.")
    if absent:
        raise ValueError(
            f"There are no results of {absent[0]!r}; stored are {', '.join(stored)}."
        )
    return shown_metrics(rows, wanted) or stored


def _scores(rows: pd.DataFrame, metrics: list[str]) -> pd.DataFrame:
    """Means, deviations, the best and ranks; no score where a fold failed."""
    parts = []
    for metric in metrics:
        fitting = rows.loc[rows["metric"] == metric, "dataset"].unique()
        summary = summarize(rows[rows["dataset"].isin(fitting)], metrics=[metric])
        for _, part in summary.groupby("dataset", sort=False):
            part = part.assign(best=part["method"].isin(best_methods(part, metric)))
            gaps = part["failed"] > 0
            part.loc[gaps, ["mean", "std"]] = float("nan")
            greater = get_metric(metric).greater_is_better
            parts.append(part.assign(rank=part["mean"].rank(ascending=not greater)))
    columns = ["metric", "dataset", "method", "mean", "std", "n", "failed", "best",
               "rank"]  # fmt: skip
    return pd.concat(parts, ignore_index=True)[columns]


def _with_outcomes(
    cells: pd.DataFrame,
    rows: pd.DataFrame,
    control: str | None,
    test: str | None,
    alpha: float,
) -> pd.DataFrame:
    if test is None or control is None:
        return cells.assign(p_value=float("nan"), outcome=None)
    parts = [
        stats.paired_t_tests(
            rows,
            metric=metric,
            control=control,
            greater_is_better=get_metric(metric).greater_is_better,
            alpha=alpha,
            corrected=test == "corrected_t",
        ).assign(metric=metric)
        for metric in cells["metric"].unique()
    ]
    keys = ["metric", "dataset", "method"]
    found = pd.concat(parts)[[*keys, "p_value", "outcome"]]
    cells = cells.merge(found, on=keys, how="left")
    # a mean over some folds is not shown, so it is not judged either
    whole = cells[cells["method"] == control].set_index(["metric", "dataset"])["mean"]
    known = whole.reindex(pd.MultiIndex.from_frame(cells[keys[:2]])).notna().to_numpy()
    gaps = cells["mean"].isna() | ~known
    cells["outcome"] = cells["outcome"].astype(object).where(~gaps, None)
    cells["p_value"] = cells["p_value"].where(~gaps)
    return cells


def _single(cells: pd.DataFrame) -> bool:
    return cells["dataset"].nunique() == 1


def _axes(cells: pd.DataFrame) -> tuple[str, str]:
    """What the blocks are, and what their rows are."""
    return ("dataset", "metric") if _single(cells) else ("metric", "dataset")


def _totals(cells: pd.DataFrame) -> pd.DataFrame:
    """Average ranks and counts of outcomes over the rows of each block."""
    by, along = _axes(cells)
    parts = []
    for key, part in cells.groupby(by, sort=False):
        methods = part["method"].unique()
        ranks = _mean_ranks(part, along).reindex(methods)
        counts = {
            name: (part["outcome"] == name).groupby(part["method"]).sum()
            for name in ("win", "tie", "loss")
        }
        table = pd.DataFrame({"average_rank": ranks, **counts}).reindex(methods)
        table = table.rename_axis("method").reset_index()
        parts.append(table.assign(**{by: key}))
    columns = [by, "method", "average_rank", "win", "tie", "loss"]
    return pd.concat(parts, ignore_index=True)[columns]


def _mean_ranks(part: pd.DataFrame, along: str) -> pd.Series:
    """Average ranks over rows where every method that can be ranked has a score."""
    sign = part["metric"].map(
        lambda name: 1.0 if get_metric(name).greater_is_better else -1.0
    )
    scores = part.assign(score=sign * part["mean"]).pivot(
        index=along, columns="method", values="score"
    )
    return complete_part(scores).rank(axis=1, ascending=False).mean()


def complete_part(table: pd.DataFrame) -> pd.DataFrame:
    """Rows without gaps; where most have gaps, the methods without gaps."""
    table = table.dropna(how="all").dropna(axis=1, how="all")
    whole = table.dropna()
    return whole if 2 * len(whole) >= len(table) else table.dropna(axis=1)


def _best_ranked(cells: pd.DataFrame) -> str | None:
    ranks = _mean_ranks(cells, "dataset").dropna()
    return None if ranks.empty else str(ranks.idxmin())


def _fixed(rows: pd.DataFrame) -> bool:
    return "split" in rows.columns and bool((rows["split"] == "fixed").any())


def _caption(
    rows: pd.DataFrame,
    cells: pd.DataFrame,
    control: str | None,
    test: str | None,
    alpha: float,
) -> str:
    splits = ", ".join(rows["split"].unique()) if "split" in rows.columns else ""
    named = f" ({splits})" if splits else ""
    words = [f"Mean ± standard deviation over folds{named}; the best mean is bold."]
    if _fixed(rows):
        words = [f"Scores on the test part{named}; the best is bold."]
    if test is not None:
        words.append(
            f"• (◦): {control} is significantly better (worse) by the {_TESTS[test]} "
            f"at level {alpha:g}; its wins, ties and losses are counted."
        )
    if cells["mean"].isna().any():
        words.append("A dash: some folds failed.")
    over = "metrics" if _single(cells) else "data sets"
    words.append(f"Average ranks are over {over} without gaps; 1 is best.")
    return " ".join(words)
