"""J-Play and its comparators beside the published tables, tuned without the test part.

Overall accuracy of every projection with 1-NN, an rbf SVM and a canonical correlation
forest on Indian Pines (fixed split), Extended Yale-B (ten draws of ten images a person)
and AR (session 1 against session 2). Each projection's parameters, J-Play's penalty
growth included, are chosen by three folds of the training part, with 1-NN; the SVM's by
five folds of the projected training part. Everything runs through the comparison engine
into a store, so that an interrupted run goes on; projections are kept in a cache in the
folder for temporary files and shared by the classifiers. The whole takes hours;
``--report`` only shows what the store has.

    python bench/jplay_paper.py STORE [pines ar yale] [--published FILE] [--write]
                                [--report] [--draws N]
"""

import argparse
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler
from sklearn.svm import SVC

from skldl.benchmark import Method, Plan, Split, Store, read_reference, run
from skldl.classifiers import CanonicalCorrelationForestClassifier
from skldl.datasets import load, make_dataset
from skldl.projection import LFDA, LPP, LSDR, LSQMID, JPlay

PER_PERSON, EIGENFACES = 10, 200
DEPTHS = (1, 2, 3, 4)
SIZES = {  # of PCA, LPP, LSDR, LSQMID and J-Play in the published tables
    "pines": (20, 20, 50, 60, 20),
    "ar": (80, 70, 80, 80, 210),
    "yale": (120, 170, 60, 60, 170),
}
PUBLISHED = {"pines": "Indian_Pines", "yale": "YaleB_32x32", "ar": "AR_60x43"}
CLASSIFIERS = {"NN": "nn", "SVM": "ksvm", "CCF": "ccf"}


