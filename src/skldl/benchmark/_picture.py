"""A data set as points in the plane, for reports."""

import warnings
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl._typing import FloatArray
from skldl.datasets import Dataset
from skldl.methods import derive_seed
from skldl.preprocessing import TableEncoder
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
    if dataset.kind != "distribution" or dataset.n_samples < 3:
        return None
    random = np.random.default_rng(derive_seed("picture", dataset.name))
    count = min(_SAMPLES, dataset.n_samples)
    rows = np.sort(random.choice(dataset.n_samples, count, replace=False))
    part = dataset.subset(rows)
    X, D = part.X, part.target
    if part.mixed:
        X = TableEncoder(**{**part.encoding, "random_state": 0}).fit_transform(X)
    if X.shape[1] < 3:
        return None
    steps: list[Any] = [StandardScaler()]
    if X.shape[1] > _FEATURES:
        steps.append(PCA(min(_FEATURES, count - 1), random_state=0))
    with warnings.catch_warnings():  # a picture is not a result: no warning is needed
        warnings.simplefilter("ignore")
        flat = make_pipeline(*steps).fit_transform(X)
        if not flat.any():  # constant features
            return None
        method, Z = _coordinates(flat, D)
    scale = np.abs(Z).max(axis=0)
    return {
        "method": method,
        "samples": rows.tolist(),
        "coordinates": (Z / np.where(scale > 0, scale, 1.0)).round(4).tolist(),
        "degrees": D.round(6).tolist(),
    }


def _coordinates(X: FloatArray, D: FloatArray) -> tuple[str, FloatArray]:
    try:
        return "MSLP", MSLP(2).fit_transform(X, D)
    except (ValueError, np.linalg.LinAlgError):  # too few samples for its neighbours
        return "PCA", PCA(2, random_state=0).fit_transform(X)
