"""What a paper's table is here: data sets, methods, a split, and how names map."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline

from skldl.benchmark import Split
from skldl.datasets import Dataset, load
from skldl.methods import Method, Tuning, make_method
from skldl.reproduce._presets import STORED as STORED
from skldl.reproduce._presets import preset_of

Features = Literal["raw", "standardised"]
PREFIX: dict[Features, str] = {"raw": "", "standardised": "standard+"}
#: Published metric to the metric here and the factor between them.
Metrics = Mapping[str, tuple[str, float]]

SIX_METRICS: Metrics = {
    name: (name, 1.0)
    for name in (
        "chebyshev",
        "clark",
        "canberra",
        "kl_divergence",
        "cosine",
        "intersection",
    )
}
#: Times that papers print, and what a store has of them.
TIMES: dict[str, tuple[str, ...]] = {
    "train_s": ("fit_s",),
    "test_s": ("predict_s",),
    "total_s": ("fit_s", "predict_s"),
}


@dataclass(frozen=True)
class Entry:
    """One of our methods, and the published method that it stands for.

    Attributes
    ----------
    method : Method
        With the grid that is searched on the training part.
    published : str
        The method's name in the paper's tables; empty for a row of our own.
    features : {"raw", "standardised"}
        What is done to the features.
    variant : str
        What tells it from another entry of the same published method.
    metrics : mapping or None
        Published metric to ours and a factor; None takes the part's.
    optional : bool
        Runs only when named.
    name : str
        The method without its features and variant; empty takes the method's name.
    labels : mapping of str to str
        Further columns of the summary that tell entries apart.
    tuning : Tuning or None
        How its grid is searched; None takes the part's.
    """

    method: Method
    published: str = ""
    features: Features = "raw"
    variant: str = ""
    metrics: Metrics | None = None
    optional: bool = False
    name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    tuning: Tuning | None = None

    @property
    def columns(self) -> dict[str, str]:
        """What a summary says of the entry, by column."""
        return {
            "method": self.name or self.method.name,
            "features": self.features,
            "variant": self.variant,
            **self.labels,
        }

    def settings(self) -> list[tuple[dict[str, Any], Method]]:
        """Give one method per point of the grid, nothing left to choose.

        Returns
        -------
        settings : list of (dict, Method)
            The point and the method; empty without a grid.
        """
        if not self.method.grid:
            return []
        return [
            (
                choice,
                Method(
                    f"{self.method.name} @ {describe(choice)}",
                    clone(self.method.estimator).set_params(**choice),
                ),
            )
            for choice in ParameterGrid(dict(self.method.grid))
        ]

    def is_called(self, name: str) -> bool:
        """Whether a user who writes this name may mean this entry.

        Parameters
        ----------
        name : str
            A published name, our name, the name in stores, one of the labels, or a
            published name and a label with a bar between them; with "standard+" before
            it the entry on standardised features alone. Case, spaces, commas and
            hyphens do not matter, so "LDLM tuned raw" is "LDLM, tuned, raw".

        Returns
        -------
        meant : bool
        """
        if is_standardised(name):
            rest = name[len(PREFIX["standardised"]) :]
            return self.features == "standardised" and self.is_called(rest)
        labels = self.labels.values()
        known = {self.published, self.method.name, self.name, *labels}
        known |= {f"{self.published}|{label}" for label in labels}
        return _without_signs(name) in {_without_signs(k) for k in known if k}

    def quick(self) -> "Entry":
        """Give the same entry with two settings to choose from."""
        short = {
            key: values[: 2 if place == 0 else 1]
            for place, (key, values) in enumerate(self.method.grid.items())
        }
        tuning = self.tuning and replace(self.tuning, n_splits=2)
        return replace(self, method=replace(self.method, grid=short), tuning=tuning)


def is_standardised(name: str) -> bool:
    """Whether a method's name asks for standardised features."""
    return name.lower().startswith(PREFIX["standardised"])


def describe(choice: Mapping[str, Any]) -> str:
    """Write a setting as text, parameters without the names of their steps."""
    return ", ".join(
        f"{key.rpartition('__')[2]}={value}" for key, value in sorted(choice.items())
    )


_SIGNS = str.maketrans("", "", "-_ ,")


def _without_signs(name: str) -> str:
    return name.lower().translate(_SIGNS)


def entry(spec: str, published: str = "", **options: Any) -> Entry:
    """Make an entry from a method's name; see :func:`skldl.methods.make_method`.

    Parameters
    ----------
    spec : str
        The method, without preprocessing.
    published : str, default=""
        Its name in the paper.
    **options : object
        ``label`` (its name in stores), ``params`` and ``grid`` of the method (without
        a grid nothing is tuned), ``preset`` ("published" or, by default, "stored") and
        the fields of :class:`Entry`. What neither the method nor ``params`` names is as
        in the preset, then as by default.

    Returns
    -------
    entry : Entry
    """
    features: Features = options.pop("features", "raw")
    preset = options.pop("preset", "stored")
    given = options.pop("params", None) or {}
    params = {**preset_of(spec, preset), **given}
    label = options.pop("label", None)
    if label is None and params != {**preset_of(spec, "stored"), **given}:
        label = f"{PREFIX[features]}{spec}, as published"
    method = make_method(
        PREFIX[features] + spec,
        label=label,
        params=params,
        grid=options.pop("grid", {}),
    )
    _fix_seed(method.estimator)
    return Entry(method, published, features, **{"name": spec, **options})


