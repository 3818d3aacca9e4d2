"""What may stand in a model file: an explicit list of types, and bounded sizes."""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from skldl.discovery import all_estimators

#: Bytes that a model file may unfold to, unless the caller allows more.
MAX_SIZE = 2**31

HEADER = "header.json"
SCHEMA = "schema.json"
_MAX_HEADER = 2**24
_MAX_SCHEMA = 2**26

#: What ColumnTransformer makes of "passthrough".
FUNCTION_TRANSFORMER = "sklearn.preprocessing._function_transformer.FunctionTransformer"

# state of our estimators that is not an estimator itself
_OWN = (
    "skldl.auto._largest_label.LargestLabel",
    "skldl.conformal._balls.Ball",
    "skldl.conformal._calibration.Calibration",
    "skldl.conformal._difficulty.Difficulty",
    "skldl.graphs._engines.PyNNDescentEngine",
    "skldl.graphs._rescale.Frame",
    "skldl.graphs._neighbors.NeighborIndex",
)
_PLAIN = (
    "builtins.bool",
    "builtins.dict",
    "builtins.float",
    "builtins.int",
    "builtins.list",
    "builtins.object",
    "builtins.set",
    "builtins.slice",
    "builtins.str",
    "builtins.tuple",
    "collections.OrderedDict",
    "numpy.bool",
    "numpy.bool_",
    "numpy.dtype",
    "numpy.float32",
    "numpy.float64",
    "numpy.int32",
    "numpy.int64",
    "numpy.ndarray",
    "numpy.random.mtrand.RandomState",
    "numpy.str_",
    "numpy.uint8",
    "scipy.sparse._csr.csr_array",
    "scipy.sparse._csr.csr_matrix",
)
# scikit-learn's: what pipelines of methods are made of. Trees of neighbours and of
# decisions are not here: they hold pointers that scikit-learn follows unchecked.
_SCIKIT_LEARN = (
    "sklearn.compose._column_transformer.ColumnTransformer",
    # a list of columns that warns when it is read, in scikit-learn 1.6 to 1.8
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.compose._column_transformer.make_column_selector",
    "sklearn.decomposition._kernel_pca.KernelPCA",
    "sklearn.decomposition._pca.PCA",
    "sklearn.decomposition._truncated_svd.TruncatedSVD",
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
    # check_state refuses vectorizers that call functions or open files
    "sklearn.feature_extraction.text.CountVectorizer",
    "sklearn.feature_extraction.text.HashingVectorizer",
    "sklearn.feature_extraction.text.TfidfTransformer",
    "sklearn.feature_extraction.text.TfidfVectorizer",
    "sklearn.feature_selection._variance_threshold.VarianceThreshold",
    "sklearn.impute._base.MissingIndicator",
    "sklearn.impute._base.SimpleImputer",
    "sklearn.kernel_ridge.KernelRidge",
    "sklearn.linear_model._base.LinearRegression",
    "sklearn.linear_model._bayes.BayesianRidge",
    "sklearn.linear_model._coordinate_descent.ElasticNet",
    "sklearn.linear_model._coordinate_descent.Lasso",
    "sklearn.linear_model._logistic.LogisticRegression",
    "sklearn.linear_model._ridge.Ridge",
    "sklearn.linear_model._ridge.RidgeCV",
    "sklearn.multioutput.MultiOutputRegressor",
    "sklearn.naive_bayes.GaussianNB",
    "sklearn.neighbors._classification.KNeighborsClassifier",
    "sklearn.neighbors._regression.KNeighborsRegressor",
    "sklearn.neighbors._unsupervised.NearestNeighbors",
    "sklearn.pipeline.FeatureUnion",
    "sklearn.pipeline.Pipeline",
    "sklearn.preprocessing._data.KernelCenterer",
    "sklearn.preprocessing._data.MaxAbsScaler",
    "sklearn.preprocessing._data.MinMaxScaler",
    "sklearn.preprocessing._data.Normalizer",
    "sklearn.preprocessing._data.PowerTransformer",
    "sklearn.preprocessing._data.QuantileTransformer",
    "sklearn.preprocessing._data.RobustScaler",
    "sklearn.preprocessing._data.StandardScaler",
    "sklearn.preprocessing._encoders.OneHotEncoder",
    "sklearn.preprocessing._encoders.OrdinalEncoder",
    # passes columns through; check_state refuses it with a function
    FUNCTION_TRANSFORMER,
    "sklearn.preprocessing._polynomial.PolynomialFeatures",
    "sklearn.svm._classes.SVC",
)
# ways of building objects that skops knows and our files need
_LOADERS = frozenset(
    {
        "DTypeNode",
        "DictNode",
        "JsonNode",
        "ListNode",
        "NdArrayNode",
        "ObjectNode",
        "RandomStateNode",
        "SetNode",
        "SliceNode",
        "SparseMatrixNode",
        "TupleNode",
        "TypeNode",
    }
)


class ModelFileError(ValueError):
    """A file that is not a model, or none that may or can be loaded."""


