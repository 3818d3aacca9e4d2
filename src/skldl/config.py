"""Settings of the package that are not parameters of an estimator."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any

__all__ = ["config_context", "get_config", "set_config"]

#: Environment variable with the first value of ``threads``, also in worker processes.
THREADS_VARIABLE = "SKLDL_THREADS"

_UNCHANGED: Any = object()


def get_config() -> dict[str, Any]:
    """Return the settings in force.

    Returns
    -------
    config : dict
        ``threads``, as described in :func:`set_config`.

    Examples
    --------
    >>> import skldl
    >>> skldl.get_config()
    {'threads': 'auto'}
    """
    return dict(_config)


def set_config(*, threads: str | int | None = _UNCHANGED) -> None:
    """Change settings for the whole process.

    Parameters
    ----------
    threads : "auto", int or None
        How many threads the linear algebra library (BLAS) may use while an estimator
        of this package fits, predicts or transforms. "auto", the default, uses one
        thread, and all threads for matrix products that are large enough to gain
        from them: small arrays lose far more time to waiting threads than they gain.
        An integer uses that many threads throughout. None leaves the library as it
        is. The first value comes from the environment variable ``SKLDL_THREADS``
        ("auto", "none" or a number).

    Examples
    --------
    >>> import skldl
    >>> skldl.set_config(threads=2)
    >>> skldl.get_config()["threads"]
    2
    >>> skldl.set_config(threads="auto")
    """
    if threads is not _UNCHANGED:
        _config["threads"] = _check_threads(threads, "threads")


@contextmanager
def config_context(*, threads: str | int | None = _UNCHANGED) -> Iterator[None]:
    """Change settings inside a ``with`` block.

    Parameters
    ----------
    threads : "auto", int or None
        As in :func:`set_config`.

    Yields
    ------
    None

    Examples
    --------
    >>> import skldl
    >>> with skldl.config_context(threads=None):
    ...     skldl.get_config()["threads"] is None
    True
    """
    before = get_config()
    set_config(threads=threads)
    try:
        yield
    finally:
        _config.update(before)


def _check_threads(value: Any, name: str) -> str | int | None:
    if value is None or value == "auto":
        return value
    is_number = isinstance(value, Integral) and not isinstance(value, bool)
    if is_number and value >= 1:
        return int(value)
    raise ValueError(
        f'{name} must be "auto", None or a number of at least 1, got {value!r}.'
    )


def _first_threads() -> str | int | None:
    """The value of the environment variable, "auto" without one."""
    text = os.environ.get(THREADS_VARIABLE, "").strip().lower()
    if text in ("", "auto"):
        return "auto"
    if text == "none":
        return None
    value: Any = int(text) if text.isdecimal() else text
    return _check_threads(value, f"The environment variable {THREADS_VARIABLE}")


_config: dict[str, Any] = {"threads": _first_threads()}
