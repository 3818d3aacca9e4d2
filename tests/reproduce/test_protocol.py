"""Names map, jobs are shared, selections are checked; no data needed."""

from collections import Counter

import pytest

from skldl.benchmark import Split, read_reference
from skldl.ldl import AAkNN
from skldl.methods import Method, Tuning
from skldl.metrics import METRICS
from skldl.reproduce import Selection, list_papers, run_papers
from skldl.reproduce._papers import PAPERS, get_papers
from skldl.reproduce._presets import PUBLISHED, STORED, preset_of
from skldl.reproduce._protocol import TIMES, Entry, Paper, Part, both
from skldl.reproduce._protocol import entry as make_entry
from skldl.reproduce._runner import check_selection, make_plans
from skldl.reproduce._summary import with_baseline
from skldl.reproduce._verdicts import find_places, missing_reason
from skldl.reproduce.papers import jplay

WITH_TABLES = [paper for paper in PAPERS.values() if paper.name]


def test_every_published_row_belongs_to_a_paper():
    table = read_reference()
    assert len(table) == 1272
    assert set(table["paper"]) == {paper.name for paper in WITH_TABLES}


@pytest.mark.parametrize("paper", WITH_TABLES, ids=lambda p: p.key)
def test_every_cell_is_measured_somewhere_or_has_a_reason(paper):
    parts = paper.parts()
    for cell in read_reference(paper=paper.name).to_dict("records"):
        places = find_places(parts, cell)
        reason = missing_reason(paper, cell)
        assert places or reason, cell
        if not reason:
            assert any(cell["dataset"] in place.part.datasets for place in places)
        for place in places:
            assert place.metric in METRICS or place.metric in TIMES
            assert place.entries[0].features == "raw", cell  # the column that counts


@pytest.mark.parametrize("paper", WITH_TABLES, ids=lambda p: p.key)
def test_every_entry_fills_a_published_cell_or_says_that_it_is_ours(paper):
    table = read_reference(paper=paper.name)
    for part in paper.parts():
        rows = table[table["table"].isin(list(part.tables))]
        # the poster has one data set, its embeddings are also run on others
        assert set(part.all_datasets) & set(rows["dataset"])
        for entry in part.entries:
            mine = rows[rows["method"] == entry.published]
            if entry.published:
                assert set(mine["metric"]) >= set(part.metrics_of(entry)) & set(
                    table["metric"]
                )
                assert len(mine), entry.method.name


@pytest.mark.parametrize("paper", list(PAPERS.values()), ids=lambda p: p.key)
@pytest.mark.parametrize("quick", [False, True])
def test_labels_are_unique_in_a_part(paper, quick):
    for part in paper.parts(quick):
        labels = Counter(entry.method.name for entry in part.entries)
        labels.update(m.name for entry in part.entries for _, m in entry.settings())
        assert max(labels.values()) == 1, labels.most_common(1)
        columns = Counter(tuple(e.columns.items()) for e in with_baseline(part))
        assert max(columns.values()) == 1, columns.most_common(1)


@pytest.mark.parametrize("paper", list(PAPERS.values()), ids=lambda p: p.key)
def test_columns_say_one_thing_each(paper):
    labels = [set(e.labels) for part in paper.parts() for e in part.entries]
    assert all(own == labels[0] for own in labels)
    for part in paper.parts():
        for entry in part.entries:
            for text in entry.columns.values():
                assert not set("|@") & set(text), text
            assert not entry.columns["method"].startswith("standard+")


def test_names_in_stores_stay():
    # they are part of a job's key: another name would run everything again
    def names(paper):
        parts = PAPERS[paper].parts()
        return {entry.method.name for part in parts for entry in part.entries}

    assert {"GH|8", "Euclid-X squared|1", "PCA|4|IBLR-ML", "all features"} <= names(
        "generalized-hamming"
    )
    assert {"Baseline|NN", "J-Play3|CCF"} <= names("jplay")
    assert {"AA-kNN, raw", "LDkNN, paper, raw", "LDkNN, row, standard", "LDLM",
            "LWkNN, released, raw", "LDLM, tuned, standard", "AA-kNN, per metric, raw",
            } <= names("lwknn")  # fmt: skip
    assert {"standard+MSLP", "CCA(reg=0.1)+AAkNN"} <= names("mslp")


def test_parts_of_a_paper_are_made_once():
    calls = []
    paper = Paper("p", "", "", lambda quick: calls.append(quick) or [])
    assert paper.parts() is paper.parts()
    assert paper.parts(quick=True) is not paper.parts()
    assert calls == [False, True]


