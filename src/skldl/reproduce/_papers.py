"""The papers by name."""

from collections.abc import Sequence

from skldl.reproduce._protocol import Paper
from skldl.reproduce.papers import field, hamming, jplay, lse, lwknn, mslp

_MODULES = (mslp, lse, lwknn, jplay, hamming, field)
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
