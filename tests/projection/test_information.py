"""LSDR and LSQMID against loops over samples, and finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import dblquad
from scipy.linalg import subspace_angles
from sklearn.exceptions import ConvergenceWarning

from skldl.projection import LSDR, LSQMID, _lsdr, _lsqmid
from skldl.projection._information import make_basis
from skldl.validation import check_target

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 5))
CLASSES = RNG.integers(0, 3, size=30)
SOFT = RNG.dirichlet(np.ones(3), size=30)
W = np.linalg.qr(RNG.normal(size=(5, 2)))[0].T
WIDTH, REG = 0.9, 0.05
GAMMA = 1 / (2 * WIDTH**2)


def basis_of(target, n_basis=8):
    return make_basis(X, check_target(target), n_basis, np.random.RandomState(0))


def kernel(z, c, width=WIDTH):
    return np.exp(-np.sum((z - c) ** 2) / (2 * width**2))


def loop_kernels(basis):
    """phi_b(y_i, z_j) for all i, j, b."""
    n, b = len(X), len(basis.centers)
    phi = np.zeros((n, n, b))
    for i in range(n):
        for j in range(n):
            for k in range(b):
                phi[i, j, k] = basis.labels[i, k] * kernel(
                    W @ X[j], W @ basis.centers[k]
                )
    return phi


@pytest.mark.parametrize("target", [CLASSES, SOFT], ids=["classes", "distributions"])
def test_label_kernel(target):
    basis = basis_of(target)
    rows = [int(np.flatnonzero((c == X).all(axis=1))[0]) for c in basis.centers]
    if target.ndim == 1:
        expected = (target[:, None] == target[rows]).astype(float)
        overlap = expected[rows]
    else:
        d2 = ((target[:, None] - target[rows]) ** 2).sum(axis=2)
        pairs = np.sqrt(d2[rows][np.triu_indices(len(rows), 1)])
        expected = np.exp(-d2 / (2 * np.median(pairs) ** 2))
        overlap = np.exp(-d2[rows] / (4 * np.median(pairs) ** 2))
    assert_allclose(basis.labels, expected)
    assert_allclose(basis.center_labels, expected[rows])
    assert_allclose(basis.overlap, overlap)


@pytest.mark.parametrize("target", [CLASSES, SOFT], ids=["classes", "distributions"])
def test_lsdr_value_by_loops(target):
    basis = basis_of(target)
    n, b = len(X), len(basis.centers)
    phi = loop_kernels(basis)
    h = np.array([np.mean([phi[i, i, k] for i in range(n)]) for k in range(b)])
    H = np.zeros((b, b))
    for k in range(b):
        for m in range(b):
            H[k, m] = np.mean(phi[:, :, k] * phi[:, :, m])
    R = 0.01 * np.eye(b)
    for k in range(b):
        for m in range(b):
            R[k, m] += basis.center_labels[k, m] * kernel(
                W @ basis.centers[k], W @ basis.centers[m]
            )
    a = np.linalg.solve(H + REG * R, h)
    value, _ = _lsdr.smi_and_grad(basis, W, GAMMA, REG)
    assert_allclose(value, h @ a - 0.5 * a @ H @ a - 0.5)
    assert_allclose(basis.label_grams.sum(axis=0), basis.labels.T @ basis.labels)


@pytest.mark.parametrize("target", [CLASSES, SOFT], ids=["classes", "distributions"])
def test_lsdr_gradient_by_differences(target):
    basis = basis_of(target)
    _, gradient = _lsdr.smi_and_grad(basis, W, GAMMA, REG)
    for _ in range(10):
        step = 1e-5 * RNG.normal(size=W.shape)
        up = _lsdr.smi_and_grad(basis, W + step, GAMMA, REG)[0]
        down = _lsdr.smi_and_grad(basis, W - step, GAMMA, REG)[0]
        assert_allclose((up - down) / 2, np.sum(gradient * step), rtol=1e-5, atol=1e-12)


def test_lsdr_held_out_error_by_loops():
    basis = basis_of(CLASSES)
    phi = loop_kernels(basis)
    c = basis.centers @ W.T
    R = basis.center_labels * np.array([[kernel(a, b) for b in c] for a in c])
    R += 0.01 * np.eye(len(c))
    total = np.zeros(2)
    for fold in range(5):
        inside = np.flatnonzero(basis.folds != fold)
        outside = np.flatnonzero(basis.folds == fold)
        (h, H), (h_out, H_out) = (
            (
                phi[rows, rows].mean(axis=0),
                np.einsum("ijk,ijm->km", *[phi[np.ix_(rows, rows)]] * 2)
                / len(rows) ** 2,
            )
            for rows in (inside, outside)
        )
        for i, reg in enumerate((0.01, 1.0)):
            a = np.linalg.solve(H + reg * R, h)
            total[i] += 0.5 * a @ H_out @ a - h_out @ a
    assert_allclose(_lsdr.smi_errors(basis, W, GAMMA, (0.01, 1.0)), total)


def test_lsqmid_overlap_by_integration():
    basis = basis_of(CLASSES, 3)
    centers = basis.centers @ W.T
    ours = _lsqmid.kernel_overlap(basis, centers, GAMMA)
    for k in range(3):
        for m in range(3):
            integral, _ = dblquad(
                lambda u, v, k=k, m=m: kernel(np.array([u, v]), centers[k])
                * kernel(np.array([u, v]), centers[m]),
                -8, 8, -8, 8, epsabs=1e-8,
            )  # fmt: skip
            expected = basis.overlap[k, m] * integral / (np.pi * WIDTH**2)
            assert_allclose(ours[k, m], expected, atol=1e-6)


@pytest.mark.parametrize("target", [CLASSES, SOFT], ids=["classes", "distributions"])
def test_lsqmid_value_and_gradient_by_loops(target):
    basis = basis_of(target)
    n, b, k = len(X), len(basis.centers), len(W)
    phi, Z, c = loop_kernels(basis), X @ W.T, basis.centers @ W.T
    joint = np.mean([phi[i, i] for i in range(n)], axis=0)
    q = joint - phi.mean(axis=(0, 1))
    D = basis.overlap * np.exp(
        -((c[:, None] - c[None]) ** 2).sum(axis=2) / (4 * WIDTH**2)
    )
    ridged = D + REG * np.eye(b)
    w = np.linalg.solve(ridged, q)
    h = np.zeros((b, k))
    for m in range(b):
        slope = -(Z - c[m]) / WIDTH**2  # d phi / dz at z_j, over phi
        for i in range(n):
            h[m] += phi[i, i, m] * slope[i] / n
            h[m] -= (phi[i, :, m][:, None] * slope).sum(axis=0) / n**2
    theta = -np.linalg.solve(ridged, h)
    g = phi @ theta  # g_l(y_i, z_j)
    expected = np.zeros_like(W)
    for i in range(n):
        expected += np.outer(g[i, i], X[i]) / n
        for j in range(n):
            expected -= np.outer(g[i, j], X[j]) / n**2
    value, gradient = _lsqmid.qmi_and_grad(basis, W, GAMMA, REG)
    assert_allclose(value, w @ q - 0.5 * w @ D @ w)
    assert_allclose(gradient, expected, atol=1e-12)
    # theta minimises the least-squares criterion
    best = np.vdot(theta, ridged @ theta) + 2 * np.vdot(theta, h)
    for _ in range(20):
        other = theta + 0.1 * RNG.normal(size=theta.shape)
        assert np.vdot(other, ridged @ other) + 2 * np.vdot(other, h) > best


def informative(n, seed):
    """Two of five directions say everything, and linear methods see nothing."""
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(n, 5))
    Q = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    z = data @ Q[:, :2]
    return data, (z[:, 0] * z[:, 1] > 0).astype(int), Q[:, :2]


def test_lsqmid_gradient_agrees_with_differences_on_many_samples():
    data, y, _ = informative(3000, 1)
    basis = make_basis(data, check_target(y), 300, np.random.RandomState(0))
    start = np.linalg.qr(RNG.normal(size=(5, 2)))[0].T
    _, gradient = _lsqmid.qmi_and_grad(basis, start, 1.0, 1e-2)
    differences = np.zeros_like(gradient)
    for place in np.ndindex(*start.shape):
        step = np.zeros_like(start)
        step[place] = 1e-4
        up = _lsqmid.qmi_and_grad(basis, start + step, 1.0, 1e-2)[0]
        down = _lsqmid.qmi_and_grad(basis, start - step, 1.0, 1e-2)[0]
        differences[place] = (up - down) / 2e-4
    tangent = [g - (g @ start.T) @ start for g in (gradient, differences)]
    cosine = np.vdot(*tangent) / np.prod([np.linalg.norm(t) for t in tangent])
    assert cosine > 0.9


@pytest.mark.parametrize("estimator", [LSDR, LSQMID])
def test_finds_the_informative_subspace(estimator):
    data, y, truth = informative(400, 2)
    model = estimator(2, n_init=4, random_state=0).fit(data, y)
    assert subspace_angles(model.components_.T, truth).max() < 0.35
    assert_allclose(model.components_ @ model.components_.T, np.eye(2), atol=1e-10)
    assert_allclose(model.transform(data), (data - data.mean(0)) @ model.components_.T)
    again = estimator(2, n_init=4, random_state=0).fit(data, y)
    assert_allclose(again.components_, model.components_)


@pytest.mark.parametrize("module", [_lsdr, _lsqmid])
def test_values_depend_on_the_subspace_only(module):
    information = module.smi_and_grad if module is _lsdr else module.qmi_and_grad
    basis = basis_of(CLASSES)
    turn = np.linalg.qr(RNG.normal(size=(2, 2)))[0]
    value, gradient = information(basis, W, GAMMA, REG)
    turned, turned_gradient = information(basis, turn @ W, GAMMA, REG)
    assert_allclose(turned, value)
    assert_allclose(turned_gradient, turn @ gradient, atol=1e-10)


@pytest.mark.parametrize("estimator", [LSDR, LSQMID])
def test_settings_and_warnings(estimator):
    data, y, _ = informative(60, 3)
    fixed = estimator(2, gamma=1.3, reg=0.2, random_state=0).fit(data, y)
    assert (fixed.gamma_, fixed.reg_) == (1.3, 0.2)
    soft = 0.8 * np.eye(2)[y] + 0.1
    assert estimator(2, gamma="median", random_state=0).fit(data, soft).reg_ in (
        1e-3, 1e-2, 1e-1, 1.0,
    )  # fmt: skip
    with pytest.warns(ConvergenceWarning, match="did not converge in max_iter=1 ") as w:
        estimator(2, max_iter=1, tol=1e-9, random_state=0).fit(data, y)
    assert len(w) == 1
    assert w[0].filename == __file__
    with pytest.raises(ValueError, match="n_components=6 is more than n_features=5"):
        estimator(6).fit(data, y)
    with pytest.raises(ValueError, match="'gamma' parameter"):
        estimator(gamma=-1.0).fit(data, y)
