"""Boosting of a softmax on distributions, with LightGBM."""

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from skldl._progress import report
from skldl._typing import FloatArray
from skldl.ldl._boosted import BoostedLDL, Grown, Rows, cross_entropy, softmax_gradient
from skldl.ldl._tree_data import count_threads
from skldl.ldl._tree_tables import Table, flat_tree, join_tables

_NAME = "cross-entropy"
_NAN = 2  # LightGBM's number for features that had missing values in the training


class LightGBMLDL(BoostedLDL):
    r"""Boosted trees with a softmax, fitted to distributions by LightGBM.

    Predictions are :math:`p = \mathrm{softmax}(F(x))`. F starts at the logarithm of the
    mean distribution, and each iteration adds one tree per label, a Newton step on the
    cross-entropy with the distributions

    .. math:: \min_F \; -\sum_i w_i \sum_k d_{ik} \log p_k(x_i),

    whose derivatives are :math:`g_{ik} = w_i (p_{ik} - d_{ik})` and
    :math:`h_{ik} = w_i p_{ik} (1 - p_{ik}) K / (K - 1)` for K labels. A leaf L of the
    tree of label k adds
    :math:`-\eta \sum_{i \in L} g_{ik} / (\sum_{i \in L} h_{ik} + \lambda)`. No
    sample is copied, and no degree is drawn or rounded to a class.

    Parameters
    ----------
    learning_rate : float, default=0.05
        Share of each step that is taken.
    max_iter : int, default=400
        Iterations at most, of one tree per label; 0 gives the mean distribution.
    max_leaf_nodes : int, default=8
        Leaves of a tree at most, the best ones first.
    max_depth : int or None, default=None
        Levels below the root at most; None for no limit.
    min_samples_leaf : int, default=20
        Samples that a leaf needs.
    max_features : float, default=0.3
        Share of the features that are drawn in each node to search a split.
    reg : float, default=1.0
        Ridge :math:`\lambda` on the values of the leaves.
    validation_fraction : float or None, default=0.2
        Share of the samples that is held out to see when to stop; None grows
        ``max_iter`` iterations. Nothing is held out of samples too few to divide.
    n_iter_no_change : int, default=20
        Iterations without a lower held-out loss before it stops.
    refit : bool, default=True
        Whether to fit again on all samples, for as many iterations as had the lowest
        held-out loss; otherwise the trees of the first part are kept.
    n_jobs : int or None, default=None
        Threads; None takes one where the data are small and all where they are large.
    random_state : int, RandomState or None, default=None
        Seed of what is held out and of the features drawn.

    Attributes
    ----------
    baseline_ : ndarray of shape (n_labels,)
        Scores of the start, logarithms of the mean distribution.
    trees_ : dict of ndarray
        Nodes of all trees, in the order of iterations and labels.
    best_iteration_ : int
        Iterations of the model.
    n_iter_ : int
        Iterations run until it stopped.
    validation_loss_ : ndarray of shape (`n_iter_` + 1,)
        Cross-entropy of the held-out samples before and after each iteration; empty if
        none were held out.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the gains of all splits.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    BoostingLDL : The same without an optional package.

    Notes
    -----
    Fitting needs the optional package lightgbm (``pip install
    'scikit-ldl[boosting]'``), predicting does not: the trees are kept as arrays, so
    that a saved model runs no code when it is opened and is checked before it is used.

    LightGBM gets the derivatives as a custom objective. On one-hot rows the predictions
    are those of its own ``multiclass`` objective with the same parameters
    (``max_leaf_nodes`` is its ``num_leaves``, ``min_samples_leaf`` its
    ``min_data_in_leaf``, ``max_features`` its ``feature_fraction_bynode``, ``reg`` its
    ``lambda_l2``).

    Missing values (NaN) go to the side that lowers the loss more; where the training
    had none, they count as 0, as in LightGBM.

    Samples of weight zero are left out. A weight of 2 is a sample given twice, apart
    from ``min_samples_leaf``, the bins and what is held out.

    References
    ----------
    .. [1] G. Ke et al., "LightGBM: A Highly Efficient Gradient Boosting Decision Tree",
           NIPS, 2017.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LightGBMLDL, MeanDistribution
    >>> X, D = make_ldl(300, random_state=0)
    >>> model = LightGBMLDL(random_state=0).fit(X[:200], D[:200])
    >>> mean = MeanDistribution().fit(X[:200], D[:200])
    >>> model.score(X[200:], D[200:]) > mean.score(X[200:], D[200:])
    True
    """

    def __init__(
        self,
        learning_rate: float = 0.05,
        *,
        max_iter: int = 400,
        max_leaf_nodes: int = 8,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        max_features: float = 0.3,
        reg: float = 1.0,
        validation_fraction: float | None = 0.2,
        n_iter_no_change: int = 20,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.reg = reg
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _grow(self, rows: Rows, held: Rows | None, n_iter: int, seed: int) -> Grown:
        lightgbm = _load()
        n_labels, start = rows.D.shape[1], rows.baseline()
        losses = [] if held is None else [_loss(_repeat(start, held), held)]
        if n_iter == 0 or n_labels == 1:
            return _flat(n_iter, n_labels, losses)
        settings = self._settings(n_labels, seed, count_threads(self.n_jobs, rows.X))
        train = lightgbm.Dataset(
            rows.X, np.zeros(len(rows.X)), init_score=_repeat(start, rows),
            params=settings,
        ).construct()  # fmt: skip
        bins = (train.feature_num_bin(i) for i in range(rows.X.shape[1]))
        if max(bins) < 2:  # nothing to split, which LightGBM refuses
            return _flat(n_iter, n_labels, losses)
        stopping, found = self._stopping(lightgbm, train, held, start)
        callbacks = [_follow(type(self).__name__), *stopping.pop("callbacks")]
        booster = lightgbm.train(
            {**settings, "objective": _objective(rows)},
            train,
            n_iter,
            callbacks=callbacks,
            **stopping,
        )
        losses += [loss for named in found.values() for loss in named[_NAME]]
        trees = parse_trees(booster.model_to_string(num_iteration=-1))
        if held is not None:
            trees = trees[: int(np.argmin(losses)) * n_labels]
        return Grown(join_tables(trees), losses)

    def _stopping(
        self, lightgbm: Any, train: Any, held: Rows | None, start: FloatArray
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arguments that watch the held-out samples, and where losses will be."""
        if held is None:
            return {"callbacks": []}, {}
        found: dict[str, Any] = {}
        watched = train.create_valid(
            held.X, np.zeros(len(held.X)), init_score=_repeat(start, held)
        )
        callbacks = [
            lightgbm.early_stopping(self.n_iter_no_change, verbose=False),
            lightgbm.record_evaluation(found),
        ]
        evaluation = _evaluation(held)
        more = {"valid_sets": [watched], "feval": evaluation, "callbacks": callbacks}
        return more, found

    def _settings(self, n_labels: int, seed: int, n_threads: int) -> dict[str, Any]:
        """The parameters in LightGBM's words."""
        return {
            "objective": "custom",
            "num_class": n_labels,
            "learning_rate": self.learning_rate,
            "num_leaves": self.max_leaf_nodes,
            "max_depth": -1 if self.max_depth is None else self.max_depth,
            "min_data_in_leaf": self.min_samples_leaf,
            "min_data_in_bin": min(3, self.min_samples_leaf),
            "feature_fraction_bynode": self.max_features,
            "lambda_l2": self.reg,
            "metric": "none",
            "seed": seed,
            "num_threads": n_threads,
            # the same sums whatever the number of threads
            "deterministic": True,
            "force_col_wise": True,
            "verbosity": -1,
        }


def _load() -> Any:
    """The package, or an error that says where to get it."""
    if find_spec("lightgbm") is None:
        raise ImportError(
            "LightGBMLDL needs the optional package lightgbm to be fitted; install it "
            "with pip install 'scikit-ldl[boosting]', or use BoostingLDL."
        )
    with warnings.catch_warnings():
        # it looks for other packages, which may have something to say
        warnings.simplefilter("ignore", FutureWarning)
        import lightgbm

    return lightgbm


def _flat(n_iter: int, n_labels: int, losses: list[float]) -> Grown:
    """Iterations that change nothing; none of them is kept if losses are watched."""
    trees = [] if losses else [flat_tree()] * (n_iter * n_labels)
    return Grown(join_tables(trees), losses * (n_iter + 1))


def _repeat(start: FloatArray, rows: Rows) -> FloatArray:
    return np.tile(start, (len(rows.X), 1))


def _loss(scores: FloatArray, rows: Rows) -> float:
    return cross_entropy(scores, rows.D, rows.weights)


def _objective(rows: Rows) -> Callable[..., Any]:
    n_labels = rows.D.shape[1]

    def objective(scores: FloatArray, _: Any) -> tuple[FloatArray, FloatArray]:
        gradient, hessian = softmax_gradient(scores, rows.D, rows.weights)
        # LightGBM's own factor, for the part of the Hessian that is not diagonal
        return gradient, hessian * (n_labels / max(n_labels - 1, 1))

    return objective


def _evaluation(held: Rows) -> Callable[..., Any]:
    def evaluation(scores: FloatArray, _: Any) -> tuple[str, float, bool]:
        return _NAME, _loss(scores, held), False

    return evaluation


def _follow(name: str) -> Callable[[Any], None]:
    def callback(state: Any) -> None:
        report(name, state.iteration + 1, state.end_iteration)

    return callback


def parse_trees(text: str) -> list[Table]:
    """The trees of a LightGBM model in its text form, as columns.

    Parameters
    ----------
    text : str
        Of ``Booster.model_to_string()``, without categorical features.

    Returns
    -------
    trees : list of dict of ndarray
    """
    parts = text.partition("\nend of trees")[0].split("\nTree=")[1:]
    return [_parse_tree(part) for part in parts]


def _parse_tree(part: str) -> Table:
    lines = dict(line.split("=", 1) for line in part.splitlines() if "=" in line)

    def numbers(name: str, kind: Any) -> np.ndarray:
        return np.array(lines.get(name, "").split(), dtype=kind)

    n_inner = int(lines["num_leaves"]) - 1
    leaves = np.full(n_inner + 1, -1)
    split = numbers("threshold", np.float64)
    decision = numbers("decision_type", np.int64)
    # a feature that never was missing takes a missing value for 0
    to_left = np.where(decision >> 2 & 3 == _NAN, decision & 2 > 0, split >= 0.0)
    none = np.zeros(n_inner + 1)
    left, right = (
        _children(numbers(f"{s}_child", np.int64)) for s in ("left", "right")
    )
    return {
        "left": np.concatenate([left, leaves]).astype(np.int32),
        "right": np.concatenate([right, leaves]).astype(np.int32),
        "feature": np.concatenate([numbers("split_feature", int), leaves]).astype("i4"),
        "threshold": np.concatenate([split, none]),
        "missing_left": np.concatenate([to_left, none > 0]),
        "value": np.concatenate([none[:-1], numbers("leaf_value", np.float64)]),
        "gain": np.concatenate([numbers("split_gain", np.float64), none]),
    }


def _children(numbers: np.ndarray) -> np.ndarray:
    """LightGBM counts leaves as -1, -2, ...; here they come after the inner nodes."""
    return np.where(numbers < 0, len(numbers) - 1 - numbers, numbers)
