"""Write ``votes.csv`` and ``new.csv``, the small tables of the README.

People looked at pictures and said what they feel. Each row is a picture: some facts
about it, and how many people chose each of three feelings. The pictures of ``new.csv``
have no votes yet. The data are made up.

    python examples/make_votes.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

LABELS = ["joy", "calm", "fear"]


def make_table(n_pictures, seed):
    """Facts about pictures, and the votes on them."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "picture": [f"p{i:03d}" for i in range(1, n_pictures + 1)],
            "brightness": rng.uniform(0, 100, n_pictures).round(),
            "faces": rng.integers(0, 5, n_pictures),
            "place": rng.choice(["beach", "forest", "street"], n_pictures),
        }
    )
    light = (table["brightness"] / 50 - 1).to_numpy()
    faces = table["faces"].to_numpy()
    beach, street = (table["place"] == "beach", table["place"] == "street")
    scores = np.column_stack(
        [1.2 * light + 0.6 * faces - 1, 0.3 * light + 1.5 * beach, 1.5 * street - light]
    )
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    votes = [rng.multinomial(rng.integers(8, 21), row) for row in shares]
    table[LABELS] = np.array(votes)
    table.loc[::11, "brightness"] = np.nan  # nobody measured it
    return table


def main(folder="."):
    """Write both tables."""
    make_table(300, seed=0).to_csv(Path(folder) / "votes.csv", index=False)
    new = make_table(5, seed=1).drop(columns=LABELS)
    new.to_csv(Path(folder) / "new.csv", index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
