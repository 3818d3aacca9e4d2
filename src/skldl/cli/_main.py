"""The ``skldl`` command. Help must not import scikit-learn: it is slow to start."""

import os
import signal
import sys
import threading
import warnings
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from skldl._version import __version__

#: Command name to (module, one line for the help page).
COMMANDS = {
    "demo": ("skldl.cli.demo", "Compare the methods on built-in data."),
    "datasets": ("skldl.cli.datasets", "List, describe and fetch data sets."),
    "methods": ("skldl.cli.methods", "List the methods and their parameters."),
    "check": ("skldl.cli.check", "Say what is wrong with a table, and what is next."),
    "votes": ("skldl.cli.votes", "Turn answers of a crowd into a table to learn from."),
    "fit": ("skldl.cli.fit", "Learn from a table and save the model."),
    "auto": ("skldl.cli.fit", "Another name for fit: the best model for a table."),
    "predict": ("skldl.cli.predict", "Predict a table with a saved model."),
    "show": ("skldl.cli.show", "Say what a saved model is and does to columns."),
    "evaluate": ("skldl.cli.evaluate", "Judge a saved model on known labels."),
    "compare": ("skldl.cli.compare", "Compare methods on data sets or your table."),
    "report": ("skldl.cli.report", "Make an HTML page from stored results."),
    "table": ("skldl.cli.table", "Write stored results as the table of a paper."),
    "embed": ("skldl.cli.embed", "Project a table on few coordinates, and draw them."),
    "select": ("skldl.cli.select", "Rank features by how much they matter."),
    "reproduce": ("skldl.cli.reproduce", "Run published tables again, beside ours."),
    "cite": ("skldl.cli.cite", "Print what to cite, as BibTeX."),
    "completion": ("skldl.cli.completion", "Let your shell complete names."),
}


EXAMPLES = """
\b
Examples:
  skldl fit votes.csv --labels joy,fear,calm --normalize -o model.skldl
  skldl predict model.skldl new.csv -o predictions.csv
  skldl compare votes.csv --labels joy,fear,calm --normalize

\b
Each command has a --help with examples of its own.
"""


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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the one that was meant."""
        close = get_close_matches(args[0], COMMANDS, n=1)
        if close and args[0] not in COMMANDS:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {close[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the commands with their one line, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXAMPLES,
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
        _install_signal_handlers()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            cli.main(args=args, prog_name="skldl", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted; nothing half-written was left behind.", err=True)
        sys.exit(130)
    except expected_errors() as error:
        if _ENDS:  # readers in C turn an interrupt into an error of theirs
            click.echo("Interrupted; nothing half-written was left behind.", err=True)
            sys.exit(130)
        click.echo(f"Error: {_sentence(error)}", err=True)
        sys.exit(1)


def expected_errors() -> tuple[type[Exception], ...]:
    """Show errors of the input or of the machine as one sentence."""
    expected = (ValueError, OSError, ImportError, MemoryError)
    # only commands with a store import it, and only they can meet its errors
    sqlite3 = sys.modules.get("sqlite3")
    return expected if sqlite3 is None else (*expected, sqlite3.Error)


#: Signals to end that came.
_ENDS: list[int] = []


def _install_signal_handlers() -> None:
    """Take other ends as Ctrl-C, unless they are ignored, as under nohup."""
    _ENDS.clear()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _exit_on_signal)


def _exit_on_signal(number: int, frame: Any) -> None:
    """Remember the signal, whatever becomes of the exception."""
    _ENDS.append(number)
    raise KeyboardInterrupt


def _sentence(error: Exception) -> str:
    """What went wrong, without the system's number for it."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this."
    if isinstance(error, OSError) and error.strerror:
        named = f": {error.filename}" if error.filename else "."
        return error.strerror + named
    return str(error)


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    """A warning as one line, without the place in the code that gave it."""
    click.echo(f"Warning: {message}", err=True)
