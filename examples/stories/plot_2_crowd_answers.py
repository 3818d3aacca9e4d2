"""
Crowds: from single answers to a model
======================================

Twenty annotators judged pictures, some of them carelessly. From the table of their
answers we find out whom to trust, how far the answers agree, learn distributions, and
ask how near to perfect the model is.
"""

import matplotlib.pyplot as plt
import numpy as np

from skldl.crowd import (
    DawidSkene,
    Votes,
    annotator_table,
    krippendorff_alpha,
    noise_floor,
    rank_items,
    vote_weights,
)
from skldl.datasets import make_crowd
from skldl.ldl import LogisticLDL, MeanDistribution
from skldl.metrics import sorensen

crowd = make_crowd(
    800,
    n_labels=4,
    n_annotators=20,
    votes_per_item=(2, 6),
    reliability=[0.9] * 17 + [0.05] * 3,
    random_state=0,
)
crowd.votes.head()

# %%
# Each row is one answer. ``Votes`` counts them; the table of annotators shows who is
# out of line with the others on the same items.

votes = Votes.from_frame(crowd.votes, item="item", label="label", annotator="annotator")
people = annotator_table(votes, DawidSkene().fit(votes))
people[["n_votes", "agreement", "z", "reliability", "outlier"]].head()

# %%
# Without these annotators the others agree more.

careless = people.index[people["outlier"]]
kept = Votes.from_frame(
    crowd.votes[~crowd.votes["annotator"].isin(careless)],
    item="item",
    label="label",
    annotator="annotator",
)
print(f"alpha of all {krippendorff_alpha(votes):.2f}")
print(f"alpha without {', '.join(careless)} {krippendorff_alpha(kept):.2f}")

# %%
# The answers that are left are joined with the features of the items. The number of
# votes becomes the weight of a sample.

data = kept.join(crowd.features)
n_votes = data.extra["n_votes"]
train, test = np.arange(600), np.arange(600, data.n_samples)
model = LogisticLDL().fit(
    data.X[train], data.D[train], sample_weight=vote_weights(n_votes[train])
)
P = model.predict(data.X[test])

# %%
# How good is it? Against so few votes not even the truth is perfect: its expected score
# is the noise floor. In a generated crowd we know the truth, which is what a crowd
# without end would say, and can see how near the estimate of the floor is.

mean = MeanDistribution().fit(data.X[train], data.D[train]).predict(data.X[test])
floor = noise_floor(data.D[test], n_votes[test], "sorensen", random_state=0)
trusted = np.isin(crowd.annotator_names, careless, invert=True)
rows = crowd.features.index.get_indexer(kept.item_names)
truth = crowd.D[rows] @ crowd.confusion[trusted].mean(axis=0)
scores = {
    "mean distribution": sorensen(data.D[test], mean),
    "model": sorensen(data.D[test], P),
    "noise floor": floor.value,
    "the truth itself": sorensen(data.D[test], truth[test]),
}
_, ax = plt.subplots(figsize=(6, 2.5), layout="constrained")
ax.barh(list(scores), list(scores.values()), color=["C7", "C0", "C1", "C2"])
ax.invert_yaxis()
ax.set(xlabel="total variation to the shares of the votes")

# %%
# Bars of four items: the votes, the prediction, and the truth. The prediction is nearer
# to the truth than the votes are.

_, axes = plt.subplots(1, 4, figsize=(10, 2.5), sharey=True, layout="constrained")
for ax, row in zip(axes, test, strict=False):
    for shift, (name, D) in enumerate(
        {"votes": data.D, "model": model.predict(data.X), "truth": truth}.items()
    ):
        ax.bar(np.arange(4) + 0.27 * (shift - 1), D[row], 0.25, label=name)
    ax.set(title=f"{n_votes[row]:.0f} votes", xticks=range(4))
    ax.set_xticklabels([1, 2, 3, 4])
axes[0].set(ylabel="degree")
axes[-1].legend()
print(f"votes are off the truth by {sorensen(truth[test], data.D[test]):.3f}")
print(f"the model is off the truth by {sorensen(truth[test], P):.3f}")

# %%
# One more vote tells most about these items.

rank_items(kept).head()

# %%

plt.show()
