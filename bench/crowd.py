"""Votes of crowds: seconds for two million of them, and what their numbers are worth.

    python bench/crowd.py [--quick]

First the time of each aggregation, of the noise floor and of the tables. Then held-out
log loss of learners with and without weights, on items with 1 to 30 votes: the
script ends with an error if the weights do not help.
"""

import sys
import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skldl.crowd import (
    GLAD,
    MACE,
    DawidSkene,
    Votes,
    annotator_table,
    noise_floor,
    rank_items,
    split_half,
    vote_weights,
)
from skldl.datasets import make_crowd, make_ldl
from skldl.ldl import DirichletLDL, LogisticLDL

QUICK = "--quick" in sys.argv
COLUMNS = {"item": "item", "label": "label", "annotator": "annotator"}
warnings.simplefilter("ignore", ConvergenceWarning)


def timed(name, function):
    """Run, and print how long it took."""
    clock, cpu = time.perf_counter(), time.process_time()
    result = function()
    extra = getattr(result, "n_iter_", "")
    print(
        f"{name:24} {time.perf_counter() - clock:7.1f} s wall "
        f"{time.process_time() - cpu:7.1f} s CPU {extra}",
        flush=True,
    )
    return result


def speed():
    """Two million votes."""
    n_items = 10_000 if QUICK else 200_000
    crowd = timed(
        "generate",
        lambda: make_crowd(
            n_items, n_labels=5, n_annotators=10_000, votes_per_item=10, truth="class",
            random_state=0,
        ),
    )  # fmt: skip
    print(f"{len(crowd.votes)} votes, 10,000 annotators, 5 labels")
    votes = timed("Votes.from_frame", lambda: Votes.from_frame(crowd.votes, **COLUMNS))
    timed("smoothed", lambda: votes.distributions("auto"))
    truth = votes.label_names.searchsorted(crowd.classes)
    for model in (DawidSkene(), MACE(), GLAD()):
        fitted = timed(type(model).__name__, lambda model=model: model.fit(votes))
        right = (fitted.distributions_.argmax(axis=1) == truth).mean()
        print(f"   share of true labels {right:.4f}")
    majority = (votes.distributions().argmax(axis=1) == truth).mean()
    print(f"   of the majority      {majority:.4f}")
    timed("annotator_table", lambda: annotator_table(votes))
    timed("noise_floor", lambda: noise_floor(votes, n_repeats=5, random_state=0))
    timed("split_half", lambda: split_half(votes, n_repeats=5, random_state=0))
    timed("rank_items", lambda: rank_items(votes))


def weights():
    """Mean held-out log loss, over repetitions, as a difference from no weights."""
    rows = []
    for seed in range(2 if QUICK else 10):
        rng = np.random.default_rng(seed)
        X, D = make_ldl(1500, n_features=10, noise=0.3, random_state=seed)
        n = np.where(rng.random(500) < 0.7, 1, 30)
        shares = rng.multinomial(n, D[:500]) / n[:, None]
        fits = {
            "no weights": LogisticLDL().fit(X[:500], shares),
            "DirichletLDL n_votes": DirichletLDL().fit(X[:500], shares, n_votes=n),
        }
        for how in ("count", "sqrt", "precision"):
            fits[how] = LogisticLDL().fit(
                X[:500], shares, sample_weight=vote_weights(n, how)
            )
        rows.append(
            [-np.mean((D[500:] * np.log(m.predict(X[500:]))).sum(axis=1))
             for m in fits.values()]
        )  # fmt: skip
    losses = np.array(rows)
    print("held-out log loss, 70 % of the items with 1 vote and 30 % with 30")
    for name, column in zip(fits, losses.T, strict=True):
        gain = losses[:, 0] - column
        print(f"   {name:22} {column.mean():.4f}  better in {(gain > 0).mean():.0%}")
    if not (losses[:, 1:].mean(axis=0) < losses[:, 0].mean()).all():
        raise SystemExit("Weights of votes do not help.")


if __name__ == "__main__":
    speed()
    weights()
