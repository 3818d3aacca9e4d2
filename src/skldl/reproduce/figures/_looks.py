"""What a method looks like, the same on every figure."""

from collections.abc import Iterable
from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.colors import to_hex

_MARKERS = "osD^vPX*"
_APPROXIMATE = ", approximate search"
#: Place in the cycle of colours, and marker.
_KNOWN = {
    "LWkNN-LDL": (0, "o"),
    "LDkNN-LDL": (1, "s"),
    "WkNN-LDL": (4, "^"),
    "DkNN-LDL": (5, "v"),
    "RWLM-LDL": (2, "D"),
    "LDLM": (3, "P"),
    "AA-kNN": (6, "X"),
    "DAA-kNN": (7, "*"),
    "given": (6, ""),
    "MSLP": (0, "o"),
    "LPP": (1, "s"),
    "LPP, centred": (1, "s"),
    "LPP as printed": (5, "^"),
    "NPE": (2, "D"),
    "PCA": (3, "v"),
    "GH": (0, "o"),
    "Hamming": (1, "s"),
    "Euclid-Y": (2, "D"),
    "Euclid-X": (5, "^"),
    "LSE-LDL": (0, "o"),
    "measured": (0, "o"),
    "published": (1, "s"),
}


@dataclass(frozen=True)
class Look:
    """Colour, marker and line of a series; an open marker if it is not filled."""

    color: str
    marker: str
    line: str = "-"
    filled: bool = True

    @property
    def face(self) -> str:
        """Colour inside of the marker."""
        return self.color if self.filled else "white"


def looks_of(names: Iterable[str]) -> dict[str, Look]:
    """Give each series its look; a known method has the same on every figure.

    Parameters
    ----------
    names : iterable of str
        Series of a figure, in order.

    Returns
    -------
    looks : dict of str to Look
        Unknown names take the colours that the known ones leave.
    """
    names = list(dict.fromkeys(names))
    known = {name: _KNOWN.get(name.removesuffix(_APPROXIMATE)) for name in names}
    taken = {look[0] for look in known.values() if look}
    free = [place for place in range(len(_MARKERS)) if place not in taken]
    looks, n_unknown = {}, 0
    for name in names:
        look = known[name]
        if look is None:
            place = free[n_unknown % len(free)]
            look, n_unknown = (place, _MARKERS[place]), n_unknown + 1
        exact = not name.endswith(_APPROXIMATE)
        looks[name] = Look(
            series_color(look[0]), look[1], "-" if exact else "--", filled=exact
        )
    return looks


def series_color(place: int) -> str:
    """Give a colour of the style sheet, which holds when the figure is saved later."""
    colors = mpl.rcParams["axes.prop_cycle"].by_key()["color"]
    return to_hex(colors[place % len(colors)])
