"""One gradient test for every objective: directional finite differences."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.special import expit

from margins import margin
from skldl.graphs import binary_weights, laplacian, neighbor_graph
from skldl.objectives import (
    AbsoluteError,
    ColumnDistances,
    CPNNNetwork,
    DirichletLikelihood,
    GraphSmoothness,
    LabelManifold,
    LALOTTransport,
    LDLSCLObjective,
    LDLSCLPoint,
    LeadMargin,
    Linear,
    LSEObjective,
    LSEPoint,
    MaxEntKL,
    Network,
    OfSoftmax,
    PrecisionRidge,
    RestError,
    Ridge,
    RowNorms,
    ScoresKL,
    SquaredError,
    Sum,
    TopError,
    cpnn_scores,
)

RNG = np.random.default_rng(0)
X, D = RNG.normal(size=(9, 4)), RNG.dirichlet(np.ones(3), 9)
D[0] = [0.0, 0.25, 0.75]
LAPLACIAN = laplacian(binary_weights(neighbor_graph(D, 2)))
LATENT_WEIGHTS = {
    "encoding_weight": 0.7,
    "sparsity_weight": 0.3,
    "smoothness_weight": 0.2,
    "reg": 0.4,
}
LATENT = LSEObjective(X, D, LAPLACIAN, **LATENT_WEIGHTS)
WEIGHTS = np.linspace(0.1, 4.0, 9)
WEIGHTED_LATENT = LSEObjective(X, D, LAPLACIAN, **LATENT_WEIGHTS, sample_weight=WEIGHTS)
SIGNS = np.array([[0.0, 0.5, -1.0], [0.5, 0.0, 0.0], [-1.0, 0.0, 0.0]])
COST = np.array([[0.0, 0.5, 1.0], [0.5, 0.0, 0.3], [1.0, 0.3, 0.0]])
TOP = D.argmax(axis=1)
GROUPS = [
    (slice(None), RNG.normal(size=(3, 3)), 0.5),
    (np.array([1, 4, 7]), RNG.normal(size=(3, 3)), 2.0),
]


class Flat:
    """LSE-LDL's objective as a function of one vector, in either set of variables."""

    shapes = ((3, 2), (9, 2), (4, 2))

    def __init__(self, value_and_grad):
        self.inner = value_and_grad

    def point(self, x):
        parts = np.split(x, np.cumsum([a * b for a, b in self.shapes[:-1]]))
        return LSEPoint(
            *(p.reshape(s) for p, s in zip(parts, self.shapes, strict=True))
        )

    def value_and_grad(self, x):
        value, gradient = self.inner(self.point(x))
        return value, np.concatenate([part.ravel() for part in gradient])


