"""Images: classes of a hyperspectral cube, and directions of faces."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from skldl._typing import FloatArray
from skldl.plotting._embedding import palette

_NOTHING = (0.0, 0.0, 0.0)


def false_color(
    cube: Any, bands: Sequence[int] | None = None, *, stretch: float = 0.02
) -> FloatArray:
    """Three bands of a cube as red, green and blue.

    Parameters
    ----------
    cube : array-like of shape (n_rows, n_columns, n_bands)
        Hyperspectral image.
    bands : sequence of three int, default=None
        Which bands; None takes those at a quarter, a half and three quarters.
    stretch : float, default=0.02
        Share of the pixels that may be black, and that may be saturated, in each band.

    Returns
    -------
    image : ndarray of shape (n_rows, n_columns, 3)
        In [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.plotting import false_color
    >>> false_color(np.random.default_rng(0).uniform(size=(4, 5, 8))).shape
    (4, 5, 3)
    """
    cube = np.asarray(cube, dtype=np.float64)
    if cube.ndim != 3:
        raise ValueError(
            f"cube must have rows, columns and bands, got shape {cube.shape}."
        )
    n_bands = cube.shape[2]
    chosen = [n_bands * i // 4 for i in (3, 2, 1)] if bands is None else list(bands)
    if len(chosen) != 3 or not all(-n_bands <= b < n_bands for b in chosen):
        raise ValueError(
            f"bands must be three of the {n_bands} bands of the cube, got {bands!r}."
        )
    image = cube[:, :, chosen]
    low, high = np.quantile(image, [stretch, 1 - stretch], axis=(0, 1))
    span = np.where(high > low, high - low, 1.0)
    return np.clip((image - low) / span, 0.0, 1.0)


def class_image(
    labels: Any, pixels: Any, shape: tuple[int, int], classes: Any, cmap: str = "tab20"
) -> FloatArray:
    """Colours of labelled pixels; pixels without a label are black.

    Parameters
    ----------
    labels : array-like of shape (n_pixels,)
        Class of each pixel.
    pixels : array-like of shape (n_pixels, 2)
        Row and column of each.
    shape : (int, int)
        Rows and columns of the image.
    classes : array-like of shape (n_classes,)
        All classes, in the order of the colours.
    cmap : str, default="tab20"
        Colours; a longer palette is taken when there are more classes.

    Returns
    -------
    image : ndarray of shape (n_rows, n_columns, 3)

    Examples
    --------
    >>> from skldl.plotting import class_image
    >>> class_image(["b"], [[0, 1]], (1, 2), ["a", "b"])[0, 0]
    array([0., 0., 0.])
    """
    labels, pixels = np.asarray(labels), np.asarray(pixels)
    if pixels.shape != (len(labels), 2):
        raise ValueError(
            f"pixels must contain a row and a column for each of the {len(labels)} "
            f"labels, got shape {pixels.shape}."
        )
    codes = _codes(labels, np.asarray(classes))
    image = np.full((*shape, 3), _NOTHING)
    image[pixels[:, 0], pixels[:, 1]] = palette(len(np.asarray(classes)), cmap)[codes]
    return image


def _codes(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    known = {name: i for i, name in enumerate(classes.tolist())}
    unknown = [name for name in np.unique(labels).tolist() if name not in known]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is a label, but not one of the classes.")
    return np.array([known[name] for name in labels.tolist()], dtype=np.intp)


def plot_class_map(
    cube: Any,
    pixels: Any,
    truth: Any,
    predictions: Mapping[str, Any] | None = None,
    *,
    classes: Any = None,
    scored: Any = None,
    bands: Sequence[int] | None = None,
    cmap: str = "tab20",
    legend: bool = True,
) -> Figure:
    """Draw a cube in false colour, its ground truth, and maps of predicted classes.

    Parameters
    ----------
    cube : array-like of shape (n_rows, n_columns, n_bands)
        Hyperspectral image.
    pixels : array-like of shape (n_pixels, 2)
        Row and column of the pixels with a class.
    truth : array-like of shape (n_pixels,)
        Their classes.
    predictions : dict of str to array-like of shape (n_pixels,), default=None
        Predicted classes by the name of a method; titles give the share that is right.
    classes : array-like of shape (n_classes,), default=None
        Order of the colours; None sorts those of the truth and the predictions.
    scored : array-like, default=None
        Mask or numbers of the pixels whose share of right classes the titles give, such
        as the test pixels; None for all.
    bands : sequence of three int, default=None
        Bands of the false colours, see :func:`false_color`.
    cmap : str, default="tab20"
        Colours of the classes.
    legend : bool, default=True
        Whether to name the colours below the maps.

    Returns
    -------
    figure : Figure

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.plotting import plot_class_map
    >>> cube = np.random.default_rng(0).uniform(size=(3, 4, 6))
    >>> pixels = np.array([[0, 0], [2, 3]])
    >>> figure = plot_class_map(cube, pixels, ["a", "b"], {"guess": ["a", "a"]})
    >>> [ax.get_title() for ax in figure.axes]
    ['false colour', 'ground truth', 'guess: 50.0 %']
    """
    truth = np.asarray(truth)
    predictions = {name: np.asarray(p) for name, p in (predictions or {}).items()}
    if classes is None:
        classes = np.unique(np.concatenate([truth, *predictions.values()]))
    classes = np.asarray(classes)
    scored = slice(None) if scored is None else np.asarray(scored)
    image = false_color(cube, bands)
    panels = {"false colour": image}
    panels["ground truth"] = class_image(truth, pixels, image.shape[:2], classes, cmap)
    for name, labels in predictions.items():
        panel = class_image(labels, pixels, image.shape[:2], classes, cmap)
        panels[f"{name}: {100 * np.mean((labels == truth)[scored]):.1f} %"] = panel
    figure, axes = plt.subplots(
        1, len(panels), figsize=(3 * len(panels), 3.8), layout="constrained"
    )
    for ax, (title, panel) in zip(axes, panels.items(), strict=True):
        ax.imshow(panel, interpolation="nearest")
        ax.set(title=title, xticks=[], yticks=[])
    if legend:
        handles = [
            Patch(color=tuple(color), label=str(name))
            for name, color in zip(classes, palette(len(classes), cmap), strict=True)
        ]
        columns = min(len(handles), 2 * len(panels))
        figure.legend(
            handles=handles, loc="outside lower center", ncols=columns, fontsize=7
        )
    return figure


def plot_projections_as_images(
    components: Any,
    image_shape: tuple[int, int],
    *,
    order: Literal["C", "F"] = "C",
    n_images: int = 20,
    n_columns: int = 10,
    cmap: str = "gray",
) -> Figure:
    """Draw directions in pixels as images, each stretched on its own.

    Parameters
    ----------
    components : array-like of shape (n_components, n_pixels)
        Directions, as rows; of a projection behind PCA directions V, the product
        ``components_ @ V``.
    image_shape : (int, int)
        Rows and columns of an image.
    order : {"C", "F"}, default="C"
        Whether images are stored row by row or column by column.
    n_images : int, default=20
        How many, at most.
    n_columns : int, default=10
        Images beside each other.
    cmap : str, default="gray"
        Colours.

    Returns
    -------
    figure : Figure

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.plotting import plot_projections_as_images
    >>> figure = plot_projections_as_images(np.eye(12), (3, 4), n_columns=4)
    >>> len(figure.axes)
    12
    """
    components = np.asarray(components, dtype=np.float64)
    wanted = int(np.prod(image_shape))
    if components.ndim != 2 or components.shape[1] != wanted:
        raise ValueError(
            f"components has shape {components.shape}, but images of {image_shape} "
            f"need {wanted} columns."
        )
    if n_images < 1 or n_columns < 1:
        raise ValueError("n_images and n_columns must be at least 1.")
    shown = components[:n_images]
    columns = min(n_columns, len(shown))
    rows = -(-len(shown) // columns)
    figure, axes = plt.subplots(
        rows,
        columns,
        figsize=(1.1 * columns, 1.2 * rows),
        squeeze=False,
        layout="constrained",
    )
    for ax in axes.ravel()[len(shown) :]:
        ax.remove()
    for ax, row in zip(axes.ravel(), shown, strict=False):
        ax.imshow(row.reshape(image_shape, order=order), cmap=cmap)
        ax.set(xticks=[], yticks=[])
    return figure
