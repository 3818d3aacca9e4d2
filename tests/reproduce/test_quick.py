"""Every paper's quick run, where its data are present."""

import pandas as pd
import pytest

from skldl.benchmark import Store
from skldl.reproduce import Selection, run_papers
from skldl.reproduce._pages import stored_names
from skldl.reproduce._papers import get_papers
from skldl.reproduce._summary import Results, summarize_paper

NEEDS = {
    "mslp": "SJAFFE",
    "lse-ldl": "SJAFFE",
    "lwknn": "SJAFFE",
    "jplay": "AR_eigen300",
    "generalized-hamming": "mulan_yeast",
    "field": "SJAFFE",
}


@pytest.mark.parametrize("key", list(NEEDS))
def test_quick_run_ends_well(key, real_data, tmp_path, monkeypatch):
    real_data(NEEDS[key])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = tmp_path / "quick.sqlite"
    quick = Selection(quick=True)
    run_papers([key], path, selection=quick, engine="serial")
    with Store(path) as store:
        statuses = store.statuses()
    assert (statuses["status"] == "ok").all(), statuses["message"].to_list()
    (paper,) = get_papers([key])
    summary = summarize_paper(paper, Results.read([path]), quick=True)
    names = pd.Series(stored_names(paper, summary, quick=True), summary.index)
    for part in paper.parts(quick=True):
        found = set(names[summary["part"] == part.name])
        wanted = {e.method.name for e in quick.chosen_entries(part)}
        assert wanted <= found
    assert summary["mean"].notna().all()
    # the full tables must not take a quick run for their own
    full = summarize_paper(paper, Results.read([path]))
    assert not (full["n_folds"] == full["n_expected"]).any()


def test_a_second_run_has_nothing_to_do(real_data, tmp_path):
    real_data("SJAFFE")
    path = tmp_path / "quick.sqlite"
    options = {"quick": True, "methods": ["AA-KNN", "MSLP"]}
    seen = []

    def follow(name, now):
        seen.append((name, now))

    first = Selection(**options)
    run_papers(["mslp"], path, selection=first, engine="serial", progress=follow)
    assert seen[-1][0] == "mslp"
    assert seen[0][1].skipped == 0
    seen.clear()
    run_papers(["mslp"], path, selection=first, engine="serial", progress=follow)
    assert [now.skipped == now.total for _, now in seen] == [True]
    seen.clear()
    more = Selection(**options, best_on_test=True, standardize=True)
    run_papers(["mslp"], path, selection=more, engine="serial", progress=follow)
    starts = [now for _, now in seen if now.done == now.skipped]
    # AA-KNN, two forms of MSLP and the mean distribution, two folds
    assert starts[0].skipped == 8
    (paper,) = get_papers(["mslp"])
    summary = summarize_paper(paper, Results.read([path]), quick=True)
    assert {"honest", "best on test"} == set(summary["protocol"])
    assert {"raw", "standardised"} == set(summary["features"])


@pytest.mark.parametrize(
    ("name", "key"),
    [("ar", "AR_60x43"), ("pines", "Indian_Pines"), ("yale0", "YaleB_32x32")],
)
def test_sizes_of_single_test_parts(name, key, real_data):
    from skldl.reproduce.papers.jplay import load_data

    real_data("AR_eigen300" if name == "ar" else key)
    (paper,) = get_papers(["jplay"])
    sizes = {k: v for part in paper.parts() for k, v in part.test_sizes.items()}
    assert len(load_data(name).test) == sizes[key]


def test_faces_are_drawn_by_person(real_data):
    import numpy as np

    from skldl.reproduce.papers.jplay import load_data

    real_data("YaleB_32x32")
    data, other = load_data("yale0"), load_data("yale1")
    counts = np.unique(data.y[data.train], return_counts=True)[1]
    assert set(counts) == {10}
    assert not set(data.train) & set(data.test)
    assert set(data.train) != set(other.train)


@pytest.mark.parametrize("name", ["mulan_yeast", "mulan_scene", "mulan_emotions"])
def test_sizes_of_the_posters_test_parts(name, real_data):
    part = get_papers(["generalized-hamming"])[0].parts()[1]
    assert len(real_data(name).test) == part.test_sizes[name]
