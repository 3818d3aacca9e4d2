"""Pictures on a matplotlib Axes that you may pass in."""

from skldl.plotting._comparison import (
    plot_critical_difference,
    plot_pairwise_scores,
    plot_score_heatmap,
)
from skldl.plotting._correlation import plot_label_correlation
from skldl.plotting._dependence import plot_partial_dependence
from skldl.plotting._display import DistributionDisplay
from skldl.plotting._distributions import plot_distributions
from skldl.plotting._embedding import NEUTRAL_COLOR, label_colors, plot_embedding
from skldl.plotting._maps import (
    class_image,
    false_color,
    plot_class_map,
    plot_projections_as_images,
)
from skldl.plotting._point_names import name_points
from skldl.plotting._regions import plot_coverage, plot_regions, plot_ternary
from skldl.plotting._selection import plot_selection_curve
from skldl.plotting._style import STYLE, style_context

__all__ = [
    "NEUTRAL_COLOR",
    "STYLE",
    "DistributionDisplay",
    "class_image",
    "false_color",
    "label_colors",
    "name_points",
    "plot_class_map",
    "plot_coverage",
    "plot_critical_difference",
    "plot_distributions",
    "plot_embedding",
    "plot_label_correlation",
    "plot_pairwise_scores",
    "plot_partial_dependence",
    "plot_projections_as_images",
    "plot_regions",
    "plot_score_heatmap",
    "plot_selection_curve",
    "plot_ternary",
    "style_context",
]
