"""One hook through which long work says how far it is; nobody else prints."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

__all__ = ["Step", "progress", "report"]


@dataclass(frozen=True)
class Step:
    """Where a piece of work stands.

    Attributes
    ----------
    task : str
        What is being done.
    done : int
        Units finished.
    total : int or None
        Units in all, at most; None if nobody knows.
    detail : dict of str to float
        Numbers worth showing: the objective, the gap.
    """

    task: str
    done: int
    total: int | None = None
    detail: dict[str, float] = field(default_factory=dict)


Hook = Callable[[Step], None]
_HOOK: ContextVar[Hook | None] = ContextVar("skldl_progress", default=None)


def report(
    task: str, done: int, total: int | None = None, /, **detail: float | None
) -> None:
    """Tell the hook, if there is one; details that are None are left out.

    Parameters
    ----------
    task : str
        What is being done.
    done : int
        Units finished.
    total : int or None, default=None
        Units in all.
    **detail : float or None
        Numbers worth showing.
    """
    hook = _HOOK.get()
    if hook is not None:
        known = {name: value for name, value in detail.items() if value is not None}
        hook(Step(task, done, total, known))


def listening() -> bool:
    """Whether a report would be shown, for details that cost something."""
    return _HOOK.get() is not None


@contextmanager
def progress(hook: Hook | None = None) -> Iterator[None]:
    """Show a bar, or call a function, while estimators fit and predict.

    Parameters
    ----------
    hook : callable, default=None
        Called with a :class:`Step` whenever something changed; None draws bars on
        standard error.

    Yields
    ------
    nothing

    Examples
    --------
    >>> import skldl
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LWkNN
    >>> X, D = make_ldl(100, random_state=0)
    >>> steps = []
    >>> with skldl.progress(steps.append):
    ...     model = LWkNN().fit(X, D)
    >>> steps[-1].task, steps[-1].done == model.n_iter_
    ('LWkNN: weights', True)
    """
    if hook is not None:
        if not callable(hook):
            raise TypeError(f"hook must be a function of a Step, got {hook!r}.")
        token = _HOOK.set(hook)
        try:
            yield
        finally:
            _HOOK.reset(token)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[detail]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, object] = {}

        def draw(step: Step) -> None:
            if step.task not in tasks:
                tasks[step.task] = bars.add_task(step.task, total=None, detail="")
            text = " ".join(f"{k} {v:.6g}" for k, v in step.detail.items())
            bars.update(
                tasks[step.task],  # type: ignore[arg-type]
                completed=step.done,
                total=step.total,
                detail=text,
            )

        with progress(draw):
            yield
