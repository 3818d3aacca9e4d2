"""
Scaling matters more than the method
====================================

The same learner on the same data, with features as they come and standardised. Two of
ten features tell the labels apart, but one useless feature has a large scale.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.datasets import make_ldl
from skldl.ldl import AAkNN, MeanDistribution

rng = np.random.default_rng(0)
informative, D = make_ldl(600, n_features=2, n_labels=4, random_state=0)
useless = rng.normal(scale=[0.1] * 7 + [30.0], size=(600, 8))
X = np.hstack([informative, useless])

# %%
# Mean intersection over ten folds; 1 is perfect.
methods = {
    "mean distribution": MeanDistribution(),
    "kNN, raw": AAkNN(10),
    "Dudani kNN, raw": AAkNN(10, weights="dudani"),
    "kNN, standardised": make_pipeline(StandardScaler(), AAkNN(10)),
    "Dudani kNN, standardised": make_pipeline(
        StandardScaler(), AAkNN(10, weights="dudani")
    ),
}
scores = {name: cross_val_score(m, X, D, cv=10) for name, m in methods.items()}

# %%
fig, ax = plt.subplots(figsize=(6.5, 3.2), layout="constrained")
for place, values in enumerate(scores.values()):
    ax.plot(values, [place] * len(values), "o", color="0.6", markersize=4)
    ax.plot(values.mean(), place, "|", color="C0", markersize=22, markeredgewidth=3)
ax.set_yticks(range(len(scores)), list(scores))
ax.set_xlabel("intersection per fold, and its mean (greater is better)")
plt.show()
