"""The mixins, on the smallest estimators that can use them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import validate_data

from skldl import to_frame
from skldl.base import LinearProjectionMixin, sample_weight_keys
from skldl.datasets import make_ldl
from skldl.ldl import AAkNN
from skldl.validation import check_target


class FirstAxes(LinearProjectionMixin, BaseEstimator):
    """Principal axes behind the projection mixin."""

    def __init__(self, n_components=1):
        self.n_components = n_components

    def fit(self, X, y):
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_target(y)
        self.mean_ = X.mean(axis=0)
        _, _, axes = np.linalg.svd(X - self.mean_, full_matrices=False)
        self.components_ = axes[: self.n_components]
        return self


@parametrize_with_checks([FirstAxes()])
def test_projection_mixin_passes_scikit_learns_checks(estimator, check):
    check(estimator)


def test_projection_equals_pca_and_names_its_output():
    X, D = make_ldl(50, n_features=5, random_state=0)
    model = FirstAxes(2).set_output(transform="pandas").fit(X, D)
    projected = model.transform(X)
    assert list(projected.columns) == ["firstaxes0", "firstaxes1"]
    expected = PCA(2).fit_transform(X)
    assert_allclose(np.abs(projected), np.abs(expected), atol=1e-10)


def test_names_go_through_pipelines():
    X, D = make_ldl(50, n_features=5, n_labels=2, random_state=0)
    labels = pd.DataFrame(D, columns=["joy", "fear"])
    model = make_pipeline(StandardScaler(), AAkNN()).fit(X, labels)
    assert_array_equal(model.classes_, ["joy", "fear"])
    frame = to_frame(model.predict(X), model, list(range(100, 150)))
    assert list(frame.columns) == ["joy", "fear"]
    assert frame.index[0] == 100
    assert to_frame(model.predict(X), model).index[0] == 0
    again = to_frame(frame, model, [str(i) for i in range(50)])  # renames, not selects
    assert_allclose(again, frame)


class Table:
    """As polars: two dimensions, columns, no row names."""

    shape = (50, 20)
    columns = tuple(f"x{i}" for i in range(20))

    def __len__(self):
        return 50


def test_tables_without_row_names_are_numbered():
    X, D = make_ldl(50, n_labels=2, random_state=0)
    model = AAkNN().fit(X, pd.DataFrame(D, columns=["joy", "fear"]))
    P = model.predict(X)
    for rows in (Table(), X, None):
        frame = to_frame(P, model, rows)
        assert list(frame.index) == list(range(50))
        assert_allclose(frame, P)
    named = pd.DataFrame(X, index=[f"row {i}" for i in range(50)])
    for rows in (named, named[0], named.index, list(named.index)):
        assert list(to_frame(P, model, rows).index) == list(named.index)


def test_polars_rows_are_numbered():
    pl = pytest.importorskip("polars")
    X, D = make_ldl(50, n_labels=2, random_state=0)
    model = AAkNN().fit(X, pd.DataFrame(D, columns=["joy", "fear"]))
    table = pl.DataFrame({f"x{i}": column for i, column in enumerate(X.T)})
    frame = to_frame(model.predict(X), model, table)
    assert list(frame.index) == list(range(50))
    names = pl.Series([f"row {i}" for i in range(50)])
    assert list(to_frame(model.predict(X), model, names).index) == names.to_list()


def test_score_refuses_labels_in_another_order():
    X, D = make_ldl(50, n_labels=2, random_state=0)
    labels = pd.DataFrame(D, columns=["joy", "fear"])
    model = AAkNN().fit(X, labels)
    with pytest.raises(ValueError, match="Select and order"):
        model.score(X, labels[["fear", "joy"]])


def test_names_of_weights():
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV
    from sklearn.multioutput import MultiOutputRegressor
    from sklearn.neighbors import KNeighborsRegressor

    from skldl.ldl import DistributionRegressor

    scaled = make_pipeline(StandardScaler(), PCA(), Ridge())
    assert sample_weight_keys(scaled) == [
        "standardscaler__sample_weight",
        "ridge__sample_weight",
    ]
    search = GridSearchCV(scaled, {"ridge__alpha": [1.0]})
    assert sample_weight_keys(search) == sample_weight_keys(scaled)
    assert sample_weight_keys(MultiOutputRegressor(RandomForestRegressor())) == [
        "sample_weight"
    ]
    # neither a scaler alone nor a model inside that cannot use them
    neighbors = KNeighborsRegressor()
    assert sample_weight_keys(make_pipeline(StandardScaler(), neighbors)) == []
    assert sample_weight_keys(DistributionRegressor(neighbors)) == []
    assert sample_weight_keys(make_pipeline(StandardScaler(), "passthrough")) == []
