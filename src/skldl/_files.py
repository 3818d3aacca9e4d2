"""Write files whole or not at all."""

import os
import stat
import struct
import tempfile
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

#: What the readers of other libraries raise when a file is damaged.
DAMAGE: tuple[type[Exception], ...] = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    SystemError,
    TypeError,
    ValueError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


@contextmanager
def replacing(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO]:
    """Open a file under a temporary name; move it into place when all went well.

    A device such as ``/dev/null`` is written to directly, a link is followed. A file
    that was there keeps its mode, so a private one stays private.

    Parameters
    ----------
    path : str or Path
        Where to; its folder is made if need be.
    binary : bool, default=False
        Whether to write bytes; otherwise text in UTF-8, line ends as they are.

    Yields
    ------
    file : file object
        To write to. After an error or an interrupt the temporary file is removed and
        what stood at the path before still does.
    """
    path = Path(path)
    # line ends as they are: the csv writers say themselves which they want
    how: dict[str, Any] = (
        {"mode": "wb"} if binary else {"mode": "w", "encoding": "utf-8", "newline": ""}
    )
    temporary = None
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open(**how) as file:
                yield file
            return
        target = path.resolve() if path.is_symlink() else path
        if target.is_dir():
            raise IsADirectoryError(21, "Is a folder, not a file", str(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{path.name[:99]}.")
        temporary = Path(name)
        with os.fdopen(handle, **how) as file:
            yield file
        temporary.chmod(_mode(target))
        temporary.replace(target)
    except BaseException as error:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and _is_ours(error, path, temporary):
            message = error.strerror or str(error)
            raise type(error)(error.errno, message, str(path)) from None
        raise


def _is_ours(error: OSError, path: Path, temporary: Path | None) -> bool:
    """Whether an error came from the writing, not from what the caller read."""
    if error.errno is None:
        return False
    named = error.filename
    ours = {str(path.parent)} | ({str(temporary)} if temporary else set())
    return (
        named is None
        or str(named) in ours
        or str(named).startswith(str(path.parent / f".{path.name[:99]}."))
    )


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file under a temporary name, then move it into place.

    Parameters
    ----------
    path : str or Path
        Where to; its folder is made if need be.
    text : str
        The content.

    Returns
    -------
    path : Path
        The file written.
    """
    with replacing(path) as file:
        file.write(text)
    return Path(path)


def write_bytes(path: str | os.PathLike[str], content: Any) -> Path:
    """Write a binary file under a temporary name, then move it into place.

    Parameters
    ----------
    path : str or Path
        Where to; its folder is made if need be.
    content : bytes-like
        The content.

    Returns
    -------
    path : Path
        The file written.
    """
    with replacing(path, binary=True) as file:
        file.write(content)
    return Path(path)


def is_same_file(path: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to one file, by links of any kind, too.

    Parameters
    ----------
    path, other : str or Path
        They need not exist; what does not is never the same.

    Returns
    -------
    same : bool
    """
    try:
        return Path(path).expanduser().samefile(Path(other).expanduser())
    except (OSError, ValueError):
        return False


def _mode(target: Path) -> int:
    """Who may read and write a file: as before, or as any program would make it."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
