"""
Distributions or decisions
==========================

Some learners want the whole distribution right, others its largest label. Here both are
measured on noisy synthetic data: the divergence of the distributions, and how often the
largest label is wrong.
"""

import warnings

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.datasets import make_ldl
from skldl.ldl import AABP, LDLLC, LDLLDM, LDLM, LDSVR, PTSVM, RWLM, MeanDistribution
from skldl.metrics import kl_divergence, zero_one_loss

warnings.simplefilter("ignore", ConvergenceWarning)  # early stops are fine here

X, D = make_ldl(500, n_features=10, n_labels=4, noise=1.0, random_state=0)
X, X_test, D, D_test = train_test_split(X, D, random_state=0)

# %%
# Features are standardised in a pipeline, because the learners have ridges or kernels.

learners = [
    MeanDistribution(),
    AABP(random_state=0),
    LDLLC(),
    LDLLDM(random_state=0),
    LDSVR(),
    PTSVM(random_state=0),
    LDLM(reg=1.0),
    RWLM(reg=1.0),
]
scores, predictions = {}, {}
for learner in learners:
    name = type(learner).__name__
    P = make_pipeline(StandardScaler(), learner).fit(X, D).predict(X_test)
    scores[name] = kl_divergence(D_test, P), zero_one_loss(D_test, P)
    predictions[name] = P
table = pd.DataFrame(scores, index=["divergence", "share of wrong largest labels"]).T
axes = table[::-1].plot.barh(
    subplots=True, layout=(1, 2), sharex=False, legend=False, figsize=(9, 3.2)
)
axes[0, 0].set_xscale("log")

# %%
# One test sample as each of them sees it: stacked bars, the true distribution on top.
shown = {name: P[1] for name, P in predictions.items()} | {"true": D_test[1]}
bars = pd.DataFrame(shown, index=[f"label {i}" for i in range(1, 5)]).T
ax = bars.plot.barh(stacked=True, width=0.8, figsize=(8, 3.2))
ax.set(xlim=(0, 1), xlabel="degree")
ax.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1))

# %%
# ``LDLM`` puts nearly everything on one label: good or bad for decisions, always bad
# for the divergence.

plt.show()
