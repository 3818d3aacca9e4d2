"""
Feature selection: how many features are needed?
================================================

LSE-LDL learns label distributions and ranks the features at once. After one fit it
predicts from any number of its best features, so the curve of performance against the
share of selected features costs one fit per fold.
"""

# %%
# Ten features that matter among thirty that are noise.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.datasets import make_ldl
from skldl.ldl import LSELDL, ranked_features, selection_curve
from skldl.plotting import plot_distributions, plot_selection_curve

useful, D = make_ldl(300, n_features=10, n_labels=5, random_state=0)
noise = np.random.default_rng(0).normal(size=(300, 30))
names = [f"useful {i}" for i in range(10)] + [f"noise {i}" for i in range(30)]
X = pd.DataFrame(np.hstack([useful, noise]), columns=names)

# %%
# The ranking has names.
model = LSELDL(encoding_weight=10, sparsity_weight=1, n_selected_features=10).fit(X, D)
print(ranked_features(model).head(12).round(3))

# %%
# First the table, then the picture.
method = make_pipeline(
    StandardScaler(), LSELDL(encoding_weight=10, sparsity_weight=1, reg=0.1)
)
folds = KFold(5, shuffle=True, random_state=0)
metrics = ["clark", "kl_divergence", "intersection"]
table = selection_curve(method, X, D, metrics=metrics, cv=folds)
fig, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
for ax, metric in zip(axes, metrics, strict=True):
    plot_selection_curve(table, metric, ax=ax)
plt.show()

# %%
# Distributions of four new samples, true and predicted.
model = method.fit(X[:200], D[:200])
axes = plot_distributions(D[200:], model.predict(X[200:]), samples=[0, 1, 2, 3])
plt.show()
