"""Images of many bands, from files that the tests write."""

import struct

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import skldl
from skldl.datasets import load
from skldl.datasets._tiff import read_bands


def write_tiff(path, image, *, order="<", planar=1, rows_per_strip=2, **changes):
    """An uncompressed file in strips, in the two ways of putting bands."""
    height, width, bands = image.shape
    kind = {"u": 1, "i": 2, "f": 3}[image.dtype.kind]
    data = image.astype(image.dtype.newbyteorder(order))
    planes = [data] if planar == 1 else list(np.moveaxis(data, 2, 0))
    strips = [
        plane[start : start + rows_per_strip].tobytes()
        for plane in planes
        for start in range(0, height, rows_per_strip)
    ]
    offsets = np.cumsum([8, *map(len, strips)])[:-1]
    bits = [8 * image.dtype.itemsize] * bands
    values = {
        256: ("H", [width]), 257: ("H", [height]), 258: ("H", bits), 259: ("H", [1]),
        273: ("I", offsets), 277: ("H", [bands]), 278: ("H", [rows_per_strip]),
        279: ("I", [len(s) for s in strips]), 284: ("H", [planar]),
        339: ("H", [kind] * bands), 305: ("s", b"a program"),
    }  # fmt: skip
    values |= {tag: ("H", [value]) for tag, value in changes.get("tags", {}).items()}
    body = b"".join(strips)
    entries, extra, start = [], b"", 8 + len(body) + 2 + 12 * len(values) + 4
    for tag, (code, numbers) in sorted(values.items()):
        text = bytes(numbers) if code == "s" else b"".join(
            struct.pack(order + code, int(n)) for n in numbers)  # fmt: skip
        head = struct.pack(
            order + "HHI", tag, {"H": 3, "I": 4, "s": 2}[code], len(numbers)
        )
        if len(text) <= 4:
            entries.append(head + text.ljust(4, b"\0"))
        else:
            entries.append(head + struct.pack(order + "I", start + len(extra)))
            extra += text
    mark = b"II" if order == "<" else b"MM"
    header = mark + struct.pack(order + "HI", 42, 8 + len(body))
    table = struct.pack(order + "H", len(values)) + b"".join(entries)
    path.write_bytes(header + body + table + b"\0\0\0\0" + extra)


@pytest.mark.parametrize("planar", [1, 2])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("dtype", ["u2", "i2", "u1", "f4"])
def test_what_was_written_is_read(tmp_path, planar, order, dtype):
    rng = np.random.default_rng(0)
    image = rng.integers(0, 200, (5, 4, 7)).astype(dtype)
    if dtype == "i2":
        image -= 100
    write_tiff(tmp_path / "a.tif", image, order=order, planar=planar)
    found = read_bands(tmp_path / "a.tif")
    assert_array_equal(found, image)
    assert found.dtype == np.dtype(dtype)


def test_one_band(tmp_path):
    image = np.arange(6, dtype="u2").reshape(2, 3, 1)
    write_tiff(tmp_path / "a.tif", image, rows_per_strip=1)
    assert_array_equal(read_bands(tmp_path / "a.tif"), image)


def test_files_that_cannot_be_read(tmp_path):
    path = tmp_path / "a.tif"
    image = np.zeros((4, 4, 3), "u2")
    path.write_bytes(b"GIF89a and so on")
    with pytest.raises(ValueError, match="a.tif is not a TIFF file.*begin"):
        read_bands(path)
    write_tiff(path, image, tags={259: 5})
    with pytest.raises(ValueError, match="it is compressed"):
        read_bands(path)
    write_tiff(path, image, tags={257: 40})
    with pytest.raises(ValueError, match="fewer pixels"):
        read_bands(path)
    write_tiff(path, image)
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(ValueError, match="cannot|can be read"):
        read_bands(path)


def test_all_bands_of_indian_pines(real_data, tmp_path, monkeypatch):
    pines = real_data("Indian_Pines")
    home = skldl.get_data_home()
    cube = np.repeat(pines.extra["cube"][:, :, :1], 220, axis=2).astype("i2")
    name = "19920612_AVIRIS_IndianPine_Site3.tif"
    for folder in ("Indian_Pines", "Indian_Pines_220"):
        (tmp_path / folder).mkdir()
    for file in (home / "Indian_Pines").iterdir():
        (tmp_path / "Indian_Pines" / file.name).symlink_to(file)
    write_tiff(tmp_path / "Indian_Pines_220" / name, cube, planar=2)
    skldl.set_data_home(tmp_path)
    data = load("Indian_Pines_220", download=False)
    assert data.X.shape == (len(pines.X), 220)
    assert_array_equal(data.X[:, 7], pines.X[:, 0])
    assert_array_equal(data.train, pines.train)
