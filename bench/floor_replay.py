"""Floors of estimators whose work shows only while they fit.

One unmeasured fit tells how often and in which shapes something is done; the floor does
only the parts of that which no implementation can do without: the kernel matrices and
factors of LDSVR, the kernels and steps of PTSVM, a covariance and its factor for every
label of PTBayes, searches, affinities and one eigenproblem of LFDA, the matrix
products of ADMM's iterations, the kernels and their products of every evaluation of
LSDR and LSQMID, a decomposition and sorted projections for every split of a forest.
"""

from contextlib import contextmanager

import numpy as np
import scipy.linalg
from jplay_fit import products
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import KFold
from sklearn.neighbors import NearestNeighbors

import skldl.classifiers._ccf_tree as trees
import skldl.ldl._ldsvr as ldsvr
import skldl.ldl._ptsvm_pairs as pairs
import skldl.projection._autorule as autorule
import skldl.projection._jplay_stack as jplay
from skldl.projection import LSDR, LSQMID
from skldl.reproduce._protocol import STORED

RNG = np.random.default_rng(0)


@contextmanager
def heard(owner, name, note):
    """What ``note`` says of the calls of a function and their results."""
    original, notes = getattr(owner, name), []

    def call(*arguments, **named):
        result = original(*arguments, **named)
        notes.append(note(result, *arguments))
        return result

    setattr(owner, name, call)
    try:
        yield notes
    finally:
        setattr(owner, name, original)


def search(X, k):
    """Neighbours of every sample."""
    NearestNeighbors().fit(X).kneighbors(n_neighbors=k, return_distance=False)


def kernel(Z, centers):
    """Gaussians of all rows and centres."""
    return np.exp(-cdist(Z, centers, "sqeuclidean"))


def ldsvr_floor(fit, X, D):
    """Kernel; for each step a factor, its solutions and a product."""
    with heard(ldsvr, "_cholesky", lambda _, system: len(system)) as sizes:
        fit()

    def floor():
        K = np.exp(-euclidean_distances(X))
        right, beta = np.ones((len(X), D.shape[1] + 1)), np.ones(D.shape)
        for size in sizes:
            system = np.array(K[:size, :size], order="F")
            system.flat[:: size + 1] += 1.0
            factor = scipy.linalg.cho_factor(
                system, overwrite_a=True, check_finite=False
            )
            scipy.linalg.cho_solve(factor, right[:size], check_finite=False)
            K @ beta
        scipy.linalg.lapack.dtrtri(factor[0])

    return floor, f"kernel, {len(sizes)} factors"


def ptsvm_floor(fit, X, D):
    """Kernels of three folds and of all; a gradient and two searches for each step."""

    def steps(found, K, *_):
        return len(K), sorted(solution.n_iter for solution in found)

    with heard(pairs, "smo", steps) as machines:
        fit()

    def floor():
        for train, test in KFold(3).split(X):
            np.exp(-euclidean_distances(X[train], squared=True))
            np.exp(-euclidean_distances(X[test], X[train], squared=True))
        K = np.exp(-euclidean_distances(X, squared=True))
        for size, counts in machines:
            part = K[:size, :size]
            slopes = part[: len(counts)] @ part
            for n_iter in range(counts[-1]):
                left = slopes[np.searchsorted(counts, n_iter, side="right") :]
                left += part[left.argmax(axis=1)] - part[left.argmin(axis=1)]

    return floor, f"kernels, {sum(sum(counts) for _, counts in machines)} steps"


def ptbayes_floor(_, X, D):
    """Weighted products of the features with themselves, and their factors."""

    def floor():
        for weights in D.T:
            centred = X - weights @ X
            centred *= weights[:, None]
            covariance = centred.T @ centred
            covariance.flat[:: len(covariance) + 1] += 1.0
            np.linalg.cholesky(covariance)

    return floor, "covariances, factors"


def lfda_floor(_, X, y):
    """In each class a search, affinities and their products; one eigenproblem."""

    def floor():
        A, B = np.zeros((2, X.shape[1], X.shape[1]))
        for label in np.unique(y):
            members = X[y == label]
            search(members, 7)
            A += members.T @ (kernel(members, members) @ members)
            B += members.T @ members
        scipy.linalg.eigh(A, B, subset_by_index=[X.shape[1] - 7, X.shape[1] - 1])

    return floor, "searches, affinities, eigenproblem"


def admm_floor(fit, X):
    """The search, a pencil for every layer, and the products of every iteration."""
    with (
        heard(autorule, "jplay_admm", shapes) as first,
        heard(jplay, "jplay_admm", shapes) as later,
    ):
        fit()
    runs = []
    for count, n, d, k in first + later:
        parts = (RNG.random((n, d)), RNG.random((k, d)), RNG.random((n, k)), np.eye(d))
        runs.append((count, *parts))

    def floor():
        search(X, 10)
        for count, Z, T, H, vectors in runs:
            scipy.linalg.eigh(Z.T @ Z + np.eye(Z.shape[1]))
            for _ in range(count):
                products(Z, T, T, H, vectors)

    return floor, f"search, products of {sum(run[0] for run in runs)} iterations"


