"""JSON as in the shared tasks on learning with disagreement."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd


def lewidi_rows(source: Any) -> tuple[pd.DataFrame, bool]:
    """A long table of the votes, and whether the annotators are known."""
    content = _content(source)
    rows = [row for item, entry in content.items() for row in _votes_of(item, entry)]
    if not rows:
        raise ValueError("The JSON has no votes.")
    table = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    known = table["annotator"].notna()
    if known.any() and not known.all():
        item = table["item"][~known].iloc[0]
        raise ValueError(f"Item {item!r} does not name its annotators; others do.")
    return table, bool(known.any())


def _content(source: Any) -> Mapping[str, Any]:
    if not isinstance(source, Mapping):
        path = Path(os.fspath(source)).expanduser()
        try:
            source = json.loads(path.read_text(encoding="utf-8-sig"))
        except json.JSONDecodeError as error:
            raise ValueError(f"{path.name} is not JSON: {error}.") from None
    if not isinstance(source, Mapping) or not source:
        raise ValueError(
            'The JSON must be an object of items, such as {"1": {"annotations": '
            '"1,0", "annotators": "Ann1,Ann2"}}.'
        )
    return source


def _votes_of(item: str, entry: Any) -> Iterator[tuple[str, str | None, str | None]]:
    given = entry.get("annotations") if isinstance(entry, Mapping) else None
    if given is None:
        raise ValueError(f"Item {item!r} of the JSON has no 'annotations'.")
    if isinstance(given, Mapping):
        for annotator, answer in given.items():
            yield from ((item, annotator, label) for label in _parts(answer))
        return
    labels = _parts(given)
    annotators = _parts(entry["annotators"]) if entry.get("annotators") else None
    if annotators is not None and len(annotators) != len(labels):
        raise ValueError(
            f"Item {item!r} of the JSON has {len(labels)} annotations but "
            f"{len(annotators)} annotators."
        )
    for number, label in enumerate(labels):
        yield item, None if annotators is None else annotators[number], label


def _parts(answer: Any) -> list[str | None]:
    """Labels of a list or of text with commas; None for an empty one."""
    parts = answer if isinstance(answer, list) else str(answer).split(",")
    if answer is None:
        return [None]
    return [str(part).strip() or None for part in parts]
