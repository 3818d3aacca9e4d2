"""
Published tables, ranked
========================

The library holds the tables of five papers. Here two of them are ranked: a bar is a
method's average rank over the data sets, and methods whose ranks differ by less than
the critical difference cannot be told apart.
"""

import matplotlib.pyplot as plt

from skldl.benchmark import read_reference, stats

choices = {
    "Clark distance (LSE-LDL paper)": {"paper": "LSE-LDL", "metric": "clark"},
    "0/1 loss (LWkNN-LDL paper)": {"table": "Table III"},
}
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for ax, (title, choice) in zip(axes, choices.items(), strict=True):
    rows = read_reference(**choice)
    table = rows.pivot(index="dataset", columns="method", values="value")
    # a missing number: the paper says that the method could not run
    outcome = stats.friedman(table.dropna())
    ranks = outcome.ranks.sort_values(ascending=False)
    cd = stats.critical_difference(len(ranks), outcome.n_blocks)
    ax.barh(ranks.index, ranks)
    ax.axvline(ranks.iloc[-1] + cd, color="black", linestyle=":", label="best + CD")
    ax.set(title=f"{title}, {outcome.n_blocks} data sets", xlabel="average rank")
    ax.legend(loc="lower right")

# %%
# The same tables can be run again, in the papers' own protocols, with
# ``skldl reproduce``.
plt.show()
