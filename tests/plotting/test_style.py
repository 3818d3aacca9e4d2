"""The style sheet of the figures."""

import matplotlib as mpl
import matplotlib.style
import pytest

from skldl.plotting import STYLE, style_context


def test_the_style_ends_with_its_context():
    before = dict(mpl.rcParams)
    with style_context():
        assert mpl.rcParams["legend.frameon"] is False
        assert mpl.rcParams["axes.spines.top"] is False
    assert dict(mpl.rcParams) == before


def test_the_sheet_has_no_colours_of_text_and_ground():
    """Pages set these for a light and a dark theme."""
    with mpl.rc_context():
        mpl.rcdefaults()
        plain = dict(mpl.rcParams)
        mpl.style.use(STYLE)
        changed = {name for name in plain if mpl.rcParams[name] != plain[name]}
    assert "axes.prop_cycle" in changed
    assert not {name for name in changed if "color" in name}


@pytest.mark.parametrize("place", range(8))
def test_colours_of_lines_stand_out_from_white_and_black(place):
    with style_context():
        color = mpl.rcParams["axes.prop_cycle"].by_key()["color"][place]
    red, green, blue = mpl.colors.to_rgb(color)
    assert 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.75
