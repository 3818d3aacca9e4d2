"""The papers by name."""

from collections.abc import Sequence

from skldl.reproduce import _field, _hamming, _jplay, _lse, _lwknn, _mslp
from skldl.reproduce._protocol import Paper

_MODULES = (_mslp, _lse, _lwknn, _jplay, _hamming, _field)
PAPERS: dict[str, Paper] = {module.PAPER.key: module.PAPER for module in _MODULES}


def list_papers() -> list[str]:
    """Keys of the papers whose tables can be run, and "field".

    Returns
    -------
    keys : list of str

    Examples
    --------
    >>> from skldl.reproduce import list_papers
    >>> list_papers()
    ['mslp', 'lse-ldl', 'lwknn', 'jplay', 'generalized-hamming', 'field']
    """
    return list(PAPERS)


def get_papers(names: Sequence[str]) -> list[Paper]:
    """Give papers by key.

    Parameters
    ----------
    names : sequence of str
        Keys; "all" means all.

    Returns
    -------
    papers : list of Paper
    """
    if "all" in names:
        return list(PAPERS.values())
    for name in names:
        if name not in PAPERS:
            raise ValueError(
                f"Unknown paper {name!r}; choose from {', '.join(PAPERS)} or all."
            )
    return [PAPERS[name] for name in dict.fromkeys(names)]
