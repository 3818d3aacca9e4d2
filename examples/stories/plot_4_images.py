"""
Images: two digits on top of each other
=======================================

An image may show more than one thing. Here two handwritten digits are laid over each
other, one stronger than the other, and the label distribution says how much of each is
in the image. Pixels are the features; features of a neural network are used the same
way.
"""

# %%
# Images of the digits 0 to 4 from scikit-learn, blended in pairs.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from skldl.ldl import ExtraTreesLDL, KernelRidgeLDL, MeanDistribution
from skldl.metrics import sorensen, zero_one_loss

images, digits = load_digits(n_class=5, return_X_y=True)
rng = np.random.default_rng(0)
first, second = rng.integers(0, len(images), (2, 900))
share = rng.uniform(0.5, 1, (900, 1))
X = share * images[first] + (1 - share) * images[second]
D = share * np.eye(5)[digits[first]] + (1 - share) * np.eye(5)[digits[second]]
train, test = slice(0, 700), slice(700, None)

# %%
# The learners choose their own settings.
learners = {
    "mean distribution": MeanDistribution(),
    "forest": ExtraTreesLDL(random_state=0),
    "kernel ridge": KernelRidgeLDL(),
}
predictions = {}
for name, learner in learners.items():
    P = predictions[name] = learner.fit(X[train], D[train]).predict(X[test])
    print(
        f"{name}: {100 * sorensen(D[test], P):.0f} % of the degrees misplaced, "
        f"stronger digit missed in {100 * zero_one_loss(D[test], P):.0f} %"
    )

# %%
# Test images, their true distributions and the predicted ones.
P = predictions["kernel ridge"]
fig, axes = plt.subplots(2, 6, figsize=(10, 3.6), height_ratios=[1.2, 1], sharey="row")
for column in range(6):
    axes[0, column].imshow(X[test][column].reshape(8, 8), cmap="gray_r")
    axes[0, column].axis("off")
    ax = axes[1, column]
    ax.bar(np.arange(5) - 0.2, D[test][column], 0.4, color="0.7", label="true")
    ax.bar(np.arange(5) + 0.2, P[column], 0.4, color="C0", label="predicted")
    ax.set_xticks(range(5))
axes[1, 0].set_ylabel("degree")
axes[1, -1].legend()
plt.show()
