"""Saved models come back the same, and crafted files are refused."""

import io
import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
import skops.io
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

import skldl
from archives import parts_of, rewrite, write_parts
from skldl.datasets import make_ldl
from skldl.ldl import LSELDL, PTSVM, SABFGS, AAkNN, LDkNN, LWkNN
from skldl.models import (
    ModelFileError,
    load_model,
    read_header,
    save_model,
    trusted_types,
)
from skldl.models._support import check_state
from skldl.models._trust import check_schema
from skldl.multilabel import IBLR, MLkNN
from skldl.projection import MSLP, JPlay
from skldl.testing._instances import instances

X, D = make_ldl(60, 4, 3, random_state=0)
X = pd.DataFrame(np.abs(X) + 0.1, columns=["a", "b", "c", "d"])
D = pd.DataFrame(D, columns=["joy", "fear", "calm"])
Y = (D > 0.33).astype(int)
CLASSES = D.idxmax(axis=1)


@pytest.fixture
def saved(tmp_path):
    model = make_pipeline(StandardScaler(), SABFGS(reg=0.01)).fit(X, D)
    return save_model(
        model, tmp_path / "m.skldl", y=D, method="standard+SABFGS", data="votes",
        normalized=True, seed=3, tuned=True,
    )  # fmt: skip


def fitted(model):
    for target in (D, Y, CLASSES):
        try:
            return model.fit(X, target), target
        except ValueError:
            continue
    raise AssertionError(f"{model} takes no target")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "model",
    [m for m in instances() if not type(m).__name__.endswith("CV")],
    ids=lambda m: str(m)[:40],
)
def test_every_estimator_comes_back_the_same(model, tmp_path):
    model, target = fitted(model)
    again = load_model(save_model(model, tmp_path / "m", y=target))
    assert again.header.feature_names == list("abcd")
    if hasattr(model, "predict"):
        expected = model.predict(X)
        if again.header.target == "indicator":
            expected = model.predict_proba(X)
        got = again.predict(X[["c", "a", "d", "b"]])
        assert_array_equal(got.to_numpy(), expected)
    else:
        assert_array_equal(again.transform(X).to_numpy(), model.transform(X))


OLD_NAMES = {
    LSELDL: {"latent_coef_": "coef_", "latent_intercept_": "intercept_"},
    LWkNN: {"neighbor_coef_": "coef_"},
    LDkNN: {"neighbor_coef_": "coef_"},
    IBLR: {"label_coef_": "coef_"},
    JPlay: {"latent_coef_": "coef_"},
}


def test_header(saved):
    header = read_header(saved)
    assert header.label_names == ["joy", "fear", "calm"]
    assert header.feature_names == list("abcd")
    assert header.n_samples == 60
    assert (header.target, header.method) == ("distribution", "standard+SABFGS")
    assert header.normalized
    assert header.tuned
    assert header.seed == 3
    assert header.params["sabfgs__reg"] == 0.01
    assert header.versions["scikit-ldl"] == skldl.__version__
    assert_allclose(header.label_means, D.mean())
    assert header.created.endswith("+00:00")
    assert load_model(saved).header == header


def test_columns_are_matched_by_name_and_extra_ones_told_once(saved, recwarn):
    model = load_model(saved)
    expected = model.predict(X)
    mixed = X[["d", "b", "a", "c"]].assign(id=range(60), note="text")
    with pytest.warns(UserWarning, match="ignored: id, note"):
        got = model.predict(mixed)
    pd.testing.assert_frame_equal(got, expected)
    model.predict(mixed)  # a second warning would be an error
    assert_array_equal(model.predict(X.to_numpy()), expected)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (X[["a", "b"]], "lacks 2: c, d"),
        (X.rename(columns={"c": "cc"}), "lacks 1: c.*Did you rename 'c' to 'cc'"),
        (pd.concat([X, X[["a"]]], axis=1), "more than one column 'a'"),
        (X.assign(b="text"), "'b' must contain numbers, but row 0 has 'text'"),
        (X.assign(b=X["b"].where(X.index != 5)), "'b' has a missing value in row 5"),
        (
            X.assign(b=X["b"].where(X.index != 5, np.inf)),
            "'b' contains infinity in row 5",
        ),
        (X.to_numpy()[:, :2], "wants 4 columns"),
        (X["a"].to_numpy(), "wants 4 columns"),
    ],
)
def test_wrong_columns(saved, table, words):
    with pytest.raises(ValueError, match=words):
        load_model(saved).predict(table)


