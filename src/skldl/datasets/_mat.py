"""MATLAB files of version 5 to 7.2: arrays of numbers and text, nothing else.

scipy's reader is compiled without checks: a damaged file can end the process. This one
takes slices of bytes, so that a wrong length is an error and no more.
"""

import math
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

_TYPES = {
    1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8",
    13: "u8",
}  # fmt: skip
_TEXT = {2: "latin1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
_MATRIX, _COMPRESSED = 14, 15
_CHAR, _SPARSE, _NUMBERS = 4, 5, range(6, 16)


class MatFile:
    """The bytes of a file, with the order of its bytes and a bound on what unfolds.

    Parameters
    ----------
    content : bytes
        The whole file.
    limit : int
        Bytes that any array, and all compressed parts together, may unfold to.
    """

    def __init__(self, content: bytes, limit: int) -> None:
        order = {b"IM": "<", b"MI": ">"}.get(content[126:128])
        if order is None:
            raise ValueError("it has no header")
        major = content[125] if order == "<" else content[124]
        if major != 1:
            raise NotImplementedError(f"version {major}")
        self.order, self.limit = order, limit
        self.content = memoryview(content)[128:]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays of numbers and text by name; cells, structures, objects are left out.

        Returns
        -------
        arrays : dict of str to ndarray
        """
        found, unfolded = {}, 0
        for kind, data in self._elements(self.content):
            if kind == _COMPRESSED:
                data = self._unfold(data, self.limit - unfolded)
                unfolded += len(data)
                kind, data = next(self._elements(data), (0, data))
            if kind == _MATRIX and len(data):
                name, array = self._array(data)
                if array is not None:
                    found[name] = array
        return found

    def _elements(self, data: memoryview) -> Iterator[tuple[int, memoryview]]:
        """Type and bytes of one element after the other."""
        at = 0
        while at + 8 <= len(data):
            kind, length = struct.unpack_from(f"{self.order}II", data, at)
            if kind >> 16:  # a short one keeps its bytes in the second half of the tag
                kind, length = kind & 0xFFFF, kind >> 16
                start, stop, at = at + 4, at + 4 + length, at + 8
                if length > 4:
                    raise ValueError("a short element is too long")
            else:
                start, stop = at + 8, at + 8 + length
                at = stop if kind == _COMPRESSED else stop + -length % 8
            if stop > len(data):
                raise ValueError("it was cut off")
            yield kind, data[start:stop]

    def _unfold(self, data: memoryview, most: int) -> memoryview:
        stream = zlib.decompressobj()
        content = stream.decompress(data, max(most, 1))
        if stream.unconsumed_tail:
            raise ValueError("its content is far larger than its header says")
        if not stream.eof:
            raise ValueError("it was cut off")
        return memoryview(content)

    def _array(self, data: memoryview) -> tuple[str, NDArray[Any] | None]:
        parts = self._elements(data)
        flags = int(self._numbers(*next(parts, (0, data)))[0])
        shape = tuple(int(n) for n in self._numbers(*next(parts, (0, data))))
        name = bytes(next(parts, (0, data))[1]).decode("latin1")
        kind, is_complex = flags & 0xFF, bool(flags & 0x800)
        if kind not in (_CHAR, _SPARSE, *_NUMBERS) or is_complex:
            return name, None
        size = math.prod(shape)
        if len(shape) < 2 or min(shape) < 0 or 8 * size > self.limit:
            raise ValueError(f"the array {name!r} claims to have the shape {shape}")
        if kind == _SPARSE:
            return name, self._sparse(shape, list(parts))
        kind_of, body = next(parts, (1, data[:0]))
        if kind == _CHAR:
            return name, self._text(kind_of, body, shape)
        values = self._numbers(kind_of, body)
        if values.size != size:
            raise ValueError(f"the array {name!r} has {values.size} of {size} entries")
        values = values.reshape(shape, order="F")
        return name, values.astype(values.dtype.newbyteorder("="))

    def _numbers(self, kind: int, body: memoryview) -> NDArray[Any]:
        if kind not in _TYPES:
            raise ValueError(f"it contains data of the unknown type {kind}")
        dtype = np.dtype(self.order + _TYPES[kind])
        return np.frombuffer(body, dtype, len(body) // dtype.itemsize)

    def _text(
        self, kind: int, body: memoryview, shape: tuple[int, ...]
    ) -> NDArray[Any] | None:
        """Rows of text, as scipy gives them; None for what has no rows."""
        coding = _TEXT.get(kind)
        if coding is None or len(shape) != 2:
            return None
        if coding[-2:] in ("16", "32"):
            coding += "-le" if self.order == "<" else "-be"
        letters = np.array(list(bytes(body).decode(coding)), dtype="U1")
        if letters.size != math.prod(shape):
            raise ValueError("a text has another length than it should")
        rows = letters.reshape(shape, order="F")
        return np.array(["".join(row) for row in rows], dtype=str)

    def _sparse(
        self, shape: tuple[int, ...], parts: list[tuple[int, memoryview]]
    ) -> NDArray[Any]:
        if len(shape) != 2 or len(parts) < 3:
            raise ValueError("a sparse array lacks parts")
        rows, starts, values = (self._numbers(*part) for part in parts[:3])
        starts = starts.astype(np.int64)
        count = int(starts[-1]) if len(starts) else 0
        # scipy does not look at the starts of columns if the last one is zero
        rising = len(starts) > 0 and starts[0] == 0 and (np.diff(starts) >= 0).all()
        if not rising or count > min(len(rows), len(values)):
            raise ValueError("the parts of a sparse array do not match")
        matrix = sp.csc_array(
            (values[:count].astype(np.float64), rows[:count].astype(np.int64), starts),
            shape=shape,
        )
        matrix.check_format(full_check=True)
        return matrix.toarray()
