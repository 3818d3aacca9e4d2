"""Adam: the published update, step by step, and that it minimises."""

import numpy as np
import pytest

from skldl.objectives import Ridge
from skldl.solvers import adam


class Square:
    """Mean of (x - a)^2 / 2 over some numbers a."""

    def __init__(self, numbers):
        self.numbers = numbers

    def value_and_grad(self, x):
        gaps = x - self.numbers[:, None]
        return float((gaps**2).sum() / 2 / len(gaps)), gaps.mean(axis=0)


def naive(numbers, start, n_epochs, batch_size, rate, seed):
    """The algorithm of the paper, written plainly."""
    rng = np.random.RandomState(seed)
    x, m, v, t = start.copy(), 0.0, 0.0, 0
    for _ in range(n_epochs):
        order = rng.permutation(len(numbers))
        for begin in range(0, len(numbers), batch_size):
            g = (x - numbers[order[begin : begin + batch_size]][:, None]).mean(axis=0)
            t += 1
            m = 0.9 * m + 0.1 * g
            v = 0.999 * v + 0.001 * g**2
            x = x - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return x


def test_steps_are_those_of_the_paper():
    numbers = np.random.default_rng(0).normal(3.0, size=50)
    start = np.zeros(2)
    options = {"n_epochs": 4, "batch_size": 8}
    end = adam(
        lambda rows: Square(numbers[rows]),
        start,
        50,
        random_state=np.random.RandomState(1),
        learning_rate=0.05,
        **options,
    )
    assert end.x == pytest.approx(naive(numbers, start, 4, 8, 0.05, 1), rel=1e-12)
    assert not start.any()
    assert end.n_iter == len(end.history) == 4
    assert end.history[-1] == end.value == Square(numbers).value_and_grad(end.x)[0]


def test_it_minimises():
    numbers = np.random.default_rng(0).normal(3.0, size=50)
    end = adam(
        lambda rows: Square(numbers[rows]),
        np.zeros(1),
        50,
        random_state=np.random.RandomState(0),
        n_epochs=300,
        learning_rate=0.01,
    )
    assert end.x[0] == pytest.approx(numbers.mean(), abs=0.2)
    assert end.history[-1] < end.history[0]


def test_the_seed_decides_on_the_batches():
    numbers = np.arange(40.0)

    def run(seed):
        rng = np.random.RandomState(seed)
        part = lambda rows: Square(numbers[rows])  # noqa: E731
        return adam(part, np.zeros(1), 40, random_state=rng, n_epochs=2).x[0]

    assert run(0) == run(0) != run(1)
    whole = adam(lambda rows: Ridge(1.0), np.ones(1), 40, n_epochs=1,
                 random_state=np.random.RandomState(0), batch_size=40)  # fmt: skip
    assert whole.x[0] == pytest.approx(1 - 1e-3)  # a first step has the full length
