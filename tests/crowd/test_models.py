"""Models of annotators: against slow versions, against crowd-kit, and by properties."""

import inspect
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.stats import chi2
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from crowds import CLEAR, NOISY, frame_of, generated, slow_dawid_skene, votes_of
from skldl.crowd import GLAD, MACE, DawidSkene, Votes, confusion_table
from skldl.crowd._glad import _Density

MODELS = [DawidSkene(), MACE(), GLAD()]
ROWS = [0, 1, 3, 14, 20, 23]


def to_the_end(model, **changes):
    """Until rounding allows no better objective."""
    changes = {"max_iter": 20_000, "tol": 0.0, **changes}
    return clone(model).set_params(**changes)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("smoothing", [0.01, 1.0])
@pytest.mark.parametrize("n_iter", [1, 7])
def test_dawid_skene_is_the_slow_version(smoothing, n_iter):
    frame = frame_of(NOISY)
    rng = np.random.default_rng(0)
    frame["weight"] = rng.integers(1, 4, len(frame))
    votes = votes_of(frame, weight="weight")
    model = DawidSkene(max_iter=n_iter, tol=0, smoothing=smoothing).fit(votes)
    P, value = slow_dawid_skene(votes, n_iter, smoothing)
    np.testing.assert_allclose(model.distributions_, P, atol=1e-9)
    np.testing.assert_allclose(model.objective_history_[-1], value, rtol=1e-9)


# by crowd-kit 1.4.2: 10 iterations; GLAD and MACE (em, smoothing 0.01 / 3) converged
KIT_DAWID_SKENE = [
    [0, 0.022471645, 0.977528355],
    [0.915398628, 0.084601372, 0],
    [0.855883066, 0.144116934, 0],
    [0.999663935, 0, 0.000336065],
    [0.160516788, 0.839483212, 0],
    [0.519166484, 0.480833516, 0],
]
KIT_GLAD = [
    [0.006769589, 0.001335961, 0.991894451],
    [0.522829089, 0.130263882, 0.346907029],
    [0.737622755, 0.242752212, 0.019625033],
    [0.998911314, 0.000269437, 0.000819248],
    [0.000008894, 0.999982213, 0.000008894],
    [0.071210664, 0.916205491, 0.012583845],
]
KIT_MACE = [
    [0.999962384, 0.000024769, 0.000012847],
    [0.000000376, 0.000000116, 0.999999508],
    [0, 1, 0],
    [0.99998165, 0.000005502, 0.000012848],
]
KIT_COMPETENCE = [0.874457272, 0.99957506, 0.60363271, 0.776447649, 0.571291211]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_same_as_crowd_kit():
    noisy, clear = votes_of(frame_of(NOISY)), votes_of(frame_of(CLEAR))
    model = DawidSkene(max_iter=10, tol=0, smoothing=0).fit(noisy)
    np.testing.assert_allclose(model.distributions_[ROWS], KIT_DAWID_SKENE, atol=1e-8)
    model = GLAD(max_iter=5000, tol=1e-13).fit(noisy)
    np.testing.assert_allclose(model.distributions_[ROWS], KIT_GLAD, atol=1e-6)
    model = to_the_end(MACE(), smoothing=0.01 / 3).fit(clear)
    np.testing.assert_allclose(model.distributions_[[0, 1, 2, 9]], KIT_MACE, atol=1e-6)
    np.testing.assert_allclose(model.reliability_, KIT_COMPETENCE, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_the_same_as_crowd_kit_where_it_is_installed():
    kit = pytest.importorskip("crowdkit.aggregation")
    _, votes = generated(100, truth="class", n_labels=3)
    frame = pd.DataFrame(
        {"task": votes.item, "worker": votes.annotator, "label": votes.label}
    )
    theirs = kit.DawidSkene(n_iter=20, tol=-1e9).fit(frame).probas_
    ours = DawidSkene(max_iter=20, tol=0, smoothing=0).fit(votes).distributions_
    theirs = theirs.sort_index().sort_index(axis=1).to_numpy()
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([0.0, 0.01, 1.0]))
@pytest.mark.parametrize("kind", [DawidSkene, MACE])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_objective_never_decreases(kind, seed, n_labels, smoothing):
    _, votes = generated(
        20, n_labels=n_labels, n_annotators=6, votes_per_item=(1, 6), random_state=seed
    )
    history = kind(smoothing=smoothing, tol=0).fit(votes).objective_history_
    # without smoothing, counts of 0 are raised to 1e-10
    slack = 1e-9 * (1 + np.abs(history).max())
    assert (np.diff(history) >= -slack).all()


def test_the_gradient_of_glad():
    votes = votes_of(frame_of(NOISY))
    density = _Density(votes)
    x = np.random.default_rng(0).normal(size=votes.n_annotators + votes.n_items)
    numeric = approx_fprime(x, lambda x: density.value_and_grad(x)[0], 1e-7)
    np.testing.assert_allclose(density.value_and_grad(x)[1], numeric, atol=1e-4)