def test_other_targets(tmp_path):
    sets = load_model(save_model(MLkNN(3).fit(X, Y), tmp_path / "a", y=Y))
    assert sets.header.target == "indicator"
    assert sets.predict(X).max().max() <= 1
    classes = SVC().fit(X, CLASSES)
    model = load_model(save_model(classes, tmp_path / "b", y=CLASSES))
    assert model.header.target == "classes"
    assert_array_equal(model.predict(X), classes.predict(X))
    one_hot = pd.get_dummies(CLASSES).astype(float)
    hot = save_model(AAkNN(3).fit(X, one_hot), tmp_path / "c", y=one_hot)
    assert read_header(hot).target == "distribution"
    plain = save_model(MSLP(2).fit(X.to_numpy(), D.to_numpy()), tmp_path / "d")
    assert read_header(plain).feature_names == ["0", "1", "2", "3"]
    assert read_header(plain).n_samples == 0


def test_what_cannot_be_saved(tmp_path):
    path = tmp_path / "m"
    with pytest.raises(NotFittedError):
        save_model(AAkNN(), path)
    search = GridSearchCV(AAkNN(), {"n_neighbors": [2, 3]}).fit(X, D)
    odd = make_pipeline(FunctionTransformer(np.log1p), SABFGS(reg=1.0)).fit(X, D)
    # every part of this one is trusted, but it would call a type when it predicts
    typed = make_pipeline(FunctionTransformer(), SABFGS(reg=1.0)).fit(X, D)
    typed[0].func = list
    for model in (search, odd, typed, KNeighborsClassifier(1).fit(X, CLASSES)):
        with pytest.raises(ValueError, match="cannot be saved safely"):
            save_model(model, path)
    assert not list(tmp_path.iterdir())
    brute = KNeighborsClassifier(1, algorithm="brute").fit(X, CLASSES)
    load_model(save_model(brute, path, y=CLASSES))


def test_a_failed_write_leaves_the_old_file(saved, monkeypatch):
    before = saved.read_bytes()

    def full(self, target):
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(OSError, match=r"No space left.*m\.skldl'"):
        save_model(SABFGS(reg=0.1).fit(X, D), saved)
    assert saved.read_bytes() == before
    assert [p.name for p in saved.parent.iterdir()] == ["m.skldl"]


def header_with(path, **changes):
    with zipfile.ZipFile(path) as archive:
        facts = json.loads(archive.read("header.json"))
    return json.dumps({**facts, **changes}).encode()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": 1}, "has format 1, but this version .* reads format 2"),
        ({"format": "x"}, "header is incomplete"),
        ({"versions": {"scikit-ldl": "7.0.1"}}, "written by scikit-ldl 7.0.1.*major"),
        ({"versions": {}}, "no version"),
        ({"label_names": "abc"}, "invalid values"),
        ({"label_names": ["a", 1, "c"]}, "invalid values"),
        ({"feature_names": ["a", "a", "b", "c"]}, "invalid values"),
        ({"target": "numbers"}, "invalid values"),
        ({"label_means": [1.0]}, "invalid values"),
        ({"params": []}, "invalid values"),
        ({"feature_names": ["a"]}, "parts do not match"),
        ({"label_names": ["a", "b"], "label_means": []}, "parts do not match"),
    ],
)
def test_wrong_headers(saved, changes, words):
    rewrite(saved, {"header.json": header_with(saved, **changes)})
    with pytest.raises(ModelFileError, match=words):
        load_model(saved)


