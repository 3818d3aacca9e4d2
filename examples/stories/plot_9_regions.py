"""
Certainty: how sure is a predicted distribution?
================================================

:class:`~skldl.conformal.ConformalDistribution` puts a region around each prediction of
any learner. It holds the true distribution with the probability that was asked for.
"""

# %%
# Votes of 30 people on each of 900 items, for three labels. A third of the items is for
# the test.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skldl.conformal import ConformalDistribution, coverage_table
from skldl.datasets import make_ldl
from skldl.ldl import LogisticLDL
from skldl.plotting import plot_coverage, plot_regions, plot_ternary

X, D = make_ldl(900, n_features=4, n_labels=3, random_state=0)
rng = np.random.default_rng(0)
votes = np.array([rng.multinomial(30, d) for d in D])
shares = pd.DataFrame(votes / 30, columns=["good", "fair", "bad"])

model = ConformalDistribution(LogisticLDL(), calibration_size=0.5, random_state=0)
model.fit(X[:600], shares[:600])
regions = model.predict_region(X[600:])
print(f"Shares of votes in their regions: {regions.contains(shares[600:]).mean():.2f}")

# %%
# Bars are predicted degrees, lines are the intervals of the region, which hold
# together. Labels that may be the largest have dark bars; points are the votes.
plot_regions(regions, shares[600:], samples=[2, 3, 10])
plt.show()

# %%
# Three labels are a triangle. The shape of a region depends on the distance: labels
# one by one are a box cut by the simplex, total variation is a hexagon, and divergences
# are narrow near the border.
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
for ax, distance in zip(axes, ["label", "tv", "kl"], strict=True):
    other = ConformalDistribution(LogisticLDL(), distance, random_state=0)
    found = other.fit(X[:600], shares[:600]).predict_region(X[600:])
    plot_ternary(found, shares[600:], samples=[2, 3, 10, 11], ax=ax)
    ax.set_title(distance)
plt.show()

# %%
# Is the promise kept? The coverage on the test items against what was asked for. The
# band is the chance of 300 calibration and 300 test items.
levels = np.linspace(0.5, 0.95, 10)
plot_coverage(coverage_table(model, X[600:], shares[600:], levels))
plt.show()

# %%
# Votes are not truths. The region of the *observed* shares has to hold the noise of 30
# votes; the one of the distribution *underlying* them is smaller. It rests on a model
# of the votes. Here the truth is known:
behind = ConformalDistribution(LogisticLDL(), target="underlying", random_state=0)
behind.fit(X[:600], shares[:600], n_votes=30)
smaller = behind.predict_region(X[600:])
print(
    f"mean width {regions.size.mean():.3f} for shares of 30 votes, "
    f"{smaller.size.mean():.3f} for what is behind them, which is inside in "
    f"{smaller.contains(D[600:]).mean():.2f}"
)
