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
LATENT = LSEObjective(
    X,
    D,
    LAPLACIAN,
    encoding_weight=0.7,
    sparsity_weight=0.3,
    smoothness_weight=0.2,
    reg=0.4,
)
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


@pytest.mark.parametrize("name", cases())
@pytest.mark.parametrize("seed", range(3))
def test_gradient_agrees_with_finite_differences(name, seed):
    objective, shape = cases()[name]
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
