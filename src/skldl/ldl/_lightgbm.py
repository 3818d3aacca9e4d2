"""Boosting of a softmax on distributions, with LightGBM."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from skldl._progress import report
from skldl._typing import FloatArray
from skldl.ldl._boosted import BoostedLDL, Grown, Rows, cross_entropy, softmax_gradient
from skldl.ldl._tree_data import count_threads
from skldl.ldl._tree_tables import Table, join_tables

_NAME = "cross-entropy"
_NAN = 2  # LightGBM's number for features that had missing values in the training


class LightGBMLDL(BoostedLDL):
    def __init__(
        self,
        learning_rate: float = 0.1,
        *,
        max_iter: int = 200,
        max_leaf_nodes: int = 8,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        max_features: float = 1.0,
        reg: float = 1.0,
        validation_fraction: float | None = 0.2,
        n_iter_no_change: int = 10,
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
        if n_iter == 0 or n_labels == 1:  # one label leaves nothing to learn
            return Grown(join_tables([]), losses)
        settings = self._settings(n_labels, seed, count_threads(self.n_jobs, rows.X))
        settings["objective"] = _objective(rows)
        train = lightgbm.Dataset(
            rows.X,
            label=np.zeros(len(rows.X)),
            init_score=_repeat(start, rows),
            params=settings,
        )
        more, found = [_follow(type(self).__name__)], {}
        sets = []
        if held is not None:
            score = _repeat(start, held)
            zeros = np.zeros(len(held.X))
            sets = [train.create_valid(held.X, label=zeros, init_score=score)]
            more += [
                lightgbm.early_stopping(self.n_iter_no_change, verbose=False),
                lightgbm.record_evaluation(found),
            ]
        booster = lightgbm.train(
            settings,
            train,
            n_iter,
            valid_sets=sets,
            feval=None if held is None else _evaluation(held),
            callbacks=more,
        )
        losses += [x for named in found.values() for x in named[_NAME]]
        trees = parse_trees(booster.model_to_string(num_iteration=-1))
        if held is not None:
            trees = trees[: int(np.argmin(losses)) * n_labels]
        return Grown(join_tables(trees), losses)

    def _settings(self, n_labels: int, seed: int, n_threads: int) -> dict[str, Any]:
        """The parameters in LightGBM's words."""
        return {
            "num_class": n_labels,
            "learning_rate": self.learning_rate,
            "num_leaves": self.max_leaf_nodes,
            "max_depth": -1 if self.max_depth is None else self.max_depth,
            "min_data_in_leaf": self.min_samples_leaf,
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
    """The package, or a word about where to get it."""
    if find_spec("lightgbm") is None:
        raise ImportError(
            "LightGBMLDL needs the optional package lightgbm to be fitted; install it "
            "with pip install 'scikit-ldl[boosting]', or use BoostingLDL."
        )
    import lightgbm

    return lightgbm


def _repeat(start: FloatArray, rows: Rows) -> FloatArray:
    return np.tile(start, (len(rows.X), 1))


def _loss(scores: FloatArray, rows: Rows) -> float:
    return cross_entropy(scores, rows.D, rows.weights)


def _objective(rows: Rows) -> Callable[..., Any]:
    n_labels = rows.D.shape[1]

    def objective(scores: FloatArray, _: Any) -> tuple[FloatArray, FloatArray]:
        gradient, hessian = softmax_gradient(scores, rows.D, rows.weights)
        # LightGBM's own factor, for the part of the Hessian that is not diagonal
        return gradient, hessian * (n_labels / (n_labels - 1))

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
    left, right = (_children(numbers(f"{s}_child", np.int64)) for s in ("left", "right"))
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
