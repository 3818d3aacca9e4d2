"""The changelog, which is Markdown, as a part of a page."""

import re
from pathlib import Path

from api_pages import write_if_changed

HERE = Path(__file__).parent
_UNDERLINES = {"## ": "-", "### ": "~"}


def to_rst(text):
    """Headings, lists and code of the changelog in reStructuredText."""
    # code is kept as it is; elsewhere these characters mean something
    parts = re.split(r"`([^`]+)`", text)
    parts[::2] = [re.sub(r"([*|]|_(?!\w))", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [f"``{' '.join(part.split())}``" for part in parts[1::2]]
    lines = []
    for line in "".join(parts).splitlines():
        mark = next((m for m in _UNDERLINES if line.startswith(m)), None)
        if mark:
            title = line.removeprefix(mark)
            lines += ["", title, _UNDERLINES[mark] * len(title), ""]
        elif not line.startswith("# "):
            lines.append(line)
    return "\n".join([*lines, ""])


def main():
    """Write the part."""
    folder = HERE / "changes"
    folder.mkdir(exist_ok=True)
    text = (HERE.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    write_if_changed(folder / "changelog.inc", to_rst(text))
