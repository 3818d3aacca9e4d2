"""Commands and outputs in Markdown and reStructuredText, run and compared."""

import re
import shlex

from click.testing import CliRunner

from skldl.cli._main import cli

NUMBER = re.compile(r"\d+(?:\.\d+)?")


def blocks(text, language):
    """Code blocks of a language in a page."""
    fenced = re.findall(rf"^```{language}\n(.*?)^```", text, re.S | re.M)
    pattern = rf"^\.\. code-block:: {language}\n\n((?:   .*\n|\n)+)"
    indented = re.findall(pattern, text, re.M)
    return fenced + [re.sub(r"^   ", "", b, flags=re.M).strip() for b in indented]


def session(block):
    """Pairs of a command and the output that the page shows."""
    parts = re.split(r"^\$ ", block, flags=re.M)[1:]
    pairs = (part.partition("\n") for part in parts)
    return [(command.strip(), shown.strip()) for command, _, shown in pairs]


def run(command):
    """What a command prints; it must succeed."""
    program, *words = shlex.split(command)
    assert program == "skldl", command
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, f"{command}\n{done.output}"
    return done.output


def as_shown(shown, output):
    """Whether an output is what a page shows.

    ``...`` stands for anything, blanks do not matter, and numbers may differ a little:
    whole ones by 2, others by 0.06, because versions of libraries differ and a search
    with a time limit may try less on a busy machine.
    """
    shown, output = (" ".join(text.split()) for text in (shown, output))
    wild = r"\.\.\."
    words = re.split(f"({wild}|{NUMBER.pattern})", shown)
    pattern = "".join(_part(word) for word in words)
    found = re.fullmatch(pattern, output)
    if found is None:
        return False
    wanted = [word for word in words if NUMBER.fullmatch(word)]
    return all(_near(a, b) for a, b in zip(wanted, found.groups(), strict=True))


def _part(word):
    if word == "...":
        return ".*?"
    return f"({NUMBER.pattern})" if NUMBER.fullmatch(word) else re.escape(word)


def _near(wanted, got):
    limit = 0.06 if "." in wanted + got else 2
    return abs(float(wanted) - float(got)) <= limit + 1e-9
