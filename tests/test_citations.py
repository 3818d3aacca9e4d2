"""References: those of the docstrings, as BibTeX that can be read back."""

import inspect
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import skldl
from skldl.citations import cite, cited_names, references, short_reference
from skldl.citations._citations import _content
from skldl.cli.cite import command
from skldl.datasets import list_datasets
from skldl.discovery import all_estimators

ROOT = Path(__file__).parents[1]
FILE = "src/skldl/citations/references.toml"


def plain(title):
    return re.sub(r"\W+", " ", title).lower().strip()


def titles_of_docstring(estimator):
    doc = inspect.getdoc(estimator) or ""
    after = re.split(r"^References\n-+\n", doc, maxsplit=1, flags=re.M)
    if len(after) < 2:
        return set()
    section = re.split(r"^\S[^\n]*\n-{3,}\n", after[1], maxsplit=1, flags=re.M)[0]
    return {plain(t) for t in re.findall(r'"(.*?)"', " ".join(section.split()))}


@pytest.mark.parametrize(("name", "estimator"), all_estimators())
def test_methods_have_the_references_of_their_docstrings(name, estimator):
    wanted = titles_of_docstring(estimator)
    if not wanted:
        assert name not in cited_names(), f"{name} is in {FILE}, not in its docstring"
        return
    assert name in cited_names(), f"add {name} to {FILE}: {wanted}"
    entries = references(name).values()
    found = {plain(e["title"]) for e in entries if e["type"] != "book"}
    books = {plain(e["title"]) for e in entries} - found
    assert found | books == wanted, f"{FILE} and the docstring of {name} differ"


def test_every_name_and_key_is_there_and_used():
    content = _content()
    known = {name for name, _ in all_estimators()}
    assert set(content["methods"]) <= known
    assert set(content["datasets"]) <= set(list_datasets().index)
    used = {
        key
        for part in ("methods", "datasets")
        for keys in content[part].values()
        for key in keys
    }
    assert used == set(content["references"])
    for key, entry in content["references"].items():
        assert {"type", "author", "title"} <= set(entry), key


def test_distributions_of_others_have_references():
    table = list_datasets("distribution")
    real = table[table["download"]]
    assert (real["reference"] != "").all()
    assert real.loc["SJAFFE", "reference"] == "Geng 2016"


def read_bibtex(text):
    """Entries of BibTeX as cite writes it: one field in each line."""
    entries = {}
    for kind, key, body in re.findall(r"@(\w+)\{(\w+),\n(.*?)^\}\n", text, re.M | re.S):
        fields = re.findall(r"^  (\w+) = \{(.*)\},$", body, re.M)
        assert len(fields) == len(body.splitlines())
        entries[key] = {"type": kind, **dict(fields)}
    return entries


def test_bibtex_is_read_back():
    text = cite(cited_names())
    entries = read_bibtex(text)
    assert len(entries) == text.count("@")
    assert set(entries) == {*_content()["references"], "scikitldl"}
    for key, entry in _content()["references"].items():
        shown = entries[key]["title"].strip("{}").replace("\\", "")
        assert shown == entry["title"]
    body = re.sub(r"\\[&%#_]", "", text)
    assert not set("&%#_~^$") & set(body)
    assert body.count("{") == body.count("}")


def test_the_library_is_cited_as_in_its_citation_file():
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    (entry,) = references("scikit-ldl").values()
    assert entry["title"] == citation["title"]
    assert entry["author"].strip("{}") == citation["authors"][0]["name"]
    assert entry["note"] == f"Version {skldl.__version__}"
    titles = {plain(e["title"]): e for e in _content()["references"].values()}
    for reference in citation["references"]:
        ours = titles[plain(reference["title"])]
        names = " and ".join(
            f"{a['family-names']}, {a['given-names']}" for a in reference["authors"]
        )
        assert ours["author"] == names
        assert ours.get("year") == reference.get("year")
        assert ours.get("doi") == reference.get("doi")


def test_names_are_forgiving_and_unknown_ones_get_a_hint():
    assert references("standard+AA-kNN(n_neighbors=3)") == references("AAkNN")
    assert cite(["MSLP", "mslp"]).count("@") == 1
    assert short_reference("LDLM") == "Wang and Geng 2021"
    assert short_reference("LightGBMLDL") == "Ke et al. 2017"
    with pytest.raises(ValueError, match="Did you mean 'SJAFFE'"):
        cite("SJAFE")
    with pytest.raises(
        ValueError, match="No reference is known for 'MeanDistribution'"
    ):
        cite("MeanDistribution")


def test_command(tmp_path):
    def call(*words):
        return CliRunner().invoke(command, [str(word) for word in words])

    assert call().stdout == cite()
    assert call("MSLP", "Movie").stdout == cite(["MSLP", "Movie"])
    assert call("--list").stdout.split() == cited_names()
    done = call("MSLP", "-o", tmp_path / "a.bib")
    assert done.exit_code == 0
    assert (tmp_path / "a.bib").read_text() == cite("MSLP")
    assert call("MSLP", "-o", tmp_path / "a.txt").exit_code == 2
