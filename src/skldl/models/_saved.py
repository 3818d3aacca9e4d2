"""Save and load fitted models without pickle."""

import io
import os
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pandas as pd
import skops.io
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from skldl._files import DAMAGE, write_bytes
from skldl._threads import limited_threads
from skldl._warnings import caller_level
from skldl.base import DistributionPredictorMixin
from skldl.models._answers import check_answer, usable_model
from skldl.models._columns import match_columns, needed_columns
from skldl.models._contents import CONTENTS, check_contents, write_contents
from skldl.models._header import ModelHeader, parse_header, plain_params
from skldl.models._kinds import TEXT, WORDS, feature_kinds, learner_of
from skldl.models._support import check_state
from skldl.models._trust import (
    HEADER,
    MAX_SIZE,
    ModelFileError,
    check_schema,
    check_sizes,
    header_bytes,
    trusted_types,
)
from skldl.preprocessing import TableEncoder
from skldl.validation import check_target


@dataclass
class SavedModel:
    """A fitted model with what its file says about it.

    Attributes
    ----------
    estimator : estimator
        Fitted.
    header : ModelHeader
        Names, settings and training summary.
    """

    estimator: Any
    header: ModelHeader
    _told: bool = field(default=False, repr=False)

    @cached_property
    def feature_kinds(self) -> list[str]:
        """What each feature may hold: "number", "gap", "text", "any", ...

        Plain models take finite numbers. A pipeline that imputes takes gaps, and one
        that encodes words takes text; the fitted steps tell. "any" is for the model to
        judge, as is "words", which is better read as text; "unused" need not be there.
        """
        return feature_kinds(self.estimator, self.header.feature_names)

    @property
    def text_features(self) -> tuple[str, ...]:
        """Features to be read as text, even where they look like numbers."""
        both = zip(self.header.feature_names, self.feature_kinds, strict=True)
        return tuple(name for name, kind in both if kind in (TEXT, WORDS))

    @property
    def needed_features(self) -> list[str]:
        """Features that a table must have: all that the model looks at."""
        return needed_columns(self.header.feature_names, self.feature_kinds)

    def columns(self, X: Any, *, first_row: int = 0) -> Any:
        """Bring features into the order of the training.

        Where the model takes gaps and text these are passed on, see
        :attr:`feature_kinds`.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Samples. Columns of a DataFrame are matched by name, those not needed are
            left out; those of an array must be right already.
        first_row : int, default=0
            What messages call the first row, if X is a part of a larger table.

        Returns
        -------
        X : DataFrame or ndarray
            As the estimator wants it.
        """
        names = self.header.feature_names
        matched, extra = match_columns(X, names, self.feature_kinds, first_row)
        if extra and not self._told:
            self._told = True
            warnings.warn(
                f"Columns that the model does not know are ignored: "
                f"{', '.join(extra[:5])}{' ...' if len(extra) > 5 else ''}.",
                UserWarning,
                stacklevel=caller_level(),
            )
        if hasattr(self.estimator, "feature_names_in_"):
            return pd.DataFrame(matched, columns=names)
        return np.asarray(matched)

    def predict(self, X: Any) -> pd.DataFrame | pd.Series:
        """Predict, with names.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Samples, see :meth:`columns`.

        Returns
        -------
        P : DataFrame of shape (n_samples, n_labels), or Series of classes
            Distributions; for label sets the probabilities of the labels.
        """
        index = X.index if isinstance(X, pd.DataFrame) else None
        found = self.raw_predict(X)
        if self.header.target == "classes":
            return pd.Series(found, index=index, name="class")
        return pd.DataFrame(found, columns=self.header.label_names, index=index)

    def transform(self, X: Any) -> pd.DataFrame:
        """Project, with the names of the features.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Samples, see :meth:`columns`.

        Returns
        -------
        Z : DataFrame of shape (n_samples, n_components)
        """
        index = X.index if isinstance(X, pd.DataFrame) else None
        Z = self.respond(self.columns(X), "transform")
        names = self.estimator.get_feature_names_out()
        return pd.DataFrame(Z, columns=list(names), index=index)

    def raw_predict(self, X: Any) -> Any:
        """Predict without names.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Samples, see :meth:`columns`.

        Returns
        -------
        P : ndarray
        """
        proba = self.header.target == "indicator"
        return self.respond(self.columns(X), "predict_proba" if proba else "predict")

    def respond(self, X: Any, method: str = "predict", **details: Any) -> Any:
        """Call a method of the estimator, and look at the answer before it leaves.

        Parameters
        ----------
        X : DataFrame or ndarray
            Samples as :meth:`columns` gives them.
        method : str, default="predict"
            "predict", "predict_proba", "transform" or "predict_region".
        **details : object
            Further arguments of the method.

        Returns
        -------
        answer : ndarray or Regions
            Finite numbers; distributions are on the simplex.
        """
        with limited_threads(), usable_model(self.header.method):
            answer = getattr(self.estimator, method)(X, **details)
        check_answer(answer, method, self.header)
        return answer


