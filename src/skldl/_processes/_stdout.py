"""What jobs print, kept out of the output of the program."""

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import TextIO

_LOCK = threading.Lock()
_USERS: list[object] = []
_UNDO = ExitStack()


@contextmanager
def diverted_stdout(to: TextIO | None = None) -> Iterator[None]:
    """Send what is printed elsewhere until the last thread that asks for it ends.

    ``contextlib.redirect_stdout`` in two threads at once can leave the program with the
    stream of the first thread to end, which is closed by then.

    Parameters
    ----------
    to : file, default=None
        Where to; the first of several threads decides. None drops it.
    """
    user = object()
    with _LOCK:
        if not _USERS:
            if to is None:
                to = _UNDO.enter_context(_nowhere())
            _UNDO.enter_context(redirect_stdout(to))
        _USERS.append(user)
    try:
        yield
    finally:
        with _LOCK:
            _USERS.remove(user)
            if not _USERS:
                _UNDO.close()


@contextmanager
def _nowhere() -> Iterator[TextIO]:
    with Path(os.devnull).open("w") as file:
        yield file
