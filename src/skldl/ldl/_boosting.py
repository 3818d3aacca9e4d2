"""Boosting of a softmax on distributions, with scikit-learn's histograms."""

from typing import Any

import numpy as np
from scipy.special import softmax

from skldl._progress import report
from skldl._sklearn import BinMapper, TreeGrower, TreePredictor, add_leaf_values
from skldl._typing import FloatArray
from skldl.ldl._boosted import BoostedLDL, Grown, Rows, cross_entropy, softmax_gradient
from skldl.ldl._tree_data import count_threads
from skldl.ldl._tree_tables import boosted_table, join_tables

_N_BINS = 256  # the last one for missing values


class BoostingLDL(BoostedLDL):
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
        machine = _Machine(self, rows, held, seed)
        losses = [] if held is None else [machine.held_out_loss()]
        for iteration in range(n_iter):
            machine.step()
            report(type(self).__name__, iteration + 1, n_iter)
            if held is None:
                continue
            losses.append(machine.held_out_loss())
            if len(losses) - 1 - int(np.argmin(losses)) >= self.n_iter_no_change:
                break
        n_kept = n_iter if held is None else int(np.argmin(losses))
        kept = machine.trees[: n_kept * rows.D.shape[1]]
        return Grown(join_tables([boosted_table(tree.nodes) for tree in kept]), losses)


class _Machine:
    """The scores of all samples, and the trees that made them."""

    def __init__(
        self, model: BoostingLDL, rows: Rows, held: Rows | None, seed: int
    ) -> None:
        self.rows, self.held, self.trees = rows, held, []
        self.n_threads = count_threads(model.n_jobs, rows.X)
        self.bins = BinMapper(_N_BINS, random_state=seed, n_threads=self.n_threads)
        self.X = self.bins.fit_transform(rows.X)
        self.settings = {
            "n_bins": _N_BINS,
            "n_bins_non_missing": self.bins.n_bins_non_missing_,
            "has_missing_values": (self.X == _N_BINS - 1).any(axis=0),
            "max_leaf_nodes": model.max_leaf_nodes,
            "max_depth": model.max_depth,
            "min_samples_leaf": model.min_samples_leaf,
            "l2_regularization": model.reg,
            "feature_fraction_per_split": model.max_features,
            "rng": np.random.default_rng(seed),
            "shrinkage": model.learning_rate,
            "n_threads": self.n_threads,
        }
        baseline = rows.baseline()
        self.scores = np.asfortranarray(np.tile(baseline, (len(rows.X), 1)))
        if held is not None:
            self.X_held = self.bins.transform(held.X)
            self.scores_held = np.tile(baseline, (len(held.X), 1))

    def step(self) -> None:
        """One tree for each label, a Newton step on its scores."""
        derivatives = softmax_gradient(self.scores, self.rows.D, self.rows.weights)
        gradient, hessian = (np.asfortranarray(d, np.float32) for d in derivatives)
        for label in range(gradient.shape[1]):
            grower = TreeGrower(
                self.X, gradient[:, label], hessian[:, label], **self.settings
            )
            grower.grow()
            tree = grower.make_predictor(self.bins.bin_thresholds_)
            add_leaf_values(self.scores[:, label], grower, self.n_threads)
            self.trees.append(tree)
            if self.held is not None:
                self.scores_held[:, label] += tree.predict_binned(
                    self.X_held, _N_BINS - 1, self.n_threads
                )

    def held_out_loss(self) -> float:
        """Cross-entropy of the held-out samples."""
        assert self.held is not None
        return cross_entropy(self.scores_held, self.held.D, self.held.weights)