def save_model(
    model: Any,
    path: str | os.PathLike[str],
    *,
    y: Any = None,
    feature_names: Iterable[str] | None = None,
    label_names: Iterable[str] | None = None,
    **summary: Any,
) -> Path:
    """Write a fitted model to a file that :func:`load_model` opens safely.

    The file appears whole or not at all.

    Parameters
    ----------
    model : estimator
        Fitted: a learner of this library, or a Pipeline of trusted steps.
    path : str or Path
        Where to; usually ``something.skldl``.
    y : array-like, default=None
        The training target, for the summary in the header: number of rows, kind of
        target, mean degrees. Without it the target is taken to be distributions.
    feature_names : iterable of str, default=None
        Names of the features; None takes ``feature_names_in_``, or numbers.
    label_names : iterable of str, default=None
        Names of the labels; None takes ``classes_``.
    **summary : optional
        Other entries of :class:`ModelHeader`: ``method``, ``data``, ``normalized``,
        ``seed``, ``tuned``, ``ordered``, ``target``.

    Returns
    -------
    path : Path
        The file written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import SABFGS
    >>> from skldl.models import load_model, save_model
    >>> X, D = make_ldl(100, random_state=0)
    >>> with TemporaryDirectory() as folder:
    ...     path = save_model(SABFGS(reg=0.01).fit(X, D), f"{folder}/a.skldl", y=D)
    ...     saved = load_model(path)
    >>> saved.header.n_samples, saved.predict(X[:5]).shape
    (100, (5, 5))
    """
    check_is_fitted(model)
    facts, labels = _of_target(y, model)
    numbers = range(getattr(model, "n_features_in_", 0))
    features: Any = getattr(model, "feature_names_in_", numbers)
    labels = getattr(model, "classes_", labels)
    header = ModelHeader(
        label_names=[str(n) for n in (labels if label_names is None else label_names)],
        feature_names=[
            str(n) for n in (features if feature_names is None else feature_names)
        ],
        params=plain_params(model),
        verdict=getattr(learner_of(model), "verdict_", ""),
        columns=_encoded_columns(model),
        **{"method": type(model).__name__, **facts, **summary},
    )
    content = io.BytesIO()
    try:
        skops.io.dump(model, content)
    except Exception as error:
        raise ValueError(f"This model cannot be saved: {error}") from error
    with zipfile.ZipFile(content, "a") as archive:
        try:
            check_schema(archive, "The model", 2**62, ())
            check_state(model)
        except ModelFileError as error:
            raise ValueError(
                f"This model cannot be saved safely: {str(error).split('. ')[0]}. Use "
                "algorithm='brute' for neighbours, and save the best_estimator_ of a "
                "search such as GridSearchCV."
            ) from None
        archive.writestr(HEADER, header.to_json())
        write_contents(archive)
    with content.getbuffer() as data:  # given back even if the disk is full
        return write_bytes(path, data)


def _encoded_columns(model: Any) -> list[dict[str, Any]]:
    """What an encoder at the front did to each column of the table."""
    model = learner_of(model)
    first = model[0] if isinstance(model, Pipeline) else model
    first = getattr(first, "encoder_", first)
    return first.columns_.to_dict("records") if isinstance(first, TableEncoder) else []


def _of_target(y: Any, model: Any) -> tuple[dict[str, Any], Any]:
    if y is None:
        return {"target": "distribution"}, []
    last = model[-1] if isinstance(model, Pipeline) else model
    if isinstance(last, DistributionPredictorMixin):  # zeros and ones will do, too
        target = check_target(y, kinds=("distribution", "classes"))
        target = replace(target, kind="distribution")
    else:
        target = check_target(y)
    means = target.matrix.mean(axis=0).tolist()
    facts = {"target": target.kind, "n_samples": len(target.matrix)}
    return facts | {"label_means": means}, target.classes


