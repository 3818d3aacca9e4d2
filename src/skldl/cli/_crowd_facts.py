"""What counts of votes say about scores, on the command line."""

from typing import Any

from skldl.crowd import (
    Votes,
    fleiss_kappa,
    krippendorff_alpha,
    noise_floor,
    split_half,
)
from skldl.metrics import get_metric, sorensen

_KINDS = ("distribution", "classification")


def floors_of(counts: Any, metrics: Any, seed: int = 0) -> dict[str, float]:
    """What a perfect model would score against these votes.

    Parameters
    ----------
    counts : ndarray of shape (n_rows, n_labels)
        Votes.
    metrics : sequence of str
        Those that are not between distributions are left out.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    floors : dict of str to float
    """
    names = [name for name in metrics if get_metric(name).kind in _KINDS]
    n_votes = counts.sum(axis=1)
    found = noise_floor(counts / n_votes[:, None], n_votes, names, random_state=seed)
    return {name: estimate.value for name, estimate in found.items()}


def crowd_facts(
    counts: Any, model: Any, mean: Any, floor: float, seed: int = 0
) -> dict[str, Any]:
    """How many votes are put on the wrong label, and how far the votes agree.

    Parameters
    ----------
    counts : ndarray of shape (n_rows, n_labels)
        Votes.
    model, mean : ndarray of shape (n_rows, n_labels) or None
        What the model predicts, and the mean of the training labels.
    floor : float
        Total variation of a perfect model.
    seed : int, default=0
        Seed of the halves.

    Returns
    -------
    facts : dict
    """
    n_votes = counts.sum(axis=1)
    shares = counts / n_votes[:, None]
    wrong = {"model": 100 * float(sorensen(shares, model))}
    if mean is not None:
        wrong["mean"] = 100 * float(sorensen(shares, mean))
    wrong["perfect_model"] = 100 * floor
    facts: dict[str, Any] = {
        "votes": float(n_votes.sum()),
        "votes_per_row": [float(n_votes.min()), float(n_votes.max())],
        "wrong_of_100_votes": wrong,
    }
    return facts | agreement(counts, seed)


def agreement(counts: Any, seed: int = 0) -> dict[str, float]:
    """Agreement statistics that these numbers of votes allow.

    Parameters
    ----------
    counts : ndarray of shape (n_rows, n_labels)
        Votes.
    seed : int, default=0
        Seed of the halves.

    Returns
    -------
    facts : dict of str to float
        Fleiss' kappa only if all rows have the same number of votes.
    """
    n_votes = counts.sum(axis=1)
    if not (n_votes >= 2).any():
        return {}
    found = {"krippendorff_alpha": krippendorff_alpha(counts)}
    if n_votes.min() == n_votes.max():
        found["fleiss_kappa"] = fleiss_kappa(counts)
    votes = Votes.from_counts(counts)
    found["split_half"] = split_half(votes, random_state=seed).value
    return {name: float(v) for name, v in found.items() if v == v}


def tell_crowd(facts: dict[str, Any]) -> list[str]:
    """The same in words.

    Parameters
    ----------
    facts : dict
        What :func:`crowd_facts` gave.

    Returns
    -------
    lines : list of str
    """
    wrong = facts["wrong_of_100_votes"]
    text = f"On average {wrong['model']:.0f} of 100 votes are put on the wrong label"
    if "mean" in wrong:
        text += f"; the average of all votes would put {wrong['mean']:.0f} wrong"
    lines = [f"{text}; a perfect model {wrong['perfect_model']:.0f}."]
    names = {
        "krippendorff_alpha": "Krippendorff's alpha {:.2f}",
        "fleiss_kappa": "Fleiss' kappa {:.2f}",
    }
    said = [text.format(facts[n]) for n, text in names.items() if n in facts]
    if said:
        lines.append(
            f"Agreement of the votes: {', '.join(said)} (1 is perfect, 0 is chance); "
            f"two random halves differ in {100 * facts['split_half']:.0f} of 100 "
            "votes."
        )
    return lines
