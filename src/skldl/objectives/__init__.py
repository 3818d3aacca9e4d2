"""Objectives: terms with ``value_and_grad``, which add up."""

from skldl.objectives._base import Objective, Sum
from skldl.objectives._blocked import BlockedKL
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
from skldl.objectives._ldlscl import LDLSCLObjective, LDLSCLPoint
from skldl.objectives._linear import Linear, OfSoftmax, ScoresKL
from skldl.objectives._lse import LSEObjective, LSEPoint
from skldl.objectives._margin_knn import NeighborMargin
from skldl.objectives._networks import (
    CPNNNetwork,
    Network,
    SquaredError,
    cpnn_scores,
    forward,
)
from skldl.objectives._penalties import (
    ColumnDistances,
    GraphSmoothness,
    Ridge,
    RowNorms,
)
from skldl.objectives._softmax import MaxEntKL, log_degrees, softmax_kl
from skldl.objectives._transport import LALOTTransport

__all__ = [
    "AbsoluteError",
    "BlockedKL",
    "CPNNNetwork",
    "ColumnDistances",
    "DirichletLikelihood",
    "GraphSmoothness",
    "LALOTTransport",
    "LDLSCLObjective",
    "LDLSCLPoint",
    "LSEObjective",
    "LSEPoint",
    "LabelManifold",
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
    "cpnn_scores",
    "forward",
    "log_degrees",
    "mean_and_precision",
    "softmax_kl",
    "usual_precision",
]
