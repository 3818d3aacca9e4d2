"""The data sets by name: which files they are and how to put them together."""

import json
from collections.abc import Callable
from difflib import get_close_matches
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skldl.citations import short_reference
from skldl.datasets import readers
from skldl.datasets._dataset import Dataset, from_target, numbered
from skldl.datasets._generators import BUILT_IN, BUILT_IN_SHAPES
from skldl.datasets._home import get_data_home, locate
from skldl.datasets._tiff import read_bands
from skldl.validation import check_target

LICENCE = "no licence stated by the source: research use, check the source"

# the split maps of Indian Pines number the classes their own way
_PINES_CLASSES = np.array([0, 2, 3, 4, 5, 6, 8, 10, 11, 12, 13, 14, 15, 16, 1, 7, 9])
_PINES_NAMES = [
    "Alfalfa",
    "Corn-notill",
    "Corn-mintill",
    "Corn",
    "Grass-pasture",
    "Grass-trees",
    "Grass-pasture-mowed",
    "Hay-windrowed",
    "Oats",
    "Soybean-notill",
    "Soybean-mintill",
    "Soybean-clean",
    "Wheat",
    "Woods",
    "Buildings-Grass-Trees-Drives",
    "Stone-Steel-Towers",
]

Paths = dict[str, Path]
#: Kinds of target.
KINDS = ("distribution", "indicator", "classes")


@lru_cache(maxsize=1)
def registry() -> dict[str, dict[str, Any]]:
    """Entries of every data set that is downloaded, by name.

    Returns
    -------
    entries : dict of str to dict
        As in ``registry.json``: kind, title, files with their address and their
        sha256 or git blob id.

    Examples
    --------
    >>> from skldl.datasets import registry
    >>> registry()["SJAFFE"]["kind"]
    'distribution'
    """
    text = files("skldl.datasets").joinpath("registry.json").read_text("utf-8")
    return json.loads(text)


def list_datasets(kind: str | None = None) -> pd.DataFrame:
    """List the data sets that :func:`load` knows.

    Parameters
    ----------
    kind : {"distribution", "indicator", "classes"}, default=None
        Only those with this kind of target.

    Returns
    -------
    table : DataFrame
        Indexed by name, with columns ``kind``, ``download`` (whether files are
        needed), ``n_samples``, ``n_features``, ``n_labels``, ``reference`` (first
        author and year; :func:`skldl.cite` has the whole; empty if none is known) and
        ``title``. Sizes are missing for data sets that were not at hand so far.

    Examples
    --------
    >>> from skldl.datasets import list_datasets
    >>> table = list_datasets("distribution")
    >>> table.loc["SJAFFE", ["n_samples", "n_features", "n_labels"]].to_list()
    [213, 243, 6]
    """
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}.")
    rows = [
        (name, k, False, *BUILT_IN_SHAPES[name], short_reference(name), title)
        for name, (title, k, _) in BUILT_IN.items()
    ]
    rows += [
        (name, e["kind"], True, *_sizes(e), short_reference(name), e["title"])
        for name, e in registry().items()
    ]
    columns = ["name", "kind", "download", "n_samples", "n_features", "n_labels",
               "reference", "title"]  # fmt: skip
    table = pd.DataFrame(rows, columns=columns)
    sizes = ["n_samples", "n_features", "n_labels"]
    table[sizes] = table[sizes].astype("Int64")  # some are not known
    if kind is not None:
        table = table[table["kind"] == kind]
    return table.set_index("name")


def _sizes(entry: dict[str, Any]) -> list[int | None]:
    """Rows, features and labels, as far as they are known."""
    return entry.get("shape", [None, None, None])


def is_at_hand(name: str) -> bool:
    """Whether a data set can be loaded without a download.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`. Its files are looked for, not verified.

    Returns
    -------
    here : bool

    Examples
    --------
    >>> from skldl.datasets import is_at_hand
    >>> is_at_hand("toy")
    True
    """
    if name in BUILT_IN:
        return True
    entry, home = _entry(name), get_data_home()
    return all(
        (home / name / file["file"]).is_file() or (home / file["file"]).is_file()
        for file in entry["files"]
    ) and ("also" not in entry or is_at_hand(entry["also"]))