def test_a_later_header_may_say_more(saved):
    rewrite(saved, {"header.json": header_with(saved, mood="good")})
    load_model(saved)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2\n", "is not a model"),
        (b"PK\x03\x04 and so on", "damaged or was cut off"),
        (pickle.dumps({"a": 1}), "is not a model"),
    ],
)
def test_other_files(tmp_path, content, words):
    path = tmp_path / "m.skldl"
    path.write_bytes(content)
    for read in (load_model, read_header):
        with pytest.raises(ModelFileError, match=words):
            read(path)


def test_missing_cut_and_foreign_files(saved, tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        load_model(tmp_path / "none")
    with pytest.raises(ModelFileError, match="folder"):
        load_model(tmp_path)
    content = saved.read_bytes()
    saved.write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelFileError, match="damaged or was cut off"):
        load_model(saved)
    saved.write_bytes(skops.io.dumps(SABFGS(reg=1.0).fit(X, D)))
    with pytest.raises(ModelFileError, match="no header"):
        load_model(saved)
    saved.write_bytes(content)
    rewrite(saved, {"header.json": b"{"})
    with pytest.raises(ModelFileError, match="header is not JSON"):
        load_model(saved)


def test_oversize(saved):
    with pytest.raises(ModelFileError, match="more than the 0 MB allowed"):
        load_model(saved, max_size=1000)
    rewrite(saved, {"zeros.npy": bytes(30_000_000)})  # packed it is small
    assert saved.stat().st_size < 200_000
    with pytest.raises(ModelFileError, match="MB of memory"):
        load_model(saved, max_size=10_000_000)


def schema(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("schema.json"))


def test_one_part_read_many_times_counts_many_times(saved):
    tree = schema(saved)
    with zipfile.ZipFile(saved) as archive:
        part = next(n for n in archive.namelist() if n.endswith(".npy"))
    node = {"__class__": "ndarray", "__module__": "numpy", "__loader__": "NdArrayNode",
            "type": "numpy", "file": part}  # fmt: skip
    tree["many"] = [node] * 2000
    rewrite(saved, {"schema.json": json.dumps(tree).encode()})
    with pytest.raises(ModelFileError, match="MB of memory"):
        load_model(saved, max_size=200_000)
    tree["many"] = [{**node, "file": "nowhere.npy"}]
    rewrite(saved, {"schema.json": json.dumps(tree).encode()})
    with pytest.raises(ModelFileError, match="part of it is missing"):
        load_model(saved)


def test_a_packed_sparse_matrix_counts_unpacked(tmp_path):
    model = MLkNN(3).fit(X, Y)
    model._labels = sp.csr_matrix(model._labels)  # not all versions pack arrays
    path = save_model(model, tmp_path / "m", y=Y)
    with zipfile.ZipFile(path) as archive:
        part = next(n for n in archive.namelist() if n.endswith(".npz"))
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as inner:
        inner.writestr("data.npy", bytes(50_000_000))
    rewrite(path, {part: bomb.getvalue()})
    with pytest.raises(ModelFileError, match="MB of memory"):
        load_model(path, max_size=20_000_000)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_indices_outside_a_sparse_matrix_are_refused(tmp_path, kind):
    model = MLkNN(3).fit(X, Y)
    model._labels = kind(model._labels)
    model._labels.indices[0] = 10**6
    with pytest.raises(ValueError, match="indices|indexes|column"):
        save_model(model, tmp_path / "m", y=Y)
    content = io.BytesIO(skops.io.dumps(model))
    good = save_model(MLkNN(3).fit(X, Y), tmp_path / "m", y=Y)
    write_parts(good, parts_of(content) | {"header.json": header_with(good)})
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(good)


