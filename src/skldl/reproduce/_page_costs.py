"""What runs cost, and what tuning chose."""

import json
from collections.abc import Iterable
from typing import Any

import pandas as pd

from skldl.reproduce._metric_words import metric_words
from skldl.reproduce._render import Table
from skldl.reproduce._settings import plain_words
from skldl.reproduce._summary import BEST, HONEST

_COSTS = {
    "fit_s": ("fit, s", 2),
    "predict_s": ("predict, s", 3),
    "peak_mb": ("memory, MB", 0),
}
_CHOSEN = "chosen most often"


def cost_blocks(named: pd.DataFrame) -> list[Any]:
    """Give seconds of a fit, memory, and what tuning chose most often.

    Parameters
    ----------
    named : DataFrame
        What :func:`summarize_paper` gave, with methods by their names in stores.

    Returns
    -------
    blocks : list of str or Table
        Versions first, then the table.
    """
    names = ["part", "dataset", "method", "protocol"]
    rows = named.drop_duplicates(names)
    frame = rows[names[:-1]].rename(columns={"dataset": "data set"})
    ends = {HONEST: "", BEST: f", {BEST}"}
    frame["method"] = [
        f"{method}{ends[protocol]}"
        for method, protocol in zip(frame["method"], rows["protocol"], strict=True)
    ]
    for column, (heading, digits) in _COSTS.items():
        frame[heading] = [f"{v:.{digits}f}" for v in rows[column]]
    frame[_CHOSEN] = [chosen_words(text) for text in rows["params"]]
    empty = [] if frame[_CHOSEN].any() else [_CHOSEN]
    if frame.groupby("data set")["part"].nunique().max() == 1:  # it says nothing more
        empty.append("part")
    caption = "Seconds to fit (tuning included) and to predict, MB beyond the data"
    table = Table(frame.drop(columns=empty), caption)
    return [*filter(None, [version_sentence(rows["versions"])]), table]


def chosen_words(text: str) -> str:
    """Say what tuning chose.

    Parameters
    ----------
    text : str
        Parameters as JSON; if each metric has a choice of its own, by metric.

    Returns
    -------
    words : str
        Empty if nothing was chosen.
    """
    found = json.loads(text) if text else {}
    own = {metric: one for metric, one in found.items() if isinstance(one, dict)}
    if not own:
        return _assigned(found)
    texts = {metric: _assigned(one) for metric, one in own.items()}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return "; ".join(f"{metric_words(m)}: {words}" for m, words in texts.items())


def _assigned(choice: dict[str, Any]) -> str:
    """Parameters without the names of their steps."""
    return ", ".join(
        f"{key.rpartition('__')[2]} = {plain_words(value)}"
        for key, value in sorted(choice.items())
    )


def version_sentence(texts: Iterable[str]) -> str:
    """Say with which versions the runs were made.

    Parameters
    ----------
    texts : iterable of str
        Versions as JSON, one text per run.

    Returns
    -------
    sentence : str
        Empty if none is known.
    """
    counts = pd.Series([text for text in texts if text], dtype=object).value_counts()
    if counts.empty:
        return ""
    said = [
        ", ".join(f"{name} {version}" for name, version in json.loads(text).items())
        for text in counts.index
    ]
    if len(said) == 1:
        return f"All runs were made with {said[0]}."
    parts = [f"{n} rows: {words}" for n, words in zip(counts, said, strict=True)]
    return f"The runs were made with several versions. {'; '.join(parts)}."
