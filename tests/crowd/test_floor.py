"""Agreement, the noise floor, what to ask next, and weights."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multinomial

from crowds import frame_of, generated, votes_of
from skldl.crowd import (
    DawidSkene,
    Votes,
    annotator_table,
    fit_dirichlet_multinomial,
    fleiss_kappa,
    krippendorff_alpha,
    noise_floor,
    rank_items,
    split_half,
    vote_weights,
    votes_needed,
)
from skldl.crowd._truth import draw_dirichlet, fit_truth
from skldl.metrics import chebyshev, kl_divergence, sorensen

# 14 raters, 10 items, 5 categories: the example of Fleiss' kappa in many textbooks
TEXTBOOK = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
# Krippendorff (2011), section C: four observers, twelve units
UNITS = ["1.11", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222",
         ".555", "..11", "..3."]  # fmt: skip


def krippendorff_example():
    rows = [
        (unit, observer, int(value))
        for unit, word in enumerate(UNITS)
        for observer, value in enumerate(word)
        if value != "."
    ]
    return votes_of(pd.DataFrame(rows, columns=["item", "annotator", "label"]))


def test_fleiss_kappa_of_the_textbook():
    assert fleiss_kappa(TEXTBOOK) == pytest.approx(0.210, abs=5e-4)
    assert fleiss_kappa(Votes.from_counts(TEXTBOOK)) == fleiss_kappa(TEXTBOOK)


def test_krippendorff_alpha_of_the_paper():
    votes = krippendorff_example()
    assert krippendorff_alpha(votes) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(votes, "ordinal") == pytest.approx(0.815, abs=5e-4)
    # two observers, binary: section A of the paper
    one, other = "0100000010", "1110010000"
    pairs = votes_of(frame_of(" ".join(map("".join, zip(one, other, strict=True)))))
    assert krippendorff_alpha(pairs) == pytest.approx(0.095, abs=5e-4)


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_krippendorff_alpha_over_all_pairs(level):
    counts = np.random.default_rng(0).integers(0, 4, size=(15, 4))
    counts = counts[counts.sum(axis=1) > 1]
    n = counts.sum(axis=0)

    def apart(k, m):
        if level == "nominal":
            return float(k != m)
        k, m = min(k, m), max(k, m)
        return (n[k : m + 1].sum() - (n[k] + n[m]) / 2) ** 2

    seen, total = 0.0, n.sum()
    for row in counts:
        each = np.repeat(np.arange(4), row)
        seen += sum(apart(a, b) for a in each for b in each) / (len(each) - 1)
    chance = sum(n[a] * n[b] * apart(a, b) for a, b in product(range(4), repeat=2))
    wanted = 1 - seen / (chance / (total - 1))
    assert krippendorff_alpha(counts, level) == pytest.approx(wanted)


def test_agreement_needs_pairs():
    with pytest.raises(ValueError, match="two votes"):
        fleiss_kappa([[1, 0], [0, 1]])
    with pytest.raises(ValueError, match="two votes"):
        split_half(Votes.from_counts([[1, 0], [0, 1]]))
    assert np.isnan(krippendorff_alpha([[3, 0], [2, 0]]))
    with pytest.raises(ValueError, match="level"):
        krippendorff_alpha([[3, 0]], "interval")
    with pytest.raises(ValueError, match="whole numbers"):
        split_half(Votes.from_counts([[1.5, 0.5]]))


def every_outcome(t, n, metric):
    """Expected metric by all outcomes of n votes."""
    total = 0.0
    for counts in product(range(n + 1), repeat=len(t)):
        if sum(counts) == n:
            share = np.array(counts)[None] / n
            total += multinomial.pmf(counts, n, t) * metric(share, t[None])
    return total


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize(
    ("name", "metric"), [("sorensen", sorensen), ("kl_divergence", kl_divergence)]
)
def test_exact_floors_by_all_outcomes(name, metric, n):
    rng = np.random.default_rng(n)
    T = np.vstack([rng.dirichlet(np.ones(3), size=3), [0.5, 0.5, 0.0], [1.0, 0, 0]])
    wanted = np.mean([every_outcome(t, n, metric) for t in T])
    assert noise_floor(T, n, name, truth="known").value == pytest.approx(wanted)


def test_a_drawn_floor_by_all_outcomes():
    T = np.random.default_rng(0).dirichlet(np.ones(3), size=4)
    wanted = np.mean([every_outcome(t, 4, chebyshev) for t in T])
    floor = noise_floor(
        T, 4, "chebyshev", truth="known", n_repeats=4000, random_state=0
    )
    error = floor.std / np.sqrt(4000)
    assert abs(floor.value - wanted) < 4 * error < 0.02 * wanted


def test_many_votes_and_few_have_one_divergence():
    T = np.array([[0.31, 0.69]])
    sizes = [90, 96, 97, 98, 104]  # 30 expected votes are between them
    values = [noise_floor(T, n, truth="known").value * n for n in sizes]
    assert np.ptp(values) < 2e-3 * values[0]
    drawn = np.random.default_rng(0).binomial(97, 0.31, 400_000) / 97
    shares = np.column_stack([drawn, 1 - drawn])
    simulated = kl_divergence(shares, np.broadcast_to(T, shares.shape))
    assert values[2] / 97 == pytest.approx(simulated, rel=0.01)


@pytest.mark.parametrize("metric", ["sorensen", "kl_divergence", "chebyshev", "cosine"])
def test_the_floor_of_an_unknown_truth_is_within_two_percent(metric):
    from skldl.metrics import get_metric

    rng = np.random.default_rng(0)
    T = rng.dirichlet([0.6, 1.5, 1.0, 0.4], size=8000)
    n_votes = rng.integers(3, 12, size=len(T))
    D = rng.multinomial(n_votes, T) / n_votes[:, None]
    real = get_metric(metric).fn(D, T)
    floor = noise_floor(D, n_votes, metric, n_repeats=5, random_state=0)
    assert floor.value == pytest.approx(real, rel=0.02)
    # shares taken for the truth would be too kind
    naive = noise_floor(D, n_votes, "sorensen", truth="known").value
    assert naive < 0.9 * sorensen(D, T)


@pytest.mark.parametrize("votes_per_item", [(2, 6), 10])
@pytest.mark.parametrize(
    ("sharpness", "bounds"),
    [(0.5, (0.02, 0.02)), (1.0, (0.02, 0.02)), (3.0, (0.025, 0.05))],
    ids=["flat", "mild", "sharp"],
)
def test_the_floor_of_generated_crowds_is_as_documented(
    sharpness, bounds, votes_per_item
):
    names = ["sorensen", "kl_divergence"]
    off = []
    for seed in range(3):
        crowd, votes = generated(
            8000, votes_per_item=votes_per_item, reliability=(0.9, 0.9),
            sharpness=sharpness, random_state=seed,
        )  # fmt: skip
        endless = crowd.D @ crowd.confusion.mean(axis=0)
        floors = noise_floor(votes, metric=names, n_repeats=2, random_state=0)
        known = noise_floor(endless, votes.n_votes, names, truth="known")
        off.append([floors[name].value / known[name].value - 1 for name in names])
    # a crowd of this size determines the floor to about one percent
    assert (np.abs(np.mean(off, axis=0)) < bounds).all()


def test_several_metrics_share_their_draws():
    votes = Votes.from_counts([[3, 1], [2, 2], [5, 1]])
    both = noise_floor(votes, metric=["clark", "sorensen"], random_state=0)
    for name, floor in both.items():
        assert floor == noise_floor(votes, metric=name, random_state=0)


def test_the_mixture_of_truths_is_a_maximum():
    from scipy.special import gammaln

    rng = np.random.RandomState(0)
    counts = rng.multinomial(5, [0.9, 0.05, 0.05], size=300).astype(float)
    prior = fit_truth(counts, rng, max_iter=5000)
    assert prior.weights.sum() == pytest.approx(1)
    alpha = prior.concentrations
    terms = gammaln(counts[:, None] + alpha) - gammaln(alpha)
    total = gammaln(alpha.sum(axis=1)) - gammaln(5 + alpha.sum(axis=1))
    density = np.exp(terms.sum(axis=2) + total)
    share = density / (density @ prior.weights)[:, None]
    # the conditions of the maximum: no component would gain by more weight
    gain = share.sum(axis=0)
    gain[0] += 5.0 / prior.weights[0]  # votes beforehand for the plain one
    assert gain.max() < 305 * 1.01
    np.testing.assert_allclose(prior.posterior(counts), share * prior.weights)


def test_one_vote_each_has_a_flat_prior():
    rng = np.random.RandomState(0)
    prior = fit_truth(np.array([[1.0, 0.0], [0.0, 1.0]]), rng)
    np.testing.assert_allclose(prior.concentrations, [[1, 1]])
    floor = noise_floor([[1.0, 0.0], [0.0, 1.0]], 1, "sorensen", random_state=0)
    assert 0 < floor.value < 0.5


def test_votes_and_shares_have_one_floor():
    votes = Votes.from_counts([[3, 1], [2, 2], [0, 0], [5, 1]])
    D, n = votes.voted().distributions(), [4, 4, 6]
    one = noise_floor(votes, metric="clark", random_state=0)
    assert one.value == noise_floor(D, n, "clark", random_state=0).value
    assert one.n_items == 3


def test_split_half_by_all_deals():
    # two votes for one label and two for another: halves are (2, 0), (1, 1) or (0, 2)
    votes = Votes.from_counts([[2, 2]] * 500)
    found = split_half(votes, n_repeats=20, random_state=0)
    assert found.value == pytest.approx(1 / 3, abs=0.02)
    assert float(found) == found.value


def test_halves_are_further_apart_than_the_floor():
    _, votes = generated(500, votes_per_item=8)
    assert (
        split_half(votes, random_state=0).value
        > noise_floor(votes, metric="sorensen", random_state=0).value
    )


def test_the_dirichlet_multinomial_has_its_own_likelihood_as_maximum():
    from scipy.special import gammaln

    rng = np.random.default_rng(0)
    counts = rng.multinomial(6, rng.dirichlet([0.5, 2.0, 1.0], size=200))

    def likelihood(alpha):
        terms = gammaln(counts + alpha) - gammaln(alpha)
        total = gammaln(alpha.sum()) - gammaln(6 + alpha.sum())
        return terms.sum() + len(counts) * total

    best = fit_dirichlet_multinomial(counts)
    for label, factor in product(range(3), (0.97, 1.03)):
        moved = best.copy()
        moved[label] *= factor
        assert likelihood(moved) < likelihood(best)


def test_items_that_do_not_differ_have_a_large_precision():
    counts = np.tile([5, 5], (50, 1))
    assert fit_dirichlet_multinomial(counts).sum() > 1e3
    unanimous = np.array([[9, 0], [0, 9]] * 20)
    assert fit_dirichlet_multinomial(unanimous).sum() < 0.1
    with pytest.raises(ValueError, match="no votes"):
        fit_dirichlet_multinomial([[0, 0]])
    single = fit_dirichlet_multinomial([[1, 0], [0, 1]])
    np.testing.assert_allclose(single, [1, 1])


def test_dirichlet_draws_have_their_mean_and_variance():
    alpha = np.array([0.02, 0.5, 3.0])
    T = draw_dirichlet(np.tile(alpha, (200_000, 1)), np.random.RandomState(0))
    p, total = alpha / alpha.sum(), alpha.sum()
    np.testing.assert_allclose(T.mean(axis=0), p, atol=2e-3)
    np.testing.assert_allclose(T.var(axis=0), p * (1 - p) / (total + 1), atol=1e-3)


@pytest.mark.parametrize("metric", ["sorensen", "kl_divergence"])
def test_votes_needed_is_the_least_number_that_is_enough(metric):
    T = np.random.default_rng(0).dirichlet(np.ones(4), size=6)

    def floor(rows, n):
        return noise_floor(rows, n, metric, truth="known").value

    n = votes_needed(T, 0.08, metric=metric)
    assert floor(T, n) <= 0.08 < floor(T, n - 1)
    for t, own in zip(
        T, votes_needed(T, 0.08, metric=metric, average=False), strict=True
    ):
        assert floor(t[None], own) <= 0.08
        assert own == 1 or floor(t[None], own - 1) > 0.08
    assert votes_needed([[1.0, 0.0]], 0.01) == 1
    with pytest.raises(ValueError, match="more than 10 votes"):
        votes_needed(T, 0.001, max_votes=10)


def test_votes_needed_of_a_pilot():
    rng = np.random.default_rng(0)
    T = rng.dirichlet([1.0, 2.0, 1.0], size=3000)
    pilot = Votes.from_counts(rng.multinomial(6, T))
    wanted = votes_needed(T, 0.1)
    assert votes_needed(pilot, 0.1, random_state=0) == pytest.approx(wanted, abs=1)


@pytest.mark.parametrize("gain", ["information", "variance"])
def test_the_gain_of_one_more_vote_by_all_answers(gain):
    from scipy.special import digamma

    alpha, counts = np.array([0.5, 1.0, 2.0]), np.array([[3, 0, 1], [1, 1, 0]])

    def left(a):
        """Expected entropy is what information lowers; the variance as it is."""
        p, total = a / a.sum(), a.sum()
        if gain == "variance":
            return (p * (1 - p)).sum() / (total + 1)
        return -(np.log(p) * p).sum() - (
            digamma(total + 1) - (p * digamma(a + 1)).sum()
        )

    table = rank_items(
        Votes.from_counts(counts), gain=gain, concentration=alpha
    ).set_index("item")
    for item, row in enumerate(counts):
        a = alpha + row
        if gain == "variance":
            after = sum(
                p * left(a + e) for p, e in zip(a / a.sum(), np.eye(3), strict=True)
            )
            wanted = left(a) - after
        else:
            wanted = left(a)  # information between the vote and the distribution
        assert table.loc[item, "gain"] == pytest.approx(wanted)


def test_information_is_the_expected_divergence_of_the_posterior():
    a = np.array([1.5, 0.7, 3.0])
    T = np.random.default_rng(0).dirichlet(a, size=400_000)
    p = a / a.sum()
    wanted = np.mean((T * np.log(T / p)).sum(axis=1))
    found = rank_items(Votes.from_counts([[1, 0, 2]]), concentration=a - [1, 0, 2])
    assert found["gain"][0] == pytest.approx(wanted, rel=0.01)


def test_weights_of_votes():
    np.testing.assert_allclose(vote_weights([1, 4, 4], "sqrt"), [0.6, 1.2, 1.2])
    many = vote_weights([1, 10, 1e6], concentration=10.0)
    np.testing.assert_allclose(many / many[2], [1 / 11, 0.5, 1.0], rtol=1e-4)
    assert vote_weights([0, 2]).tolist() == [0.0, 2.0]
    for bad in ([-1, 2], [0, 0], [np.nan, 1], [[1]]):
        with pytest.raises(ValueError, match="n_votes"):
            vote_weights(bad)
    with pytest.raises(ValueError, match="how"):
        vote_weights([1], "root")


def test_the_table_of_annotators():
    crowd, votes = generated(400, n_annotators=8, reliability=[0.9] * 6 + [0.0, 0.0])
    model = DawidSkene().fit(votes)
    table = annotator_table(votes, model)
    assert set(table.index[table["outlier"]]) == {"annotator_7", "annotator_8"}
    assert table["n_votes"].sum() == len(crowd.votes)
    assert set(table.index[table["reliability"].argsort()[:2]]) == {
        "annotator_7",
        "annotator_8",
    }
    who = crowd.votes[crowd.votes["annotator"] == "annotator_3"]
    agreed = [
        (crowd.votes[crowd.votes["item"] == row.item]["label"] == row.label).sum() - 1
        for row in who.itertuples()
    ]
    assert table.loc["annotator_3", "agreement"] == pytest.approx(np.mean(agreed) / 4)
    alone = annotator_table(votes_of(frame_of("0 1 0")))
    assert np.isnan(alone["agreement"].iloc[0])
    assert not alone["outlier"].any()


@pytest.mark.parametrize(
    "call",
    [
        lambda: noise_floor([[0.5, 0.5]]),
        lambda: noise_floor([[0.5, 0.5]], [1, 2]),
        lambda: noise_floor([[0.5, 0.5]], 0),
        lambda: noise_floor(Votes.from_counts([[1, 1]]), 2),
    ],
)
def test_floors_need_numbers_of_votes(call):
    with pytest.raises(ValueError, match="n_votes"):
        call()
