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
