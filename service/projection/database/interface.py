"""What a store of read models has to offer, whatever program keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Protocol

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from service.projection.errors import DatabaseError

PATIENCE: Final = 10.0
"""Seconds that a change waits for others' locks, and a connection for its server."""


class Store(Protocol):
    """Generations of the whole set of tables, one of which is current.

    Numbers grow and are never used again. Everything raises what SQLAlchemy raises; `describe`
    says what it means.
    """

    def make(self) -> None:
        """Make a current generation where there is none. Several processes may do so at once."""

    def migrate(self, number: int) -> None:
        """Bring a generation up to date. Raises NewerDatabase.

        Several processes may do so at once; they wait for those who write only where there is
        something to do.
        """

    def current(self) -> int:
        """The number of the current generation, as of now or as last looked at.

        Raises DatabaseDamaged where no number that can be is noted.
        """

    def state(self) -> tuple[int, int] | None:
        """What is another pair after each change, found out without waiting for anything.

        None where there is no such thing.
        """

    def engine(self, number: int) -> Engine:
        """An engine for a generation, whose connections read; with `writing` they write."""

    def is_replaced(self, number: int, error: DBAPIError | None = None) -> bool:
        """Whether a generation is current no longer, which may be why an error was raised."""

    def lock(self, connection: Connection) -> int:
        """Within a transaction that writes the current generation: make others wait for its end.

        Returns the number of the generation that is current then.
        """

    def begin(self) -> int:
        """Make the empty tables of a new generation; another one that is being built is dropped.

        It does not matter whether what is noted of the current one is damaged.
        """

    def is_building(self, number: int, connection: Connection) -> bool:
        """Whether a generation that is being built has not been dropped by another rebuild."""

    def replace(self, connection: Connection | None, number: int) -> None:
        """Make a generation current; `connection` has locked the one that was until now.

        None where that one is damaged.
        """

    def remove(self, number: int) -> None:
        """Delete a generation that is not current any more, or never was."""

    def describe(self, error: DBAPIError) -> DatabaseError | None:
        """What the database's error means; None for an error of the program."""

    def size(self) -> int:
        """The bytes that the database has on its disk."""

    @property
    def folder(self) -> Path | None:
        """The folder of the service's machine that the database fills; None for a server's."""
