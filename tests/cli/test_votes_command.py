"""From raw answers to a table to learn from, on the command line."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest

from skldl.crowd import noise_floor
from skldl.datasets import load_table, make_crowd
from skldl.models import load_model
from votes_table import run

COLUMNS = ["--item", "item", "--label", "label"]
WHO = ["--annotator", "annotator"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crowd")
    crowd = make_crowd(80, n_labels=3, n_annotators=8, random_state=0)
    crowd.votes.to_csv(folder / "answers.csv", index=False)
    features = crowd.features.assign(region=["north", "south"] * 40).reset_index()
    features.to_csv(folder / "items.csv", index=False)
    return folder, crowd


def counts_of(crowd):
    return pd.crosstab(crowd.votes["item"], crowd.votes["label"])


def test_answers_become_counts_beside_the_features(files, tmp_path):
    folder, crowd = files
    out = tmp_path / "votes.csv"
    told = run("votes", folder / "answers.csv", *COLUMNS, *WHO,
               "--features", folder / "items.csv", "-o", out)  # fmt: skip
    table = pd.read_csv(out)
    wanted = counts_of(crowd).loc[table["item"]]
    assert np.array_equal(table[crowd.label_names], wanted)
    assert table.shape == (80, 1 + 8 + 1 + 3)
    assert "400 votes on 80 items by 8 annotators" in told.output
    assert "--labels label_1,label_2,label_3 --ignore item" in told.output
    data = load_table(out, crowd.label_names.tolist(), ignore=["item", "region"])
    np.testing.assert_allclose(data.D, wanted / 5)


@pytest.mark.parametrize("how", ["smoothed", "dawid_skene", "glad", "mace"])
def test_other_aggregations_are_distributions(files, tmp_path, how):
    folder, crowd = files
    out, people = tmp_path / "votes.csv", tmp_path / "people.csv"
    run("votes", folder / "answers.csv", *COLUMNS, *WHO, "--how", how, "-o", out,
        "--annotators", people)  # fmt: skip
    table = pd.read_csv(out)
    np.testing.assert_allclose(table[crowd.label_names].sum(axis=1), 1)
    assert (table["n_votes"] == 5).all()
    assert len(pd.read_csv(people)) == 8
    assert ("reliability" in pd.read_csv(people)) == (how != "smoothed")


def test_facts_as_json(files):
    folder, crowd = files
    facts = json.loads(
        run("votes", folder / "answers.csv", *COLUMNS, *WHO, "--json").stdout
    )
    assert facts["items"] == 80
    assert facts["labels"] == crowd.label_names.tolist()
    assert 0 < facts["noise_floor"]["sorensen"] < facts["split_half"] < 1


def test_json_of_shared_tasks_without_columns(tmp_path):
    path, out = tmp_path / "task.json", tmp_path / "out.csv"
    path.write_text(json.dumps({"7": {"annotations": "1,0", "annotators": "A,B"}}))
    run("votes", path, "-o", out)
    assert pd.read_csv(out).to_dict("list") == {"item": [7], "0": [1], "1": [1]}


def test_ids_keep_their_zeros(tmp_path):
    answers, items = tmp_path / "a.csv", tmp_path / "i.csv"
    answers.write_text("id;label\n007;yes\n007;no\n008;yes\n;no\n009;yes\n")
    items.write_text("id,x\n008,1.5\n007,2.5\n010,3.5\n")
    out = tmp_path / "out.csv"
    told = run("votes", answers, "--item", "id", "--label", "label", "--features",
               items, "-o", out)  # fmt: skip
    table = pd.read_csv(out, dtype={"id": str})
    assert table["id"].tolist() == ["008", "007"]
    assert table[["no", "yes"]].to_numpy().tolist() == [[0, 1], [1, 1]]
    assert "line 5" in told.stderr
    assert "1 items of the features have no votes: 010" in told.stderr
    assert "1 items with votes are not in the features: 009" in told.stderr


def test_mistakes(files, refused, tmp_path):
    folder, _ = files
    out = tmp_path / "out.csv"
    answers = folder / "answers.csv"
    code, message = refused("votes", answers, "--item", "item", "--label", "lable",
                            "-o", out)  # fmt: skip
    assert code == 1
    assert "--label" in message
    assert "Did you mean 'label'" in message
    code, message = refused("votes", answers, "--item", "item")
    assert code == 2
    assert "--label must name a column" in message
    code, message = refused("votes", answers, *COLUMNS, "--how", "mace", "-o", out)
    assert code == 1
    assert "do not name their annotators" in message
    assert not out.exists()


FAST = ["-m", "standard+SABFGS(reg=0.1)"]


@pytest.mark.parametrize("how", ["counts", "dawid_skene"])
def test_one_command_from_answers_to_a_model(files, tmp_path, how):
    folder, crowd = files
    model, out = tmp_path / "m.skldl", tmp_path / "p.csv"
    run("fit", folder / "items.csv", "--annotations", folder / "answers.csv", *COLUMNS,
        *WHO, "--how", how, *FAST, "-o", model)  # fmt: skip
    saved = load_model(model)
    assert saved.header.label_names == crowd.label_names.tolist()
    assert "item" not in saved.header.feature_names
    run("predict", model, folder / "items.csv", "-o", out)
    P = pd.read_csv(out)[crowd.label_names].to_numpy()
    assert len(P) == 80
    # the same in two steps, by way of a table
    table = tmp_path / "votes.csv"
    run("votes", folder / "answers.csv", *COLUMNS, *WHO, "--how", how,
        "--features", folder / "items.csv", "-o", table)  # fmt: skip
    ignore = "item" if how == "counts" else "item,n_votes"
    run("fit", table, "-l", "label_*", "--ignore", ignore, *FAST, "-o",
        tmp_path / "two.skldl")  # fmt: skip
    run("predict", tmp_path / "two.skldl", table, "-o", tmp_path / "two.csv")
    again = pd.read_csv(tmp_path / "two.csv")[crowd.label_names].to_numpy()
    np.testing.assert_allclose(P, again, atol=1e-6)


def test_evaluate_on_answers_has_a_noise_floor(files, tmp_path):
    folder, crowd = files
    model = tmp_path / "m.skldl"
    answers = ["--annotations", folder / "answers.csv"]
    run("fit", folder / "items.csv", *answers, *FAST, "-o", model)
    facts = json.loads(
        run("evaluate", model, folder / "items.csv", *answers, "--json").stdout
    )
    rows = {row["metric"]: row for row in facts["metrics"]}
    D = counts_of(crowd).to_numpy() / 5
    wanted = noise_floor(D, 5, "clark", random_state=0).value
    assert rows["clark"]["noise_floor"] == pytest.approx(wanted, rel=0.05)
    wrong = facts["crowd"]["wrong_of_100_votes"]
    assert wrong["model"] == pytest.approx(100 * rows["sorensen"]["model"])
    assert 0 < wrong["perfect_model"] < wrong["mean"]
    assert {"krippendorff_alpha", "fleiss_kappa", "split_half"} <= set(facts["crowd"])
    told = run("evaluate", model, folder / "items.csv", *answers).stdout
    assert f"On average {wrong['model']:.0f} of 100 votes are put on the wrong" in told
    assert "noise floor" in told
    assert "Fleiss' kappa" in told


def test_shares_have_no_noise_floor(files, tmp_path):
    _, crowd = files
    D = (counts_of(crowd) / 5).loc[crowd.features.index]
    table = tmp_path / "shares.csv"
    crowd.features.join(D + 0.0).to_csv(table, index=False)
    run("fit", table, "-l", "label_*", *FAST, "-o", tmp_path / "m.skldl")
    told = run("evaluate", tmp_path / "m.skldl", table, "--json").stdout
    facts = json.loads(told)
    assert "crowd" not in facts
    assert "noise_floor" not in facts["metrics"][0]


@pytest.fixture
def uneven(tmp_path):
    """A table whose rows have from 1 to 9 votes."""
    crowd = make_crowd(60, n_labels=3, votes_per_item=(1, 9), random_state=1)
    counts = counts_of(crowd).loc[crowd.features.index]
    crowd.features.join(counts).to_csv(tmp_path / "uneven.csv", index=False)
    return tmp_path / "uneven.csv", crowd.features, counts


@pytest.mark.parametrize("how", [None, "count", "sqrt", "none"])
@pytest.mark.parametrize("tune", [False, True])
def test_votes_weigh_rows(uneven, tmp_path, how, tune):
    from skldl.crowd import vote_weights
    from skldl.ldl import SABFGS

    path, X, counts = uneven
    options = [] if how is None else ["--weights", how]
    method = ["-m", "SABFGS(reg=0.1)"] if not tune else ["-m", "SABFGS", "--tune"]
    told = run("fit", path, "-l", "label_*", *method, *options, "-o",
               tmp_path / "m.skldl")  # fmt: skip
    n = counts.sum(axis=1).to_numpy()
    weights = None if how == "none" else vote_weights(n, how or "precision")
    saved = load_model(tmp_path / "m.skldl")
    model = SABFGS(**saved.estimator.get_params())
    model.fit(X.to_numpy(), counts.div(n, axis=0), weights)
    np.testing.assert_allclose(saved.predict(X), model.predict(X.to_numpy()), atol=1e-4)
    assert ("weigh accordingly" in told.stderr) == (how != "none")


def test_weights_need_counts(files, uneven, tmp_path, refused):
    path, X, counts = uneven
    D = counts.div(counts.sum(axis=1), axis=0)
    shares = tmp_path / "shares.csv"
    X.join(D).to_csv(shares, index=False)
    code, message = refused("fit", shares, "-l", "label_*", "--weights", "count", "-o",
                            tmp_path / "m.skldl")  # fmt: skip
    assert code == 2
    assert "needs counts of votes" in message
    code, message = refused("fit", path, "-l", "label_*", "--item", "x", "-o",
                            tmp_path / "m.skldl")  # fmt: skip
    assert code == 2
    assert "--annotations" in message
    folder, _ = files
    code, message = refused("fit", folder / "items.csv", "--annotations",
                            folder / "answers.csv", "-m", "MLkNN", "-o",
                            tmp_path / "m.skldl")  # fmt: skip
    assert "give distributions" in message
    assert not (tmp_path / "m.skldl").exists()


def test_the_next_command_can_be_copied(tmp_path):
    (tmp_path / "answers.csv").write_text(
        'item,label\n1,"sad, angry"\n2,glad\n3,glad\n4,"sad, angry"\n'
    )
    (tmp_path / "items.csv").write_text("item,size\n1,2\n2,5\n3,6\n4,1\n")
    told = run("votes", tmp_path / "answers.csv", "--item", "item", "--label", "label",
               "--features", tmp_path / "items.csv",
               "-o", tmp_path / "votes.csv")  # fmt: skip
    line = next(x for x in told.stdout.splitlines() if x.startswith("Next: "))
    words = shlex.split(line.removeprefix("Next: skldl "))
    words[words.index("model.skldl")] = tmp_path / "m.skldl"
    run(*words, "-m", "AAkNN(n_neighbors=1)")
    assert (tmp_path / "m.skldl").exists()
