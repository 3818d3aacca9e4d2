"""LSDR: the subspace with the largest squared-loss mutual information."""

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from skldl._typing import FloatArray
from skldl.projection._information import (
    Basis,
    InformationProjection,
    fold_grams,
    gaussian,
)

_CENTER_RIDGE = 0.01


class LSDR(InformationProjection):
    r"""Least-squares dimension reduction.

    .. math:: \max_{W W^T = I} \widehat{SMI} = h^T a - \tfrac12 a^T H a - \tfrac12,
       \qquad a = (H + \lambda R)^{-1} h,

    an estimate of the squared-loss mutual information between the labels and
    :math:`z = W x`. The density ratio is a sum of kernels
    :math:`k(y, y_b) \exp(-\gamma \|z - z_b\|^2)` at some samples b, with mean h and
    second moments H under the product of the marginals.

    Parameters
    ----------
    n_components : int or float, default=2
        Size of the embedding; a float is a share of the features.
    n_basis : int, default=200
        Samples at which kernels stand, drawn at random.
    gamma : float, "cv" or "median", default="cv"
        :math:`\gamma`; "median" is :math:`1/2m^2` with m the median distance to the
        centres, "cv" chooses among multiples of m by five folds.
    reg : float or "cv", default="cv"
        :math:`\lambda`.
    n_init : int, default=3
        Starts: the principal directions, then random ones.
    max_iter : int, default=100
        Steps at most, from each start and for each choice of gamma and reg.
    tol : float, default=1e-3
        Converged when a step raises the information by less than this share.
    random_state : int, RandomState or None, default=None
        Seed of centres, folds and starts.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows of W.
    information_ : float
        Estimated information.
    information_history_ : ndarray
        After each step from the best start; gamma and reg change once on the way.
    gamma_, reg_ : float
        What was chosen.
    mean_ : ndarray of shape (n_features,)
        What is subtracted.
    n_iter_ : int
        Steps from the best start.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    LSQMID : The same with quadratic mutual information.

    Notes
    -----
    R is the kernel matrix of the centres plus 0.01 times the identity. The kernel of
    classes is equality; of indicators and distributions a Gaussian. Steps go along
    geodesics of subspaces with a line search. Both gamma and reg are chosen at each
    start and once more where its first climb ends.

    References
    ----------
    .. [1] T. Suzuki, M. Sugiyama, "Sufficient Dimension Reduction via Squared-Loss
       Mutual Information Estimation", Neural Computation 25, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.projection import LSDR
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> y = (np.abs(X[:, 0]) > 0.7).astype(int)
    >>> model = LSDR(1, random_state=0).fit(X, y)
    >>> int(np.abs(model.components_[0]).argmax())
    0
    """

    def _information(
        self, basis: Basis, W: FloatArray, gamma: float, reg: float
    ) -> tuple[float, FloatArray]:
        return smi_and_grad(basis, W, gamma, reg)

    def _errors(
        self, basis: Basis, W: FloatArray, gamma: float, regs: tuple[float, ...]
    ) -> list[float]:
        return smi_errors(basis, W, gamma, regs)


def smi_and_grad(
    basis: Basis, W: FloatArray, gamma: float, reg: float
) -> tuple[float, FloatArray]:
    """Estimated squared-loss mutual information, and its gradient in W."""
    n = len(basis.X)
    Z, centers = basis.X @ W.T, basis.centers @ W.T
    K, K_centers = gaussian(Z, centers, gamma), gaussian(centers, centers, gamma)
    h = np.einsum("ib,ib->b", basis.labels, K) / n
    H = basis.label_moments * (K.T @ K)
    H /= n
    R = basis.center_labels * K_centers
    R.flat[:: len(R) + 1] += _CENTER_RIDGE
    factors = lu_factor(H + reg * R, overwrite_a=True, check_finite=False)
    a = lu_solve(factors, h, check_finite=False)
    b = lu_solve(factors, H @ a, check_finite=False)
    value = float(h @ a - 0.5 * a @ H @ a - 0.5)
    # derivatives in the logarithms of K, and in the entries of the centres' K
    pair = np.outer(a, 1.5 * a - b)
    of_K = basis.labels * ((2 * a - b) / n)
    of_K -= K @ (basis.label_moments * ((pair + pair.T) / n))
    of_K *= K
    of_centers = reg * basis.center_labels * np.outer(a, b - a)
    gradient = kernel_gradient(of_K, Z, centers, basis.X, basis.centers)
    gradient += kernel_gradient(
        of_centers * K_centers, centers, centers, basis.centers, basis.centers
    )
    return value, gradient * (-2 * gamma)


def kernel_gradient(
    E: FloatArray, Z: FloatArray, Z2: FloatArray, X: FloatArray, X2: FloatArray
) -> FloatArray:
    """Half the gradient in W of the sum of E_ib |W (x_i - x'_b)|^2, Z = XW'."""
    rows, columns = E.sum(axis=1)[:, None], E.sum(axis=0)[:, None]
    first = (rows * Z - E @ Z2).T @ X
    return first + (columns * Z2 - E.T @ Z).T @ X2


def smi_errors(
    basis: Basis, W: FloatArray, gamma: float, regs: tuple[float, ...]
) -> list[float]:
    """Mean of a'Ha/2 - h'a over folds, with a fitted on the others."""
    K = gaussian(basis.X @ W.T, basis.centers @ W.T, gamma)
    R = basis.center_labels * gaussian(basis.centers @ W.T, basis.centers @ W.T, gamma)
    R.flat[:: len(R) + 1] += _CENTER_RIDGE
    products, rows = basis.labels * K, basis.fold_rows
    joint = np.stack([products[fold].sum(axis=0) for fold in rows])
    grams = fold_grams(K, rows)
    errors = np.zeros(len(regs))
    for fold, members in enumerate(rows):
        n_out = len(members)
        h_out, labels_out, gram_out = joint[fold], basis.label_grams[fold], grams[fold]
        # the others are all less this fold
        h = joint.sum(axis=0) - h_out
        labels = basis.label_grams.sum(axis=0) - labels_out
        gram = grams.sum(axis=0) - gram_out
        H = labels * gram / (len(K) - n_out) ** 2
        H_out = labels_out * gram_out / n_out**2
        for i, reg in enumerate(regs):
            a = np.linalg.solve(H + reg * R, h / (len(K) - n_out))
            errors[i] += 0.5 * a @ H_out @ a - h_out @ a / n_out
    return list(errors)
