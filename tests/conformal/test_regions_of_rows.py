"""Regions of rows by the scores of all other rows."""

import numpy as np
import pytest

from skldl.conformal import conformal_quantile, regions_of_rows


@pytest.mark.parametrize("distance", ["label", "tv", "kl", "aitchison"])
@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_the_radius_is_the_quantile_of_the_others(distance, coverage):
    rng = np.random.default_rng(0)
    D, P = rng.dirichlet(np.ones(3), 40), rng.dirichlet(np.ones(3), 40)
    found = regions_of_rows(D, P, coverage=coverage, distance=distance)
    scores = found._ball.distance(D, P)
    for i in range(len(D)):
        others = np.delete(scores, i)
        assert found.radius[i] == conformal_quantile(others, coverage)


def test_ties_and_too_few_rows():
    D = np.array([[0.5, 0.5]] * 4)
    assert np.isinf(regions_of_rows(D, D, coverage=0.9).radius).all()
    assert (regions_of_rows(D, D, coverage=0.5).radius == 0).all()
    assert np.isinf(regions_of_rows(D[:1], D[:1]).radius).all()
