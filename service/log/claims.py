"""Who has what only one entity can have: a tournament's name, a game that counts for it.

A claim and the events it is made for are in streams of different partitions, which no script can
change together. So an entity first claims the thing and then appends the events, and either may be
missing: a process can die in between, or be slow. A claim therefore counts for nothing until its
owner has the thing, and until then another entity may take it over.

Whoever takes a claim over first bars it: an attribute beside the owner's stream, set at the very
version at which the owner did not have the thing, names this claim. The owner's events name it,
too (`Append.unless`), and the log refuses them where it is barred. So a process that was slow
cannot append what it had claimed; it claims again, and then finds another owner. A process that
dies after barring leaves no harm: the owner whose claim is barred may claim again.
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
"""How often a claim is tried while others change it, or change its owner."""


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
    """The claims that the entities of one `kind` make, each thing's in a stream of its own.

    A thing is named by one or more texts; `secret` keeps them from being guessed by the stream.
    """

    def __init__(self, log: EventLog, clock: Callable[[], int], secret: bytes, kind: str) -> None:
        self.log = log
        self.clock = clock
        self.secret = secret
        self.kind = kind

    def owner(self, *thing: str) -> str | None:
        """Return the id of the entity that claimed a thing last, None if none has.

        That entity need not have the thing, nor exist.
        """
        return self._newest(self._stream(*thing))[0]

    def claim(self, *thing: str, owner: str, by: str, look: Callable[[str], Holding]) -> str | None:
        """Claim a thing for the entity `owner`; None if another entity has it.

        `look` reads an entity from the log, once, and says whether it has the thing; `by` is who
        acts.
        Returns the attribute that the events by which the owner comes to have the thing must name
        in `Append.unless`. Claiming again gives the same attribute, or a new one if the claim was
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
        """The owner that a stream of claims names last, and the stream's version."""
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
