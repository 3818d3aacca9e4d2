"""Seeds that depend on names, not on the order of the work."""

import hashlib
from typing import Any


def derive_seed(*parts: Any) -> int:
    """Seed from names and numbers: equal parts, equal seed, on every machine.

    Parameters
    ----------
    *parts : str or int
        What the seed shall depend on.

    Returns
    -------
    seed : int
        Below 2**32.

    Examples
    --------
    >>> from skldl.methods import derive_seed
    >>> derive_seed(0, "SJAFFE", 1) == derive_seed(0, "SJAFFE", 1)
    True
    """
    text = "\x1f".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "little")


def with_seed(model: Any, seed: int) -> Any:
    """Give every random_state that was left open a seed.

    Parameters
    ----------
    model : estimator
        Not fitted; changed in place.
    seed : int
        The seed.

    Returns
    -------
    model : estimator
        The same one.

    Examples
    --------
    >>> from skldl.ldl import CPNN
    >>> from skldl.methods import with_seed
    >>> with_seed(CPNN(random_state=None), 3).random_state
    3
    >>> with_seed(CPNN(random_state=1), 3).random_state
    1
    """
    names = [
        name
        for name, value in model.get_params().items()
        if name.split("__")[-1] == "random_state" and value is None
    ]
    return model.set_params(**dict.fromkeys(names, seed))
