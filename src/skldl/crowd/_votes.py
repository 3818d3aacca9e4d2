"""Votes of a crowd: who gave which label to which item."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from skldl._text import listed
from skldl._typing import FloatArray, IndexArray
from skldl.crowd._codes import (
    Cells,
    Duplicates,
    Missing,
    as_names,
    checked_weight,
    label_codes,
    without_missing,
    without_repeats,
)
from skldl.crowd._dirichlet_multinomial import fit_dirichlet_multinomial
from skldl.crowd._join import comparable, item_keys, left_out, with_items
from skldl.crowd._lewidi import lewidi_rows
from skldl.crowd._wide import checked_counts
from skldl.datasets import (
    Dataset,
    existing_columns,
    make_dataset,
    name_rows,
    to_numbers,
)


@dataclass(frozen=True, eq=False)
class Votes:
    """The votes of a crowd, as codes of items, labels and annotators.

    Make one with :meth:`from_frame`, :meth:`from_counts` or :meth:`from_lewidi`.

    Attributes
    ----------
    item, label : ndarray of int of shape (n,)
        Codes of each vote's item and label: positions in the names.
    annotator : ndarray of int of shape (n,) or None
        Codes of the annotators, where they are known.
    weight : ndarray of float of shape (n,)
        How often each vote counts.
    time : ndarray of shape (n,) or None
        When each vote was given, where that is known.
    item_names : Index
        Names of the items, in the order in which they first occur.
    label_names : ndarray of str
        Names of the labels: numbers and text in their order, categories in theirs.
    annotator_names : Index
        Names of the annotators; empty where they are not known.
    notes : tuple of str
        What was odd in the table, and what was done about it.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.crowd import Votes
    >>> table = pd.DataFrame({
    ...     "picture": ["a", "a", "a", "b", "b"],
    ...     "who": ["Ann", "Ben", "Eva", "Ann", "Eva"],
    ...     "says": ["joy", "joy", "fear", "fear", "fear"],
    ... })
    >>> votes = Votes.from_frame(table, item="picture", label="says", annotator="who")
    >>> votes.label_names.tolist(), votes.n_votes.tolist()
    (['fear', 'joy'], [3.0, 2.0])
    >>> votes.distributions().round(2)
    array([[0.33, 0.67],
           [1.  , 0.  ]])
    """

    item: IndexArray = field(repr=False)
    label: IndexArray = field(repr=False)
    annotator: IndexArray | None = field(repr=False)
    weight: FloatArray = field(repr=False)
    item_names: pd.Index = field(repr=False)
    label_names: NDArray[Any]
    annotator_names: pd.Index = field(repr=False)
    time: NDArray[Any] | None = field(default=None, repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        item: str,
        label: str,
        annotator: str | None = None,
        weight: str | None = None,
        time: str | None = None,
        labels: Sequence[Any] | None = None,
        missing: Missing = "drop",
        duplicates: Duplicates = "once",
    ) -> "Votes":
        """Take the votes from a long table, with one vote in each row.

        Parameters
        ----------
        frame : DataFrame
            Of pandas, or anything with ``to_pandas``. Messages about a table of
            :func:`~skldl.datasets.read_frame` name lines of its file.
        item, label : str
            Columns of the item and of the label that it was given.
        annotator, weight, time : str, default=None
            Columns of who voted, of how often the vote counts, and of when it was
            given.
        labels : sequence, default=None
            All labels in their order, also those that nobody chose; None takes those
            that occur.
        missing : {"drop", "error"}, default="drop"
            What to do with a vote with an empty cell. What was left out is in `notes`.
        duplicates : {"once", "last", "all", "error"}, default="once"
            What to do with several votes of one annotator on one item: count a repeated
            label once and different labels all, count only the last vote (by time, if
            that is given), count all, or refuse.

        Returns
        -------
        votes : Votes
        """
        _check_choice("missing", missing, ("drop", "error"))
        _check_choice("duplicates", duplicates, ("once", "last", "all", "error"))
        frame = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
        roles = {
            "item": item,
            "label": label,
            "annotator": annotator,
            "weight": weight,
            "time": time,
        }
        named = {role: name for role, name in roles.items() if name is not None}
        existing_columns(list(dict.fromkeys(named.values())), frame.columns, "columns")
        place = partial(name_rows, frame, most=3)
        columns = {role: frame[name] for role, name in named.items()}
        cells = Cells(columns, np.arange(len(frame)))
        cells = without_missing(cells, missing, place)
        cells = without_repeats(cells, duplicates, place)
        return cls._from_cells(cells, labels, place)

    @classmethod
    def _from_cells(cls, cells: Cells, labels: Any, place: Any) -> "Votes":
        columns = cells.columns
        item, item_names = pd.factorize(columns["item"])
        label, label_names = label_codes(columns["label"], labels)
        annotator, annotator_names = None, pd.Index([])
        if "annotator" in columns:
            annotator, annotator_names = pd.factorize(columns["annotator"])
        weight = np.ones(len(item))
        if "weight" in columns:
            weight = checked_weight(columns["weight"], cells.rows, place)
        return cls(
            item=item,
            label=label,
            annotator=annotator,
            weight=weight,
            item_names=pd.Index(item_names, name=columns["item"].name),
            label_names=label_names,
            annotator_names=pd.Index(annotator_names),
            time=columns["time"].to_numpy() if "time" in columns else None,
            notes=cells.notes,
        )

    @classmethod
    def from_counts(
        cls, counts: Any, *, item: str | None = None, labels: Any = None
    ) -> "Votes":
        """Take the votes from a table of items by labels.

        Parameters
        ----------
        counts : DataFrame, ndarray or sparse matrix
            How many votes each label of each item has.
        item : str, default=None
            Column that names the items; None takes the index of a DataFrame.
        labels : sequence, default=None
            Columns of a DataFrame that are labels, or names of the columns of an array;
            None takes all.

        Returns
        -------
        votes : Votes
            Without annotators. The weight of a vote is its count.
        """
        matrix, item_names, label_names = checked_counts(counts, item, labels)
        rows, columns = matrix.nonzero()
        return cls(
            item=rows.astype(np.intp),
            label=columns.astype(np.intp),
            annotator=None,
            weight=matrix.data.astype(np.float64),
            item_names=item_names,
            label_names=as_names(label_names),
            annotator_names=pd.Index([]),
        )

    @classmethod
    def from_lewidi(
        cls,
        source: str | os.PathLike[str] | Mapping[str, Any],
        *,
        labels: Sequence[Any] | None = None,
        missing: Missing = "drop",
    ) -> "Votes":
        """Take the votes from JSON as in the tasks on learning with disagreement.

        Parameters
        ----------
        source : str, Path or dict
            A .json file or what is in it: for each item ``"annotations"``, as
            ``"1,0,1"`` with ``"annotators"`` as ``"Ann1,Ann2,Ann3"``, or as
            ``{"Ann1": "1", ...}``. An annotator may give several labels there,
            separated by commas.
        labels : sequence, default=None
            All labels in their order; None takes those that occur.
        missing : {"drop", "error"}, default="drop"
            What to do with empty labels.

        Returns
        -------
        votes : Votes

        References
        ----------
        .. [1] E. Leonardelli et al., "SemEval-2023 Task 11: Learning With Disagreements
           (LeWiDi)", SemEval, 2023.
        """
        rows, known = lewidi_rows(source)
        return cls.from_frame(
            rows,
            item="item",
            label="label",
            annotator="annotator" if known else None,
            labels=labels,
            missing=missing,
            duplicates="all",
        )

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.item_names)

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.label_names)

    @property
    def n_annotators(self) -> int:
        """Number of annotators; 0 where they are not known."""
        return len(self.annotator_names)

    @property
    def n_votes(self) -> FloatArray:
        """Number of votes of each item: the sum of their weights."""
        return _sums(self.item, self.weight, self.n_items)

    def counts(self) -> sparse.csr_array:
        """Votes of each item for each label.

        Returns
        -------
        counts : sparse array of shape (n_items, n_labels)
        """
        shape = (self.n_items, self.n_labels)
        counts = sparse.coo_array((self.weight, (self.item, self.label)), shape=shape)
        return counts.tocsr()

    def distributions(self, smoothing: float | str = 0.0) -> FloatArray:
        r"""Give shares of the votes, :math:`(c_{il} + s m_l) / (n_i + s)`.

        Parameters
        ----------
        smoothing : float or "auto", default=0.0
            Votes s that are added to each item, in the shares m of all votes together.
            ``"auto"`` takes both from a Dirichlet-multinomial distribution, see
            :func:`fit_dirichlet_multinomial`.

        Returns
        -------
        D : ndarray of shape (n_items, n_labels)
            Rows on the simplex. An item without votes needs a smoothing above 0.
        """
        counts, n_votes = self.counts().toarray(), self.n_votes
        added: Any
        if smoothing == "auto":
            added = fit_dirichlet_multinomial(counts)
        elif isinstance(smoothing, str) or not smoothing >= 0:
            raise ValueError(
                f"smoothing must be at least 0, or 'auto', got {smoothing!r}."
            )
        else:
            added = smoothing * counts.sum(axis=0) / max(counts.sum(), 1e-300)
        empty = np.flatnonzero(n_votes + np.sum(added) <= 0)
        if len(empty):
            names = [str(name) for name in self.item_names[empty]]
            raise ValueError(
                f"{len(empty)} items have no votes: {listed(names, 3)}. Remove them "
                "with votes.voted(), or pass a smoothing above 0."
            )
        D = counts + added
        return D / D.sum(axis=1, keepdims=True)

    def select(self, items: Any) -> "Votes":
        """Votes on some of the items.

        Parameters
        ----------
        items : array-like of int or bool
            Positions of the items, or a mask.

        Returns
        -------
        votes : Votes
            With these items in that order; labels and annotators stay as they are.
        """
        names = self.item_names[np.asarray(items)]
        new = names.get_indexer(self.item_names)[self.item]
        kept = new >= 0
        return Votes(
            item=new[kept].astype(np.intp),
            label=self.label[kept],
            annotator=None if self.annotator is None else self.annotator[kept],
            weight=self.weight[kept],
            item_names=names,
            label_names=self.label_names,
            annotator_names=self.annotator_names,
            time=None if self.time is None else self.time[kept],
            notes=self.notes,
        )

    def voted(self) -> "Votes":
        """Votes on the items that have any.

        Returns
        -------
        votes : Votes
        """
        return self.select(self.n_votes > 0)

    def join(
        self,
        features: pd.DataFrame,
        on: str | None = None,
        *,
        distributions: Any = None,
        missing: Missing = "drop",
        name: str = "votes",
    ) -> Dataset:
        """Join the distributions with a table of the items' features.

        Parameters
        ----------
        features : DataFrame
            One row for each item; all columns but `on` are numbers.
        on : str, default=None
            Column with the names of the items; None takes the index.
        distributions : ndarray of shape (n_items, n_labels), default=None
            Distributions of the items, such as those of :class:`DawidSkene`; None takes
            the shares of the votes.
        missing : {"drop", "error"}, default="drop"
            What to do with items that are only in the features or only in the votes.
        name : str, default="votes"
            Name of the data set.

        Returns
        -------
        dataset : Dataset
            In the order of `features`. ``extra["n_votes"]`` holds the number of votes
            of each row, ``note`` what was left out.
        """
        features, on = with_items(features, on)
        frame, notes = self.join_frame(
            features, on, distributions=distributions, missing=missing
        )
        D = frame[self.label_names.tolist()]
        X = frame.drop(columns=[on, *self.label_names, "n_votes"])
        return make_dataset(
            pd.DataFrame(to_numbers(X), columns=X.columns),
            D.reset_index(drop=True),
            name=name,
            note=" ".join(notes),
            extra={"n_votes": frame["n_votes"].to_numpy(np.float64)},
        )

    def join_frame(
        self,
        features: pd.DataFrame,
        on: str | None = None,
        *,
        distributions: Any = None,
        missing: Missing = "drop",
    ) -> tuple[pd.DataFrame, tuple[str, ...]]:
        """Join as :meth:`join` does, for features of any kind.

        Parameters
        ----------
        features, on, distributions, missing
            As for :meth:`join`.

        Returns
        -------
        frame : DataFrame
            The features, a column for each label, and ``n_votes``.
        notes : tuple of str
            What was left out.
        """
        _check_choice("missing", missing, ("drop", "error"))
        features, on = with_items(features, on)
        keys = item_keys(features, on)
        wanted = [*self.label_names.tolist(), "n_votes"]
        shared = sorted(set(wanted) & {str(column) for column in features.columns})
        if shared:
            raise ValueError(
                f"The features have a column {shared[0]!r}, which is the name of a "
                "label or of the number of votes. Rename it."
            )
        names, keys = comparable(self.item_names, keys)
        place = names.get_indexer(keys)
        known = np.append(self.n_votes > 0, False)[place]  # -1 is not an item
        notes = left_out(names, keys, known, self.n_votes > 0, missing)
        if not known.any():
            raise ValueError(
                f"No item of the features has votes: they are called {names[0]!r} in "
                f"the votes, {keys[0]!r} in the features. Name the right column."
            )
        D = self.voted().distributions() if distributions is None else distributions
        if distributions is None:
            place = (np.cumsum(self.n_votes > 0) - 1)[place]
        frame = features[known].reset_index(drop=True)
        shares = pd.DataFrame(np.asarray(D)[place[known]], columns=wanted[:-1])
        n_votes = self.n_votes[names.get_indexer(keys[known])]
        return pd.concat([frame, shares.assign(n_votes=n_votes)], axis=1), notes


def _sums(codes: IndexArray, weight: FloatArray, size: int) -> FloatArray:
    return np.bincount(codes, weight, minlength=size).astype(np.float64, copy=False)


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}.")
