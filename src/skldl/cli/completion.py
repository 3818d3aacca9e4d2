"""``skldl completion``: let the shell complete commands and names."""

import click

_LINES = {
    "bash": ('eval "$(_SKLDL_COMPLETE=bash_source skldl)"', "~/.bashrc"),
    "zsh": ('eval "$(_SKLDL_COMPLETE=zsh_source skldl)"', "~/.zshrc"),
    "fish": (
        "_SKLDL_COMPLETE=fish_source skldl | source",
        "~/.config/fish/completions/skldl.fish",
    ),
}
EXAMPLES = """
\b
Example:
  skldl completion bash >> ~/.bashrc
"""


@click.command(
    epilog=EXAMPLES,
    help="Print the line that makes a shell complete commands, options, methods and "
    "data sets.",
)
@click.argument("shell", type=click.Choice(list(_LINES)))
def command(shell: str) -> None:
    """Print the line, and where it belongs on the other stream."""
    line, file = _LINES[shell]
    click.echo(line)
    click.echo(f"Add this line to {file} and start a new shell.", err=True)
