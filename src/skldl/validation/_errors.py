"""Errors that say more than a sentence, for callers who tell users what to do."""


class RowError(ValueError):
    """A row that cannot be used.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    row : int
        Number of the row, counted from 0.

    Attributes
    ----------
    row : int
        Number of the row.

    Examples
    --------
    >>> from skldl.validation import RowError, check_indicator
    >>> try:
    ...     check_indicator([[0, 1], [2, 0]])
    ... except RowError as error:
    ...     print(error.row)
    1
    """

    def __init__(self, message: str, row: int) -> None:
        super().__init__(message, row)  # both, so that it can be pickled
        self.row = row

    def __str__(self) -> str:
        return str(self.args[0])


class UnnormalizedError(RowError):
    """Rows of a distribution that do not sum to 1.

    Parameters
    ----------
    finding : str
        What is wrong, in a sentence.
    remedy : str
        What to do, in a sentence.
    row : int
        Number of the worst row.

    Attributes
    ----------
    finding, remedy : str
        The two sentences of the message. Who calls :func:`check_distribution` for
        others may give a remedy in the words of his own arguments.
    row : int
        Number of the row.
    """

    def __init__(self, finding: str, remedy: str, row: int) -> None:
        super().__init__(f"{finding} {remedy}", row)
        self.args = (finding, remedy, row)
        self.finding = finding
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.finding} {self.remedy}"
