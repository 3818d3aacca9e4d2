"""Stores into small tables: mean and deviation of every method of a paper.

Jobs are found by what they are, whatever the file that the data came from: a summary
needs the store alone.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skldl.benchmark import Job, Store
from skldl.methods import Method, Tuning, make_method
from skldl.metrics import get_metric
from skldl.report import BASELINE
from skldl.reproduce._columns import make_summary
from skldl.reproduce._protocol import TIMES, Entry, Paper, Part
from skldl.reproduce._settings import search_text, settings_text

HONEST, BEST = "honest", "best on test"


@dataclass(frozen=True)
class Results:
    """Finished jobs of one or more stores, found by what they are.

    Attributes
    ----------
    keys : mapping of str to str
        Description of a job without its data's fingerprint to its key.
    jobs : mapping of str to dict
        Key to the job's facts.
    metrics : mapping of str to dict
        Key to its metrics.
    """

    keys: Mapping[str, str]
    jobs: Mapping[str, Mapping[str, Any]]
    metrics: Mapping[str, Mapping[str, float]]

    @cached_property
    def labels(self) -> set[str]:
        """Names of the methods that have results."""
        return {str(job["method"]) for job in self.jobs.values()}

    @classmethod
    def read(cls, stores: Sequence[str | os.PathLike[str]]) -> "Results":
        """Read stores; of equal jobs the last one counts.

        Parameters
        ----------
        stores : sequence of str or Path
            Files; each must be there.

        Returns
        -------
        results : Results
        """
        keys: dict[str, str] = {}
        jobs: dict[str, Mapping[str, Any]] = {}
        metrics: dict[str, Mapping[str, float]] = {}
        for path in stores:
            if not Path(path).is_file():
                raise FileNotFoundError(f"There is no store {path}.")
            with Store(path) as store:
                for key, spec in store.specs().items():
                    keys[_anonymous(spec)] = key
                statuses = store.statuses().set_index("job")
                rows = store.rows()
            jobs |= statuses.to_dict("index")
            known = rows[rows["metric"].notna()]
            for key, part in known.groupby("job"):
                metrics[str(key)] = dict(
                    zip(part["metric"], part["value"], strict=True)
                )
        return cls(keys, jobs, metrics)

    def find(self, jobs: Iterable[Job]) -> list[str | None]:
        """Give the keys of jobs, None for those that are not finished.

        Parameters
        ----------
        jobs : iterable of Job
            With any fingerprint.

        Returns
        -------
        keys : list of str or None
            In the order of the jobs.
        """
        return [self.keys.get(_anonymous(job.spec)) for job in jobs]

    def good(self, keys: Iterable[str | None]) -> list[str]:
        """Keep the keys of jobs that ended well.

        Parameters
        ----------
        keys : iterable of str or None
            What :meth:`find` gave.

        Returns
        -------
        keys : list of str
        """
        return [k for k in keys if k is not None and self.jobs[k]["status"] == "ok"]


def _anonymous(spec: str) -> str:
    facts = json.loads(spec)
    facts.pop("fingerprint")
    return json.dumps(facts, sort_keys=True)


def _jobs(
    part: Part, dataset: str, method: Method, tuning: Tuning | None = None
) -> list[Job]:
    return [
        Job(
            dataset=name,
            fingerprint="",
            split=part.split,
            repetition=repetition,
            fold=fold,
            method=method.name,
            estimator=method.estimator,
            grid=method.grid,
            tuning=tuning,
        )
        for name in part.names(dataset)
        for repetition, fold in part.split.parts()
    ]


def summarize_paper(
    paper: Paper, results: Results, *, quick: bool = False
) -> pd.DataFrame:
    """Give mean and deviation of every method and metric of a paper's tables.

    Parameters
    ----------
    paper : Paper
        Which tables.
    results : Results
        Finished jobs.
    quick : bool, default=False
        Whether to look for the quick run's jobs.

    Returns
    -------
    summary : DataFrame
        One row per data set, method, column and metric that has a result.
    """
    rows: list[dict[str, Any]] = []
    parts = paper.parts(quick)
    for part in parts:
        for dataset in part.all_datasets:
            for entry in with_baseline(part):
                rows += _honest(part, dataset, entry, results)
                rows += _best(part, dataset, entry, results)
    labels = dict.fromkeys(k for part in parts for e in part.entries for k in e.labels)
    return make_summary(rows, labels)


def with_baseline(part: Part) -> Iterator[Entry]:
    """Give the entries of a part, and the mean distribution where it has a metric."""
    yield from part.entries
    metrics = {ours for ours, _ in part.metrics.values()}
    distribution = get_metric("chebyshev").kind
    kinds = {get_metric(m).kind for m in metrics if m not in TIMES}
    if kinds & {distribution, "classification"}:
        yield Entry(make_method(BASELINE))


def _honest(
    part: Part, dataset: str, entry: Entry, results: Results
) -> list[dict[str, Any]]:
    keys = results.find(_jobs(part, dataset, entry.method, part.tuning_of(entry)))
    if not any(keys):
        return []
    params = _most_frequent(results.jobs[key]["params"] for key in filter(None, keys))
    search = search_text(entry.method.grid, part.tuning_of(entry))
    rows = _rows(part, dataset, entry, HONEST, keys, params, results)
    return [row | {"search": search} for row in rows]


def _best(
    part: Part, dataset: str, entry: Entry, results: Results
) -> list[dict[str, Any]]:
    """Rows of the setting with the best mean over the test folds."""
    tuning = part.tuning_of(entry)
    if not entry.published or tuning is None or isinstance(tuning.scoring, tuple):
        return []
    metric = get_metric(tuning.scoring or "intersection")
    best: tuple[float, dict[str, Any], list[str | None]] | None = None
    for choice, method in entry.settings():
        if method.name not in results.labels:
            continue
        keys = results.find(_jobs(part, dataset, method))  # nothing is left to tune
        good = results.good(keys)
        if len(good) < len(keys):  # a part of the folds would be another contest
            continue
        mean = float(np.mean([results.metrics[key][metric.name] for key in good]))
        score = -mean if metric.greater_is_better else mean
        if best is None or score < best[0]:
            best = (score, choice, keys)
    if best is None:
        return []
    _, choice, keys = best
    params = json.dumps(choice, sort_keys=True)
    return _rows(part, dataset, entry, BEST, keys, params, results)


def _rows(
    part: Part,
    dataset: str,
    entry: Entry,
    protocol: str,
    keys: list[str | None],
    params: str,
    results: Results,
) -> list[dict[str, Any]]:
    jobs = [results.jobs[key] for key in keys if key is not None]
    good = results.good(keys)
    bad = [job for job in jobs if job["status"] != "ok"]
    shared = {
        "part": part.name,
        "dataset": dataset,
        "published": entry.published,
        **entry.columns,
        "protocol": protocol,
        "n_folds": len(good),
        "n_expected": len(keys),
        "failed": len(bad),
        "reason": _reason(bad),
        "fit_s": _mean(job["fit_s"] for job in jobs),
        "predict_s": _mean(job["predict_s"] for job in jobs),
        # a fold that could use what another left behind seems to need less
        "peak_mb": max(_known(job["peak_mb"] for job in jobs), default=np.nan),
        "params": params,
        "versions": _most_frequent(job["versions"] for job in jobs),
        "settings": settings_text(entry.method.estimator),
    }
    names = dict.fromkeys(ours for ours, _ in part.metrics_of(entry).values())
    if entry.metrics is not None and not entry.published:
        names = dict.fromkeys(ours for ours, _ in part.metrics.values())
    rows = []
    for name in names:
        values = [_value(results, k, name) if k in good else None for k in keys]
        rows.append(shared | _statistics(name, values))
    return rows


def _value(results: Results, key: str, name: str) -> float:
    job = results.jobs[key]
    if name in TIMES:
        return float(sum(job[column] for column in TIMES[name]))
    return float(results.metrics[key].get(name, np.nan))


def _statistics(name: str, values: list[float | None]) -> dict[str, Any]:
    """Of the folds that ended well; the others keep their places."""
    known = np.array([v for v in values if v is not None], dtype=np.float64)
    return {
        "metric": name,
        "mean": float(known.mean()) if len(known) else np.nan,
        "std": float(known.std(ddof=1)) if len(known) > 1 else np.nan,
        # six digits, as in the file: pages do not depend on where they come from
        "folds": [np.nan if v is None else float(f"{v:.6g}") for v in values],
    }


def _known(values: Iterable[Any]) -> list[float]:
    return [float(v) for v in values if v is not None and not np.isnan(float(v))]


def _mean(values: Iterable[Any]) -> float:
    known = _known(values)
    return float(np.mean(known)) if known else np.nan


def _reason(bad: list[Mapping[str, Any]]) -> str:
    texts = {
        "timeout": "stopped by the limit of time",
        "memory": "stopped by the limit of memory",
    }
    if not bad:
        return ""
    return texts.get(bad[0]["status"], f"{bad[0]['status']}: {bad[0]['message']}")


def _most_frequent(texts: Iterable[str]) -> str:
    """The most frequent text; of equals the first in the alphabet."""
    counted = pd.Series(list(texts), dtype=object).value_counts()
    top = counted[counted == counted.max()]
    return "" if not len(top) else min(top.index)
