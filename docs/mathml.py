"""Formulas as MathML, which browsers draw themselves: no script and no network.

docutils has the converter, so that no package is needed for it.
"""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def to_mathml(tex, as_block):
    r"""MathML of a formula.

    ``\Big[`` gets the side that the converter wants, and ``\frac12`` its braces: the
    converter takes 12 for one number.
    """
    tex = re.sub(r"\\([dt]?frac)\s*(\w)\s*(\w)", r"\\\1{\2}{\3}", tex)
    tex = re.sub(r"\\([bB]igg?)\s*([\[(])", r"\\\1l\2", tex)
    tex = re.sub(r"\\([bB]igg?)\s*([\])])", r"\\\1r\2", tex)
    return tex2mathml(tex, as_block=as_block)


def write(self, node, as_block):
    """Put one formula on the page; what cannot be converted is a warning."""
    tex = node.astext()
    try:
        text = to_mathml(tex, as_block)
    except MathError as error:
        logger.warning("formula %r: %s", tex, error, location=node)
        text = f"<code>{self.encode(tex)}</code>"
    self.body.append(f'<div class="math">{text}</div>' if as_block else text)
    raise nodes.SkipNode


def visit_inline(self, node):
    """An inline formula."""
    write(self, node, as_block=False)


def visit_block(self, node):
    """A formula on lines of its own."""
    write(self, node, as_block=True)


def setup(app):
    """Register the renderer; conf.py chooses it."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
