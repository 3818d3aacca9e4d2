"""Small and fast instances of every estimator, and failures that are expected."""

from importlib.util import find_spec
from typing import Any

import sklearn
from sklearn.base import BaseEstimator
from sklearn.utils.fixes import parse_version

from skldl.base import DistributionPredictorMixin
from skldl.discovery import all_estimators
from skldl.ldl import AAkNN, LogisticLDL

# left out where the package that they stand on is not installed
_NEEDS = {"LightGBMLDL": "lightgbm"}

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
        {"n_components": 1, "label_distance": "euclidean_y", "constraint": "scatter"}
    ],
    "MSLP": [
        {
            "n_neighbors": 2,
            "neighborhood_factor": 2,
            "reg_mode": "absolute",
            "center": True,
        },
    ],
    "LPP": [{"n_components": 1, "n_neighbors": 3, "kernel": "rbf"}],
    "NPE": [{"n_components": 1, "n_neighbors": 3, "kernel": "rbf"}],
    "CCA": [{"kernel": "rbf"}],
    "JPlay": [{"n_components": 1, "n_layers": 1, "penalty_growth": 1.5}],
    "SABFGS": [{"reg": 0.0, "fit_intercept": False}],
    "LALOT": [{"sharpness": 10.0, "debiased": False}],
    "LDLLC": [{"fit_intercept": False, "correlation_weight": 1.0}],
    "LDLLDM": [{"reg": 0.001, "local_weight": 0.0}],
    "LDLSCL": [{"n_clusters": 2, "code_reg": 0.0, "max_iter": 20}],
    "PTSVM": [{"resample": True}],
    "PTBayes": [{"shrinkage": 0.0}, {"underflow": True}],
    "RWLM": [{"reg": 0.1, "loss_weight": "entropy"}],
    "LSELDL": [
        {"n_selected_features": 1, "sparsity_weight": 0.1, "smoothness_weight": 0.0},
        {"sparsity_weight": 0.1, "refit_coef": False},
    ],
    "DistributionRegressor": [{"link": "ilr"}, {"link": "softmax"}],
    "SoftLabelClassifier": [{"how": "sample", "n_draws": 3}],
    "DistributionVoting": [{"pool": "log"}],
    "StackedDistribution": [
        {"pool": "log", "fit_bias": True, "cv": 3},
        {"metric": "chebyshev", "cv": 3},
    ],
    "BaggedDistribution": [{"n_estimators": 3, "max_features": 0.5}],
    "ExtraTreesLDL": [{"n_estimators": 10, "bootstrap": True, "smoothing": 0.1}],
    "RandomForestLDL": [{"n_estimators": 10, "max_depth": 2, "bootstrap": False}],
    **{
        name: [{"max_features": 1.0, "max_iter": 5, "validation_fraction": None}]
        for name in ("BoostingLDL", "LightGBMLDL")
    },
    "LogisticLDL": [{"reg": 0.1, "standardize": False}],
    "LogRatioRidgeLDL": [{"link": "ilr", "reg": 1.0, "smoothing": 0.01}],
    "KernelRidgeLDL": [
        {"link": "identity", "kernel": "rbf", "whiten": False, "n_components": 20},
        {"link": "clr", "gamma": 0.1, "reg": 0.1, "smoothing": 0.01, "whiten": True},
    ],
    "KernelSoftmaxLDL": [{"gamma": 0.1, "reg": 0.1, "whiten": False, "kernel": "rbf"}],
    "DirichletLDL": [{"reg": 100.0, "precision": "linear"}],
    "ConformalDistribution": [{"distance": "tv", "method": "cross", "cv": 2}],
}

