"""MSLP, tables 1 to 3: projections and learners on five data sets, ten folds."""

from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.benchmark import Split
from skldl.methods import Method, Tuning
from skldl.projection import MSLP
from skldl.reproduce._peers import SHARES, TunedPeer
from skldl.reproduce._presets import FORMER, MINIMUM, SAME_SEARCH
from skldl.reproduce._protocol import (
    PREFIX,
    SIX_METRICS,
    Entry,
    Features,
    Paper,
    Part,
    both,
    entry,
)

GRID = {
    name: values
    for name, values in MSLP._grids["published"].items()
    if name != "reg_mode"  # which is a setting here, for it depends on the features
}
KNN = {"n_neighbors": [5, 10, 15]}
EMBEDDED = {"aaknn__n_neighbors": [5, 10, 15]}
A_TENTH = "a tenth of the dimensions"
PEERS = ("PCA", "LPP", "NPE", "CCA")
# forms in which only the neighbours of the average are chosen
VARIANTS = [
    ("PCA", "PCA(n_components=0.9)+AAkNN", "90 % of the variance"),
    ("LPP", "LPP(n_components=0.1, kernel='rbf')+AAkNN", "kernel"),
    ("NPE", "NPE(n_components=0.1, kernel='rbf')+AAkNN", "kernel"),
    ("CCA", "CCA+AAkNN", "linear"),
    ("LPP", "LPP(n_components=0.1)+AAkNN", "linear"),
    ("NPE", "NPE(n_components=0.1)+AAkNN", "linear"),
    ("CCA", "CCA(reg=0.1)+AAkNN", "with a ridge"),
]
# their own papers' settings are those that count
LEARNERS = {
    "LDSVR": "LDSVR",
    "BFGS-LDL": "SABFGS",
    "IIS-LDL": "SAIIS",
    "PT-Bayes": "PTBayes",
    "AA-BP": "AABP",
    "CPNN": "CPNN",
    "PT-SVM": "PTSVM(gamma='mean')",
}
FORMS = [
    ("BFGS-LDL", "SABFGS", MINIMUM),
    ("LDSVR", "LDSVR", FORMER),
    ("PT-Bayes", "PTBayes(underflow=True)", FORMER),
    ("AA-BP", "AABP", FORMER),
    ("CPNN", "CPNN", FORMER),
    ("PT-SVM", "PTSVM", FORMER),
    ("PT-Bayes", "PTBayes", "logarithms of densities"),
    ("IIS-LDL", "SAIIS(max_iter=50)", "50 sweeps"),
    ("PT-SVM", "PTSVM(resample=True)", "one over the number of features as gamma"),
]


def _peer(name: str, features: Features) -> Entry:
    """A projection whose kernel, neighbours and share of directions are chosen."""
    model: Any = TunedPeer(name)
    if features == "standardised":
        model = make_pipeline(StandardScaler(), model)
    method = Method(f"{PREFIX[features]}{name}+AAkNN, tuned", model)
    return Entry(method, name, features, name=f"{name}+AAkNN")


def _mslp(features: Features) -> list[Entry]:
    """MSLP with the paper's grid, then with the share that the paper found best."""
    grid, params = dict(GRID), None
    if features == "standardised":  # lambda must be relative to mean anything
        grid["reg"], params = [0.01, 0.1, 1.0, 10.0], {"reg_mode": "relative"}
    alike: dict[str, Any] = {"features": features, "params": params}
    wide = {**grid, "n_components": list(SHARES)}
    label = f"{PREFIX[features]}MSLP, share chosen"
    return [
        entry("MSLP", "MSLP", label=label, grid=wide, **alike),
        entry("MSLP", "MSLP", variant=A_TENTH, grid=grid, **alike),
    ]


def entries() -> list[Entry]:
    """Neighbours and projections with their grids, then the learners as they are."""
    made = both("AAkNN", "AA-KNN", grid=KNN)
    made += [_peer(name, features) for name in PEERS for features in PREFIX]
    made += [form for features in PREFIX for form in _mslp(features)]
    for published, spec in LEARNERS.items():
        made += both(spec, published, preset="published")
    for published, spec, variant in VARIANTS:
        made += both(spec, published, grid=EMBEDDED, variant=variant)
    for published, spec, variant in FORMS:
        made += both(spec, published, variant=variant)
    return made


def parts(quick: bool) -> list[Part]:
    """Give one part: all three tables share the protocol."""
    part = Part(
        "",
        ["Table 1", "Table 2", "Table 3"],
        ["SJAFFE", "M2B", "SCUT_FBP", "Natural_Scene", "SBU_3DFE"],
        entries(),
        Split(n_splits=10),
        Tuning("kl_divergence", 5),
        {**SIX_METRICS},
    )
    return [part.quick() if quick else part]


PAPER = Paper(
    "mslp",
    "MSLP",
    "MSLP: multi-scale locality preserving projection",
    parts,
    notes=[
        "Ten shuffled folds, the same for every method. MSLP searches the grid of the "
        "paper, with 10 % to 100 % of the dimensions, by KL divergence on five folds "
        f"inside the training part. The form '{A_TENTH}' keeps the share that the "
        "paper found best and searches the rest of the grid.",
        "Its peers choose from the values of the paper: the ratio among 10 % to 100 % "
        "of the dimensions (CCA keeps all its directions), five, ten or fifteen "
        "neighbours of LPP, NPE and of the average, and whether there is an rbf "
        "kernel. KL divergence decides on five folds of the training part; if that has "
        "more than 1,000 rows, 1,000 of them train and the others test. The paper does "
        "not say on which data it chose.",
        "Networks are fitted by L-BFGS, in place of the back-propagation and RPROP of "
        "their papers; PT-SVM draws as many examples as there are samples, and its "
        "label columns are in order. The kernels of PT-SVM and LDSVR have the mean "
        "distance of the training samples as their width, as this paper says.",
        SAME_SEARCH,
        "The published intersection of AA-KNN on SJAFFE does not fit the rest of its "
        "row; it is probably a misprint.",
    ],
    control="MSLP",
    alpha=0.1,  # "90 % significance level"
)
