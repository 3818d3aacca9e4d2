"""What to compare: data sets x methods x splits, from Python or a TOML file."""

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import islice
from numbers import Integral
from pathlib import Path
from typing import Any

import pandas as pd

from skldl.benchmark._identity import fingerprint
from skldl.benchmark._job import Job
from skldl.benchmark._splits import Split
from skldl.crowd import vote_weights
from skldl.datasets import Dataset, expand_datasets, load, load_table
from skldl.methods import Method, Tuning, expand_methods, for_dataset, make_method
from skldl.metrics import get_metric

_BASELINE = "MeanDistribution"
_MAX_PARTS = 100_000  # more would take longer to list than anybody waits
_PLAN_KEYS = {
    "datasets", "methods", "split", "tune", "metrics", "seed", "reference", "title",
    "max_folds", "skip_folds", "weights",
}  # fmt: skip


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


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """Read a plan from a TOML file.

    Parameters
    ----------
    path : str or Path
        The file. Its keys: ``datasets`` (names, or tables with ``path``, ``labels``
        and perhaps ``features``, ``normalize``), ``methods`` (names, or tables with
        ``name`` and perhaps ``label``, ``params``, ``grid``), ``split`` (the
        parameters of :class:`Split`), ``tune`` (true, or the parameters of
        :class:`Tuning`), ``metrics``, ``seed``, ``max_folds``, ``skip_folds``,
        ``weights``, and ``reference`` (a CSV file, beside the plan, or a table with
        ``path`` and columns to select by).

    Returns
    -------
    plan : Plan

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skldl.benchmark import read_plan
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "plan.toml"
    ...     text = ["datasets = ['toy']", "methods = ['AAkNN']", "tune = true"]
    ...     _ = path.write_text(chr(10).join(text))
    ...     read_plan(path).tuning
    Tuning(scoring=None, n_splits=5)
    """
    path = Path(path)
    content = _read_toml(path)
    unknown = set(content) - _PLAN_KEYS
    if unknown:
        raise ValueError(
            f"{path}: unknown key {sorted(unknown)[0]!r}; a plan has "
            f"{', '.join(sorted(_PLAN_KEYS))}."
        )
    try:
        return _plan(content, path.parent)
    except TypeError as error:  # an unknown key inside a table
        raise ValueError(f"{path}: {error}.") from error


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


def plan_files(path: str | os.PathLike[str]) -> list[Path]:
    """List the files that a plan reads beside itself.

    Parameters
    ----------
    path : str or Path
        A plan in TOML, see :func:`read_plan`.

    Returns
    -------
    files : list of Path
        Tables of data sets, and the published numbers.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skldl.benchmark import plan_files
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "plan.toml"
    ...     _ = path.write_text("datasets = ['toy', {path = 'votes.csv'}]")
    ...     [file.name for file in plan_files(path)]
    ['votes.csv']
    """
    path = Path(path)
    content = _read_toml(path)
    entries = content.get("datasets", [])
    named = [*(entries if isinstance(entries, list) else [])]
    named = [entry for entry in named if isinstance(entry, dict)]
    reference = content.get("reference")
    named.append({"path": reference} if isinstance(reference, str) else reference)
    places = [entry.get("path") for entry in named if isinstance(entry, dict)]
    return [path.parent / place for place in places if isinstance(place, str)]


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not a TOML file: {error}.") from error
    except RecursionError:
        raise ValueError(
            f"{path} has brackets nested too deeply; a plan needs no more than a few."
        ) from None


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


def _plan(content: dict[str, Any], folder: Path) -> Plan:
    tune = content.get("tune", False)
    if not isinstance(content.get("split", {}), dict):
        raise ValueError(
            f"split must be a table such as {{n_splits = 5}}, got {content['split']!r}."
        )
    return Plan(
        datasets=[_dataset(entry, folder) for entry in _listed(content, "datasets")],
        methods=[
            method
            for entry in _listed(content, "methods")
            for method in _read_methods(entry)
        ],
        split=Split(**content.get("split", {})),
        tuning=_tuning(tune),
        metrics=content.get("metrics", []),
        seed=content.get("seed", 0),
        reference=_reference(content.get("reference"), folder),
        max_folds=content.get("max_folds"),
        skip_folds=content.get("skip_folds", 0),
        weights=content.get("weights"),
    )


