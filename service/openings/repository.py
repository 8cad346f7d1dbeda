"""The table of openings in the log: one stream, whose newest event is the table.

It is in the log because nothing else could restore it. So it is in every backup, is the same for
all processes and machines, and a rebuild classifies games by it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from service.errors import WrongExpectedVersion
from service.log.errors import Overtaken
from service.log.interface import EventLog
from service.log.values import Append, Event, StreamId
from service.openings.events import OpeningsCleared, OpeningsLoaded
from service.openings.values import Opening, OpeningTable

KIND: Final = "openings"
STREAM: Final = StreamId(KIND, "table")
TRIES: Final = 50
"""How often a change is tried while others are changing the table."""


class Openings:
    """The table of openings, loaded and replaced as a whole."""

    def __init__(self, log: EventLog, clock: Callable[[], int]) -> None:
        """`clock` is in milliseconds since 1970 UTC."""
        self.log = log
        self.clock = clock

    def version(self) -> int:
        """Return the version of the newest table, 0 if there is none yet."""
        return self.log.version(STREAM)

    def load(self) -> OpeningTable:
        """Return the newest table."""
        version = self.version()
        recorded = self.log.read(STREAM, version - 1) if version else []
        if not recorded:
            return OpeningTable(0, ())
        event = recorded[-1].event
        rows = event.openings if isinstance(event, OpeningsLoaded) else ()
        return OpeningTable(
            recorded[-1].version,
            [
                Opening(one["variant"], one["name"], tuple(one["actions"].split()), one.get("code"))
                for one in rows
            ],
        )

    def replace(self, openings: Sequence[Opening], by: str) -> OpeningTable:
        """Make these the table; raises Overtaken."""
        rows: list[dict[str, str]] = [
            {"variant": one.variant, "name": one.name, "actions": " ".join(one.actions)}
            | ({} if one.code is None else {"code": one.code})
            for one in openings
        ]
        return OpeningTable(self._append(OpeningsLoaded(openings=tuple(rows)), by), openings)

    def clear(self, by: str) -> OpeningTable:
        """Remove the table; raises Overtaken."""
        return OpeningTable(self._append(OpeningsCleared(), by), ())

    def _append(self, event: Event, by: str) -> int:
        for _ in range(TRIES):
            version, at = self.log.version(STREAM), self.clock()
            try:
                return self.log.append(
                    Append(stream=STREAM, expected=version, events=[event], at=at, by=by)
                )
            except WrongExpectedVersion:
                continue
        raise Overtaken(str(STREAM), TRIES)
