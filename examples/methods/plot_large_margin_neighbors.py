"""
A margin for the largest label
==============================

Weighted nearest neighbours can be trained for the label that is chosen in the end:
:class:`~skldl.ldl.LWkNN` asks the largest label to lead by a margin. What the margin
does to the learned weights, and what predictions look like.
"""

# %%
# Synthetic distributions over five labels; a quarter is kept for testing.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from skldl.datasets import make_ldl
from skldl.ldl import AAkNN, LDkNN, LWkNN, MeanDistribution
from skldl.metrics import evaluate
from skldl.plotting import plot_distributions

X, D = make_ldl(1200, n_features=10, n_labels=5, noise=0.3, random_state=0)
X, X_test, D, D_test = train_test_split(X, D, random_state=0)

# %%
# Without a margin (WkNN-LDL) and with one (LWkNN-LDL): the weights per neighbour, as
# learned. Weights below 0 are clipped in predictions. Each model carries a certificate
# of how far from optimal its weights can be.
models = {
    "mean distribution": MeanDistribution(),
    "AA-kNN": AAkNN(15),
    "WkNN-LDL": LWkNN(15, margin_weight=0.0),
    "LWkNN-LDL": LWkNN(15),
    "LDkNN-LDL": LDkNN(15, reg=10.0),
}
for model in models.values():
    model.fit(X, D)

fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name in ("WkNN-LDL", "LWkNN-LDL"):
    ax.plot(np.arange(1, 16), models[name].neighbor_coef_, marker="o", label=name)
    print(f"{name}: within {models[name].dual_gap_:.0e} of the optimum")
ax.axhline(1 / 15, color="0.5", linestyle="--", label="AA-kNN")
ax.axhline(0, color="0.8", linewidth=0.8)
ax.set(xlabel="neighbour", ylabel="weight")
ax.legend()
plt.show()

# %%
# Honest numbers on the test part, the mean distribution among them.
names = ["zero_one_loss", "error_probability", "kl_divergence"]
for name, model in models.items():
    scores = evaluate(D_test, model.predict(X_test), metrics=names)
    print(f"{name:18s}", " ".join(f"{s:.4f}" for s in scores.values()))

# %%
# Three test samples: true and predicted degrees, a star over the largest.
plot_distributions(D_test, models["LWkNN-LDL"].predict(X_test), samples=[0, 1, 4])
plt.show()
