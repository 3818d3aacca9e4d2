"""Tables of measurements: CSV files, text for the guide, the machine, pictures."""

import csv
import json
import os
import platform
from pathlib import Path

RESULTS = Path(
    os.environ.get("SKLDL_BENCH_RESULTS") or Path(__file__).parent / "results"
)

GUIDE = Path(__file__).parents[1] / "docs" / "guide"


def machine():
    """What the numbers were measured on."""
    import numpy
    import scipy
    import sklearn

    import skldl

    model = ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [x for x in info.read_text().splitlines() if x.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else ""
    return {
        "processor": model or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "scikit-ldl": skldl.__version__,
        "threads": os.environ.get("OMP_NUM_THREADS", "not fixed"),
    }


def read(name):
    """Rows of a table, numbers as numbers; none if it is not there."""
    path = RESULTS / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [{k: _number(v) for k, v in row.items()} for row in csv.DictReader(file)]


def _number(text):
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def write(name, rows):
    """Replace a table, and say on what it was measured."""
    RESULTS.mkdir(exist_ok=True)
    heads = list(dict.fromkeys(key for row in rows for key in row))
    with (RESULTS / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, heads, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: _short(v) for k, v in row.items()})
    text = json.dumps(machine(), indent=1) + "\n"
    (RESULTS / f"{name}.machine.json").write_text(text)


def append(name, rows, keys):
    """Put rows into a table in place of those with the same keys."""
    new = {tuple(row[k] for k in keys) for row in rows}
    old = [r for r in read(name) if tuple(r[k] for k in keys) not in new]
    write(name, [*old, *rows])


def _short(value):
    return f"{value:.4g}" if isinstance(value, float) else value


def text(rows):
    """A simple table, for reStructuredText and for reading."""
    if not rows:
        return ""
    heads = list(dict.fromkeys(key for row in rows for key in row))
    return rst(heads, [[_cell(row.get(h, "")) for h in heads] for row in rows])


def _cell(value):
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def rst(heads, rows):
    """Cells that are texts already, as a table of reStructuredText."""
    # not above: processes that are measured must not pay for pandas and matplotlib
    import pandas as pd

    from skldl.report import to_rst

    return to_rst(pd.DataFrame(rows, columns=heads))


def write_include(name, text):
    """Put a table into the guide."""
    (GUIDE / f"{name}.inc").write_text(text, encoding="utf-8")


def show(name):
    """Print a table and give its rows."""
    rows = read(name)
    print(text(rows))
    return rows


def growth_exponents():
    """Slopes in double logarithms, for each method and what was varied."""
    import numpy as np

    rows, found = read("growth"), []
    for name, vary in dict.fromkeys((r["method"], r["varied"]) for r in rows):
        own = [r for r in rows if (r["method"], r["varied"]) == (name, vary)]
        size = np.log([r[vary] for r in own])
        if len(own) < 2:
            continue
        slopes = [
            float(np.polyfit(size, np.log([max(r[c], 1e-3) for r in own]), 1)[0])
            for c in ("cpu_s", "extra_mb")
        ]
        found.append(
            {"method": name, "in": vary, "time": slopes[0], "memory": slopes[1]}
        )
    return found


def ten_million():
    """What ten million rows would take, from the measured fits of each method.

    CPU time grows from the largest by the measured exponent (1 if it was less), memory
    along the line through the smallest and the largest.
    """
    import numpy as np

    found, rows, goal = [], read("large"), 10_000_000
    for name in dict.fromkeys(r["method"] for r in rows):
        own = sorted((r for r in rows if r["method"] == name), key=lambda r: r["rows"])
        first, last = own[0], own[-1]
        growth = last["rows"] / first["rows"]
        if growth == 1:
            continue
        power = float(np.log(last["fit_cpu_s"] / first["fit_cpu_s"]) / np.log(growth))
        seconds = last["fit_cpu_s"] * (goal / last["rows"]) ** max(power, 1.0)
        slope = last["peak_gib"] - first["peak_gib"]
        slope /= last["rows"] - first["rows"]
        found.append(
            {
                "method": name,
                "measured rows": last["rows"],
                "exponent": power,
                "fit CPU hours": seconds / 3600,
                "memory GiB": last["peak_gib"] + slope * (goal - last["rows"]),
            }
        )
    return found
