"""The page about one model: one HTML file."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from markupsafe import Markup
from sklearn.utils.validation import check_is_fitted

from skldl._files import write_text
from skldl._threads import limited_threads
from skldl._version import __version__
from skldl.conformal import ConformalDistribution
from skldl.report._evidence import Evidence, Rows, check_given, gather
from skldl.report._fragments import facts, next_step, paragraph
from skldl.report._model_cases import cases_part, columns_part, features_part
from skldl.report._model_scores import (
    calibration_part,
    labels_part,
    leaderboard_part,
    score_strip,
    scores_part,
)
from skldl.report._page import Section, render_page
from skldl.report._score_words import scores_of, verdict_words


def write_model_report(
    model: Any,
    X: Any,
    D: Any,
    path: str | os.PathLike[str],
    *,
    rows: Rows = "auto",
    sample_weight: Any = None,
    n_votes: Any = None,
    row_names: Any = None,
    mean: Any = None,
    ordered: bool = False,
    title: str = "",
    method: str = "",
    data: str = "",
    notes: Sequence[str] = (),
    command: str = "",
    coverage: float = 0.9,
    time_limit: float = 30.0,
    random_state: int = 0,
) -> Path:
    """Write a page about one model as one HTML file.

    It says in words how good the model is, beside the mean distribution and, where
    votes are counted, a perfect model; then come all scores, the leaderboard of
    :class:`~skldl.auto.AutoLDL`, errors of the labels, mix-ups of the largest label,
    calibration, the best, typical and worst rows with regions, what the features do,
    and what was done to each column. The model is never judged on rows that it was
    fitted on.

    Parameters
    ----------
    model : estimator
        A fitted learner of distributions, such as AutoLDL, a Pipeline, or a
        ConformalDistribution.
    X : array-like or DataFrame of shape (n_samples, n_features), or None
        Rows to judge it by; None, as D, takes the out-of-fold predictions that AutoLDL
        keeps, without what features do.
    D : array-like of shape (n_samples, n_labels), or None
        Their distributions; columns of a DataFrame name the labels.
    path : str or Path
        Where to; the name ends in .html or .htm.
    rows : {"auto", "new", "training"}, default="auto"
        What the rows are to the model. Rows that are new to it are predicted by it. The
        rows that it was fitted on are judged by predictions of models that have not
        seen them: those that AutoLDL keeps, and for other models a cross-validation of
        five folds with clones. "auto" recognises the training rows of AutoLDL, and
        takes all other rows for new ones.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows in all means, and in the fits of a cross-validation.
    n_votes : array-like of shape (n_samples,), default=None
        Votes behind each row of D, where D is shares of votes: for the noise floor.
    row_names : sequence of str, default=None
        Names of the rows, such as ids; None takes the index of X if it is text, and
        otherwise row numbers.
    mean : array-like of shape (n_labels,), default=None
        Mean distribution of the training rows; None takes the mean of all other rows.
    ordered : bool, default=False
        Whether the order of the labels means something (ratings).
    title, method, data : str, default=""
        Heading of the page, and names of the model and of the data.
    notes : sequence of str, default=()
        What else is to be said at the top.
    command : str, default=""
        What to run next, to be shown at the top.
    coverage : float, default=0.9
        Share of new distributions that regions are made for.
    time_limit : float, default=30
        Seconds for importances and partial dependence; 0 leaves them out.
    random_state : int, default=0
        Seed of folds, shuffles and the noise floor.

    Returns
    -------
    path : Path

    See Also
    --------
    write_report : The page about a comparison of methods.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LogisticLDL
    >>> from skldl.report import write_model_report
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = LogisticLDL().fit(X[:150], D[:150])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "model.html"
    ...     page = write_model_report(model, X[150:], D[150:], path, data="new rows")
    ...     "of 100 votes are put on the wrong label" in page.read_text()
    True
    """
    require_html(Path(path))
    check_is_fitted(model)
    _check_choice(model, rows)
    given = check_given(
        model, X, D, sample_weight=sample_weight, n_votes=n_votes,
        row_names=row_names, mean=mean,
    )  # fmt: skip
    with limited_threads():
        evidence = gather(model, given, rows, coverage, random_state)
        scores = scores_of(evidence, ordered=ordered, random_state=random_state)
        sections = [
            scores_part(scores),
            leaderboard_part(model),
            labels_part(evidence),
            calibration_part(evidence),
            cases_part(evidence),
            features_part(evidence, time_limit, random_state),
            columns_part(model),
            _origin(model),
        ]
    method = method or type(_learner(model)).__name__
    summary = [
        *map(paragraph, verdict_words(evidence, scores)),
        score_strip(scores),
        paragraph(evidence.how),
        _model_facts(evidence, method, data),
        *map(paragraph, notes),
        *([next_step(command)] if command else []),
    ]
    page = render_page(
        title or f"{method}{f' on {data}' if data else ''}",
        summary,
        [section for section in sections if section is not None],
    )
    return write_text(path, page)


def require_html(path: Path) -> None:
    """Refuse a name that promises something else than a page."""
    device = path.exists() and not path.is_file()  # /dev/stdout promises nothing
    if path.suffix.lower() not in (".html", ".htm") and not device:
        raise ValueError(
            f"The report is an HTML page, so {path.name!r} must end in .html or .htm."
        )


def _check_choice(model: Any, rows: str) -> None:
    if rows not in ("auto", "new", "training"):
        raise ValueError(f"rows must be 'auto', 'new' or 'training', got {rows!r}.")
    if not hasattr(model, "classes_"):
        raise ValueError(
            "A page about a model needs a fitted learner of distributions, got "
            f"{type(model).__name__}."
        )


def _learner(model: Any) -> Any:
    """The model inside of regions."""
    return model.estimators_[0] if isinstance(model, ConformalDistribution) else model


def _model_facts(evidence: Evidence, method: str, data: str) -> Markup:
    entries = {"Model": method}
    if data:
        entries["Data"] = data
    entries["Rows"] = f"{len(evidence.D):,}"
    entries["Labels"] = ", ".join(evidence.labels)
    if evidence.n_votes is not None:
        n = evidence.n_votes
        spread = f"{n.min():g}" if n.min() == n.max() else f"{n.min():g} to {n.max():g}"
        entries["Votes"] = f"{n.sum():,.0f}, {spread} a row"
    return facts(entries)


def _origin(model: Any) -> Section:
    learner = _learner(model)
    entries = {
        "Written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "scikit-ldl": __version__,
    }
    given = learner.get_params(deep=False) if hasattr(learner, "get_params") else {}
    settings = {
        name: repr(value)
        for name, value in given.items()
        if isinstance(value, str | int | float | bool) and name != "verbose"
    }
    if settings:
        entries["Settings"] = ", ".join(f"{n}={v}" for n, v in settings.items())
    weights = getattr(learner, "weights_", None)
    if isinstance(weights, dict):
        kind = {"log": "log-linear", "linear": "linear"}[learner.pool_]
        pool = ", ".join(f"{name} {w:.2f}" for name, w in weights.items())
        entries["Pool"] = f"{kind}: {pool}"
    return Section("How it was made", [facts(entries)])
