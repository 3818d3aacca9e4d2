"""What a perfect model would score against few votes."""

from skldl.crowd import noise_floor
from skldl.datasets import Dataset
from skldl.methods import metrics_for


def noise_floors(dataset: Dataset) -> dict[str, float] | None:
    """Floors of the metrics of a data set; None if its labels are not counts."""
    counts = dataset.counts
    if counts is None:
        return None
    names = [metric.name for metric in metrics_for(dataset)]
    found = noise_floor(dataset.D, counts.sum(axis=1), names, random_state=0)
    return {name: estimate.value for name, estimate in found.items()}
