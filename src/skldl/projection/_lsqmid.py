"""LSQMID: the subspace with the largest quadratic mutual information."""

import numpy as np

from skldl._typing import FloatArray
from skldl.projection._information import Basis, InformationProjection, gaussian


class LSQMID(InformationProjection):
    r"""Dimension reduction by least-squares derivatives of quadratic information.

    .. math:: \max_{W W^T = I} QMI = \tfrac12 \iint f^2, \qquad
       f(y, z) = p(y, z) - p(y) p(z), \quad z = W x.

    The derivatives :math:`\partial f/\partial z_l` are fitted directly, as sums of
    kernels :math:`k(y, y_b) \exp(-\gamma \|z - z_b\|^2)`, and give the gradient of
    QMI in W; f itself is fitted the same way for the line search.

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
        Ridge of the fits, relative to kernels of unit norm.
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
        Estimated information, up to a factor that depends on gamma and size only.
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
    LSDR : The same with squared-loss mutual information.

    Notes
    -----
    The basis and the update are ours: the publication's could not be read in full.
    The factor :math:`(\pi / 2\gamma)^{l/2}` of the kernels' norms, which over- or
    underflows in many dimensions, is left out of value and gradient alike; starts are
    compared by the value without it.

    References
    ----------
    .. [1] V. Tangkaratt, H. Sasaki, M. Sugiyama, "Direct Estimation of the Derivative
       of Quadratic Mutual Information with Application in Supervised Dimension
       Reduction", arXiv:1508.01019, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.projection import LSQMID
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> y = (np.abs(X[:, 0]) > 0.7).astype(int)
    >>> model = LSQMID(1, random_state=0).fit(X, y)
    >>> int(np.abs(model.components_[0]).argmax())
    0
    """

    def _information(
        self, basis: Basis, W: FloatArray, gamma: float, reg: float
    ) -> tuple[float, FloatArray]:
        return qmi_and_grad(basis, W, gamma, reg)

    def _errors(
        self, basis: Basis, W: FloatArray, gamma: float, regs: tuple[float, ...]
    ) -> list[float]:
        return qmi_errors(basis, W, gamma, regs)


def qmi_and_grad(
    basis: Basis, W: FloatArray, gamma: float, reg: float
) -> tuple[float, FloatArray]:
    """Estimates of QMI and of its gradient in W, both without the kernels' norm."""
    Z, centers = basis.X @ W.T, basis.centers @ W.T
    M = gaussian(Z, centers, gamma)
    M *= basis.centred_labels
    overlap = kernel_overlap(basis, centers, gamma)
    ridged = overlap + reg * np.eye(len(overlap))
    slopes = derivative_means(M, Z, centers, gamma)
    mean = M.mean(axis=0)
    fitted = np.linalg.solve(ridged, np.column_stack([mean, slopes]))
    weights, theta = fitted[:, 0], -fitted[:, 1:]
    value = float(weights @ mean - 0.5 * weights @ overlap @ weights)
    return value, theta.T @ (M.T @ basis.X) / len(Z)


def contrast(labels: FloatArray, K: FloatArray) -> FloatArray:
    """Kernels whose column means are those under p(y, z) less those under p(y) p(z)."""
    return (labels - labels.mean(axis=0)) * K


def kernel_overlap(basis: Basis, centers: FloatArray, gamma: float) -> FloatArray:
    """Integrals of products of two kernels, each of unit norm in z."""
    return basis.overlap * gaussian(centers, centers, gamma / 2)


def derivative_means(
    M: FloatArray, Z: FloatArray, centers: FloatArray, gamma: float
) -> FloatArray:
    """Means of the kernels' derivatives in each coordinate, (b, k)."""
    pulled = M.T @ Z - M.sum(axis=0)[:, None] * centers
    return pulled * (-2 * gamma / len(Z))


def qmi_errors(
    basis: Basis, W: FloatArray, gamma: float, regs: tuple[float, ...]
) -> list[float]:
    """Least-squares errors of the derivatives on folds, fitted on the others."""
    Z, centers = basis.X @ W.T, basis.centers @ W.T
    K = gaussian(Z, centers, gamma)
    overlap = kernel_overlap(basis, centers, gamma)
    # the norm of a kernel matters here, where gammas are compared
    spread = np.sqrt(Z.var(axis=0).mean()) or 1.0
    scale = (spread * np.sqrt(2 * gamma)) ** W.shape[0]
    inside, outside = (
        [
            derivative_means(
                contrast(basis.labels[rows], K[rows]), Z[rows], centers, gamma
            )
            for rows in parts
        ]
        for parts in (
            [basis.folds != fold for fold in np.unique(basis.folds)],
            basis.fold_rows,
        )
    )
    errors = []
    for reg in regs:  # all folds have the same matrix
        ridged = overlap + reg * np.eye(len(overlap))
        thetas = -np.linalg.solve(ridged, np.hstack(inside))
        fit = np.vdot(thetas, overlap @ thetas)
        errors.append(scale * (fit + 2 * np.vdot(thetas, np.hstack(outside))))
    return errors
