"""
Three ways to weight neighbours
===============================

AA-kNN averages the distributions of the nearest training samples. How much should a
nearer one count? On the noisy toy set, against the mean distribution.
"""

# %%
# The data: three features, three labels, noise on the features.
import matplotlib.pyplot as plt
from sklearn.model_selection import KFold, cross_val_predict

from skldl.datasets import make_toy_ldl
from skldl.ldl import AAkNN, MeanDistribution
from skldl.metrics import clark, evaluate

X, D = make_toy_ldl(1000, noise=0.1, random_state=0)
folds = KFold(10, shuffle=True, random_state=0)

# %%
# Out-of-fold predictions for every rule and number of neighbours; the same folds for
# all.
counts = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
curves = {
    rule: [
        clark(D, cross_val_predict(AAkNN(k, weights=rule), X, D, cv=folds))
        for k in counts
    ]
    for rule in ("uniform", "dudani", "distance")
}
baseline = clark(D, cross_val_predict(MeanDistribution(), X, D, cv=folds))

# %%
# Averaging many neighbours removes noise; the linear rule gives the last neighbour no
# weight and so wants more of them.
fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for rule, values in curves.items():
    ax.semilogx(counts, values, marker="o", label=rule)
ax.axhline(baseline, color="0.5", linestyle="--", label="mean distribution")
ax.set(xlabel="neighbours k", ylabel="Clark distance (smaller is better)")
ax.legend()
plt.show()

# %%
# All metrics of one setting at once:
P = cross_val_predict(AAkNN(21), X, D, cv=folds)
for name, value in evaluate(D, P).items():
    print(f"{name:18s} {value:.4f}")
