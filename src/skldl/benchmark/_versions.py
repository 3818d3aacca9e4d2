"""Results in a store that another version of scikit-ldl computed."""

import json

import pandas as pd

from skldl._version import __version__


class OtherVersionWarning(UserWarning):
    """Results of another version of scikit-ldl are taken over from a store.

    Examples
    --------
    >>> import warnings
    >>> from skldl.benchmark import OtherVersionWarning
    >>> warnings.simplefilter("error", OtherVersionWarning)  # stop instead
    """


def other_versions(jobs: pd.DataFrame) -> str:
    """Name the other versions and what they did.

    Parameters
    ----------
    jobs : DataFrame
        One row per job, with the column versions.

    Returns
    -------
    text : str
        Such as ``20 folds by scikit-ldl 0.0.1``; empty if this version did all.
    """
    if "versions" not in jobs.columns:
        return ""
    counts = jobs["versions"].dropna().map(_own_version).value_counts().sort_index()
    others = counts.drop(__version__, errors="ignore")
    return ", ".join(
        f"{count} fold{'s' if count > 1 else ''} by scikit-ldl {version}"
        for version, count in others.items()
    )


def _own_version(text: str) -> str:
    """Version of scikit-ldl among those of all libraries, which are JSON text."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError):  # a table that a user wrote
        found = None
    named = isinstance(found, dict) and "scikit-ldl" in found
    return str(found["scikit-ldl"]) if named else "of unknown version"


def takeover_warning(jobs: pd.DataFrame, path: str) -> str:
    """Sentences on results of other versions that are not computed again.

    Parameters
    ----------
    jobs : DataFrame
        Jobs of a plan that the store has.
    path : str
        The store.

    Returns
    -------
    text : str
        Empty if this version did all of them.
    """
    others = other_versions(jobs)
    if not others:
        return ""
    return (
        f"The store {path} has {others}, and this is {__version__}. They are taken as "
        "they are, and their numbers may differ from what this version computes. Use "
        "another store to compute everything with this version."
    )


def version_note(jobs: pd.DataFrame) -> str:
    """Sentence for readers of a page whose results other versions computed.

    Parameters
    ----------
    jobs : DataFrame
        The jobs that the page shows.

    Returns
    -------
    text : str
        Empty if this version did all of them.
    """
    others = other_versions(jobs)
    if not others:
        return ""
    return (
        f"Of {len(jobs)} folds other versions computed {others}; this page is written "
        f"by {__version__}. A new store has numbers of one version alone."
    )
