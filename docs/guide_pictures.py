"""Pictures of the guide that no example of the gallery draws.

The build of the documentation calls :func:`main`; a picture is drawn again when this
file is newer than it. Each function gives a figure and is named after its picture.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skldl.plotting import STYLE, name_points

HERE = Path(__file__).parent
TARGET = HERE / "pictures"
BENCH = HERE.parent / "bench" / "results"


def use_style(*_):
    """The look of all figures; the gallery calls it before each example."""
    plt.style.use(STYLE)
    plt.rcParams["figure.constrained_layout.use"] = True


def method_times():
    """Accuracy against time of all learners that were measured."""
    import learner_notes

    table = learner_notes.choice()
    table = table[table["share"] < 1.05].dropna(subset=["3000"])
    fig, ax = plt.subplots(figsize=(8, 4.6))
    ax.scatter(table["3000"], table["share"], s=30)
    ax.axhline(1, color="0.5", lw=1, ls="--")
    ax.text(
        ax.get_xlim()[1], 1, "mean distribution", ha="right", va="bottom", fontsize=8
    )
    ax.set(
        xscale="log",
        xlabel="CPU seconds of a fit, 3,000 rows",
        ylabel="KL divergence, mean distribution = 1",
    )
    ax.margins(x=0.12)
    name_points(ax, table["3000"], table["share"], table.index, fontsize=8)
    return fig


def ldl_contract():
    """One label, several labels, a distribution."""
    names = ["joy", "calm", "fear", "anger"]
    kinds = {
        "one label": [1, 0, 0, 0],
        "several labels": [1, 1, 0, 0],
        "label distribution": [0.55, 0.3, 0.1, 0.05],
    }
    fig, axes = plt.subplots(1, 3, figsize=(8, 2.2), sharey=True)
    for ax, (title, degrees) in zip(axes, kinds.items(), strict=True):
        ax.bar(names, degrees, color=["C1", "C0", "C4", "C3"])
        ax.set(title=title, ylim=(0, 1.05))
    axes[0].set_ylabel("degree")
    return fig


def forest_leaves():
    """Degrees of three labels along one feature, by a forest and by boosting."""
    from skldl.ldl import BoostingLDL, ExtraTreesLDL

    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-3, 3, 400))[:, None]
    scores = np.hstack([np.sin(2 * x), 0.5 * x, -0.5 * x])
    truth = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    D = np.array([rng.multinomial(10, p) / 10 for p in truth])
    learners = {
        "true": None,
        "ExtraTreesLDL": ExtraTreesLDL(100, random_state=0),
        "BoostingLDL": BoostingLDL(random_state=0),
    }
    fig, axes = plt.subplots(1, 3, figsize=(9, 2.6), sharey=True)
    for ax, (name, learner) in zip(axes, learners.items(), strict=True):
        P = truth if learner is None else learner.fit(x, D).predict(x)
        ax.stackplot(x[:, 0], P.T, colors=["C0", "C1", "C2"])
        ax.set(title=name, xlim=(-3, 3), ylim=(0, 1), xlabel="feature")
    axes[0].set_ylabel("degree")
    return fig


def links():
    """What a link does to a regressor's raw output."""
    from sklearn.linear_model import Ridge

    from skldl.datasets import make_ldl
    from skldl.ldl import DistributionRegressor
    from skldl.plotting import plot_distributions

    X, D = make_ldl(200, 4, 4, random_state=3)
    fig, axes = plt.subplots(1, 3, figsize=(9, 2.8), sharey=True)
    for ax, link in zip(axes, ["clip", "softmax", "clr"], strict=True):
        model = DistributionRegressor(Ridge(), link=link).fit(X[1:], D[1:])
        plot_distributions(D[:1], model.predict(X[:1]), samples=[0], axes=[ax])
        ax.set_title(f'link="{link}"')
        ax.set_xlabel("label")
    for ax in axes[1:]:
        ax.get_legend().remove() if ax.get_legend() else None
        ax.set_ylabel("")
    return fig


def oblique_cuts():
    """Regions of a canonical correlation forest beside those of one tree."""
    from sklearn.inspection import DecisionBoundaryDisplay
    from sklearn.tree import DecisionTreeClassifier

    from skldl.classifiers import CanonicalCorrelationForestClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.digitize(X.sum(axis=1), [-1, 1])
    learners = {
        "tree": DecisionTreeClassifier(random_state=0),
        "canonical correlation forest": CanonicalCorrelationForestClassifier(
            20, random_state=0
        ),
    }
    fig, axes = plt.subplots(1, 2, figsize=(7, 3), sharey=True)
    colors = matplotlib.colors.ListedColormap(["#2f6db3", "#e0872b", "#2f9e77"])
    for ax, (name, learner) in zip(axes, learners.items(), strict=True):
        DecisionBoundaryDisplay.from_estimator(
            learner.fit(X, y),
            X,
            response_method="predict",
            alpha=0.3,
            ax=ax,
            multiclass_colors=colors.colors,
        )
        ax.scatter(*X.T, c=y, cmap=colors, s=8)
        ax.set(title=name, xlabel="feature 1")
    axes[0].set_ylabel("feature 2")
    return fig


