"""Tables with categories, dates, text and gaps as numbers: ``fit``, ``transform``."""

from skldl.preprocessing._table_encoder import TableEncoder

__all__ = ["TableEncoder"]
