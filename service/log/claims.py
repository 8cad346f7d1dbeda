"""Claims to what only one entity can have: a tournament's name, a game that counts for it.

A claim and the events it is made for are in streams of different partitions, which no script can
change together. So an entity first claims the thing and then appends the events. Either may be
missing, because a process can die in between or be slow. A claim therefore counts for nothing until
its owner has the thing, and until then another entity may take it over.

An entity that takes a claim over first bars it: an attribute beside the owner's stream, set at
exactly the version at which the owner did not have the thing, names this claim. The owner's events
name it too (`Append.unless`), and the log refuses them if it is barred. So a slow process cannot
append what it had claimed; it claims again, and then finds another owner. A process that dies after
barring does no harm: the owner whose claim is barred may claim again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from service.errors import WrongExpectedVersion
from service.ids import derived_id
from service.log.declarations import event
from service.log.errors import Overtaken
from service.log.interface import EventLog
from service.log.values import GENESIS, Append, Event, StreamId

KIND: Final = "claim"
TRIES: Final = 50
"""How often a claim is tried while others change it or its owner."""


@event("claimed/1")
class Claimed(Event):
    """The thing that the stream's id is derived from is claimed for `owner`, an entity's id."""

    owner: str


EVENTS: Final[Mapping[str, type[Event]]] = {Claimed.stored_name: Claimed}


@dataclass(frozen=True, slots=True)
class Holding:
    """Whether an entity has a thing, at a `version` of its stream and the digest `head` there."""

    holds: bool = False
    version: int = 0
    head: str = GENESIS


class Claims:
    """The claims that the entities of one `kind` make, with one stream for each thing.

    A thing is named by one or more texts; `secret` keeps the stream's name from revealing them.
    """

    def __init__(self, log: EventLog, clock: Callable[[], int], secret: bytes, kind: str) -> None:
        self.log = log
        self.clock = clock
        self.secret = secret
        self.kind = kind

    def owner(self, *thing: str) -> str | None:
        """Return the id of the entity that last claimed a thing, None if none has.

        That entity need not have the thing, or even exist.
        """
        return self._newest(self._stream(*thing))[0]

    def claim(self, *thing: str, owner: str, by: str, look: Callable[[str], Holding]) -> str | None:
        """Claim a thing for the entity `owner`; None if another entity has it.

        `look` reads an entity from the log, once, and says whether it has the thing; `by` is the
        actor. Returns the attribute that must be in `Append.unless` of the events that give the
        owner the thing. Claiming again returns the same attribute, or a new one if the claim was
        barred meanwhile. Raises Overtaken.
        """
        stream = self._stream(*thing)
        for _ in range(TRIES):
            known, version = self._newest(stream)
            if known == owner and not self._is_barred(owner, stream, version):
                return _bar(stream, version)
            mine = known is None or known == owner
            if not mine and not self._bar_owner(str(known), stream, version, by, look):
                return None
            claimed = Claimed(owner=owner)
            at = self.clock()
            try:
                self.log.append(
                    Append(stream=stream, expected=version, events=[claimed], at=at, by=by)
                )
            except WrongExpectedVersion:
                continue
            return _bar(stream, version + 1)
        raise Overtaken(str(stream), TRIES)

    def _bar_owner(
        self,
        owner: str,
        stream: StreamId,
        version: int,
        by: str,
        look: Callable[[str], Holding],
    ) -> bool:
        """Bar the claim that is at this version of its stream; False if its owner has the thing."""
        theirs = StreamId(self.kind, owner)
        for _ in range(TRIES):
            holding = look(owner)
            if holding.holds:
                return False
            barring = Append(
                stream=theirs,
                expected=holding.version,
                head=holding.head,
                events=(),
                at=self.clock(),
                by=by,
                attributes={_bar(stream, version): by},
            )
            try:
                self.log.append(barring)
            except WrongExpectedVersion:
                continue
            return True
        raise Overtaken(str(theirs), TRIES)

    def _is_barred(self, owner: str, stream: StreamId, version: int) -> bool:
        wanted = (StreamId(self.kind, owner), _bar(stream, version))
        return self.log.attributes([wanted]) != [None]

    def _newest(self, stream: StreamId) -> tuple[str | None, int]:
        """The last owner that a stream of claims names, and the stream's version."""
        recorded = self.log.read(stream)
        if not recorded:
            return None, 0
        event = recorded[-1].event
        assert isinstance(event, Claimed)
        return event.owner, len(recorded)

    def _stream(self, *thing: str) -> StreamId:
        return StreamId(KIND, derived_id(self.secret, KIND, *thing))


def _bar(stream: StreamId, version: int) -> str:
    """The attribute that bars the claim at this version of a stream of claims."""
    return f"barred:{stream.id}:{version}"
