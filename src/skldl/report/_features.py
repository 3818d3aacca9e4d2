"""What the features do: permutation importance and partial dependence, in limits."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skldl._typing import FloatArray
from skldl.datasets import column_roles, date_format
from skldl.report._evidence import Explained

_ROWS = 400  # rows that importances are measured on
_MEAN_ROWS = 150  # rows that partial dependence is averaged over
_REPEATS = 5
_GRID = 16  # places along a column of numbers or dates
_LEVELS = 10  # categories that are shown
_UNUSED = ("id", "constant", "empty")


@dataclass(frozen=True, eq=False)
class Dependence:
    """Mean predicted degrees at values of one column.

    Attributes
    ----------
    column : str
        Its name.
    values : list
        Numbers, dates or categories.
    degrees : ndarray of shape (n_values, n_labels)
        Mean predictions with the column set to each value.
    """

    column: str
    values: list[Any]
    degrees: FloatArray


def as_table(X: Any) -> pd.DataFrame:
    """X with names; columns of an array are called x0, x1, ..."""
    if isinstance(X, pd.DataFrame):
        return X
    if hasattr(X, "to_pandas"):
        return X.to_pandas()
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


def _predictor(explained: Explained) -> Any:
    """Predictions of a table, in the form that the model was fitted with."""
    model, named = explained.model, hasattr(explained.X, "columns")
    return lambda table: np.asarray(model.predict(table if named else table.to_numpy()))


def importances(
    explained: Explained, time_limit: float, random_state: int
) -> tuple[pd.DataFrame, str]:
    """How many more votes go wrong when a column is shuffled.

    Parameters
    ----------
    explained : Explained
        Model and rows.
    time_limit : float
        Seconds; columns that were not reached are not in the table.
    random_state : int
        Seed of the shuffles.

    Returns
    -------
    table : DataFrame
        Indexed by column, the most important first: ``importance``, more votes of 100
        on the wrong label, and its ``error`` over the shuffles.
    note : str
        What was left out, or nothing.
    """
    rng = np.random.default_rng(random_state)
    frame, D = as_table(explained.X), explained.D
    rows = rng.permutation(len(frame))[:_ROWS]
    frame, D = frame.iloc[rows].reset_index(drop=True), D[rows]
    predict = _predictor(explained)
    begin = time.monotonic()
    base = _wrong(D, predict(frame))
    columns = _used(explained.model, frame)
    seconds = time.monotonic() - begin
    repeats = int(np.clip(time_limit / max(1e-9, seconds * len(columns)), 1, _REPEATS))
    found: dict[str, list[float]] = {}
    for name in columns:
        if time.monotonic() - begin > time_limit:
            break
        changed, grown = frame.copy(deep=False), []
        for _ in range(repeats):
            order = rng.permutation(len(frame))
            changed[name] = frame[name].iloc[order].to_numpy()
            grown.append(_wrong(D, predict(changed)) - base)
        found[str(name)] = [float(np.mean(grown)), float(np.std(grown))]
    table = pd.DataFrame(found, index=["importance", "error"]).T.rename_axis("column")
    table = table.sort_values("importance", ascending=False, kind="stable")
    left = len(columns) - len(found)
    note = f"The time was over for {left} of {len(columns)} columns."
    return table, note if left else ""


def _wrong(D: FloatArray, P: FloatArray) -> float:
    """Votes of 100 on the wrong label."""
    return float(50 * np.abs(D - P).sum(axis=1).mean())


def _used(model: Any, frame: pd.DataFrame) -> list[Any]:
    """Columns that the model looks at."""
    unused = set()
    for record in column_records(model):
        if not record["n_features"]:
            unused.add(record["column"])
    return [name for name in frame.columns if str(name) not in unused]


def column_records(model: Any) -> list[dict[str, Any]]:
    """What an encoder inside a model did to each column; empty if there is none."""
    if hasattr(model, "columns_") and hasattr(model, "roles_"):
        return model.columns_.to_dict("records")
    for name in ("encoder_", "best_estimator_"):
        if getattr(model, name, None) is not None:
            return column_records(getattr(model, name))
    if hasattr(model, "calibration_"):
        return column_records(model.estimators_[0])
    if hasattr(model, "steps"):
        return column_records(model.steps[0][1])
    return []


def dependences(
    explained: Explained, columns: list[str], time_limit: float, random_state: int
) -> list[Dependence]:
    """Partial dependence of all labels on some columns, until the time is over.

    Parameters
    ----------
    explained : Explained
        Model and rows.
    columns : list of str
        The most important first. Text and columns with one value are left out.
    time_limit : float
        Seconds.
    random_state : int
        Seed of the choice of rows.

    Returns
    -------
    found : list of Dependence
    """
    frame = as_table(explained.X)
    roles = column_roles(frame[[n for n in frame.columns if str(n) in set(columns)]])
    by_name = {str(name): name for name in frame.columns}
    rng = np.random.default_rng(random_state)
    some = frame.iloc[rng.permutation(len(frame))[:_MEAN_ROWS]]
    predict = _predictor(explained)
    begin, found = time.monotonic(), []
    for column in columns:
        name = by_name[column]
        values = _places(frame[name], str(roles.loc[name, "role"]))
        if len(values) < 2:
            continue
        if time.monotonic() - begin > time_limit:
            break
        many = pd.concat([some] * len(values), ignore_index=True)
        many[name] = pd.Series(np.repeat(np.array(values, object), len(some))).astype(
            frame[name].dtype if not _whole(frame[name]) else float
        )
        P = predict(many).reshape(len(values), len(some), -1)
        found.append(Dependence(column, values, P.mean(axis=1)))
    return found


def _whole(values: pd.Series) -> bool:
    return pd.api.types.is_integer_dtype(values)


def _places(values: pd.Series, role: str) -> list[Any]:
    """Where to measure."""
    present = values.dropna()
    if role in (*_UNUSED, "text") or not len(present):
        return []
    if role == "number" and present.nunique() > _LEVELS:
        low, high = np.quantile(present.astype(float), [0.05, 0.95])
        return np.linspace(low, high, _GRID).tolist()
    if role == "number":
        return sorted(present.unique().tolist())
    if role == "date":
        ordered = _by_time(present)
        places = np.linspace(0, len(ordered) - 1, min(_GRID, len(ordered)))
        return [ordered[int(p)] for p in np.unique(places.round())]
    return present.value_counts().index[:_LEVELS].tolist()


def _by_time(values: pd.Series) -> list[Any]:
    different = pd.Series(values.unique())
    return different.iloc[np.argsort(to_times(different))].tolist()


def to_times(values: Any) -> FloatArray:
    """Dates as seconds, also those that are text."""
    given = pd.Series(values)
    if not pd.api.types.is_datetime64_any_dtype(given):
        given = pd.to_datetime(given, format=date_format(given))
    return (given - pd.Timestamp(0, tz=given.dt.tz)).dt.total_seconds().to_numpy()
