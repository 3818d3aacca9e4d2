"""Fits of blocks equal those of the whole."""

import pickle
import weakref

import cloudpickle
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning

from skldl.blocks import Blocks, predict_blocks, survey_target
from skldl.datasets import make_ldl
from skldl.ldl import SABFGS, AAkNN
from skldl.linalg import Center, centered, graph_products
from skldl.projection import CCA, LPP, MSLP, NPE, GraphEmbedding
from skldl.projection._block_products import correlation_products, moments

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

X, D = make_ldl(240, 7, 4, random_state=3)
X = X + np.arange(7) * 3.0  # means that matter
X[:, 2] = 0.1  # a constant column
Y = (D > 0.25).astype(float)
CLASSES = np.array(["cat", "dog", "eel"])[np.arange(240) % 3]
CUTS = {
    "one": [240],
    "ragged": [1, 3, 100, 36, 100],
    "empty": [0, 60, 0, 180, 0],
    "even": [48] * 5,
}
PROJECTIONS = {
    "CCA": (CCA(2), D),
    "CCA, ridge": (CCA(3, reg=0.1), Y),
    "CCA, classes": (CCA(2), CLASSES),
    "GraphEmbedding, generalized_hamming": (GraphEmbedding(3), Y),
    "GraphEmbedding, generalized_hamming, scatter": (
        GraphEmbedding(3, constraint="scatter"),
        Y,
    ),
    "GraphEmbedding, hamming": (GraphEmbedding(3, label_distance="hamming"), Y),
    "GraphEmbedding, classes": (GraphEmbedding(2, label_distance="hamming"), CLASSES),
    "GraphEmbedding, sqeuclidean_y": (
        GraphEmbedding(2, label_distance="sqeuclidean_y"),
        D,
    ),
    "GraphEmbedding, sqeuclidean_x": (
        GraphEmbedding(2, label_distance="sqeuclidean_x"),
        D,
    ),
    "GraphEmbedding, euclidean_y": (GraphEmbedding(2, label_distance="euclidean_y"), Y),
    "GraphEmbedding, own distance": (
        GraphEmbedding(2, label_distance=lambda a, b: cdist(a, b)),
        Y,
    ),
    "LPP": (LPP(3), None),
    "LPP, not centred": (LPP(3, center=False), None),
    "NPE": (NPE(3), None),
    "MSLP": (MSLP(3), D),
    "MSLP, centred": (MSLP(3, center=True), D),
    "MSLP, classes": (MSLP(2), CLASSES),
}


def cut(X, y, sizes):
    ends = np.cumsum(sizes)
    parts = [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
    return [X[p] if y is None else (X[p], y[p]) for p in parts]


def assert_same(first, second):
    for name in ("components_", "eigenvalues_", "mean_"):
        a, b = getattr(first, name), getattr(second, name)
        if a is None or b is None:
            assert a is b
        else:
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-8 * np.abs(a).max())


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize("name", PROJECTIONS)
def test_projections_of_blocks_are_those_of_the_whole(name, cuts):
    model, y = PROJECTIONS[name]
    model = clone(model).fit(X) if y is None else clone(model).fit(X, y)
    again = clone(model).fit(Blocks(cut(X, y, CUTS[cuts])))
    assert_same(model, again)
    np.testing.assert_allclose(again.transform(X), model.transform(X), atol=1e-8)


@pytest.mark.parametrize("name", PROJECTIONS)
def test_projections_of_dask_arrays(name):
    model, y = PROJECTIONS[name]
    lazy = da.from_array(X, chunks=((100, 20, 120), (3, 4)))
    rows = None if y is None else da.from_array(y, chunks=(60, *(-1,) * (y.ndim - 1)))
    blocked = clone(model).fit(lazy, rows)
    whole = model.fit(X) if y is None else model.fit(X, y)
    assert_same(whole, blocked)


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"fit_intercept": True},
        {"reg": 0.5, "fit_intercept": True, "precondition": False},
    ],
    ids=str,
)
def test_maxent_of_blocks_is_that_of_the_whole(settings, cuts):
    model = SABFGS(tol=1e-9, max_iter=2000, **settings)
    Z = np.delete(X - X.mean(axis=0), 2, axis=1) / 2
    whole = model.fit(Z, D)
    blocked = clone(model).fit(Blocks(cut(Z, D, CUTS[cuts])))
    np.testing.assert_allclose(blocked.coef_, whole.coef_, atol=1e-8)
    np.testing.assert_allclose(blocked.objective_, whole.objective_, rtol=1e-10)
    np.testing.assert_allclose(blocked.predict(Z), whole.predict(Z), atol=1e-8)