class Tuned(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A projection with the parameters of a grid that suit 1-NN on held-out folds."""

    def __init__(self, estimator, grid, n_splits=3):
        self.estimator = estimator
        self.grid = grid
        self.n_splits = n_splits

    def fit(self, X, y):
        """Choose, then fit on everything."""
        choices = list(ParameterGrid(self.grid))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = [self._score(X, y, choice) for choice in choices]
            self.best_params_ = choices[int(np.argmax(scores))]
            self.estimator_ = clone(self.estimator).set_params(**self.best_params_)
            self.estimator_.fit(X, y)
        return self

    def _score(self, X, y, choice):
        if len(list(ParameterGrid(self.grid))) == 1:
            return 0.0
        folds = StratifiedKFold(self.n_splits, shuffle=True, random_state=0)
        nearest = KNeighborsClassifier(1)
        scores = []
        for train, test in folds.split(X, y):
            model = clone(self.estimator).set_params(**choice).fit(X[train], y[train])
            nearest.fit(model.transform(X[train]), y[train])
            scores.append(nearest.score(model.transform(X[test]), y[test]))
        return np.mean(scores)

    def transform(self, X):
        """Project."""
        return self.estimator_.transform(X)


def datasets(name, draws):
    """Data sets with fixed splits, and whether the features are pixels of faces."""
    if name == "pines":
        data = load("Indian_Pines")
        X = data.X / data.X.max(axis=1, keepdims=True)
        return [make_dataset(X, data.y, name=name, train=data.train, test=data.test)]
    if name == "ar":
        data = load("AR_eigen300")
        return [
            make_dataset(data.X, data.y, name=name, train=data.train, test=data.test)
        ]
    data = load("YaleB_32x32")
    X = data.X / data.X.max(axis=1, keepdims=True)
    made = []
    for draw in range(draws):
        rng = np.random.default_rng(draw)
        train = np.concatenate(
            [
                rng.permutation(np.flatnonzero(data.y == person))[:PER_PERSON]
                for person in np.unique(data.y)
            ]
        )
        test = np.setdiff1d(np.arange(len(X)), train)
        made.append(make_dataset(X, data.y, name=f"yale{draw}", train=train, test=test))
    return made


class Eigenfaces(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Coordinates along principal directions, the mean not subtracted."""

    def __init__(self, n_components):
        self.n_components = n_components

    def fit(self, X, y=None):
        """Find the directions."""
        size = min(self.n_components, *X.shape)
        self.components_ = PCA(size, svd_solver="full").fit(X).components_
        return self

    def transform(self, X):
        """Project."""
        return X @ self.components_.T


def projections(name):
    """Projections by their published names, with the grids to tune."""
    pca, lpp, lsdr, lsqmid, jplay = SIZES[name]
    made = {
        "Baseline": (FunctionTransformer(), {}),
        "PCA": (PCA(svd_solver="full"), {"n_components": [pca]}),
        "LPP": (LPP(lpp), {"n_neighbors": [5, 10]}),
        "LDA": (
            LinearDiscriminantAnalysis(solver="eigen"),
            {"shrinkage": [None, 1e-3, 1e-2, 1e-1]},
        ),
        "LFDA": (LFDA(), {"n_neighbors": [3, 7], "reg": [1e-6, 1e-3, 1e-1]}),
        "LSDR": (LSDR(lsdr, n_init=1, random_state=0), {}),
        "LSQMID": (LSQMID(lsqmid, n_init=1, random_state=0), {}),
    }
    grid = [
        {"penalty_growth": [1.2, 2.0], "beta": [b], "gamma": [b]} for b in (0.1, 1.0)
    ]
    for depth in DEPTHS:
        made[f"J-Play{depth}"] = (JPlay(jplay, n_layers=depth, max_iter=10), grid)
    return made


def classifier(name):
    """The three classifiers; the SVM's parameters come from folds, too."""
    if name == "NN":
        return KNeighborsClassifier(1)
    if name == "SVM":
        grid = {"C": [1, 10, 100, 1000], "gamma": [0.1, 1.0, 10.0, "scale"]}
        return make_pipeline(MinMaxScaler(), GridSearchCV(SVC(), grid, cv=5))
    return CanonicalCorrelationForestClassifier(300, random_state=0)


def methods(name):
    """All projections with the first classifier, then with the others."""
    cache = Path(tempfile.gettempdir()) / "skldl_jplay_cache"
    made = []
    for kind in CLASSIFIERS:
        for label, (projection, grid) in projections(name).items():
            faces = name == "yale" and label not in ("Baseline", "PCA")
            steps = [("faces", Eigenfaces(EIGENFACES))] if faces else []
            steps += [("tuned", Tuned(projection, grid)), ("last", classifier(kind))]
            made.append(Method(f"{label}|{kind}", Pipeline(steps, memory=str(cache))))
    return made


def measure(name, options):
    """Mean accuracy in per cent, projections by classifiers."""
    plan = Plan(datasets(name, options.draws), methods(name), Split("fixed"))
    if options.report:
        with Store(options.store) as store:
            rows = store.rows(job.key for job in plan.jobs(plan.load()))
    else:  # in this process: the cache must find this script's classes
        rows = run(plan, options.store, engine="serial")
    bad = rows[rows["status"] != "ok"].drop_duplicates("job")
    for row in bad.itertuples():
        print(row.dataset, row.method, row.message)
    rows = rows[rows["metric"] == "accuracy"].copy()
    labels = rows["method"].str.split("|")
    rows["projection"], rows["kind"] = labels.str[0], labels.str[1]
    table = rows.groupby(["projection", "kind"])["value"].mean().unstack() * 100
    return table.reindex(index=list(projections(name)), columns=list(CLASSIFIERS))


def published(file, name):
    """The same table as printed, or an empty one."""
    index, columns = list(projections(name)), list(CLASSIFIERS)
    if file is None:
        return pd.DataFrame(np.nan, index=index, columns=columns)
    rows = read_reference(file, paper="J-Play", dataset=PUBLISHED[name])
    rows["metric"] = rows["metric"].str.rsplit("_", n=1).str[-1]
    table = rows.pivot_table(index="method", columns="metric", values="value")
    table = table.reindex(columns=list(CLASSIFIERS.values()))
    return table.set_axis(columns, axis=1).reindex(index)


def cell(ours, theirs):
    """Measured, if it was, with the published number in brackets."""
    measured = "-" if np.isnan(ours) else f"{ours:.2f}"
    return measured + ("" if np.isnan(theirs) else f" ({theirs:.2f})")


def rst(tables):
    """All data sets in one simple table."""
    cells = [["data set", "projection", *CLASSIFIERS]]
    for name, (ours, theirs) in tables.items():
        for label in ours.index:
            pairs = zip(ours.loc[label], theirs.loc[label], strict=True)
            cells.append([name, label, *(cell(*pair) for pair in pairs)])
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    rule = " ".join("=" * width for width in widths)
    text = [" ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) for r in cells]
    text = [line.rstrip() for line in text]
    return "\n".join([rule, text[0], rule, *text[1:], rule, ""])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("store")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--published")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--depths", type=int, nargs="+", default=DEPTHS)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--classifiers", nargs="+", default=list(CLASSIFIERS))
    options = parser.parse_args()
    DEPTHS = options.depths
    CLASSIFIERS = {name: CLASSIFIERS[name] for name in options.classifiers}
    results = {
        name: (measure(name, options), published(options.published, name))
        for name in options.names or list(SIZES)
    }
    print(rst(results))
    if options.write:
        folder = Path(__file__).parents[1] / "docs" / "guide"
        (folder / "jplay_results.inc").write_text(rst(results))
