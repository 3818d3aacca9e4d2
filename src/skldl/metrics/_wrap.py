"""Turn a kernel ``(true, predicted) -> value per sample`` into a public metric.

The kernel holds the formula; validation, weights, averaging, zero guards and
the shared parts of the docstring are added here once.
"""

import inspect
from collections.abc import Callable
from functools import update_wrapper
from textwrap import indent
from typing import Any, Literal

import numpy as np

from skldl._sklearn import check_sample_weight
from skldl._typing import FloatArray
from skldl.validation import check_distribution_pair

#: Float64's machine epsilon, the default zero guard.
EPS = float(np.finfo(np.float64).eps)

Average = Literal["mean"] | None
Guard = Literal["clip", "add"]
Kernel = Callable[..., FloatArray]
Check = Callable[[Any, Any], tuple[FloatArray, FloatArray]]

_TAIL = """
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples in the mean.
    average : {"mean"} or None, default="mean"
        None returns one value per sample.

    Returns
    -------
    value : float, or ndarray of shape (n_samples,) with ``average=None``

"""
_DISTRIBUTIONS = """
    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        True distributions.
    P : array-like of shape (n_samples, n_labels)
        Predicted distributions."""
_GUARD = """
    guard : {"clip", "add"}, default="clip"
        Zero guard: clip both to [eps, 1], or add eps to both. Nothing is
        normalised again. Published code differs here; name the guard beside
        the number.
    eps : float, default=2.22e-16
        The guard's constant (1e-6 is usual with ``guard="add"``)."""


def summarize(
    values: FloatArray, sample_weight: Any = None, average: Average = "mean"
) -> Any:
    """Mean over samples, or the values themselves with ``average=None``."""
    if average not in ("mean", None):
        raise ValueError(f"average must be 'mean' or None, got {average!r}.")
    if sample_weight is None:
        return values if average is None else float(values.mean())
    if average is None:
        raise ValueError("sample_weight has no meaning with average=None.")
    weights = check_weights(sample_weight, len(values))
    return float(np.average(values, weights=weights))


def check_weights(sample_weight: Any, n_samples: int) -> FloatArray:
    """One finite weight of at least 0 for each sample, with a positive finite sum."""
    weights = check_sample_weight(
        sample_weight, np.empty((n_samples, 1)), ensure_non_negative=True
    )
    with np.errstate(over="ignore"):
        total = weights.sum()
    if total <= 0:
        raise ValueError(
            "sample_weight must have a positive sum: all weights are zero."
        )
    if not np.isfinite(total):
        raise ValueError(
            "sample_weight is too large: its sum is not a number. Divide all weights "
            "by the largest."
        )
    return weights


def metric(
    kernel: Kernel,
    *,
    check: Check = check_distribution_pair,
    parameters: str = _DISTRIBUTIONS,
) -> Callable[..., Any]:
    """Make a metric of two arguments; keywords of the kernel are kept."""

    def public(
        true: Any,
        predicted: Any,
        /,
        *,
        sample_weight: Any = None,
        average: Average = "mean",
        **options: Any,
    ) -> Any:
        values = kernel(*check(true, predicted), **options)
        return summarize(values, sample_weight, average)

    return _present(public, kernel, parameters)


def guarded_metric(kernel: Kernel) -> Callable[..., Any]:
    """Make a metric whose kernel divides by degrees or takes their logarithm."""

    def public(
        true: Any,
        predicted: Any,
        /,
        *,
        guard: Guard = "clip",
        eps: float = EPS,
        sample_weight: Any = None,
        average: Average = "mean",
    ) -> Any:
        D, P = check_distribution_pair(true, predicted)
        values = kernel(_guard(D, guard, eps), _guard(P, guard, eps))
        return summarize(values, sample_weight, average)

    return _present(public, kernel, _DISTRIBUTIONS + _GUARD)


def _guard(M: FloatArray, guard: Guard, eps: float) -> FloatArray:
    if not 0 < eps < 1:
        raise ValueError(f"eps must be between 0 and 1, got {eps!r}.")
    if guard == "clip":
        return np.clip(M, eps, 1.0)
    if guard == "add":
        return M + eps
    raise ValueError(f"guard must be 'clip' or 'add', got {guard!r}.")


def _present(public: Callable, kernel: Kernel, parameters: str) -> Callable[..., Any]:
    """Give the public function its own signature and complete docstring."""
    update_wrapper(public, kernel, assigned=("__module__", "__name__", "__qualname__"))
    del public.__wrapped__  # type: ignore[attr-defined]
    arrays, options = _split(kernel)
    _, own = _split(public)
    public.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [p.replace(kind=p.POSITIONAL_ONLY, annotation=Any) for p in arrays]
        + options
        + own
    )
    head, example = (inspect.getdoc(kernel) or "").split("Examples\n", 1)
    head, _, options_doc = head.partition("Parameters\n----------\n")
    options_doc = indent("\n" + options_doc.rstrip(), " " * 4) if options_doc else ""
    body = inspect.cleandoc(parameters + options_doc + _TAIL)
    public.__doc__ = f"{head.rstrip()}\n\n{body}\n\nExamples\n{example}"
    return public


def _split(function: Callable) -> tuple[list[inspect.Parameter], ...]:
    """The two array arguments, and the options by keyword."""
    parameters = list(inspect.signature(function).parameters.values())
    options = [p for p in parameters if p.kind == p.KEYWORD_ONLY]
    return parameters[:2], options