def test_maxent_of_sparse_and_of_dask_blocks():
    Z = np.where(np.median(X, axis=0) < X, X - X.mean(axis=0), 0.0)
    whole = SABFGS(0.1, fit_intercept=True, tol=1e-9, max_iter=1000).fit(Z, D)
    sparse = sp.csr_array(Z)
    parts = [(sparse[:100], D[:100]), (sparse[100:], D[100:])]
    blocked = clone(whole).fit(Blocks(parts))
    np.testing.assert_allclose(blocked.coef_, whole.coef_, atol=1e-8)
    lazy = da.from_array(Z, chunks=(70, 7)), da.from_array(D, chunks=(70, 4))
    blocked = clone(whole).fit(*lazy)
    np.testing.assert_allclose(blocked.coef_, whole.coef_, atol=1e-8)


@pytest.mark.parametrize("model", [CCA(2), GraphEmbedding(2), LPP(2), MSLP(2)], ids=str)
def test_sparse_blocks_of_projections(model):
    Z = np.where(X > 1, X, 0.0)
    y = [] if isinstance(model, LPP) else [D]
    whole = clone(model).fit(Z, *y)
    blocks = Blocks(sp.csr_array(Z), *y, block_rows=77)
    assert_same(whole, model.fit(blocks))


def test_fits_of_dask_frames():
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(7)])
    labels = pd.DataFrame(D, columns=list("abcd"))
    lazy = [dd.from_pandas(part, npartitions=3) for part in (frame, labels)]
    model = CCA(2).fit(*lazy)
    assert_same(CCA(2).fit(X, D), model)
    assert list(model.feature_names_in_) == list(frame.columns)
    classes = dd.from_pandas(pd.Series(CLASSES), npartitions=3)
    assert_same(CCA(2).fit(X, CLASSES), CCA(2).fit(lazy[0], classes))


@pytest.mark.parametrize("name", [n for n in PROJECTIONS if "classes" not in n])
def test_the_parts_of_sums_can_travel(name, monkeypatch):
    """Workers of a cluster get functions by pickle."""
    reduce = Blocks.reduce

    def travelled(self, function, combine=None):
        parts = cloudpickle.dumps((function, combine))
        return reduce(self, *pickle.loads(parts))

    monkeypatch.setattr(Blocks, "reduce", travelled)
    model, y = PROJECTIONS[name]
    whole = model.fit(X) if y is None else model.fit(X, y)
    again = clone(model).fit(Blocks(cut(X, y, CUTS["even"])))
    assert_same(whole, again)


def test_float32_rows_stay_float32_and_give_the_same_projection():
    single = X.astype(np.float32)
    rows, target = Blocks(single, D, block_rows=50).gather()
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, single)
    np.testing.assert_array_equal(target, D)
    for model, y in (
        (MSLP(3, center=True), [D]),
        (GraphEmbedding(3), [Y]),
        (LPP(3), []),
        (NPE(3), []),
    ):
        double = clone(model).fit(single.astype(float), *y)
        assert_same(double, model.fit(single, *y))


@pytest.mark.parametrize(
    "model", [CCA(2), GraphEmbedding(3), SABFGS(0.1)], ids=lambda m: type(m).__name__
)
def test_only_one_block_is_alive_at_a_time(model):
    held, most, passes = [], [0], [0]

    def read():
        passes[0] += 1
        for start in range(0, 240, 24):
            rows = X[start : start + 24].copy()
            held.append(weakref.ref(rows))
            most[0] = max(most[0], sum(ref() is not None for ref in held))
            yield rows, D[start : start + 24]
            del rows

    model.fit(Blocks(read))
    assert passes[0] >= 2
    assert most[0] <= 2, "the next block was made while older ones were still held"


