"""Pictures on a matplotlib Axes that you may pass in."""

from skldl.plotting._embedding import label_colors, plot_embedding
from skldl.plotting._maps import (
    class_image,
    false_color,
    plot_class_map,
    plot_projections_as_images,
)

__all__ = [
    "class_image",
    "false_color",
    "label_colors",
    "plot_class_map",
    "plot_embedding",
    "plot_projections_as_images",
]