# in place of default settings that are slow, or want more samples than the checks have
_SMALL: dict[str, dict[str, Any]] = {
    "CanonicalCorrelationForestClassifier": {"n_estimators": 10},
    **{name: {"n_neighbors": 3} for name in ("MLkNN", "BRkNN", "DMLkNN", "IBLR")},
    "AABP": {"max_iter": 20},
    "AutoLDL": {
        "portfolio": [("near", AAkNN(3)), ("softmax", LogisticLDL(0.1))],
        "cv": 3,
        "random_state": 0,
    },
    "ExtraTreesLDL": {"n_estimators": 10},
    "RandomForestLDL": {"n_estimators": 10},
    "BoostingLDL": {"max_iter": 10, "min_samples_leaf": 5, "random_state": 0},
    "LightGBMLDL": {"max_iter": 10, "min_samples_leaf": 5, "random_state": 0},
    "CPNN": {"max_iter": 10},
    "GraphEmbedding": {"n_components": 1},
    "LDLM": {"tol": 1e-2},
    "LWkNN": {"n_neighbors": 3},
    "LDkNN": {"n_neighbors": 3},
    "PathSearchCV": {"param_grid": {"n_neighbors": [1, 2]}, "cv": 3},
}

_NEGATIVE_TARGETS = (
    "the check feeds negative targets, which are not distributions and are refused"
)
_NEGATIVE_FEATURES = {
    "check_positive_only_tag_during_fit": (
        "only features without a mean are refused; some may be negative"
    )
}


def _not_repeated(reason: str) -> dict[str, str]:
    """Weights of 2 are not rows twice, with the reason."""
    data = ("dense", "sparse")
    return {f"check_sample_weight_equivalence_on_{d}_data": reason for d in data}


_PLACES = "a sample of weight 2 is one neighbour, two equal samples are two"
_ONE_FOLD = "a sample of weight 2 is in one fold, two samples may be in two"
_FOLDS = "the check gives folds, but PTSVM makes its own, of rows and not of weights"
#: Class name, instance as text or "*distribution*" to {scikit-learn's check: reason}.
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "*distribution*": {"check_regressor_multioutput": _NEGATIVE_TARGETS},
    "AutoRULe": _NEGATIVE_FEATURES,
    "JPlay": _NEGATIVE_FEATURES,
    "MSLP": _not_repeated(_PLACES),
    "PTSVM": _not_repeated(_FOLDS),
    "AutoLDL": _not_repeated(_ONE_FOLD),
    "ConformalDistribution(cv=2, distance='tv', method='cross')": _not_repeated(
        "the check gives folds of all rows, but those of weight 0 are left out"
    ),
    "StackedDistribution": _not_repeated(_ONE_FOLD),
    "CCA": dict.fromkeys(
        ("check_transformer_general", "check_transformer_data_not_an_array"),
        "the check knows another class of this name and feeds regression targets",
    ),
}

_DRAWS_OR_FOLDS = "draws and folds depend on the order of the rows"
_NO_INTERCEPT = "without an intercept no coefficients give a constant distribution"
_PENALISED = "the penalties pull constant predictions towards equal degrees"
# since scikit-learn 1.8
_WEIGHTED_DRAWS = (
    {"check_sample_weight": "samples of weight 0 are drawn, too, to no effect"}
    if parse_version(sklearn.__version__) >= parse_version("1.8")
    else {}
)
#: Class name, or an instance as text, to {check of ours: reason}.
EXPECTED_OWN_FAILURES: dict[str, dict[str, str]] = {
    "SABFGS(fit_intercept=False, reg=0.0)": {"check_constant_labels": _NO_INTERCEPT},
    **{
        f"{name}(max_iter=10, min_samples_leaf=5, random_state=0)": {
            "check_label_permutation": "features are drawn in the order of the labels"
        }
        for name in ("BoostingLDL", "LightGBMLDL")
    },
    **{
        name: {
            "check_row_order": "which samples are drawn depends on their order",
            **_WEIGHTED_DRAWS,
        }
        for name in (
            "ExtraTreesLDL(bootstrap=True, n_estimators=10, smoothing=0.1)",
            "RandomForestLDL(n_estimators=10)",
        )
    },
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
    "MSLP(center=True, n_neighbors=2, neighborhood_factor=2, reg_mode='absolute')": {
        "check_duplicate_rows": "equal samples, once centred, have no directions"
    },
    "BaggedDistribution": {
        "check_row_order": _DRAWS_OR_FOLDS,
        "check_sample_weight": "even equal weights draw other samples than none",
    },
    "AutoLDL": {"check_dataframe_names": "columns are found by name, in any order"},
    "ConformalDistribution": {"check_row_order": _DRAWS_OR_FOLDS},
    "StackedDistribution": {"check_row_order": _DRAWS_OR_FOLDS},
    "SoftLabelClassifier(how='sample', n_draws=3)": dict.fromkeys(
        (
            "check_constant_labels",
            "check_label_permutation",
            "check_row_order",
            "check_sample_weight",
        ),
        "labels are drawn by chance",
    ),
}

