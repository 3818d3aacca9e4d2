"""The learners of the published tables on all data sets at hand: ten folds."""

from skldl.benchmark import Split
from skldl.methods import learner_names
from skldl.reproduce._protocol import Paper, Part, both
from skldl.reproduce.papers.lse import DATASETS as LSE_DATASETS
from skldl.reproduce.papers.lse import LARGE

# the cheapest first
DATASETS = [*LSE_DATASETS[:-2], "M2B", "SCUT_FBP", *LSE_DATASETS[-2:], *LARGE]


def parts(quick: bool) -> list[Part]:
    """All learners as they were stored; the jobs are those of the papers' tables."""
    made = [e for name in learner_names() for e in both(name)]
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
