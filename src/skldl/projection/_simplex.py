"""From scores to distributions."""

import numpy as np

from skldl._typing import FloatArray


def nearest_distributions(scores: FloatArray) -> FloatArray:
    """Project rows on the simplex, in the Euclidean distance."""
    ordered = -np.sort(-scores, axis=1)
    excess = np.cumsum(ordered, axis=1) - 1.0
    counts = np.arange(1, scores.shape[1] + 1)
    last = (ordered * counts > excess).sum(axis=1) - 1
    shift = excess[np.arange(len(scores)), last] / (last + 1)
    return np.maximum(scores - shift[:, None], 0.0)
