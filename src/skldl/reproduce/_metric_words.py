"""Metrics as readers call them; files keep the names of the code."""

import re

_WORDS = {
    "chebyshev": "Chebyshev",
    "clark": "Clark",
    "canberra": "Canberra",
    "kl_divergence": "KL divergence",
    "zero_one_loss": "0/1 loss",
    "zero_one_percent": "0/1 loss in %",
    "error_probability_percent": "error probability in %",
    "train_s": "training time in s",
    "test_s": "test time in s",
    "total_s": "total time in s",
}
_CLASSIFIERS = {"nn": "1-NN", "ksvm": "kernel SVM", "ccf": "CCF"}
_RANKERS = {
    "mlknn": "ML-kNN",
    "iblr": "IBLR-ML",
    "brknn": "BR-kNN",
    "dmlknn": "DML-kNN",
    "rlknn": "RL-kNN",
}
_ACCURACY = re.compile(r"overall_accuracy_percent_(\w+)")
_RANKING = re.compile(r"ranking_loss_([a-z]+)_dim(\d+)")
_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)*\b")


def metric_words(name: str) -> str:
    """Say the name of a metric in words.

    Parameters
    ----------
    name : str
        In the code, or in the files of published numbers.

    Returns
    -------
    words : str

    Examples
    --------
    >>> from skldl.reproduce._metric_words import metric_words
    >>> metric_words("overall_accuracy_percent_ksvm")
    'accuracy in %, kernel SVM'
    >>> metric_words("ranking_loss_mlknn_dim4")
    'ranking loss, ML-kNN, 4 dimensions'
    """
    if found := _ACCURACY.fullmatch(name):
        return f"accuracy in %, {_CLASSIFIERS.get(found[1], found[1])}"
    if found := _RANKING.fullmatch(name):
        ends = "dimension" if found[2] == "1" else "dimensions"
        return f"ranking loss, {_RANKERS.get(found[1], found[1])}, {found[2]} {ends}"
    return _WORDS.get(name, name.replace("_", " "))


def with_metric_words(text: str) -> str:
    """Put words in the place of the names of metrics in a text.

    Parameters
    ----------
    text : str
        Such as a caption; other names are left alone.

    Returns
    -------
    text : str
    """
    known = {*_WORDS, "error_probability", "ranking_loss"}
    return _NAME.sub(lambda m: metric_words(m[0]) if m[0] in known else m[0], text)
