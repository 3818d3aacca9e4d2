"""The command that makes a model of the winner."""

import shlex
from collections.abc import Iterator, Sequence

import pandas as pd

# what fit understands as compare does; each has a value, but for --normalize
_SHARED = {
    "-l", "--labels", "--labels-after", "--features", "--ignore", "--empty",
    "--arrays", "--sep", "--decimal", "--encoding", "--sheet", "--categorical",
    "--text", "--dates", "--missing", "--annotations", "--item", "--label",
    "--annotator", "--how", "--weights",
}  # fmt: skip
_FLAGS = {
    "--normalize", "--fixed", "--tune", "--serial", "--retry-failed", "--json"
}  # fmt: skip


def fit_command(
    method: str, datasets: Sequence[str], runs: pd.DataFrame, *, tuned: bool
) -> str:
    """The command that fits a method on the data of a comparison.

    Parameters
    ----------
    method : str
        The winner.
    datasets : sequence of str
        Data sets of the comparison.
    runs : DataFrame
        Commands that added results; of ``skldl compare`` the last one tells the files
        and their columns.
    tuned : bool
        Whether the comparison tuned its methods.

    Returns
    -------
    command : str
        With DATA in place of the data, if there are several.
    """
    given = ["DATA"] if len(datasets) > 1 else [str(datasets[0])]
    commands = list(runs["command"]) if "command" in runs.columns else []
    for text in reversed(commands):
        words = _words_of(text)
        if words is not None:
            data = _data_of(words)
            if len(data) == 1 == len(datasets):
                given = [*data, *_shared_options(words)]
            break
    more = ["--tune"] if tuned else []
    files = ["-o", "model.skldl", "--report", "model.html"]
    words = ["skldl", "fit", *given, "--method", method, *more, *files]
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """A word for the shell; around single quotes double ones are easier to read."""
    if "'" in word and not set(word) & set('"$`\\!'):
        return f'"{word}"'
    return shlex.quote(word)


def _words_of(command: str) -> list[str] | None:
    """Arguments of a comparison; None for other commands."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    return words[words.index("compare") + 1 :] if "compare" in words[:4] else None


def _pairs_of(words: list[str]) -> Iterator[tuple[str, str | None]]:
    """Options with their values, and arguments as ("", word)."""
    left = list(words)
    while left:
        word = left.pop(0)
        if not word.startswith("-") or word == "-":
            yield "", word
        elif "=" in word:
            name, value = word.split("=", 1)
            yield name, value
        elif word in _FLAGS or not left:
            yield word, None
        else:
            yield word, left.pop(0)


def _shared_options(words: list[str]) -> Iterator[str]:
    for name, value in _pairs_of(words):
        if name == "--normalize":
            yield name
        elif name in _SHARED and value is not None:
            yield from (name, value)


def _data_of(words: list[str]) -> list[str]:
    return [str(value) for name, value in _pairs_of(words) if not name]
