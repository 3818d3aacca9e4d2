"""
Distributions or decisions
==========================

Some learners want the whole distribution right, others its largest label. Here both are
measured on noisy synthetic data: the divergence of the distributions, and how often the
largest label is wrong.
"""

import warnings

import matplotlib.pyplot as plt
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
_, ax = plt.subplots()
for learner in learners:
    model = make_pipeline(StandardScaler(), learner).fit(X, D)
    P = model.predict(X_test)
    x, y = kl_divergence(D_test, P), zero_one_loss(D_test, P)
    ax.scatter(x, y, color="C0")
    ax.annotate(
        type(learner).__name__, (x, y), xytext=(4, 4), textcoords="offset points"
    )
ax.set(xscale="log", xlabel="divergence", ylabel="share of wrong largest labels")

# %%
# ``LDLM`` puts nearly everything on one label: good or bad for decisions, always bad
# for the divergence.

plt.show()