def cases():
    """Name to (objective, shape of its argument)."""
    return {
        "ridge": (Ridge(0.7), (4, 3)),
        "margin": (margin(reg=0.1).smoothed(0.05), (5,)),
        "margin of samples": (
            margin(margin=np.linspace(0, 0.3, 30), slope=3.0).smoothed(0.01),
            (5,),
        ),
        "margin of distances": (margin(inputs=True, reg=0.1).smoothed(0.05), (5, 5)),
        "no margin": (margin(inputs=True, slope=0.0).smoothed(0.05), (5, 5)),
        "weighted": (
            margin(loss_weight=np.linspace(0, 1, 120).reshape(30, 4)).smoothed(0.02),
            (5,),
        ),
        "maxent": (MaxEntKL(X, D), (4, 3)),
        "maxent, sparse": (MaxEntKL(sp.csr_array(X), D), (4, 3)),
        "maxent, intercept": (MaxEntKL(X, D, fit_intercept=True), (5, 3)),
        "maxent, weights": (
            MaxEntKL(X, D, fit_intercept=True, sample_weight=np.arange(9.0)),
            (5, 3),
        ),
        "dirichlet": (DirichletLikelihood(X, 0.9 * D + 0.1 / 3), (5, 4)),
        "dirichlet, precision": (
            DirichletLikelihood(
                X,
                0.9 * D + 0.1 / 3,
                linear_precision=True,
                sample_weight=np.arange(9.0),
            ),
            (5, 4),
        ),
        "dirichlet, votes": (
            DirichletLikelihood(
                X, D, n_votes=np.arange(1.0, 10.0), linear_precision=True
            ),
            (5, 4),
        ),
        "ridge by precision": (PrecisionRidge(0.7), (5, 4)),
        "ridge by votes": (PrecisionRidge(0.7, 3.0), (5, 4)),
        "ridge of rows": (Ridge(np.arange(4.0)[:, None]), (4, 3)),
        "row norms": (RowNorms(0.8, 1e-3), (4, 3)),
        "graph": (GraphSmoothness(LAPLACIAN, 0.6), (9, 3)),
        "no graph": (GraphSmoothness(LAPLACIAN, 0.0), (9, 3)),
        "latent": (Flat(LATENT.value_and_grad), (32,)),
        "latent, encoded": (Flat(LATENT.value_and_grad_encoded), (32,)),
        "latent, theta alone": (LATENT.theta_block(X[:, :2]), (2, 3)),
        "latent, Z alone": (LATENT.latent_block(D[:3, :2], X[:, 2:]), (9, 2)),
        "column distances": (ColumnDistances(SIGNS), (4, 3)),
        "column distances, wide": (ColumnDistances(SIGNS, 5.0), (4, 3)),
        "absolute error": (AbsoluteError(D, 0.3 + D, 1e-3), (9, 3)),
        "lead margin": (LeadMargin(TOP, 0.5, 0.7, 1e-3), (9, 3)),
        "top error": (TopError(TOP, 0.5, 1e-3), (9, 3)),
        "rest error": (RestError(D, TOP, np.full(9, 0.5), 0.7, 1e-3), (9, 3)),
        "manifold": (LabelManifold(GROUPS), (9, 3)),
        "scores": (ScoresKL(D), (9, 3)),
        "of softmax": (OfSoftmax(LabelManifold(GROUPS)), (9, 3)),
        "linear": (Linear(X, 3, ScoresKL(D)), (4, 3)),
        "linear, intercept": (
            Linear(sp.csr_array(X), 3, ScoresKL(D), fit_intercept=True),
            (5, 3),
        ),
        "transport": (OfSoftmax(LALOTTransport(D, COST, 8.0, tol=1e-13)), (9, 3)),
        "debiased transport": (
            OfSoftmax(LALOTTransport(D, COST, 2.0, tol=1e-13, debiased=True)),
            (9, 3),
        ),
        "coded": (
            LDLSCLObjective(X, D, D[:2], (0.3, 0.2, 0.4)),
            (4 * 3 + 2 * 3 + 9 * 2,),
        ),
        "squared error": (SquaredError(D), (9, 3)),
        "network": (Network(X, (4, 5, 3), OfSoftmax(SquaredError(D))), (43,)),
        "deep network": (Network(X, (4, 3, 2, 3), ScoresKL(D)), (15 + 8 + 9,)),
        "sparse network": (Network(sp.csr_array(X), (4, 5, 3), ScoresKL(D)), (43,)),
        "conditional network": (CPNNNetwork(X, 3, ScoresKL(D)), (7, 5)),
        "sum": (Sum(Ridge(0.7), Ridge(2.0)), (4, 3)),
    }


def weighted_cases():
    """The same, of objectives with weights of samples."""
    latent, weights = WEIGHTED_LATENT, WEIGHTS
    thirty = np.linspace(0, 3, 30)
    transport = LALOTTransport(
        D, COST, 2.0, tol=1e-13, debiased=True, sample_weight=weights
    )
    return {
        "margin": (margin(reg=0.1, sample_weight=thirty).smoothed(0.05), (5,)),
        "margin of distances": (
            margin(inputs=True, sample_weight=thirty).smoothed(0.05),
            (5, 5),
        ),
        "margin, two weights": (
            margin(loss_weight=np.full((30, 4), 0.3), sample_weight=thirty).smoothed(
                0.02
            ),
            (5,),
        ),
        "latent": (Flat(latent.value_and_grad), (32,)),
        "latent, encoded": (Flat(latent.value_and_grad_encoded), (32,)),
        "latent, theta alone": (latent.theta_block(X[:, :2]), (2, 3)),
        "latent, Z alone": (latent.latent_block(D[:3, :2], X[:, 2:]), (9, 2)),
        "lead margin": (LeadMargin(TOP, 0.5, 0.7, 1e-3, weights), (9, 3)),
        "top error": (TopError(TOP, 0.5, 1e-3, weights), (9, 3)),
        "rest error": (
            RestError(D, TOP, np.full(9, 0.5), 0.7, 1e-3, weights),
            (9, 3),
        ),
        "manifold": (LabelManifold(GROUPS, weights), (9, 3)),
        "scores": (ScoresKL(D, weights), (9, 3)),
        "linear": (Linear(X, 3, ScoresKL(D, weights)), (4, 3)),
        "transport": (OfSoftmax(transport), (9, 3)),
        "coded": (
            LDLSCLObjective(X, D, D[:2], (0.3, 0.2, 0.4), weights),
            (4 * 3 + 2 * 3 + 9 * 2,),
        ),
        "squared error": (SquaredError(D, weights), (9, 3)),
        "network": (Network(X, (4, 5, 3), OfSoftmax(SquaredError(D, weights))), (43,)),
        "conditional network": (CPNNNetwork(X, 3, ScoresKL(D, weights)), (7, 5)),
    }


