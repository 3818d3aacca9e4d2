"""What pages say of settings is what is stored, and what is stored is what ran."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl import ldl
from skldl.ldl import LDSVR, PTSVM, SAIIS, AAkNN
from skldl.methods import Tuning
from skldl.reproduce import compare_paper, list_papers, read_summary
from skldl.reproduce._columns import label_columns, make_summary
from skldl.reproduce._page_settings import (
    _part_words,
    _varied,
    classifier_sentence,
    preset_sentences,
    settings_table,
)
from skldl.reproduce._pages import paper_page
from skldl.reproduce._papers import PAPERS
from skldl.reproduce._presets import PUBLISHED
from skldl.reproduce._protocol import both
from skldl.reproduce._render import to_markdown
from skldl.reproduce._searches import describe_steps
from skldl.reproduce._settings import (
    is_published,
    last_step,
    search_text,
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


def test_a_search_is_its_grid_its_metrics_and_its_folds():
    grid = {"n_neighbors": [3, 5], "metric": ("euclidean",)}
    text = search_text(grid, Tuning(("clark", "cosine"), 4))
    assert json.loads(text) == {
        "grid": {"n_neighbors": [3, 5], "metric": ["euclidean"]},
        "metrics": ["clark", "cosine"],
        "n_splits": 4,
    }
    assert json.loads(search_text(grid, Tuning()))["metrics"] == ["intersection"]
    assert search_text({}, Tuning()) == search_text(grid, None) == ""


def test_folds_are_stored_with_their_parameters():
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    search = GridSearchCV(AAkNN(), {"n_neighbors": [3, 5]}, cv=folds)
    ((_, params),) = json.loads(settings_text(search))
    assert params["cv"] == [
        "StratifiedKFold",
        {"n_splits": 4, "shuffle": True, "random_state": 1},
    ]
    said = {
        describe_steps([("GridSearchCV", {**params, "cv": cv})]).search["judged by"]
        for cv in (params["cv"], 4)
    }
    assert said == {
        "accuracy on 4 shuffled folds",
        "accuracy on 4 folds in the order of the rows",
    }


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


def cell(settings, **more):
    return {"table": "Table 1", "dataset": "SJAFFE", "method": "LDSVR", "main": True,
            "column": "honest, raw", "params": "{}", "settings": settings,
            **more}  # fmt: skip


def test_sentences_follow_the_cells_that_count():
    right = settings_text(both("LDSVR", preset="published")[0].method.estimator)
    wrong = settings_text(both("LDSVR")[0].method.estimator)

    def said(*cells):
        return preset_sentences(pd.DataFrame(cells))

    yes = "With the settings of its own paper ran LDSVR."
    assert said(cell(right)) == [yes]
    two = said(cell(right), cell(right, method="other"))
    assert two == ["With the settings of their own papers ran LDSVR and other."]
    other = "ran with other settings than those of its own paper"
    assert said(cell(wrong)) == [f"LDSVR {other}."]
    # one data set, or one table, with other settings must be named
    form = "honest, raw, our former defaults"
    place = {"dataset": "M2B", "table": "Table 2"}
    assert said(cell(right), cell(right), cell(wrong, column=form, **place)) == [
        "LDSVR ran with the settings of its own paper; on M2B in Table 2 it "
        f"{other} (our former defaults)."
    ]
    # a search is not a preset, whatever it started from
    tuned = cell(right, params='{"C": 1.0}')
    assert said(tuned) == ["LDSVR was tuned."]
    assert said(tuned, tuned, cell(right, table="Table 2")) == [
        "LDSVR was tuned; on SJAFFE in Table 2 it ran with the settings of its own "
        "paper."
    ]
    # what does not count, and what has no preset, is not spoken of
    assert said(cell(right), cell(wrong, main=False)) == [yes]
    assert said(cell(settings_text(AAkNN()))) == []


def test_what_a_preset_does_not_name_must_be_as_by_default():
    def published(model):
        return is_published(settings_text(model))

    assert published(SAIIS())
    assert published(SAIIS()) is True
    assert published(SAIIS(max_iter=50)) is False
    # the seed is no setting
    assert published(PTSVM(resample=True, random_state=3)) is True
    assert published(PTSVM(resample=True, gamma="mean")) is False


def test_parts_are_named_by_their_tables_and_data_sets():
    words = [_part_words(PAPERS["lwknn"], part) for part in PAPERS["lwknn"].parts()]
    four = [f"Tables {t}{on}" for t in ("III and IV", "V and VI")
            for on in ("", " on Movie")]  # fmt: skip
    assert words == [*four, "Table VIII"]
    # said everywhere: the same elsewhere needs no words; not said somewhere: it does
    here, there, last = ({"part": word} for word in (*words[:2], words[4]))
    everywhere = [(here, "a"), (there, "a"), (last, "b")]
    assert _varied(everywhere) == "a (Tables III and IV), b (Table VIII)"
    both = "a (Tables III and IV, Tables III and IV on Movie)"
    assert _varied([(here, "a"), (there, "a"), (last, "")]) == both
    assert _varied([(here, "a"), (there, ""), (last, "")]) == "a (Tables III and IV)"


def test_the_table_says_which_columns_are_as_published():
    right = settings_text(both("LDSVR", preset="published")[0].method.estimator)
    wrong = settings_text(both("LDSVR")[0].method.estimator)
    rows = [row(right), row(wrong, variant="our former defaults")]
    table = settings_table(PAPERS["mslp"], make_summary(rows)).set_index("form")
    assert table.loc["first", "preset"] == "as published"
    assert "C = 1," in table.loc["first", "settings"]
    assert table.loc["our former defaults", "preset"] == "not as published"
    assert "C = 100," in table.loc["our former defaults", "settings"]


@COMMITTED
def test_tuned_methods_are_told_from_published_ones():
    table = table_of("lwknn").set_index(["method", "form"])
    ldlm = table.loc[("LDLM", "first")]
    assert ldlm["preset"] == "tuned (Tables III and IV), as published (Table VIII)"
    where = "Tables III and IV, Tables III and IV on Movie"
    assert f"margin_weight: 0.01, 0.1, 1 ({where})" in ldlm["searched"]
    # what is searched in some places only does not seem to be searched everywhere
    other = table.loc[("LDL-LDM", "first"), "searched"]
    assert "local_weight: 0.01, 1 (Tables III and IV, Tables V and VI)" in other
    assert table.loc[("LDLM", "as published, not tuned"), "searched"] == ""
    sweeps = table_of("mslp").set_index(["method", "form"])["preset"]
    assert sweeps["IIS-LDL", "first"] == "as published"
    assert sweeps["IIS-LDL", "50 sweeps"] == "not as published"


def table_of(key):
    return settings_table(PAPERS[key], read_summary(RESULTS / f"{key}.csv"))


@COMMITTED
@pytest.mark.parametrize("key", ["mslp", "lse-ldl", "lwknn", "jplay"])
def test_every_method_and_form_has_one_row_that_describes_it(key):
    table = table_of(key)
    assert not table.duplicated(["method", "form"]).any()
    for words in table["settings"] + table["searched"]:
        for wrapper in ("Tuned", "Pipeline", "GridSearchCV", "None, n_splits"):
            assert wrapper not in words


@COMMITTED
def test_projections_and_grids_inside_searches_are_described():
    jplay = table_of("jplay").set_index(["method", "form"])
    assert "preset" not in jplay  # none of these has one
    lpp = jplay.loc[("LPP", "first")]
    assert "Eigenfaces (n_components = 200) on Yale-B + LPP" in lpp["settings"]
    assert "n_components = 70 (AR), 20 (repaired cube" in lpp["settings"]
    assert "170 (Yale-B)" in lpp["settings"]
    assert lpp["searched"] == "n_neighbors: 5, 10; judged by 1-NN on 3 folds"
    first = jplay.loc[("LPP", "PCA first, as Laplacianfaces do")]
    assert "PCA (svd_solver = full) + LPP" in first["settings"]
    assert "n_components of PCA: 0.95, 0.98, 0.99, None" in first["searched"]
    # a grid of one value is a setting
    assert "n_components = 80 (AR)" in jplay.loc[("PCA", "first"), "settings"]
    assert jplay.loc[("PCA", "first"), "searched"] == ""
    deep = jplay.loc[("J-Play5", "first"), "searched"]
    assert "chosen with n_layers = 1 (AR" in deep
    assert "n_layers = 2 (repaired cube" in deep
    assert "smoothness_weight: 0.01, 0.1, 1" in deep
    assert "label_weight" not in deep  # which only those with few layers search
    four = jplay.loc[("J-Play5", "one of four settings, chosen for 1-NN"), "searched"]
    assert "reg = smoothness_weight: 0.1, 1" in four
    mslp = table_of("mslp").set_index(["method", "form"])["searched"]
    assert "kernel: None, rbf" in mslp["CCA", "first"]
    assert "n_neighbors (of the graph): 5, 10, 15" in mslp["LPP", "first"]
    assert "of the graph" not in mslp["PCA", "first"]


@COMMITTED
def test_classifiers_are_described_once():
    sentence = classifier_sentence(read_summary(RESULTS / "jplay.csv"))
    assert "NN is KNeighborsClassifier (n_neighbors = 1)." in sentence
    assert "SVM is MinMaxScaler + SVC, C: 0.01, 0.1, 1, 10, 100; gamma: " in sentence
    assert "accuracy on 5 shuffled folds." in sentence
    first = sentence.partition("In the forms 'orthonormal under the constraint'")[2]
    assert "SVM is MinMaxScaler + SVC, C: 1, 10, 100, 1000; gamma:" in first
    assert "accuracy on 5 folds in the order of the rows" in first
    assert sentence.count("NN is ") == sentence.count("CCF is ") == 1
    assert classifier_sentence(read_summary(RESULTS / "mslp.csv")) == ""


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
    entries = {
        (part.name, *(entry.columns.get(name, "") for name in own[1:])): (part, entry)
        for part in PAPERS[key].parts()
        for entry in with_baseline(part)
    }
    stored = summary[[*own, "protocol", "settings", "search"]].drop_duplicates()
    assert len(stored)
    for *place, protocol, settings, search in stored.itertuples(index=False):
        part, entry = entries[tuple(place)]
        wanted = settings_text(entry.method.estimator)
        assert same_settings(json.loads(settings), json.loads(wanted)), place
        if protocol != "honest":
            assert search == "", place
        elif search or entry.features == "raw":  # others may be older than searches
            wanted = search_text(entry.method.grid, part.tuning_of(entry))
            assert search == wanted, place


def stored_as_published(row):
    """Whether a row ran with its class's preset and defaults, and nothing searched."""
    name, params = json.loads(row["settings"])[-1]
    model = getattr(ldl, name)()
    wanted = {**model.get_params(deep=False), **PUBLISHED[name]}
    wanted = json.loads(json.dumps(wanted, default=str))
    free = {"random_state", "n_jobs", "verbose"}
    same = all(params[k] == v for k, v in wanted.items() if k not in free)
    return same and row["params"] == "{}"


