"""Write files whole or not at all."""

import os
import tempfile
from pathlib import Path


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
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
