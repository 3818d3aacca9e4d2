"""The list of a file's parts, by which damage is found before anything is built."""

import hashlib
import io
import json
import math
import zipfile
from typing import Any

import numpy as np

from skldl._files import DAMAGE
from skldl.models._trust import HEADER, ModelFileError

CONTENTS = "contents.json"
_MAX_CONTENTS = 2**23


def write_contents(archive: zipfile.ZipFile) -> None:
    """Add the list of all parts to a model file.

    Parameters
    ----------
    archive : ZipFile
        Open for appending, with everything else in it.
    """
    facts = {name: _facts(name, archive.read(name)) for name in archive.namelist()}
    archive.writestr(CONTENTS, json.dumps(facts))


def check_contents(
    archive: zipfile.ZipFile, where: str, *, header_only: bool = False
) -> None:
    """Refuse a file of which any part is not what the list says.

    Each part has a sha256, each array a shape, a type of numbers, and whether they are
    all finite.

    Parameters
    ----------
    archive : ZipFile
        Open for reading.
    where : str
        What messages call the file.
    header_only : bool, default=False
        Whether to look at the header alone, because nothing else will be read.
    """
    listed = _listed(archive, where)
    names = archive.namelist()
    if sorted(names) != sorted([*listed, CONTENTS]):
        raise ModelFileError(
            f"{where} is damaged: its parts are not those that it lists. Get it again, "
            "or fit it again."
        )
    for name in [HEADER] if header_only else listed:
        wrong = _difference(name, archive.read(name), listed[name])
        if wrong:
            raise ModelFileError(
                f"{where} is damaged: its part {name} has {wrong}. Get it again, "
                "or fit it again."
            )


def _listed(archive: zipfile.ZipFile, where: str) -> dict[str, Any]:
    try:
        if archive.getinfo(CONTENTS).file_size > _MAX_CONTENTS:
            raise ValueError("size")
        listed = json.loads(archive.read(CONTENTS))
        if not isinstance(listed, dict) or HEADER not in listed:
            raise ValueError("content")
    except (KeyError, ValueError, RecursionError):
        raise ModelFileError(
            f"{where} is damaged: the list of its parts cannot be read. Get it again, "
            "or fit it again."
        ) from None
    return listed


def _facts(name: str, content: bytes) -> dict[str, Any]:
    digest = {"sha256": hashlib.sha256(content).hexdigest()}
    return digest | (_array_facts(content) if name.endswith(".npy") else {})


def _array_facts(content: bytes) -> dict[str, Any]:
    """Shape, type and finiteness of an array, without trust in what it claims."""
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0
    if version != (1, 0):
        read = np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    start = file.tell()
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(content) - start:
        raise ValueError("size")
    numbers = np.frombuffer(content, dtype, offset=start) if math.prod(shape) else None
    finite = numbers is None or dtype.kind not in "fc" or np.isfinite(numbers).all()
    return {"shape": list(shape), "dtype": dtype.str, "finite": bool(finite)}


def _difference(name: str, content: bytes, wanted: Any) -> str:
    """What is wrong with a part, in words; nothing if all is well."""
    wanted = wanted if isinstance(wanted, dict) else {}
    if hashlib.sha256(content).hexdigest() != wanted.get("sha256"):
        return "another content"
    try:
        found = _facts(name, content)
    except DAMAGE:
        return "no readable array"
    words = {
        "shape": "another shape",
        "dtype": "another type of numbers",
        "finite": "numbers that are not finite",
    }
    keys = (key for key in words if found.get(key) != wanted.get(key))
    return next((words[key] for key in keys), "")
