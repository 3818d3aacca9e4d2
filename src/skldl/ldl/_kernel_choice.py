"""What a kernel ridge chooses by leave-one-out: width, ridge, smoothing, link."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from skldl._typing import FloatArray
from skldl.ldl._kernel_map import KernelPath
from skldl.ldl._left_out import RidgePath
from skldl.ldl._links import Link, divergences

#: Ridges tried, as shares of the mean eigenvalue.
_SHARES = np.logspace(-5, 3, 17)
#: Shares of the first link tried where two are mixed.
_MIXES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
#: Widths tried: gamma times the median squared distance.
WIDTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
FIRST = 5  # of them


class Part(NamedTuple):
    """One regression of the mixture: link, columns of targets, ridge, share, loss."""

    link: Link
    columns: slice
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
) -> tuple[FloatArray, list[Link]]:
    """Mean divergence of left-out samples, and calibrated links, for each ridge.

    Links are calibrated on the first five blocks of rows, whose order is that of their
    keys: as good as random.
    """
    stream = path.left_out(regs)
    head = list(islice(stream, 5))
    Z = np.concatenate([block for _, block in head])
    links = [
        link.calibrated(Z[:, :, targets.of(i)], D[: len(Z)], path.weights[: len(Z)])
        for i, link in enumerate(targets.links)
    ]
    losses = np.zeros((len(links), len(regs)))
    for rows, block in chain(head, stream):
        for number, link in enumerate(links):
            P = link.distributions(block[:, :, targets.of(number)])
            losses[number] += path.weights[rows] @ divergences(D[rows], P)
    return losses / path.weights.sum(), links


def judge(
    gamma: float,
    path: KernelPath,
    D: FloatArray,
    targets: Targets,
    reg: float | None,
) -> Candidate:
    """Choose ridge and smoothing of each link, then their mixture."""
    values = path.path.values
    regs = _SHARES * values.mean() if len(values) else np.ones(1)
    regs = regs if reg is None else np.array([reg])
    losses, links = left_out_losses(path.path, D, targets, regs)
    parts = []
    for name in dict.fromkeys(link.name for link in links):
        own = [i for i, link in enumerate(links) if link.name == name]
        row, column = np.unravel_index(np.argmin(losses[own]), (len(own), len(regs)))
        number = own[int(row)]
        link, loss = links[number].at(int(column)), float(losses[number, column])
        parts.append(Part(link, targets.of(number), float(regs[column]), 1.0, loss))
    return _mix(gamma, path, D, parts)


def _mix(gamma: float, path: KernelPath, D: FloatArray, parts: list[Part]) -> Candidate:
    """Mix the best of each link in the shares that leave-one-out likes best."""
    inner = path.path
    P = np.empty((len(D), len(parts), D.shape[1]))
    for rows, Z in inner.left_out(np.array([part.reg for part in parts])):
        for number, part in enumerate(parts):
            P[rows, number] = part.link.distributions(Z[:, number, part.columns])
    shares = np.ones((1, 1))
    if len(parts) == 2:
        shares = np.column_stack([_MIXES, 1 - _MIXES])
    mixed = np.einsum("sk,ikl->isl", shares, P)
    losses = inner.weights @ divergences(D, mixed) / inner.weights.sum()
    best = int(np.argmin(losses))
    kept = [
        part._replace(share=float(share))
        for part, share in zip(parts, shares[best], strict=True)
        if share > 0
    ]
    return Candidate(gamma, kept, path, mixed[:, best], float(losses[best]))


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
