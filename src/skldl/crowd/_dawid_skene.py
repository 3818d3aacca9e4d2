"""Dawid and Skene's model: each annotator has a confusion matrix."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import Interval, fit_context
from skldl._typing import FloatArray
from skldl.crowd._aggregator import Aggregator, check_votes, normalized, shares
from skldl.crowd._votes import Votes


class DawidSkene(Aggregator):
    r"""Distributions of items and confusion matrices of annotators, together.

    Each item has one true label k, with the probability :math:`\pi_k`. Annotator a, who
    sees an item of label k, answers l with the probability :math:`\Theta^a_{kl}`.
    Expectation-maximisation climbs the penalised likelihood

    .. math:: \sum_i \log \sum_k \pi_k \prod_{(i, a, l)} \left(\Theta^a_{kl}\right)^w
       + \sum_{akl} s_{kl} \log \Theta^a_{kl} + \frac{s}{L} \sum_k \log \pi_k

    over the votes (i, a, l) of weight w. What it gives for an item is a distribution:
    how probable each label is to be the true one, given who voted for it.

    Parameters
    ----------
    max_iter : int, default=500
        Iterations at most.
    tol : float, default=1e-7
        Converged when an iteration raises the objective by less than this per vote.
    smoothing : float, default=1.0
        Votes s that each annotator is given beforehand for each true label, nine tenths
        of them for the right answer: :math:`s_{kk} = 0.9 s`, and the rest in equal
        parts for the others. With 0 this is maximum likelihood, where an annotator
        with few votes may seem perfect, or perfectly wrong.

    Attributes
    ----------
    distributions_ : ndarray of shape (n_items, n_labels)
        Probabilities of the true labels. An item without votes has ``class_prior_``.
    class_prior_ : ndarray of shape (n_labels,)
        Probabilities of the labels over all items.
    confusion_ : ndarray of shape (n_annotators, n_labels, n_labels)
        Of each annotator, a row for the true label and a column for the answer.
    reliability_ : ndarray of shape (n_annotators,)
        How often each annotator gives the true label:
        :math:`\sum_k \pi_k \Theta^a_{kk}`.
    objective_history_ : list of float
        Objective of each iteration; it never decreases.
    n_iter_ : int
        Iterations.
    item_names_, annotator_names_ : Index
        Names of the rows of the arrays above.
    label_names_ : ndarray of str
        Names of their columns.

    See Also
    --------
    MACE : Annotators know the label or guess; two orders of magnitude fewer parameters.
    GLAD : One ability for each annotator, one difficulty for each item.

    Notes
    -----
    The search starts at the shares of the votes, as usual. Products run over votes as
    sparse matrices of logarithms, so that nothing underflows. Dawid and Skene have no
    smoothing. Without it the labels of a lone annotator could mean anything.

    The model says that each item has *one* true label. Where people differ because
    items are ambiguous, its distributions are too sharp: then take
    ``votes.distributions("auto")``, and the model for its ``reliability_``.

    References
    ----------
    .. [1] A. P. Dawid, A. M. Skene, "Maximum Likelihood Estimation of Observer
       Error-Rates Using the EM Algorithm", Applied Statistics 28(1), 1979.

    Examples
    --------
    >>> from skldl.crowd import DawidSkene, Votes
    >>> from skldl.datasets import make_crowd
    >>> crowd = make_crowd(200, n_labels=3, n_annotators=10, random_state=0)
    >>> votes = Votes.from_frame(
    ...     crowd.votes, item="item", label="label", annotator="annotator"
    ... )
    >>> model = DawidSkene().fit(votes)
    >>> model.distributions_.shape, model.confusion_.shape
    ((200, 3), (10, 3, 3))
    """

    _parameter_constraints: dict = {
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "smoothing": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self, *, max_iter: int = 500, tol: float = 1e-7, smoothing: float = 1.0
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.smoothing = smoothing

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, votes: Votes) -> Self:
        """Find the distributions and the confusion matrices.

        Parameters
        ----------
        votes : Votes
            Votes with annotators.

        Returns
        -------
        self : DawidSkene
        """
        votes = check_votes(votes)
        self._keep_names(votes)
        nothing = _Counts.empty(votes.n_annotators, votes.n_labels)
        start = votes.distributions(smoothing=1e-12)
        return self._climb(votes, nothing, start)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, votes: Votes) -> Self:
        """Learn from more votes on other items, without the earlier ones.

        Parameters
        ----------
        votes : Votes
            Votes with annotators, old or new ones, on items that were not seen before.
            The labels must be the same.

        Returns
        -------
        self : DawidSkene
            ``distributions_`` and ``item_names_`` are of these votes;
            ``annotator_names_`` are the earlier annotators, then the new ones.
        """
        if not hasattr(self, "confusion_"):
            return self.fit(votes)
        votes = check_votes(votes)
        place = self._known(votes)
        start = self.predict(votes)
        new = votes.annotator_names[place < 0]
        names = self.annotator_names_.append(new)
        before = self._counts.grown(len(names))
        place = names.get_indexer(votes.annotator_names)
        votes = Votes(
            item=votes.item,
            label=votes.label,
            annotator=place[votes.annotator],
            weight=votes.weight,
            item_names=votes.item_names,
            label_names=votes.label_names,
            annotator_names=names,
        )
        self._keep_names(votes)
        return self._climb(votes, before, start)

    def predict(self, votes: Votes) -> FloatArray:
        """Give the distributions of items by the fitted confusion matrices.

        Parameters
        ----------
        votes : Votes
            Votes with annotators. New annotators are taken for the average one.

        Returns
        -------
        distributions : ndarray of shape (n_items, n_labels)
        """
        check_is_fitted(self)
        votes = check_votes(votes)
        place = self._known(votes)
        added = _beforehand(self.smoothing, votes.n_labels)
        average = shares(self._counts.confusion.sum(axis=0) + added, 0.0)
        confusion = np.concatenate([self.confusion_, average[None]])[place]
        return normalized(_log_joint(_answers(votes), confusion, self.class_prior_))[0]

    def _climb(self, votes: Votes, before: "_Counts", P: FloatArray) -> Self:
        """Alternate between confusion matrices and distributions."""
        answers, voted = _answers(votes), votes.n_votes > 0
        history: list[float] = []
        enough = self.tol * votes.weight.sum()
        converged = False
        added = _beforehand(self.smoothing, votes.n_labels)
        base = _Counts(
            before.confusion + added, before.classes + self.smoothing / votes.n_labels
        )
        while len(history) < self.max_iter and not converged:
            now = base.plus(answers, P, voted)
            confusion, prior = shares(now.confusion, 0.0), shares(now.classes, 0.0)
            P, evidence = normalized(_log_joint(answers, confusion, prior))
            value = evidence[voted].sum() + base.classes @ np.log(prior)
            value += (base.confusion * np.log(confusion)).sum()
            converged = bool(history) and value - history[-1] <= enough
            history.append(float(value))
        self.distributions_, self.class_prior_, self.confusion_ = P, prior, confusion
        self.reliability_ = np.einsum("akk,k->a", confusion, prior)
        self.objective_history_, self.n_iter_ = history, len(history)
        self._counts = before.plus(answers, P, voted)
        self._warn_unless(converged)
        return self


@dataclass(frozen=True)
class _Counts:
    """Expected numbers of answers (annotators, true, given) and of true labels."""

    confusion: FloatArray
    classes: FloatArray

    @classmethod
    def empty(cls, n_annotators: int, n_labels: int) -> "_Counts":
        return cls(np.zeros((n_annotators, n_labels, n_labels)), np.zeros(n_labels))

    def grown(self, n_annotators: int) -> "_Counts":
        more = n_annotators - len(self.confusion)
        return _Counts(
            np.pad(self.confusion, ((0, more), (0, 0), (0, 0))), self.classes
        )

    def plus(self, answers: Any, P: FloatArray, voted: Any) -> "_Counts":
        n_labels = P.shape[1]
        given = (answers.T @ P).reshape(-1, n_labels, n_labels)
        return _Counts(
            self.confusion + given.transpose(0, 2, 1), self.classes + voted @ P
        )


def _beforehand(smoothing: float, n_labels: int) -> FloatArray:
    """Counts (true, given) of who is right in nine cases of ten."""
    if n_labels == 1:
        return np.full((1, 1), smoothing)
    wrong = 0.1 * smoothing / (n_labels - 1)
    return np.full((n_labels, n_labels), wrong) + np.eye(n_labels) * (
        0.9 * smoothing - wrong
    )


def _answers(votes: Votes) -> sparse.csr_array:
    """Votes as a sparse array: items by (annotator, answer)."""
    assert votes.annotator is not None
    column = votes.annotator * votes.n_labels + votes.label
    shape = (votes.n_items, votes.n_annotators * votes.n_labels)
    return sparse.coo_array((votes.weight, (votes.item, column)), shape=shape).tocsr()


def _log_joint(answers: Any, confusion: FloatArray, prior: FloatArray) -> FloatArray:
    """Logarithms of the probability of each item's true label and its answers."""
    logs = np.log(confusion).transpose(0, 2, 1).reshape(-1, len(prior))
    return answers @ logs + np.log(prior)


def confusion_table(model: DawidSkene, annotator: Any) -> pd.DataFrame:
    """Show the confusion matrix of an annotator with its names.

    Parameters
    ----------
    model : DawidSkene
        A fitted model.
    annotator : str or int
        Name of the annotator.

    Returns
    -------
    table : DataFrame of shape (n_labels, n_labels)
        A row for the true label, a column for the answer.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.crowd import DawidSkene, Votes, confusion_table
    >>> table = pd.DataFrame({"i": [1, 1, 2, 2], "a": list("xyxy"), "l": list("ppqq")})
    >>> votes = Votes.from_frame(table, item="i", label="l", annotator="a")
    >>> confusion_table(DawidSkene(smoothing=0).fit(votes), "x").round(2)
    answer    p    q
    true
    p       1.0  0.0
    q       0.0  1.0
    """
    check_is_fitted(model)
    (place,) = model.annotator_names_.get_indexer([annotator])
    if place < 0:
        raise ValueError(
            f"There is no annotator {annotator!r}; the first one is "
            f"{model.annotator_names_[0]!r}."
        )
    names = model.label_names_
    return pd.DataFrame(
        model.confusion_[place],
        index=pd.Index(names, name="true"),
        columns=pd.Index(names, name="answer"),
    )