def grid_search():
    """Scores of a grid over neighbours and weights."""
    from skldl.datasets import make_toy_ldl
    from skldl.ldl import AAkNN
    from skldl.model_selection import PathSearchCV

    X, D = make_toy_ldl(400, noise=0.1, random_state=0)
    counts, rules = [1, 2, 4, 8, 16, 32, 64], ["uniform", "distance", "dudani"]
    grid = {"n_neighbors": counts, "weights": rules}
    search = PathSearchCV(AAkNN(), grid, scoring="clark", cv=5).fit(X, D)
    table = pd.DataFrame(search.cv_results_["params"])
    table["score"] = -search.cv_results_["mean_test_score"]
    shown = table.pivot(index="weights", columns="n_neighbors", values="score")
    fig, ax = plt.subplots(figsize=(7, 2.2))
    image = ax.imshow(shown, aspect="auto", cmap="viridis_r")
    ax.set_xticks(range(len(shown.columns)), shown.columns)
    ax.set_yticks(range(len(shown)), shown.index)
    ax.set(xlabel="n_neighbors", ylabel="weights")
    fig.colorbar(image, label="Clark distance")
    return fig


def metrics_compared():
    """Three mistakes as five metrics see them."""
    from skldl.metrics import evaluate

    D = np.array([[0.6, 0.3, 0.1, 0.0]])
    mistakes = {
        "a little everywhere": [[0.5, 0.3, 0.15, 0.05]],
        "two labels swapped": [[0.3, 0.6, 0.1, 0.0]],
        "all on one label": [[0.97, 0.01, 0.01, 0.01]],
    }
    metrics = ["chebyshev", "sorensen", "kl_divergence", "clark", "canberra"]
    table = pd.DataFrame(
        {
            name: evaluate(D, np.array(P), metrics=metrics)
            for name, P in mistakes.items()
        }
    )
    fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3), width_ratios=[1, 1.3])
    bars = pd.DataFrame({"true": D[0]} | {n: P[0] for n, P in mistakes.items()}).T
    bars[::-1].plot.barh(stacked=True, legend=False, ax=left, width=0.7)
    left.set(xlim=(0, 1), xlabel="degree")
    table.plot.bar(ax=right, rot=20)
    right.set_ylabel("value, 0 is best")
    return fig


def stacked_datasets():
    """Distributions of three data sets, sorted by their largest label."""
    from skldl.datasets import load, make_crowd

    crowd = make_crowd(300, n_labels=4, random_state=0)
    shown = {
        "toy": load("toy").D,
        "synthetic": load("synthetic").D,
        "make_crowd": np.asarray(crowd.D),
    }
    fig, axes = plt.subplots(1, 3, figsize=(9, 2.4), sharey=True)
    for ax, (name, D) in zip(axes, shown.items(), strict=True):
        rows = D[np.lexsort((D.max(axis=1), D.argmax(axis=1)))]
        ax.stackplot(range(len(rows)), rows.T)
        ax.set(title=name, xlim=(0, len(rows) - 1), ylim=(0, 1), xlabel="samples")
    axes[0].set_ylabel("degree")
    return fig


def neighbor_links():
    """A neighbour graph of points, one link for each pair."""
    from matplotlib.collections import LineCollection

    from skldl.graphs import neighbor_graph

    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(m, 0.5, (40, 2)) for m in ((0, 0), (2.2, 1), (1, 2.6))])
    fig, axes = plt.subplots(1, 2, figsize=(7.5, 3), sharey=True)
    for ax, k in zip(axes, (2, 6), strict=True):
        graph = neighbor_graph(X, k)
        links = [(X[i], X[j]) for i, row in enumerate(graph.indices) for j in row]
        ax.add_collection(LineCollection(links, colors="0.75", lw=0.8))
        ax.scatter(*X.T, s=14, zorder=2)
        ax.set(title=f"n_neighbors={k}", aspect="equal")
    return fig


