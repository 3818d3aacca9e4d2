"""
A paper: comparing methods over data sets
=========================================

A plan, a run, the table of a paper, a heat map and a critical-difference diagram:
twelve small data sets, four methods and the mean distribution.
"""

# %%
# Twelve generated data sets of different noise and redundancy.
import matplotlib.pyplot as plt

from skldl.benchmark import Plan, Split, paper_table, run, score_table, stats
from skldl.datasets import make_dataset, make_ldl
from skldl.plotting import plot_critical_difference, plot_score_heatmap


def made(number):
    X, D = make_ldl(
        150, 20, 5, n_redundant=number, noise=0.1 * number, random_state=number
    )
    return make_dataset(X, D, name=f"set {number}")


methods = [
    "AAkNN(n_neighbors=3)",
    "AAkNN(n_neighbors=15)",
    "AAkNN(n_neighbors=15, weights='dudani')",
    "PCA(n_components=8)+AAkNN(n_neighbors=15)",
]
plan = Plan([made(i) for i in range(12)], methods, Split(n_splits=3))
rows = run(plan, engine="serial")

# %%
# The table of a paper: means and deviations, the best in bold, marks of a test over the
# folds against the best method. ``to_latex`` writes it with booktabs;
# ``skldl table STORE --latex`` does the same from a store.
table = paper_table(
    rows, metrics=["intersection"], datasets=["set 0", "set 1", "set 2"]
)
print(table.to_markdown())

# %%
# All data sets at a glance, the best methods on top.
fig, ax = plt.subplots(figsize=(9, 2.6), layout="constrained")
plot_score_heatmap(rows, "intersection", ax=ax)
plt.show()

# %%
# Average ranks, and Friedman's test. A bar joins methods that Nemenyi's test cannot
# tell apart.
outcome = stats.friedman(score_table(rows, "intersection"), greater_is_better=True)
print(f"Friedman p = {outcome.p_value:.2g} over {outcome.n_blocks} data sets")
fig, ax = plt.subplots(figsize=(9, 2.6), layout="constrained")
plot_critical_difference(rows, "intersection", ax=ax)
plt.show()