_COUNTED = "samples are counted or drawn, so a weight of 2 is not quite two samples"
#: Class name, or an instance as text, to {scikit-learn's check: reason}, where the
#: check passes on the one column that it brings and fails on distributions.
EXPECTED_ON_DISTRIBUTIONS: dict[str, dict[str, str]] = {
    **{
        name: _not_repeated(_COUNTED)
        for name in (
            "ExtraTreesLDL(n_estimators=10)",
            "ExtraTreesLDL(bootstrap=True, n_estimators=10, smoothing=0.1)",
            "RandomForestLDL(n_estimators=10)",
            "RandomForestLDL(bootstrap=False, max_depth=2, n_estimators=10)",
        )
    },
    **{
        f"{name}(max_iter=10, min_samples_leaf=5, random_state=0)": _not_repeated(
            _COUNTED
        )
        for name in ("BoostingLDL", "LightGBMLDL")
    },
    **{
        name: _not_repeated("chance makes weights differ from repeated samples")
        for name in (
            "BaggedDistribution",
            "SoftLabelClassifier(how='sample', n_draws=3)",
        )
    },
    "DistributionVoting": _not_repeated(_PLACES),
    "ConformalDistribution": _not_repeated(
        "which samples are kept apart depends on their order"
    ),
    **{name: _not_repeated(_PLACES) for name in ("AAkNN", "LWkNN", "LDkNN")},
    **{
        name: _not_repeated(
            "the label graph links a sample to its copies, and to a share of all"
        )
        for name in ("LSELDL()", "LSELDL(refit_coef=False, sparsity_weight=0.1)")
    },
    "LDLLDM()": _not_repeated(
        "k-means draws its start from rows, and clusters of a single row are left out"
    ),
    "LDSVR": _not_repeated(
        "errors are those of one row left out at a time, not of its copies"
    ),
    "PTBayes(shrinkage=0.0)": _not_repeated(
        "without shrinkage the covariances of so few samples are rounding errors"
    ),
    "RWLM": _not_repeated("corners magnify rounding: equal up to 1e-4 only"),
}


def instances(kind: str | None = None) -> list[BaseEstimator]:
    """Instances of every public estimator: the default or small, and notable settings.

    A search that is slow by default comes with few values to try. Estimators whose
    optional package is not installed are left out.

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
        if name not in _NEEDS or find_spec(_NEEDS[name]) is not None
        for settings in [_SMALL.get(name, {}), *_SETTINGS.get(name, [])]
    ]


def _both(table: dict[str, dict[str, str]], estimator: BaseEstimator) -> dict[str, str]:
    """Entries of the class, then those of the instance."""
    return table.get(type(estimator).__name__, {}) | table.get(str(estimator), {})


def expected_own_failures(estimator: BaseEstimator) -> dict[str, str]:
    """Failures of this library's checks that are right, with their reasons.

    Parameters
    ----------
    estimator : estimator
        An instance.

    Returns
    -------
    failures : dict of str to str
        Name of the check to reason.
    """
    return _both(EXPECTED_OWN_FAILURES, estimator)


def expected_failures(
    estimator: BaseEstimator, *, on_distributions: bool = False
) -> dict[str, str]:
    """Failures of scikit-learn's checks that are right, with their reasons.

    Parameters
    ----------
    estimator : estimator
        An instance.
    on_distributions : bool, default=False
        Whether the checks get distributions of several labels. As they come they get
        one column, which is a single label: all predictions are 1.

    Returns
    -------
    failures : dict of str to str
        Name of the check to reason, for ``expected_failed_checks``.
    """
    failures = _both(EXPECTED_FAILURES, estimator)
    if isinstance(estimator, DistributionPredictorMixin):
        failures |= EXPECTED_FAILURES["*distribution*"]
    if on_distributions:
        failures |= _both(EXPECTED_ON_DISTRIBUTIONS, estimator)
    return failures
