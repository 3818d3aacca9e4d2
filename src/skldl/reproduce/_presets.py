"""Settings by name: those that the methods' own papers print, and our former ones.

A published preset has what the method's paper or its authors' code names.
"""

from typing import Any

#: As published. Parameters that are not named are as by default.
PUBLISHED: dict[str, dict[str, Any]] = {
    "AABP": {"hidden_layer_sizes": (50,), "reg": 0.0},
    "CPNN": {"hidden_layer_sizes": (50,), "reg": 0.0, "max_iter": 100},
    "LALOT": {
        "sharpness": 0.2,
        "metric_weight": 200.0,
        "reg": 0.0,
        "debiased": False,
    },
    "LDLLC": {"reg": 0.1, "correlation_weight": 0.01, "fit_intercept": False},
    "LDLLDM": {
        "reg": 0.001,
        "global_weight": 1.0,
        "local_weight": 1.0,
        "n_clusters": 10,
    },
    "LDLSCL": {
        "reg": 0.001,
        "code_coef_reg": 0.001,
        "cluster_weight": 0.001,
        "code_reg": 0.0,
    },
    "LDLM": {"reg": 0.001, "margin": 0.01, "margin_weight": 0.1, "rest_weight": 0.1},
    "LDSVR": {"C": 1.0, "epsilon": 0.1, "gamma": "mean", "smearing": False},
    # the weights are searched; its paper has no intercept
    "LSELDL": {"fit_intercept": False, "refit_coef": False},
    "PTBayes": {"shrinkage": 0.0, "underflow": True},
    "PTSVM": {"resample": True},  # C = 1 and gamma = 1 / n_features, as by default
    "RWLM": {
        "solver": "adam",
        "reg": 0.0001,
        "margin_weight": 1.0,
        "margin": 0.1,
        "max_iter": 200,
    },
    # at most 300 plain steps, as by default; they often end before the minimum
    "SABFGS": {"reg": 0.0, "fit_intercept": False, "precondition": False},
    "SAIIS": {},  # 200 sweeps from the identity, as by default
}

#: Defaults of the stored runs that have changed since. Tables are compared with
#: published ones and with each other, so they keep these.
STORED: dict[str, dict[str, Any]] = {
    "AAkNN": {"n_neighbors": 5},
    "LALOT": {"reg": 10.0},
    "LDLLC": {"reg": 1.0},
    "LDLLDM": {"reg": 10.0, "global_weight": 1.0, "local_weight": 1.0},
    "LDLSCL": {"reg": 1.0, "code_coef_reg": 1.0, "code_reg": 10.0},
    "LDSVR": {"C": 100.0, "gamma": "mean"},
    "LSELDL": {"sparsity_weight": 0.1, "refit_coef": False},
    "MSLP": {"reg": 0.01, "reg_mode": "absolute", "n_decoder_neighbors": 5},
    "SABFGS": {"reg": 0.0, "fit_intercept": False},
}

#: What tables call the second column of a method with a published preset.
FORMER = "our former defaults"
#: And that of maximum entropy, which its authors' search often leaves early.
MINIMUM = "fitted to the minimum"
#: What pages say of the data set where these two are the same.
SAME_SEARCH = (
    f"The forms '{MINIMUM}' search as published on SJAFFE, which has fewer than twice "
    "as many samples as features."
)


def preset_of(spec: str, preset: str) -> dict[str, Any]:
    """Give the settings of a preset that the last step of a method does not name.

    Parameters
    ----------
    spec : str
        The method, such as ``"PCA+SABFGS(reg=7.0)"``.
    preset : {"published", "stored"}
        Which one.

    Returns
    -------
    settings : dict
        Empty if the stored preset has nothing to say of the method.
    """
    name, _, inside = spec.rpartition("+")[2].partition("(")
    named = {part.partition("=")[0].strip() for part in inside.split(",")}
    if preset == "published" and name not in PUBLISHED:
        raise ValueError(f"{name} has no published preset.")
    known = PUBLISHED if preset == "published" else STORED
    return {k: v for k, v in known.get(name, {}).items() if k not in named}
