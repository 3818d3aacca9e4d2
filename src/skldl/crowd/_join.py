"""Items of the votes and rows of a table of features."""

from typing import Any

import numpy as np
import pandas as pd

from skldl._text import listed
from skldl.crowd._codes import Missing, as_names
from skldl.datasets import existing_columns


def with_items(features: pd.DataFrame, on: str | None) -> tuple[pd.DataFrame, str]:
    """The features with their items in a column, and its name."""
    if on is not None:
        return features, existing_columns(on, features.columns, "on")[0]
    name = features.index.name or "item"
    return features.rename_axis(name).reset_index(), name


def item_keys(features: pd.DataFrame, on: str) -> pd.Index:
    """Names of the items in the table of features, each once."""
    keys = pd.Index(features[on])
    twice = np.flatnonzero(keys.duplicated())
    if len(twice):
        raise ValueError(
            f"{len(twice)} rows of the features repeat an item, such as "
            f"{keys[twice[0]]!r} in row {twice[0]}. Keep one row for each item."
        )
    return keys


def comparable(names: pd.Index, keys: pd.Index) -> tuple[pd.Index, pd.Index]:
    """Both as text where one is text and the other numbers."""
    if pd.api.types.is_numeric_dtype(names) == pd.api.types.is_numeric_dtype(keys):
        return names, keys
    return pd.Index(as_names(names)), pd.Index(as_names(keys))


def left_out(
    names: pd.Index, keys: pd.Index, known: Any, voted: Any, missing: Missing
) -> tuple[str, ...]:
    """Say which items are on one side only."""
    lonely = names[voted & ~names.isin(keys)]
    notes = []
    for found, what in (
        (keys[~known], "items of the features have no votes"),
        (lonely, "items with votes are not in the features"),
    ):
        if len(found):
            examples = listed([str(name) for name in found], 3)
            notes.append(f"{len(found)} {what}: {examples}.")
    if notes and missing == "error":
        raise ValueError(f"{' '.join(notes)} Add them, or pass missing='drop'.")
    return tuple(f"{note} They were left out." for note in notes)
