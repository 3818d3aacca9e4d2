"""Small and fast instances of every estimator, and failures that are expected."""

from typing import Any

from sklearn.base import BaseEstimator

from skldl.base import DistributionPredictorMixin
from skldl.discovery import all_estimators

# further settings worth checking, beside the default one
_SETTINGS: dict[str, list[dict[str, Any]]] = {
    "AAkNN": [
        {"n_neighbors": 3, "weights": "dudani"},
        {"n_neighbors": 3, "weights": "distance"},
    ],
    "LWkNN": [
        {"n_neighbors": 3, "margin": "sample", "loss_weight": "entropy"},
        {"n_neighbors": 2, "margin": "mean", "solver": "lbfgs", "tol": 1e-3},
    ],
    "LDkNN": [{"n_neighbors": 2, "distance_norm": "none", "margin_weight": 0.0}],
    "GraphEmbedding": [
        {"n_components": 1, "label_distance": "euclidean_y", "penalty": "scatter"}
    ],
    "MSLP": [
        {"n_neighbors": 2, "scale": 2, "reg_mode": "relative", "center": True},
    ],
    "LPP": [{"n_components": 1, "n_neighbors": 3, "kernel": "rbf"}],
    "NPE": [{"n_components": 1, "n_neighbors": 3, "kernel": "rbf"}],
    "CCA": [{"kernel": "rbf"}],
    "JPlay": [{"n_components": 1, "n_layers": 1, "penalty_growth": 1.5}],
    "SABFGS": [{"reg": 0.1, "fit_intercept": True}],
    "LALOT": [{"sharpness": 10.0, "debiased": False}],
    "LDLLC": [{"fit_intercept": False, "correlation_weight": 1.0}],
    "LDLLDM": [{"reg": 0.001, "local_weight": 0.0}],
    "LDLSCL": [{"n_clusters": 2, "code_reg": 0.0, "max_iter": 20}],
    "PTSVM": [{"resample": True}],
    "PTBayes": [{"shrinkage": 0.0}, {"underflow": True}],
    "RWLM": [{"reg": 0.1, "loss_weight": "entropy"}],
    "LogisticLDL": [{"reg": 0.1, "standardize": False}],
    "LogRatioRidgeLDL": [{"link": "ilr", "reg": 1.0, "smoothing": 0.01}],
    "KernelRidgeLDL": [
        {"link": "identity", "kernel": "rbf", "whiten": False, "n_components": 20},
        {"link": "clr", "gamma": 0.1, "reg": 0.1, "smoothing": 0.01, "whiten": True},
    ],
    "KernelSoftmaxLDL": [{"gamma": 0.1, "reg": 0.1, "whiten": False, "kernel": "rbf"}],
    "DirichletLDL": [{"reg": 100.0, "precision": "linear"}],
    "LSELDL": [{"n_selected_features": 1, "refit_coef": True, "gamma": 0.0}],
}

# in place of default settings that are slow, or want more samples than the checks have
_SMALL: dict[str, dict[str, Any]] = {
    "CanonicalCorrelationForestClassifier": {"n_estimators": 10},
    **{name: {"n_neighbors": 3} for name in ("MLkNN", "BRkNN", "DMLkNN", "IBLR")},
    "AABP": {"max_iter": 20},
    "CPNN": {"max_iter": 10},
    "GraphEmbedding": {"n_components": 1},
    "LSELDLCV": {"alpha": 1.0, "beta": [0.1, 1.0], "gamma": 0.0, "delta": 0.1, "cv": 2},
    "LWkNN": {"n_neighbors": 3},
    "LDkNN": {"n_neighbors": 3},
    "NeighborSearchCV": {"param_grid": {"n_neighbors": [1, 2]}, "cv": 3},
}

_NEGATIVE_TARGETS = (
    "the check feeds negative targets, which are no distributions and are refused"
)
_NEGATIVE_FEATURES = {
    "check_positive_only_tag_during_fit": (
        "only features without a mean are refused; some may be negative"
    )
}
#: Class name (or "*distribution*") to {scikit-learn's check: reason}.
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "*distribution*": {"check_regressor_multioutput": _NEGATIVE_TARGETS},
    "AutoRULe": _NEGATIVE_FEATURES,
    "JPlay": _NEGATIVE_FEATURES,
    "CCA": dict.fromkeys(
        ("check_transformer_general", "check_transformer_data_not_an_array"),
        "the check knows another class of this name and feeds regression targets",
    ),
}

_NO_INTERCEPT = "without an intercept no coefficients give a constant distribution"
_PENALISED = "the penalties pull constant predictions towards equal degrees"
#: Class name, or an instance as text, to {check of ours: reason}.
EXPECTED_OWN_FAILURES: dict[str, dict[str, str]] = {
    "SABFGS()": {"check_constant_labels": _NO_INTERCEPT},
    "SAIIS": {
        "check_constant_labels": _NO_INTERCEPT,
        "check_label_permutation": "the published start prefers some labels",
    },
    "LSELDL": {"check_constant_labels": _PENALISED},
    "LDLLC(correlation_weight=1.0, fit_intercept=False)": {
        "check_constant_labels": _NO_INTERCEPT
    },
    "PTSVM": dict.fromkeys(
        ("check_label_permutation", "check_row_order"),
        "the support vectors are found up to a tolerance, in folds of the rows",
    ),
    "PTSVM(resample=True)": dict.fromkeys(
        ("check_label_permutation", "check_row_order"),
        "which examples are drawn depends on the order of rows and labels",
    ),
    "CPNN": {
        "check_constant_labels": _PENALISED,
        "check_label_permutation": "it sees the numbers of labels, which are ordered",
    },
    "LALOT(debiased=False, sharpness=10.0)": {
        "check_constant_labels": "the entropy of plans evens predictions out"
    },
    "LDLSCL": {"check_constant_labels": _PENALISED},
    "LDLM": {"check_constant_labels": "the largest label is wanted alone"},
    "LSELDLCV": {"check_constant_labels": _PENALISED},
    "MSLP(center=True, n_neighbors=2, reg_mode='relative', scale=2)": {
        "check_duplicate_rows": "equal samples, once centred, have no directions"
    },
    "MSLPCV": {"check_row_order": "plain folds depend on the order of the rows"},
}


def instances(kind: str | None = None) -> list[BaseEstimator]:
    """Instances of every public estimator: the default or small, and notable settings.

    A search that is slow by default comes with few values to try.

    Parameters
    ----------
    kind : str, default=None
        Family; None for all.

    Returns
    -------
    estimators : list of estimators
    """
    return [
        estimator(**settings)
        for name, estimator in all_estimators(kind)
        for settings in [_SMALL.get(name, {}), *_SETTINGS.get(name, [])]
    ]


def expected_failures(estimator: BaseEstimator) -> dict[str, str]:
    """Failures of scikit-learn's checks that are right, with their reasons.

    Parameters
    ----------
    estimator : estimator
        An instance.

    Returns
    -------
    failures : dict of str to str
        Name of the check to reason, for ``expected_failed_checks``.
    """
    failures = dict(EXPECTED_FAILURES.get(type(estimator).__name__, {}))
    if isinstance(estimator, DistributionPredictorMixin):
        failures |= EXPECTED_FAILURES["*distribution*"]
    return failures
