"""Subspaces with the most information about the labels: what LSDR and LSQMID share.

Both put products of a label kernel and a Gaussian of the projected samples at some
samples, the centres, and fit what they need by least squares.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from scipy.spatial.distance import cdist, pdist
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length, check_random_state

from skldl._progress import report
from skldl._sklearn import Interval, StrOptions, fit_context
from skldl._typing import FloatArray, IndexArray
from skldl._warnings import caller_level
from skldl.base import LinearProjectionMixin
from skldl.projection._components import N_COMPONENTS, check_size
from skldl.projection._spectral import width_to_gamma
from skldl.solvers import Solution, grassmann_ascent
from skldl.validation import Target, check_features, check_target, require_range

WIDTHS = (0.25, 0.5, 1.0, 2.0, 4.0)  # times the median distance to the centres
REGS = (1e-3, 1e-2, 1e-1, 1.0)
_FOLDS = 5


@dataclass(frozen=True)
class Basis:
    """Samples, centres, and the label kernel between them.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        Samples.
    centers : ndarray of shape (b, d)
        Some of them.
    labels : ndarray of shape (n, b)
        Label kernel of samples and centres.
    center_labels : ndarray of shape (b, b)
        Label kernel among the centres.
    overlap : ndarray of shape (b, b)
        Integral over the labels of two centres' label kernels, up to a factor.
    folds : ndarray of shape (n,)
        Which samples are held out together.
    """

    X: FloatArray
    centers: FloatArray
    labels: FloatArray
    center_labels: FloatArray
    overlap: FloatArray
    folds: IndexArray

    @cached_property
    def fold_rows(self) -> list[IndexArray]:
        """Row numbers of each fold."""
        return [np.flatnonzero(self.folds == fold) for fold in np.unique(self.folds)]

    @cached_property
    def label_grams(self) -> FloatArray:
        """Products of the label kernel with itself over each fold, made once."""
        return fold_grams(self.labels, self.fold_rows)

    @cached_property
    def label_moments(self) -> FloatArray:
        """Means of products of the label kernel with itself."""
        return self.label_grams.sum(axis=0) / len(self.X)

    @cached_property
    def centred_labels(self) -> FloatArray:
        """The label kernel less its mean over the samples."""
        return self.labels - self.labels.mean(axis=0)


def make_basis(
    X: FloatArray, target: Target, n_basis: int, rng: np.random.RandomState
) -> Basis:
    """Draw centres and folds, and evaluate the label kernel."""
    rows = rng.permutation(len(X))[:n_basis]
    Y = target.matrix
    folds = rng.permutation(np.arange(len(X)) % min(_FOLDS, len(X)))
    squared = cdist(Y, Y[rows], "sqeuclidean")
    if target.kind == "classes":
        labels = (squared == 0).astype(np.float64)
        overlap = labels[rows]
    else:
        width = np.median(pdist(Y[rows])) if len(rows) > 1 else 1.0
        labels = np.exp(-squared / (2 * (width or 1.0) ** 2))
        overlap = np.sqrt(labels[rows])  # of Gaussians: half the exponent
    return Basis(X, X[rows], labels, labels[rows], overlap, folds)


def fold_grams(A: FloatArray, fold_rows: list[IndexArray]) -> FloatArray:
    """A'A over the rows of each fold, of shape (folds, b, b)."""
    return np.stack([A[rows].T @ A[rows] for rows in fold_rows])


def gaussian(Z: FloatArray, centers: FloatArray, gamma: float) -> FloatArray:
    """exp(-gamma d^2) of all rows and centres."""
    squared = cdist(Z, centers, "sqeuclidean")
    squared *= -gamma
    return np.exp(squared, out=squared)


