"""Grids in words."""

from skldl.reproduce._grid_words import either, settings_of


def test_values_are_named_in_their_order():
    assert either([1, 3]) == "1 or 3"
    assert either([1e-06, 0.5, 100.0]) == "1e-06, 0.5 or 100"


def test_settings_are_counted():
    grid = {"reg": [0.1, 1.0], "n_components": [1, 2, 3]}
    assert settings_of(grid) == "six settings"
    assert settings_of({"reg": [0.1]}) == "one setting"
    assert settings_of({"reg": list(range(13))}) == "13 settings"
