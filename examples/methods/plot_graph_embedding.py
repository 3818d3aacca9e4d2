"""
Correlated labels in a graph embedding
======================================

A sample may carry several labels, and labels are related. Graph embedding pushes
samples with different label sets apart; its generalised Hamming distance discounts
labels that tell the same.
"""

# %%
# Synthetic samples with eight labels that come from three hidden themes, so that
# labels of one theme go together.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from skldl.graphs import label_correlation
from skldl.metrics import ranking_loss
from skldl.multilabel import MLkNN
from skldl.plotting import plot_label_correlation
from skldl.projection import GraphEmbedding

rng = np.random.default_rng(0)
themes = rng.normal(size=(900, 3))
X = themes @ rng.normal(size=(3, 30)) + 2.0 * rng.normal(size=(900, 30))
owner = np.array([0, 0, 0, 1, 1, 2, 2, 2])
Y = (themes[:, owner] + 0.7 * rng.normal(size=(900, 8)) > 0.8).astype(int)
names = ["sea", "beach", "sun", "fog", "rain", "tower", "bridge", "street"]
Y = pd.DataFrame(Y, columns=names)
X, X_test, Y, Y_test = train_test_split(X, Y, random_state=0)

# %%
# How much do labels tell about each other? Normalised mutual information, the matrix
# F of the generalised Hamming distance:
plot_label_correlation(label_correlation(Y), method="mutual_information", labels=names)
plt.show()

# %%
# Ranking loss of ML-kNN on the embedded samples, against the number of dimensions.
makers = {
    "PCA": lambda p: PCA(p),
    "Hamming": lambda p: GraphEmbedding(p, label_distance="hamming"),
    "Euclid Y": lambda p: GraphEmbedding(p, label_distance="euclidean_y"),
    "Euclid X": lambda p: GraphEmbedding(p, label_distance="euclidean_x"),
    "generalised Hamming": lambda p: GraphEmbedding(p),
}
sizes = [1, 2, 3, 4, 8, 16]
losses = pd.DataFrame(index=sizes, columns=list(makers), dtype=float)
for name, make in makers.items():
    for size in sizes:
        model = make_pipeline(make(size), MLkNN(10)).fit(X, Y)
        losses.loc[size, name] = ranking_loss(Y_test, model.predict_proba(X_test))
print(losses.round(4).to_string())

# %%
# All of them beside all features. Where the directions of largest variance matter for
# the labels, as here, the distances differ little.
ax = losses.plot(marker="o", logx=True, figsize=(6, 4))
full = MLkNN(10).fit(X, Y)
ax.axhline(
    ranking_loss(Y_test, full.predict_proba(X_test)),
    color="0.5",
    linestyle="--",
    label="all 30 features",
)
ax.set(xlabel="dimensions", ylabel="ranking loss (ties are errors)")
ax.set_xticks(sizes, [str(size) for size in sizes])
ax.legend()
plt.show()
