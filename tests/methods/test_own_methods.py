"""Methods of others by module and entry point, groups of methods, and hints."""

import sys
from importlib.metadata import EntryPoint

import pytest
from sklearn.pipeline import Pipeline

from skldl.benchmark import Plan, Split, run
from skldl.datasets import expand_datasets, is_at_hand, list_datasets, load
from skldl.ldl import AAkNN
from skldl.methods import _foreign as foreign
from skldl.methods import expand_methods, learner_names, list_methods, make_method

CODE = """
from skldl.ldl import AAkNN
class Mine(AAkNN):
    "One neighbour."
    _grids = {"default": {"n_neighbors": [1, 2]}}
    def __init__(self, n_neighbors=1):
        super().__init__(n_neighbors)
ready = AAkNN(4)
def make(n_neighbors=6):
    return AAkNN(n_neighbors)
class NotOne:
    pass
number = 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a module of mine, in which commands run."""
    (tmp_path / "own_kit.py").write_text(CODE)
    (tmp_path / "broken_kit.py").write_text("import nothing_of_this_name")
    (tmp_path / "wrong_kit.py").write_text("1 / 0")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in ("own_kit", "broken_kit", "wrong_kit"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("place", ["own_kit", "own_kit.py", "./own_kit.py"])
def test_a_class_of_mine_is_a_method(folder, place):
    method = make_method(f"standard+{place}:Mine(n_neighbors=2)")
    assert isinstance(method.estimator, Pipeline)
    assert [name for name, _ in method.estimator.steps] == ["standard", "mine"]
    assert method.estimator[-1].n_neighbors == 2
    assert method.grid == {"mine__n_neighbors": [1, 2]}
    assert make_method(f"{place}:ready").estimator.n_neighbors == 4
    assert make_method(f"{place}:make(n_neighbors=9)").estimator.n_neighbors == 9


def test_it_runs_in_worker_processes(folder):
    plan = Plan(["synthetic"], ["own_kit.py:Mine"], Split(n_splits=2))
    rows = run(plan, engine="process", n_jobs=1)
    assert (rows["status"] == "ok").all(), rows["message"].unique()
    assert set(rows["method"]) == {"own_kit.py:Mine", "MeanDistribution"}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "nowhere_kit:Mine",
            "no module 'nowhere_kit'.*among installed packages and in",
        ),
        ("nowhere.py:Mine", "no file nowhere.py"),
        ("own_kit:Mne", "has no 'Mne'. Did you mean 'Mine'"),
        ("own_kit:NotOne", "is not an estimator: it has no method fit"),
        ("own_kit:number", "is not a class, a function or an estimator"),
        ("broken_kit:X", "broken_kit cannot be imported: No module named 'nothing_of"),
        ("wrong_kit:X", "cannot be imported: ZeroDivisionError"),
        (":Mine", "module:Class"),
        ("own_kit:Mine(k=3)", "Wrong settings for own_kit:Mine: there is no 'k'"),
    ],
)
def test_what_is_wrong_is_said(folder, spec, message):
    with pytest.raises(ValueError, match=message):
        make_method(spec)


@pytest.fixture
def plug_ins(folder, monkeypatch):
    group = foreign.ENTRY_POINTS
    entries = {
        "KitMethod": EntryPoint("KitMethod", "own_kit:Mine", group),
        "KitBroken": EntryPoint("KitBroken", "own_kit:Nothing", group),
        "AAkNN": EntryPoint("AAkNN", "own_kit:Mine", group),
    }
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    foreign.plug_ins.cache_clear()
    monkeypatch.setattr(foreign, "entry_points", lambda group: entries.values())
    yield
    foreign.plug_ins.cache_clear()


def test_packages_offer_methods_by_entry_points(plug_ins):
    assert "KitMethod" in list_methods()
    assert type(make_method("kit-method").estimator).__name__ == "Mine"
    assert type(make_method("AAkNN").estimator) is AAkNN  # ours keep their names
    with pytest.raises(
        ValueError, match=r"'KitBroken' of .*own_kit:Nothing.*cannot be"
    ):
        make_method("KitBroken")
    with pytest.raises(ValueError, match="Did you mean 'KitMethod'"):
        make_method("KitMethd")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("knn", "'AAkNN', 'LDkNN' or 'LWkNN'"),
        ("auto", "'AutoLDL'"),
        ("AAkN", "'AAkNN'"),
        ("mlknn2", "'MLkNN'"),
        ("standrd", "'standard'"),
        ("forest", "'RandomForestLDL'"),
    ],
)
def test_hints_are_of_the_family_that_is_asked_for(name, hint):
    with pytest.raises(ValueError, match=f"Did you mean {hint}"):
        make_method(name)


def test_hints_for_embeddings_are_projections():
    with pytest.raises(ValueError, match="Did you mean 'LPP'"):
        make_method("LP", needs="transform")


@pytest.mark.parametrize(
    "spec",
    ["AAkNN(n_neighbours=3)", "BaggedDistribution(AAkNN(n_neighbours=3))"],
)
def test_wrong_settings_have_a_hint(spec):
    with pytest.raises(
        ValueError, match="no 'n_neighbours'. Did you mean 'n_neighbors'"
    ):
        make_method(spec)


def test_families_stand_for_their_members():
    everyone = expand_methods("all")
    assert everyone == expand_methods(["ldl"])
    assert set(everyone) <= set(learner_names())
    assert "MeanDistribution" not in everyone
    assert not [name for name in everyone if name.endswith("CV")]
    scaled = expand_methods(["standard+all", "AAkNN", "AAkNN"])
    assert scaled == [*(f"standard+{name}" for name in everyone), "AAkNN"]
    made = make_method("AAkNN")
    assert expand_methods([made]) == [made]


def test_kinds_stand_for_data_sets_at_hand():
    here = expand_datasets("all")
    assert here == expand_datasets("distribution")
    assert {"toy", "synthetic"} <= set(here) <= set(list_datasets("distribution").index)
    assert all(is_at_hand(name) for name in here)
    assert set(expand_datasets("classes")) >= {"iris", "wine"}
    assert expand_datasets("SJAFFE") == ["SJAFFE"]


def test_plans_take_the_words():
    plan = Plan("classes", "multilabel")
    assert "iris" in plan.datasets
    assert "MLkNN" in plan.methods
    both = Plan(["toy", "all"], ["ldl", "AAkNN"])
    assert both.datasets[0] == "toy"
    assert len(set(both.datasets)) == len(both.datasets)
    assert len(set(both.methods)) == len(both.methods)


def test_sizes_in_the_list_are_those_of_the_data(real_data):
    table = list_datasets()
    small = ["toy", "synthetic", "iris", "wine", "breast_cancer", "digits"]
    for name in [*small, "SJAFFE", "mulan_emotions"]:
        data = load(name) if name in small else real_data(name)
        sizes = table.loc[name, ["n_samples", "n_features", "n_labels"]].to_list()
        assert sizes == [*data.X.shape, len(data.label_names)], name
