"""The architecture page shows the layers that there are and names real functions."""

import ast
import importlib.util
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
SOURCE = DOCS.parent / "src" / "skldl"
PAGE = (DOCS / "architecture.rst").read_text()


@pytest.fixture(scope="module")
def pages():
    spec = importlib.util.spec_from_file_location("map", DOCS / "architecture_map.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def packages():
    """Packages and modules of the top level."""
    names = {path.name.removesuffix(".py") for path in SOURCE.iterdir()}
    return names - {"__init__", "__pycache__", "py.typed"}


def test_every_package_is_in_the_list_and_in_the_picture(pages):
    layers = pages.read_layers()
    shown = [name for _, inside in layers for name in inside]
    assert sorted(shown) == sorted(packages())
    listed = re.findall(r"- ``(\w+)``", pages.as_list(layers))
    texts = [
        t.text for t in ElementTree.fromstring(pages.as_svg(layers)).iter() if t.text
    ]
    assert listed == [name for _, inside in reversed(layers) for name in inside]
    assert set(shown) <= set(texts)


def test_boxes_do_not_leave_the_picture(pages):
    root = ElementTree.fromstring(pages.as_svg(pages.read_layers()))
    boxes = [element for element in root.iter() if element.tag.endswith("rect")]
    ends = [float(box.get("x")) + float(box.get("width")) for box in boxes]
    assert 0 < max(ends) <= float(root.get("viewBox").split()[2])


def test_what_is_planned_is_not_shown(pages, tmp_path, monkeypatch):
    layers = tmp_path / "layers.toml"
    layers.write_text(
        '[[layer]]\ntitle = "Low"\n[layer.packages]\nbase = "There."\n'
        '[[layer]]\ntitle = "High"\n[layer.packages]\nlater = "Planned."\n'
    )
    monkeypatch.setattr(pages, "LAYERS", layers)
    assert pages.read_layers() == [("Low", {"base": "There."})]


def test_files_are_written(pages, tmp_path):
    pages.main(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"layers.inc", "layers.svg"}


def test_the_walks_name_functions_that_exist():
    steps = re.findall(r"``([\w/]+\.py)(?::(\w+))?``", PAGE)
    assert len(steps) > 25
    for path, function in steps:
        file = next(p for p in (SOURCE / path, DOCS.parent / path) if p.exists())
        tree = ast.parse(file.read_text())
        defined = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        assert not function or function in defined, f"{path}:{function}"


def test_the_page_is_linked():
    assert re.search(r"^   architecture$", (DOCS / "project.rst").read_text(), re.M)
    for name in ("README.md", "CONTRIBUTING.md"):
        assert "docs/architecture.rst" in (DOCS.parent / name).read_text(), name