def shapes(solution, layer, *_):
    """Iterations that a layer took, samples, features and components."""
    return solution.n_iter, *layer.X.shape, len(solution.x)


class Information:
    """What one evaluation, or one choice of width and ridge, cannot do without."""

    def __init__(self, X, n_basis=200, size=2):
        self.X, self.b = X, min(n_basis, len(X))
        Z = X @ RNG.normal(size=(X.shape[1], size))
        self.Z, self.ridge = Z / Z.std(axis=0), np.eye(self.b)

    def kernels(self):
        """Of samples and centres, and among the centres."""
        centers = self.Z[: self.b]
        return kernel(self.Z, centers), kernel(centers, centers)

    def smi(self):
        """Value and gradient of LSDR."""
        K, _ = self.kernels()
        gram = K.T @ K + self.ridge
        np.linalg.solve(gram, K[0])
        E = (K @ gram) * K
        (E @ self.Z[: self.b]).T @ self.X
        (E.T @ self.Z).T @ self.X[: self.b]

    def smi_errors(self):
        """Errors of LSDR for four ridges and five folds."""
        K, _ = self.kernels()
        gram = K.T @ K + self.ridge
        for _ in range(20):
            np.linalg.solve(gram, K[0])

    def qmi(self):
        """Value and gradient of LSQMID."""
        K, centers = self.kernels()
        M = K * K
        np.linalg.solve(centers + self.ridge, M.T @ self.Z)
        M.T @ self.X

    def qmi_errors(self):
        """Errors of LSQMID for four ridges, with all folds at once."""
        K, centers = self.kernels()
        right = np.hstack([(K * K).T @ self.Z] * 5)
        for _ in range(4):
            np.linalg.solve(centers + self.ridge, right)


def information_floor(estimator, fit, X):
    """Kernels, their products and solutions of every evaluation and every error."""
    with (
        heard(estimator, "_information", nothing) as values,
        heard(estimator, "_errors", nothing) as errors,
    ):
        fit()
    parts = Information(X)
    one, other = parts.smi, parts.smi_errors
    if estimator is LSQMID:
        one, other = parts.qmi, parts.qmi_errors

    def floor():
        for _ in values:
            one()
        for _ in errors:
            other()

    return floor, f"{len(values)} evaluations, {len(errors)} choices"


def nothing(*_):
    """Only that there was a call."""


def samples(_, inside, codes, n_classes, drawn):
    """The samples of a split, and which are drawn for its directions."""
    return inside, drawn


def forest_floor(fit):
    """For every split a decomposition of its samples, and sorted projections."""
    with heard(trees, "find_split", samples) as splits:
        fit()

    def floor():
        for inside, sample in splits:
            drawn = inside if sample is None else inside[sample]
            scipy.linalg.qr(drawn, mode="economic", pivoting=True, check_finite=False)
            np.argsort(inside[:, :7], axis=0)

    return floor, f"{len(splits)} decompositions and sorts"


def floors(fit, X, D, small):
    """Estimator to its call, its floor and what that is; each is made when needed.

    Parameters
    ----------
    fit : callable
        Gives a call that fits a named estimator.
    X, D : ndarray
        Samples and distributions.
    small : int
        Samples of methods that take long.
    """
    y, few, positive = D.argmax(axis=1), slice(small), X[:2000] - X[:2000].min(axis=0)
    positive = positive / positive.max()
    calls = {
        "LDSVR": fit("LDSVR", n=2 * small, **STORED["LDSVR"]),
        "PTSVM": fit("PTSVM", n=2 * small),
        "PTBayes": fit("PTBayes"),
        "LFDA": fit("LFDA", y=y),
        "AutoRULe": fit("AutoRULe", x=positive, n_components=20),
        "JPlay": fit("JPlay", x=positive, y=y[:2000], n_components=20, max_iter=3),
        "LSDR": fit("LSDR", n=small, y=y, n_init=1, random_state=0),
        "LSQMID": fit("LSQMID", n=small, y=y, n_init=1, random_state=0),
        "CanonicalCorrelationForestClassifier": fit(
            "CanonicalCorrelationForestClassifier",
            n=2 * small,
            y=y,
            n_estimators=10,
            random_state=0,
        ),
    }
    makers = {
        "LDSVR": lambda call: ldsvr_floor(call, X[: 2 * small], D[: 2 * small]),
        "PTSVM": lambda call: ptsvm_floor(call, X[: 2 * small], D[: 2 * small]),
        "PTBayes": lambda call: ptbayes_floor(call, X, D),
        "LFDA": lambda call: lfda_floor(call, X, y),
        "AutoRULe": lambda call: admm_floor(call, positive),
        "JPlay": lambda call: admm_floor(call, positive),
        "LSDR": lambda call: information_floor(LSDR, call, X[few]),
        "LSQMID": lambda call: information_floor(LSQMID, call, X[few]),
        "CanonicalCorrelationForestClassifier": forest_floor,
    }
    return {name: (calls[name], makers[name]) for name in makers}