ALL_CASES = {**cases(), **{f"{k}, weights": v for k, v in weighted_cases().items()}}


@pytest.mark.parametrize("name", ALL_CASES)
@pytest.mark.parametrize("seed", range(3))
def test_gradient_agrees_with_finite_differences(name, seed):
    objective, shape = ALL_CASES[name]
    rng = np.random.default_rng(seed)
    x, direction = rng.normal(size=shape), rng.normal(size=shape)
    step = 1e-6
    _, gradient = objective.value_and_grad(x)
    assert gradient.shape == shape
    above, _ = objective.value_and_grad(x + step * direction)
    below, _ = objective.value_and_grad(x - step * direction)
    assert_allclose(
        np.vdot(gradient, direction), (above - below) / (2 * step), rtol=1e-6, atol=1e-8
    )


def repeated(make):
    """An objective of weights of 2 and 1, and that of rows twice and once."""
    counts = np.array([2, 1, 1, 2, 1, 1, 1, 2, 1])
    rows = np.repeat(np.arange(9), counts)
    return make(np.arange(9), counts.astype(float)), make(rows, None), rows


ROW_LOSSES = {
    "scores": lambda i, w: ScoresKL(D[i], w),
    "squared error": lambda i, w: SquaredError(D[i], w),
    "lead margin": lambda i, w: LeadMargin(TOP[i], 0.5, 0.7, 1e-3, w),
    "top error": lambda i, w: TopError(TOP[i], 0.5, 1e-3, w),
    "rest error": lambda i, w: RestError(D[i], TOP[i], D[i, 0], 0.7, 1e-3, w),
    "manifold": lambda i, w: LabelManifold([(slice(None), GROUPS[0][1], 0.5)], w),
    "transport": lambda i, w: LALOTTransport(
        D[i], COST, 2.0, tol=1e-13, sample_weight=w
    ),
    "debiased transport": lambda i, w: LALOTTransport(
        D[i], COST, 2.0, tol=1e-13, debiased=True, sample_weight=w
    ),
}


@pytest.mark.parametrize("name", ROW_LOSSES)
def test_a_weight_of_two_is_a_row_twice(name):
    once, twice, rows = repeated(ROW_LOSSES[name])
    P = np.random.default_rng(1).dirichlet(np.ones(3), 9)
    value, gradient = once.value_and_grad(P)
    expected, parts = twice.value_and_grad(P[rows])
    assert_allclose(value, expected)
    total = np.zeros_like(P)
    np.add.at(total, rows, parts)
    assert_allclose(gradient, total, atol=1e-10)
    if name.endswith("transport"):
        assert_allclose(once.total_plan(P), twice.total_plan(P[rows]), atol=1e-10)


def test_codes_of_a_row_of_weight_two_are_those_of_a_row_twice():
    once, twice, rows = repeated(
        lambda i, w: LDLSCLObjective(X[i], D[i], D[:2], (0.3, 0.2, 0.4), w)
    )
    rng = np.random.default_rng(0)
    theta, W, log_codes = (rng.normal(size=s) for s in ((4, 3), (2, 3), (9, 2)))
    x = once.vector(LDLSCLPoint(theta, W, log_codes))
    for found, given in zip(once.point(x), (theta, W, log_codes), strict=True):
        assert_allclose(found, given)
    y = twice.vector(LDLSCLPoint(theta, W, log_codes[rows]))
    value, gradient = once.value_and_grad(x)
    expected, longer = twice.value_and_grad(y)
    assert_allclose(value, expected)
    assert_allclose(gradient[:18], longer[:18])
    # in these units points and gradients have equal lengths, so that searches agree
    assert_allclose(np.linalg.norm(x), np.linalg.norm(y))
    assert_allclose(np.linalg.norm(gradient), np.linalg.norm(longer))


def test_a_sum_leaves_its_terms_alone():
    class Constant:
        gradient = np.ones(3)

        def value_and_grad(self, x):
            return 1.0, self.gradient

    term = Constant()
    value, gradient = Sum(term, term).value_and_grad(np.zeros(3))
    assert value == 2
    assert_allclose(gradient, 2)
    assert_allclose(term.gradient, 1)


@pytest.mark.parametrize("steep", [1.0, 60.0, 100.0, 1e4])
def test_hidden_units_of_all_labels_from_one_exponential(steep):
    rng = np.random.default_rng(0)
    base = rng.normal(size=(700, 4)) * np.array([1.0, 100.0, 1e3, 1e8])
    slope, v = steep * np.array([1.0, -1.0, 0.5, -0.3]), rng.normal(size=4)
    scores = cpnn_scores(base, slope, v, 3)
    for label in range(3):
        expected = expit(base + (label + 1) * slope) @ v
        assert_allclose(scores[:, label], expected, rtol=1e-10, atol=1e-13)
