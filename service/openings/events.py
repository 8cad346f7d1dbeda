"""What can happen to the table of openings. Stored names never change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.log.declarations import event
from service.log.values import Event


@event("openings-loaded/1")
class OpeningsLoaded(Event):
    """An operator has loaded a table, which replaces the previous one.

    Each opening has a `variant`, a `name`, its `actions` in coordinate form separated by blanks,
    and possibly a `code`.
    """

    openings: tuple[Mapping[str, str], ...]


@event("openings-cleared/1")
class OpeningsCleared(Event):
    """An operator has removed the table."""


EVENTS: Final[Mapping[str, type[Event]]] = {
    one.stored_name: one for one in (OpeningsLoaded, OpeningsCleared)
}
