"""One function from papers to pages."""

import re

import pytest

import skldl.reproduce
from skldl.benchmark import Split, run
from skldl.ldl import AAkNN
from skldl.methods import Method
from skldl.reproduce import Selection, _pages, _reproduce, read_summary, reproduce
from skldl.reproduce._protocol import Entry, Paper, Part
from skldl.reproduce._runner import make_plans


def small_paper(key, name):
    """Tables of a paper by name, on data that need no file."""

    def parts(quick):
        entries = [Entry(Method("AAkNN", AAkNN(3 if quick else 5)), "AA-KNN")]
        names = {"SJAFFE": ["toy"]}
        return [Part("", ["Table 1"], ["SJAFFE"], entries, Split(n_splits=2),
                     members=names)]  # fmt: skip

    return Paper(key, name, f"The paper {key}", parts)


@pytest.fixture
def papers(monkeypatch):
    made = {
        key: small_paper(key, name)
        for key, name in (("mslp", "MSLP"), ("lse-ldl", "LSE-LDL"), ("field", ""))
    }
    monkeypatch.setattr("skldl.reproduce._papers.PAPERS", made)
    return made


def test_from_papers_to_pages(tmp_path, papers, monkeypatch):
    compared, seen = [], []
    plain = _reproduce.compare_paper

    def counted(paper, summary):
        compared.append(paper.key)
        return plain(paper, summary)

    monkeypatch.setattr(_reproduce, "compare_paper", counted)
    store, folder = tmp_path / "s.sqlite", tmp_path / "pages"
    made = reproduce("all", store, folder, engine="serial",
                     progress=lambda name, now: seen.append(name))  # fmt: skip
    assert [paper.paper for paper in made] == list(papers)
    assert compared == [
        "mslp",
        "lse-ldl",
    ]  # once each; the field has nothing to compare
    assert not hasattr(_pages, "compare_paper")
    assert set(seen) == set(papers)
    assert str(made[0]) == "mslp: 6 of 390 cells measured"
    assert re.fullmatch(r"field: \d+ numbers", str(made[2]))
    assert made[2].cells is None
    names = {path.name for path in folder.iterdir()}
    wanted = {f"{key}.{end}" for key in papers for end in ("csv", "md", "html")}
    assert names >= wanted | {"README.md", "versions.csv"}
    assert read_summary(folder / "mslp.csv")["mean"].equals(made[0].summary["mean"])
    again = reproduce("all", None, tmp_path / "again", results=folder)
    for one, two in zip(made, again, strict=True):
        for old, new in zip(one.pages, two.pages, strict=True):
            assert old.read_text() == new.read_text()
    index = [f / "README.md" for f in (folder, tmp_path / "again")]
    assert index[0].read_text() == index[1].read_text()


def test_a_quick_run_has_files_of_its_own(tmp_path, papers):
    quick = Selection(quick=True)
    (made,) = reproduce(
        ["mslp"], tmp_path / "s.sqlite", tmp_path, selection=quick, engine="serial"
    )
    assert made.cells is None
    assert {path.name for path in tmp_path.glob("mslp*")} == {
        "mslp-quick.csv", "mslp-quick.md", "mslp-quick.html",
    }  # fmt: skip


def test_several_stores_are_read_and_nothing_runs(tmp_path, papers):
    stores = [tmp_path / f"{key}.sqlite" for key in ("mslp", "field")]
    for key, store in zip(("mslp", "field"), stores, strict=True):
        for _, plan in make_plans(papers[key], Selection()):
            run(plan, store, engine="serial")
    (made,) = reproduce("mslp", stores, tmp_path / "out", run=False)
    assert set(made.summary["n_folds"]) == {2}
    with pytest.raises(ValueError, match="one store to run"):
        reproduce("mslp", stores, tmp_path / "out")


def test_arguments_that_do_not_go_together(tmp_path):
    with pytest.raises(ValueError, match="Give a store"):
        reproduce("mslp", None, tmp_path)
    with pytest.raises(ValueError, match="cannot be quick"):
        reproduce("mslp", None, tmp_path, results=tmp_path,
                  selection=Selection(quick=True))  # fmt: skip
    with pytest.raises(ValueError, match="Unknown paper 'mlsp'"):
        reproduce("mlsp", tmp_path / "s.sqlite", tmp_path)
    with pytest.raises(ValueError, match="'field' has no published tables"):
        skldl.reproduce.compare_paper("field", None)
