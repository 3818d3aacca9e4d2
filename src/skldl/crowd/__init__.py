"""Votes of a crowd: from raw answers to distributions, and how far to trust them."""

from skldl.crowd._agreement import (
    Estimate,
    fleiss_kappa,
    krippendorff_alpha,
    split_half,
)
from skldl.crowd._annotators import annotator_table
from skldl.crowd._asking import rank_items, votes_needed
from skldl.crowd._dawid_skene import DawidSkene, confusion_table
from skldl.crowd._dirichlet_multinomial import fit_dirichlet_multinomial
from skldl.crowd._glad import GLAD
from skldl.crowd._mace import MACE
from skldl.crowd._noise_floor import noise_floor
from skldl.crowd._votes import Votes
from skldl.crowd._weights import vote_weights

__all__ = [
    "GLAD",
    "MACE",
    "DawidSkene",
    "Estimate",
    "Votes",
    "annotator_table",
    "confusion_table",
    "fit_dirichlet_multinomial",
    "fleiss_kappa",
    "krippendorff_alpha",
    "noise_floor",
    "rank_items",
    "split_half",
    "vote_weights",
    "votes_needed",
]
