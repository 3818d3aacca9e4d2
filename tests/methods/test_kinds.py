"""Kinds of target, seeds and searches of methods."""

import pytest

from skldl.datasets import load
from skldl.discovery import all_estimators
from skldl.ldl import CPNN
from skldl.methods import derive_seed, make_method, metrics_for, target_kind, with_seed
from skldl.multilabel import MLkNN


class Ranker(MLkNN):
    """A ranker of somebody else, in a module of their own."""


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("AAkNN", "distribution"),
        ("standard+MLkNN", "indicator"),
        ("1NN", "classes"),  # scikit-learn's tags are those of a ranker
        ("PCA+SVM", "classes"),
        ("CanonicalCorrelationForestClassifier", "classes"),
        ("MSLP", "distribution"),
    ],
)
def test_kind_of_target(spec, kind):
    assert target_kind(make_method(spec).estimator) == kind


def test_the_kind_does_not_depend_on_the_module():
    assert target_kind(Ranker()) == "indicator"
    for _, ranker in all_estimators("multilabel"):
        assert target_kind(ranker()) == "indicator"


def test_projections_take_several_kinds():
    assert target_kind(make_method("LPP", needs="transform").estimator) is None


def test_metrics_of_an_ordered_target_come_only_with_an_order():
    plain = {metric.name for metric in metrics_for(load("toy"))}
    assert "kl_divergence" in plain
    assert not any(metric.ordered for metric in metrics_for(load("toy")))
    assert {m.kind for m in metrics_for(load("iris"))} == {"classes"}


def test_seeds_fill_only_what_is_open():
    model = with_seed(make_method("standard+CPNN(random_state=None)").estimator, 5)
    assert model["cpnn"].random_state == 5
    assert with_seed(CPNN(random_state=1), 5).random_state == 1
    assert derive_seed("a", 1) != derive_seed("a1")
