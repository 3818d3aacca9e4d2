"""The leaderboard: the pool and its candidates beside the mean distribution."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skldl._typing import FloatArray
from skldl.auto._candidates import BASELINE, Candidate
from skldl.auto._choice import mean_and_error, sample_losses
from skldl.auto._search import Record
from skldl.metrics import get_metric

#: Columns of the leaderboard.
COLUMNS = (
    "candidate", "score", "standard_error", "gain", "gain_error", "fit_s", "predict_s",
    "weight", "status", "message",
)  # fmt: skip
POOL = "pool"
_NAN = float("nan")


@dataclass(frozen=True)
class Score:
    """A score on rows that were not fitted on, and its gain over the mean.

    Attributes
    ----------
    score, error : float
        The metric, and its standard error.
    gain, gain_error : float
        How much better than the mean distribution, with the standard error of the
        difference on the same rows.
    """

    score: float = _NAN
    error: float = _NAN
    gain: float = _NAN
    gain_error: float = _NAN


def judge(
    names: Sequence[str],
    predictions: FloatArray,
    pool_losses: FloatArray,
    D: FloatArray,
    weight: FloatArray,
    metric: str,
) -> dict[str, Score]:
    """Scores of the pool and of each candidate.

    Parameters
    ----------
    names : sequence of str
        Candidates; the mean distribution is one of them.
    predictions : ndarray of shape (n_candidates, n_samples, n_labels)
        What they predict.
    pool_losses : ndarray of shape (n_samples,)
        Losses of the pool.
    D, weight
        True distributions and weights of the samples.
    metric : str
        The metric.

    Returns
    -------
    scores : dict of str to Score
    """
    sign = _sign(metric)
    losses = {
        name: sample_losses(metric, D, P)
        for name, P in zip(names, predictions, strict=True)
    }
    base = losses[BASELINE]
    found = {}
    for name, own in {POOL: pool_losses, **losses}.items():
        score, error = mean_and_error(own, weight)
        found[name] = Score(sign * score, error, *mean_and_error(base - own, weight))
    return found


def best_single(scores: Mapping[str, Score]) -> str:
    """Name of the candidate with the largest gain."""
    singles = [name for name in scores if name != POOL]
    return max(singles, key=lambda name: scores[name].gain)


def board_rows(
    scores: Mapping[str, Score],
    records: Sequence[Record],
    weights: Mapping[str, float],
    left_out: Sequence[Candidate],
) -> list[list[Any]]:
    """Rows of the leaderboard as plain lists: the pool, then the best first.

    Parameters
    ----------
    scores : mapping of str to Score
        Of the pool and of the candidates that have all folds.
    records : sequence of Record
        All candidates that were tried.
    weights : mapping of str to float
        Weights in the pool.
    left_out : sequence of Candidate
        Candidates that the table is too large for.

    Returns
    -------
    rows : list of list
    """
    rows = [
        _row(
            record.name,
            scores.get(record.name, Score()),
            [record.time_of("fit_s"), record.time_of("predict_s")],
            weights.get(record.name, 0.0),
            [record.status, record.message],
        )
        for record in records
    ]
    gains = [scores.get(record.name, Score()).gain for record in records]
    order = np.argsort(-np.array(gains), kind="stable")  # without a score: last
    pool = _row(POOL, scores[POOL], [_NAN, _NAN], 1.0, ["ok", ""])
    return [
        pool,
        *(rows[i] for i in order),
        *(
            _row(c.name, Score(), [_NAN, _NAN], 0.0, ["left out", _size(c)])
            for c in left_out
        ),
    ]


def _row(
    name: str, score: Score, times: list[float], weight: float, end: list[str]
) -> list[Any]:
    numbers = [score.score, score.error, score.gain, score.gain_error]
    return [name, *numbers, *times, weight, *end]


def _size(candidate: Candidate) -> str:
    return f"For tables of up to {candidate.max_rows:,} rows."


def as_table(rows: list[list[Any]]) -> pd.DataFrame:
    """The leaderboard with names of columns."""
    return pd.DataFrame(rows, columns=list(COLUMNS)).set_index("candidate")


def _sign(metric: str) -> float:
    return -1.0 if get_metric(metric).greater_is_better else 1.0
