"""Columns by name, quoted name, pattern or range."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any
from unicodedata import normalize

from skldl._text import listed, split_names

_RANGE = re.compile(r"(\d+)\s*-\s*(\d+)")


def pick_labels(
    columns: Iterable[Any],
    spec: str | Sequence[str] | None = None,
    *,
    after: str | None = None,
    what: str = "labels",
) -> list[str]:
    """Columns that a user names, in the order in which they are named.

    Parameters
    ----------
    columns : iterable of str
        Columns of the table.
    spec : str, sequence of str or None, default=None
        Names, separated by commas. A name with a comma stands in double quotes
        (``'"sad, angry",joy'``). ``vote_*`` stands for all columns that fit the
        pattern, ``3-5`` for the third to the fifth column, ``first..last`` for these
        columns and those between them. A column that has exactly the written name
        always comes first. A sequence is a list of such texts.
    after : str, default=None
        Take all columns that follow this one, instead of ``spec``.
    what : str, default="labels"
        The argument, for messages.

    Returns
    -------
    columns : list of str

    Examples
    --------
    >>> from skldl.datasets import pick_labels
    >>> columns = ["id", "age", "sad, angry", "vote_joy", "vote_fear"]
    >>> pick_labels(columns, '"sad, angry",vote_*')
    ['sad, angry', 'vote_joy', 'vote_fear']
    >>> pick_labels(columns, "4-5")
    ['vote_joy', 'vote_fear']
    >>> pick_labels(columns, after="age")
    ['sad, angry', 'vote_joy', 'vote_fear']
    """
    known = [str(column) for column in columns]
    if after is not None:
        if spec:
            raise ValueError(f"Give {what} or the column before them, not both.")
        return _following(known, after, what)
    entries = [spec] if isinstance(spec, str) else [str(one) for one in spec or ()]
    if not entries:
        raise ValueError(f"{what} is empty; name at least one column.")
    picked: list[str] = []
    for entry in entries:
        picked += _from_entry(entry, known, what)
    if not picked:
        raise ValueError(f"{what} is empty; name at least one column.")
    return picked if len(set(picked)) == len(picked) else _once(picked, entries, what)


def _following(known: list[str], after: str, what: str) -> list[str]:
    place = known.index(_exact(after, known) or _unknown(after, known, what))
    if place + 1 == len(known):
        raise ValueError(f"No column follows {after!r}, so {what} is empty.")
    return known[place + 1 :]


def _once(picked: list[str], entries: Sequence[str], what: str) -> list[str]:
    """Patterns may overlap with names; the same name twice is a slip."""
    named = [name for name in picked if picked.count(name) > 1]
    if not any(sign in entry for entry in entries for sign in "*?[") and not any(
        ".." in entry or _RANGE.search(entry) for entry in entries
    ):
        raise ValueError(f"{what} names a column twice: {named[0]!r}.")
    return list(dict.fromkeys(picked))


def _from_entry(entry: str, known: list[str], what: str) -> list[str]:
    if _exact(entry, known):
        return [str(_exact(entry, known))]
    picked: list[str] = []
    for name in split_names(entry):
        found = _resolved(name, known, what)
        picked += found or [_unknown(name, known, what)]
    return picked


def _resolved(name: str, known: list[str], what: str) -> list[str]:
    """The columns that one name, pattern or range stands for."""
    exact = _exact(name, known)
    if exact is not None:
        return [exact]
    numbers = _RANGE.fullmatch(name)
    if numbers:
        return _between(int(numbers[1]), int(numbers[2]), name, known, what)
    first, dots, last = name.partition("..")
    if dots and first.strip() and last.strip():
        ends = [
            known.index(_exact(end, known) or _unknown(end, known, what)) + 1
            for end in (first.strip(), last.strip())
        ]
        return _between(ends[0], ends[1], name, known, what)
    if any(sign in name for sign in "*?["):
        return [column for column in known if fnmatchcase(column, name)]
    return []


def _between(
    first: int, last: int, name: str, known: list[str], what: str
) -> list[str]:
    if not 1 <= first <= last <= len(known):
        raise ValueError(
            f"{what}: {name!r} is not a range of columns; the table has columns 1 to "
            f"{len(known)}, and the first must not come after the last."
        )
    return known[first - 1 : last]


def _exact(name: str, known: list[str]) -> str | None:
    """The column of that name; letters such as ü have two spellings."""
    if name in known:
        return name
    same = normalize("NFC", name)
    return next((one for one in known if normalize("NFC", one) == same), None)


def _unknown(name: str, known: list[str], what: str) -> str:
    """Raise an error; the return type is for those who call this in an expression."""
    close = get_close_matches(name, known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    pattern = any(sign in name for sign in "*?[")
    begin = "No column fits" if pattern else "There is no column"
    raise ValueError(
        f"{begin} {name!r} (named in {what}).{hint} The table has {listed(known, 20)}."
    )
