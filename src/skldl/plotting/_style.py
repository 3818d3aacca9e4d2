"""The style sheet that the figures of the package share."""

from contextlib import AbstractContextManager

import matplotlib.style

#: Its name for ``matplotlib.pyplot.style.use``.
STYLE = "skldl.plotting.skldl"


def style_context() -> AbstractContextManager[None]:
    """Draw in the style of the package's figures, then go back to your own.

    The same sheet for a whole script is ``plt.style.use(skldl.plotting.STYLE)``.
    Colours are told apart by readers who do not see all of them. The sheet sets sizes,
    lines and the cycle of colours, not the colours of text and ground.

    Returns
    -------
    context : context manager

    Examples
    --------
    >>> import matplotlib as mpl
    >>> from skldl.plotting import style_context
    >>> with style_context():
    ...     mpl.rcParams["axes.spines.top"]
    False
    """
    return matplotlib.style.context(STYLE)
