"""
Fits from blocks of rows
========================

Three estimators read 20,000 samples in blocks, as they would from files too large for
memory. Whatever the size of the blocks, the answer is that of all rows at once; only
rounding differs.
"""

import matplotlib.pyplot as plt
import numpy as np

from skldl.blocks import Blocks, predict_blocks
from skldl.datasets import make_ldl
from skldl.ldl import SABFGS
from skldl.projection import CCA, GraphEmbedding

X, D = make_ldl(20_000, 15, 5, random_state=0)

models = {
    "SABFGS": (lambda: SABFGS(reg=0.1), "coef_"),
    "CCA": (lambda: CCA(3), "components_"),
    "GraphEmbedding": (lambda: GraphEmbedding(3), "components_"),
}

# %%
# A function that makes an iterator stands for any reader: each fit calls it as often as
# it needs the data, and only one block is in memory at a time.


def reader(rows):
    """Blocks of so many rows."""

    def read():
        for start in range(0, len(X), rows):
            yield X[start : start + rows], D[start : start + rows]

    return read


sizes = [200, 1000, 5000, 20_000]
figure, axes = plt.subplots()
for name, (make, attribute) in models.items():
    whole = getattr(make().fit(X, D), attribute)
    differences = []
    for rows in sizes:
        found = getattr(make().fit(Blocks(reader(rows))), attribute)
        differences.append(np.abs(found - whole).max() / np.abs(whole).max())
    axes.loglog(sizes, np.maximum(differences, 1e-17), "o-", label=name)
axes.axhline(1e-8, color="black", linewidth=0.8)
axes.set(xlabel="rows of a block", ylabel="largest relative difference")
axes.legend()

# %%
# Predictions come block by block, too, from any estimator.
model = SABFGS(reg=0.1).fit(Blocks(reader(1000)))
parts = predict_blocks(model, reader(6000))
print([P.shape for P in parts])

plt.show()
