"""The sections of a report that come from predictions and from the data."""

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from skldl.benchmark import fingerprint, picture_of
from skldl.datasets import list_datasets, load
from skldl.plotting import NEUTRAL_COLOR, plot_embedding
from skldl.report._fragments import figure, paragraph, theme
from skldl.report._marks import bar_shape, key_of, mark_shape
from skldl.report._model_scores import multiples
from skldl.report._page import Section
from skldl.report._ranks import is_baseline
from skldl.report._results import Results
from skldl.report._strips import degree_chart
from skldl.report._summary import count

_METHODS = 4
_SAMPLES = 6
_DATASETS = 8
_PICTURES = 16


def predictions_section(results: Results, order: list[str]) -> Section | None:
    """True against predicted distributions of chosen samples."""
    kept = results.predictions
    if kept.empty:
        return None
    parts: list[Any] = []
    for dataset, part in list(kept.groupby("dataset", sort=False))[:_DATASETS]:
        shown = _shown_methods([m for m in order if m in set(part["method"])])
        entries = [("true", bar_shape("bar"))]
        entries += [(m, mark_shape(i)) for i, m in enumerate(shown, 1)]
        charts = multiples(_charts(str(dataset), part, shown))
        parts.append(Section(str(dataset), [key_of(entries), charts], len(parts) >= 1))
    more = kept["dataset"].nunique() - len(parts)
    if more > 0:
        parts.append(
            paragraph(f"The store has those of {more} more data sets.", note=True)
        )
    text = (
        "Samples of the first test part, from the clearest to the most mixed true "
        "distribution; bars are true degrees, and marks are predictions of "
        "the methods with the best ranks and of the mean distribution."
    )
    return Section("Predictions", [text, *parts])


def _shown_methods(methods: list[str]) -> list[str]:
    """The best, and the baseline last."""
    base = [m for m in methods if is_baseline(m)][:1]
    return [m for m in methods if not is_baseline(m)][: _METHODS - len(base)] + base


def _charts(dataset: str, part: pd.DataFrame, methods: list[str]) -> list[Markup]:
    """A chart per sample, all on the same scale."""
    part = part[part["method"].isin(methods)]
    samples = list(part["sample"].unique())
    places = np.linspace(0, len(samples) - 1, min(_SAMPLES, len(samples))).round()
    chosen = [samples[int(place)] for place in places]
    part = part[part["sample"].isin(chosen)]
    top = min(1.0, 1.03 * float(part[["true", "predicted"]].to_numpy().max()))
    return [
        _sample_chart(dataset, part[part["sample"] == sample], methods, top)
        for sample in chosen
    ]


def _sample_chart(
    dataset: str, one: pd.DataFrame, methods: list[str], top: float
) -> Markup:
    labels = list(dict.fromkeys(one["label"]))
    true = one.drop_duplicates("label").set_index("label")["true"].reindex(labels)
    predicted = one.pivot_table(index="label", columns="method", values="predicted")
    predicted = predicted.reindex(index=labels, columns=methods)
    known = [m for m in methods if predicted[m].notna().all()]
    name = one["name"].iloc[0]
    title = f"sample {one['sample'].iloc[0]}" if pd.isna(name) else str(name)
    said = "; ".join(
        f"{label}: {true[label]:.2f}, predicted "
        + ", ".join(f"{predicted.loc[label, m]:.2f}" for m in known)
        for label in labels
    )
    marks = [predicted[m].to_numpy() if m in known else None for m in methods]
    alt = f"{dataset}, {title}. {', '.join(known)}. {said}."
    return degree_chart(labels, true.to_numpy(), marks, alt, title=title, top=top)


def pictures_section(results: Results) -> Section | None:
    """Data sets as points in the plane, coloured by their distributions."""
    charts: list[Markup] = []
    for name in results.datasets[:_PICTURES]:
        facts = results.facts.get(name, {})
        picture, labels = facts.get("picture"), facts.get("labels")
        if picture is None:
            picture, labels = _compute(name, facts)
        if picture is not None:
            charts.append(_draw(name, picture, labels or []))
    if not charts:
        return None
    parts: list[Any] = [
        "Up to 400 samples of a data set in two coordinates that keep neighbours with "
        "similar distributions together. Three labels mix red, green and blue; with "
        "more, the largest label gives the colour, and a flat distribution is grey.",
        multiples(charts),
    ]
    more = len(results.datasets) - _PICTURES
    if more > 0:
        parts.append(paragraph(f"{count(more, 'more data set')} not drawn.", note=True))
    return Section("The data in the plane", parts)


def _compute(name: str, facts: dict[str, Any]) -> tuple[Any, Any]:
    """A picture of data that are on this machine, if they are the same."""
    if name not in list_datasets("distribution").index:
        return None, None
    try:
        dataset = load(name, download=False)
    except (OSError, ValueError):
        return None, None
    if facts.get("fingerprint", "") not in ("", fingerprint(dataset)):
        return None, None
    return picture_of(dataset), [str(label) for label in dataset.label_names]


def _put_legend_below(drawing: Figure, ax: Any, n_labels: int) -> None:
    """Move the legend out of the axes, where it may cover points; none for many."""
    legend = ax.get_legend()
    if legend is None:
        return
    handles, texts = legend.legend_handles, [t.get_text() for t in legend.get_texts()]
    legend.remove()
    if n_labels <= 12:
        widest = max(map(len, texts), default=1)
        columns = max(1, min(len(texts), 440 // (7 * widest + 60)))  # pixels
        drawing.legend(
            handles, texts, loc="outside lower center", ncols=columns, fontsize="small"
        )


def _draw(name: str, picture: dict[str, Any], labels: list[str]) -> Markup:
    degrees = pd.DataFrame(picture["degrees"])
    degrees = degrees.div(degrees.sum(axis=1), axis=0)  # they were rounded
    if len(labels) == degrees.shape[1]:
        degrees.columns = labels
    # a name with dollar signs is not a formula
    with theme(), mpl.rc_context({"text.parse_math": False}):
        drawing = Figure(figsize=(4.6, 3.9), layout="constrained")
        ax = plot_embedding(
            picture["coordinates"], degrees, ax=drawing.subplots(), title=name, s=9
        )
        _put_legend_below(drawing, ax, degrees.shape[1])
        alt = (
            f"{len(degrees)} samples of {name} in two {picture['method']} coordinates, "
            "coloured by label."
        )
        drawn = figure(drawing, alt, f"{name}, by {picture['method']}")
    return Markup(drawn.replace(to_hex(NEUTRAL_COLOR), "var(--c0)"))
