"""Which method was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import partial

from skldl.discovery import FAMILIES, all_estimators
from skldl.methods._nested import plain_name

_MOST = 3  # names in one hint


def method_hint(name: str, others: Iterable[str], family: str | None = None) -> str:
    """The methods that were probably meant, of the family that is asked for first.

    Parameters
    ----------
    name : str
        What nobody is called.
    others : iterable of str
        Names beside the families.
    family : str, default=None
        Where to look first; None looks among the learners of distributions first.

    Returns
    -------
    hint : str
        A question, or nothing.
    """
    order = sorted(FAMILIES, key=lambda f: f != (family or "ldl"))
    groups = [[n for n, _ in all_estimators(f)] for f in order] + [list(others)]
    wanted = plain_name(name)
    # a name that is very close in another family is before a remote one of the own
    for find in (_containing, partial(_close, cutoff=0.8), partial(_close, cutoff=0.6)):
        for group in groups:
            found = find(wanted, {plain_name(n): n for n in group})
            if found:
                return f" Did you mean {_either(found)}?"
    return ""


def _containing(wanted: str, shown: dict[str, str]) -> list[str]:
    """Names that contain what was typed; of one or two letters too many would."""
    if len(wanted) < 3:
        return []
    return [name for plain, name in shown.items() if wanted in plain]


def _close(wanted: str, shown: dict[str, str], cutoff: float) -> list[str]:
    return [shown[n] for n in get_close_matches(wanted, shown, n=1, cutoff=cutoff)]


def _either(names: list[str]) -> str:
    quoted = [repr(name) for name in names[:_MOST]]
    return " or ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))