def test_the_density_of_glad_is_that_of_the_paper():
    votes = votes_of(frame_of("012. 0021 .112"))
    x = np.random.default_rng(1).normal(size=votes.n_annotators + votes.n_items)
    alpha, beta = np.split(x, [votes.n_annotators])
    total = -0.5 * ((x - 1) ** 2).sum()
    for i in range(votes.n_items):
        joint = np.full(3, 1 / 3)
        for v in np.flatnonzero(votes.item == i):
            right = 1 / (1 + np.exp(-alpha[votes.annotator[v]] * np.exp(beta[i])))
            for k in range(3):
                joint[k] *= right if votes.label[v] == k else (1 - right) / 2
        total += np.log(joint.sum())
    assert _Density(votes).value_and_grad(x)[0] == pytest.approx(-total)


def observed_covariance(model, votes):
    """Of all but the last column of the confusion matrices, as observed.

    The score of an item is the gradient of the logarithm of its likelihood; the labels
    are not seen, so it holds the posterior. The sum of its squares is the information.
    """
    A, L = votes.n_annotators, votes.n_labels
    given = np.zeros((votes.n_items, A, L))
    np.add.at(given, (votes.item, votes.annotator, votes.label), votes.weight)
    P, theta, prior = model.distributions_, model.confusion_, model.class_prior_
    ratio = given[:, :, None, :] / theta[None]
    score = P[:, None, :, None] * (ratio[..., :-1] - ratio[..., -1:])
    own = P / prior
    score = np.hstack([score.reshape(len(P), -1), own[:, :-1] - own[:, -1:]])
    covariance = np.linalg.inv(score.T @ score)
    size = A * L * (L - 1)
    return covariance[:size, :size]


def test_the_confusion_matrices_are_found_within_their_standard_errors():
    total, inside = 0.0, []
    for seed in range(4):
        crowd, votes = generated(
            5000, n_labels=3, n_annotators=8, truth="class", reliability=(0.5, 0.9),
            random_state=seed,
        )  # fmt: skip
        model = DawidSkene(smoothing=0, tol=1e-10, max_iter=5000).fit(votes)
        place = votes.annotator_names.get_indexer(crowd.annotator_names)
        order = np.argsort(place)
        off = (model.confusion_ - crowd.confusion[order])[..., :-1].ravel()
        covariance = observed_covariance(model, votes)
        total += off @ np.linalg.solve(covariance, off)
        inside.extend(np.abs(off) < 1.96 * np.sqrt(np.diag(covariance)))
    # errors of this size, neither smaller nor larger, and not only on the diagonal
    low, high = chi2.ppf([0.001, 0.999], df=len(inside))
    assert low < total < high
    assert 0.9 < np.mean(inside) < 0.99


@pytest.mark.parametrize("model", MODELS)
def test_perfect_annotators_give_the_majority(model):
    _, votes = generated(60, truth="class", reliability=(1.0, 1.0))
    P = clone(model).fit(votes).distributions_
    assert np.array_equal(P.argmax(axis=1), votes.distributions().argmax(axis=1))
    assert P.max(axis=1).min() > 0.95


@pytest.mark.parametrize("model", MODELS)
def test_permutations_permute(model):
    _, votes = generated(50, n_labels=3)
    frame = pd.DataFrame(
        {"item": votes.item, "annotator": votes.annotator, "label": votes.label}
    )
    mixed = frame.sample(frac=1, random_state=0)
    mixed["annotator"] = 100 - mixed["annotator"]
    mixed["label"] = 2 - mixed["label"]
    one, other = (clone(model).fit(votes_of(f)) for f in (frame, mixed))
    items = other.item_names_.get_indexer(one.item_names_)
    people = other.annotator_names_.get_indexer(100 - one.annotator_names_)
    tight = {"atol": 1e-3 if isinstance(model, GLAD) else 1e-8}
    np.testing.assert_allclose(
        other.distributions_[items][:, ::-1], one.distributions_, **tight
    )
    np.testing.assert_allclose(other.reliability_[people], one.reliability_, **tight)


