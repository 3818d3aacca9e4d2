"""Trees as plain arrays: what is saved, and checked before compiled code walks it.

All trees of a model are in one table, a dict of arrays with one entry per node, tree
after tree. ``sizes`` says how many nodes each tree has. Children are numbers of nodes
inside their tree; a leaf has -1 twice. A parent comes before its children, so that
every walk ends.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from skldl._sklearn import PREDICTOR_RECORD_DTYPE, Tree, TreePredictor
from skldl._typing import FloatArray

Table = dict[str, np.ndarray]

#: Columns of every table, and the kind of numbers in them.
_COLUMNS = {
    "left": "i",
    "right": "i",
    "feature": "i",
    "threshold": "f",
    "missing_left": "b",
    "value": "f",
}
#: The fields of a node of scikit-learn's decision trees, by the names of the columns.
_FIELDS = {
    "left_child": "left",
    "right_child": "right",
    "feature": "feature",
    "threshold": "threshold",
    "missing_go_to_left": "missing_left",
    "impurity": "impurity",
    "n_node_samples": "n_samples",
    "weighted_n_node_samples": "weight",
}


def join_tables(trees: list[Table]) -> Table:
    """One table of many trees.

    Parameters
    ----------
    trees : list of dict of ndarray
        The columns of each tree, without ``sizes``.

    Returns
    -------
    table : dict of ndarray
    """
    sizes = np.array([len(tree["left"]) for tree in trees], dtype=np.int64)
    if not trees:
        return {**{k: v[:0] for k, v in flat_tree().items()}, "sizes": sizes}
    table = {name: np.concatenate([t[name] for t in trees]) for name in trees[0]}
    return {**table, "sizes": sizes}


def flat_tree() -> Table:
    """A boosted tree of one leaf, which adds nothing.

    Returns
    -------
    tree : dict of ndarray
    """
    return {
        "left": np.full(1, -1, dtype=np.int32),
        "right": np.full(1, -1, dtype=np.int32),
        "feature": np.full(1, -1, dtype=np.int32),
        "threshold": np.zeros(1),
        "missing_left": np.zeros(1, dtype=bool),
        "value": np.zeros(1),
        "gain": np.zeros(1),
    }


def split_table(table: Table) -> Iterator[Table]:
    """The trees of a table, one after the other.

    Parameters
    ----------
    table : dict of ndarray
        Of :func:`join_tables`.

    Yields
    ------
    tree : dict of ndarray
        Views of its columns.
    """
    ends = np.cumsum(table["sizes"])
    columns = {name: column for name, column in table.items() if name != "sizes"}
    for start, end in zip(ends - table["sizes"], ends, strict=True):
        yield {name: column[start:end] for name, column in columns.items()}


def check_table(table: Any, n_features: Any, *, more: tuple[str, ...] = ()) -> None:
    """Refuse a table that a walk could leave, or never end in.

    Parameters
    ----------
    table : dict of ndarray
        Anything that claims to be a table.
    n_features : int
        Number of features of the model.
    more : tuple of str, default=()
        Further columns of numbers that the table must have.
    """
    _check_columns(table, more)
    if not isinstance(n_features, int) or n_features < 1:
        raise ValueError("number of features")
    sizes, inner = table["sizes"], table["left"] >= 0
    starts = np.cumsum(sizes) - sizes
    start = np.repeat(starts, sizes)
    place = np.arange(len(start)) - start
    for child in (table["left"], table["right"]):
        # a child after its parent, and inside its tree; leaves have none
        good = (child > place) & (child < np.repeat(sizes, sizes))
        if not np.where(inner, good, child == -1).all():
            raise ValueError("children of a tree")
    parents = np.zeros(len(start), dtype=np.int64)
    for child in (table["left"], table["right"]):
        np.add.at(parents, (start + child)[inner], 1)
    parents[starts] += 1
    if (parents != 1).any():  # branches that meet again could grow without end
        raise ValueError("parents in a tree")
    feature = table["feature"][inner]
    if ((feature < 0) | (feature >= n_features)).any():
        raise ValueError("features of a tree")


def _check_columns(table: Any, more: tuple[str, ...]) -> None:
    """Names, kinds, lengths and numbers of the columns."""
    kinds = {**_COLUMNS, **dict.fromkeys(more, "f"), "sizes": "i"}
    if not isinstance(table, dict) or set(table) != set(kinds):
        raise ValueError("columns of the trees")
    for name, kind in kinds.items():
        column = table[name]
        if not isinstance(column, np.ndarray) or column.dtype.kind != kind:
            raise ValueError(f"kind of the column {name} of the trees")
        if column.ndim != 1 and (name != "value" or column.ndim != 2):
            raise ValueError(f"shape of the column {name} of the trees")
        # where missing values alone go right, the threshold is infinite
        good = ~np.isnan(column) if name == "threshold" else np.isfinite(column)
        if not good.all():
            raise ValueError(f"numbers in the column {name} of the trees")
    lengths = {len(table[name]) for name in kinds if name != "sizes"}
    # the sum in Python's numbers, which do not overflow
    whole = lengths == {sum(table["sizes"].tolist())}
    if not whole or not (table["sizes"] > 0).all():
        raise ValueError("lengths of the columns of the trees")


def boosted_table(nodes: Any) -> Table:
    """The columns of one tree of scikit-learn's histogram boosting.

    Parameters
    ----------
    nodes : ndarray of PREDICTOR_RECORD_DTYPE
        Nodes of a predictor.

    Returns
    -------
    tree : dict of ndarray
    """
    leaf = nodes["is_leaf"].astype(bool)
    return {
        "left": np.where(leaf, -1, nodes["left"].astype(np.int64)).astype(np.int32),
        "right": np.where(leaf, -1, nodes["right"].astype(np.int64)).astype(np.int32),
        "feature": np.where(leaf, -1, nodes["feature_idx"]).astype(np.int32),
        "threshold": np.where(leaf, 0.0, nodes["num_threshold"]),
        "missing_left": nodes["missing_go_to_left"].astype(bool),
        "value": np.where(leaf, nodes["value"], 0.0),
        "gain": np.where(leaf, 0.0, nodes["gain"]),
    }


class Walker:
    """Compiled sums of boosted trees, one per label, from a checked table.

    Parameters
    ----------
    table : dict of ndarray
        Trees in the order of the iterations, within them of the labels.
    n_labels : int
        Number of labels.
    n_features : int
        Number of features.
    """

    def __init__(self, table: Table, n_labels: int, n_features: int) -> None:
        self.n_labels, self.n_features = n_labels, n_features
        nodes = np.zeros(len(table["left"]), dtype=PREDICTOR_RECORD_DTYPE)
        leaf = table["left"] < 0
        nodes["is_leaf"] = leaf
        for field, name in (("left", "left"), ("right", "right")):
            nodes[field] = np.where(leaf, 0, table[name])
        nodes["feature_idx"] = np.where(leaf, 0, table["feature"])
        nodes["num_threshold"] = table["threshold"]
        nodes["missing_go_to_left"] = table["missing_left"]
        nodes["value"] = table["value"]
        ends = np.cumsum(table["sizes"])
        self._none = np.zeros((0, 8), dtype=np.uint32)  # no categorical features
        self._map = np.zeros(n_features, dtype=np.uint32)
        self._trees = [
            TreePredictor(nodes[end - size : end], self._none, self._none)
            for end, size in zip(ends, table["sizes"], strict=True)
        ]

    def add_to(self, scores: FloatArray, X: FloatArray, n_threads: int) -> None:
        """Add the values of all trees to the scores of the samples, in place."""
        for number, tree in enumerate(self._trees):
            scores[:, number % self.n_labels] += tree.predict(
                X, self._none, self._map, n_threads
            )


def forest_table(trees: list[Any]) -> Table:
    """The table of fitted decision trees of scikit-learn.

    Parameters
    ----------
    trees : list of DecisionTreeRegressor
        Fitted.

    Returns
    -------
    table : dict of ndarray
    """
    return join_tables([_tree_columns(tree.tree_) for tree in trees])


def _tree_columns(tree: Any) -> Table:
    return {
        "left": tree.children_left.astype(np.int32),
        "right": tree.children_right.astype(np.int32),
        "feature": tree.feature.astype(np.int32),
        "threshold": tree.threshold.copy(),
        "missing_left": tree.missing_go_to_left.astype(bool),
        "value": tree.value[:, :, 0].copy(),
        "impurity": tree.impurity.copy(),
        "n_samples": tree.n_node_samples.astype(np.float64),
        "weight": tree.weighted_n_node_samples.copy(),
    }


def compiled_trees(table: Table, n_features: int, n_labels: int) -> Iterator[Any]:
    """scikit-learn's compiled trees, from a checked table.

    Parameters
    ----------
    table : dict of ndarray
        Of :func:`forest_table`.
    n_features, n_labels : int
        Numbers of features and labels.

    Yields
    ------
    tree : Tree
        One for each tree of the table.
    """
    for columns in split_table(table):
        tree = Tree(n_features, np.ones(n_labels, dtype=np.intp), n_labels)
        state = tree.__getstate__()
        nodes = np.zeros(len(columns["left"]), dtype=state["nodes"].dtype)
        for field, name in _FIELDS.items():
            nodes[field] = columns[name]
        value = np.ascontiguousarray(columns["value"], dtype=np.float64)
        tree.__setstate__(
            {
                **state,
                "max_depth": _depth(columns["left"], columns["right"]),
                "node_count": len(nodes),
                "nodes": nodes,
                "values": value[:, :, np.newaxis],
            }
        )
        yield tree


def _depth(left: np.ndarray, right: np.ndarray) -> int:
    """Levels below the root."""
    depth, level = 0, np.zeros(1, dtype=np.intp)
    while True:
        level = level[left[level] >= 0]
        if len(level) == 0:
            return depth
        level = np.concatenate([left[level], right[level]])
        depth += 1
