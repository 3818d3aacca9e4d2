"""Generated crowds are what they say."""

import numpy as np
import pandas as pd
import pytest

from skldl.datasets import make_crowd


@pytest.mark.parametrize("truth", ["class", "distribution"])
def test_shares_of_many_votes_are_those_of_the_model(truth):
    crowd = make_crowd(
        2, n_labels=3, n_annotators=40_000, votes_per_item=40_000, truth=truth,
        reliability=(0.7, 0.7), random_state=0,
    )  # fmt: skip
    seen = pd.crosstab(crowd.votes["item"], crowd.votes["label"], normalize="index")
    opinion = crowd.D
    if truth == "class":
        opinion = (crowd.classes[:, None] == crowd.label_names).astype(float)
    wanted = 0.7 * opinion + 0.3 / 3  # habits are flat on average
    np.testing.assert_allclose(seen.to_numpy(), wanted, atol=0.01)


def test_votes_on_an_item_are_of_different_annotators():
    crowd = make_crowd(500, n_annotators=12, votes_per_item=(2, 12), random_state=1)
    assert not crowd.votes.duplicated(["item", "annotator"]).any()
    sizes = crowd.votes["item"].value_counts()
    assert (sizes.min(), sizes.max()) == (2, 12)
    np.testing.assert_allclose(crowd.confusion.sum(axis=2), 1)
    assert crowd.votes["annotator"].nunique() == 12


def test_seeds():
    one, same, other = (make_crowd(20, random_state=s).votes for s in (0, 0, 1))
    assert one.equals(same)
    assert not one.equals(other)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"votes_per_item": 31}, "votes_per_item"),
        ({"votes_per_item": (4, 2)}, "votes_per_item"),
        ({"reliability": [0.1, 0.2, 0.3]}, "reliability has 3 values"),
        ({"reliability": [0.1, 1.2]}, "reliability must be"),
    ],
)
def test_bad_crowds(options, message):
    with pytest.raises(ValueError, match=message):
        make_crowd(20, **options)
