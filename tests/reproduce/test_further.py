"""Tables of metrics that a paper evaluates and does not print."""

import numpy as np

from skldl.reproduce import compare_paper
from skldl.reproduce._columns import make_summary
from skldl.reproduce._further import further_chapters
from skldl.reproduce._papers import get_papers


def summary_of(metrics):
    shared = {"part": "", "features": "raw", "variant": "", "protocol": "honest",
              "n_folds": 10, "n_expected": 10, "std": 0.01}  # fmt: skip
    rows = [
        {**shared, "dataset": dataset, "method": method, "published": published,
         "metric": metric, "mean": mean}
        for dataset, mean in (("SJAFFE", 0.25), ("Yeast_dtt", 0.5))
        for method, published in (("LSELDL", "LSE-LDL"), ("SABFGS", "SA-BFGS"))
        for metric in metrics
    ]  # fmt: skip
    return make_summary([r for r in rows if r["mean"] < 0.5 or r["method"] != "SABFGS"])


def chapters_of(metrics):
    (paper,) = get_papers(["lse-ldl"])
    summary = summary_of(metrics)
    return further_chapters(paper, summary, compare_paper(paper, summary))


def test_metrics_without_published_cells_have_tables_of_their_own():
    (chapter,) = chapters_of(["clark", "chebyshev", "cosine"])
    assert [t.caption.partition(":")[0] for t in chapter.blocks] == [
        "chebyshev", "cosine",
    ]  # fmt: skip
    frame = chapter.blocks[0].frame
    assert list(frame) == ["dataset", "LSE-LDL", "SA-BFGS"]
    # where a method has not run the cell is empty
    assert np.array_equal(
        frame.to_numpy(),
        [
            ["SJAFFE", "0.2500 ± 0.0100", "0.2500 ± 0.0100"],
            ["Yeast_dtt", "0.5000 ± 0.0100", ""],
        ],
    )


def test_no_chapter_where_every_metric_is_published():
    assert chapters_of(["clark", "canberra"]) == []
