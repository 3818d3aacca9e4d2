"""One class per sample, from any kind of target."""

from typing import Any

from skldl._typing import IndexArray
from skldl.validation import Target, check_target


def class_codes(y: Any, name: str) -> tuple[IndexArray, Target]:
    """Class numbers: classes as they are, of distributions the largest label."""
    target = check_target(y)
    if target.kind == "indicator" and (target.matrix.sum(axis=1) != 1).any():
        row = int((target.matrix.sum(axis=1) != 1).argmax())
        raise ValueError(
            f"{name} needs one class per sample, but row {row} of y has "
            f"{int(target.matrix[row].sum())} labels. Give classes, one-hot rows or "
            "distributions, whose largest label counts."
        )
    codes = target.matrix.argmax(axis=1)
    if (codes == codes[0]).all():
        raise ValueError(f"{name} needs two classes or more, but y has one class.")
    return codes, target
