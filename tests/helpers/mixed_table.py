"""A table as people have them: numbers, gaps, categories, dates and text."""

import numpy as np
import pandas as pd

LABELS = ["yes", "no", "maybe"]
FEATURES = ["id", "age", "income", "region", "zip", "day", "comment", "flag", "same"]
WORDS = {
    "yes": ["good", "great", "fine", "quick"],
    "no": ["bad", "late", "broken", "slow"],
    "maybe": ["okay", "average", "fair", "mixed"],
}


def mixed_table(rows=240, seed=0):
    """Features of every role; votes of three labels depend on region and comment."""
    rng = np.random.default_rng(seed)
    mood = rng.integers(0, 3, rows)
    said = [
        " ".join(rng.choice(WORDS[LABELS[m]], 3)) + f" visit number {i}"
        for i, m in enumerate(mood)
    ]
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, rows), "D")
    table = pd.DataFrame(
        {
            "id": [f"q{i:05d}" for i in range(rows)],
            "age": rng.normal(40, 10, rows).round(1),
            "income": rng.lognormal(3, 1, rows).round(2),
            "region": rng.choice(["Nord", "Süd", "Ost"], rows),
            "zip": rng.choice(["01067", "80331", "20095"], rows),
            "day": days.strftime("%d.%m.%Y"),
            "comment": said,
            "flag": rng.random(rows) < 0.5,
            "same": "x",
        }
    )
    for column in ("age", "region", "day", "comment"):
        table.loc[rng.random(rows) < 0.1, column] = None
    degrees = np.full((rows, 3), 2.0)
    degrees[np.arange(rows), mood] += 6
    degrees[:, 0] += 2.0 * (table["region"] == "Nord")
    degrees /= degrees.sum(axis=1, keepdims=True)
    votes = pd.DataFrame([rng.multinomial(20, p) for p in degrees], columns=LABELS)
    return table.join(votes)


def features_and_degrees(rows=240, seed=0):
    """The table without labels, and its distributions."""
    table = mixed_table(rows, seed)
    votes = table[LABELS].to_numpy(float)
    return table[FEATURES], votes / votes.sum(axis=1, keepdims=True)
