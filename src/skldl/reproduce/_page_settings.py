"""Which settings a page's numbers come from, in words made of the stored settings."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from skldl.reproduce._columns import label_columns
from skldl.reproduce._metric_words import metric_words
from skldl.reproduce._protocol import Paper, Part
from skldl.reproduce._searches import (
    BY,
    Described,
    classifier_words,
    describe_steps,
    grid_words,
    search_words,
)
from skldl.reproduce._settings import is_published, plain_words, shown_params
from skldl.reproduce._summary import HONEST

AS_PUBLISHED, OTHERWISE, TUNED, OWN = "as published", "not as published", "tuned", ""
FIRST = "first"
_CLASSIFIER = "classifier"  # the label whose last step is the same for every method
_PART = "part"
_ON = " on "  # between the tables of a part and its data sets


class Run(NamedTuple):
    """Stored settings, and where they ran.

    Attributes
    ----------
    tags : dict of str to str
        Part and labels.
    described : Described
        Steps and searches.
    preset : str
        Whether that is the published preset.
    """

    tags: dict[str, str]
    described: Described
    preset: str


def settings_table(paper: Paper, summary: pd.DataFrame) -> pd.DataFrame:
    """Say for each published method and form with which settings it ran.

    Parameters
    ----------
    paper : Paper
        Whose methods.
    summary : DataFrame
        What :func:`read_summary` gave; the words come from its settings and searches.

    Returns
    -------
    table : DataFrame
        Columns method, form, settings, preset (whether the settings are those of the
        published preset; empty if the method has none, left out if none has one),
        searched. Where settings differ between parts of the paper, the words name
        these.
    """
    labels = label_columns(summary)
    parts = {part.name: _part_words(paper, part) for part in paper.parts()}
    runs: dict[tuple[str, str], list[Run]] = {}
    for row in _with_settings(summary, labels).to_dict("records"):
        run = _run(parts, row, labels)
        runs.setdefault((row["published"], row["variant"]), []).append(run)
    rows = [
        {
            "method": method,
            "form": variant or FIRST,
            "settings": _merged_steps(group),
            "preset": _varied([(r.tags, r.preset) for r in group]),
            "searched": _merged_search(group),
        }
        for (method, variant), group in runs.items()
    ]
    table = pd.DataFrame(rows)
    if len(table) and not table["preset"].any():
        return table.drop(columns="preset")
    return table


def classifier_sentence(summary: pd.DataFrame) -> str:
    """Say which classifiers follow the projections, if classifiers are a label.

    Parameters
    ----------
    summary : DataFrame
        What :func:`read_summary` gave.

    Returns
    -------
    sentence : str
        Empty if there are none.
    """
    if _CLASSIFIER not in label_columns(summary):
        return ""
    known = _with_settings(summary, [_CLASSIFIER])
    words = [classifier_words(json.loads(text)[-1]) for text in known["settings"]]
    said = []
    for name, rows in known.assign(words=words).groupby(_CLASSIFIER, sort=False):
        usual = rows["words"].iloc[0]
        said.append(f"{name} is {usual}")
        for other, part in rows[rows["words"] != usual].groupby("words", sort=False):
            forms = [f"'{form or FIRST}'" for form in dict.fromkeys(part["variant"])]
            said.append(f"In the forms {_and_words(forms)} {name} is {other}")
    return f"Classifiers: {'. '.join(said)}." if said else ""


def _with_settings(summary: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    known = summary[(summary["published"] != "") & (summary["features"] == "raw")]
    # what is best on the test part was chosen there, not by a search
    known = known[(known["settings"] != "") & (known["protocol"] == HONEST)]
    own = [_PART, "published", "variant", *labels, "settings", "search"]
    return known.drop_duplicates(own)[own]


def _run(
    parts: Mapping[str, str], row: Mapping[str, Any], labels: Sequence[str]
) -> Run:
    steps = json.loads(row["settings"])
    if _CLASSIFIER in labels and len(steps) > 1:
        steps = steps[:-1]
    described = describe_steps(steps)
    if row["search"]:
        described = Described(described.steps, _search(json.loads(row["search"])))
    tags = {label: str(row[label]) for label in labels}
    tags = {_PART: parts.get(row[_PART], str(row[_PART]))} | tags
    return Run(tags, described, preset_words(row["settings"], bool(described.search)))


def _search(stored: Mapping[str, Any]) -> dict[str, str]:
    """What a stored search chose from, and by what."""
    metrics = stored["metrics"]
    words = " and ".join(map(metric_words, metrics))
    each = ", each for itself," if len(metrics) > 1 else ""
    by = {BY: f"{words}{each} on {stored['n_splits']} folds"}
    return grid_words(stored["grid"]) | by


def _part_words(paper: Paper, part: Part) -> str:
    """Tables of a part if they are its own, otherwise its name or its data sets.

    A part whose name continues that of another has its tables on other data sets.
    """
    parts = paper.parts()
    for whole in parts:
        if whole.name and part.name.startswith(f"{whole.name}, "):
            return f"{_part_words(paper, whole)}{_ON}{_and_words(part.datasets)}"
    others = [
        p
        for p in parts
        if p is not part
        and set(p.tables) & set(part.tables)
        and not p.name.startswith(f"{part.name}, ")
    ]
    if not others:
        return _tables_words(part.tables)
    if all(p.name for p in parts):
        return part.name
    return ", ".join(part.datasets) if part.name else "other data sets"


def _tables_words(tables: Iterable[str]) -> str:
    names = [name.removeprefix("Table ") for name in tables]
    return f"Table{'s' if len(names) > 1 else ''} {_and_words(names)}"


def _and_words(names: Sequence[str]) -> str:
    """Names with commas, and "and" before the last."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def preset_words(settings: str, searched: bool) -> str:
    """Say whether settings are a published preset.

    Parameters
    ----------
    settings : str
        Stored ones.
    searched : bool
        A searched parameter may be anything, so a search is not a preset.

    Returns
    -------
    words : str
        Empty if the method has no preset.
    """
    same = is_published(settings)
    if same is None:
        return OWN
    if searched:
        return TUNED
    return AS_PUBLISHED if same else OTHERWISE


