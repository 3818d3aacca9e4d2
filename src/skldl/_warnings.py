"""Where a warning points."""

import sys


def caller_level() -> int:
    """Stack level of the first frame outside this package and scikit-learn."""
    level, frame = 1, sys._getframe(1)
    while frame is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in ("skldl", "sklearn", "contextlib"):
            break
        frame, level = frame.f_back, level + 1  # type: ignore[assignment]
    return level
