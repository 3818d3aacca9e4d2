"""What pages say of settings is what is stored, and what is stored is what ran."""

import json
from pathlib import Path

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.ldl import LDSVR, AAkNN
from skldl.reproduce import list_papers, read_summary
from skldl.reproduce._columns import label_columns, make_summary
from skldl.reproduce._page_settings import preset_sentence, settings_table
from skldl.reproduce._pages import paper_page
from skldl.reproduce._papers import PAPERS
from skldl.reproduce._presets import PUBLISHED
from skldl.reproduce._protocol import both
from skldl.reproduce._settings import (
    is_published,
    last_step,
    settings_text,
    settings_words,
)
from skldl.reproduce._summary import with_baseline

RESULTS = Path(__file__).resolve().parents[2] / "results"
COMMITTED = pytest.mark.skipif(
    not (RESULTS / "mslp.csv").exists(), reason="needs the summaries of the repository"
)


def test_settings_are_steps_and_parameters():
    model = make_pipeline(StandardScaler(), AAkNN(7, n_jobs=2))
    first, last = json.loads(settings_text(model))
    assert first == ["StandardScaler", {"with_mean": True, "with_std": True}]
    assert last[0] == "AAkNN"
    assert last[1]["n_neighbors"] == 7
    assert "n_jobs" not in last[1]  # it changes speed alone
    assert last_step(settings_text(model)) == tuple(last)
    assert last_step("") == ("", {})
    assert settings_text(model) == settings_text(
        make_pipeline(*dict(model.steps).values())
    )


def test_words_name_the_preset_and_what_is_not_by_default():
    text = settings_text(LDSVR(C=1.0, gamma="mean", smearing=False, tol=0.5))
    words = settings_words(text)
    assert words == (
        "LDSVR (C = 1, epsilon = 0.1, gamma = mean, smearing = False, tol = 0.5)"
    )
    assert settings_words("") == ""
    assert settings_words(settings_text(AAkNN())) == "AAkNN"


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_is_told_from_anything_else(name):
    published = both(name, preset="published")[0].method.estimator
    assert is_published(settings_text(published)) is True
    for key, value in PUBLISHED[name].items():
        other = json.loads(settings_text(published))
        other[0][1][key] = "something else"
        assert is_published(json.dumps(other)) is False, (key, value)
    assert is_published(settings_text(AAkNN())) is None


def row(settings, **more):
    return {"part": "", "dataset": "SJAFFE", "method": "LDSVR", "published": "LDSVR",
            "features": "raw", "variant": "", "protocol": "honest", "metric": "clark",
            "params": "{}", "settings": settings, **more}  # fmt: skip


def test_the_sentence_follows_the_stored_settings():
    right = settings_text(both("LDSVR", preset="published")[0].method.estimator)
    wrong = settings_text(both("LDSVR")[0].method.estimator)
    yes = preset_sentence(make_summary([row(right)]))
    assert yes == "With the settings of their own papers ran: LDSVR."
    no = preset_sentence(make_summary([row(wrong)]))
    assert no == "With other settings than those of their own papers ran: LDSVR."
    # a data set with other settings makes the whole statement false
    both_ways = [row(right), row(wrong, dataset="M2B")]
    assert preset_sentence(make_summary(both_ways)) == no
    # other columns, and what was searched, are not spoken of
    assert preset_sentence(make_summary([row(wrong, variant="old")])) == ""
    assert preset_sentence(make_summary([row(wrong, params='{"C": 1}')])) == ""


def test_the_table_says_which_columns_are_as_published():
    right = settings_text(both("LDSVR", preset="published")[0].method.estimator)
    wrong = settings_text(both("LDSVR")[0].method.estimator)
    rows = [row(right), row(wrong, variant="our former defaults")]
    table = settings_table(PAPERS["mslp"], make_summary(rows)).set_index("column")
    assert table.loc["counts", "preset"] == "as published"
    assert "C = 1," in table.loc["counts", "settings"]
    assert table.loc["our former defaults", "preset"] == "not as published"
    assert "C = 100," in table.loc["our former defaults", "settings"]


def same_settings(one, other):
    """Whether settings agree, apart from those that scikit-learn has deprecated.

    A version that deprecates a parameter has another default than those before.
    """
    if "deprecated" in (str(one), str(other)):
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            same_settings(one[name], other[name]) for name in one
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_settings, one, other))
    return repr(one) == repr(other)  # nan, too


def test_settings_differ_unless_they_are_deprecated():
    assert same_settings([{"a": [1, "deprecated"]}], [{"a": [1, False]}])
    assert not same_settings([{"a": [1, 2]}], [{"a": [1, 3]}])
    assert not same_settings({"a": 1}, {"a": 1, "b": 2})
    assert not same_settings([1], [1, 2])


@COMMITTED
@pytest.mark.parametrize("key", list_papers())
def test_stored_settings_are_those_of_the_code(key):
    summary = read_summary(RESULTS / f"{key}.csv")
    own = ["part", "method", "features", "variant", *label_columns(summary)]
    wanted = {
        (part.name, *(entry.columns.get(name, "") for name in own[1:])): settings_text(
            entry.method.estimator
        )
        for part in PAPERS[key].parts()
        for entry in with_baseline(part)
    }
    stored = summary[[*own, "settings"]].drop_duplicates()
    assert len(stored)
    for *place, text in stored.itertuples(index=False):
        assert same_settings(json.loads(text), json.loads(wanted[tuple(place)])), place


@COMMITTED
@pytest.mark.parametrize("key", ["mslp", "lse-ldl", "lwknn"])
def test_no_page_says_something_false_of_settings(key):
    summary = read_summary(RESULTS / f"{key}.csv")
    counting = summary[(summary["variant"] == "") & (summary["features"] == "raw")]
    counting = counting[(counting["published"] != "") & (counting["params"] == "{}")]
    page = (RESULTS / f"{key}.md").read_text(encoding="utf-8")
    sentence = preset_sentence(summary)
    assert sentence in page
    assert "other settings than" not in sentence
    for published, rows in counting.groupby("published"):
        for text in rows["settings"].unique():
            if is_published(text):
                assert settings_words(text) in page, published
    # notes must not speak of parameters, which only the generated words may
    notes = " ".join(PAPERS[key].notes)
    for word in ("C = ", "ridge of", "hidden units", "shrink", "defaults"):
        assert word not in notes, word


def test_a_page_without_settings_has_no_such_chapter():
    summary = make_summary([{**row(""), "n_folds": 1, "n_expected": 1}])
    _, _, chapters = paper_page(PAPERS["mslp"], summary, None, quick=True)
    assert [chapter.heading for chapter in chapters] == ["Measured"]
