"""Who has what there is only once: a name, or a game's place in a tournament."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from service.errors import WrongExpectedVersion
from service.ids import derived_id
from service.log.declarations import event
from service.log.interface import EventLog
from service.log.values import Append, Event, StreamId

KIND: Final = "claim"


@event("claimed/1")
class Claimed(Event):
    """The thing that the stream's id is derived from belongs to `owner`, an id."""

    owner: str


EVENTS: Final[Mapping[str, type[Event]]] = {Claimed.stored_name: Claimed}


class Claims:
    """What was claimed, in streams of their own, so that a claim spans partitions safely.

    A claim comes first and what it is for second; whoever dies in between leaves a claim of an
    owner that does not exist, which the next one takes over.
    """

    def __init__(self, log: EventLog, clock: Callable[[], int], secret: bytes) -> None:
        self.log = log
        self.clock = clock
        self.secret = secret

    def owner(self, *thing: str) -> str | None:
        """Whose it is."""
        recorded = self.log.read(self._stream(*thing))
        if not recorded:
            return None
        event = recorded[-1].event
        assert isinstance(event, Claimed)
        return event.owner

    def claim(self, *thing: str, owner: str, by: str, exists: Callable[[str], bool]) -> bool:
        """Let a thing belong to `owner`; False where it belongs to another who `exists`.

        Doing it again changes nothing.
        """
        stream = self._stream(*thing)
        while True:
            version, known = self.log.version(stream), self.owner(*thing)
            if known == owner:
                return True
            if known is not None and exists(known):
                return False
            mine = Append(
                stream=stream,
                expected=version,
                events=[Claimed(owner=owner)],
                at=self.clock(),
                by=by,
            )
            try:
                self.log.append(mine)
            except WrongExpectedVersion:
                continue
            return True

    def _stream(self, *thing: str) -> StreamId:
        return StreamId(KIND, derived_id(self.secret, KIND, *thing))
