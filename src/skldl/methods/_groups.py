"""Names that stand for many methods: ``all`` and the families."""

from collections.abc import Sequence
from typing import Any

from skldl.discovery import FAMILIES
from skldl.methods._methods import Method, learner_names

_ALL = "all"  # every learner of distributions


def expand_methods(methods: str | Sequence[str | Method]) -> list[Any]:
    """Put all members of a family in the place of its name.

    Parameters
    ----------
    methods : str or sequence of str or Method
        ``"all"`` or ``"ldl"`` are the learners of distributions, and another family,
        such as ``"multilabel"``, its estimators. Searches over other methods, whose
        names end in ``CV``, and the baseline are left out. Steps may be in front, as in
        ``"standard+all"``. Other entries stay as they are.

    Returns
    -------
    methods : list of str or Method

    Examples
    --------
    >>> from skldl.methods import expand_methods
    >>> expand_methods(["multilabel", "standard+AAkNN"])
    ['BRkNN', 'DMLkNN', 'IBLR', 'MLkNN', 'standard+AAkNN']
    """
    given = [methods] if isinstance(methods, str) else list(methods)
    expanded: list[Any] = []
    for entry in given:
        before, plus, last = (
            entry.rpartition("+") if isinstance(entry, str) else ("", "", "")
        )
        family = "ldl" if last.strip().lower() == _ALL else last.strip().lower()
        if family in FAMILIES:
            names = [n for n in learner_names(family) if not n.endswith("CV")]
            expanded += [f"{before}{plus}{name}" for name in names]
        else:
            expanded.append(entry)
    return list(dict.fromkeys(expanded)) if _plain(expanded) else expanded


def _plain(methods: list[Any]) -> bool:
    """Whether all are names, so that a name given twice can be taken once."""
    return all(isinstance(method, str) for method in methods)