def last_of(estimator: Any) -> Any:
    """Give the learner at the end of a pipeline, or what is not a pipeline itself.

    Parameters
    ----------
    estimator : estimator
        With steps before it, or without.

    Returns
    -------
    last : estimator
    """
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def _fix_seed(estimator: Any) -> None:
    """Seed a learner with 0 where nothing else is said, as the stored runs did."""
    last = last_of(estimator)
    if last.get_params(deep=False).get("random_state", 0) is None:
        last.set_params(random_state=0)


def both(spec: str, published: str = "", **options: Any) -> list[Entry]:
    """Make an entry for raw and one for standardised features.

    Parameters
    ----------
    spec, published : str
        As for :func:`entry`.
    **options : object
        As for :func:`entry`.

    Returns
    -------
    entries : list of Entry
    """
    return [
        entry(spec, published, features=features, **dict(options))
        for features in PREFIX
    ]


@dataclass(frozen=True)
class Part:
    """Tables of a paper that share one protocol.

    Attributes
    ----------
    name : str
        What tells it from the paper's other parts.
    tables : sequence of str
        The published tables that it fills.
    datasets : sequence of str
        Published data sets, the cheapest first.
    entries : sequence of Entry
        The methods.
    split : Split
        Which rows train and test.
    tuning : Tuning or None
        How grids are searched.
    metrics : mapping
        Published metric to ours and a factor.
    members : mapping
        Published data set to data sets here, where one stands for several draws.
    load : callable
        Name to Dataset.
    test_sizes : mapping
        Test rows of a data set that has one run, for the error of a share.
    further : sequence of str
        Published data sets that run only when named, because they must be downloaded
        first.
    """

    name: str
    tables: Sequence[str]
    datasets: Sequence[str]
    entries: Sequence[Entry]
    split: Split = field(default_factory=Split)
    tuning: Tuning | None = None
    metrics: Metrics = field(default_factory=lambda: SIX_METRICS)
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)
    load: Callable[[str], Dataset] = load
    test_sizes: Mapping[str, int] = field(default_factory=dict)
    further: Sequence[str] = ()

    @property
    def all_datasets(self) -> list[str]:
        """Published data sets, those that run only when named last."""
        return [*self.datasets, *self.further]

    def names(self, dataset: str) -> Sequence[str]:
        """Give the data sets here that stand for a published one.

        Parameters
        ----------
        dataset : str
            Published name.

        Returns
        -------
        names : sequence of str
        """
        return self.members.get(dataset, [dataset])

    def metrics_of(self, entry: Entry) -> Metrics:
        """Give the published metrics that an entry fills.

        Parameters
        ----------
        entry : Entry
            One of the part's.

        Returns
        -------
        metrics : mapping
        """
        return self.metrics if entry.metrics is None else entry.metrics

    def tuning_of(self, entry: Entry) -> Tuning | None:
        """Give how an entry's grid is searched.

        Parameters
        ----------
        entry : Entry
            One of the part's.

        Returns
        -------
        tuning : Tuning or None
        """
        return self.tuning if entry.tuning is None else entry.tuning

    def quick(self) -> "Part":
        """Give the smallest data set, few folds and short grids."""
        split = replace(self.split, n_splits=2, n_repeats=1)
        inner = None if self.tuning is None else replace(self.tuning, n_splits=2)
        entries = [e.quick() for e in self.entries if not e.optional]
        first = self.datasets[:1]
        members = {name: list(self.names(name))[:1] for name in first}
        return replace(
            self,
            datasets=first,
            further=(),
            members=members,
            entries=entries,
            split=split,
            tuning=inner,
        )


@dataclass(frozen=True)
class Paper:
    """A paper whose tables can be run again.

    Attributes
    ----------
    key : str
        Its name on the command line.
    name : str
        Its name in the table of published numbers.
    title : str
        For headings.
    make_parts : callable
        Gives the parts; argument True for the quick ones.
    missing : mapping
        Published data set or method to the reason why it cannot be measured.
    deviation : {"folds", "samples", ""}
        Over what the published deviations were taken.
    notes : sequence of str
        Sentences for the page: where the protocol here departs from the paper's.
    control : str
        Published name of the paper's own method, which t-tests compare with others.
    alpha : float
        Level of these tests in the paper.
    """

    key: str
    name: str
    title: str
    make_parts: Callable[[bool], list[Part]]
    missing: Mapping[str, str] = field(default_factory=dict)
    deviation: Literal["folds", "samples", ""] = ""
    notes: Sequence[str] = ()
    control: str = ""
    alpha: float = 0.05
    _made: dict[bool, list[Part]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def parts(self, quick: bool = False) -> list[Part]:
        """Give the paper's tables as parts.

        Parameters
        ----------
        quick : bool, default=False
            Smallest data, few folds, short grids: to see that everything runs.

        Returns
        -------
        parts : list of Part
        """
        if quick not in self._made:  # to make every estimator anew takes long
            self._made[quick] = self.make_parts(quick)
        return self._made[quick]
