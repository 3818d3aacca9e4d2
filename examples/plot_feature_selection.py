"""
How many features are needed?
=============================

LSE-LDL learns label distributions and ranks the features at once. After one fit it
predicts from any number of its best features, so the curve of performance against the
share of selected features costs one fit per fold.
"""

# %%
# Ten features that matter among thirty that are noise; and SJAFFE where its file is
# here.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.datasets import load, make_ldl
from skldl.ldl import LSELDL, ranked_features, selection_curve
from skldl.plotting import plot_selection_curve

useful, D = make_ldl(300, n_features=10, n_labels=5, random_state=0)
noise = np.random.default_rng(0).normal(size=(300, 30))
names = [f"useful {i}" for i in range(10)] + [f"noise {i}" for i in range(30)]
X = pd.DataFrame(np.hstack([useful, noise]), columns=names)
datasets = {"ten useful features of forty": (X, D)}
try:
    faces = load("SJAFFE", download=False)
    datasets["SJAFFE"] = (faces.X, faces.D)
except FileNotFoundError:
    print("SJAFFE is not here; set SKLDL_DATA to draw it, too.")

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
fig, axes = plt.subplots(
    len(datasets), 3, figsize=(11, 3.2 * len(datasets)), layout="constrained"
)
for row, (name, (features, labels)) in zip(
    np.atleast_2d(axes), datasets.items(), strict=True
):
    table = selection_curve(method, features, labels, metrics=metrics, cv=folds)
    for ax, metric in zip(row, metrics, strict=True):
        plot_selection_curve(table, metric, ax=ax, title=name)
plt.show()
