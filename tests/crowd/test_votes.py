"""Tables of votes become counts and distributions."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowds import NOISY, frame_of, votes_of
from skldl.crowd import Votes
from skldl.datasets import make_crowd, read_frame
from skldl.validation import RowError

TABLE = """who,what,says,at,times
Ann,a,joy,1,1
Ben,a,joy,2,1
Eva,a,fear,3,2
Ann,b,fear,4,1
Ann,b,fear,5,1
Ben,b,,6,1
Eva,b,joy,7,1
Eva,b,fear,8,1
"""
COLUMNS = {"item": "what", "label": "says", "annotator": "who"}


def table():
    return read_frame(io.StringIO(TABLE))[0]


def test_counts_are_those_of_a_cross_table():
    frame = frame_of(NOISY)
    votes = votes_of(frame)
    wanted = pd.crosstab(frame["item"], frame["label"])
    assert np.array_equal(votes.counts().toarray(), wanted.to_numpy())
    assert np.array_equal(votes.n_votes, wanted.sum(axis=1))
    assert votes.label_names.tolist() == ["0", "1", "2"]
    np.testing.assert_allclose(
        votes.distributions(), wanted.div(wanted.sum(axis=1), axis=0)
    )


@pytest.mark.parametrize(
    ("duplicates", "counts"),
    [("once", [2, 1]), ("last", [2, 0]), ("all", [3, 1])],
)
def test_repeated_votes(duplicates, counts):
    votes = Votes.from_frame(table(), **COLUMNS, duplicates=duplicates)
    assert votes.counts().toarray()[1].tolist() == counts


def test_the_last_vote_is_the_newest():
    frame = table()
    frame["at"] = -frame["at"]
    votes = Votes.from_frame(frame, **COLUMNS, time="at", duplicates="last")
    assert votes.counts().toarray()[1].tolist() == [1, 1]  # Eva said joy after fear


def test_what_is_odd_is_told_with_lines_of_the_file():
    votes = Votes.from_frame(table(), **COLUMNS)
    missing, repeated = votes.notes
    assert "1 votes have an empty cell in the column 'says' (label): line 7." in missing
    assert "4 votes" in repeated
    assert "lines 5, 6, 8, ..." in repeated
    with pytest.raises(RowError, match="line 7"):
        Votes.from_frame(table(), **COLUMNS, missing="error")
    with pytest.raises(RowError, match=r"lines 5, 6, 8.*duplicates="):
        Votes.from_frame(table(), **COLUMNS, duplicates="error")


def test_weights_are_repeated_votes():
    frame = table().dropna()
    weighted = Votes.from_frame(frame, **COLUMNS, weight="times", duplicates="all")
    rows = frame.loc[frame.index.repeat(frame["times"])]
    plain = Votes.from_frame(rows, **COLUMNS, duplicates="all")
    assert np.array_equal(weighted.counts().toarray(), plain.counts().toarray())
    frame = table()
    frame.loc[2, "times"] = -2
    with pytest.raises(RowError, match=r"'times'.*such as -2: line 4"):
        Votes.from_frame(frame, **COLUMNS, weight="times")


def test_labels_keep_their_order():
    frame = frame_of("01 12")
    frame["label"] = frame["label"].map({0: "low", 1: "mid", 2: "high"})
    assert votes_of(frame).label_names.tolist() == ["high", "low", "mid"]
    order = ["none", "low", "mid", "high"]
    ordered = votes_of(frame, labels=order)
    frame["label"] = pd.Categorical(frame["label"], order, ordered=True)
    assert votes_of(frame).label_names.tolist() == order
    assert np.array_equal(
        votes_of(frame).counts().toarray(), ordered.counts().toarray()
    )
    with pytest.raises(ValueError, match="not in labels: high"):
        votes_of(frame, labels=order[:-1])
    # an empty cell makes floats of whole numbers
    frame = frame_of("01 12").astype({"label": float})
    frame.loc[4] = (1, 7, np.nan)
    assert votes_of(frame).label_names.tolist() == ["0", "1", "2"]


def test_tables_of_counts():
    counts = [[3, 0, 1], [0, 0, 0], [1, 1, 0]]
    frame = pd.DataFrame(counts, ["x", "y", "z"], ["a", "b", "c"])
    for votes in (
        Votes.from_counts(frame),
        Votes.from_counts(frame.rename_axis("id").reset_index(), item="id"),
    ):
        assert votes.counts().toarray().tolist() == counts
        assert votes.item_names.tolist() == ["x", "y", "z"]
        assert votes.label_names.tolist() == ["a", "b", "c"]
        assert votes.n_annotators == 0
    with pytest.raises(ValueError, match="1 items have no votes: y"):
        votes.distributions()
    smooth = votes.distributions(smoothing=2)
    np.testing.assert_allclose(smooth[1], [4 / 6, 1 / 6, 1 / 6])
    np.testing.assert_allclose(smooth[0], (np.array([3, 0, 1]) + 2 * smooth[1]) / 6)
    assert votes.voted().item_names.tolist() == ["x", "z"]
    with pytest.raises(RowError, match=r"row 1 has -1"):
        Votes.from_counts([[1, 2], [-1, 0]])
    with pytest.raises(ValueError, match="smoothing"):
        votes.distributions(smoothing=-1)


@pytest.mark.parametrize("form", ["text", "mapping", "file"])
def test_json_of_the_shared_tasks(form, tmp_path):
    if form == "mapping":
        content = {
            "1": {"annotations": {"Ann1": "0", "Ann2": "1"}},
            "2": {"annotations": {"Ann2": "1,0"}},
        }
    else:
        content = {
            "1": {"annotations": "0,1", "annotators": "Ann1,Ann2"},
            "2": {"annotations": "1, 0", "annotators": "Ann2,Ann2"},
        }
    source = content
    if form == "file":
        source = tmp_path / "task.json"
        source.write_text(json.dumps(content))
    votes = Votes.from_lewidi(source)
    assert votes.counts().toarray().tolist() == [[1, 1], [1, 1]]
    assert votes.annotator_names.tolist() == ["Ann1", "Ann2"]
    assert votes.item_names.tolist() == ["1", "2"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "object of items"),
        ({"1": {"text": "a"}}, "Item '1' .* no 'annotations'"),
        ({"1": {"annotations": "0,1", "annotators": "A"}}, "2 annotations but 1"),
    ],
)
def test_bad_json(content, message):
    with pytest.raises(ValueError, match=message):
        Votes.from_lewidi(content)


def test_join_follows_the_features():
    crowd = make_crowd(40, random_state=0)
    votes = votes_of(crowd.votes)
    mixed = crowd.features.sample(frac=1, random_state=1)
    data = votes.join(mixed)
    place = votes.item_names.get_indexer(mixed.index)
    assert np.array_equal(data.D, votes.distributions()[place])
    assert np.array_equal(data.X, mixed.to_numpy())
    assert np.array_equal(data.extra["n_votes"], votes.n_votes[place])
    assert data.feature_names.tolist() == crowd.features.columns.tolist()
    other = votes.join(mixed.reset_index(), on="item")
    assert np.array_equal(other.D, data.D)


def test_items_on_one_side_only():
    crowd = make_crowd(40, random_state=0)
    votes = votes_of(crowd.votes)
    features = crowd.features.rename(index={"item_3": "other"})
    data = votes.join(features)
    assert data.n_samples == 39
    assert "1 items of the features have no votes: other." in data.note
    assert "1 items with votes are not in the features: item_3." in data.note
    with pytest.raises(ValueError, match="item_3"):
        votes.join(features, missing="error")
    with pytest.raises(ValueError, match="No item of the features has votes"):
        votes.join(features.reset_index(drop=True))
    twice = pd.concat([features, features[:1]])
    with pytest.raises(ValueError, match=r"repeat an item, such as 'item_1'"):
        votes.join(twice)
    with pytest.raises(ValueError, match="column 'label_1'"):
        votes.join(features.assign(label_1=1.0))


def test_numbers_and_text_name_the_same_items():
    votes = votes_of(frame_of("01 11"))
    features = pd.DataFrame({"id": ["1", "0"], "x": [5.0, 6.0]})
    assert votes.join(features, on="id").D.tolist() == [[0, 1], [0.5, 0.5]]


def test_bad_tables():
    frame = frame_of("01 11")
    with pytest.raises(ValueError, match=r"no column 'labels'.*Did you mean 'label'"):
        Votes.from_frame(frame, item="item", label="labels")
    with pytest.raises(ValueError, match="No votes are left"):
        votes_of(frame.assign(label=np.nan))
    with pytest.raises(ValueError, match="duplicates must be one of"):
        votes_of(frame, duplicates="some")


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_votes_does_not_matter(random):
    frame = frame_of(NOISY)
    rows = list(range(len(frame)))
    random.shuffle(rows)
    one, other = votes_of(frame), votes_of(frame.iloc[rows])
    place = other.item_names.get_indexer(one.item_names)
    assert np.array_equal(other.counts().toarray()[place], one.counts().toarray())
