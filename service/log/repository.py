"""The entities of a log: loaded, and changed by commands.

Games, players, tournaments, imports, analyses and solvers are entities: each is a stream of events,
and its state is the fold of those. An `Entity` (`service.log.entity`) says what is particular to
one kind, above all its `fold` and `decide`. A `Repository` does the rest, in the same way for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic

from service.errors import ServiceError, WrongExpectedVersion
from service.log.chain import chain_events
from service.log.entity import A, C, Entity, N, PrivateParts, S
from service.log.entity_reader import EntityReader
from service.log.errors import AlreadyDone, Barred, LogError, Overtaken
from service.log.interface import EventLog
from service.log.values import GENESIS, Append, Event, Receipt, Recorded

TRIES: Final = 50
"""How often a command that others overtake is decided: a whole round may be tallied at once."""


@dataclass(frozen=True, slots=True)
class Done(Generic[S]):
    """What a command did: the `state` after it, and the events it appended, if any."""

    state: S
    recorded: Sequence[Recorded]


class Repository(EntityReader[S, N, C, A]):
    """The entities of one kind in a log, loaded and changed by id. Thread-safe.

    A command on a cached entity costs one round trip whatever the length of its stream: it is
    decided on the cached state, and the log refuses the events if that state is out of date.
    In that case, and before a refusal is reported, the command is decided again on the newest one.

    This does not fence what a decision reads from other entities: they can change before the events
    are appended. What only one entity may have is claimed (`service.log.claims`). Whatever else
    could go wrong is checked again when the events come out of the feed (`service.reactions`).
    """

    def __init__(
        self,
        log: EventLog,
        clock: Callable[[], int],
        entity: Entity[S, N, C, A],
        private: PrivateParts | None = None,
    ) -> None:
        """`clock` is in milliseconds since 1970 UTC; `private` opens events' private fields."""
        super().__init__(log, clock, entity, private)
        self._refusals: tuple[type[Exception], ...] = (ServiceError, *entity.refusals)

    def check_receipt(self, id: str, receipt: Receipt | None) -> None:
        """Raise AlreadyDone, with what is remembered, if the receipt's key was used before."""
        seen = self.log.receipt(self.stream(id), receipt.key) if receipt else None
        if seen is not None:
            raise AlreadyDone(seen)

    def create(self, id: str, command: N, actor: A, receipt: Receipt | None = None) -> Done[S]:
        """Begin an entity under a new id; returns its first state and events.

        Raises what the entity's `create` and `prepare` raise, AlreadyDone if the receipt's key was
        used before, WrongExpectedVersion if the id is taken, and Overtaken.
        """
        events = self.entity.create(command, actor)
        for _ in range(TRIES):
            request, after = self._make_append(id, None, command, events, actor, receipt)
            try:
                self.log.append(request)
            except Barred:
                # Another entity took the claim over: claim again, or be refused.
                continue
            return self.keep_done(request, after)
        raise Overtaken(str(self.stream(id)), TRIES)

    def create_each(self, commands: Mapping[str, N], actor: A) -> dict[str, Done[S] | Exception]:
        """Begin several entities in one round trip; a refusal of one stops no other.

        `commands` has the new ids. Returns for each id what was done, or the error that `create`
        would have raised for it; Barred if another entity took over a claim meanwhile.
        """
        outcomes: dict[str, Done[S] | Exception] = {}
        requests: dict[str, tuple[Append, S]] = {}
        for id, command in commands.items():
            try:
                events = self.entity.create(command, actor)
                requests[id] = self._make_append(id, None, command, events, actor, None)
            except self._refusals as refusal:
                outcomes[id] = refusal
        answers = self.log.append_each([request for request, _ in requests.values()])
        for (id, (request, after)), answer in zip(requests.items(), answers, strict=True):
            outcomes[id] = self.keep_done(request, after) if isinstance(answer, int) else answer
        return {id: outcomes[id] for id in commands}

    def execute(
        self,
        id: str,
        command: C,
        actor: A,
        expected: int | None = None,
        receipt: Receipt | None = None,
    ) -> Done[S]:
        """Carry out a command on the newest state, or only on the version `expected`.

        Returns the state after it and the events, none if they would change nothing. With a
        `receipt` the log remembers the request, so that it is carried out only once.

        Raises NotFound; AlreadyDone if the receipt's key was used before; WrongExpectedVersion if
        the entity is at another version than `expected`; Overtaken if others were faster TRIES
        times; and what the entity's `decide` and `prepare` raise for the newest state.
        """
        state = self.find_to_change(id)
        for _ in range(TRIES):
            try:
                request, after = self.decide(id, state, command, actor, expected, receipt)
                # Even if there is nothing to append: that is certain only for the newest version.
                self.log.append(request)
            except Barred:
                # Another entity took the claim over: claim again, or be refused.
                continue
            except LogError:
                raise
            except self._refusals as refusal:
                newest = self._find_newer(id, state, expected, receipt, refusal)
                if newest is None:
                    raise
                state = newest
            else:
                return self.keep_done(request, after)
        raise Overtaken(str(self.stream(id)), TRIES)

    def find_to_change(self, id: str) -> S:
        """Return a possibly outdated state to decide a command on first; raises NotFound."""
        return self._get_cached(id) or self._load_to_change(id)

    def decide(
        self,
        id: str,
        state: S,
        command: C,
        actor: A,
        expected: int | None,
        receipt: Receipt | None,
    ) -> tuple[Append, S]:
        """Return the append for a command on a state, and the state after it.

        Raises what `execute` raises, except what only the log can detect.
        """
        if expected is not None and state.version != expected:
            raise WrongExpectedVersion(str(self.stream(id)), expected, state.version)
        events = self.entity.decide(command, state, actor)
        return self._make_append(id, state, command, events, actor, receipt)

    def _find_newer(
        self, id: str, state: S, expected: int | None, receipt: Receipt | None, refusal: Exception
    ) -> S | None:
        """Return the state to decide on again after a refusal; None if `state` is the newest.

        Raises AlreadyDone if the request was carried out before, and WrongExpectedVersion if the
        refusal is for a state that is out of date and another version was expected.
        """
        seen = self.log.receipt(self.stream(id), receipt.key) if receipt else None
        if seen is not None:
            raise AlreadyDone(seen) from refusal
        newest = self._load_to_change(id)
        if newest.head == state.head:
            return None
        if expected is not None and not isinstance(refusal, WrongExpectedVersion):
            stream = str(self.stream(id))
            raise WrongExpectedVersion(stream, expected, newest.version) from refusal
        return newest

    def _load_to_change(self, id: str) -> S:
        """Return the newest state, for a command to be decided on; raises NotFound."""
        return self.load(id)

    def _make_append(
        self,
        id: str,
        state: S | None,
        command: N | C,
        events: Sequence[Event],
        actor: A,
        receipt: Receipt | None,
    ) -> tuple[Append, S]:
        """Return the append of these events, and the state after it; raises as `prepare` does."""
        stream, before = self.stream(id), state.version if state else 0
        # The clocks of two processes differ, but an entity's time must not go back.
        at = max(self.clock(), state.updated_at) if state else self.clock()
        head = state.head if state else GENESIS
        recorded = chain_events(stream, before, events, at, actor.player, head)
        unless = self._prepare(id, recorded, receipt)
        after = self.entity.fold(id, recorded, state)
        assert after is not None
        attributes = dict(self.entity.attributes(command, state, events))
        if self.private is not None:
            attributes |= self.private.seal(stream, recorded)
        request = Append(
            stream=stream,
            expected=before,
            events=events,
            at=at,
            by=actor.player,
            head=head,
            receipt=receipt,
            attributes=attributes,
            audience=self.entity.audience(after),
            chained=recorded,
            unless=unless,
            alarm=self.entity.alarm(after),
        )
        return request, after

    def _prepare(self, id: str, recorded: Sequence[Recorded], receipt: Receipt | None) -> str:
        """Do what these events require first; returns what forbids them (`Append.unless`).

        Raises AlreadyDone if the request was carried out before.
        """
        prepare = self.entity.prepare(id, recorded)
        if prepare is None:
            return ""
        self.check_receipt(id, receipt)
        return prepare()

    def keep_done(self, request: Append, after: S) -> Done[S]:
        """Keep the state after a request that was appended; returns what was done."""
        assert request.chained is not None
        return Done(self._cache.put(after), request.chained)
