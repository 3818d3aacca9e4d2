"""What to cite: references of methods, of data sets and of the library."""

from skldl.citations._citations import cite, cited_names, references, short_reference

__all__ = ["cite", "cited_names", "references", "short_reference"]
