"""Label distribution learners: ``fit(X, D)``, ``predict(X)``."""

from skldl.ldl._baseline import MeanDistribution
from skldl.ldl._dirichlet import DirichletLDL
from skldl.ldl._kernel_ridge import KernelRidgeLDL
from skldl.ldl._kernel_softmax import KernelSoftmaxLDL
from skldl.ldl._knn import AAkNN
from skldl.ldl._lalot import LALOT
from skldl.ldl._ldllc import LDLLC
from skldl.ldl._ldlldm import LDLLDM
from skldl.ldl._ldlscl import LDLSCL
from skldl.ldl._ldsvr import LDSVR
from skldl.ldl._logistic import LogisticLDL
from skldl.ldl._logratio_ridge import LogRatioRidgeLDL
from skldl.ldl._lse import LSELDL
from skldl.ldl._lse_cv import LSELDLCV, lse_path
from skldl.ldl._margin_knn import LDkNN, LWkNN
from skldl.ldl._margin_softmax import LDLM, RWLM
from skldl.ldl._maxent import SABFGS, SAIIS
from skldl.ldl._neighbor_search import NeighborSearchCV, neighbor_path
from skldl.ldl._networks import AABP, CPNN
from skldl.ldl._ptbayes import PTBayes
from skldl.ldl._ptsvm import PTSVM
from skldl.ldl._selection import ranked_features, selection_curve

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
    "LSELDLCV",
    "PTSVM",
    "RWLM",
    "SABFGS",
    "SAIIS",
    "AAkNN",
    "DirichletLDL",
    "KernelRidgeLDL",
    "KernelSoftmaxLDL",
    "LDkNN",
    "LWkNN",
    "LogRatioRidgeLDL",
    "LogisticLDL",
    "MeanDistribution",
    "NeighborSearchCV",
    "PTBayes",
    "lse_path",
    "neighbor_path",
    "ranked_features",
    "selection_curve",
]
