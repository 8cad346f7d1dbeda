"""How databases refuse rows that they will never take."""

from __future__ import annotations

from typing import Final

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

TOO_LARGE: Final = "54"
"""How PostgreSQL's codes begin when something, such as a row, exceeds a limit of the program."""


def is_refused_row(error: DBAPIError) -> bool:
    """Whether an error is about the values of a row, not about the database or the program."""
    return isinstance(error, (DataError, IntegrityError)) or is_too_large(error)


def is_too_large(error: DBAPIError) -> bool:
    """Whether a row is too long for PostgreSQL, which its driver reports as an outage."""
    return (getattr(error.orig, "sqlstate", None) or "").startswith(TOO_LARGE)
