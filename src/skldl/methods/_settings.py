"""Names of settings that nobody has."""

import inspect
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any


def wrong_settings(factory: Any, settings: Mapping[str, Any]) -> str:
    """What is wrong with the names of settings, with the one that was meant.

    Parameters
    ----------
    factory : class or function
        What would be called.
    settings : mapping
        Its arguments.

    Returns
    -------
    text : str
        Empty if all names are known, or if the factory does not tell its own.
    """
    parameters = inspect.signature(factory).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return ""
    known = [p.name for p in parameters]
    unknown = [name for name in settings if name not in known]
    if not unknown:
        return ""
    close = get_close_matches(unknown[0], known, n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"there is no {unknown[0]!r}.{hint} There are {', '.join(known) or 'none'}."
