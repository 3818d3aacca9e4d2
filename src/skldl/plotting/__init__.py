"""Pictures on a matplotlib Axes that you may pass in."""

from skldl.plotting._embedding import label_colors, plot_embedding

__all__ = ["label_colors", "plot_embedding"]
