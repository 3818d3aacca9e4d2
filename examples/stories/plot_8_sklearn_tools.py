"""
With scikit-learn's tools
=========================

Learners are scikit-learn estimators: pipelines, searches, cross-validation, learning
curves and permutation importance take them as they are. Scorers have names.
"""

# %%
# Wines of three growers. A panel that cannot taste perfectly votes for the grower, here
# simulated: the votes of ten people are drawn around the true one.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, LearningCurveDisplay, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.ldl import AAkNN, LogisticLDL
from skldl.metrics import SCORERS
from skldl.plotting import plot_partial_dependence

wine = load_wine(as_frame=True)
rng = np.random.default_rng(0)
taste = 0.7 * np.eye(3)[wine.target] + 0.1
names = ["Anna", "Bruno", "Clara"]
D = pd.DataFrame([rng.multinomial(10, p) / 10 for p in taste], columns=names)
X, X_test, D, D_test = train_test_split(wine.data, D, random_state=0)

# %%
# A grid search over a pipeline. ``SCORERS`` has a scorer for each metric.
search = GridSearchCV(
    make_pipeline(StandardScaler(), AAkNN()),
    {"aaknn__n_neighbors": [3, 10, 30], "aaknn__weights": ["uniform", "distance"]},
    scoring=SCORERS["kl_divergence"],
    cv=5,
)
search.fit(X, D)
print(search.best_params_)
print(f"on new wines: {-search.score(X_test, D_test):.3f}")

# %%
# The learning curve says whether more wines would help.
model = make_pipeline(StandardScaler(), LogisticLDL())
fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
for learner in (search.best_estimator_, model):
    LearningCurveDisplay.from_estimator(
        learner, X, D, cv=5, train_sizes=[0.3, 0.5, 0.75, 1.0], score_type="test",
        scoring=SCORERS["kl_divergence"], negate_score=True, score_name="KL divergence",
        std_display_style=None, ax=ax,
    )  # fmt: skip
ax.legend(ax.get_lines(), ["AAkNN", "LogisticLDL"])
plt.show()

# %%
# Which features matter, and how the votes move with the best one: one line per label.
model.fit(X, D)
found = permutation_importance(
    model, X_test, D_test, scoring=SCORERS["kl_divergence"], n_repeats=5, random_state=0
)
importance = pd.Series(found.importances_mean, index=X.columns).nlargest(6)[::-1]
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
importance.plot.barh(ax=left, color="C0")
left.set_xlabel("loss of KL divergence when shuffled")
plot_partial_dependence(model, X, importance.index[-1], ax=right)
plt.show()
