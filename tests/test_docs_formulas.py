"""Formulas of the documentation mean what their TeX says."""

import runpy
from pathlib import Path

import pytest

pytest.importorskip("sphinx")
DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def to_mathml():
    return runpy.run_path(str(DOCS / "mathml.py"))["to_mathml"]


@pytest.mark.parametrize(
    ("short", "whole"),
    [
        (r"\frac12 KL(d, m)", r"\frac{1}{2} KL(d, m)"),
        (r"\tfrac12 a^T H a - \tfrac12", r"\tfrac{1}{2} a^T H a - \tfrac{1}{2}"),
        (r"\frac1n \sum_i e_i", r"\frac{1}{n} \sum_i e_i"),
        (r"\frac{\lambda}{2} \Big[ x \Big]", r"\frac{\lambda}{2} \Bigl[ x \Bigr]"),
    ],
)
def test_short_fractions_are_those_of_tex(to_mathml, short, whole):
    assert to_mathml(short, False) == to_mathml(whole, False)


def test_a_half_is_one_over_two(to_mathml):
    shown = "".join(to_mathml(r"\frac12 x", False).split())
    assert "<mfrac><mn>1</mn><mn>2</mn></mfrac><mi>x</mi>" in shown
