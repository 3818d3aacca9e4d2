"""The layers of J-Play while they are trained."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve

from skldl._progress import listening, report
from skldl._typing import FloatArray
from skldl.graphs import laplacian
from skldl.projection._jplay_layers import layer_pencil, learn_layer, smooth_matrix
from skldl.solvers import JPlayLayer, JPlayPencil, jplay_admm


class JPlayWeights(NamedTuple):
    """Of labels, smoothness, the label map's ridge, smoothness in pre-training."""

    label: float
    smoothness: float
    reg: float
    pretrain_smoothness: float


class LayerStack:
    """Layers over samples X with label matrix Y and graph weights W.

    ``terms`` holds the four parts of the objective, first after pre-training.
    """

    def __init__(
        self,
        X: FloatArray,
        Y: FloatArray,
        W: sp.csr_array,
        weights: JPlayWeights,
        *,
        growth: float,
        max_iter: int,
        tol: float,
        callback: Callable[[int, int, float], None] | None = None,
    ) -> None:
        self.X, self.Y, self.W, self.weights = X, Y, W, weights
        self.laplacian = laplacian(W)
        self.settings: dict[str, Any] = {
            "growth": growth,
            "max_iter": max_iter,
            "tol": tol,
        }
        self.callback = callback
        self.projections: list[FloatArray] = []
        self.terms: list[FloatArray] = []
        self.residual, self.tol = 0.0, tol
        # the first layer's input never changes
        self.first_pencil = layer_pencil(X, self.laplacian)

    def codes(self) -> list[FloatArray]:
        """The samples in every layer, from the features on."""
        codes = [self.X]
        for theta in self.projections:
            codes.append(codes[-1] @ theta.T)
        return codes

    def product(self) -> FloatArray:
        """All layers as one projection."""
        folded = self.projections[0]
        for theta in self.projections[1:]:
            folded = theta @ folded
        return folded

    def label_map(self) -> FloatArray:
        """Best P for the present projections, by ridge regression."""
        V, weights = self.codes()[-1], self.weights
        gram = weights.label * (V.T @ V) + weights.reg * np.eye(V.shape[1])
        right = weights.label * (V.T @ self.Y)
        return solve(gram, right, assume_a="pos").T

    def pretrain(self, size: int) -> FloatArray:
        """Add a layer that rebuilds the last one; it may be smaller than wanted."""
        inputs = self.codes()[-1]
        pencil = self._pencil(inputs, len(self.projections))
        solution = learn_layer(
            inputs,
            self.W,
            pencil,
            size,
            self.weights.pretrain_smoothness,
            **self.settings,
        )
        self.projections.append(solution.x)
        self.residual = max(self.residual, solution.residual)
        if self.callback is not None or listening():
            rebuilt, smooth = layer_terms(inputs, solution.x, self.laplacian)
            value = rebuilt + self.weights.pretrain_smoothness * smooth
            self._call_back(len(self.projections), 0, None, float(value))
        return solution.x

    def train(self, max_iter: int, tol: float) -> bool:
        """Update all layers in turns; whether the objective settled."""
        P = self.label_map()
        self.terms = [self.objective(P)]
        for number in range(1, max_iter + 1):
            self._round(P, number, max_iter)
            self.terms.append(self.objective(P))
            if self.change() < tol:
                return self.residual < self.tol
            P = self.label_map()
        return max_iter == 0 and self.residual < self.tol

    def change(self) -> float:
        """Change of the objective in the last round, as a share of it."""
        if len(self.terms) < 2:
            return 0.0
        before, after = self.terms[-2].sum(), self.terms[-1].sum()
        return float(abs(after - before) / max(before, np.finfo(float).tiny))

    def _round(self, P: FloatArray, number: int, rounds: int) -> None:
        """Update the layers from the first to the last, the later ones held."""
        inputs, self.residual = self.X, 0.0
        downstream = [P]
        for theta in self.projections[:0:-1]:
            downstream.append(downstream[-1] @ theta)
        for i, to_labels in enumerate(reversed(downstream)):
            solution = jplay_admm(
                self._layer(inputs, i, to_labels), self.projections[i], **self.settings
            )
            self.projections[i] = solution.x
            self.residual = max(self.residual, solution.residual)
            inputs = inputs @ solution.x.T
            if self.callback is not None or listening():
                self._call_back(i + 1, number, rounds, float(self.objective(P).sum()))

    def _call_back(
        self, layer: int, number: int, rounds: int | None, value: float
    ) -> None:
        """To the callback and to the hook: layer, round, objective."""
        if self.callback is not None:
            self.callback(layer, number, value)
        detail = {"layer": layer, "round": number, "objective": value}
        if number == 0:
            report("JPlay: pre-training", layer, None, **detail)
        else:
            done = (number - 1) * len(self.projections) + layer
            total = rounds * len(self.projections) if rounds else None
            report("JPlay: training", done, total, **detail)

    def _layer(self, inputs: FloatArray, i: int, to_labels: FloatArray) -> JPlayLayer:
        weight = self.weights.label
        return JPlayLayer(
            inputs,
            self._pencil(inputs, i),
            self.weights.smoothness,
            label_pull=weight * (self.Y @ to_labels),
            label_gram=weight * (to_labels.T @ to_labels),
        )

    def _pencil(self, inputs: FloatArray, i: int) -> JPlayPencil:
        return self.first_pencil if i == 0 else layer_pencil(inputs, self.laplacian)

    def objective(self, P: FloatArray) -> FloatArray:
        """Reconstruction, labels, smoothness and ridge, weighted."""
        codes = self.codes()
        parts = [
            layer_terms(inputs, theta, self.laplacian)
            for inputs, theta in zip(codes[:-1], self.projections, strict=True)
        ]
        rebuilt, smooth = np.sum(parts, axis=0)
        missed = self.Y - codes[-1] @ P.T
        label, smoothness, reg, _ = self.weights
        labels = label / 2 * np.vdot(missed, missed)
        ridge = reg / 2 * np.vdot(P, P)
        return np.array([rebuilt, labels, smoothness * smooth, ridge])


def layer_terms(
    inputs: FloatArray, theta: FloatArray, L: sp.csr_array
) -> tuple[float, float]:
    """Halves of the squared reconstruction error and of the smoothness."""
    missed = inputs - (inputs @ theta.T) @ theta
    smooth = np.vdot(theta, theta @ smooth_matrix(inputs, L))
    return float(np.vdot(missed, missed)) / 2, float(smooth) / 2
