"""What the figures of LSE-LDL are drawn from."""

from typing import Any

import numpy as np
import pandas as pd

from skldl.datasets import load
from skldl.ldl import LSELDL, selection_curve
from skldl.reproduce.figures._splits import CURVE_COLUMNS, quiet, shuffled_folds

#: The setting that the honest search of the tables chose most often on SJAFFE; the
#: smoothness weight is the default, which it does not vary.
TUNED: dict[str, Any] = {
    "encoding_weight": 10.0,
    "sparsity_weight": 0.001,
    "smoothness_weight": 0.001,
    "reg": 0.01,
    "fit_intercept": False,
    "refit_coef": False,
    "max_iter": 500,
    "random_state": 0,
}
SIX = ["chebyshev", "clark", "canberra", "kl_divergence", "cosine", "intersection"]
N_FOLDS = 10


def feature_shares(name: str = "SJAFFE") -> pd.DataFrame:
    """Fig. 2: six metrics by the share of the features, ten folds."""
    data = load(name)
    with quiet():
        table = selection_curve(
            LSELDL(tol=1e-3, **TUNED),
            data.X,
            data.D,
            metrics=SIX,
            cv=shuffled_folds(len(data.X), N_FOLDS),
        )
    rows = [
        (metric, "LSE-LDL", row.share, row.mean, row.std / np.sqrt(N_FOLDS))
        for metric in SIX
        for row in table[table["metric"] == metric].itertuples()
    ]
    return pd.DataFrame(rows, columns=CURVE_COLUMNS)


def lse_history(names: tuple[str, ...] = ("SJAFFE", "Yeast_cold")) -> pd.DataFrame:
    """The objective above its end, after each iteration."""
    rows = []
    for name in names:
        data = load(name)
        with quiet():
            model = LSELDL(**TUNED).fit(data.X, data.D)
        history = np.asarray(model.objective_history_)
        above = history[:-1] - history[-1]
        rows += [
            (name, "LSE-LDL", step, value)
            for step, value in enumerate(above, start=1)
            if value > 0 and _shown(step)
        ]
    return pd.DataFrame(rows, columns=CURVE_COLUMNS[:4])


def _shown(step: int) -> bool:
    """Every step at first, then every fifth: a curve needs no more."""
    return step <= 20 or step % 5 == 0
