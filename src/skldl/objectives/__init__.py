"""Objectives: terms with ``value_and_grad``, which add up."""

from skldl.objectives._base import Objective, Sum
from skldl.objectives._blocked import BlockedKL
from skldl.objectives._coded import CodedKL, CodedPoint
from skldl.objectives._dirichlet import (
    DirichletLikelihood,
    PrecisionRidge,
    mean_and_precision,
    usual_precision,
)
from skldl.objectives._distributions import (
    AbsoluteError,
    LabelManifold,
    LeadMargin,
    RestError,
    TopError,
)
from skldl.objectives._latent import LatentKL, LatentPoint
from skldl.objectives._linear import Linear, OfSoftmax, ScoresKL
from skldl.objectives._margin import NeighborMargin
from skldl.objectives._networks import (
    ConditionalNetwork,
    Network,
    SquaredError,
    conditional_scores,
    forward,
)
from skldl.objectives._penalties import (
    ColumnDistances,
    GraphSmoothness,
    Ridge,
    RowNorms,
)
from skldl.objectives._softmax import MaxEntKL, log_degrees, softmax_kl
from skldl.objectives._transport import Transport

__all__ = [
    "AbsoluteError",
    "BlockedKL",
    "CodedKL",
    "CodedPoint",
    "ColumnDistances",
    "ConditionalNetwork",
    "DirichletLikelihood",
    "GraphSmoothness",
    "LabelManifold",
    "LatentKL",
    "LatentPoint",
    "LeadMargin",
    "Linear",
    "MaxEntKL",
    "NeighborMargin",
    "Network",
    "Objective",
    "OfSoftmax",
    "PrecisionRidge",
    "RestError",
    "Ridge",
    "RowNorms",
    "ScoresKL",
    "SquaredError",
    "Sum",
    "TopError",
    "Transport",
    "conditional_scores",
    "forward",
    "log_degrees",
    "mean_and_precision",
    "softmax_kl",
    "usual_precision",
]