@lru_cache(maxsize=1)
def trusted_types() -> frozenset[str]:
    """Names of the types that model files may hold.

    Returns
    -------
    names : frozenset of str
        Plain Python and numpy types, estimators of this library and some of
        scikit-learn.

    Examples
    --------
    >>> from skldl.models import trusted_types
    >>> "skldl.ldl._knn.AAkNN" in trusted_types(), "builtins.eval" in trusted_types()
    (True, False)
    """
    ours = (f"{c.__module__}.{c.__qualname__}" for _, c in all_estimators())
    return frozenset((*_PLAIN, *_OWN, *_SCIKIT_LEARN, *ours))


def check_sizes(archive: zipfile.ZipFile, where: str, max_size: int) -> None:
    """Refuse an archive that would unfold to more than so many bytes.

    Parameters
    ----------
    archive : ZipFile
        Open for reading. Python reads no more of a member than it declares.
    where : str
        What messages call the file.
    max_size : int
        Bytes allowed, all members together.
    """
    total = sum(member.file_size for member in archive.infolist())
    if total > max_size:
        raise ModelFileError(
            f"{where} would take {total / 2**20:.0f} MB of memory, more than the "
            f"{max_size / 2**20:.0f} MB allowed. If you trust it, give a larger "
            "max_size to load_model."
        )


def check_schema(
    archive: zipfile.ZipFile, where: str, max_size: int, extra: Iterable[str]
) -> None:
    """Refuse types and ways of building objects that are not on the list.

    Parameters
    ----------
    archive : ZipFile
        Open for reading.
    where : str
        What messages call the file.
    max_size : int
        Bytes allowed.
    extra : iterable of str
        Further names of types that the caller trusts.
    """
    if archive.getinfo(SCHEMA).file_size > _MAX_SCHEMA:
        raise ModelFileError(f"{where} is damaged: its schema is too large.")
    try:
        schema = json.loads(archive.read(SCHEMA))
        nodes = list(_nodes(schema))
    except (ValueError, RecursionError):
        raise ModelFileError(f"{where} is damaged: its schema is not JSON.") from None
    allowed = trusted_types() | set(extra)
    names = {f"{n.get('__module__')}.{n.get('__class__')}" for n in nodes}
    unknown = sorted(names - allowed)
    if unknown:
        raise ModelFileError(
            f"{where} contains types that are not trusted: {', '.join(unknown[:5])}"
            f"{' ...' if len(unknown) > 5 else ''}. Nothing was loaded. If you know "
            "them and the file's author, pass their names as trusted to load_model."
        )
    loaders = {str(node.get("__loader__")) for node in nodes} - _LOADERS
    if loaders and not set(extra):
        raise ModelFileError(
            f"{where} would build objects in ways that are not trusted: "
            f"{', '.join(sorted(loaders)[:5])}. Nothing was loaded."
        )
    _check_references(archive, nodes, where, max_size)


def _nodes(state: Any) -> Iterator[dict[str, Any]]:
    """Every object of a schema, at any depth."""
    stack = [state]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if "__class__" in item or "__loader__" in item or "__module__" in item:
                yield item
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def _check_references(
    archive: zipfile.ZipFile, nodes: list[dict[str, Any]], where: str, max_size: int
) -> None:
    """Count members as often as they are read, and what unfolds inside them."""
    sizes = {member.filename: member.file_size for member in archive.infolist()}
    total = 0
    inner: dict[str, int] = {}
    seen: set[Any] = set()
    for node in nodes:
        name = node.get("file")
        key = (node.get("__id__"), str(name))
        if name is None or (node.get("__id__") and key in seen):
            continue
        if not isinstance(name, str) or name not in sizes:
            raise ModelFileError(f"{where} is damaged: a part of it is missing.")
        seen.add(key)
        if name not in inner:
            inner[name] = _inner_size(archive, name, where)
        total += sizes[name] + inner[name]
    if total > max_size:
        raise ModelFileError(
            f"{where} would take {total / 2**20:.0f} MB of memory, more than the "
            f"{max_size / 2**20:.0f} MB allowed."
        )


def _inner_size(archive: zipfile.ZipFile, name: str, where: str) -> int:
    """Bytes that a sparse matrix, itself an archive, unfolds to."""
    if not name.endswith(".npz"):
        return 0
    try:
        with zipfile.ZipFile(io.BytesIO(archive.read(name))) as inner:
            return sum(member.file_size for member in inner.infolist())
    except zipfile.BadZipFile:
        raise ModelFileError(f"{where} is damaged: {name} is not an archive.") from None


def header_bytes(archive: zipfile.ZipFile, where: str) -> bytes:
    """The text of the header.

    Parameters
    ----------
    archive : ZipFile
        Open for reading.
    where : str
        What messages call the file.

    Returns
    -------
    text : bytes
    """
    names = archive.namelist()
    if HEADER not in names or SCHEMA not in names:
        raise ModelFileError(
            f"{where} is not a model of scikit-ldl: it has no header. Models are "
            "written by skldl fit or skldl.models.save_model."
        )
    if archive.getinfo(HEADER).file_size > _MAX_HEADER:
        raise ModelFileError(f"{where} is damaged: its header is too large.")
    return archive.read(HEADER)
