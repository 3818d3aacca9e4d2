"""Data that need no download."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.utils import check_random_state

from skldl._sklearn import Interval, validate_params
from skldl._typing import FloatArray
from skldl.datasets._dataset import Dataset, from_target, numbered
from skldl.validation import check_target

_TOY_DIRECTIONS = np.array([[4.0, 2.0, 1.0], [1.0, 2.0, 4.0], [1.0, 4.0, 2.0]])


@validate_params(
    {
        "n_samples": [Interval(Integral, 1, None, closed="left")],
        "noise": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def make_toy_ldl(
    n_samples: int = 3000, *, noise: float = 0.0, random_state: Any = None
) -> tuple[FloatArray, FloatArray]:
    r"""Three features on a surface, three labels: the toy set of the MSLP paper.

    :math:`x_1, x_2` are uniform in [-1, 1] and :math:`x_3 = e^{-x_1^2 - x_2^2}`;
    with :math:`t_j = x_j + 0.5 x_j^2 + 0.2 x_j^3 + 1`, the degrees are
    proportional to :math:`\phi_1 = (w_1^T t)^2`,
    :math:`\phi_2 = (w_2^T t + 0.01 \phi_1)^2` and
    :math:`\phi_3 = (w_3^T t + 0.01 \phi_2)^2` with
    :math:`w_1 = (4,2,1), w_2 = (1,2,4), w_3 = (1,4,2)`.

    Parameters
    ----------
    n_samples : int, default=3000
        Number of samples.
    noise : float, default=0.0
        Variance of Gaussian noise added to the features after the degrees were
        made; the paper's noisy set has 0.1.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
    D : ndarray of shape (n_samples, 3)

    Examples
    --------
    >>> from skldl.datasets import make_toy_ldl
    >>> X, D = make_toy_ldl(100, random_state=0)
    >>> X.shape, D.shape
    ((100, 3), (100, 3))
    """
    rng = check_random_state(random_state)
    plane = rng.uniform(-1, 1, size=(n_samples, 2))
    X = np.column_stack([plane, np.exp(-(plane**2).sum(axis=1))])
    t = X + 0.5 * X**2 + 0.2 * X**3 + 1
    phi = np.zeros((n_samples, 3))
    previous = np.zeros(n_samples)
    for label, direction in enumerate(_TOY_DIRECTIONS):
        previous = phi[:, label] = (t @ direction + 0.01 * previous) ** 2
    if noise:
        X = X + rng.normal(scale=np.sqrt(noise), size=X.shape)
    return X, phi / phi.sum(axis=1, keepdims=True)


@validate_params(
    {
        "n_samples": [Interval(Integral, 1, None, closed="left")],
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "n_labels": [Interval(Integral, 1, None, closed="left")],
        "n_redundant": [Interval(Integral, 0, None, closed="left")],
        "noise": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def make_ldl(
    n_samples: int = 500,
    n_features: int = 20,
    n_labels: int = 5,
    *,
    n_redundant: int = 0,
    noise: float = 0.1,
    random_state: Any = None,
) -> tuple[FloatArray, FloatArray]:
    r"""Gaussian features with softmax label distributions.

    :math:`D = \mathrm{softmax}(Z W + \text{noise})`, Z of standard normal features
    and W scaled so that the logits have unit variance. Redundant columns are
    random linear mixtures of Z; the columns are then shuffled.

    Parameters
    ----------
    n_samples, n_features, n_labels : int
        Sizes; defaults 500, 20 and 5.
    n_redundant : int, default=0
        How many of the features repeat what the others say; fewer than all.
    noise : float, default=0.1
        Standard deviation of the noise added to the logits.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    D : ndarray of shape (n_samples, n_labels)

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> X, D = make_ldl(50, n_features=8, n_labels=3, random_state=0)
    >>> X.shape, D.shape, bool(abs(D.sum(axis=1) - 1).max() < 1e-12)
    ((50, 8), (50, 3), True)
    """
    if n_redundant >= n_features:
        raise ValueError(
            f"n_redundant={n_redundant} must be less than n_features={n_features}."
        )
    rng = check_random_state(random_state)
    n_own = n_features - n_redundant
    Z = rng.normal(size=(n_samples, n_own))
    logits = Z @ rng.normal(size=(n_own, n_labels)) / np.sqrt(n_own)
    logits += noise * rng.normal(size=logits.shape)
    mixtures = Z @ rng.normal(size=(n_own, n_redundant)) / np.sqrt(n_own)
    X = np.hstack([Z, mixtures])[:, rng.permutation(n_features)]
    return X, softmax(logits, axis=1)


def _toy(noise: float) -> Callable[[], Dataset]:
    def build() -> Dataset:
        X, D = make_toy_ldl(noise=noise, random_state=0)
        return _generated("toy_noisy" if noise else "toy", X, D)

    return build


def _synthetic() -> Dataset:
    X, D = make_ldl(500, 20, 5, n_redundant=5, random_state=0)
    return _generated("synthetic", X, D)


def _generated(name: str, X: FloatArray, D: FloatArray) -> Dataset:
    return Dataset(
        name=name,
        X=X,
        kind="distribution",
        target=D,
        feature_names=numbered("feature", X.shape[1]),
        label_names=numbered("label", D.shape[1]),
        source="generated by scikit-ldl, seed 0",
        licence="BSD-3-Clause",
    )


def _bundled(name: str) -> Callable[[], Dataset]:
    def build() -> Dataset:
        from sklearn import datasets

        bunch = getattr(datasets, f"load_{name}")()
        classes = np.asarray(bunch.target_names).astype(str)
        return from_target(
            name,
            np.asarray(bunch.data, dtype=np.float64),
            check_target(classes[bunch.target]),
            feature_names=np.asarray(bunch.feature_names).astype(str),
            source="bundled with scikit-learn",
            licence="see scikit-learn's documentation of the data set",
            extra={"image_shape": (8, 8)} if name == "digits" else {},
        )

    return build


#: Data sets that are made or bundled: name -> (title, kind, builder).
BUILT_IN: dict[str, tuple[str, str, Callable[[], Dataset]]] = {
    "toy": ("The MSLP paper's toy set, 3000 samples", "distribution", _toy(0.0)),
    "toy_noisy": ("The toy set with feature noise 0.1", "distribution", _toy(0.1)),
    "synthetic": ("Softmax of Gaussian features", "distribution", _synthetic),
    "iris": ("Iris flowers, 3 classes", "classes", _bundled("iris")),
    "wine": ("Wines, 3 cultivars", "classes", _bundled("wine")),
    "breast_cancer": (
        "Breast tumours, 2 classes",
        "classes",
        _bundled("breast_cancer"),
    ),
    "digits": ("Handwritten digits, 8 x 8", "classes", _bundled("digits")),
}

#: Rows, features and labels of the built-in data sets.
BUILT_IN_SHAPES: dict[str, tuple[int, int, int]] = {
    "toy": (3000, 3, 3),
    "toy_noisy": (3000, 3, 3),
    "synthetic": (500, 20, 5),
    "iris": (150, 4, 3),
    "wine": (178, 13, 3),
    "breast_cancer": (569, 30, 2),
    "digits": (1797, 64, 10),
}
