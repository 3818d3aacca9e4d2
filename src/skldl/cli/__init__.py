"""The command line: one module per command, imported when it is called."""

from skldl.cli._main import main

__all__ = ["main"]
