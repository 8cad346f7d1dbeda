"""What a database says of rows that it cannot take, however often it is asked."""

from __future__ import annotations

from typing import Final

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

TOO_LARGE: Final = "54"
"""What PostgreSQL's codes begin with for what exceeds a limit of the program, as too long a row."""


def is_refused_row(error: DBAPIError) -> bool:
    """Whether an error is about the values of a row, and not about the database or the program."""
    return isinstance(error, (DataError, IntegrityError)) or is_too_large(error)


def is_too_large(error: DBAPIError) -> bool:
    """Whether a row is longer than PostgreSQL takes, which its driver calls an outage."""
    return (getattr(error.orig, "sqlstate", None) or "").startswith(TOO_LARGE)