class InformationProjection(LinearProjectionMixin, BaseEstimator):
    """Ascent from several starts, gamma and reg by cross-validation."""

    _parameter_constraints: dict = {
        "n_components": N_COMPONENTS,
        "n_basis": [Interval(Integral, 1, None, closed="left")],
        "gamma": [
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"cv", "median"}),
        ],
        "reg": [Interval(Real, 0, None, closed="neither"), StrOptions({"cv"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }
    _grids: dict = {"default": {"n_components": [0.1, 0.3, 0.5]}}

    def __init__(
        self,
        n_components: int | float = 2,
        *,
        n_basis: int = 200,
        gamma: float | Literal["cv", "median"] = "cv",
        reg: float | Literal["cv"] = "cv",
        n_init: int = 3,
        max_iter: int = 100,
        tol: float = 1e-3,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_basis = n_basis
        self.gamma = gamma
        self.reg = reg
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Search the subspace from several starts, and keep the best.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Classes, indicators or distributions.

        Returns
        -------
        self : object
        """
        target = check_target(y)
        X = check_features(self, X, dtype=np.float64, ensure_min_samples=2)
        require_range(self, X)
        check_consistent_length(X, target.matrix)
        if (target.matrix == target.matrix[0]).all():
            raise ValueError(
                f"All samples have the same labels, so {type(self).__name__} finds no "
                "information about them; y needs at least two classes or label sets."
            )
        size = check_size(self.n_components, X.shape[1])
        rng = check_random_state(self.random_state)
        self.mean_ = X.mean(axis=0)
        X = X - self.mean_
        basis = make_basis(X, target, self.n_basis, rng)
        starts = make_starts(X, size, self.n_init, rng)
        found = []
        for number, start in enumerate(starts, start=1):
            found.append(self._search(basis, start))
            report(type(self).__name__, number, len(starts), value=found[-1][0].value)
        best, self.gamma_, self.reg_ = max(found, key=lambda one: one[0].value)
        self.components_, self.information_ = best.x, best.value
        self.information_history_ = np.array(best.history)
        self.n_iter_ = max(1, best.n_iter)
        if not best.converged:
            warnings.warn(
                f"{type(self).__name__} did not converge in max_iter={self.max_iter} "
                f"iterations: the last one raised the information by a share of "
                f"{best.residual:.2g} (tol={self.tol:g}). Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=caller_level(),
            )
        return self

    def _search(self, basis: Basis, start: FloatArray) -> tuple[Solution, float, float]:
        """Choose gamma and reg at the start, climb, choose again, climb."""
        solution = Solution(start, -np.inf, 0, False, np.inf)
        history: list[float] = []
        for _ in range(2):
            gamma, reg = self._choose(basis, solution.x)
            solution = grassmann_ascent(
                partial(self._information, basis, gamma=gamma, reg=reg),
                solution.x,
                max_iter=self.max_iter,
                tol=self.tol,
            )
            history += solution.history
        solution = Solution(
            solution.x, solution.value, len(history), solution.converged,
            solution.residual, history,
        )  # fmt: skip
        return solution, gamma, reg

    def _choose(self, basis: Basis, W: FloatArray) -> tuple[float, float]:
        """Gamma and reg with the smallest error on held-out samples."""
        distances = cdist(basis.X @ W.T, basis.centers @ W.T)
        scale = float(np.median(distances)) or float(distances.max()) or 1.0
        gammas = [width_to_gamma(scale * factor) for factor in WIDTHS]
        if self.gamma != "cv":
            given = self.gamma
            gammas = [width_to_gamma(scale) if given == "median" else float(given)]
        regs = REGS if self.reg == "cv" else (float(self.reg),)
        if len(gammas) * len(regs) == 1:
            return gammas[0], regs[0]
        errors = np.array([self._errors(basis, W, gamma, regs) for gamma in gammas])
        pairs = list(product(gammas, regs))
        return pairs[int(errors.ravel().argmin())]

    def _information(
        self, basis: Basis, W: FloatArray, gamma: float, reg: float
    ) -> tuple[float, FloatArray]:
        raise NotImplementedError

    def _errors(
        self, basis: Basis, W: FloatArray, gamma: float, regs: tuple[float, ...]
    ) -> list[float]:
        raise NotImplementedError


def make_starts(
    X: FloatArray, size: int, count: int, rng: np.random.RandomState
) -> list[FloatArray]:
    """Orthonormal rows: the principal directions of centred X, then random ones."""
    starts = []
    if size <= min(X.shape):
        starts.append(np.linalg.svd(X, full_matrices=False)[2][:size])
    while len(starts) < count:
        starts.append(np.linalg.qr(rng.normal(size=(X.shape[1], size)))[0].T)
    return starts
