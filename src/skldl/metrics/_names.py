"""Names of metrics in papers, and as headings."""

from typing import Any

#: How a table for readers calls a metric; others by their name.
_TITLES = {
    "kl_divergence": "Kullback-Leibler",
    "squared_chi2": "Squared chi-square",
    "jensen_shannon": "Jensen-Shannon",
    "emd": "Earth mover's distance",
    "zero_one_loss": "0/1 loss",
    "cohen_kappa": "Cohen's kappa",
    "sorensen": "Sørensen",
    "one_error": "One-error",
}
# what papers of the field call them, beside the name itself
_ALIASES = {
    "kl": "kl_divergence",
    "kullback leibler": "kl_divergence",
    "cheb": "chebyshev",
    "chebyshev distance": "chebyshev",
    "canber": "canberra",
    "canberra metric": "canberra",
    "clark distance": "clark",
    "cosine coefficient": "cosine",
    "cosine similarity": "cosine",
    "inter": "intersection",
    "intersection similarity": "intersection",
    "js": "jensen_shannon",
    "js divergence": "jensen_shannon",
    "jensen shannon divergence": "jensen_shannon",
    "earth movers distance": "emd",
    "squared chi square": "squared_chi2",
    "chi2": "squared_chi2",
    "sørensen": "sorensen",
    "rho": "spearman",
    "tau": "kendall",
    "0/1 loss": "zero_one_loss",
    "01 loss": "zero_one_loss",
    "error prob": "error_probability",
    "cohens kappa": "cohen_kappa",
    "kappa": "cohen_kappa",
    "oa": "accuracy",
    "overall accuracy": "accuracy",
}


def metric_title(name: str) -> str:
    """Heading of a metric in a table for readers."""
    return _TITLES.get(name, name.replace("_", " ").capitalize())


def plain_metric(name: Any) -> Any:
    """The name of a metric that a paper writes in another way.

    Case, hyphens, underscores and arrows do not matter. What is not known is given
    back as it is.
    """
    if not isinstance(name, str):
        return name
    words = name.lower().replace("'", "").replace("↓", "").replace("↑", "")
    plain = " ".join(words.replace("-", " ").replace("_", " ").split())
    return _ALIASES.get(plain, plain.replace(" ", "_"))
