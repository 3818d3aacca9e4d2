"""Images of many bands, which picture libraries do not read."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# tags of the format
_WIDTH, _HEIGHT, _BITS, _COMPRESSION = 256, 257, 258, 259
_OFFSETS, _BANDS, _ROWS, _COUNTS, _PLANAR, _KIND = 273, 277, 278, 279, 284, 339
_CODES = {1: "B", 3: "H", 4: "I", 8: "h", 9: "i"}
_KINDS = {1: "u", 2: "i", 3: "f"}


def read_bands(path: Path) -> NDArray[Any]:
    """Read an uncompressed TIFF file with any number of bands.

    Parameters
    ----------
    path : Path
        The file: strips, bands together in each pixel or one after another.

    Returns
    -------
    image : ndarray of shape (height, width, n_bands)
    """
    data = path.read_bytes()
    order = {b"II": "<", b"MM": ">"}.get(data[:2], "")
    try:
        if not order or struct.unpack(order + "H", data[2:4])[0] != 42:
            raise ValueError("it does not begin like one")
        return _image(data, order, _tags(data, order))
    except (struct.error, KeyError, ValueError) as error:
        raise ValueError(
            f"{path} is not a TIFF file that can be read here: {error}. It must be "
            "uncompressed, in strips, with bands of one type."
        ) from error


def _tags(data: bytes, order: str) -> dict[int, tuple[int, ...]]:
    """Tags of the first image with their numbers."""
    (start,) = struct.unpack_from(order + "I", data, 4)
    (n_tags,) = struct.unpack_from(order + "H", data, start)
    tags = {}
    for place in range(n_tags):
        at = start + 2 + 12 * place
        tag, kind, count = struct.unpack_from(order + "HHI", data, at)
        if kind not in _CODES:
            continue  # text and fractions, which say nothing about the pixels
        form = f"{order}{count}{_CODES[kind]}"
        inside = struct.calcsize(form) <= 4
        where = at + 8 if inside else struct.unpack_from(order + "I", data, at + 8)[0]
        tags[tag] = struct.unpack_from(form, data, where)
    return tags


def _image(data: bytes, order: str, tags: dict[int, tuple[int, ...]]) -> NDArray[Any]:
    if tags.get(_COMPRESSION, (1,))[0] != 1:
        raise ValueError("it is compressed")
    width, height = tags[_WIDTH][0], tags[_HEIGHT][0]
    bands = tags.get(_BANDS, (1,))[0]
    bits, kinds = set(tags[_BITS]), set(tags.get(_KIND, (1,)))
    if len(bits) > 1 or len(kinds) > 1 or bits - {8, 16, 32, 64}:
        raise ValueError("its bands have several types")
    dtype = np.dtype(f"{order}{_KINDS[kinds.pop()]}{bits.pop() // 8}")
    parts = [
        data[start : start + size]
        for start, size in zip(tags[_OFFSETS], tags[_COUNTS], strict=True)
    ]
    flat = np.frombuffer(b"".join(parts), dtype)
    if flat.size != width * height * bands:
        raise ValueError("it has fewer pixels than its header says")
    native = flat.astype(dtype.newbyteorder("="))
    if tags.get(_PLANAR, (1,))[0] == 2:
        return native.reshape(bands, height, width).transpose(1, 2, 0)
    return native.reshape(height, width, bands)