def log_ratios():
    """Distributions in the triangle and as log-ratios."""
    from skldl.linalg import ilr

    rng = np.random.default_rng(0)
    D = rng.dirichlet([2, 2, 2], 400)
    corners = np.array([[0, 0], [1, 0], [0.5, np.sqrt(0.75)]])
    fig, (left, right) = plt.subplots(1, 2, figsize=(7, 3))
    left.plot(*corners[[0, 1, 2, 0]].T, color="0.6", lw=1)
    left.scatter(*(D @ corners).T, c=D, s=8)
    left.set(title="distributions of three labels", aspect="equal")
    left.axis("off")
    right.scatter(*ilr(D).T, c=D, s=8)
    right.set(title="isometric log-ratios", xlabel="first", ylabel="second")
    return fig


def objective_paths():
    """How three searches approach the same minimum."""
    from skldl.datasets import make_ldl
    from skldl.ldl import SABFGS, SAIIS

    X, D = make_ldl(300, 10, 5, random_state=0)
    learners = {
        "SABFGS": SABFGS(reg=0.0, fit_intercept=False),
        "SAIIS": SAIIS(max_iter=60, tol=0.0),
        "SAIIS(overrelax=True)": SAIIS(max_iter=60, tol=0.0, overrelax=True),
    }
    paths = {
        name: np.array(quietly(learner.fit, X, D).objective_history_)
        for name, learner in learners.items()
    }
    least = min(path.min() for path in paths.values())
    fig, ax = plt.subplots(figsize=(6, 3))
    for name, path in paths.items():
        ax.semilogy(path[path > least + 1e-7] - least, label=name)
    ax.set(xlabel="iteration", ylabel="objective above its minimum")
    ax.legend()
    return fig


def quietly(call, *args):
    """The result of a call without its warnings about early stops."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*args)


def valid_answers():
    """What the common checks accept: rows on the simplex."""
    corners = np.array([[0, 0], [1, 0], [0.5, np.sqrt(0.75)]])
    good = np.array([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.1, 0.7, 0.2], [1, 0, 0]])
    bad = np.array([[0.8, 0.5, -0.3], [-0.2, 0.4, 0.8]])
    fig, ax = plt.subplots(figsize=(4.5, 3))
    ax.fill(*corners.T, color="C2", alpha=0.15)
    ax.plot(*corners[[0, 1, 2, 0]].T, color="0.5", lw=1)
    ax.scatter(*(good @ corners).T, color="C2", label="distributions", zorder=2)
    ax.scatter(*(bad @ corners).T, color="C3", marker="x", label="negative degrees")
    ax.legend(loc="upper left")
    ax.set_aspect("equal")
    ax.axis("off")
    return fig


def encoded_columns():
    """How votes move with a number and with a category of a mixed table."""
    import sys

    sys.path.insert(0, str(HERE.parent / "examples"))
    from make_votes import LABELS, make_table
    from sklearn.pipeline import make_pipeline

    from skldl.datasets import load_table
    from skldl.ldl import KernelRidgeLDL
    from skldl.plotting import plot_partial_dependence
    from skldl.preprocessing import TableEncoder

    data = load_table(make_table(300, seed=0), labels=LABELS, ignore=["picture"])
    X, D = data.frames()
    model = make_pipeline(TableEncoder(random_state=0), KernelRidgeLDL()).fit(X, D)
    fig, axes = plt.subplots(1, 3, figsize=(9, 2.8), sharey=True)
    for ax, column in zip(axes, ["brightness", "faces", "place"], strict=True):
        plot_partial_dependence(model, X, column, ax=ax)
    for ax in axes[1:]:
        ax.set_ylabel("")
        ax.get_legend().remove() if ax.get_legend() else None
    return fig


def embedded_toy():
    """What ``skldl embed toy --plot`` draws."""
    from skldl.datasets import load
    from skldl.plotting import plot_embedding
    from skldl.projection import MSLP

    data = load("toy")
    Z = MSLP(2).fit(data.X[::2], data.D[::2]).transform(data.X[::2])
    fig, ax = plt.subplots(figsize=(5, 3.2))
    plot_embedding(Z, data.D[::2], ax=ax, label_names=data.label_names, s=5)
    return fig


PICTURES = [
    method_times,
    ldl_contract,
    forest_leaves,
    links,
    oblique_cuts,
    grid_search,
    metrics_compared,
    stacked_datasets,
    neighbor_links,
    log_ratios,
    objective_paths,
    valid_answers,
    encoded_columns,
    embedded_toy,
]


def main():
    """Draw what is not there or older than this file."""
    TARGET.mkdir(exist_ok=True)
    source = Path(__file__).stat().st_mtime
    for draw in PICTURES:
        path = TARGET / f"{draw.__name__}.png"
        if path.exists() and path.stat().st_mtime > source:
            continue
        with plt.rc_context():
            use_style()
            draw().savefig(path, dpi=110)
            plt.close("all")


if __name__ == "__main__":
    main()
