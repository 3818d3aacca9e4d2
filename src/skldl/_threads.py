"""How many threads BLAS may use while an estimator works.

BLAS takes all cores by default, and its waiting threads spin. On small arrays, on
virtual machines and in containers a fit can take tens of times as long as with one
thread. So every estimator limits BLAS while it works (:class:`ThreadLimitMixin`), and
only products that are large enough to gain from more threads get them back
(:func:`large_product`).
"""

import functools
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import threadpoolctl
from threadpoolctl import ThreadpoolController

from skldl.config import config_context, get_config

__all__ = [
    "ThreadLimitMixin",
    "large_product",
    "limited_threads",
    "openmp_threads",
    "small_openmp",
    "worker_threads",
]

#: The smallest of the three sizes of a matrix product that gains from more threads.
#: Below it, and in factorisations of any size measured, two threads took up to a
#: hundred times the CPU time of one (``bench/threads.py``).
LARGE_SIDE = 1000

#: Rows from which on scikit-learn's parallel loops gain from more threads.
LARGE_LOOP = 20_000

_METHODS = (
    "fit",
    "fit_transform",
    "partial_fit",
    "predict",
    "predict_proba",
    "decision_function",
    "transform",
    "inverse_transform",
)


class _Limit:
    """The limit of this process: set by the first who asks, lifted by the last.

    BLAS has one setting for the whole process, so estimators that work in several
    Python threads share the limit. A nested request only counts.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = 0
        self._controller: ThreadpoolController | None = None
        self._limiter: Any = None

    @property
    def controller(self) -> ThreadpoolController:
        """The loaded libraries, looked for once."""
        if self._controller is None:
            # numpy and scipy may bring a BLAS each: both must be loaded by now
            import scipy.linalg  # noqa: F401

            self._controller = ThreadpoolController().select(user_api="blas")
        return self._controller

    def acquire(self) -> None:
        with self._lock:
            self._depth += 1
            threads = get_config()["threads"]
            if self._depth == 1 and threads is not None:
                count = 1 if threads == "auto" else threads
                _take_control()
                self._limiter = self.controller.limit(limits=count)

    def release(self) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0 and self._limiter is not None:
                _take_control()
                self._limiter.restore_original_limits()
                self._limiter = None

    def original(self) -> int | None:
        """Threads before the limit; None if there is no automatic limit."""
        limiter = self._limiter
        if limiter is None or get_config()["threads"] != "auto":
            return None
        return limiter.get_original_num_threads().get("blas")


_LIMIT = _Limit()


def _take_control() -> None:
    """Let this Python thread set the limit, whichever one set it last.

    Newer versions of threadpoolctl reserve the limit of OpenBLAS for one Python
    thread. Here the requests are counted, so the last one to leave may lift it.
    """
    library = getattr(threadpoolctl, "OpenBLASController", None)
    clear = getattr(library, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


@contextmanager
def limited_threads() -> Iterator[None]:
    """Limit BLAS to the threads of ``skldl.set_config``; nested use costs nothing."""
    _LIMIT.acquire()
    try:
        yield
    finally:
        _LIMIT.release()


def large_product(*sides: int) -> AbstractContextManager[Any]:
    """Give a product of matrices with these three sizes all threads, if it gains.

    Parameters
    ----------
    *sides : int
        Rows, columns and inner size of the product.

    Returns
    -------
    context : context manager
        To be used around the product, inside an estimator's method.
    """
    threads = _LIMIT.original() if min(sides) >= LARGE_SIDE else None
    if threads is None or threads < 2:
        return nullcontext()
    _take_control()
    return _LIMIT.controller.limit(limits=threads)


def small_openmp(n_samples: int) -> AbstractContextManager[Any]:
    """Give compiled loops of scikit-learn (OpenMP) one thread on few samples.

    Parameters
    ----------
    n_samples : int
        Rows that the loop works on.

    Returns
    -------
    context : context manager
        To be used around a call such as a fit of ``KMeans``.
    """
    if n_samples >= LARGE_LOOP or get_config()["threads"] != "auto":
        return nullcontext()
    # looked for anew, because packages bring their own libraries when first used
    return ThreadpoolController().select(user_api="openmp").limit(limits=1)


@contextmanager
def worker_threads(threads: int) -> Iterator[None]:
    """Give everything inside this number of threads, as workers of a comparison do."""
    with (
        ThreadpoolController().limit(limits=threads),
        config_context(threads="auto" if threads == 1 else threads),
    ):
        yield


class ThreadLimitMixin:
    """Estimators whose methods limit the threads of BLAS while they work.

    The methods that a subclass defines are wrapped when the class is made, as
    scikit-learn does for ``set_output``.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in _METHODS:
            method = cls.__dict__.get(name)
            if callable(method):
                setattr(cls, name, _limited(method))


def _limited(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def limited(self: Any, *args: Any, **kwargs: Any) -> Any:
        with limited_threads():
            return method(self, *args, **kwargs)

    return limited


_several: set[int] = set()  # processes that have used several threads of OpenMP


def openmp_threads(wanted: int) -> int:
    """As many threads as wanted, or one in a fork of a process that had several.

    GNU's OpenMP does not survive a fork: the child would wait for threads that it does
    not have.
    """
    if _several - {os.getpid()}:
        return 1
    if wanted > 1:
        _several.add(os.getpid())
    return wanted
