"""Predictions against truth as a Display of scikit-learn's kind."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from skldl._typing import FloatArray
from skldl.plotting._distributions import plot_distributions
from skldl.validation import check_distribution_pair, label_names


@dataclass
class DistributionDisplay:
    """True and predicted distributions of some samples, as bars.

    It is best made by :meth:`from_estimator` or :meth:`from_predictions`, as the
    Display classes of scikit-learn.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        True distributions.
    P : ndarray of shape (n_samples, n_labels)
        Predicted distributions.
    labels : sequence
        Names of the labels.

    Attributes
    ----------
    axes_ : list of Axes
        What was drawn on, one for each sample.
    figure_ : Figure
        Their figure.

    See Also
    --------
    skldl.plotting.plot_distributions : The same as a function.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import AAkNN
    >>> from skldl.plotting import DistributionDisplay
    >>> X, D = make_ldl(60, n_labels=3, random_state=0)
    >>> display = DistributionDisplay.from_estimator(AAkNN().fit(X, D), X, D, samples=2)
    >>> len(display.axes_)
    2
    """

    D: FloatArray
    P: FloatArray
    labels: Sequence[Any]
    axes_: list[Axes] = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    def plot(
        self,
        *,
        samples: Sequence[int] | int = 3,
        axes: Axes | Sequence[Axes] | None = None,
    ) -> "DistributionDisplay":
        """Draw.

        Parameters
        ----------
        samples : sequence of int or int, default=3
            Row numbers to show; a number n shows the first n.
        axes : Axes or sequence of Axes, default=None
            One per sample; None makes a figure.

        Returns
        -------
        display : DistributionDisplay
            This object.
        """
        self.axes_ = plot_distributions(
            self.D, self.P, samples=samples, labels=self.labels, axes=axes
        )
        # of a subfigure, the whole figure; get_figure(root) came with matplotlib 3.10
        self.figure_ = self.axes_[0].figure.figure
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        D: Any,
        *,
        samples: Sequence[int] | int = 3,
        axes: Axes | Sequence[Axes] | None = None,
    ) -> "DistributionDisplay":
        """Predict and draw.

        Parameters
        ----------
        estimator : fitted estimator
            A learner of distributions, or a Pipeline or search with one.
        X : array-like of shape (n_samples, n_features)
            Samples.
        D : array-like of shape (n_samples, n_labels)
            Their true distributions.
        samples : sequence of int or int, default=3
            Row numbers to show; a number n shows the first n.
        axes : Axes or sequence of Axes, default=None
            One per sample; None makes a figure.

        Returns
        -------
        display : DistributionDisplay
        """
        if not hasattr(estimator, "classes_"):
            raise ValueError(
                "estimator must be a fitted predictor of distributions, or a Pipeline "
                f"or search with one, got {type(estimator).__name__}."
            )
        names = np.asarray(estimator.classes_).tolist()
        return cls.from_predictions(
            D, estimator.predict(X), labels=names, samples=samples, axes=axes
        )

    @classmethod
    def from_predictions(
        cls,
        D: Any,
        P: Any,
        *,
        labels: Sequence[Any] | None = None,
        samples: Sequence[int] | int = 3,
        axes: Axes | Sequence[Axes] | None = None,
    ) -> "DistributionDisplay":
        """Draw what was predicted.

        Parameters
        ----------
        D : array-like of shape (n_samples, n_labels)
            True distributions.
        P : array-like of shape (n_samples, n_labels)
            Predicted distributions.
        labels : sequence, default=None
            Names of the labels; None takes the columns of D, or numbers.
        samples : sequence of int or int, default=3
            Row numbers to show; a number n shows the first n.
        axes : Axes or sequence of Axes, default=None
            One per sample; None makes a figure.

        Returns
        -------
        display : DistributionDisplay
        """
        if labels is None:
            labels = list(label_names(D, np.shape(D)[1]))
        true, predicted = check_distribution_pair(D, P)
        return cls(true, predicted, labels).plot(samples=samples, axes=axes)
