"""How good a model is, in numbers and in words."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from skldl.crowd import noise_floor
from skldl.metrics import METRICS, get_metric
from skldl.report._evidence import Evidence

_LEAST = 0.01  # of the mean's errors; two means of other rows differ by less


@dataclass(frozen=True)
class Score:
    """One metric of the model beside what it is to be compared with.

    Attributes
    ----------
    metric : str
        Name.
    model, mean : float
        Of the model, and of the mean distribution.
    floor : float or None
        Of a perfect model, where votes are counted.
    """

    metric: str
    model: float
    mean: float
    floor: float | None


def scores_of(
    evidence: Evidence, *, ordered: bool, random_state: int
) -> dict[str, Score]:
    """All metrics between distributions.

    Parameters
    ----------
    evidence : Evidence
        True and predicted distributions.
    ordered : bool
        Whether the order of the labels means something.
    random_state : int
        Seed of the noise floor.

    Returns
    -------
    scores : dict of str to Score
    """
    names = [
        metric.name
        for metric in METRICS.values()
        if metric.kind in ("distribution", "classification")
        and (ordered or not metric.ordered)
    ]
    floors: dict[str, Any] = {}
    if evidence.n_votes is not None:
        floors = noise_floor(
            evidence.D, evidence.n_votes, names, sample_weight=evidence.weight,
            random_state=random_state,
        )  # fmt: skip
    found = {}
    for name in names:
        judge = get_metric(name).fn
        model, mean = (
            float(judge(evidence.D, P, sample_weight=evidence.weight))
            for P in (evidence.P, evidence.mean)
        )
        floor = floors[name].value if name in floors else None
        found[name] = Score(name, model, mean, floor)
    return found


def verdict_words(evidence: Evidence, scores: dict[str, Score]) -> list[str]:
    """How good the model is, in sentences.

    Parameters
    ----------
    evidence : Evidence
        True and predicted distributions.
    scores : dict of str to Score
        What :func:`scores_of` gave.

    Returns
    -------
    sentences : list of str
    """
    wrong = scores["sorensen"]
    text = (
        f"On average {votes(wrong.model)} of 100 votes are put on the wrong label. The "
        f"mean distribution, which ignores the features, puts {votes(wrong.mean)} wrong"
    )
    if wrong.floor is not None:
        text += (
            f"; a perfect model would still put {votes(wrong.floor)} wrong, because so "
            "few votes differ by chance"
        )
    return [f"{text}.", _gain(evidence, wrong)]


def _gain(evidence: Evidence, wrong: Score) -> str:
    """Whether the model beats the mean distribution, and by how much."""
    better = np.abs(evidence.D - evidence.mean).sum(axis=1) / 2 - evidence.misplaced
    weight = np.ones(len(better)) if evidence.weight is None else evidence.weight
    gain = np.average(better, weights=weight)
    share = weight / weight.sum()
    error = float(np.sqrt((share**2 * (better - gain) ** 2).sum()))
    if gain <= max(2 * error, _LEAST * wrong.mean):
        return (
            "That is not better than the mean distribution beyond chance: these "
            "features say little about the votes, or there are too few rows."
        )
    if wrong.floor is None:
        return (
            f"The model avoids {100 * gain / wrong.mean:.0f} % of the errors of the "
            "mean distribution."
        )
    if wrong.model <= wrong.floor:
        return "That cannot be distinguished from a perfect model with these votes."
    closed = (wrong.mean - wrong.model) / max(1e-12, wrong.mean - wrong.floor)
    return (
        f"The model closes {100 * closed:.0f} % of the gap between the mean "
        "distribution and a perfect model."
    )


def votes(share: float) -> str:
    """Votes of 100, with as many digits as matter."""
    percent = 100 * share
    return f"{percent:.0f}" if percent >= 9.95 else f"{percent:.1f}"