@pytest.mark.parametrize("model", MODELS)
def test_weights_are_repeated_votes_to_the_models(model):
    frame = frame_of(NOISY)
    often = np.random.default_rng(0).integers(1, 4, len(frame))
    repeated = votes_of(frame.loc[frame.index.repeat(often)], duplicates="all")
    weighted = votes_of(frame.assign(weight=often), weight="weight")
    one, other = (clone(model).fit(votes) for votes in (repeated, weighted))
    np.testing.assert_allclose(
        one.distributions_, other.distributions_, atol=1e-6, rtol=0
    )


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "words", ["000 000", "0 1 2 0", "012", "0.. .1. ..2", "0"],
    ids=["one label", "one annotator", "one item", "one vote each", "one vote"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_small_crowds_have_results(model, words):
    votes = votes_of(frame_of(words))
    fitted = clone(model).fit(votes)
    P = fitted.distributions_
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert np.isfinite(fitted.reliability_).all()
    top = P[np.arange(votes.n_items), votes.distributions().argmax(axis=1)]
    assert (top >= P.max(axis=1) - 1e-6).all()


@pytest.mark.parametrize("model", MODELS)
def test_an_item_without_votes(model):
    frame = frame_of(NOISY)
    votes = votes_of(frame.assign(weight=(frame["item"] != 4) * 1.0), weight="weight")
    rest = votes_of(frame[frame["item"] != 4])
    one, other = clone(model).fit(votes), clone(model).fit(rest)
    wanted = getattr(one, "class_prior_", np.full(3, 1 / 3))
    np.testing.assert_allclose(one.distributions_[4], wanted, atol=1e-6)
    np.testing.assert_allclose(
        np.delete(one.distributions_, 4, axis=0), other.distributions_, atol=1e-4
    )


@pytest.mark.filterwarnings("ignore:GLAD did not converge")
def test_nothing_underflows_with_ten_thousand_annotators():
    n_annotators = 10_000
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "item": np.repeat([0, 1, 2], n_annotators),
            "annotator": np.tile(np.arange(n_annotators), 3),
            "label": np.repeat([0, 1, 2], n_annotators),
        }
    )
    wrong = rng.random(len(frame)) < 0.4
    frame.loc[wrong, "label"] = rng.integers(0, 3, wrong.sum())
    for model in (DawidSkene(), MACE(), GLAD()):
        P = model.fit(votes_of(frame)).distributions_
        assert np.isfinite(P).all()
        assert P.argmax(axis=1).tolist() == [0, 1, 2]
        assert np.isfinite(model.objective_history_).all()


def test_parts_of_a_crowd_one_after_the_other():
    _, votes = generated(4000, n_labels=3, n_annotators=12, truth="class")
    whole = DawidSkene().fit(votes)
    model = DawidSkene()
    found = []
    for start in range(0, 4000, 1000):
        part = votes.select(np.arange(start, start + 1000))
        found.append(model.partial_fit(part).distributions_)
    found = np.concatenate(found)
    assert np.abs(model.confusion_ - whole.confusion_).max() < 0.05
    chosen, same = found.argmax(axis=1), whole.distributions_.argmax(axis=1)
    assert (chosen == same).mean() > 0.97
    np.testing.assert_allclose(whole.predict(votes), whole.distributions_, atol=1e-12)


def test_new_annotators_join_later():
    frame = frame_of(NOISY)
    first, later = frame[frame["annotator"] < 4], frame[frame["item"] > 11]
    later = later.assign(item=later["item"] + 100)
    labels = [0, 1, 2]
    model = DawidSkene().partial_fit(votes_of(first, labels=labels))
    known = model.annotator_names_.tolist()
    model.partial_fit(votes_of(later, labels=labels))
    assert model.annotator_names_.tolist()[:4] == known
    assert sorted(model.annotator_names_) == list(range(6))
    assert model.item_names_.tolist() == sorted(set(later["item"]))
    with pytest.raises(ValueError, match="Pass labels="):
        model.partial_fit(votes_of(later[later["label"] > 0]))


def test_the_confusion_table_has_names():
    model = DawidSkene().fit(votes_of(frame_of(NOISY)))
    table = confusion_table(model, 2)
    place = model.annotator_names_.get_loc(2)
    assert np.array_equal(table, model.confusion_[place])
    assert table.columns.tolist() == ["0", "1", "2"]
    with pytest.raises(ValueError, match="no annotator 99"):
        confusion_table(model, 99)


@pytest.mark.parametrize("model", MODELS)
def test_bad_votes(model):
    with pytest.raises(ValueError, match="do not name their annotators"):
        clone(model).fit(Votes.from_counts([[1, 2]]))
    with pytest.raises(TypeError, match="Votes.from_frame"):
        clone(model).fit([[1, 2]])
    with pytest.raises(ValueError, match="max_iter"):
        clone(model).set_params(max_iter=0).fit(votes_of(frame_of("01")))
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iter"):
        clone(model).set_params(max_iter=1, tol=0).fit(votes_of(frame_of(NOISY)))


@pytest.mark.parametrize("model", MODELS)
def test_words_are_those_of_the_vocabulary(model):
    path = Path(__file__).parents[2] / "docs" / "vocabulary.toml"
    if not path.exists():
        pytest.skip("needs the repository")
    known = tomllib.loads(path.read_text())["parameters"]
    assert set(inspect.signature(type(model)).parameters) <= set(known)