def _merged_steps(runs: Sequence[Run]) -> str:
    """Steps of all runs as one text, with the places of those that differ."""
    names = max((_step_names(r) for r in runs), key=len)
    for run in runs:  # steps that the longest does not have come first
        names = [*(n for n in _step_names(run) if n not in names), *names]
    return " + ".join(_step(name, runs) for name in names)


def _step_names(run: Run) -> list[str]:
    return [name for name, _ in run.described.steps]


def _step(name: str, runs: Sequence[Run]) -> str:
    having = [
        (run, dict(params))
        for run in runs
        for other, params in run.described.steps
        if other == name
    ]
    shown = dict.fromkeys(
        key
        for run, params in having
        for key in shown_params(name, params)
        if not any(key in names.split(" = ") for names in run.described.search)
    )
    texts = [
        f"{key} = " + _varied([(r.tags, plain_words(p.get(key))) for r, p in having])
        for key in shown
    ]
    words = f"{name} ({'; '.join(texts) if _has_lists(texts) else ', '.join(texts)})"
    words = words if texts else name
    if len(having) == len(runs):
        return words
    places = dict.fromkeys(run.tags[_PART] for run, _ in having)
    return f"{words} on {_and_words(list(places))}"


def _has_lists(texts: Sequence[str]) -> bool:
    return len(texts) > 1 and any("," in text for text in texts)


def _merged_search(runs: Sequence[Run]) -> str:
    keys = dict.fromkeys(key for run in runs for key in run.described.search)
    found = {
        key: _varied(
            [(run.tags, run.described.search.get(key, "")) for run in runs], " or "
        )
        for key in keys
    }
    return search_words(found)


def _varied(
    values: Sequence[tuple[Mapping[str, str], str]], between: str = ", "
) -> str:
    """One text if all are equal, otherwise each with its places."""
    texts = list(dict.fromkeys(text for _, text in values))
    if len(texts) == 1:
        return texts[0]
    place = _deciding(values)
    found = []
    for text in filter(None, texts):
        where = list(dict.fromkeys(place(tags) for tags, own in values if own == text))
        if all(texts):  # it is said everywhere, so the same elsewhere needs no words
            where = [w for w in where if _ON not in w or w.split(_ON)[0] not in where]
        found.append(text if where == [text] else f"{text} ({', '.join(where)})")
    return between.join(found)


def _deciding(
    values: Sequence[tuple[Mapping[str, str], str]],
) -> Callable[[Mapping[str, str]], str]:
    """The tag that says which text it is; all tags if no single one does."""
    for tag in values[0][0]:
        pairs = {(tags[tag], text) for tags, text in values}
        if len({name for name, _ in pairs}) == len(pairs):
            return lambda tags, tag=tag: tags[tag]  # type: ignore[misc]
    return lambda tags: " ".join(filter(None, tags.values()))


def preset_sentences(cells: pd.DataFrame) -> list[str]:
    """Say which methods count with their published settings, from what is stored.

    Parameters
    ----------
    cells : DataFrame
        What :func:`compare_paper` gave; the rows that count are spoken of, each with
        its table and data set.

    Returns
    -------
    sentences : list of str
        Empty if no method has a published preset.
    """
    main = cells[cells["main"] & cells["column"].notna()]
    always, mixed = [], []
    for method, rows in main.groupby("method", sort=False):
        known = zip(rows["settings"], rows["params"], rows["column"], strict=True)
        kinds = [_kind(*row) for row in known]
        if set(kinds) == {_SAID[AS_PUBLISHED]}:
            always.append(str(method))
        elif any(kinds):
            mixed.append(_by_place(str(method), rows.assign(kind=kinds)))
    said = []
    if always:
        whose = "its own paper" if len(always) == 1 else "their own papers"
        said.append(f"With the settings of {whose} ran {_and_words(always)}.")
    return said + mixed


_SAID = {
    AS_PUBLISHED: "ran with the settings of its own paper",
    TUNED: "was tuned",
    OTHERWISE: "ran with other settings than those of its own paper",
    OWN: "",
}


def _kind(settings: str, params: str, column: str) -> str:
    kind = _SAID[preset_words(settings, params not in ("", "{}"))]
    form = ", ".join(column.split(", ")[2:])  # after the protocol and the features
    return f"{kind} ({form})" if kind and form else kind


def _by_place(method: str, rows: pd.DataFrame) -> str:
    """The usual kind of a method, then where it was another."""
    usual = rows["kind"].value_counts().index[0]
    rest = [
        f"{_places_words(part)} it {kind}"
        for kind, part in rows[rows["kind"] != usual].groupby("kind", sort=False)
    ]
    return "; ".join([f"{method} {usual}", *rest]) + "."


def _places_words(rows: pd.DataFrame) -> str:
    """Data sets with the tables that have the same ones."""
    found: dict[tuple[str, ...], list[str]] = {}
    for table, part in rows.groupby("table", sort=False):
        names = tuple(dict.fromkeys(part["dataset"]))
        found.setdefault(names, []).append(str(table))
    texts = [
        f"on {_and_words(names)} in {_tables_words(tables)}"
        for names, tables in found.items()
    ]
    return " and ".join(texts)
