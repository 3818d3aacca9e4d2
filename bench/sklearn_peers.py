"""Ours against the nearest equivalents of scikit-learn and scikit-multilearn.

    python bench/sklearn_peers.py [--repeats=3]

Same data, same objective or metric, one thread, in turns; ratios are theirs over ours,
of median CPU times, so more than 1 is in our favour. scikit-multilearn is optional: its
line says so when it is not there. Writes ``bench/results/sklearn_peers.csv``.
"""

import sys
import warnings

import numpy as np
from _measure import times
from _tables import show, write
from sklearn.cross_decomposition import CCA as TheirCCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from skldl.datasets import make_ldl
from skldl.ldl import SABFGS, AAkNN
from skldl.multilabel import BRkNN, MLkNN
from skldl.projection import CCA

N, FEATURES, LABELS = 6_000, 60, 8
X, D = make_ldl(N, FEATURES, LABELS, random_state=0)
TOP = D.argmax(axis=1)
ONE_HOT = np.eye(LABELS)[TOP]
Y = (D > 1 / LABELS).astype(int)
NEW = X[:2000] + 0.01


def pair(name, ours, theirs, quality, repeats):
    """One row: both times and what both reached."""
    found = times({"ours": ours, "theirs": theirs}, repeats)
    row = {"method": name}
    for who in ("ours", "theirs"):
        row |= {f"{who}_cpu_s": found[who].cpu_s, f"{who}_wall_s": found[who].wall_s}
    row["ratio"] = found["theirs"].cpu_s / found["ours"].cpu_s
    row |= {f"{who}_quality": value for who, value in quality.items()}
    print(f"{name}: ratio {row['ratio']:.2f}", flush=True)
    return row


def logistic(repeats):
    """SABFGS on one-hot rows is multinomial logistic regression."""
    mine = SABFGS(1.0, fit_intercept=True)
    # its tolerance is on the mean; with this one both end at the same objective
    other = LogisticRegression(C=1.0, max_iter=300, tol=1e-8)
    mine.fit(X, ONE_HOT)
    other.fit(X, TOP)

    def objective(P, coef):
        return float(N * log_loss(TOP, P) + np.square(coef).sum() / 2)

    quality = {
        "ours": objective(mine.predict(X), mine.coef_),
        "theirs": objective(other.predict_proba(X), other.coef_),
    }
    calls = (lambda: mine.fit(X, ONE_HOT)), (lambda: other.fit(X, TOP))
    return pair("SABFGS / LogisticRegression", *calls, quality, repeats)


def neighbors(repeats):
    """AAkNN is a regressor on neighbours."""
    mine, other = AAkNN(10), KNeighborsRegressor(10)
    same = np.abs(mine.fit(X, D).predict(NEW) - other.fit(X, D).predict(NEW)).max()
    calls = (
        lambda: mine.fit(X, D).predict(NEW),
        lambda: other.fit(X, D).predict(NEW),
    )
    quality = {"ours": 0.0, "theirs": float(same)}
    return pair("AAkNN / KNeighborsRegressor", *calls, quality, repeats)


def binary_relevance(repeats):
    """BRkNN against the multi-label classifier on neighbours."""
    mine, other = BRkNN(10), KNeighborsClassifier(10)
    # where half of the neighbours have a label ours says yes, theirs no
    wrong = [float(np.mean(model.fit(X, Y).predict(X) != Y)) for model in (mine, other)]
    calls = (
        lambda: mine.fit(X, Y).predict(NEW),
        lambda: other.fit(X, Y).predict(NEW),
    )
    quality = dict(zip(("ours", "theirs"), wrong, strict=True))
    return pair("BRkNN / KNeighborsClassifier", *calls, quality, repeats)


def correlation(repeats):
    """CCA with labels; the sum of squared correlations is what both maximise."""
    mine, other = CCA(3), TheirCCA(3, max_iter=2000)
    mine.fit(X, D)
    other.fit(X, D)
    a, b = other.transform(X, D)
    reached = sum(np.corrcoef(a[:, i], b[:, i])[0, 1] ** 2 for i in range(3))
    quality = {"ours": float(mine.eigenvalues_.sum()), "theirs": float(reached)}
    calls = (lambda: mine.fit(X, D)), (lambda: other.fit(X, D))
    return pair("CCA / CCA", *calls, quality, repeats)


def discriminant(repeats):
    """CCA with classes is linear discriminant analysis; ratio of scatters."""
    mine = CCA(LABELS - 1)
    other = LinearDiscriminantAnalysis(solver="eigen")
    mine.fit(X, TOP)
    other.fit(X, TOP)

    def share(Z):
        total = np.cov(Z.T, bias=True)
        means = np.array([Z[c == TOP].mean(axis=0) for c in range(LABELS)])
        counts = np.bincount(TOP, minlength=LABELS)
        moved = means - Z.mean(axis=0)
        between = (moved * counts[:, None]).T @ moved / N
        return float(np.trace(np.linalg.solve(total, between)))

    quality = {"ours": share(mine.transform(X)), "theirs": share(other.transform(X))}
    calls = (lambda: mine.fit(X, TOP)), (lambda: other.fit(X, TOP))
    return pair("CCA / LinearDiscriminantAnalysis", *calls, quality, repeats)


def multilearn(repeats):
    """ML-kNN of scikit-multilearn, which counts a sample as its own neighbour."""
    try:
        from skmultilearn.adapt import MLkNN as Theirs
    except ImportError as error:
        print(f"scikit-multilearn is not here ({error}); its line is left out.")
        return None
    few = slice(0, 2000)
    mine, other = MLkNN(10), Theirs(k=10)
    try:
        other.fit(X[few], Y[few])
    except TypeError:  # written for an old scikit-learn: arguments by position
        import skmultilearn.adapt.mlknn as module
        from sklearn.neighbors import NearestNeighbors

        module.NearestNeighbors = lambda k: NearestNeighbors(n_neighbors=k)
        other.fit(X[few], Y[few])
    mine.fit(X[few], Y[few])
    wrong = {
        "ours": float(np.mean(mine.predict(NEW[500:]) != Y[500:2000])),
        "theirs": float(np.mean(other.predict(NEW[500:]).toarray() != Y[500:2000])),
    }
    calls = (
        lambda: mine.fit(X[few], Y[few]).predict(NEW[:200]),
        lambda: other.fit(X[few], Y[few]).predict(NEW[:200]),
    )
    return pair("MLkNN / scikit-multilearn", *calls, wrong, repeats)


def main(arguments):
    """All pairs."""
    warnings.simplefilter("ignore")
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    repeats = int(given.get("repeats", 3))
    parts = logistic, neighbors, binary_relevance, correlation, discriminant, multilearn
    rows = [part(repeats) for part in parts]
    write("sklearn_peers", [row for row in rows if row is not None])
    show("sklearn_peers")


if __name__ == "__main__":
    main(sys.argv[1:])
