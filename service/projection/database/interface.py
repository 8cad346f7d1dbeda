"""What a store of the read models has to offer, whichever database is behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Protocol

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from service.projection.errors import DatabaseError

PATIENCE: Final = 10.0
"""Seconds that a change waits for locks of others, and a connection for its server."""


class Store(Protocol):
    """Generations of the whole set of tables, one of which is current.

    Numbers grow and are never used again. All methods raise SQLAlchemy's errors; `describe` says
    what they mean.
    """

    def make(self) -> None:
        """Create a first generation where there is none. Several processes may do so at once."""

    def migrate(self, number: int) -> None:
        """Bring a generation up to date. Raises NewerDatabase.

        Several processes may do so at once. They wait for writers only where there is something to
        migrate.
        """

    def current(self) -> int:
        """The number of the current generation, as of now or as last looked at.

        Raises DatabaseDamaged where the number noted is missing or impossible.
        """

    def state(self) -> tuple[int, int] | None:
        """A pair that differs after each change, found out without waiting for anything.

        None where the store has no such pair.
        """

    def engine(self, number: int) -> Engine:
        """An engine for a generation. Its connections read only, or with `writing` also write."""

    def is_replaced(self, number: int, error: DBAPIError | None = None) -> bool:
        """Whether a generation is no longer current, which may be why an error was raised."""

    def lock(self, connection: Connection) -> int:
        """In a transaction that writes the current generation: make others wait for its end."""

    def begin(self) -> int:
        """Create the empty tables of a new generation; another one being built is dropped.

        It does not matter whether the note of the current one is damaged.
        """

    def is_building(self, number: int, connection: Connection) -> bool:
        """Whether a generation that is being built has not been dropped by another rebuild."""

    def replace(self, connection: Connection | None, number: int) -> None:
        """Make a generation current; `connection` holds the lock of the one that was until now.

        `connection` is None where that one is damaged.
        """

    def remove(self, number: int) -> None:
        """Delete a generation that was being built."""

    def remove_replaced(self) -> None:
        """Delete the generations that were current before the one that is."""

    def describe(self, error: DBAPIError) -> DatabaseError | None:
        """The meaning of a database error; None for an error of the program."""

    def size(self) -> int:
        """The bytes that the database takes up on disk."""

    @property
    def folder(self) -> Path | None:
        """The folder on the service's machine that the database fills; None for a server."""
