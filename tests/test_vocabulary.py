"""One vocabulary: a parameter name means one thing, and is in the table of names."""

import importlib.util
import inspect
from pathlib import Path

import pytest

from skldl.discovery import all_estimators

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(
    not (ROOT / "docs" / "vocabulary.toml").exists(), reason="needs the repository"
)
ESTIMATORS = dict(all_estimators())


@pytest.fixture(scope="module")
def page():
    path = ROOT / "docs" / "vocabulary_table.py"
    spec = importlib.util.spec_from_file_location("vocabulary_table", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parameters(name):
    found = inspect.signature(ESTIMATORS[name]).parameters
    return {word: found[word].default for word in ESTIMATORS[name]._get_param_names()}


def who_has(word):
    return [name for name in ESTIMATORS if word in parameters(name)]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_parameter_is_in_the_table_of_names(page, name):
    unknown = set(parameters(name)) - set(page.read_vocabulary())
    assert not unknown, f"use a word of docs/vocabulary.toml, or add it: {unknown}"


def test_every_name_of_the_table_is_used(page):
    used = {word for name in ESTIMATORS for word in parameters(name)}
    unused = set(page.read_vocabulary()) - used
    assert not unused, f"nobody has these words of docs/vocabulary.toml: {unused}"


@pytest.mark.parametrize("word", ["random_state", "n_jobs"])
def test_one_default(word):
    defaults = {name: parameters(name)[word] for name in who_has(word)}
    assert defaults
    assert set(defaults.values()) == {None}, defaults


def test_who_searches_neighbours_has_engine_and_n_jobs():
    searching = who_has("engine")
    assert {parameters(name)["engine"] for name in searching} == {"auto"}
    assert set(searching) <= set(who_has("n_jobs"))
    # each parameter that counts neighbours implies a search
    assert set(who_has("n_neighbors")) <= set(searching)


@pytest.mark.parametrize("name", who_has("reg_mode"))
def test_ridges_are_absolute_or_relative(name):
    assert parameters(name)["reg_mode"] in ("absolute", "relative")
    (values,) = ESTIMATORS[name]._parameter_constraints["reg_mode"]
    assert values.options == {"absolute", "relative"}


def test_the_page_shows_every_parameter_with_its_defaults_and_owners(page):
    text = page.table()
    for word in {word for name in ESTIMATORS for word in parameters(name)}:
        assert f"   * - ``{word}``\n" in text
    rows = text.split("   * - ")
    (row,) = [row for row in rows if row.startswith("``reg_mode``")]
    assert "``'relative'``\n" in row
    assert row.endswith("- CCA, LFDA, LPP, MSLP, NPE\n")
