"""Files of public repositories that are known by their git blob id.

The blob id is the sha1 of a file's length and content, so it is a checksum. The tree of
a commit lists the ids of its files; where the registry does not have one, it is asked
for at the pinned commit and kept beside the file.
"""

import hashlib
import json
import os
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

from skldl._files import write_text

_ADDRESS = "https://raw.githubusercontent.com/{repo}/{commit}/{path}"
_LISTING = "https://api.github.com/repos/{repo}/contents/{folder}?ref={commit}"
_SECONDS = 60
_CHUNK = 1 << 20


def git_blob_id(path: Path) -> str:
    """Give the git blob id of a file: the sha1 of "blob", its size and its content.

    Parameters
    ----------
    path : Path
        A file.

    Returns
    -------
    blob : str
        40 hexadecimal digits.
    """
    digest = hashlib.sha1(usedforsecurity=False)
    digest.update(f"blob {path.stat().st_size}\0".encode())
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def blob_file(path: Path) -> Path:
    """Where the blob id of a downloaded file is kept."""
    return path.with_name(f"{path.name}.git-blob")


def ask_blob_id(entry: dict[str, Any]) -> str:
    """Ask for the blob id of a file at its pinned commit.

    Parameters
    ----------
    entry : dict
        With repo, commit and path.

    Returns
    -------
    blob : str
    """
    path = PurePosixPath(entry["path"])
    folder = quote(str(path.parent)) if path.parent.name else ""
    address = _LISTING.format(**entry | {"folder": folder})
    with urlopen(address, timeout=_SECONDS) as answer:
        listed = json.load(answer)
    found = [str(item["sha"]) for item in listed if item["path"] == str(path)]
    if not found:
        raise ValueError(f"{entry['repo']} has no file {path} at {entry['commit']}.")
    return found[0]


def download_blob(entry: dict[str, Any], blob: str, path: Path) -> None:
    """Download a file, compare its blob id, and move it into place.

    Parameters
    ----------
    entry : dict
        With repo, commit and path.
    blob : str
        The expected id; it is kept beside the file.
    path : Path
        Where to; nothing is left there if the id is another one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    address = _ADDRESS.format(**entry | {"path": quote(entry["path"])})
    try:
        with urlopen(address, timeout=_SECONDS) as answer, part.open("wb") as file:
            while chunk := answer.read(_CHUNK):
                file.write(chunk)
        got = git_blob_id(part)
        if got != blob:
            raise ValueError(f"its git blob id is {got}, expected {blob}.")
        write_text(blob_file(path), blob + "\n")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
