"""The learners of the published tables on all data sets at hand: ten folds."""

from skldl.benchmark import Split
from skldl.methods import learner_names
from skldl.reproduce._protocol import Paper, Part, both, last_of
from skldl.reproduce.papers import lse, lwknn, mslp

# the cheapest first
DATASETS = [*lse.DATASETS[:-2], "M2B", "SCUT_FBP", *lse.DATASETS[-2:], *lse.LARGE]


def tabled() -> list[str]:
    """Give the learners that the papers' tables have."""
    known = {
        type(last_of(entry.method.estimator)).__name__
        for paper in (mslp, lse, lwknn)
        for part in paper.PAPER.parts()
        for entry in part.entries
    }
    return [name for name in learner_names() if name in known]


def parts(quick: bool) -> list[Part]:
    """Learners as they were stored; the jobs are those of the papers' tables."""
    made = [e for name in tabled() for e in both(name)]
    part = Part("", [], DATASETS, made, Split(n_splits=10))
    return [part.quick() if quick else part]


PAPER = Paper(
    "field",
    "",
    "The field: the learners of the tables with their former defaults",
    parts,
    notes=[
        "Ten shuffled folds; every learner with the default parameters that it had "
        "when these tables were run, nothing tuned. Some defaults are better now.",
    ],
)
