"""Label distribution learners: ``fit(X, D)``, ``predict(X)``."""

from skldl.ldl._bagged import BaggedDistribution
from skldl.ldl._baseline import MeanDistribution
from skldl.ldl._boosting import BoostingLDL
from skldl.ldl._dirichlet import DirichletLDL
from skldl.ldl._distribution_regressor import DistributionRegressor
from skldl.ldl._forest import ExtraTreesLDL, RandomForestLDL
from skldl.ldl._kernel_ridge import KernelRidgeLDL
from skldl.ldl._kernel_softmax import KernelSoftmaxLDL
from skldl.ldl._knn import AAkNN
from skldl.ldl._lalot import LALOT
from skldl.ldl._ldllc import LDLLC
from skldl.ldl._ldlldm import LDLLDM
from skldl.ldl._ldlscl import LDLSCL
from skldl.ldl._ldsvr import LDSVR
from skldl.ldl._lightgbm import LightGBMLDL
from skldl.ldl._logistic import LogisticLDL
from skldl.ldl._logratio_ridge import LogRatioRidgeLDL
from skldl.ldl._lse import LSELDL
from skldl.ldl._lse_path import lse_path
from skldl.ldl._lse_selection import ranked_features, selection_curve
from skldl.ldl._margin_knn import LDkNN, LWkNN
from skldl.ldl._margin_softmax import LDLM, RWLM
from skldl.ldl._maxent import SABFGS, SAIIS
from skldl.ldl._neighbor_path import neighbor_path
from skldl.ldl._networks import AABP, CPNN
from skldl.ldl._pool import Pool, combine, fit_pool
from skldl.ldl._ptbayes import PTBayes
from skldl.ldl._ptsvm import PTSVM
from skldl.ldl._soft_label import SoftLabelClassifier
from skldl.ldl._stacked import StackedDistribution
from skldl.ldl._voting import DistributionVoting

__all__ = [
    "AABP",
    "CPNN",
    "LALOT",
    "LDLLC",
    "LDLLDM",
    "LDLM",
    "LDLSCL",
    "LDSVR",
    "LSELDL",
    "PTSVM",
    "RWLM",
    "SABFGS",
    "SAIIS",
    "AAkNN",
    "BaggedDistribution",
    "BoostingLDL",
    "DirichletLDL",
    "DistributionRegressor",
    "DistributionVoting",
    "ExtraTreesLDL",
    "KernelRidgeLDL",
    "KernelSoftmaxLDL",
    "LDkNN",
    "LWkNN",
    "LightGBMLDL",
    "LogRatioRidgeLDL",
    "LogisticLDL",
    "MeanDistribution",
    "PTBayes",
    "Pool",
    "RandomForestLDL",
    "SoftLabelClassifier",
    "StackedDistribution",
    "combine",
    "fit_pool",
    "lse_path",
    "neighbor_path",
    "ranked_features",
    "selection_curve",
]