def without_published_run(summary, method):
    """Data sets, by part, where the first form did not run so, from the files alone."""
    rows = summary[(summary["published"] == method) & (summary["features"] == "raw")]
    rows = rows[rows["protocol"] == "honest"]
    for (part, dataset), found in rows.groupby(["part", "dataset"], sort=False):
        enough = min(5, found["n_folds"].max())  # with fewer, another form counts
        first = found[(found["variant"] == "") & (found["n_folds"] >= enough)]
        runs = first.to_dict("records")
        if not runs or not all(map(stored_as_published, runs)):
            yield part, dataset


@COMMITTED
@pytest.mark.parametrize("key", ["mslp", "lse-ldl", "lwknn"])
def test_no_page_says_something_false_of_settings(key):
    summary = read_summary(RESULTS / f"{key}.csv")
    cells = compare_paper(key, summary)
    sentences = preset_sentences(cells)
    page = to_markdown(*paper_page(PAPERS[key], summary, cells))
    assert " ".join(sentences) in page
    together = "With the settings of their own papers ran "
    first = [s for s in sentences if s.startswith(together)]
    mixed = [s for s in sentences if not s.startswith(together)]
    names = "".join(first).removeprefix(together).rstrip(".")
    always = re.split(", | and ", names) if names else []
    assert always or mixed
    for method in always:
        assert not list(without_published_run(summary, method)), method
    for sentence in mixed:
        method, _, rest = sentence.partition(" ")
        lacking = list(without_published_run(summary, method))
        assert lacking, method
        if rest.startswith("ran with the settings of its own paper"):
            for _, dataset in lacking:  # every exception is named
                assert dataset in rest, (method, dataset)
    # notes must not speak of parameters, which only the generated words may
    notes = " ".join(PAPERS[key].notes)
    for word in ("C = ", "ridge of", "hidden units", "shrink", "defaults"):
        assert word not in notes, word


