"""Candidates: which learners are tried, with which settings, in which order."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler

import skldl.ldl as learners
from skldl._seeds import derive_seed, with_seed
from skldl.auto._largest_label import LargestLabel
from skldl.metrics import get_metric

#: What each preset means: folds, and how many candidates of the portfolio.
PRESETS: dict[str, tuple[int, int | None]] = {
    "fast": (3, 4),
    "medium": (5, 12),
    "best": (8, None),
}
#: The candidate that is always there.
BASELINE = "mean"
_SCALERS = {
    "standard": StandardScaler,
    "quantile": lambda: QuantileTransformer(
        n_quantiles=200, output_distribution="normal", subsample=20_000
    ),
}
_NEEDS = {"LightGBMLDL": "lightgbm"}


@dataclass(frozen=True)
class Candidate:
    """A learner that may enter the pool.

    Attributes
    ----------
    name : str
        What the leaderboard calls it.
    estimator : estimator
        Not fitted, with its seed.
    max_rows : int or None
        Tables with more rows do not try it; None for no limit.
    min_rows : int
        Tables with fewer rows do not try it.
    """

    name: str
    estimator: Any
    max_rows: int | None = None
    min_rows: int = 0


def read_portfolio() -> list[dict[str, Any]]:
    """Give the portfolio: settings of the candidates, the most useful first.

    Returns
    -------
    portfolio : list of dict
        Each with ``name``, ``scale`` ("raw", "standard" or "quantile"), ``learner`` (a
        name in :mod:`skldl.ldl`), ``params``, and where it is so ``max_rows`` (larger
        tables leave it out), ``min_rows`` (smaller tables do not try it, and presets do
        not count it), ``largest`` (it learns the largest label alone, and takes
        part where a metric asks for that label), ``instead_of`` (it takes part where
        that candidate cannot, because a package is not installed).

    Notes
    -----
    The order was learned on open data sets by ``bench/portfolio.py``. Entries with
    ``min_rows`` were not part of that.

    Examples
    --------
    >>> from skldl.auto import read_portfolio
    >>> "AAkNN" in [entry["learner"] for entry in read_portfolio()]
    True
    """
    text = files("skldl.auto").joinpath("portfolio.json").read_text("utf-8")
    entries: list[dict[str, Any]] = json.loads(text)
    return entries


def make_candidates(
    portfolio: Sequence[Any] | None, preset: str, metric: str, seed: int
) -> list[Candidate]:
    """Candidates in their order; the mean distribution is the first.

    Parameters
    ----------
    portfolio : sequence or None
        Entries as of :func:`read_portfolio`, or pairs (name, learner); None takes the
        first entries of the portfolio.
    preset : {"fast", "medium", "best"}
        How many of them, if ``portfolio`` is None.
    metric : str
        What the pool is fitted to.
    seed : int
        Of learners that draw.

    Returns
    -------
    candidates : list of Candidate
    """
    entries = list(read_portfolio() if portfolio is None else portfolio)
    found = [_entry_or_pair(entry) for entry in entries]
    if portfolio is None:
        found = _that_fit(found, entries, metric, PRESETS[preset][1])
    found = [Candidate(BASELINE, learners.MeanDistribution()), *found]
    names = [candidate.name for candidate in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"portfolio has two candidates called {name!r}; give each "
                f"candidate its own name. {BASELINE!r} is the name of the mean "
                "distribution, which is always a candidate."
            )
    return [_seeded(candidate, seed) for candidate in found]


def _that_fit(
    candidates: list[Candidate], entries: list[Any], metric: str, size: int | None
) -> list[Candidate]:
    """Those that can be fitted here and suit the metric, up to a number."""
    largest = get_metric(metric).kind == "classification"
    chosen: list[Candidate] = []
    extra: list[Candidate] = []
    for candidate, entry in zip(candidates, entries, strict=True):
        if not _is_there(entry["learner"]):
            continue
        other = entry.get("instead_of")
        if other is not None and any(c.name == other for c in chosen):
            continue
        (extra if entry.get("largest") else chosen).append(candidate)
    return [*_first(chosen, size), *(extra if largest else [])]


def _first(candidates: list[Candidate], size: int | None) -> list[Candidate]:
    """The first ones; those for larger tables alone are not counted."""
    counted = np.cumsum([candidate.min_rows == 0 for candidate in candidates])
    pairs = zip(candidates, counted, strict=True)
    return [c for c, count in pairs if size is None or count <= size]


def _is_there(learner: str) -> bool:
    return learner not in _NEEDS or find_spec(_NEEDS[learner]) is not None


def _entry_or_pair(entry: Any) -> Candidate:
    if isinstance(entry, dict):
        return _from_entry(entry)
    try:
        name, estimator = entry
    except (TypeError, ValueError):
        name, estimator = None, None
    if not isinstance(name, str) or not hasattr(estimator, "predict"):
        raise ValueError(
            "portfolio must have pairs (name, learner) such as ('near', AAkNN()), or "
            f"entries as read_portfolio gives them; got {entry!r}."
        )
    return Candidate(name, clone(estimator))


def _from_entry(entry: dict[str, Any]) -> Candidate:
    try:
        learner = getattr(learners, entry["learner"])(**entry.get("params", {}))
        name, scale = str(entry["name"]), entry.get("scale", "raw")
    except (KeyError, AttributeError, TypeError) as error:
        raise ValueError(
            f"Cannot read the entry {entry!r} of portfolio: {error}."
        ) from None
    if entry.get("largest"):
        learner = LargestLabel(learner)
    if scale != "raw":
        if scale not in _SCALERS:
            raise ValueError(
                f"scale of candidate {name!r} must be 'raw', 'standard' or 'quantile', "
                f"got {scale!r}."
            )
        learner = Pipeline([("scale", _SCALERS[scale]()), ("learn", learner)])
    return Candidate(name, learner, entry.get("max_rows"), entry.get("min_rows", 0))


def _seeded(candidate: Candidate, seed: int) -> Candidate:
    model = with_seed(candidate.estimator, derive_seed(seed, candidate.name))
    return replace(candidate, estimator=model)


def split_by_size(
    candidates: Iterable[Candidate], n_rows: int
) -> tuple[list[Candidate], list[Candidate]]:
    """Candidates that tables of this size try, and those that it is too large for."""
    kept: list[Candidate] = []
    left_out: list[Candidate] = []
    for candidate in candidates:
        small = candidate.max_rows is None or n_rows <= candidate.max_rows
        if n_rows >= candidate.min_rows:
            (kept if small else left_out).append(candidate)
    return kept, left_out
