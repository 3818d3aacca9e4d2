"""What a job is, as text that is the same in every process and on every machine."""

import hashlib
import inspect
import json
from collections.abc import Mapping
from typing import Any

import joblib
import numpy as np
import pandas as pd

from skldl.datasets import Dataset


def describe_object(thing: Any) -> Any:
    """JSON that says what an estimator or parameter is, the same in every process."""
    if hasattr(thing, "get_params") and not isinstance(thing, type):
        params = thing.get_params(deep=False)
        named = {key: describe_object(value) for key, value in params.items()}
        return [describe_object(type(thing)), named]
    if isinstance(thing, Mapping):
        return {str(key): describe_object(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [describe_object(value) for value in thing]
    if isinstance(thing, (set, frozenset)):
        return sorted((describe_object(value) for value in thing), key=json.dumps)
    if isinstance(thing, np.generic):
        thing = thing.item()
    if thing is None or isinstance(thing, (str, int, float, bool)):
        return thing
    if callable(thing) and hasattr(thing, "__qualname__"):
        return describe_callable(thing)
    return [_name(type(thing)), joblib.hash(thing)]


def describe_callable(thing: Any) -> Any:
    """Its name if it can be imported by that; otherwise what it does."""
    name = _name(thing)
    owner = getattr(thing, "__self__", None)
    if owner is not None and not inspect.ismodule(owner):
        return [name, describe_object(owner)]
    local = thing.__module__ == "__main__" or "<" in thing.__qualname__
    if not local or inspect.isbuiltin(thing):
        return name
    if inspect.isclass(thing):
        members = [m for m in vars(thing).values() if inspect.isfunction(m)]
        return [
            name,
            [_name(b) for b in thing.__bases__],
            *map(_describe_code, members),
        ]
    return [name, _describe_code(thing)]


def _describe_code(function: Any) -> Any:
    code = function.__code__
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    held = [c for c in cells if not (inspect.isclass(c) or inspect.isfunction(c))]
    return [_code_hash(code), describe_object([function.__defaults__, *held])]


def _code_hash(code: Any) -> str:
    constants = [
        _code_hash(c) if inspect.iscode(c) else repr(c) for c in code.co_consts
    ]
    parts = [code.co_code.hex(), *constants, *code.co_names]
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]


def _name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def fingerprint(dataset: Dataset, *, votes: bool = False) -> str:
    """Hash of everything in a data set that results depend on.

    Parameters
    ----------
    dataset : Dataset
        The data.
    votes : bool, default=False
        Whether results also depend on the numbers of votes.

    Returns
    -------
    fingerprint : str
        32 hexadecimal digits; equal data have equal ones on every machine.
    """
    digest = hashlib.sha256(f"{dataset.kind} {dataset.ordered}".encode())
    if dataset.mixed:
        _add_table(digest, dataset.X)
    numbers = None if dataset.mixed else dataset.X
    for part in (numbers, dataset.target, dataset.train, dataset.test):
        part = np.ascontiguousarray([] if part is None else part)
        digest.update(f"{part.dtype}{part.shape}".encode())
        if part.dtype.kind == "O":
            digest.update(json.dumps(part.tolist(), default=str).encode())
        else:
            digest.update(part.tobytes())
    if votes:
        digest.update(np.asarray(dataset.extra["n_votes"], np.float64).tobytes())
    return digest.hexdigest()[:32]


def _add_table(digest: Any, frame: pd.DataFrame) -> None:
    """Names and cells; whether text is pandas' or Python's does not matter."""
    for name, values in frame.items():
        if values.dtype.kind in "fiub":
            digest.update(f"{name} numbers".encode())
            digest.update(values.to_numpy(np.float64).tobytes())
            continue
        codes, different = pd.factorize(values)
        words = [str(value) for value in different]
        digest.update(json.dumps([str(name), words]).encode())
        digest.update(codes.astype(np.int64).tobytes())
