"""The form of a CSV file, found in its bytes: encoding, separator, decimal sign."""

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skldl.datasets._read_faults import UnreadableError, csv_faults

SEPARATORS = (",", ";", "\t", "|")
_SAMPLE = 2**18  # bytes by which separator and decimal sign are judged
_BLOCK = 2**24
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_COMMA_NUMBER = re.compile(r"[-+]?(\d+|[1-9]\d{0,2}(\.\d{3})+),\d+(%|[eE][-+]?\d+)?")
_POINT_NUMBER = re.compile(r"[-+]?(\d+|[1-9]\d{0,2}(,\d{3})+)\.\d+(%|[eE][-+]?\d+)?")
_WIDE = re.compile(r"[-+]?[1-9]\d{0,2}([.,]\d{3})+")  # 1,304 or 1.304
_TOLD = re.compile(r"""["']?sep=(.)["']?""", re.IGNORECASE)


@dataclass(frozen=True)
class CsvForm:
    """How a CSV file is written.

    Attributes
    ----------
    sep, decimal, encoding : str
        For :func:`pandas.read_csv`.
    header : tuple of str
        Names in the first line, as written.
    skipped : int
        Lines before the header.
    lines : int
        Number of lines of the file, or -1 if they were not counted.
    notes : tuple of str
        What was guessed and should be told.
    """

    sep: str
    decimal: str
    encoding: str
    header: tuple[str, ...]
    skipped: int = 0
    lines: int = -1
    notes: tuple[str, ...] = ()


