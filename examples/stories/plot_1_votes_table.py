"""
Votes: from a table to a model
==============================

A table with a number, a category and votes for three labels:
:class:`~skldl.auto.AutoLDL` finds a model and says how good it is.
"""

# %%
# The table: how 300 visitors rated a museum. Some ages are missing.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skldl.auto import AutoLDL

rng = np.random.default_rng(0)
n = 300
table = pd.DataFrame(
    {
        "age": rng.uniform(10, 80, n).round(),
        "day": rng.choice(["weekday", "weekend"], n),
    }
)
crowded = (table["day"] == "weekend").to_numpy()
old = ((table["age"] - 45) / 35).to_numpy()
scores = np.column_stack([0.8 * old - crowded, np.zeros(n), crowded - 0.5 * old])
shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
counts = np.array([rng.multinomial(20, p) for p in shares])
votes = pd.DataFrame(counts / 20, columns=["good", "fair", "bad"])
table.loc[::9, "age"] = np.nan
print(pd.concat([table, votes], axis=1).head().to_string())

# %%
# The fit. The leaderboard has the error on rows that were not fitted on.
model = AutoLDL(time_limit=60, preset="fast", random_state=0).fit(
    table[:240], votes[:240]
)
print(model.verdict_)
print(model.leaderboard_[["score", "standard_error", "gain", "weight"]].round(3))

# %%
# Six visitors that the model has not seen: their votes beside the prediction.
new = table[240:246]
predicted = model.predict(new)
figure, axes = plt.subplots(2, 3, sharey=True, figsize=(8, 4), layout="constrained")
for axis, (row, visitor), P in zip(axes.flat, new.iterrows(), predicted, strict=True):
    places = np.arange(3)
    axis.bar(places - 0.2, votes.loc[row], 0.4, label="votes")
    axis.bar(places + 0.2, P, 0.4, label="predicted")
    axis.set_xticks(places, votes.columns)
    age = "age unknown" if np.isnan(visitor["age"]) else f"{visitor['age']:.0f} years"
    axis.set_title(f"{age}, {visitor['day']}", fontsize=9)
axes[0, 0].legend(fontsize=8)
plt.show()

# %%
# What matters, for the metric and for each label.
print(model.explain(table[240:], votes[240:], random_state=0).round(4).to_string())
