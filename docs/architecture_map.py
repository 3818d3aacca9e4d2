"""The layers of the package as a list and as a picture, for the architecture page.

Both come from ``architecture_layers.toml``, which the import test reads as well, and
the build of the documentation calls :func:`main`. A package that is planned but not
there yet may stand in the file; it is not shown.
"""

import tomllib
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
LAYERS = HERE / "architecture_layers.toml"
SOURCE = HERE.parent / "src" / "skldl"
TARGET = HERE / "architecture"

MARGIN, TITLE, STEP, BOX, GAP = 8, 170, 44, 30, 10
LETTER = 8.2  # width of a letter of the boxes


def read_layers():
    """Title and packages of every layer, the lowest first, of what there is."""
    there = {path.name.removesuffix(".py") for path in SOURCE.iterdir()}
    layers = []
    for layer in tomllib.loads(LAYERS.read_text())["layer"]:
        packages = {n: w for n, w in layer["packages"].items() if n in there}
        if packages:
            layers.append((layer["title"], packages))
    return layers


def as_list(layers):
    """A reST table, the highest layer first as in the picture."""
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 20 18 62", ""]
    lines += ["   * - Layer", "     - Package", "     - What it is for"]
    for title, packages in reversed(layers):
        for place, (name, what) in enumerate(packages.items()):
            lines.append(f"   * - {title}" if place == 0 else "   * -")
            lines += [f"     - ``{name}``", f"     - {what}"]
    return "\n".join([*lines, ""])


def as_svg(layers):
    """A picture of the layers: a row each, imports go down only."""
    height = STEP * len(layers) + 2 * MARGIN
    width = MARGIN + TITLE + max(sum(map(_box, inside)) for _, inside in layers)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        'role="img" aria-label="Layers of the package, the highest on top" '
        'style="max-width: 100%; height: auto" font-family="sans-serif" '
        'fill="none" stroke="currentColor">'
    ]
    for row, (title, packages) in enumerate(reversed(layers)):
        parts += _row(MARGIN + row * STEP, width, title, packages)
    return "\n".join([*parts, "</svg>", ""])


def _box(name):
    """Width of a box with the gap after it."""
    return len(name) * LETTER + 16 + GAP


def _row(top, whole, title, packages):
    middle = top + STEP / 2
    yield (
        f'<line x1="{MARGIN}" x2="{whole - MARGIN:.0f}" y1="{top + STEP}" '
        f'y2="{top + STEP}" stroke-opacity="0.25"/>'
    )
    yield _text(MARGIN + 4, middle, title, "start", "14")
    left = float(MARGIN + TITLE)
    for name, what in packages.items():
        width = _box(name) - GAP
        yield (
            f"<g><title>{escape(what)}</title>"
            f'<rect x="{left:.0f}" y="{middle - BOX / 2}" width="{width:.0f}" '
            f'height="{BOX}" rx="5" fill="currentColor" fill-opacity="0.06"/>'
        )
        yield (
            _text(left + width / 2, middle, name, "middle", "13", "monospace") + "</g>"
        )
        left += width + GAP


def _text(x, y, words, anchor, size, family="sans-serif"):
    return (
        f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="{anchor}" font-size="{size}" '
        f'font-family="{family}" fill="currentColor" stroke="none">'
        f"{escape(words)}</text>"
    )


def main(target=TARGET):
    """Write both files."""
    target.mkdir(exist_ok=True)
    layers = read_layers()
    for name, text in (("layers.inc", as_list(layers)), ("layers.svg", as_svg(layers))):
        path = target / name
        if not path.exists() or path.read_text() != text:  # unchanged: not built again
            path.write_text(text)


if __name__ == "__main__":
    main()