def test_untuned_learners_share_their_jobs_between_papers():
    from skldl.reproduce._summary import _jobs

    def keys(paper, label):
        part = PAPERS[paper].parts()[0]
        method = next(e.method for e in part.entries if e.method.name == label)
        return [job.key for job in _jobs(part, "SJAFFE", method, part.tuning)]

    name = "SABFGS, as published"
    assert keys("mslp", name) == keys("lse-ldl", name)
    assert keys("mslp", "standard+AABP") == keys("field", "standard+AABP")
    assert keys("mslp", "AAkNN") != keys("lse-ldl", "AAkNN")  # tuned by other metrics


def test_settings_are_the_points_of_the_grid():
    method = Method("kNN", AAkNN(), {"n_neighbors": [3, 5], "weights": ["dudani"]})
    made = Entry(method, "kNN").settings()
    assert [point for point, _ in made] == [
        {"n_neighbors": 3, "weights": "dudani"},
        {"n_neighbors": 5, "weights": "dudani"},
    ]
    made = [m for _, m in made]
    assert [m.name for m in made] == [
        "kNN @ n_neighbors=3, weights=dudani",
        "kNN @ n_neighbors=5, weights=dudani",
    ]
    assert [m.estimator.n_neighbors for m in made] == [3, 5]
    assert all(not m.grid for m in made)
    assert (
        method.estimator.n_neighbors == "auto"
    )  # the entry's own estimator is untouched
    assert Entry(Method("kNN", AAkNN())).settings() == []


def test_quick_shortens_everything_but_the_names():
    grid = {"n_neighbors": [1, 2, 3], "weights": ["uniform", "dudani"]}
    entries = [
        Entry(Method("kNN", AAkNN(), grid)),
        Entry(Method("deep", AAkNN()), optional=True),
    ]
    part = Part("", [], ["a", "b"], entries, Split(n_splits=10), Tuning("clark", 5))
    quick = part.quick()
    assert list(quick.datasets) == ["a"]
    assert quick.split.n_splits == 2
    assert quick.tuning.n_splits == 2
    assert quick.tuning.scoring == "clark"
    (left,) = quick.entries
    assert left.method.name == "kNN"
    assert left.method.grid == {"n_neighbors": [1, 2], "weights": ["uniform"]}


def test_selection_of_methods_and_features():
    part = PAPERS["mslp"].parts()[0]

    def labels(**options):
        return [e.method.name for e in Selection(**options).chosen_entries(part)]

    assert labels(methods=["iis-ldl"]) == ["SAIIS", "SAIIS(max_iter=50)"]
    assert labels(methods=["LDSVR, as published"]) == ["LDSVR, as published"]
    # a command line separates names by commas
    assert labels(methods=["LDSVR as published"]) == ["LDSVR, as published"]
    assert labels(methods=["SAIIS"], standardize=True) == ["SAIIS", "standard+SAIIS"]
    assert "standard+SABFGS" in labels(methods=["standard+BFGS-LDL"])
    everything = labels(standardize=True)
    raw = [not name.startswith("standard+") for name in everything]
    assert raw == sorted(raw, reverse=True)  # raw features first
    assert len(everything) == 2 * len(labels())


@pytest.mark.parametrize(
    ("paper", "name", "count"),
    [("jplay", "SVM", 26), ("jplay", "PCA|NN", 1), ("generalized-hamming", "GH", 8),
     ("jplay", "J-Play2|SVM", 2), ("jplay", "lda|ccf", 2),
     ("generalized-hamming", "IBLR-ML", 3), ("lwknn", "AA-kNN, raw", 1),
     ("lwknn", "daaknn", 2), ("lwknn", "LWkNN", 3)],
)  # fmt: skip
def test_methods_are_chosen_by_name_or_label(paper, name, count):
    part = PAPERS[paper].parts()[0]
    assert len(Selection(methods=[name]).chosen_entries(part)) == count


def test_deep_networks_take_what_two_layers_choose():
    part = PAPERS["jplay"].parts()[1]
    named = Selection(methods=["J-Play5"]).chosen_entries(part)
    # with each classifier: chosen for it one after the other, one of four for 1-NN, or
    # as in the script
    assert len(named) == 9
    for entry in named:
        if entry.variant == jplay.AS_RELEASED:
            continue
        tuned = entry.method.estimator["tuned"]
        assert tuned.estimator.n_layers == 5
        assert tuned.model.estimator.n_layers == 2
        assert (tuned.names is None) is bool(entry.variant)
        if tuned.names:  # those that are chosen first
            assert list(tuned.names) == list(tuned.model.grid)[: len(tuned.names)]


