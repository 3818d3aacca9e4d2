"""
Land cover: what is inside a pixel?
===================================

A satellite's pixel is often larger than a field, so it shows a mixture of covers. Its
label distribution is the share of each cover. Shares of a few hundred pixels are known
from the ground; the map is predicted from the spectra.
"""

# %%
# A made-up scene: smooth maps of four covers, and a spectrum for each.
import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import gaussian_filter

from skldl.ldl import KernelRidgeLDL, MeanDistribution
from skldl.metrics import sorensen

rng = np.random.default_rng(0)
names = ["water", "meadow", "forest", "town"]
colors = np.array([[60, 120, 190], [170, 200, 90], [40, 110, 60], [190, 90, 80]]) / 255
size, bands = 60, 30
fields = np.stack([gaussian_filter(rng.normal(size=(size, size)), 6) for _ in names])
scores = 60 * fields / fields.std() / 25
D = (np.exp(scores) / np.exp(scores).sum(axis=0)).reshape(4, -1).T
wave = np.linspace(0, 1, bands)
spectra = np.stack(
    [
        0.3 * np.exp(-3 * wave),
        0.15 + 0.6 / (1 + np.exp(-25 * (wave - 0.5))),
        0.08 + 0.45 / (1 + np.exp(-25 * (wave - 0.55))),
        0.3 + 0.25 * wave,
    ]
)
light = rng.uniform(0.8, 1.2, (size * size, 1))
X = light * (D @ spectra) ** 1.1 + 0.03 * rng.normal(size=(size * size, bands))

# %%
# Three hundred pixels were visited.
visited = rng.choice(size * size, 300, replace=False)
model = KernelRidgeLDL().fit(X[visited], D[visited])
P = model.predict(X)
mean = MeanDistribution().fit(X[visited], D[visited]).predict(X)
rest = np.setdiff1d(np.arange(size * size), visited)
for name, Q in {"mean distribution": mean, "kernel ridge": P}.items():
    print(f"{name}: {100 * sorensen(D[rest], Q[rest]):.1f} % of the area misplaced")

# %%
# The covers as colours that are mixed by their shares.
fig, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
axes[0].imshow((D @ colors).reshape(size, size, 3))
axes[1].imshow((P @ colors).reshape(size, size, 3))
error = axes[2].imshow(abs(P - D).sum(axis=1).reshape(size, size) / 2, cmap="magma_r")
for ax, title in zip(axes, ["true", "predicted", "share misplaced"], strict=True):
    ax.set_title(title)
    ax.axis("off")
fig.colorbar(error, ax=axes[2])
for name, color in zip(names, colors, strict=True):
    axes[0].plot([], [], "s", color=color, label=name)
fig.legend(loc="outside lower left", ncols=4)
plt.show()

# %%
# Along one line of the scene: shares of the covers, stacked.
line = slice(30 * size, 31 * size)
fig, axes = plt.subplots(2, 1, figsize=(8, 3.6), sharex=True, layout="constrained")
for ax, shares, title in zip(axes, [D, P], ["true", "predicted"], strict=True):
    ax.stackplot(range(size), shares[line].T, colors=colors, labels=names)
    ax.set(ylim=(0, 1), xlim=(0, size - 1), ylabel=title)
axes[1].set_xlabel("pixel of line 30")
plt.show()
