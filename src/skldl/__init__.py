"""scikit-ldl: learning when one label is not enough.

Label distribution learning, label embedding and label-aware subspace learning
on scikit-learn's contract. The families are imported when first used, so that
``import skldl`` and the command line's help stay quick.
"""

from importlib import import_module
from types import ModuleType
from typing import Any

from skldl._version import __version__

_MODULES = (
    "auto",
    "base",
    "benchmark",
    "blocks",
    "citations",
    "classifiers",
    "config",
    "conformal",
    "crowd",
    "datasets",
    "discovery",
    "graphs",
    "ldl",
    "linalg",
    "methods",
    "metrics",
    "model_selection",
    "models",
    "multilabel",
    "objectives",
    "plotting",
    "preprocessing",
    "projection",
    "report",
    "reproduce",
    "solvers",
    "testing",
    "validation",
)
# public names that users expect at the top, and the module that owns them
_NAMES = {
    "GridEdgeWarning": "model_selection",
    "all_estimators": "discovery",
    "as_classifier": "classifiers",
    "cite": "citations",
    "classify": "base",
    "config_context": "config",
    "get_config": "config",
    "get_data_home": "datasets",
    "load_model": "models",
    "predict_blocks": "blocks",
    "progress": "_progress",
    "save_model": "models",
    "set_config": "config",
    "set_data_home": "datasets",
    "to_frame": "base",
}

__all__ = ["__version__", *_MODULES, *_NAMES]


def __getattr__(name: str) -> ModuleType | Any:
    if name in _MODULES:
        return import_module(f"skldl.{name}")
    if name in _NAMES:
        return getattr(import_module(f"skldl.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'skldl' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
