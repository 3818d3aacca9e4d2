"""A canonical correlation tree as arrays, and how it grows."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skldl._typing import FloatArray, IndexArray
from skldl.classifiers._ccf_split import find_split

#: Arrays of a tree: the kind of numbers, and whether a node has several.
_KINDS = {
    "features": ("i", True),
    "directions": ("f", True),
    "thresholds": ("f", False),
    "left": ("i", False),
    "right": ("i", False),
    "classes": ("i", False),
}


@dataclass
class Growth:
    """A tree while it grows; every list has one entry per node."""

    features: list[IndexArray] = field(default_factory=list)
    directions: list[FloatArray] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)

    def add(self, label: int, n_features: int) -> int:
        """Add a leaf, and give its number."""
        self.features.append(np.zeros(n_features, dtype=np.intp))
        self.directions.append(np.zeros(n_features))
        self.thresholds.append(0.0)
        self.left.append(-1)
        self.right.append(-1)
        self.classes.append(label)
        return len(self.classes) - 1


def grow_tree(
    X: FloatArray,
    codes: IndexArray,
    n_classes: int,
    *,
    max_features: int,
    max_depth: int | None,
    bootstrap: bool,
    projection_bootstrap: bool,
    seed: int,
) -> dict[str, np.ndarray]:
    """Grow one tree until its leaves are pure; its nodes as arrays."""
    rng = np.random.RandomState(seed)
    rows = np.arange(len(X))
    if bootstrap:
        rows = rng.randint(len(X), size=len(X))
    tree = Growth()
    counts = np.bincount(codes[rows], minlength=n_classes)
    root = tree.add(_majority([counts]), max_features)
    stack = [(root, rows, [counts])]
    while stack:
        node, rows, path = stack.pop()
        if max_depth is not None and len(path) > max_depth:
            continue
        goes_left = _split(
            tree, node, X, rows, codes, path[-1], max_features, projection_bootstrap,
            rng,
        )  # fmt: skip
        if goes_left is None:
            continue
        sides = ((tree.left, rows[goes_left]), (tree.right, rows[~goes_left]))
        for side, members in sides:
            counts = np.bincount(codes[members], minlength=n_classes)
            trail = [*path, counts]
            side[node] = tree.add(_majority(trail), max_features)
            stack.append((side[node], members, trail))
    return {
        "features": np.array(tree.features),
        "directions": np.array(tree.directions),
        "thresholds": np.array(tree.thresholds),
        "left": np.array(tree.left),
        "right": np.array(tree.right),
        "classes": np.array(tree.classes),
    }


def _split(
    tree: Growth,
    node: int,
    X: FloatArray,
    rows: IndexArray,
    codes: IndexArray,
    counts: IndexArray,
    max_features: int,
    projection_bootstrap: bool,
    rng: np.random.RandomState,
) -> np.ndarray | None:
    """Make the node an inner one if it can be; which rows go left."""
    if (counts > 0).sum() < 2:
        return None
    inside = X[rows]
    varying = np.flatnonzero(np.ptp(inside, axis=0) > 0)
    if len(varying) == 0:
        return None
    chosen = varying
    if len(varying) > max_features:
        chosen = rng.choice(varying, max_features, replace=False)
    inside = inside[:, chosen]
    sample = rng.randint(len(rows), size=len(rows)) if projection_bootstrap else None
    split = find_split(inside, codes[rows], len(counts), sample)
    if split is None:
        return None
    tree.features[node][: len(chosen)] = chosen
    tree.directions[node][: len(chosen)] = split.direction
    tree.thresholds[node] = split.threshold
    goes_left = inside @ split.direction <= split.threshold
    return None if goes_left.all() or not goes_left.any() else goes_left


def _majority(path: list[IndexArray]) -> int:
    """The commonest class; ties are settled by the nodes above, nearest first."""
    best = np.flatnonzero(path[-1] == path[-1].max())
    for counts in path[-2::-1]:
        if len(best) == 1:
            break
        best = best[counts[best] == counts[best].max()]
    return int(best[0])


def check_tree(tree: Any, n_features: int, n_classes: int) -> None:
    """Refuse a tree that a walk could leave, or never end in.

    Parameters
    ----------
    tree : dict of ndarray
        Anything that claims to be a tree of :func:`grow_tree`.
    n_features, n_classes : int
        Numbers of features and classes of the forest.
    """
    if not isinstance(tree, dict) or set(tree) != set(_KINDS):
        raise ValueError("parts of a tree")
    n_nodes, width = np.size(tree["left"]), np.shape(tree["features"])[1:]
    for name, (kind, wide) in _KINDS.items():
        part = tree[name]
        good = isinstance(part, np.ndarray) and part.dtype.kind == kind
        good = good and part.shape == (n_nodes, *(width if wide else ()))
        if not good or n_nodes == 0 or not np.isfinite(part).all():
            raise ValueError(f"{name} of a tree")
    inner, place = tree["left"] >= 0, np.arange(n_nodes)
    for child in (tree["left"], tree["right"]):
        # a child comes after its parent, so that every walk ends; leaves have none
        good = np.where(inner, (child > place) & (child < n_nodes), child == -1)
        if not good.all():
            raise ValueError("children of a tree")
    _check_range(tree["features"], n_features, "features")
    _check_range(tree["classes"], n_classes, "classes")


def _check_range(numbers: np.ndarray, count: int, what: str) -> None:
    if ((numbers < 0) | (numbers >= count)).any():
        raise ValueError(f"{what} of a tree")


def apply_tree(tree: dict[str, np.ndarray], X: FloatArray) -> IndexArray:
    """Class of each row, level by level."""
    node = np.zeros(len(X), dtype=np.intp)
    active = np.arange(len(X)) if tree["left"][0] >= 0 else np.arange(0)
    while len(active):
        at = node[active]
        picked = X[active[:, None], tree["features"][at]]
        projected = np.einsum("ij,ij->i", picked, tree["directions"][at])
        goes_left = projected <= tree["thresholds"][at]
        node[active] = np.where(goes_left, tree["left"][at], tree["right"][at])
        active = active[tree["left"][node[active]] >= 0]
    return tree["classes"][node]