def test_the_settings_of_the_script_are_fixed():
    part = PAPERS["jplay"].parts()[1]
    entries = [e for e in part.entries if e.variant == jplay.AS_RELEASED]
    assert len(entries) == 3 * len(jplay.DEPTHS)
    for entry in entries:
        tuned = entry.method.estimator["tuned"]
        assert tuned.grid == {}
        model = tuned.estimator
        beta, gamma, eta = jplay.SCRIPT[model.n_layers]
        assert (model.smoothness_weight, model.reg) == (beta, gamma)
        assert model.pretrain_smoothness_weight == eta
        assert model.label_weight == 1.0
    faces = PAPERS["jplay"].parts()[0]  # of which the script has none
    assert jplay.AS_RELEASED not in {e.variant for e in faces.entries}


def test_optional_entries_run_only_when_named():
    part = PAPERS["lwknn"].parts()[0]
    variants = {e.variant for e in Selection().chosen_entries(part)}
    assert "as released" not in variants
    named = Selection(methods=["LWkNN"]).chosen_entries(part)
    assert "as released" in {e.variant for e in named}


def test_data_to_download_run_only_when_named():
    part = PAPERS["lwknn"].parts()[0]
    assert "Twitter_LDL" not in Selection().chosen_datasets(part)
    named = Selection(datasets=["twitter_ldl", "SJAFFE"])
    assert named.chosen_datasets(part) == ["SJAFFE", "Twitter_LDL"]
    check_selection(get_papers(["lwknn", "lse-ldl"]), named)


def test_a_search_of_its_own_makes_a_plan_of_its_own():
    each = Tuning(("clark", "cosine"), 3)
    grid = {"n_neighbors": [1, 3]}
    entries = [
        Entry(Method("one", AAkNN(), grid)),
        Entry(Method("each", AAkNN(), grid), tuning=each),
    ]
    part = Part("", [], ["toy"], entries, Split(n_splits=3), Tuning("clark", 5))
    paper = Paper("p", "", "", lambda quick: [part])
    plans = [plan for _, plan in make_plans(paper, Selection())]
    assert [plan.tuning for plan in plans] == [part.tuning, each]
    assert part.quick().entries[1].tuning == Tuning(("clark", "cosine"), 2)


def test_first_folds_are_those_of_the_whole_run():
    split = Split(n_splits=3)
    part = Part("", [], ["toy"], [Entry(Method("kNN", AAkNN()))], split)
    draws = Part(
        "",
        [],
        ["all"],
        part.entries,
        Split("shuffle", n_repeats=1, test_size=0.3),
        members={"all": ["toy", "synthetic"]},
    )
    paper = Paper("p", "", "", lambda quick: [part, draws])

    def keys(selection):
        return [
            [job.key for job in plan.jobs(plan.load())]
            for _, plan in make_plans(paper, selection)
        ]

    whole, few = keys(Selection()), keys(Selection(max_folds=2))
    assert few[0] == whole[0][:4]  # two methods with the baseline
    assert few[1] == whole[1]
    assert keys(Selection(max_folds=1))[1] == whole[1][:2]  # the first draw
    assert keys(Selection(skip_folds=1)) == [whole[0][2:], whole[1][2:]]
    assert keys(Selection(skip_folds=2)) == [whole[0][4:]]  # no draw is left
    assert keys(Selection(skip_folds=3)) == []


def test_nothing_left_to_run_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="skip_folds must be at least 0"):
        Selection(skip_folds=-1)
    with pytest.raises(ValueError, match="leaves nothing of max_folds=2"):
        Selection(skip_folds=3, max_folds=2)
    every = Selection(skip_folds=99)
    with pytest.raises(ValueError, match="skip_folds=99 leaves no fold"):
        run_papers(["mslp"], tmp_path / "s.sqlite", selection=every)


def test_datasets_by_published_or_our_name():
    part = next(p for p in PAPERS["jplay"].parts() if p.name == "Yale-B")
    assert Selection(datasets=["yaleb_32x32"]).chosen_datasets(part) == ["YaleB_32x32"]
    assert Selection(datasets=["yale3"]).chosen_datasets(part) == ["YaleB_32x32"]
    assert Selection(datasets=["SJAFFE"]).chosen_datasets(part) == []


