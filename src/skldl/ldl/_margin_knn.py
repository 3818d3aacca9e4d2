"""Large-margin weighted nearest neighbours: LWkNN-LDL and LDkNN-LDL."""

from typing import Any

import numpy as np

from skldl._sklearn import StrOptions
from skldl._typing import FloatArray
from skldl.ldl._margin_knn_base import MarginKNN


class LWkNN(MarginKNN):
    r"""Nearest neighbours with learned weights and a large margin (LWkNN-LDL).

    .. math:: \min_w \sum_i \lVert d_i - A_i w \rVert_1
       + \frac{\lambda_2}{\rho} \sum_i \sum_{l \ne \ell_i}
         [\rho - (p_{i\ell_i} - p_{il})]_+
       + \frac{\lambda_1}{2} \lVert w \rVert^2, \qquad p_i = A_i w,

    where the columns of :math:`A_i` are the distributions of the k nearest neighbours
    of sample i, nearest first and without the sample itself, and :math:`\ell_i` is its
    largest label. The first term fits the distribution; the second penalises a largest
    label that does not lead by a margin, because a label is chosen in the end. A
    prediction uses the weights clipped at 0 and normalised.

    Parameters
    ----------
    n_neighbors : int, default=11
        Neighbours, k.
    margin : float, "mean" or "sample", default=0.1
        :math:`\rho`. ``"mean"`` takes the mean lead of the largest degree over the
        second in the training distributions, ``"sample"`` each sample's own lead.
    margin_weight : float, default=1.0
        :math:`\lambda_2`; 0 gives WkNN-LDL.
    reg : float, default=1e-3
        :math:`\lambda_1`.
    loss_weight : "entropy" or None, default=None
        ``"entropy"`` weights the absolute error of a degree by the degree times the
        entropy of its distribution, as the authors' code does.
    solver : {"auto", "newton", "lbfgs"}, default="auto"
        ``"newton"`` follows the barrier path by Newton steps; ``"lbfgs"`` solves the
        same levels without Hessians; ``"auto"`` takes the former up to 4,000 weights.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    max_iter : int, default=500
        Iterations at most.
    tol : float, default=1e-5
        Relative gap to the optimum at which the search ends.
    n_jobs : int or None, default=None
        Threads of the search.

    Attributes
    ----------
    neighbor_coef_ : ndarray of shape (n_neighbors,)
        Learned weights, nearest neighbour first, before clipping.
    objective_ : float
        The objective there.
    objective_history_ : ndarray
        The objective before each Newton step; with L-BFGS at the end of each level of
        the barrier. The smallest is ``objective_``.
    dual_gap_ : float
        Certificate: the objective exceeds its minimum by at most this share of it (or
        of 1e-4 per sample, if that is more); infinite if there is no proof.
    n_iter_ : int
        Iterations taken.
    n_fallback_ : int
        Training samples whose clipped weights vanish; they get uniform weights, as
        any such sample in ``predict``.
    recall_ : float
        Share of true neighbours that the search found; 1 for an exact one.
    distributions_ : ndarray of shape (n_samples, n_labels)
        Training distributions.
    index_ : NeighborIndex
        The training samples, indexed.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    LDkNN : Weights that depend on the distances.
    skldl.model_selection.PathSearchCV : Its parameters by cross-validation.

    Notes
    -----
    Scale the features first; the weights cannot repair a bad metric.

    The objective is the paper's; the authors' code differs from it (its margin term is
    not divided by :math:`\rho`, LWkNN has no ridge, the loss is weighted by entropy).
    The paper's gradient descent ends far from the optimum; here a barrier method ends
    with a proof of how near it is. With ``margin="sample"`` all samples share the
    slope :math:`\lambda_2 / \bar\rho` of the mean lead, because a lead of nearly 0
    would otherwise outweigh all others. Data without any lead have no margin term.

    Equally distant neighbours are taken in the order of their rows. Where duplicates
    carry different distributions, that order matters a little.

    With ``sample_weight`` the terms of sample i in the first two sums count
    :math:`s_i` times. The learned coefficients belong to places among the neighbours,
    not to samples, so in a prediction neighbours of all weights count alike; see
    :class:`AAkNN` for an average that depends on the weights of the neighbours.

    References
    ----------
    .. [1] J. Wang, X. Geng, "Large Margin Weighted k-Nearest Neighbors Label
       Distribution Learning for Classification", IEEE Transactions on Neural Networks
       and Learning Systems 35(11), 2024.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LWkNN
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = LWkNN(n_neighbors=7).fit(X, D)
    >>> model.neighbor_coef_.shape, model.dual_gap_ < 1e-5, model.predict(X[:2]).shape
    ((7,), True, (2, 5))
    >>> bool(model.objective_history_.min() == model.objective_)
    True
    """

    # the paper's range
    _grids: dict = {
        "default": {"n_neighbors": [11, 13, 15, 17, 19, 21]},
        "published": {"n_neighbors": [11, 13, 15, 17, 19, 21]},
    }

    def __init__(
        self,
        n_neighbors: int = 11,
        *,
        margin: float | str = 0.1,
        margin_weight: float = 1.0,
        reg: float = 1e-3,
        loss_weight: str | None = None,
        solver: str = "auto",
        engine: Any = "auto",
        max_iter: int = 500,
        tol: float = 1e-5,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.margin = margin
        self.margin_weight = margin_weight
        self.reg = reg
        self.loss_weight = loss_weight
        self.solver = solver
        self.engine = engine
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs


class LDkNN(MarginKNN):
    r"""Nearest neighbours weighted by a learned map of their distances (LDkNN-LDL).

    The objective of :class:`LWkNN` with the weights of sample i,

    .. math:: w_i = W u_i, \qquad W \in \mathbb{R}^{k \times k},

    where :math:`u_i` has the distances to its k neighbours, nearest first, and the
    ridge is on W.

    Parameters
    ----------
    n_neighbors : int, default=11
        Neighbours, k.
    distance_norm : {"row", "global", "none"}, default="row"
        What distances are divided by: their mean over the sample's neighbours, the
        mean over all, or nothing, which is the paper's choice.
    margin : float, "mean" or "sample", default=0.1
        :math:`\rho`, see :class:`LWkNN`.
    margin_weight : float, default=1.0
        :math:`\lambda_2`; 0 gives DkNN-LDL.
    reg : float, default=1e-3
        :math:`\lambda_1`. The paper's value is small for :math:`k^2` weights; with
        normalised distances 1 to 10 predicts better.
    loss_weight : "entropy" or None, default=None
        See :class:`LWkNN`.
    solver : {"auto", "newton", "lbfgs"}, default="auto"
        See :class:`LWkNN`; Newton's Hessian has :math:`k^4` entries.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    max_iter : int, default=500
        Iterations at most.
    tol : float, default=1e-5
        Relative gap to the optimum at which the search ends.
    n_jobs : int or None, default=None
        Threads of the search.

    Attributes
    ----------
    neighbor_coef_ : ndarray of shape (n_neighbors, n_neighbors)
        Learned map W from distances to weights.
    scale_ : float
        What ``distance_norm="global"`` divides by; 1 otherwise.
    objective_ : float
        The objective there.
    objective_history_ : ndarray
        The objective before each Newton step; with L-BFGS at the end of each level of
        the barrier. The smallest is ``objective_``.
    dual_gap_ : float
        Certificate: the objective exceeds its minimum by at most this share of it (or
        of 1e-4 per sample, if that is more); infinite if there is no proof.
    n_iter_ : int
        Iterations taken.
    n_fallback_ : int
        Training samples whose clipped weights vanish; they get uniform weights, as
        any such sample in ``predict``.
    recall_ : float
        Share of true neighbours that the search found; 1 for an exact one.
    distributions_ : ndarray of shape (n_samples, n_labels)
        Training distributions.
    index_ : NeighborIndex
        The training samples, indexed.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    LWkNN : One weight per neighbour for all samples.
    skldl.model_selection.PathSearchCV : Its parameters by cross-validation.

    Notes
    -----
    With raw distances a sample whose neighbours are twice as far gets twice the total
    weight, though the loss wants about 1 from every sample: the model is then a
    restriction of :class:`LWkNN`, and the ridge depends on the units of the features.
    Divided by their mean in each row, distances let :math:`W = w 1^T / k` reproduce
    LWkNN, so that LDkNN can only fit better. A sample whose neighbours all coincide
    with it has inputs 0, hence uniform weights.

    With ``sample_weight`` the terms of the objective are weighted as in :class:`LWkNN`.

    References
    ----------
    .. [1] J. Wang, X. Geng, "Large Margin Weighted k-Nearest Neighbors Label
       Distribution Learning for Classification", IEEE Transactions on Neural Networks
       and Learning Systems 35(11), 2024.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LDkNN, LWkNN
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = LDkNN(n_neighbors=7, reg=0.0).fit(X, D)
    >>> model.neighbor_coef_.shape
    (7, 7)
    >>> model.objective_ <= LWkNN(n_neighbors=7, reg=0.0).fit(X, D).objective_
    True
    >>> bool(model.objective_history_.min() == model.objective_)
    True
    """

    _parameter_constraints: dict = {
        **MarginKNN._parameter_constraints,
        "distance_norm": [StrOptions({"row", "global", "none"})],
    }

    _grids: dict = {
        "default": {"n_neighbors": [11, 15, 21], "reg": [1e-3, 1.0, 10.0]},
        "published": {"n_neighbors": [11, 15, 21]},
    }

    def __init__(
        self,
        n_neighbors: int = 11,
        *,
        distance_norm: str = "row",
        margin: float | str = 0.1,
        margin_weight: float = 1.0,
        reg: float = 1e-3,
        loss_weight: str | None = None,
        solver: str = "auto",
        engine: Any = "auto",
        max_iter: int = 500,
        tol: float = 1e-5,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.distance_norm = distance_norm
        self.margin = margin
        self.margin_weight = margin_weight
        self.reg = reg
        self.loss_weight = loss_weight
        self.solver = solver
        self.engine = engine
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    def _fit_inputs(self, distances: FloatArray) -> FloatArray | None:
        self.scale_ = 1.0
        if self.distance_norm == "global":
            self.scale_ = float(distances.mean()) or 1.0
        return self._inputs(distances)

    def _inputs(self, distances: FloatArray) -> FloatArray:
        if self.distance_norm != "row":
            return distances / self.scale_
        mean = distances.mean(axis=1, keepdims=True)
        return distances / np.where(mean > 0, mean, 1.0)

    def _coefficients(self, distances: FloatArray) -> FloatArray:
        return self._inputs(distances) @ self.neighbor_coef_.T
