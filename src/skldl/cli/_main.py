"""The ``skldl`` command. Help must not import scikit-learn: it is slow to start."""

import os
import signal
import sqlite3
import sys
import threading
from importlib import import_module
from typing import Any

import click

from skldl._version import __version__

#: Command name to (module, one line for the help page).
COMMANDS = {
    "compare": ("skldl.cli.compare", "Compare methods on data sets or your table."),
    "demo": ("skldl.cli.demo", "Compare the methods on built-in data."),
    "reproduce": ("skldl.cli.reproduce", "Run published tables again, beside ours."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when one of them runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        return import_module(COMMANDS[cmd_name][0]).command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the commands with their one line, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: skldl compare votes.csv --labels joy,fear --normalize",
)
@click.version_option(__version__, prog_name="skldl")
def cli() -> None:
    """Label distribution learning from the command line."""


def main(args: list[str] | None = None) -> Any:
    """Run a command; expected errors become one sentence and exit code 1.

    Parameters
    ----------
    args : list of str, default=None
        Arguments; None takes those of the process.
    """
    for stream in (sys.stdout, sys.stderr):  # arrows need not stop a plain terminal
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):  # leave as tidily as on Ctrl-C
            signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        cli.main(args=args, prog_name="skldl", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted; nothing half-written was left behind.", err=True)
        sys.exit(130)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except (ValueError, OSError, ImportError, sqlite3.Error) as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(1)
