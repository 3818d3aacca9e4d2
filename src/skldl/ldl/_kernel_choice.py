"""What a kernel ridge chooses by leave-one-out: width, ridge, smoothing, link."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from skldl._typing import FloatArray
from skldl.ldl._kernel_map import KernelPath
from skldl.ldl._left_out import RidgePath
from skldl.ldl._links import Link, divergences

#: Ridges tried, as shares of the mean eigenvalue.
_SHARES = np.logspace(-4, 3, 15)
#: Shares of the first link tried where two are mixed.
_MIXES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
#: Widths tried: gamma times the median squared distance.
WIDTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
FIRST = 3  # of them


class Part(NamedTuple):
    """One regression of the mixture: its link, ridge and share, and loss alone."""

    link: Link
    reg: float
    share: float
    loss: float


@dataclass(frozen=True)
class Candidate:
    """The best that one kernel can do.

    Attributes
    ----------
    gamma : float
        Of the kernel.
    parts : list of Part
        Regressions whose predictions are mixed.
    path : KernelPath
        What they are solved with.
    P : ndarray of shape (n_samples, n_labels)
        Left-out predictions.
    loss : float
        Their mean divergence.
    """

    gamma: float
    parts: list[Part]
    path: KernelPath
    P: FloatArray
    loss: float


class Targets:
    """Columns of targets of all links that are tried, side by side.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        Distributions.
    links : list of Link
        Links with their smoothings; those on degrees share their columns.
    """

    def __init__(self, D: FloatArray, links: list[Link]) -> None:
        self.links = links
        self.n_labels = D.shape[1]
        names = [(x.name, x.smoothing if x.name == "clr" else 0.0) for x in links]
        distinct = list(dict.fromkeys(names))
        self._place = [distinct.index(name) for name in names]
        first = [names.index(name) for name in distinct]
        self.columns = np.hstack([D, *(links[i].targets(D) for i in first)])

    def split(self, columns: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Distributions, and targets, of columns whose rows were merged."""
        return columns[:, : self.n_labels], columns[:, self.n_labels :]

    def of(self, number: int) -> slice:
        """Columns of a link among the targets."""
        start = self._place[number] * self.n_labels
        return slice(start, start + self.n_labels)


def left_out_losses(
    path: RidgePath, D: FloatArray, targets: Targets, regs: FloatArray
) -> FloatArray:
    """Mean divergence of left-out samples, for each link and ridge."""
    losses = np.zeros((len(targets.links), len(regs)))
    for rows, Z in path.left_out(regs):
        for number, link in enumerate(targets.links):
            P = link.distributions(Z[:, :, targets.of(number)])
            losses[number] += path.weights[rows] @ divergences(D[rows], P)
    return losses / path.weights.sum()


def judge(
    gamma: float,
    path: KernelPath,
    D: FloatArray,
    targets: Targets,
    reg: float | None,
) -> Candidate:
    """Choose ridge and smoothing of each link, then their mixture."""
    inner = path.path
    regs = _SHARES * inner.values.mean() if len(inner.values) else np.ones(1)
    regs = regs if reg is None else np.array([reg])
    losses = left_out_losses(inner, D, targets, regs)
    chosen = []
    for name in dict.fromkeys(link.name for link in targets.links):
        own = [i for i, link in enumerate(targets.links) if link.name == name]
        row, column = np.unravel_index(np.argmin(losses[own]), (len(own), len(regs)))
        chosen.append((own[int(row)], regs[column], losses[own[int(row)], column]))
    return _mix(gamma, path, D, targets, chosen)


def _mix(
    gamma: float,
    path: KernelPath,
    D: FloatArray,
    targets: Targets,
    chosen: list[tuple[int, float, float]],
) -> Candidate:
    """Mix the best of each link in the shares that leave-one-out likes best."""
    inner = path.path
    P = np.empty((len(D), len(chosen), D.shape[1]))
    for rows, Z in inner.left_out(np.array([reg for _, reg, _ in chosen])):
        for place, (number, _, _) in enumerate(chosen):
            own = Z[:, place, targets.of(number)]
            P[rows, place] = targets.links[number].distributions(own)
    shares = np.ones((1, 1))
    if len(chosen) == 2:
        shares = np.column_stack([_MIXES, 1 - _MIXES])
    mixed = np.einsum("sk,ikl->isl", shares, P)
    losses = inner.weights @ divergences(D, mixed) / inner.weights.sum()
    best = int(np.argmin(losses))
    parts = [
        Part(targets.links[number], float(reg), float(share), float(loss))
        for (number, reg, loss), share in zip(chosen, shares[best], strict=True)
        if share > 0
    ]
    return Candidate(gamma, parts, path, mixed[:, best], float(losses[best]))


def climb(
    try_width: Callable[[float], Candidate], place: int = FIRST
) -> tuple[Candidate, dict[float, float], int]:
    """Go from one width to better neighbours; each is tried once.

    Parameters
    ----------
    try_width : callable
        Gives the candidate of an entry of ``WIDTHS``.
    place : int
        Entry to begin with.

    Returns
    -------
    best : Candidate
    losses : dict of float to float
        Gamma to loss, of all that were tried.
    place : int
        Entry of the best.
    """
    best = try_width(WIDTHS[place])
    losses = {best.gamma: best.loss}
    for step in (1, -1):
        start = place
        while 0 <= place + step < len(WIDTHS):
            candidate = try_width(WIDTHS[place + step])
            losses[candidate.gamma] = candidate.loss
            if candidate.loss >= best.loss:
                break
            best, place = candidate, place + step
        if place != start:  # it was worse on the other side
            break
    return best, losses, place
