"""
A paper: comparing methods over data sets
=========================================

A plan, a run, ranks, and the critical difference: twelve small data sets, four methods
and the mean distribution.
"""

# %%
# Twelve generated data sets of different noise and redundancy.
import matplotlib.pyplot as plt

from skldl.benchmark import Plan, Split, run, score_table, stats
from skldl.datasets import make_dataset, make_ldl


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
# Mean intersection of each method on each data set, and the Friedman test.
table = score_table(rows, "intersection")
outcome = stats.friedman(table, greater_is_better=True)
print(table.round(3).T.to_string())
print(f"Friedman p = {outcome.p_value:.2g} over {outcome.n_blocks} data sets")

# %%
# Average ranks; a line joins methods that Nemenyi's test cannot tell apart.
cd = stats.critical_difference(table.shape[1], outcome.n_blocks)
ranks = outcome.ranks.sort_values()
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.barh(range(len(ranks)), ranks, color="0.8")
ax.set_yticks(range(len(ranks)), list(ranks.index))
for level, group in enumerate(stats.cd_groups(ranks, cd)):
    places = [ranks.index.get_loc(method) for method in group]
    ax.plot([5.2 + 0.1 * level] * 2, [min(places), max(places)], lw=4, color="C0")
ax.invert_yaxis()
ax.set_xlabel(f"average rank (1 is best); critical difference {cd:.2f}")
plt.show()
