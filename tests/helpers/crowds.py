"""Small crowds for tests, and slow and plain versions of what is tested."""

import numpy as np
import pandas as pd

from skldl.crowd import Votes
from skldl.datasets import make_crowd

# a word for each item, a letter for each annotator, who may not have voted
NOISY = (
    ".20.22 1.00.2 00.10. .10.10 1.20.0 02.20. .22.02 2.11.1 20.01. .10.00 2.10.0 "
    "21.12. .11.11 1.11.1 02.00. .20.11 2.22.2 22.22. .10.00 1.00.0 11.11. .11.22 "
    "2.22.2 11.01."
)
CLEAR = "00012 .2022 111.2 22222 22.22 11211 2.222 2202. .0010 000.2 00000 011.1 22222"


def frame_of(words):
    rows = [
        (item, annotator, int(letter))
        for item, word in enumerate(words.split())
        for annotator, letter in enumerate(word)
        if letter != "."
    ]
    return pd.DataFrame(rows, columns=["item", "annotator", "label"])


def votes_of(frame, **options):
    return Votes.from_frame(
        frame, item="item", label="label", annotator="annotator", **options
    )


def generated(n_items=300, **options):
    crowd = make_crowd(n_items, random_state=options.pop("random_state", 0), **options)
    return crowd, votes_of(crowd.votes, labels=crowd.label_names)


def slow_dawid_skene(votes, n_iter, smoothing):
    """Loops over votes, probabilities as products."""
    n, A, L = votes.n_items, votes.n_annotators, votes.n_labels
    triples = list(
        zip(votes.item, votes.annotator, votes.label, votes.weight, strict=True)
    )
    P = np.zeros((n, L))
    for i, _, k, w in triples:
        P[i, k] += w
    P /= P.sum(axis=1, keepdims=True)
    for _ in range(n_iter):
        added = smoothing * (0.1 / (L - 1) + (0.9 - 0.1 / (L - 1)) * np.eye(L))
        confusion = np.tile(added, (A, 1, 1))
        for i, a, k, w in triples:
            confusion[a, :, k] += w * P[i]
        confusion /= confusion.sum(axis=2, keepdims=True)
        prior = (P.sum(axis=0) + smoothing / L) / (n + smoothing)
        P = np.tile(prior, (n, 1))
        for i, a, k, w in triples:
            P[i] *= confusion[a, :, k] ** w
        value = np.log(P.sum(axis=1)).sum()
        value += (added * np.log(confusion)).sum()
        value += smoothing / L * np.log(prior).sum()
        P /= P.sum(axis=1, keepdims=True)
    return P, value
