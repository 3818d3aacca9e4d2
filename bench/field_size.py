"""CPU time and memory of one fit of each of the field's learners to a large data set.

Features standardised beforehand, defaults, one thread, a fresh process for each fit;
memory is what the fit takes beyond the data. Learners that refuse say why.
Measured learners go into the STORE, a JSON file, and are not measured again.

    python bench/field_size.py STORE [DATASET] [--methods=A,B] [--write]
"""

import json
import sys
import warnings
from functools import partial
from pathlib import Path

from _measure import cost
from _tables import rst, write_include
from sklearn.preprocessing import StandardScaler

from skldl.datasets import load
from skldl.methods import make_method

METHODS = ["AABP", "CPNN", "LALOT", "LDLLC", "LDLLDM", "LDLM", "LDLSCL"]
METHODS += ["LDSVR", "PTBayes", "PTSVM", "PTSVM(resample=True)", "RWLM"]
HEAD = ["learner", "CPU s", "MB", "iterations"]


def prepared(name):
    """Standardised features, and distributions."""
    data = load(name)
    return StandardScaler().fit_transform(data.X), data.D


def fit(name, data):
    """Number of iterations; None for a learner without, a text if it refuses."""
    warnings.simplefilter("ignore")
    model = make_method(name).estimator
    try:
        return getattr(model.fit(*data), "n_iter_", None)
    except ValueError as error:
        return str(error)


def row_of(name, found):
    """A line of the table."""
    if isinstance(found["result"], str):
        return [name, "refuses", "-", "-"]
    iterations = "-" if found["result"] is None else str(found["result"])
    return [name, f"{found['cpu_s']:.1f}", f"{found['extra_mb']:.0f}", iterations]


def main(arguments):
    """Measure what is missing, print, and write if asked to."""
    store, *names = [a for a in arguments if not a.startswith("--")]
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    wanted = given["methods"].split(",") if "methods" in given else METHODS
    dataset = names[0] if names else "Movie"
    path = Path(store)
    rows = json.loads(path.read_text()) if path.exists() else {}
    for name in wanted:
        if name not in rows:
            found = cost(partial(prepared, dataset), partial(fit, name), timeout=7200)
            rows[name] = found._asdict()
            path.write_text(json.dumps(rows, indent=1))
            print(*row_of(name, rows[name]), rows[name]["result"], flush=True)
    text = rst(HEAD, [row_of(name, rows[name]) for name in sorted(rows)])
    print(text)
    if "write" in given:
        write_include("field_size", text)


if __name__ == "__main__":
    main(sys.argv[1:])