@pytest.mark.parametrize(
    ("module", "name", "loader"),
    [
        ("os", "system", "FunctionNode"),
        ("builtins", "eval", "TypeNode"),
        ("skldl.datasets._home", "_from_package", "FunctionNode"),
        ("sklearn.tree._tree", "Tree", "TreeNode"),
        ("subprocess", "Popen", "ConstructorFromReduceNode"),
    ],
)
def test_unknown_types_are_named_and_not_loaded(saved, module, name, loader):
    tree = schema(saved)
    tree["extra"] = {"__class__": name, "__module__": module, "__loader__": loader}
    rewrite(saved, {"schema.json": json.dumps(tree).encode()})
    with pytest.raises(ModelFileError, match=f"not trusted: {module}.{name}"):
        load_model(saved)


def test_trusted_types_in_untrusted_ways(saved):
    tree = schema(saved)
    tree["extra"] = {"__class__": "str", "__module__": "builtins",
                     "__loader__": "MethodNode"}  # fmt: skip
    rewrite(saved, {"schema.json": json.dumps(tree).encode()})
    with pytest.raises(ModelFileError, match="ways that are not trusted: MethodNode"):
        load_model(saved)


def test_what_was_checked_is_what_is_loaded(saved, tmp_path, monkeypatch):
    other = save_model(AAkNN().fit(X, D), tmp_path / "other.skldl", y=D)

    def swap(*arguments):
        check_schema(*arguments)
        other.replace(saved)

    monkeypatch.setattr("skldl.models._saved.check_schema", swap)
    assert isinstance(load_model(saved).estimator[-1], SABFGS)


def test_a_type_may_be_trusted_by_name(saved):
    model = LogisticRegression().fit(X, CLASSES)
    content = io.BytesIO(skops.io.dumps(model))
    name = "sklearn.linear_model._logistic.LogisticRegression"
    assert name in trusted_types()
    other = make_pipeline(FunctionTransformer(np.log1p), SABFGS(reg=1.0)).fit(X, D)
    content = io.BytesIO(skops.io.dumps(other))
    write_parts(saved, parts_of(content) | {"header.json": header_with(saved)})
    with pytest.raises(ModelFileError, match="numpy.*log1p"):
        load_model(saved)
    extra = [
        "sklearn.preprocessing._function_transformer.FunctionTransformer",
        f"{type(np.log1p).__module__}.ufunc",
        *(f"{module}.log1p" for module in ("numpy", "numpy.core._multiarray_umath")),
    ]
    with pytest.raises(ModelFileError, match="calls a function"):
        load_model(saved, trusted=extra[1:])
    assert_array_equal(load_model(saved, trusted=extra).predict(X), other.predict(X))


def test_a_pickle_inside_is_not_opened(saved, tmp_path):
    class Payload:
        def __reduce__(self):
            return (open, (str(tmp_path / "owned"), "w"))

    with zipfile.ZipFile(saved) as archive:
        part = next(n for n in archive.namelist() if n.endswith(".npy"))
    array = io.BytesIO()
    np.save(array, np.array([Payload()], dtype=object), allow_pickle=True)
    for content in (pickle.dumps(Payload()), array.getvalue()):
        rewrite(saved, {part: content})
        with pytest.raises(ModelFileError, match="damaged"):
            load_model(saved)
        assert not (tmp_path / "owned").exists()


def test_another_scikit_learn_is_said_once(saved):
    with zipfile.ZipFile(saved) as archive:
        text = archive.read("schema.json").decode()
    text = text.replace(f'\\"{sklearn.__version__}\\"', '\\"1.2.0\\"')
    rewrite(saved, {"schema.json": text.encode()})
    with pytest.warns(UserWarning, match="fitted with scikit-learn") as caught:
        load_model(saved)
    assert len(caught) == 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_support_vectors_that_do_not_fit_together():
    machine = SVC().fit(X, CLASSES)
    check_state(machine)
    check_state(PTSVM(random_state=0).fit(X, D))
    machine._n_support = machine._n_support + 1
    with pytest.raises(ValueError, match="support vectors"):
        check_state([{"a": machine}])
    machine = SVC().fit(X, CLASSES)
    machine.support_vectors_ = machine.support_vectors_[:, :2]
    with pytest.raises(ValueError, match="support vectors"):
        check_state(make_pipeline(StandardScaler(), machine))