def test_feature_and_label_names():
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(7)])
    labels = pd.DataFrame(D, columns=list("abcd"))
    parts = [(frame[:100], labels[:100]), (frame[100:], labels[100:])]
    for model in (CCA(2), GraphEmbedding(2), MSLP(2), SABFGS(0.1)):
        model.fit(Blocks(parts))
        assert list(model.feature_names_in_) == list(frame.columns)
        assert model.n_features_in_ == 7
        if hasattr(model, "classes_"):
            assert list(model.classes_) == list("abcd")
    model.fit(Blocks(X, D))
    assert not hasattr(model, "feature_names_in_")
    with pytest.raises(ValueError, match="Block 1 names its columns"):
        CCA().fit(Blocks([parts[0], (frame[100:].iloc[:, ::-1], labels[100:])]))
    with pytest.raises(ValueError, match="different labels"):
        CCA().fit(Blocks([parts[0], (frame[100:], labels[100:].iloc[:, ::-1])]))


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        (lambda: Blocks(iter([X])), "read only once"),
        (lambda: Blocks([(X, D), (X[:, 1:], D)]), "Block 1 has 6 features"),
        (lambda: Blocks([(X, D), X]), "Block 1 has no target"),
        (lambda: Blocks([(X, D[1:])]), "Block 0 has 240 rows of X, but 239 of y"),
        (lambda: Blocks([(X, D), (X * np.nan, D)]), "X of block 1 contains NaN"),
        (lambda: Blocks([(X, D), (X, -D)]), "Block 1: y must be non-negative"),
        (lambda: Blocks([(X, D), (X, CLASSES)]), "vectors and others are matrices"),
        (
            lambda: Blocks([(X, CLASSES), (X, np.arange(240) % 3)]),
            "text and others contain numbers",
        ),
        (lambda: Blocks([(X[0], D[0])]), "two dimensions"),
        (lambda: Blocks([(X, D[:, :1])]), "single column"),
        (lambda: Blocks([(X[:0], D[:0])]), "no samples"),
        (lambda: Blocks([]), "no samples"),
        (lambda: Blocks(X, D[:5]), "240 rows, but y has 5"),
        (lambda: Blocks([X], D), "pairs"),
        (lambda: Blocks(X, D, block_rows=0), "block_rows"),
        (lambda: Blocks([X]), "y to be passed"),
        (lambda: Blocks(X, np.ones((240, 2))), "same labels"),
    ],
)
def test_bad_blocks(blocks, message):
    with pytest.raises(ValueError, match=message):
        GraphEmbedding(2).fit(blocks())


@pytest.mark.parametrize("model", [CCA(2), MSLP(2), SABFGS(0.1)], ids=str)
@pytest.mark.parametrize("kind", ["generator", "iterator"])
def test_a_function_must_make_a_new_iterator(model, kind):
    parts = cut(X, D, CUTS["even"])
    once = iter(parts) if kind == "iterator" else (part for part in parts)
    with pytest.raises(ValueError, match="new iterator at every call"):
        clone(model).fit(Blocks(lambda: once))


def test_every_reading_must_give_the_same_rows():
    calls = []

    def read():  # the first call only looks at the columns
        calls.append(0)
        yield X[: 200 if len(calls) > 2 else 240], D[: 200 if len(calls) > 2 else 240]

    with pytest.raises(ValueError, match="had 240 rows .* 200 now"):
        MSLP(2).fit(Blocks(read))


@pytest.mark.parametrize("model", [CCA(2), GraphEmbedding(2), LPP(2)], ids=str)
def test_features_far_from_zero(model):
    """A mean of a million costs six digits of sixteen, not twelve."""
    Z = X + 1e6
    y = [] if isinstance(model, LPP) else [D]
    whole = clone(model).fit(Z, *y)
    assert_same(whole, clone(model).fit(Blocks(Z, *y, block_rows=37)))


def test_what_cannot_go_in_blocks_says_so():
    for model in (CCA(kernel="rbf"), GraphEmbedding(label_distance="euclidean_x")):
        with pytest.raises(ValueError, match="block"):
            model.fit(Blocks(X, D))
    with pytest.raises(TypeError, match="predict_blocks"):
        AAkNN(3).fit(X, D).predict(Blocks(X))
    with pytest.raises(ValueError, match="sample_weight"):
        SABFGS().fit(Blocks(X, D), sample_weight=np.ones(240))
    with pytest.raises(ValueError, match="contain their targets"):
        CCA().fit(Blocks(X, D), D)
    with pytest.raises(ValueError, match="takes distribution"):
        SABFGS().fit(Blocks(X, CLASSES))


