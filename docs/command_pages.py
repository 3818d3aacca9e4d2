"""Every command with its one line and its help text, from the commands themselves."""

from importlib import import_module
from pathlib import Path

import click
from api_pages import write_if_changed

from skldl.cli._main import COMMANDS

HERE = Path(__file__).parent
WIDTH = 78


def load(name):
    """The command itself."""
    return import_module(COMMANDS[name][0]).command


def help_text(command, name):
    """What ``--help`` prints."""
    context = click.Context(
        command,
        info_name=f"skldl {name}",
        max_content_width=WIDTH,
        terminal_width=WIDTH,
    )
    return command.get_help(context)


def literal(text):
    """A block of reST that keeps the text as it is."""
    lines = [f"   {line}".rstrip() for line in text.splitlines()]
    return ["", ".. code-block:: text", "", *lines, ""]


def section(name):
    """A command, and the commands below it."""
    command = load(name)
    title = f"skldl {name}"
    lines = [f".. _command-{name}:", "", title, "-" * len(title)]
    lines += literal(help_text(command, name))
    if isinstance(command, click.Group):
        for below, inner in command.commands.items():
            lines += literal(help_text(inner, f"{name} {below}"))
    return lines


def table():
    """One line for each command, with a link to its help text."""
    lines = [".. list-table::", "   :widths: 28 72", ""]
    for name, (_, sentence) in COMMANDS.items():
        lines += [f"   * - :ref:`skldl {name} <command-{name}>`", f"     - {sentence}"]
    return "\n".join([*lines, ""])


def main():
    """Write the table of commands and the page of help texts."""
    folder = HERE / "commands"
    folder.mkdir(exist_ok=True)
    title = ["All commands and options", "========================", ""]
    title += ["What ``--help`` prints, for every command.", ""]
    lines = [line for name in COMMANDS for line in section(name)]
    write_if_changed(folder / "table.inc", table())
    write_if_changed(folder / "reference.rst", "\n".join([*title, *lines]))
