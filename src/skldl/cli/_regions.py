"""Regions on the command line: around which model, and in which columns."""

from typing import Any

import click


def coverage_option(text: str) -> Any:
    """The option --coverage."""
    between = click.FloatRange(0, 1, min_open=True, max_open=True)
    return click.option("--coverage", type=between, metavar="SHARE", help=text)


def keeping_rows(model: Any, kind: str, options: dict[str, Any]) -> Any:
    """The model to fit, if its predictions shall have regions.

    Parameters
    ----------
    model : estimator
        Not fitted.
    kind : str
        What it learns from.
    options : dict
        Options of the command.

    Returns
    -------
    model : estimator
        AutoLDL as it is, since it predicts rows that it did not fit anyway; other
        models with a part of the rows kept apart.
    """
    from skldl.auto import AutoLDL
    from skldl.conformal import ConformalDistribution

    coverage, seed = options["coverage"], options["seed"]
    if coverage is None or isinstance(model, AutoLDL):
        return model
    if kind != "distribution":
        raise click.UsageError("--coverage is for methods that learn distributions.")
    return ConformalDistribution(model, coverage=coverage, random_state=seed)


def weights_beside_regions(options: dict[str, Any], method: Any) -> str | None:
    """How votes weigh rows; not at all where that would change what regions promise.

    Parameters
    ----------
    options : dict
        Options of the command.
    method : Method
        What is fitted.

    Returns
    -------
    weights : str or None
        The option ``--weights``.
    """
    from skldl.auto import AutoLDL

    given: str | None = options["weights"]
    if options["coverage"] is None or isinstance(method.estimator, AutoLDL):
        return given
    if given not in (None, "none"):
        raise click.UsageError(
            "--coverage cannot be used with --weights for this method, because its "
            "guarantee is for rows of equal weight. Leave out one of them, or use "
            "AutoLDL."
        )
    return "none"


def without_search(model: Any, found: Any) -> Any:
    """Put the best model of a search in its place, inside of regions.

    Parameters
    ----------
    model : estimator
        Fitted.
    found : callable
        Gives the best model of a search, or the model itself.

    Returns
    -------
    model : estimator
    """
    from sklearn.base import clone

    from skldl.conformal import ConformalDistribution

    if not isinstance(model, ConformalDistribution):
        return found(model)
    model.estimators_ = [found(part) for part in model.estimators_]
    return model.set_params(estimator=clone(model.estimators_[0]))


def learner_in(model: Any) -> Any:
    """The learner inside of regions; other models are their own."""
    from skldl.conformal import ConformalDistribution

    return model.estimators_[0] if isinstance(model, ConformalDistribution) else model


def model_with_regions(model: Any, name: str) -> Any:
    """A loaded model that gives regions, or a word on how to get one.

    Parameters
    ----------
    model : estimator
        Fitted.
    name : str
        Its file.

    Returns
    -------
    model : ConformalDistribution
    """
    from skldl.conformal import ConformalDistribution

    if isinstance(model, ConformalDistribution):
        return model
    if not hasattr(model, "oof_target_"):
        raise click.UsageError(
            f"{name} has no calibration rows, so it has no regions. Fit it with "
            "skldl fit --coverage, or with AutoLDL."
        )
    return ConformalDistribution.from_fitted(model)


def region_columns(regions: Any, names: list[str], taken: Any) -> dict[str, Any]:
    """Intervals of the labels, and the labels that may be the largest.

    Parameters
    ----------
    regions : Regions
        Of some rows.
    names : list of str
        Labels.
    taken : collection of str
        Names of columns that there are.

    Returns
    -------
    columns : dict of str to array
    """
    columns: dict[str, Any] = {}
    for j, name in enumerate(names):
        columns[f"{name}_lower"] = regions.lower[:, j]
        columns[f"{name}_upper"] = regions.upper[:, j]
    place = dict(zip(regions.classes, names, strict=True))
    sets = [[place[label] for label in found] for found in regions.label_sets()]
    chosen = "labels" if "labels" not in taken else "possible_labels"
    columns[chosen] = ["|".join(found) for found in sets]
    clash = [name for name in columns if name in taken]
    if clash:
        raise click.UsageError(
            f"--coverage adds the column {clash[0]}, which is the name of a label. "
            "Leave out --coverage, or fit again with another name of the label."
        )
    return columns
