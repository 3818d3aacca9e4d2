"""How each learner compares with the mean distribution, from the committed bench."""

from functools import lru_cache
from pathlib import Path

import pandas as pd

from skldl.report import to_rst

RESULTS = Path(__file__).parent.parent / "bench" / "results"
COMMAND = "python bench/learners.py"
_VARIANTS = {"standard": "at its defaults", "tuned": "tuned on inner folds"}


@lru_cache(maxsize=1)
def overview():
    """One row per learner and variant."""
    path = RESULTS / "learners_overview.csv"
    if not path.exists():
        return pd.DataFrame(columns=["name", "variant"])
    table = pd.read_csv(path)
    parts = table["learner"].str.rpartition(", ")
    return table.assign(name=parts[0], variant=parts[2])


def sentences(name):
    """What the bench says of a learner; nothing if it was not measured."""
    found = []
    for variant, words in _VARIANTS.items():
        rows = overview()
        row = rows[(rows["name"] == name) & (rows["variant"] == variant)]
        if len(row):
            row = row.iloc[0]
            found.append(
                f"{words} it beats the mean distribution on "
                f"{row['beats the mean on']} of {row['data sets']}, with "
                f"{row[SHARE]:.3f} of its divergence on average"
            )
    if not found:
        return []
    text = "; ".join(found)
    return [
        "",
        ".. rubric:: Beside the mean distribution",
        "",
        "On open data sets with standardised features, five shared folds: "
        f"{text} (``{COMMAND}``).",
        "",
    ]


SHARE = "share of the mean's KL"


def append_to_docstring(app, what, name, thing, options, lines):
    """Called by Sphinx for every docstring."""
    if what == "class" and name.startswith(("skldl.ldl.", "skldl.projection.")):
        lines += sentences(name.rpartition(".")[2])


def table():
    """All learners, the best average rank first, as a reST table."""
    rows = overview()
    if rows.empty:
        return ""
    shown = rows[rows["variant"].isin(_VARIANTS)]
    shown = pd.DataFrame(
        {
            "learner": [f":class:`~skldl.{_home(n)}.{n}`" for n in shown["name"]],
            "settings": shown["variant"].map({"standard": "default", "tuned": "tuned"}),
            "average rank": shown["average rank"].map("{:.2f}".format),
            "beats the mean on": [
                f"{a} of {b}"
                for a, b in zip(
                    shown["beats the mean on"], shown["data sets"], strict=True
                )
            ],
            "share of its divergence": shown[SHARE].map("{:.3f}".format),
        }
    )
    return to_rst(shown)


def tuned_table():
    """The best learner at its defaults against tuned ones, as a reST table."""
    rows = pd.read_csv(RESULTS / "learners_tuned.csv")
    pairs = zip(rows["best is better on"], rows["data sets"], strict=True)
    return to_rst(
        pd.DataFrame(
            {
                "tuned learner": [
                    f":class:`~skldl.{_home(n)}.{n}`" for n in rows["learner"]
                ],
                "share of the mean's divergence": rows["share"].map("{:.3f}".format),
                f"{best()} at its defaults": rows["share of the best"].map(
                    "{:.3f}".format
                ),
                "better on": [f"{a} of {b}" for a, b in pairs],
            }
        )
    )


def best():
    """The learner of the best average rank."""
    return overview()["name"].iloc[0]


def _home(name):
    import skldl.ldl

    return "ldl" if hasattr(skldl.ldl, name) else "projection"


def choice():
    """Accuracy and fit times of the learners at their defaults, the best first."""
    rows = overview()
    rows = rows[rows["variant"] == "standard"].set_index("name")
    table = pd.DataFrame({"rank": rows["average rank"], "share": rows[SHARE]})
    path = RESULTS / "learner_times.csv"
    times = pd.read_csv(path).pivot(index="learner", columns="rows")
    for size in times["fit_cpu_s"].columns:
        table[str(size)] = times["fit_cpu_s"][size]
        table[f"{size} status"] = times["status"][size]
    largest = times["predict_cpu_s"].columns[1]
    table["predict"] = times["predict_cpu_s"][largest]
    return table


def choice_table():
    """What the page on choosing a method shows, as a reST table."""
    rows = choice()
    sizes = [name for name in rows.columns if name.isdigit()]
    shown = {
        "learner": [f":class:`~skldl.{_home(n)}.{n}`" for n in rows.index],
        "rank": rows["rank"].map("{:.1f}".format),
        "divergence": rows["share"].map("{:.2f}".format),
    }
    for size in sizes:
        pairs = zip(rows[size], rows[f"{size} status"], strict=True)
        shown[f"{int(size):,} rows"] = [_seconds(*pair) for pair in pairs]
    shown["predict"] = [f"{1000 * s:.0f}" for s in rows["predict"]]
    return to_rst(pd.DataFrame(shown))


def _seconds(value, status):
    if status != "ok":
        return status if isinstance(status, str) else ""
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"
