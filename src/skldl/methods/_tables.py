"""Methods on mixed tables: an encoder in front, fitted with the method."""

from typing import Any

from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from skldl.datasets import Dataset
from skldl.methods._methods import Method
from skldl.methods._nested import plain_name
from skldl.preprocessing import TableEncoder

_STEP = "table"


def for_dataset(method: Method, dataset: Dataset) -> Method:
    """The method as it can learn from a data set.

    A mixed table, with categories, dates, text or gaps, gets a
    :class:`~skldl.preprocessing.TableEncoder` in front of the method. It is a part of
    the method, so in a comparison it learns from the training rows of each fold only.

    Parameters
    ----------
    method : Method
        Made.
    dataset : Dataset
        Its ``encoding`` has the parameters of the encoder.

    Returns
    -------
    method : Method
        The same one if the data are numbers, or if its first step takes tables.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.datasets import make_dataset
    >>> from skldl.methods import for_dataset, make_method
    >>> table = pd.DataFrame({"region": ["north", "south", "north"]})
    >>> data = make_dataset(table, [[0.2, 0.8], [0.5, 0.5], [0.1, 0.9]])
    >>> method = for_dataset(make_method("standard+AAkNN"), data)
    >>> [name for name, _ in method.estimator.steps]
    ['table', 'standard', 'aaknn']
    """
    if not dataset.mixed:
        return method
    estimator: Any = method.estimator
    steps: Any = estimator.steps if isinstance(estimator, Pipeline) else None
    first = estimator if steps is None else steps[0][1]
    if isinstance(first, TableEncoder):
        given = {**first.get_params(), **dataset.encoding}
        steps = [(steps[0][0], clone(first).set_params(**given)), *steps[1:]]
        return Method(method.name, Pipeline(steps), method.grid)
    if "encoder" in first.get_params(deep=False):  # it has one of its own
        model = clone(first).set_params(encoder=TableEncoder(**dataset.encoding))
        return Method(method.name, model, method.grid)
    if _takes_tables(first):
        return method
    grid = method.grid
    if steps is None:
        name = plain_name(type(estimator).__name__)
        steps = [(name, estimator)]
        grid = {f"{name}__{key}": values for key, values in grid.items()}
    encoder = TableEncoder(**dataset.encoding)
    return Method(method.name, Pipeline([(_STEP, encoder), *steps]), grid)


def _takes_tables(step: Any) -> bool:
    if isinstance(step, ColumnTransformer):
        return True
    tags = get_tags(step)
    return tags.no_validation or tags.input_tags.categorical or tags.input_tags.string
