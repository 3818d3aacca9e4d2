"""Pictures on a matplotlib Axes that you may pass in."""

from skldl.plotting._embedding import label_colors, plot_embedding
from skldl.plotting._selection import plot_selection_curve

__all__ = ["label_colors", "plot_embedding", "plot_selection_curve"]
