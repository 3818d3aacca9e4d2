"""Default grids reach as far as inner folds choose, on standardised features."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from skldl import all_estimators
from skldl.ldl import LDSVR, LSELDL, SABFGS, AAkNN
from skldl.ldl._kernel_choice import _SHARES, FIRST, WIDTHS
from skldl.model_selection import GridEdgeWarning, PathSearchCV

GRIDS = [
    pytest.param(values, id=f"{name}-{kind}-{param}")
    for name, cls in all_estimators()
    for kind, grid in getattr(cls, "_grids", {}).items()
    for param, values in grid.items()
]
FOLDS = KFold(3, shuffle=True, random_state=1)


@pytest.mark.filterwarnings("ignore:SABFGS stopped after")
@pytest.mark.parametrize(
    "name", ["SJAFFE", pytest.param("M2B", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("model", [SABFGS(), AAkNN(), LSELDL(tol=1e-3)], ids=str)
def test_the_best_setting_is_inside(real_data, name, model):
    data = real_data(name)
    X, D = StandardScaler().fit_transform(data.X)[:500], data.D[:500]
    with warnings.catch_warnings():
        warnings.simplefilter("error", GridEdgeWarning)
        PathSearchCV(model, cv=FOLDS).fit(X, D)


def test_the_width_is_searched():
    assert "mean" in LDSVR._grids["default"]["gamma"]
    assert len(LDSVR._grids["default"]["gamma"]) > 1


def test_the_tube_is_never_wider_than_the_default():
    """Degrees are at most 1: errors within a wide tube would count as none."""
    assert max(LDSVR._grids["default"]["epsilon"]) <= LDSVR().epsilon < 1


@pytest.mark.parametrize("values", GRIDS)
def test_numbers_of_a_grid_are_round_and_rise(values):
    numbers = [v for v in values if not isinstance(v, str | bool)]
    assert numbers == sorted(set(numbers))
    for number in numbers:  # two digits say it, or those of its inverse
        assert any(float(f"{x:.1e}") == x for x in (number, number and 1 / number))


def test_the_kernel_tries_widths_and_ridges_in_even_steps():
    for values, step in ((WIDTHS, 0.5), (_SHARES, 0.5)):
        steps = np.diff(np.log10(values))
        np.testing.assert_allclose(steps, step, atol=0.03)
    assert WIDTHS[FIRST] > 1 > WIDTHS[0]  # both sides are tried