def _tuning(entry: Any) -> Tuning | None:
    if isinstance(entry, str):
        return Tuning(entry)
    if isinstance(entry, dict):
        return Tuning(**entry)
    return Tuning() if entry else None


def _dataset(entry: Any, folder: Path) -> str | Dataset:
    if isinstance(entry, str):
        return entry
    entry = _table(entry, "path")
    if not isinstance(entry.get("normalize", False), bool):
        raise ValueError(
            f"normalize must be true or false, got {entry['normalize']!r}."
        )
    return load_table(**{**entry, "path": folder / entry["path"]})


def _listed(content: dict[str, Any], key: str) -> list[Any]:
    """A list; one name in its place, such as "all", is a list of one."""
    found = content.get(key, [])
    return [found] if isinstance(found, str) else found


def _read_methods(entry: Any) -> list[Method]:
    if isinstance(entry, str):
        return [make_method(name) for name in expand_methods(entry)]
    entry = dict(_table(entry, "name"))
    if not isinstance(entry.get("label", ""), str):
        raise ValueError(f"label must be a text, got {entry['label']!r}.")
    return [make_method(entry.pop("name"), **entry)]


def _table(entry: Any, needed: str, what: str = "Expected a name") -> dict[str, Any]:
    if not isinstance(entry, dict) or not isinstance(entry.get(needed), str):
        raise ValueError(f"{what}, or a table with {needed!r}, got {entry!r}.")
    return entry


def _reference(entry: Any, folder: Path) -> pd.DataFrame | None:
    if entry is None:
        return None
    entry = {"path": entry} if isinstance(entry, str) else entry
    entry = dict(_table(entry, "path", "reference: expected a file"))
    return read_reference(folder / entry.pop("path"), **entry)


def read_reference(
    path: str | os.PathLike[str] | None = None, **where: Any
) -> pd.DataFrame:
    """Read published numbers from a CSV file.

    Parameters
    ----------
    path : str or Path, default=None
        A file with the columns dataset, method, metric, value and perhaps others;
        None takes the tables of five papers that come with the library: columns
        paper, table, dataset, method, metric, value (missing where the paper says
        that the method could not run) and std (missing where none is printed).
    **where : str or list
        Keep the rows whose column has this value, as in ``paper="MSLP"``.

    Returns
    -------
    reference : DataFrame
        Also with ``digits``, the number of printed decimals, final zeros included.

    Examples
    --------
    >>> from skldl.benchmark import read_reference
    >>> len(read_reference()), len(read_reference(paper="MSLP", dataset="SJAFFE"))
    (1272, 78)
    """
    if path is None:
        with (files("skldl.benchmark") / "data" / "published.csv").open() as file:
            table = pd.read_csv(file, dtype={"value": str})
    else:
        table = pd.read_csv(path, dtype={"value": str})
    path = path or "The library's table"
    missing = {"dataset", "method", "metric", "value"} - set(table.columns)
    if missing:
        raise ValueError(f"{path} has no column {sorted(missing)[0]!r}.")
    table["metric"] = table["metric"].replace({"kl": "kl_divergence"})
    printed = table["value"].fillna("")
    table["value"] = [float(text or "nan") for text in printed]
    table["digits"] = printed.str.strip().str.partition(".")[2].str.len()
    for column, wanted in where.items():
        if column not in table.columns:
            raise ValueError(f"{path} has no column {column!r} to select by.")
        chosen = wanted if isinstance(wanted, list) else [wanted]
        table = table[table[column].isin(chosen)]
    return table.reset_index(drop=True)
