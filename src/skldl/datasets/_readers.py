"""Readers of file formats: a path in, arrays or a DataFrame out, no code executed."""

import csv
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from skldl._sklearn import DENSE_GEN, ArffException
from skldl._sklearn import read_arff as _parse_arff


def read_mat(path: Path) -> dict[str, NDArray[Any]]:
    """Arrays of a MATLAB file (up to version 7.2), sparse ones made dense."""
    from scipy.io import loadmat

    try:
        content = loadmat(path)
    except NotImplementedError as error:
        raise ValueError(
            f"{path} is a MATLAB 7.3 (HDF5) file; save it with '-v7' and try again."
        ) from error
    except (ValueError, TypeError, KeyError, IndexError, OSError) as error:
        raise ValueError(f"{path} is no readable MATLAB file: {error}") from error
    return {
        name: value.toarray() if sp.issparse(value) else np.asarray(value)
        for name, value in content.items()
        if not name.startswith("__")
    }


def read_npy(path: Path) -> NDArray[Any]:
    """Array of a .npy file; pickled objects are refused."""
    return np.load(path, allow_pickle=False)


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """Arrays of a .npz file; pickled objects are refused."""
    with np.load(path, allow_pickle=False) as content:
        return {name: content[name] for name in content.files}


def read_tif(path: Path) -> NDArray[Any]:
    """Pixels of an image file."""
    from matplotlib.image import imread

    return np.asarray(imread(path))


def read_arff(path: Path) -> pd.DataFrame:
    """Table of an ARFF file, dense or sparse; nominal 0/1 columns become numbers."""
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    if "@data" not in text.lower():
        raise ValueError(f"{path} has no @data section, so it is no ARFF file.")
    try:
        parsed = _parse_arff(iter(text.splitlines()), return_type=DENSE_GEN)
        rows = list(parsed["data"])
    except ArffException as error:
        raise ValueError(f"{path} is no readable ARFF file: {error}") from error
    names = [name for name, _ in parsed["attributes"]]
    frame = pd.DataFrame(rows, columns=range(len(names)))
    frame.columns = pd.Index(names)
    return frame.apply(_numbers_if_possible)


def _numbers_if_possible(column: pd.Series) -> pd.Series:
    try:
        return pd.to_numeric(column)
    except (ValueError, TypeError):
        return column


def read_label_xml(path: Path) -> list[str]:
    """Label names of a MULAN .xml file, in its order."""
    text = Path(path).read_text(encoding="utf-8")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError(f"{path} declares entities, which label files never need.")
    root = ElementTree.fromstring(text.encode())
    return [e.attrib["name"] for e in root.iter() if e.tag.endswith("label")]


def read_csv(path: Path) -> pd.DataFrame:
    """Table of a comma, semicolon or tab separated file with a header.

    A first column without a name, as pandas writes the index, becomes row names.
    """
    path = Path(path)
    try:
        header, separator = _csv_header(path)
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                path, sep=separator, encoding="utf-8-sig", index_col=False
            )
    except pd.errors.ParserWarning:
        raise ValueError(
            f"{path}: some row has more fields than the header has names."
        ) from None
    except (pd.errors.ParserError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no readable CSV file: {error}") from error
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise ValueError(f"{path} has more than one column {twice[0]!r}; rename one.")
    if header[0] == "" and len(header) > 1:
        frame = frame.set_index(frame.columns[0]).rename_axis(index=None)
    return frame


def _csv_header(path: Path) -> tuple[list[str], str]:
    """Names in the first line, and the separator that finds the most of them."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        line = next((line for line in file if line.strip()), "")
    if not line:
        raise ValueError(f"{path} is empty; a header line and rows are needed.")
    candidates = "\t" if path.suffix.lower() == ".tsv" else ",;\t"
    fields = {
        separator: next(csv.reader([line], delimiter=separator))
        for separator in candidates
    }
    separator = max(fields, key=lambda key: len(fields[key]))
    return [name.strip() for name in fields[separator]], separator


def read_parquet(path: Path) -> pd.DataFrame:
    """Table of a Parquet file (needs the extra ``parquet``)."""
    try:
        return pd.read_parquet(path)
    except ImportError as error:
        raise ImportError(
            "Parquet files need pyarrow; install scikit-ldl[parquet]."
        ) from error


TABLE_READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    ".arff": read_arff,
}
