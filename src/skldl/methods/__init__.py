"""Methods by name: how they are made, seeded, searched and judged."""

from skldl._seeds import derive_seed, with_seed
from skldl.methods._groups import expand_methods
from skldl.methods._kinds import metrics_for, target_kind
from skldl.methods._methods import (
    PREPROCESSING,
    Method,
    learner_names,
    list_methods,
    make_method,
    make_step,
    register,
)
from skldl.methods._search import PerMetricSearch, Tuning, search_for
from skldl.methods._tables import for_dataset

__all__ = [
    "PREPROCESSING",
    "Method",
    "PerMetricSearch",
    "Tuning",
    "derive_seed",
    "expand_methods",
    "for_dataset",
    "learner_names",
    "list_methods",
    "make_method",
    "make_step",
    "metrics_for",
    "register",
    "search_for",
    "target_kind",
    "with_seed",
]