def test_the_cube_that_must_be_downloaded_is_called_by_its_own_name():
    by_name = {part.name: part for part in get_papers(["jplay"])[0].parts()}

    def chosen(name):
        wanted = Selection(datasets=[name])
        return [x for x, part in by_name.items() if wanted.chosen_datasets(part)]

    assert chosen("Indian_Pines") == ["repaired cube", "Indian Pines"]
    assert chosen("pines220") == ["220 bands"]


def test_names_that_mean_nothing():
    papers = get_papers(["lse-ldl"])
    with pytest.raises(ValueError, match="'SJAFE'.*Did you mean 'SJAFFE'"):
        check_selection(papers, Selection(datasets=["SJAFE"]))
    with pytest.raises(ValueError, match="method 'LSE'.*LSE-LDL"):
        check_selection(papers, Selection(methods=["LSE"]))
    with pytest.raises(ValueError, match="MeanDistribution .*always runs"):
        check_selection(papers, Selection(methods=["MeanDistribution"]))
    with pytest.raises(ValueError, match="Houston2013 cannot be chosen.*not at hand"):
        check_selection(get_papers(["jplay"]), Selection(datasets=["Houston2013"]))
    with pytest.raises(ValueError, match="Unknown paper 'mlsp'"):
        get_papers(["mlsp"])
    with pytest.raises(ValueError, match="No table here"):
        run_papers(["mslp"], ":memory:", selection=Selection(methods=["x"]))


def test_all_means_all_and_twice_means_once():
    assert [p.key for p in get_papers(["all"])] == list_papers()
    assert [p.key for p in get_papers(["mslp", "mslp"])] == ["mslp"]


def test_learners_keep_the_seed_of_the_stored_numbers():
    raw, scaled = both("AABP")
    assert raw.method.estimator.random_state == 0
    assert scaled.method.estimator[-1].random_state == 0
    given, _ = both("AABP(random_state=3)")
    assert given.method.estimator.random_state == 3


@pytest.mark.parametrize("name", STORED)
def test_tables_keep_the_settings_of_the_stored_runs(name):
    for made in both(name):
        model = made.method.estimator
        learner = model[-1] if made.features == "standardised" else model
        params = learner.get_params()
        assert {key: params[key] for key in STORED[name]} == STORED[name]
        assert made.method.name in (name, f"standard+{name}")
        default = type(learner)().get_params()
        assert all(default[key] != value for key, value in STORED[name].items())


def test_what_an_entry_names_itself_stays():
    assert make_entry("PCA+SABFGS(reg=7.0)").method.estimator[-1].reg == 7.0
    made = make_entry("MSLP", params={"reg_mode": "relative"}).method.estimator
    assert made.reg_mode == "relative"
    assert made.n_decoder_neighbors == 5


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_presets_are_what_the_papers_run(name):
    raw, scaled = both(name, preset="published")
    params = raw.method.estimator.get_params()
    assert {key: params[key] for key in PUBLISHED[name]} == PUBLISHED[name]
    last = scaled.method.estimator[-1].get_params()
    assert {key: last[key] for key in PUBLISHED[name]} == PUBLISHED[name]
    # another name in stores, unless the settings are the stored ones
    same = preset_of(name, "published") == preset_of(name, "stored")
    assert raw.method.name == (name if same else f"{name}, as published")


def test_a_method_without_a_published_preset_says_so():
    with pytest.raises(ValueError, match="MSLP has no published preset"):
        make_entry("MSLP", preset="published")


#: Methods that count with a published preset, by paper.
COUNTING = {
    "mslp": ["LDSVR", "BFGS-LDL", "IIS-LDL", "PT-Bayes", "AA-BP", "CPNN", "PT-SVM"],
    "lse-ldl": ["SA-BFGS", "SA-IIS", "LDLLC", "AA-BP", "LALOT", "PT-SVM"],
    "lwknn": ["SA-BFGS", "RWLM-LDL"],
}


@pytest.mark.parametrize("key", COUNTING)
def test_published_presets_count(key):
    part = PAPERS[key].parts()[0]
    for name in COUNTING[key]:
        first = next(e for e in part.entries if e.published == name)
        params = first.method.estimator.get_params()
        preset = PUBLISHED[type(first.method.estimator).__name__]
        assert {k: params[k] for k in preset} == preset, name
        assert first.variant == ""
