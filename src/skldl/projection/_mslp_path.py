"""Many settings of MSLP, no work done twice."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from skldl._typing import FloatArray
from skldl.graphs import NeighborIndex, neighbor_graph, neighbor_mean
from skldl.linalg import generalized_eigh, range_whitening
from skldl.projection._components import resolve_components
from skldl.projection._mslp_graphs import (
    Pencil,
    check_enough,
    check_scales,
    find_scales,
    mslp_pencil,
    resolve_decoder,
    resolve_label_distance,
)

#: What the path varies, what costs most first.
AXES = (
    "n_neighbors",
    "neighborhood_factor",
    "attraction_weight",
    "reg",
    "n_components",
    "n_decoder_neighbors",
)
Key = tuple[Any, ...]  # a value for each of them


def mslp_path(
    X: FloatArray,
    D: FloatArray,
    X_test: FloatArray,
    grid: Mapping[str, Sequence[Any]],
    base: Any,
) -> Iterator[tuple[dict[str, Any], FloatArray]]:
    """Predictions of every setting of a grid, for one training and one test part.

    One neighbour search serves all; graphs and matrices are made once per
    (n_neighbors, neighborhood_factor); the scatter is whitened once for them; an
    eigenproblem is solved once per (attraction_weight, reg); sizes and decoders are
    slices. A size above the rank is cut to the rank; a decoder of more neighbours than
    samples is left out.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Training samples.
    D : ndarray of shape (n_samples, n_labels)
        Their distributions.
    X_test : ndarray of shape (n_test, n_features)
        Samples to predict.
    grid : dict of str to sequence
        Values of n_neighbors, neighborhood_factor, attraction_weight, reg,
        n_components, n_decoder_neighbors; what is missing is taken from ``base``.
    base : MSLP
        All other settings.

    Yields
    ------
    params : dict
        One setting.
    P : ndarray of shape (n_test, n_labels)
        Its predictions.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.projection import MSLP, mslp_path
    >>> X, D = make_ldl(80, random_state=0)
    >>> grid = {"attraction_weight": [0.1, 0.5]}
    >>> path = mslp_path(X, D, X[:5], grid, MSLP(reg=1.0))
    >>> [params["attraction_weight"] for params, _ in path]
    [0.1, 0.5]
    """
    values = product(*(grid.get(name, [getattr(base, name)]) for name in AXES))
    settings = [dict(zip(AXES, key, strict=True)) for key in values]
    yield from mslp_settings_path(X, D, X_test, settings, base)


def mslp_settings_path(
    X: FloatArray,
    D: FloatArray,
    X_test: FloatArray,
    settings: Sequence[dict[str, Any]],
    base: Any,
) -> Iterator[tuple[dict[str, Any], FloatArray]]:
    """The same for any settings, which may be a part of a grid."""
    wanted = {
        tuple(setting.get(name, getattr(base, name)) for name in AXES): setting
        for setting in settings
    }
    numbers = [key[5] for key in wanted if key[5] != "auto"]
    check_enough(len(X), min(numbers) if len(numbers) == len(wanted) else "auto")
    possible = (key for key in wanted if key[5] == "auto" or key[5] <= len(X))
    pairs = _grouped(possible, 0, 2)
    sizes = {
        pair: check_scales(len(X), pair[0], base.n_hetero_neighbors, pair[1])[:3]
        for pair in pairs
    }
    distance = resolve_label_distance(base.label_distance)
    graph = neighbor_graph(
        X, max(a for *_, a in sizes.values()), engine=base.engine, n_jobs=base.n_jobs
    )
    for pair, keys in pairs.items():
        k, h, a = sizes[pair]
        scales = find_scales(graph.truncate(a), D, k, h, distance)
        pencil = mslp_pencil(
            X, D, scales, distance, gamma=base.gamma, center=base.center
        )
        for key, P in _predictions(pencil, X, D, X_test, keys, base):
            yield wanted[key], P


def _predictions(
    pencil: Pencil,
    X: FloatArray,
    D: FloatArray,
    X_test: FloatArray,
    keys: Iterable[Key],
    base: Any,
) -> Iterator[tuple[Key, FloatArray]]:
    """Solve once for each (attraction_weight, reg); sizes and decoders are slices."""
    whitening = range_whitening(pencil.scatter)
    shift = 0.0 if pencil.mean is None else pencil.mean
    # embeddings are linear in these, whatever attraction and reg are
    features = pencil.space.lift(whitening)
    train, test = (X - shift) @ features, (X_test - shift) @ features
    for (attraction, reg), part in _grouped(keys, 2, 4).items():
        ridge = pencil.ridge(reg, base.reg_mode)
        inner = whitening.T @ pencil.numerator(attraction, ridge) @ whitening
        groups = _grouped(part, 4, 5)
        sizes = [
            min(resolve_components(given, X.shape[1]), len(inner))
            for (given,) in groups
        ]
        vectors = generalized_eigh(
            (inner + inner.T) / 2, k=max(sizes), largest=False
        ).vectors
        near, new = train @ vectors, test @ vectors
        for size, same in zip(sizes, groups.values(), strict=True):
            index = NeighborIndex(base.engine, n_jobs=base.n_jobs).fit(near[:, :size])
            counts = [resolve_decoder(key[5], index, D) for key in same]
            found = index.query(new[:, :size], max(counts)).indices
            for key, count in zip(same, counts, strict=True):
                yield key, neighbor_mean(D, found[:, :count])


def _grouped(keys: Iterable[Key], start: int, stop: int) -> dict[Key, list[Key]]:
    """Keys by a part of them, in the order in which the parts come."""
    groups: dict[Key, list[Key]] = {}
    for key in keys:
        groups.setdefault(key[start:stop], []).append(key)
    return groups
