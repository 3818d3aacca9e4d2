"""
Strong learners beside the mean distribution
============================================

A learner is worth its name if it beats the mean distribution, which ignores the
features. Five learners that choose their own settings, two published methods, and a
pool of all of them.
"""

# %%
# The data: ratings on five labels that depend on the features by a curve, with noise.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.datasets import make_ldl
from skldl.ldl import (
    LDLLC,
    AAkNN,
    ExtraTreesLDL,
    KernelRidgeLDL,
    LogisticLDL,
    LogRatioRidgeLDL,
    MeanDistribution,
    RandomForestLDL,
    combine,
    fit_pool,
)
from skldl.metrics import kl_divergence

X, D = make_ldl(400, 10, 5, noise=0.5, random_state=0)
X = np.sign(X) * np.abs(X) ** 1.5  # what is linear becomes a curve

# %%
# Every learner predicts each row from folds that do not have it.
learners = {
    "mean": MeanDistribution(),
    "kernel ridge": KernelRidgeLDL(),
    "logistic": LogisticLDL(),
    "log-ratio ridge": LogRatioRidgeLDL(),
    "extra trees": ExtraTreesLDL(random_state=0),
    "random forest": RandomForestLDL(random_state=0),
    "AA-kNN": make_pipeline(StandardScaler(), AAkNN()),
    "LDLLC": make_pipeline(StandardScaler(), LDLLC()),
}
folds = list(KFold(5, shuffle=True, random_state=0).split(X))
predicted = {n: cross_val_predict(m, X, D, cv=folds) for n, m in learners.items()}

# %%
# The pool: weights from four folds, judged on the fifth.
members = np.stack(list(predicted.values()))
pooled = np.empty_like(D)
for train, test in folds:
    pool = fit_pool(members[:, train], D[train])
    pooled[test] = combine(members[:, test], pool.weights)
predicted["pool of all"] = pooled

# %%
# Kullback-Leibler divergence as a share of the mean distribution's: 1 has learned
# nothing.
base = kl_divergence(D, predicted["mean"])
shares = {name: kl_divergence(D, P) / base for name, P in predicted.items()}
names = sorted(shares, key=shares.get, reverse=True)
figure, axis = plt.subplots(figsize=(7, 3.5), layout="constrained")
bars = axis.barh(names, [shares[name] for name in names])
axis.bar_label(bars, fmt="%.2f", padding=3)
axis.axvline(1, color="black", linewidth=0.8)
axis.set_xlim(0, 1.1)
axis.set_xlabel("share of the mean distribution's divergence")
plt.show()
