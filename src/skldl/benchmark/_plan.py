"""What to compare: data sets x methods x splits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from numbers import Integral
from typing import Any

import pandas as pd

from skldl.benchmark._identity import fingerprint
from skldl.benchmark._job import Job
from skldl.benchmark._splits import Split
from skldl.crowd import vote_weights
from skldl.datasets import Dataset, expand_datasets, load
from skldl.methods import Method, Tuning, expand_methods, for_dataset, make_method
from skldl.metrics import get_metric

_BASELINE = "MeanDistribution"
_MAX_PARTS = 100_000  # more would take longer to list than anybody waits


@dataclass(frozen=True)
class Plan:
    """A comparison.

    Parameters
    ----------
    datasets : sequence of str or Dataset, or str
        Data sets by name, or loaded. ``"distribution"``, ``"indicator"`` and
        ``"classes"`` stand for all of this kind that need no download, ``"all"`` for
        those with distributions.
    methods : sequence of str or Method, or str
        Methods by name (see :func:`skldl.methods.make_method`) or made. ``"ldl"`` or
        ``"all"`` stand for all learners of distributions, ``"standard+all"`` for these
        on standardised features (see :func:`skldl.methods.expand_methods`). On
        distributions ``MeanDistribution`` is added if it is not among them. On mixed
        tables each has an encoder in front (see :func:`skldl.methods.for_dataset`).
    split : Split, default=Split()
        Ten shuffled folds by default.
    tuning : Tuning or None, default=None
        How to search the methods' grids on the training part; None does not.
    metrics : sequence of str, default=()
        Metrics to show; all that fit the data are stored in any case. Empty shows
        those of the published tables.
    seed : int, default=0
        Base seed of folds and models.
    reference : DataFrame or None, default=None
        Published numbers to stand beside ours: columns dataset, method, metric,
        value and perhaps std.
    max_folds : int or None, default=None
        Run only so many folds of the split, the first ones. They are the folds of the
        whole split, so a later run adds the others to a store.
    skip_folds : int, default=0
        Leave out so many of the first folds, which have been run elsewhere.
    weights : {"precision", "count", "sqrt"} or None, default=None
        How numbers of votes weigh the rows of a fit (see
        :func:`skldl.crowd.vote_weights`), on data sets that know them and for methods
        that take weights. None leaves all rows equal.

    Examples
    --------
    >>> from skldl.benchmark import Plan, Split, run
    >>> plan = Plan(["synthetic"], ["AAkNN", "standard+AAkNN"], Split(n_splits=2))
    >>> run(plan, engine="serial").groupby("method")["fold"].nunique().to_dict()
    {'AAkNN': 2, 'MeanDistribution': 2, 'standard+AAkNN': 2}
    """

    datasets: Sequence[str | Dataset] | str
    methods: Sequence[str | Method] | str
    split: Split = field(default_factory=Split)
    tuning: Tuning | None = None
    metrics: Sequence[str] = ()
    seed: int = 0
    reference: pd.DataFrame | None = None
    max_folds: int | None = None
    skip_folds: int = 0
    weights: str | None = None

    def __post_init__(self) -> None:
        _check_folds(self.max_folds, self.skip_folds)
        object.__setattr__(self, "seed", _check_seed(self.seed))
        _check_number(self.split, self.max_folds, self.skip_folds)
        if self.weights is not None:
            vote_weights([1.0], self.weights)  # says which there are
        object.__setattr__(self, "datasets", _expanded(self.datasets))
        object.__setattr__(self, "methods", expand_methods(self.methods))
        if not self.datasets:
            raise ValueError("A plan needs at least one data set.")
        if isinstance(self.metrics, str):
            raise ValueError("metrics must be a list of names.")
        names = [get_metric(name).name for name in self.metrics]
        object.__setattr__(self, "metrics", names)
        names = [method.name for method in self.resolved_methods("distribution")]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ValueError(
                f"Two methods are called {twice.pop()!r}; give one of them "
                "another label."
            )

    def resolved_methods(self, kind: str) -> list[Method]:
        """Methods for a kind of target, with the baseline where there is one.

        Parameters
        ----------
        kind : str
            Kind of the data set's target.

        Returns
        -------
        methods : list of Method
        """
        methods = [make_method(method) for method in self.methods]
        if kind == "distribution":
            baseline = make_method(_BASELINE)
            same = type(baseline.estimator)
            if not any(type(method.estimator) is same for method in methods):
                methods.append(baseline)
        if not methods:
            raise ValueError("A plan needs at least one method.")
        return methods

    def _methods_on(self, dataset: Dataset) -> list[Method]:
        methods = self.resolved_methods(dataset.kind)
        return [for_dataset(method, dataset) for method in methods]

    def _weights_on(self, dataset: Dataset) -> str | None:
        """Nothing where numbers of votes are not known."""
        return self.weights if "n_votes" in dataset.extra else None

    def load(self) -> dict[str, Dataset]:
        """Load the data sets.

        Returns
        -------
        datasets : dict of str to Dataset
        """
        loaded = [load(d) if isinstance(d, str) else d for d in self.datasets]
        names = [dataset.name for dataset in loaded]
        if len(set(names)) < len(names):
            raise ValueError(
                f"Two data sets have the same name: {', '.join(names)}. Rename one of "
                "them."
            )
        return dict(zip(names, loaded, strict=True))

    def jobs(self, datasets: Mapping[str, Dataset]) -> list[Job]:
        """Every fold of every method on every data set.

        Parameters
        ----------
        datasets : dict of str to Dataset
            What :meth:`load` gave.

        Returns
        -------
        jobs : list of Job
            Fold by fold, so that early results compare all methods.
        """
        jobs = [
            Job(
                dataset=name,
                fingerprint=mark,
                split=self.split,
                repetition=repetition,
                fold=fold,
                method=method.name,
                estimator=method.estimator,
                grid=method.grid,
                tuning=self.tuning,
                seed=self.seed,
                weights=weights,
            )
            for name, dataset in datasets.items()
            for weights in [self._weights_on(dataset)]
            for mark in [fingerprint(dataset, votes=weights is not None)]
            for methods in [self._methods_on(dataset)]
            for repetition, fold in self._folds()
            for method in methods
        ]
        for job in jobs:
            _require_key(job)
        return jobs

    def _folds(self) -> Iterator[tuple[int, int]]:
        return islice(self.split.parts(), self.skip_folds, self.max_folds)


def _expanded(datasets: Sequence[str | Dataset] | str) -> list[str | Dataset]:
    """Each data set once; words such as "all" replaced by what they stand for."""
    given = [datasets] if isinstance(datasets, str) else datasets
    found: list[str | Dataset] = []
    for entry in given:
        for one in expand_datasets(entry) if isinstance(entry, str) else [entry]:
            if not (isinstance(one, str) and one in found):
                found.append(one)
    return found


def _require_key(job: Job) -> None:
    try:
        _ = job.key
    except Exception as error:
        raise ValueError(
            f"Method {job.method!r} has a parameter that cannot be described or sent "
            f"to another process ({error}); use plain values."
        ) from error


def _check_number(split: Split, max_folds: int | None, skip_folds: int) -> None:
    if skip_folds >= split.n_parts:
        raise ValueError(
            f"skip_folds={skip_folds} leaves nothing of the {split.n_parts} folds of "
            "the split; lower skip_folds."
        )
    count = min(split.n_parts, max_folds or split.n_parts)
    if count > _MAX_PARTS:
        raise ValueError(
            f"split: {count:,} folds of each method are more than the {_MAX_PARTS:,} "
            "that a plan can have. Lower n_splits or n_repeats, or set max_folds."
        )


def _check_folds(most: Any, skipped: Any) -> None:
    for name, count, least in (("max_folds", most, 1), ("skip_folds", skipped, 0)):
        if name == "max_folds" and count is None:
            continue
        whole = isinstance(count, Integral) and not isinstance(count, bool)
        if not (whole and count >= least):
            raise ValueError(
                f"{name} must be a whole number of at least {least}, got {count!r}."
            )
    if most is not None and skipped >= most:
        raise ValueError(
            f"skip_folds={skipped} leaves nothing of max_folds={most}, which counts "
            "from the first fold; lower skip_folds."
        )


def _check_seed(seed: Any) -> int:
    """A seed that a store can give back."""
    if isinstance(seed, bool) or not isinstance(seed, Integral):
        raise ValueError(f"seed must be a whole number, got {seed!r}.")
    return int(seed)
