"""
Land cover from few pixels: J-Play beside LPP
=============================================

A made-up hyperspectral scene: each class has a smooth spectrum, each pixel its own
brightness and noise. A few pixels of each class are labelled; the maps show what the
nearest neighbour makes of the others after each projection.
"""

# %%
# The scene: five fields of land cover, forty bands.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from skldl.plotting import plot_class_map
from skldl.projection import LPP, JPlay

rng = np.random.default_rng(0)
height, width, bands = 40, 50, 40
names = np.array(["corn", "grass", "oats", "wheat", "woods"])
rows, columns = np.mgrid[:height, :width]
field = (rows // 14 + 2 * (columns // 13)) % len(names)
wave = np.linspace(0, 1, bands)
shift = np.arange(len(names))[:, None]
spectra = 1 + 0.3 * np.sin(6 * wave + shift) + 0.15 * np.cos(15 * wave * (shift + 1))
brightness = rng.uniform(0.6, 1.4, size=(height, width, 1))
cube = brightness * spectra[field] + 0.25 * rng.normal(size=(height, width, bands))
cube = np.clip(cube, 0, None)

# %%
# Each spectrum is divided by its maximum, as J-Play wants features of moderate size
# that are not centred. Twelve pixels of each class are labelled; the shares in the
# titles count all pixels, these few included.
pixels = np.argwhere(field >= 0)
X = cube.reshape(-1, bands)
X = X / X.max(axis=1, keepdims=True)
y = names[field.ravel()]
train = np.concatenate([rng.permutation(np.flatnonzero(y == n))[:12] for n in names])

predictions = {}
projections = {
    "LPP": LPP(8, n_neighbors=10),
    "J-Play, 1 layer": JPlay(8, n_layers=1, penalty_growth=1.2, tol=1e-3),
    "J-Play, 2 layers": JPlay(8, n_layers=2, penalty_growth=1.2, tol=1e-3),
}
for name, projection in projections.items():
    Z = projection.fit(X[train], y[train]).transform(X)
    predictions[name] = KNeighborsClassifier(1).fit(Z[train], y[train]).predict(Z)

plot_class_map(cube, pixels, y, predictions, bands=[30, 20, 10])

# %%
# The objective need not fall in every round: a layer's update leaves out what it does
# to the layers above it.
model = projections["J-Play, 2 layers"]
fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.plot(model.objective_history_, marker="o")
ax.set(xlabel="round", ylabel="objective")
plt.show()
