"""Lists of names in text: how to read and to show them."""

from collections.abc import Sequence


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """Split at a character, but not inside brackets; parts are stripped."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def split_names(text: str) -> list[str]:
    """Split at commas outside of brackets and double quotes; quotes are taken off.

    Parameters
    ----------
    text : str
        Such as ``'"sad, angry",joy'``.

    Returns
    -------
    names : list of str
        Stripped, without empty ones.
    """
    parts, depth, quoted = [""], 0, False
    for sign in text:
        quoted ^= sign == '"'
        if not quoted:
            depth = max(0, depth + (sign == "(") - (sign == ")"))
        if sign == "," and not quoted and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [_unquoted(part.strip()) for part in parts if part.strip()]


def _unquoted(part: str) -> str:
    inside = len(part) > 1 and part[0] == part[-1] == '"'
    return part[1:-1].replace('""', '"') if inside else part


def quoted(name: str) -> str:
    """A name as :func:`split_names` reads it."""
    if not any(sign in name for sign in ',"()') and name == name.strip():
        return name
    inside = name.replace('"', '""')
    return f'"{inside}"'


def listed(names: Sequence[str], most: int = 10) -> str:
    """Some names, and that there are more.

    Parameters
    ----------
    names : sequence of str
        Names.
    most : int, default=10
        How many to show.

    Returns
    -------
    text : str
    """
    return ", ".join(map(str, names[:most])) + (" ..." if len(names) > most else "")