@COMMITTED
def test_the_forms_of_ldlm_and_rwlm_are_named_by_table_and_data_set():
    summary = read_summary(RESULTS / "lwknn.csv")
    said = {s.partition(" ")[0]: s for s in preset_sentences(compare_paper("lwknn",
            summary))}  # fmt: skip
    rows = summary[(summary["features"] == "raw") & (summary["protocol"] == "honest")]
    rows = rows[(rows["part"] == "classification") & (rows["published"] == "LDLM")]
    tuned = rows[(rows["params"] != "{}") & (rows["n_folds"] >= 5)]["dataset"]
    assert said["LDLM"].startswith("LDLM was tuned; on ")
    others = set(rows["dataset"]) - set(tuned)
    assert (" in Tables III" in said["LDLM"]) == bool(others)
    if others:
        exceptions = said["LDLM"].partition("; on ")[2].partition(" in Tables III")[0]
        assert set(re.split(", | and ", exceptions)) == others
    assert "on Movie in Table VIII it ran with the settings" in said["LDLM"]
    # RWLM-LDL has the settings of its paper in all tables
    assert "RWLM-LDL" in said["With"]


def test_a_page_without_settings_has_no_such_chapter():
    summary = make_summary([{**row(""), "n_folds": 1, "n_expected": 1}])
    _, _, chapters = paper_page(PAPERS["mslp"], summary, None, quick=True)
    assert [chapter.heading for chapter in chapters] == ["Measured"]
