"""Pictures on a matplotlib Axes that you may pass in."""

from skldl.plotting._correlation import plot_label_correlation
from skldl.plotting._distributions import plot_distributions
from skldl.plotting._embedding import label_colors, plot_embedding

__all__ = [
    "label_colors",
    "plot_distributions",
    "plot_embedding",
    "plot_label_correlation",
]