def expand_datasets(entry: str) -> list[str]:
    """Names of the data sets that a word stands for.

    Parameters
    ----------
    entry : str
        "distribution", "indicator" or "classes" stand for all data sets with this kind
        of target that need no download, "all" for those with distributions. Anything
        else stands for itself.

    Returns
    -------
    names : list of str

    Examples
    --------
    >>> from skldl.datasets import expand_datasets
    >>> expand_datasets("all")[:3], expand_datasets("toy")
    (['toy', 'toy_noisy', 'synthetic'], ['toy'])
    """
    kind = "distribution" if entry == "all" else entry
    if kind not in KINDS:
        return [entry]
    return [name for name in list_datasets(kind).index if is_at_hand(name)]


def load(name: str, *, download: bool = True) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`.
    download : bool, default=True
        Whether missing files may be fetched from their pinned public address
        into the data home.

    Returns
    -------
    dataset : Dataset
        ``X`` as distributed (not scaled), the target as ``D``, ``Y`` or ``y``,
        names, source and, where there is one, the fixed split.

    Raises
    ------
    FileNotFoundError
        If a file is neither in the data home nor to be had; the message says
        where it was looked for and what to do.

    Examples
    --------
    >>> from skldl.datasets import load
    >>> toy = load("toy")
    >>> toy.X.shape, toy.D.shape
    ((3000, 3), (3000, 3))
    """
    if name in BUILT_IN:
        return BUILT_IN[name][2]()
    entry = _entry(name)
    paths = fetch(name, download=download)
    parts = _BUILDERS[entry["reader"]](paths)
    target = check_target(parts.pop("target"), name=f"target of {name}")
    if target.kind != "classes":
        names = entry.get("labels", numbered("label", len(target.classes)))
        parts["label_names"] = np.asarray(parts.pop("label_names", names))
    return from_target(
        name,
        np.ascontiguousarray(parts.pop("X"), dtype=np.float64),
        target,
        ordered=entry.get("ordered", False),
        source=_source(entry),
        licence=LICENCE,
        note=entry.get("note", ""),
        **parts,
    )


def describe(name: str, *, download: bool = True) -> dict[str, Any]:
    """Say what is in a data set: sizes, margins, ties, zeros, source, licence.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`.
    download : bool, default=True
        Whether missing files may be fetched.

    Returns
    -------
    facts : dict
        See :meth:`Dataset.describe`.

    Examples
    --------
    >>> from skldl.datasets import describe
    >>> facts = describe("toy")
    >>> facts["n_samples"], facts["n_labels"], facts["ties"]
    (3000, 3, 0)
    """
    return load(name, download=download).describe()


def fetch(name: str, *, download: bool = True) -> Paths:
    """Find or download the files of a data set, and verify them.

    Parameters
    ----------
    name : str
        A data set with files.
    download : bool, default=True
        Whether missing files may be fetched.

    Returns
    -------
    paths : dict of str to Path
        File name to path; empty for data sets that are generated or bundled.
    """
    if name in BUILT_IN:
        return {}
    entry = _entry(name)
    paths = fetch(entry["also"], download=download) if "also" in entry else {}
    for file in entry["files"]:
        paths[file["file"]] = locate(name, file, download=download)
    return paths


def _entry(name: str) -> dict[str, Any]:
    entries = registry()
    if name in entries:
        return entries[name]
    known = [*BUILT_IN, *entries]
    lower = {other.lower(): other for other in known}
    close = get_close_matches(str(name).lower(), lower, n=1, cutoff=0.5)
    hint = f" Did you mean {lower[close[0]]!r}?" if close else ""
    raise ValueError(f"Unknown data set {name!r}.{hint} Known: {', '.join(known)}.")


def _source(entry: dict[str, Any]) -> str:
    first = entry["files"][0]
    if "repo" in first:
        return f"{first['repo']} at {first['commit'][:12]}"
    return f"package {first['package']}" if "package" in first else "scikit-ldl"


def _mat(paths: Paths) -> dict[str, Any]:
    content = readers.read_mat(next(iter(paths.values())))
    return {"X": content["features"], "target": content["labels"]}


def _npy_pair(paths: Paths) -> dict[str, Any]:
    return {
        "X": readers.read_npy(paths["feature.npy"]),
        "target": readers.read_npy(paths["label.npy"]),
    }


def _natural_scene(paths: Paths) -> dict[str, Any]:
    X = readers.read_mat(paths["ns.mat"])["features"]
    return {"X": X, "target": readers.read_npy(paths["label.npy"])}


def _mulan(paths: Paths) -> dict[str, Any]:
    by_end = {name.rsplit("-")[-1]: path for name, path in paths.items()}
    labels = readers.read_label_xml(
        next(p for p in paths.values() if p.suffix == ".xml")
    )
    train = readers.read_arff(by_end["train.arff"])
    test = readers.read_arff(by_end["test.arff"])
    whole = pd.concat([train, test], ignore_index=True)
    features = whole.drop(columns=labels)
    return {
        "X": features.to_numpy(np.float64),
        "target": whole[labels].to_numpy(np.float64),
        "feature_names": np.array(features.columns.astype(str)),
        "label_names": labels,
        "train": np.arange(len(train)),
        "test": np.arange(len(train), len(whole)),
    }


def _indian_pines(paths: Paths) -> dict[str, Any]:
    train = readers.read_tif(paths["IndianTR123_temp123.tif"])
    test = readers.read_tif(paths["IndianTE123_temp123.tif"])
    cube = _pines_cube(paths)
    rows, columns = np.nonzero(train + test)
    codes = _PINES_CLASSES[(train + test)[rows, columns]]
    is_train = train[rows, columns] > 0
    return {
        "X": cube[rows, columns],
        "target": np.array(_PINES_NAMES)[codes - 1],
        "feature_names": numbered("band", cube.shape[2]),
        "train": np.flatnonzero(is_train),
        "test": np.flatnonzero(~is_train),
        "extra": {
            "cube": cube,
            "ground_truth": readers.read_npy(paths["Indian_pines_gt.npy"]),
            "pixels": np.column_stack([rows, columns]),
            "class_names": np.array(_PINES_NAMES),
        },
    }


def _pines_cube(paths: Paths) -> Any:
    if "19920612_AVIRIS_IndianPine_Site3.tif" in paths:
        return read_bands(paths["19920612_AVIRIS_IndianPine_Site3.tif"])
    if "Indian_Pines_repaired.npz" in paths:
        return readers.read_npz(paths["Indian_Pines_repaired.npz"])["cube"]
    return readers.read_npy(paths["Indian_pines_corrected.npy"])


def _houston(paths: Paths) -> dict[str, Any]:
    X = readers.read_mat(paths["HSI_TrSet.mat"])["HSI_TrSet"]
    y = readers.read_mat(paths["TrLabel.mat"])["TrLabel"].ravel()
    return {"X": X, "target": y, "feature_names": numbered("band", X.shape[1])}


def _yale(paths: Paths) -> dict[str, Any]:
    content = readers.read_mat(paths["YaleB_32x32.mat"])
    return {
        "X": content["features"].T,
        "target": content["Label"].ravel(),
        "feature_names": numbered("pixel", len(content["features"])),
        "extra": {"image_shape": (32, 32), "image_order": "F"},
    }


def _ar(paths: Paths) -> dict[str, Any]:
    content = readers.read_mat(paths["AR_EigenFace.mat"])
    X = np.hstack([content["tr_dat"], content["tt_dat"]]).T
    y = np.hstack([content["trls"], content["ttls"]]).ravel()
    n_train = content["tr_dat"].shape[1]
    return {
        "X": X,
        "target": y,
        "feature_names": numbered("eigenface", X.shape[1]),
        "train": np.arange(n_train),
        "test": np.arange(n_train, len(X)),
    }


_BUILDERS: dict[str, Callable[[Paths], dict[str, Any]]] = {
    "mat": _mat,
    "npy_pair": _npy_pair,
    "natural_scene": _natural_scene,
    "mulan": _mulan,
    "indian_pines": _indian_pines,
    "houston": _houston,
    "yale": _yale,
    "ar": _ar,
}
