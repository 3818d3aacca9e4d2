"""What a model file says about itself, readable without loading the model."""

import json
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

import numpy as np
import scipy
import sklearn
import skops

from skldl._version import __version__
from skldl.models._trust import ModelFileError

#: Version of the layout of model files; another one is refused.
FORMAT = 2

_KINDS = ("distribution", "indicator", "classes")


def _versions() -> dict[str, str]:
    return {
        "scikit-ldl": __version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "skops": skops.__version__,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class ModelHeader:
    """What a model file says about itself.

    Attributes
    ----------
    target : {"distribution", "indicator", "classes"}
        What the model predicts.
    label_names : list of str
        Labels, in the order of the predicted columns.
    feature_names : list of str
        Features, in the order the model wants them.
    method : str
        How the model was named when it was fitted.
    params : dict
        Settings of the estimator.
    n_samples : int
        Rows it was fitted on; 0 if nobody said.
    label_means : list of float
        Mean training degree of each label, the simplest prediction there is; empty if
        nobody said.
    normalized : bool
        Whether the training labels were counts that were divided by their sum.
    ordered : bool
        Whether the order of the labels means something (ratings).
    target_columns : list of str
        Columns of the training table that held the target; the labels themselves
        unless the target is classes.
    data : str
        Name of the training data.
    seed : int or None
        Seed of the fit.
    columns : list of dict
        What the encoder of a mixed table did to each column: keys ``column``, ``role``,
        ``done`` and ``n_features``; empty if the table held numbers only.
    verdict : str
        How good the model is, in words, where it knows it.
    tuned : bool
        Whether ``params`` were chosen by cross-validation.
    created : str
        When, in universal time.
    versions : dict of str to str
        Libraries that wrote the file.
    format : int
        Version of the layout of the file.
    """

    target: str
    label_names: list[str]
    feature_names: list[str]
    method: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    n_samples: int = 0
    label_means: list[float] = field(default_factory=list)
    normalized: bool = False
    ordered: bool = False
    target_columns: list[str] = field(default_factory=list)
    data: str = ""
    seed: int | None = None
    tuned: bool = False
    columns: list[dict[str, Any]] = field(default_factory=list)
    verdict: str = ""
    created: str = field(default_factory=_now)
    versions: dict[str, str] = field(default_factory=_versions)
    format: int = FORMAT

    def to_json(self) -> str:
        """Give the header as text.

        Returns
        -------
        text : str
        """
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, allow_nan=False)


def parse_header(text: bytes, where: str) -> ModelHeader:
    """Read a header and refuse what this version cannot use.

    Parameters
    ----------
    text : bytes
        JSON.
    where : str
        What messages call the file.

    Returns
    -------
    header : ModelHeader
    """
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError):
        raise ModelFileError(f"{where} is damaged: its header is not JSON.") from None
    if not isinstance(facts, dict) or not isinstance(facts.get("format"), int):
        raise ModelFileError(f"{where} is damaged: its header is incomplete.")
    _check_versions(facts, where)
    known = {f.name for f in fields(ModelHeader)}
    facts = {key: value for key, value in facts.items() if key in known}
    try:
        header = ModelHeader(**facts)
        good = _well_formed(header)
    except (TypeError, AttributeError):
        good = False
    if not good:
        raise ModelFileError(f"{where} is damaged: its header has invalid values.")
    return header


def _check_versions(facts: dict[str, Any], where: str) -> None:
    if facts["format"] != FORMAT:
        raise ModelFileError(
            f"{where} has format {facts['format']}, but this version of scikit-ldl "
            f"({__version__}) reads format {FORMAT}. Install the version that wrote "
            "it, or fit the model again."
        )
    versions = facts.get("versions")
    written = versions.get("scikit-ldl") if isinstance(versions, dict) else None
    if not isinstance(written, str):
        raise ModelFileError(f"{where} is damaged: its header has no version.")
    if written.split(".")[0] != __version__.split(".")[0]:
        raise ModelFileError(
            f"{where} was written by scikit-ldl {written}; this is {__version__}, "
            "another major version. Install that version, or fit the model again."
        )


def _well_formed(header: ModelHeader) -> bool:
    texts = (
        header.label_names,
        header.feature_names,
        header.target_columns,
        [*header.versions.values()],
    )
    means = header.label_means
    return (
        header.target in _KINDS
        and all(isinstance(t, list) for t in texts)
        and all(isinstance(name, str) for names in texts for name in names)
        and all(
            isinstance(t, str) for t in (header.method, header.data, header.verdict)
        )
        and isinstance(header.created, str)
        and isinstance(header.params, dict)
        and isinstance(header.n_samples, int)
        and isinstance(means, list)
        and all(isinstance(m, float | int) for m in means)
        and len(means) in (0, len(header.label_names))
        and len(set(header.feature_names)) == len(header.feature_names)
        and isinstance(header.columns, list)
        and all(_is_record(record) for record in header.columns)
    )


def _is_record(record: Any) -> bool:
    """Whether this is what was done to one column."""
    words = ("column", "role", "done")
    return (
        isinstance(record, dict)
        and all(isinstance(record.get(word), str) for word in words)
        and isinstance(record.get("n_features"), int)
    )


def plain_params(estimator: Any) -> dict[str, Any]:
    """Settings of an estimator as JSON can hold them; objects become their text.

    Parameters
    ----------
    estimator : estimator
        With ``get_params``.

    Returns
    -------
    params : dict
    """
    params = {}
    for name, value in estimator.get_params().items():
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, float) and not np.isfinite(value):
            value = str(value)
        simple = value is None or isinstance(value, bool | int | float | str)
        params[name] = value if simple else repr(value)[:200]
    return params