def test_dask_arrays_of_unknown_size():
    lazy = da.from_array(X, chunks=(100, 7))
    unknown = lazy[lazy[:, 0] > -np.inf]
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        CCA().fit(unknown, da.from_array(D, chunks=(100, 4)))
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        predict_blocks(SABFGS(0.1).fit(X, D), unknown)
    with pytest.raises(ValueError, match="give both in blocks"):
        CCA().fit(lazy, D)
    with pytest.raises(ValueError, match="240 rows, but y has 120"):
        CCA().fit(lazy, da.from_array(D[:120], chunks=(100, 4)))


def test_votes_are_normalised_with_one_warning():
    with pytest.warns(DataConversionWarning, match="divided by its sum") as caught:
        blocked = SABFGS(0.1).fit(Blocks(X, 7 * D, block_rows=50))
    assert len(caught) == 1
    np.testing.assert_allclose(blocked.coef_, SABFGS(0.1).fit(X, D).coef_, atol=1e-6)


def test_survey_reads_the_whole():
    first = np.array([[1.0, 0.0], [0.0, 1.0]])
    blocks = Blocks([(X[:2], first), (X[:2], np.array([[0.5, 0.5], [0.1, 0.9]]))])
    assert survey_target(blocks).kind == "distribution"
    assert survey_target(Blocks([(X[:2], first)])).kind == "indicator"
    assert survey_target(Blocks([(X[:2], sp.csr_array(first))])).kind == "indicator"


def test_center_is_that_of_the_whole():
    mean = X.mean(axis=0)
    center = Center.of(mean, X.min(axis=0), X.max(axis=0), len(X))
    np.testing.assert_array_equal(center.apply(X), centered(X))
    assert center.reach == np.abs(centered(X)).max()
    assert (center.apply(X[:3])[:, 2] == 0).all()


def test_columns_that_vary_late_are_not_noise():
    Z = np.full((300, 2), 0.1)
    Z[250, 1] = 0.2
    moved = centered(Z)
    assert (moved[:, 0] == 0).all()
    np.testing.assert_array_equal(moved[:, 1], Z[:, 1] - Z.mean(axis=0)[1])


def test_graph_products_are_the_dense_ones():
    rng = np.random.default_rng(0)
    dense = rng.random((240, 240)) * (rng.random((240, 240)) < 0.03)
    dense = dense + dense.T
    dense[7] = dense[:, 7] = 0.0  # rows without links are left out
    W, g = sp.csr_array(dense), dense.sum(axis=1)
    for center in (None, Center(X.mean(axis=0))):
        for rows in (X, X.astype(np.float32)):
            Z = rows.astype(float) - (0 if center is None else center.mean)
            scatter, linked = graph_products(rows, W, g, center)
            np.testing.assert_allclose(scatter, Z.T @ (g[:, None] * Z), rtol=1e-9)
            np.testing.assert_allclose(linked, Z.T @ dense @ Z, rtol=1e-9, atol=1e-8)


def test_moments_of_blocks_are_those_of_all_rows():
    rows = np.random.default_rng(0).normal(size=(11, 3))
    parts = [rows[:4], rows[4:5], rows[5:]]
    n, total, low, high = moments(Blocks([(part, None) for part in parts]))
    assert n == 11
    np.testing.assert_allclose(total, rows.sum(axis=0))
    np.testing.assert_array_equal(low, rows.min(axis=0))
    np.testing.assert_array_equal(high, rows.max(axis=0))


def test_products_with_labels_centre_them_whatever_the_samples_are_centred_by():
    blocks = Blocks(cut(X, D, CUTS["ragged"]))
    made = correlation_products(blocks, Center(), survey_target(blocks))
    scatter, projected, _ = made
    np.testing.assert_allclose(scatter, X.T @ X)
    U = np.linalg.svd(D - D.mean(axis=0), full_matrices=False)[0][:, :3]
    wanted = X.T @ U @ U.T @ X  # four degrees that sum to 1 have rank 3
    projected = projected[:3]
    np.testing.assert_allclose(projected.T @ projected, wanted, rtol=1e-8, atol=1e-8)
