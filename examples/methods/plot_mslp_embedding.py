"""
MSLP beside LPP
===============

Where do samples with similar label distributions go? MSLP chooses neighbours by their
labels, LPP by the features alone. Colours mix the degrees of three labels.
"""

# %%
# The toy set, and the same with noise on the features.
import matplotlib.pyplot as plt

from skldl.datasets import load
from skldl.plotting import plot_embedding
from skldl.projection import LPP, MSLP

datasets = [load("toy"), load("toy_noisy")]

# %%
# Two components each, for the samples that were fitted: a picture of what the methods
# aim at, not of how they predict. A small ridge lets the labels show.
methods = {
    "LPP": LPP(2, n_neighbors=10),
    "MSLP": MSLP(
        2, n_neighbors=10, neighborhood_factor=10, attraction_weight=0.9, reg=1e-4
    ),
}
fig, axes = plt.subplots(
    len(datasets), 2, figsize=(8, 3.6 * len(datasets)), layout="constrained"
)
for row, data in zip(axes, datasets, strict=True):
    for ax, (name, method) in zip(row, methods.items(), strict=True):
        Z = method.fit(data.X, data.D).transform(data.X)
        size = 4 if len(Z) > 1000 else 18
        title = f"{name}: {data.name}"
        names = data.label_names
        plot_embedding(Z, data.D, ax=ax, title=title, label_names=names, s=size)
plt.show()
