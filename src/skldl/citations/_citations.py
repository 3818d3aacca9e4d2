"""References by name, and as BibTeX."""

import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache
from importlib.resources import files
from typing import Any

from skldl._version import __version__

_LIBRARY = "scikit-ldl"
_KEY = "scikitldl"
_ESCAPED = {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_"}
_PLAIN = {"doi", "eprint", "pages"}  # signs in them are their own


@lru_cache(maxsize=1)
def _content() -> dict[str, Any]:
    text = files("skldl.citations").joinpath("references.toml").read_text("utf-8")
    return tomllib.loads(text)


def cited_names() -> list[str]:
    """Names that :func:`cite` knows: methods, data sets and the library.

    Returns
    -------
    names : list of str

    Examples
    --------
    >>> from skldl.citations import cited_names
    >>> {"MSLP", "SJAFFE", "scikit-ldl"} <= set(cited_names())
    True
    """
    content = _content()
    return [_LIBRARY, *content["methods"], *content["datasets"]]


def references(name: str) -> dict[str, dict[str, Any]]:
    """Look up what to cite for a method or a data set.

    Parameters
    ----------
    name : str
        A method, a data set or ``"scikit-ldl"``. Case, hyphens and underscores do not
        matter.

    Returns
    -------
    references : dict of str to dict
        BibTeX key to fields, the most important one first.

    Examples
    --------
    >>> from skldl.citations import references
    >>> [entry["year"] for entry in references("MSLP").values()]
    [2018]
    """
    content = _content()
    known = {_plain(other): other for other in cited_names()}
    if _plain(name) not in known:
        raise ValueError(_unknown_name(name, known))
    name = known[_plain(name)]
    if name == _LIBRARY:
        return {_KEY: {**content["library"], "note": f"Version {__version__}"}}
    keys = content["methods"].get(name) or content["datasets"][name]
    return {key: content["references"][key] for key in keys}


def _plain(name: str) -> str:
    last = name.rpartition("+")[2].partition("(")[0]  # standard+AAkNN(n_neighbors=7)
    return last.strip().lower().replace("-", "").replace("_", "").replace(" ", "")


def _unknown_name(name: str, known: dict[str, str]) -> str:
    close = get_close_matches(_plain(name), known, n=1, cutoff=0.8)
    hint = f" Did you mean {known[close[0]]!r}?" if close else ""
    return (
        f"No reference is known for {name!r}.{hint} There are references of published "
        "methods and data sets: see skldl cite --list."
    )


def cite(names: str | Sequence[str] = _LIBRARY) -> str:
    """Write what to cite as BibTeX.

    Parameters
    ----------
    names : str or sequence of str, default="scikit-ldl"
        Methods, data sets or ``"scikit-ldl"``; see :func:`references`.

    Returns
    -------
    bibtex : str
        Each reference once.

    Examples
    --------
    >>> from skldl.citations import cite
    >>> print(cite("LDLLC"))
    @inproceedings{jia2018label,
      author = {X. Jia and W. Li and J. Liu and Y. Zhang},
      title = {{Label Distribution Learning by Exploiting Label Correlations}},
      booktitle = {AAAI Conference on Artificial Intelligence},
      pages = {3310--3317},
      year = {2018},
    }
    <BLANKLINE>
    """
    given = [names] if isinstance(names, str) else list(names)
    found: dict[str, dict[str, Any]] = {}
    for name in given:
        found.update(references(name))
    return "\n".join(_bibtex(key, entry) for key, entry in found.items())


def _bibtex(key: str, entry: dict[str, Any]) -> str:
    lines = [f"@{entry['type']}{{{key},"]
    for field, value in entry.items():
        if field != "type":
            text = str(value) if field in _PLAIN else _escape(str(value))
            # a second pair keeps capitals
            lines.append(
                f"  {field} = {{{f'{{{text}}}' if field == 'title' else text}}},"
            )
    return "\n".join([*lines, "}", ""])


def _escape(text: str) -> str:
    return "".join(_ESCAPED.get(sign, sign) for sign in text)


def short_reference(name: str) -> str:
    """First author and year of the first reference, as in a table.

    Parameters
    ----------
    name : str
        As for :func:`references`.

    Returns
    -------
    text : str
        Empty if no reference is known.

    Examples
    --------
    >>> from skldl.citations import short_reference
    >>> short_reference("MSLP"), short_reference("nothing")
    ('Peng et al. 2018', '')
    """
    try:
        entry = next(iter(references(name).values()))
    except ValueError:
        return ""
    authors = entry["author"].strip("{}").split(" and ")
    last = [_last_name(author) for author in authors]
    who = last[0] + (" et al." if len(last) > 2 or "others" in last else "")
    if len(last) == 2 and "others" not in last:
        who = f"{last[0]} and {last[1]}"
    return f"{who} {entry.get('year', '')}".strip()


def _last_name(author: str) -> str:
    return author.split(",")[0] if "," in author else author.split()[-1]
