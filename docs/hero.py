"""The picture of the README: votes in, predicted distributions with regions out.

    python docs/hero.py

writes ``docs/_static/votes.svg``.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from sklearn.pipeline import make_pipeline

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "examples"))

from make_votes import LABELS, make_table

from skldl.conformal import ConformalDistribution
from skldl.datasets import load_table
from skldl.ldl import LogisticLDL
from skldl.plotting import STYLE
from skldl.preprocessing import TableEncoder

COLORS = ["#e0872b", "#2f6db3", "#7a6bb5"]


def fitted():
    """Regions of the new pictures, from a model of the votes."""
    data = load_table(make_table(300, seed=0), labels=LABELS, ignore=["picture"])
    learner = make_pipeline(TableEncoder(random_state=0), LogisticLDL())
    model = ConformalDistribution(learner, coverage=0.9, random_state=0)
    return model.fit(*data.frames())


def draw_table(ax, table):
    """The first rows of the votes, as a table."""
    ax.axis("off")
    shown = table.astype(object).where(table.notna(), "").map(_text)
    cells = ax.table(
        shown.to_numpy().tolist(),
        colLabels=list(shown),
        cellLoc="center",
        bbox=[0, 0, 1, 1],
    )
    cells.auto_set_column_width(list(range(shown.shape[1])))
    cells.auto_set_font_size(False)
    cells.set_fontsize(9)
    for (row, column), cell in cells.get_celld().items():
        cell.set_edgecolor("#d0d7de")
        cell.set_linewidth(0.6)
        if column >= shown.shape[1] - len(LABELS):
            color = COLORS[column - shown.shape[1] + len(LABELS)]
            cell.set_facecolor(color + ("" if row == 0 else "22"))
            cell.set_text_props(color="white" if row == 0 else "#30363d")


def _text(value):
    return f"{value:.0f}" if isinstance(value, float) else str(value)


def draw_prediction(ax, picture, regions, row):
    """Bars of one predicted distribution, with the intervals of its region."""
    for place, color in enumerate(COLORS):
        degree = regions.center[row, place]
        low, high = regions.lower[row, place], regions.upper[row, place]
        ax.bar(place, degree, 0.7, color=color)
        ax.plot([place, place], [low, high], color="#30363d", lw=1.4)
        ax.plot([place] * 2, [low, high], "_", color="#30363d", ms=7, mew=1.4)
    facts = f"{picture['brightness']:.0f}" if picture["brightness"] > 0 else "?"
    ax.set_title(
        f"{picture['picture']}: {picture['place']}, faces: {picture['faces']},\n"
        f"brightness: {facts}",
        fontsize=9,
    )
    ax.set_xticks(range(3), LABELS)
    ax.set(ylim=(0, 1), yticks=[0, 0.5, 1])


def main():
    """Draw and save."""
    plt.style.use(STYLE)
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "skldl"})
    votes, new = make_table(300, seed=0), make_table(5, seed=1)
    regions = fitted().predict_region(new.drop(columns=["picture", *LABELS]))
    figure = plt.figure(figsize=(11, 3.1), layout="none")
    left = figure.add_axes([0.01, 0.1, 0.42, 0.62])
    draw_table(left, votes.iloc[1:6])
    figure.text(0.22, 0.9, "votes of people", ha="center", fontsize=12, weight="bold")
    figure.text(0.47, 0.41, "→", ha="center", va="center", fontsize=30, color="#57606a")
    figure.text(
        0.745, 0.9, "predicted distributions, with 90 % regions", ha="center",
        fontsize=12, weight="bold",
    )  # fmt: skip
    for place, row in enumerate([1, 2, 4]):
        ax = figure.add_axes([0.53 + 0.16 * place, 0.11, 0.14, 0.55])
        draw_prediction(ax, new.iloc[row], regions, row)
        if place:
            ax.set_yticklabels([])
    (HERE / "_static").mkdir(exist_ok=True)
    figure.savefig(HERE / "_static" / "votes.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