def read_header(
    path: str | os.PathLike[str], *, max_size: int = MAX_SIZE
) -> ModelHeader:
    """Read what a model file says about itself, without loading the model.

    Parameters
    ----------
    path : str or Path
        The file.
    max_size : int, default=2**31
        Bytes that the whole file may unfold to.

    Returns
    -------
    header : ModelHeader
    """
    with _opened(path, max_size) as (archive, where):
        return _checked_header(archive, where, header_only=True)


def load_model(
    path: str | os.PathLike[str],
    *,
    trusted: Iterable[str] = (),
    max_size: int = MAX_SIZE,
) -> SavedModel:
    """Load a model without running code from its file.

    Parameters
    ----------
    path : str or Path
        A file that :func:`save_model` or ``skldl fit`` wrote.
    trusted : iterable of str, default=()
        Names of further types that may stand in the file, such as
        ``"mypackage.MyScaler"``. Their code runs: name only what you know.
    max_size : int, default=2**31
        Bytes that the file may unfold to.

    Returns
    -------
    saved : SavedModel
        ``saved.predict(X)`` matches columns by name.

    Raises
    ------
    ModelFileError
        If the file is damaged, too large, from another major version, or contains types
        that are not trusted. It is a ValueError.
    """
    trusted = [trusted] if isinstance(trusted, str) else list(trusted)
    with _opened(path, max_size) as (archive, where):
        header = _checked_header(archive, where)
        check_schema(archive, where, max_size, trusted)
        known = sorted(trusted_types() | set(trusted))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                # the file that was checked, whatever has the name by now
                estimator = skops.io.load(cast(BinaryIO, archive.fp), trusted=known)
                check_state(estimator, trusted)
                _check_sizes(estimator, header)
            except ModelFileError:
                raise
            except DAMAGE as error:
                raise ModelFileError(
                    f"{where} is damaged: its parts do not match "
                    f"({type(error).__name__})."
                ) from error
    _pass_on(caught, header)
    return SavedModel(estimator, header)


def _checked_header(
    archive: zipfile.ZipFile, where: str, *, header_only: bool = False
) -> ModelHeader:
    """The header, after a look at whether the file is whole."""
    text = header_bytes(archive, where)
    if CONTENTS not in archive.namelist():  # files of before say which format they have
        parse_header(text, where)
    check_contents(archive, where, header_only=header_only)
    return parse_header(text, where)


def _check_sizes(estimator: Any, header: ModelHeader) -> None:
    """The header must speak of this model."""
    check_is_fitted(estimator)
    if getattr(estimator, "n_features_in_", -1) != len(header.feature_names):
        raise ValueError("features")
    if len(getattr(estimator, "classes_", header.label_names)) != len(
        header.label_names
    ):
        raise ValueError("labels")


def _pass_on(caught: list[Any], header: ModelHeader) -> None:
    """One word for scikit-learn's many about versions; others as they are."""
    for warning in caught:
        if not issubclass(warning.category, InconsistentVersionWarning):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    if any(issubclass(w.category, InconsistentVersionWarning) for w in caught):
        warnings.warn(
            "The model was fitted with scikit-learn "
            f"{header.versions.get('scikit-learn')}, which is not the version "
            "installed; fit it again if predictions look wrong.",
            UserWarning,
            stacklevel=caller_level(),
        )


@contextmanager
def _opened(
    path: str | os.PathLike[str], max_size: int
) -> Iterator[tuple[zipfile.ZipFile, str]]:
    """The archive, with a clear word for every way in which it is none."""
    path = Path(path).expanduser()
    where = path.name
    if path.is_dir():
        raise ModelFileError(f"{path} is a folder, not a model file.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    size = path.stat().st_size
    if size == 0:
        raise ModelFileError(f"{where} is empty, so it is not a model.")
    try:
        with zipfile.ZipFile(path) as archive:
            check_sizes(archive, where, max_size)
            yield archive, where
    except ModelFileError:
        raise
    except PermissionError:
        raise
    except DAMAGE as error:
        with path.open("rb") as file:
            start = file.read(2)
        if start != b"PK":
            raise ModelFileError(f"{where} is not a model of scikit-ldl.") from error
        raise ModelFileError(
            f"{where} is damaged or was cut off; get it again, or fit it again."
        ) from error
