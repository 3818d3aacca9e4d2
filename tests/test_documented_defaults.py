"""What docstrings call the default is the default."""

import ast
import inspect
import re

import pytest

from skldl.discovery import all_estimators

_DEFAULT = re.compile(r"^ {4}(\w+(?:, \w+)*) : .*?default=(.+?)$", re.MULTILINE)


def documented(cls):
    """Parameter names and the values of their docstring's defaults."""
    text = inspect.getdoc(cls).split("Attributes\n")[0]
    text = "\n".join("    " + line for line in text.splitlines())
    for names, value in _DEFAULT.findall(text):
        for name in names.split(", "):
            yield name, value.strip()


@pytest.mark.parametrize(
    "cls", [cls for _, cls in all_estimators()], ids=lambda cls: cls.__name__
)
def test_defaults_are_those_of_the_docstring(cls):
    parameters = inspect.signature(cls).parameters
    found = dict(documented(cls))
    assert set(found) <= set(parameters)
    for name, text in found.items():
        try:
            value = ast.literal_eval(text)
        except (SyntaxError, ValueError):
            value = eval(text, {})  # 1 / 3
        assert value == parameters[name].default, name
    assert len(found) >= 0.6 * len(parameters)
