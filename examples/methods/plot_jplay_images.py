"""
What J-Play's projections look like
===================================

Rows of a projection of images are images themselves. Here are those of PCA, AutoRULe
and J-Play for handwritten digits; for faces the call is the same, with the shape and
the order of their pixels (``data.extra`` of ``YaleB_32x32`` holds both).
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from skldl.plotting import plot_projections_as_images
from skldl.projection import AutoRULe, JPlay

digits = load_digits()
X, y = digits.data[:400] / 16, digits.target[:400]

projections = {
    "PCA": PCA(10).fit(X),
    "AutoRULe": AutoRULe(10).fit(X),
    "J-Play, two layers": JPlay(10, n_layers=2, tol=1e-3).fit(X, y),
}
for name, projection in projections.items():
    figure = plot_projections_as_images(projection.components_, (8, 8), n_images=10)
    figure.suptitle(name)
plt.show()
