"""A table of the annotators: who agrees, who does not."""

from typing import Any

import numpy as np
import pandas as pd

from skldl._typing import FloatArray
from skldl.crowd._aggregator import check_votes
from skldl.crowd._votes import Votes

_FAR = 3.0  # standard errors below the others


def annotator_table(votes: Votes, model: Any = None) -> pd.DataFrame:
    """Show how many votes each annotator gave, and how far the others agree.

    Parameters
    ----------
    votes : Votes
        Votes with annotators.
    model : DawidSkene, MACE or GLAD, default=None
        A model fitted to these votes, for the column ``reliability``.

    Returns
    -------
    table : DataFrame
        Indexed by the annotator:

        - ``n_votes`` and ``n_items``;
        - ``agreement``: share of the *other* votes on the same items that are for the
          same label, averaged over the annotator's votes; NaN where nobody else voted;
        - ``expected``: what two of the votes on these items agree on average;
        - ``z``: agreement less expected, in standard errors;
        - ``top_label`` and ``top_share``: the label that the annotator gives most, and
          how often;
        - ``reliability``: of the model, if there is one;
        - ``outlier``: whether z is below -3.

        The lowest z first.

    Examples
    --------
    >>> from skldl.crowd import Votes, annotator_table
    >>> from skldl.datasets import make_crowd
    >>> crowd = make_crowd(300, n_annotators=8, reliability=[0.9] * 7 + [0.0],
    ...                    random_state=0)
    >>> votes = Votes.from_frame(
    ...     crowd.votes, item="item", label="label", annotator="annotator"
    ... )
    >>> table = annotator_table(votes)
    >>> table.index[table["outlier"]].tolist()
    ['annotator_8']
    """
    votes = check_votes(votes)
    annotator = votes.annotator
    assert annotator is not None
    size, weight = votes.n_annotators, votes.weight

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(annotator, values, minlength=size).astype(np.float64)

    agreement, expected = _agreement_of_votes(votes)
    judged = np.isfinite(agreement)
    part = np.where(judged, weight, 0.0)
    excess = np.where(judged, agreement - expected, 0.0)
    spread = np.sqrt((part @ excess**2) / max(part.sum(), 1e-300))
    given = np.bincount(
        annotator * votes.n_labels + votes.label, weight, size * votes.n_labels
    ).reshape(size, -1)
    pairs = pd.DataFrame({"annotator": annotator, "item": votes.item})
    items = pairs.drop_duplicates()["annotator"].value_counts()
    with np.errstate(invalid="ignore", divide="ignore"):
        table = pd.DataFrame(
            {
                "n_votes": total(weight),
                "n_items": items.reindex(range(size), fill_value=0).to_numpy(),
                "agreement": total(part * np.nan_to_num(agreement)) / total(part),
                "expected": total(part * np.nan_to_num(expected)) / total(part),
                "z": total(part * excess) / (spread * np.sqrt(total(part**2))),
                "top_label": votes.label_names[given.argmax(axis=1)],
                "top_share": given.max(axis=1) / given.sum(axis=1),
            },
            index=pd.Index(votes.annotator_names, name="annotator"),
        )
    if model is not None:
        place = model.annotator_names_.get_indexer(votes.annotator_names)
        table["reliability"] = np.append(model.reliability_, np.nan)[place]
    table["outlier"] = table["z"] < -_FAR
    return table.sort_values("z", kind="stable")


def _agreement_of_votes(votes: Votes) -> tuple[FloatArray, FloatArray]:
    """Of each vote: share of the others that say the same, and that of any two."""
    counts, n_votes = votes.counts().toarray(), votes.n_votes
    others = n_votes[votes.item] - votes.weight
    same = counts[votes.item, votes.label] - votes.weight
    with np.errstate(invalid="ignore", divide="ignore"):
        agreement = np.where(others > 0, same / others, np.nan)
    # the weighted mean over an item's votes is what any two of them agree
    known = np.isfinite(agreement)
    part = np.where(known, votes.weight, 0.0)
    sums = np.bincount(votes.item, part * np.nan_to_num(agreement), votes.n_items)
    weights = np.bincount(votes.item, part, votes.n_items)
    with np.errstate(invalid="ignore", divide="ignore"):
        return agreement, (sums / weights)[votes.item]
