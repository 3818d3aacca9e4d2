"""Pieces of the table encoder: text to few numbers, names and words about them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from skldl._typing import FloatArray
from skldl.preprocessing._cells import DATE_PARTS

_BUCKETS = 2**14  # of hashed words; words of a language in use share few of them


def fitted_text(texts: NDArray[Any], width: int, random_state: Any) -> Pipeline | None:
    """Hashed words, weighted by TF-IDF, in few components.

    Parameters
    ----------
    texts : ndarray of object, of shape (n_samples,)
        Text.
    width : int
        Components at most.
    random_state : int, RandomState or None
        Seed of the projection.

    Returns
    -------
    part : Pipeline or None
        None if all rows have the same words, or none.
    """
    words = HashingVectorizer(n_features=_BUCKETS, norm=None, alternate_sign=False)
    counts = words.fit_transform(texts)
    try:
        chosen = VarianceThreshold().fit(counts)
    except ValueError:
        return None
    counts = chosen.transform(counts)
    weights = TfidfTransformer().fit(counts)
    steps = [("words", words), ("chosen", chosen), ("weights", weights)]
    if counts.shape[1] > 1:  # a single feature cannot be decomposed, and need not be
        width = min(width, *(max(1, n - 1) for n in counts.shape))
        svd = TruncatedSVD(width, random_state=random_state)
        steps.append(("components", svd.fit(weights.transform(counts))))
    return Pipeline(steps)


def dense(matrix: Any) -> FloatArray:
    """A matrix of numbers, whatever it was."""
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


def text_width(part: Pipeline) -> int:
    """Number of features that text becomes."""
    if part.steps[-1][0] == "components":
        return len(part[-1].components_)
    return int(part["chosen"].get_support().sum())


def date_columns(hours: bool) -> list[int]:
    """Which of the parts of dates are kept."""
    return [i for i, name in enumerate(DATE_PARTS) if hours or name != "hour"]


def shown_categories(encoder: OneHotEncoder) -> list[list[Any]]:
    """Categories with a column of their own, and "rare" for those without."""
    rare = getattr(encoder, "infrequent_categories_", [None] * len(encoder.categories_))
    shown = []
    for values, few in zip(encoder.categories_, rare, strict=True):
        hidden = set() if few is None else set(few.tolist())
        own = [value for value in values.tolist() if value not in hidden]
        shown.append(own if few is None else [*own, "rare"])
    return shown


def different_names(names: list[str]) -> NDArray[Any]:
    """Names, with a number where one comes again."""
    found: dict[str, None] = {}
    for name in names:
        number, different = 1, name
        while different in found:
            number += 1
            different = f"{name}_{number}"
        found[different] = None
    return np.array(list(found), dtype=object)