def csv_form(
    source: Path | bytes,
    name: str,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> CsvForm:
    """Find out how a CSV file is written, as far as nobody says it."""
    _check_told(sep, decimal, encoding)
    notes = []
    lines = -1
    if encoding is None:
        encoding, lines = _find_encoding(source)
        if encoding in ("cp1252", "latin-1"):
            notes.append(
                f"{name} is not in UTF-8; it was read as {encoding} (Western Europe). "
                "Say encoding= or --encoding if its letters are wrong."
            )
    text = _sample(source, name, encoding)
    skipped, told, text = _skip_to_header(text)
    if not text.strip():
        raise ValueError(f"{name} is empty; a header line and rows are needed.")
    if "\0" in text:
        raise UnreadableError(
            f"{name} is not a readable CSV file: it contains bytes that are not text."
        )
    with csv_faults(name):
        sep = sep or told or _find_separator(text, tabs=name.lower().endswith(".tsv"))
        rows = _rows(text, sep)
    if decimal is None:
        decimal = "." if sep == "," else _find_decimal(rows[1:])
        if decimal == ",":
            notes.append(f"{name} has a decimal comma: 1,5 is read as one and a half.")
    return CsvForm(sep, decimal, encoding, tuple(rows[0]), skipped, lines, tuple(notes))


def _check_told(sep: Any, decimal: Any, encoding: Any) -> None:
    if sep is not None and (not isinstance(sep, str) or len(sep) != 1 or sep in '"\n'):
        raise ValueError(f"sep must be one character, such as ';', got {sep!r}.")
    if decimal not in (None, ".", ","):
        raise ValueError(f"decimal must be '.' or ',', got {decimal!r}.")
    if decimal is not None and decimal == sep and sep != ",":
        raise ValueError(f"sep and decimal are both {sep!r}.")
    if encoding is None:
        return
    try:
        codecs.lookup(encoding)
    except (LookupError, TypeError):
        raise ValueError(
            f"Unknown encoding {encoding!r}; use one such as 'utf-8' or 'cp1252'."
        ) from None


def _find_encoding(source: Path | bytes) -> tuple[str, int]:
    """Encoding by the mark at the start or by what decodes, and the number of lines."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    encoding, lines, last = "utf-8", 0, b"\n"
    for number, block in enumerate(_blocks(source)):
        if number == 0:
            marked = _marked(block)
            if marked not in (None, "utf-8-sig"):
                return str(marked), -1
            encoding = marked or encoding
        lines, last = lines + block.count(b"\n"), block[-1:]
        try:
            decoder.decode(block)
        except UnicodeDecodeError:
            return _western(source), -1
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return _western(source), -1
    return encoding, lines + (last != b"\n")


def _marked(begin: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if begin.startswith(mark):
            return encoding
    few = begin[:200]  # UTF-16 without a mark: every other byte of plain text is zero
    if len(few) >= 4 and few[1::2].count(0) > 0.8 * len(few[1::2]):
        return "utf-16-le"
    if len(few) >= 4 and few[0::2].count(0) > 0.8 * len(few[0::2]):
        return "utf-16-be"
    return None


def _western(source: Path | bytes) -> str:
    """The encoding of Windows, unless a byte has no meaning in it."""
    unknown = (0x81, 0x8D, 0x8F, 0x90, 0x9D)
    for block in _blocks(source):
        if any(byte in block for byte in unknown):
            return "latin-1"
    return "cp1252"


def _blocks(source: Path | bytes) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
        return
    with source.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block


def _sample(source: Path | bytes, name: str, encoding: str) -> str:
    """Whole lines from the start of a file."""
    with csv_faults(name):
        if isinstance(source, bytes):
            raw: Any = io.BytesIO(source)
        else:
            raw = source.open("rb")
        with io.TextIOWrapper(raw, encoding=encoding, newline="") as file:
            text = file.read(_SAMPLE)
            return text + file.readline()


def _skip_to_header(text: str) -> tuple[int, str | None, str]:
    """Leave out empty lines and Excel's line ``sep=;``; how many lines these were."""
    skipped, told = 0, None
    while text:
        line, end, rest = _first_line(text)
        found = _TOLD.fullmatch(line.strip())
        if found is not None and told is None:
            told = found.group(1)
        elif line.strip():
            break
        skipped, text = skipped + 1, rest
        if not end:
            break
    return skipped, told, text


def _first_line(text: str) -> tuple[str, str, str]:
    end = re.search(r"\r\n|\n|\r", text)
    if end is None:
        return text, "", ""
    return text[: end.start()], end.group(), text[end.end() :]


def _rows(text: str, sep: str, most: int = 1000) -> list[list[str]]:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=sep,
                       skipinitialspace=True)  # fmt: skip
    found: list[list[str]] = []
    for row in lines:
        if row:
            found.append(row)
        if len(found) > most:
            break
    return found


def _find_separator(text: str, *, tabs: bool) -> str:
    """The one that cuts most rows into as many fields as the header."""
    if tabs:
        return "\t"
    scores = {}
    for sep in SEPARATORS:
        try:
            rows = _rows(text, sep, most=50)
        except csv.Error:  # a header of many names is one huge field to the others
            scores[sep] = (False, 0)
            continue
        width = len(rows[0])
        alike = [len(row) == width for row in rows]
        steady = width > 1 and 2 * sum(alike) > len(alike)
        scores[sep] = (steady, width)
    return max(SEPARATORS, key=lambda sep: scores[sep])


def _find_decimal(rows: list[list[str]]) -> str:
    cells = {cell.strip() for row in rows for cell in row}
    comma = [cell for cell in cells if _COMMA_NUMBER.fullmatch(cell)]
    point = [cell for cell in cells if _POINT_NUMBER.fullmatch(cell)]
    # 1,304 beside 1.5 counts thousands, and so does 1.304 beside 1,5
    comma = [cell for cell in comma if not _WIDE.fullmatch(cell)] or comma
    point = [cell for cell in point if not _WIDE.fullmatch(cell)] or point
    sure_comma = sum(_WIDE.fullmatch(cell) is None for cell in comma)
    sure_point = sum(_WIDE.fullmatch(cell) is None for cell in point)
    if sure_comma or sure_point:
        return "," if sure_comma > sure_point else "."
    return "," if len(comma) > len(point) else "."
