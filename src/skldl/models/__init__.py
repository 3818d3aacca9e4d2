"""Saved models: files that say what they hold and run no code when opened."""

from skldl.models._columns import require_columns
from skldl.models._header import FORMAT, ModelHeader
from skldl.models._saved import SavedModel, load_model, read_header, save_model
from skldl.models._trust import MAX_SIZE, ModelFileError, trusted_types

__all__ = [
    "FORMAT",
    "MAX_SIZE",
    "ModelFileError",
    "ModelHeader",
    "SavedModel",
    "load_model",
    "read_header",
    "require_columns",
    "save_model",
    "trusted_types",
]
