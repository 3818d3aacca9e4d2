"""A data set as points in the plane, for reports."""

from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.benchmark._splits import derive_seed
from skldl.datasets import Dataset
from skldl.projection import MSLP

_SAMPLES = 400
_FEATURES = 50  # more are reduced first: neighbours are sought in these


def picture_of(dataset: Dataset) -> dict[str, Any] | None:
    """Two coordinates by MSLP of some samples, and their distributions.

    Parameters
    ----------
    dataset : Dataset
        Any; only distributions have a picture.

    Returns
    -------
    picture : dict or None
        Keys method, samples, coordinates and degrees; plain lists.
    """
    if dataset.kind != "distribution" or min(dataset.X.shape) < 3:
        return None
    random = np.random.default_rng(derive_seed("picture", dataset.name))
    count = min(_SAMPLES, dataset.n_samples)
    rows = np.sort(random.choice(dataset.n_samples, count, replace=False))
    X, D = dataset.X[rows], dataset.target[rows]
    steps: list[Any] = [StandardScaler()]
    if dataset.n_features > _FEATURES:
        steps.append(PCA(min(_FEATURES, count - 1), random_state=0))
    flat = make_pipeline(*steps).fit_transform(X)
    method = "MSLP"
    try:
        Z = MSLP(2).fit_transform(flat, D)
    except ValueError:  # too few samples for its neighbours
        method, Z = "PCA", PCA(2, random_state=0).fit_transform(flat)
    scale = np.abs(Z).max(axis=0)
    return {
        "method": method,
        "samples": rows.tolist(),
        "coordinates": (Z / np.where(scale > 0, scale, 1.0)).round(4).tolist(),
        "degrees": D.round(6).tolist(),
    }
