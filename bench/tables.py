"""A table of 50,000 rows and 20 mixed columns, from the file to numbers to predictions.

Bounds: ``load_table`` and ``TableEncoder`` take less than 1.5 times the CPU time of
``pandas.read_csv`` and the encoder alone, in one run, in turns; ``skldl predict`` needs
less than 1 GB, and ten times the rows no more than 1.5 times the memory.
"""

import sys
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from _measure import times
from _tables import write
from cli_predict import cost

from skldl.datasets import load_table
from skldl.ldl import SABFGS
from skldl.models import save_model
from skldl.preprocessing import TableEncoder

LABELS = ["yes", "no", "maybe"]
WORDS = np.array(
    ["good", "bad", "late", "quick", "broken", "great", "fair", "slow", "fine", "mixed"]
)


def mixed(rows, seed=0):
    """Twelve numbers, four categories, two dates, two texts; gaps; three labels."""
    rng = np.random.default_rng(seed)
    table = {f"number {i}": rng.normal(size=rows).round(4) for i in range(12)}
    for i, levels in enumerate((3, 8, 20, 60)):
        table[f"category {i}"] = rng.choice([f"level {k}" for k in range(levels)], rows)
    for i in range(2):
        day = pd.Timestamp("2020-01-01") + pd.to_timedelta(
            rng.integers(0, 2000, rows), "D"
        )
        table[f"day {i}"] = day.strftime("%Y-%m-%d")
        table[f"text {i}"] = [" ".join(w) for w in rng.choice(WORDS, (rows, 6))]
    frame = pd.DataFrame(table)
    for name in frame.columns[::3]:
        frame.loc[rng.random(rows) < 0.05, name] = None
    votes = rng.multinomial(7, [0.5, 0.3, 0.2], size=rows)
    return frame.join(pd.DataFrame(votes, columns=LABELS))


def prepare(folder, rows):
    """A table, one of ten times the rows, and a model."""
    table = mixed(rows)
    table.to_csv(folder / "votes.csv", index=False)
    table.drop(columns=LABELS).to_csv(folder / "new.csv", index=False)
    for part in range(10):
        table.drop(columns=LABELS).to_csv(
            folder / "ten.csv", index=False, header=part == 0, mode="a"
        )
    from sklearn.pipeline import make_pipeline

    few = table[:2000]
    D = few[LABELS].div(few[LABELS].sum(axis=1), axis=0)
    model = make_pipeline(TableEncoder(), SABFGS(reg=1.0))
    model.fit(few.drop(columns=LABELS), D)
    save_model(model, folder / "model.skldl", y=D)


def ours(path):
    """The library's reader and encoder."""
    return TableEncoder().fit_transform(load_table(path, LABELS).X)


def pandas_alone(path):
    """Pandas' reader, and the encoder alone."""
    return TableEncoder().fit_transform(pd.read_csv(path).drop(columns=LABELS))


def main(quick=False):
    """Measure, print, write, and end with an error if a bound is broken."""
    rows = 2000 if quick else 50_000
    with TemporaryDirectory() as name:
        folder = Path(name)
        # in a process of its own: the peak of a child counts from its parent's size
        process = get_context("spawn").Process(target=prepare, args=(folder, rows))
        process.start()
        process.join()
        memory = {}
        for data, times_rows in (("new", 1), ("ten", 10)):
            cpu, mb = cost(
                "-m", "skldl", "predict", folder / "model.skldl",
                folder / f"{data}.csv", "-o", folder / "out.csv", "--force",
            )  # fmt: skip
            memory[times_rows * rows] = cpu, mb
        path = folder / "votes.csv"
        found = times(
            {"load_table": lambda: ours(path), "pandas": lambda: pandas_alone(path)}, 1
        )
    ratio = found["load_table"].cpu_s / found["pandas"].cpu_s
    records = [
        {"what": f"{name} + TableEncoder", "rows": rows, "cpu_s": round(t.cpu_s, 2)}
        for name, t in found.items()
    ]
    records += [
        {"what": "skldl predict", "rows": n, "cpu_s": round(c, 2), "peak_mb": round(mb)}
        for n, (c, mb) in memory.items()
    ]
    print(pd.DataFrame(records).to_string(index=False))
    print(f"reading and encoding: {ratio:.2f} of pandas and the encoder (below 1.5)")
    write("tables", records)
    (_, small), (_, large) = memory.values()
    if not quick and (ratio >= 1.5 or large >= 1000 or large >= 1.5 * small):
        sys.exit("A bound is broken.")


if __name__ == "__main__":
    main("--quick" in sys.argv)
