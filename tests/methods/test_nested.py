"""Models inside models by name."""

import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from skldl.benchmark import Plan, Split, run
from skldl.cli import main
from skldl.ldl import LDLLC, DistributionRegressor, StackedDistribution
from skldl.methods import make_method
from skldl.models import load_model


def made(spec):
    return make_method(spec).estimator


def test_a_model_of_scikit_learn():
    model = made(
        "DistributionRegressor(RandomForestRegressor(n_estimators=20), link='clr')"
    )
    assert isinstance(model, DistributionRegressor)
    assert isinstance(model.regressor, RandomForestRegressor)
    assert (model.regressor.n_estimators, model.link) == (20, "clr")
    soft = made(
        "soft_label-classifier(HistGradientBoostingClassifier(), how='weights')"
    )
    assert isinstance(soft.classifier, HistGradientBoostingClassifier)
    assert isinstance(made("DistributionRegressor(Ridge)").regressor, Ridge)


def test_chains_inside():
    model = made("minmax+SoftLabelClassifier(classifier=standard+SVC(C=2.0, tol=-1))")
    inner = model[-1].classifier
    assert isinstance(inner, Pipeline)
    assert [name for name, _ in inner.steps] == ["standard", "svc"]
    assert isinstance(inner[-1], SVC)
    assert (inner[-1].C, inner[-1].tol) == (2.0, -1)


def test_lists_of_members():
    model = made(
        "StackedDistribution([LDLLC, standard+AAkNN, AAkNN(n_neighbors=3)], cv=3)"
    )
    assert isinstance(model, StackedDistribution)
    assert [name for name, _ in model.estimators] == ["ldllc", "aaknn", "aaknn2"]
    assert isinstance(model.estimators[0][1], LDLLC)
    assert isinstance(model.estimators[1][1], Pipeline)
    assert model.estimators[2][1].n_neighbors == 3
    assert model.cv == 3
    deep = made("BaggedDistribution(DistributionRegressor(Ridge(alpha=3)))")
    assert deep.estimator.regressor.alpha == 3


def test_nested_settings_and_grids():
    method = make_method(
        "standard+DistributionRegressor(Ridge())",
        params={"regressor__alpha": 5.0},
        grid={"regressor__alpha": [1.0, 2.0]},
    )
    assert method.estimator[-1].regressor.alpha == 5.0
    assert list(method.grid) == ["distributionregressor__regressor__alpha"]
    assert make_method("DistributionRegressor(Ridge())").grid == {
        "link": ["clip", "clr"]
    }


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("DistributionRegressor(Ridgee())", "unknown model 'Ridgee'; did you mean Rid"),
        ("DistributionRegressor(open('x'))", "unknown model 'open'"),
        ("DistributionRegressor(__import__('os').system('ls'))", "not a literal"),
        ("DistributionRegressor(lambda: 3)", "not a literal"),
        ("DistributionRegressor([x for x in (1, 2)])", "not a literal"),
        ("DistributionRegressor(Ridge.fit)", "not a literal"),
        ("DistributionRegressor(Ridge(), Ridge())", "settings need names"),
        ("DistributionRegressor(Ridge(), regressor=Ridge())", "settings need names"),
        ("DistributionRegressor(Ridge(aplha=2))", "wrong settings for Ridge"),
        ("DistributionRegressor(3)", "settings need names"),
        ("SoftLabelClassifier(standard+standard+SVC)", "twice"),
        ("MeanDistribution(AAkNN())", "settings need names"),
        ("nothing(AAkNN())", "settings need names"),
        ("RandomForestRegressor", r"Write DistributionRegressor\(RandomForestReg"),
    ],
)
def test_bad_specs(spec, words):
    with pytest.raises(ValueError, match=words):
        make_method(spec)


def test_run_and_command_line(tmp_path):
    specs = [
        "DistributionRegressor(DecisionTreeRegressor(max_depth=2))",
        "StackedDistribution([SABFGS(reg=1.0), standard+AAkNN], cv=2)",
    ]
    plan = Plan(["synthetic"], specs, Split(n_splits=2))
    rows = run(plan, tmp_path / "s.sqlite", engine="serial")
    assert set(specs) <= set(rows["method"])
    assert rows["value"].notna().all()
    path = tmp_path / "m.skldl"
    spec = "DistributionRegressor(Ridge(alpha=2.0))"
    main(["fit", "toy", "-m", spec, "-o", str(path)])
    assert load_model(path).header.params["regressor__alpha"] == 2.0
