"""
Text: reviews that readers do not agree on
==========================================

Readers voted whether a review of a hotel sounds happy, neutral or angry. TF-IDF turns
the words into features, and a learner on top predicts the shares of votes.
"""

# %%
# Made-up reviews: each is a few phrases, and each phrase pulls readers in a direction.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from skldl.ldl import LogisticLDL, MeanDistribution
from skldl.metrics import get_scorer

LABELS = ["happy", "neutral", "angry"]
PHRASES = {
    "lovely room with a view": (2, 0, -2),
    "friendly staff": (1.5, 0.5, -1),
    "breakfast was fine": (0.3, 1.2, -0.5),
    "near the station": (0, 1.5, 0),
    "checked in at noon": (-0.3, 1.5, 0),
    "rather expensive": (-0.8, 0.3, 0.6),
    "noisy street at night": (-1, 0, 1.2),
    "nobody answered the phone": (-1.5, -0.5, 2),
    "dirty bathroom": (-2, -0.5, 2.2),
}
rng = np.random.default_rng(0)
pulls = np.array(list(PHRASES.values()))
texts, shares = [], []
for _ in range(400):
    chosen = rng.choice(len(PHRASES), rng.integers(2, 5), replace=False)
    scores = 0.7 * pulls[chosen].sum(axis=0)
    p = np.exp(scores) / np.exp(scores).sum()
    texts.append(", ".join(list(PHRASES)[i] for i in chosen))
    shares.append(rng.multinomial(15, p) / 15)
reviews = pd.DataFrame(shares, columns=LABELS).round(2)
reviews.insert(0, "review", texts)
reviews.head()

# %%
# A pipeline of scikit-learn's vectoriser and a learner of this library. Features stay
# sparse. The metric is the share of votes on a wrong label.
D = pd.DataFrame(shares, columns=LABELS)
model = make_pipeline(TfidfVectorizer(), LogisticLDL())
for name, learner in {"mean distribution": MeanDistribution(), "TF-IDF": model}.items():
    X = np.zeros((len(D), 1)) if name == "mean distribution" else texts
    errors = -cross_val_score(learner, X, D, cv=5, scoring=get_scorer("sorensen"))
    print(f"{name}: {100 * errors.mean():.0f} of 100 votes on the wrong label")

# %%
# Predictions for new reviews, as stacked bars.
new = [
    "lovely room with a view, friendly staff",
    "near the station, breakfast was fine",
    "friendly staff, dirty bathroom",
    "rather expensive, near the station",
    "nobody answered the phone, noisy street at night",
]
model.fit(texts, D)
P = pd.DataFrame(model.predict(new), index=new, columns=LABELS)
fig, ax = plt.subplots(figsize=(8, 2.8), layout="constrained")
P[::-1].plot.barh(stacked=True, ax=ax, width=0.7, color=["C2", "0.8", "C3"])
ax.set(xlim=(0, 1), xlabel="predicted share of the votes")
ax.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1))
plt.show()

# %%
# The coefficients say which words pull votes to which label.
words = model[0].get_feature_names_out()
coef = pd.DataFrame(model[-1].coef_, index=LABELS, columns=words)
strongest = coef.abs().max().nlargest(10).index
fig, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
limit = coef[strongest].abs().to_numpy().max()
image = ax.imshow(
    coef[strongest], cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto"
)
ax.set_xticks(range(10), strongest, rotation=45, ha="right")
ax.set_yticks(range(3), LABELS)
ax.spines[:].set_visible(False)
fig.colorbar(image, label="coefficient")
plt.show()
