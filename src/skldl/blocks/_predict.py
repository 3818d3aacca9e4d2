"""Predictions block by block, for any estimator."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skldl.blocks._dask import require_known
from skldl.blocks._readers import (
    check_columns,
    frames,
    is_dask,
    parquet_files,
    refuse_text,
)
from skldl.blocks._source import Blocks


def predict_blocks(
    model: Any,
    X: Any,
    *,
    method: str = "predict",
    out: str | os.PathLike[str] | None = None,
    features: list[str] | None = None,
    keep: list[str] | None = None,
    block_rows: int = 8192,
) -> Any:
    """Apply a fitted estimator to data in blocks.

    Parameters
    ----------
    model : fitted estimator
        Of this package, or any other.
    X : Dask array or DataFrame, path, Blocks, or what Blocks takes
        Samples; targets in blocks are passed over.
    method : str, default="predict"
        What to call, such as ``"transform"``, ``"predict_proba"`` or ``"classify"``.
    out : path, default=None
        New folder for the answers to a Parquet file or folder.
    features : list of str, default=None
        Feature columns of Parquet files, in order; None takes ``feature_names_in_`` of
        the model, or all columns.
    keep : list of str, default=None
        Columns of the Parquet files to write beside the answers, such as a key.
    block_rows : int, default=8192
        Rows at a time, where the data are not in blocks already.

    Returns
    -------
    answers : Dask array or DataFrame, Path, or iterator of ndarray
        As lazy as the data: a Dask collection for one; ``out``, with a file per input
        file, for Parquet (the folder appears when it is complete); an iterator of the
        answers to each block for anything else.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.blocks import predict_blocks
    >>> from skldl.datasets import make_toy_ldl
    >>> from skldl.ldl import AAkNN
    >>> X, D = make_toy_ldl(100, random_state=0)
    >>> model = AAkNN().fit(X, D)
    >>> P = np.concatenate(list(predict_blocks(model, X, block_rows=30)))
    >>> bool((P == model.predict(X)).all())
    True
    """
    function = getattr(model, method, None)
    if not callable(function):
        raise ValueError(f"{type(model).__name__} has no method {method!r}.")
    is_path = isinstance(X, str | os.PathLike)
    if not is_path and (out is not None or keep is not None):
        raise ValueError("out and keep need X to be the path of Parquet files.")
    if is_dask(X):
        return _dask(model, function, X)
    if is_path:
        if out is None:
            raise ValueError(
                "out is needed: the name of a new folder for the predictions."
            )
        refuse_text("features", features)
        refuse_text("keep", keep)
        if features is None:
            features = list(getattr(model, "feature_names_in_", [])) or None
        answer = partial(_answer, function, features, keep or [], _class_names(model))
        return _parquet(
            Path(X).expanduser(), Path(out).expanduser(), answer, block_rows
        )
    if isinstance(X, Iterator):  # once is enough here
        X = partial(iter, X)
    blocks = X if isinstance(X, Blocks) else Blocks(X, block_rows=block_rows)
    return (function(rows) for rows in blocks.samples())


def _class_names(model: Any) -> list[str] | None:
    """What to call the columns of the answers."""
    classes = getattr(model, "classes_", None)
    return None if classes is None else [str(name) for name in classes]


def _frame(values: Any, names: list[str] | None) -> pd.DataFrame:
    """Answers as named columns; a vector is the column ``prediction``."""
    values = values.toarray() if hasattr(values, "toarray") else values
    if isinstance(values, pd.DataFrame):
        return values.reset_index(drop=True)
    values = np.asarray(values)
    if values.ndim == 1:
        return pd.DataFrame({"prediction": values})
    if names is None or len(names) != values.shape[1]:
        names = [f"column{i}" for i in range(values.shape[1])]
    return pd.DataFrame(values, columns=names)


def _answer(
    function: Callable,
    features: list[str] | None,
    keep: list[str],
    names: list[str] | None,
    frame: pd.DataFrame,
) -> pd.DataFrame:
    X = frame.drop(columns=keep) if features is None else frame[features]
    answer = _frame(function(X), names)
    if len(answer) != len(frame):
        raise ValueError(
            f"The model returned {len(answer)} predictions for {len(frame)} rows."
        )
    for column in answer.columns.intersection(keep):
        raise ValueError(
            f"keep names the column {column!r}, which is also a predicted column. "
            "Rename one of them."
        )
    return pd.concat([frame[keep].reset_index(drop=True), answer], axis=1)


def _parquet(source: Path, out: Path, answer: Any, block_rows: int) -> Path:
    """Answer file by file into a hidden folder, which then takes its name."""
    files = parquet_files(source)
    if os.path.lexists(out):
        raise FileExistsError(f"{out} exists; name a new folder for the predictions.")
    if source.is_dir() and out.resolve().is_relative_to(source.resolve()):
        raise ValueError(
            f"out={str(out)!r} is in the folder of the samples, where predictions "
            "would be read as samples. Name another folder."
        )
    base = source if source.is_dir() else source.parent
    out.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        _answer_files(
            {f: work / f.relative_to(base) for f in files}, answer, block_rows
        )
        work.chmod(0o755)
        work.rename(out)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    return out


def _answer_files(targets: dict[Path, Path], answer: Any, block_rows: int) -> None:
    """A file of answers per input file; all have the columns of the first."""
    from pyarrow import parquet

    schema, empty = None, []
    for file, target in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        found = _answer_file(file, target, answer, block_rows)
        schema = schema or found
        if found is None:
            empty.append(target)
    if schema is None:
        raise ValueError("The Parquet files have no samples (0 rows in all).")
    for target in empty:
        parquet.write_table(schema.empty_table(), target)


def _answer_file(file: Path, target: Path, answer: Any, block_rows: int) -> Any:
    """Write the answers to one file; gives their schema, None without rows."""
    import pyarrow as pa
    from pyarrow import parquet

    _, features, keep, _ = answer.args
    columns = None if features is None else list(dict.fromkeys([*features, *keep]))
    writer = None
    try:
        for frame in frames(file, columns, block_rows):
            check_columns(keep, list(frame.columns), file)
            table = pa.Table.from_pandas(answer(frame), preserve_index=False)
            if writer is None:
                writer = parquet.ParquetWriter(target, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()
    return None if writer is None else writer.schema


def _dask(model: Any, function: Callable, X: Any) -> Any:
    """The estimator mapped over a Dask collection, still to be computed."""
    if not hasattr(X, "chunks"):
        sample = X.head(2, npartitions=-1, compute=True)
        names = _class_names(model)
        meta = _frame(function(sample), names).iloc[:0].set_index(sample.index[:0])
        # bound, as some versions of Dask align every table among the arguments
        answer = partial(_dask_frame, function=function, names=names, empty=meta)
        return X.map_partitions(answer, meta=meta)
    require_known(X, "X")
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, got {X.ndim}.")
    X = X.rechunk({1: -1})
    sample = np.asarray(function(X[:1].compute()))
    chunks = (X.chunks[0], *((size,) for size in sample.shape[1:]))
    dropped = [1] if sample.ndim == 1 else None
    return X.map_blocks(
        _dask_array,
        function,
        sample[:0],
        dtype=sample.dtype,
        chunks=chunks,
        drop_axis=dropped,
        meta=sample[:0],
    )


def _dask_array(X: Any, function: Callable, empty: Any) -> Any:
    return np.asarray(function(X)) if X.shape[0] else empty


def _dask_frame(
    X: pd.DataFrame, function: Callable, names: list[str] | None, empty: pd.DataFrame
) -> pd.DataFrame:
    return _frame(function(X), names).set_index(X.index) if len(X) else empty
