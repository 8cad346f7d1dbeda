"""The games in a log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

from engine.errors import EngineError
from notation.errors import NotationError
from service.errors import NotFound, WrongExpectedVersion
from service.game.annotation_quota import AnnotationQuota
from service.game.commands import BeginGame, Command, CreateGame, ImportRecord
from service.game.deadlines import find_alarm, find_waiting_since, is_timed
from service.game.decide import create, decide
from service.game.events import ChoiceSealed
from service.game.evolve import fold
from service.game.outline import GameOutline
from service.game.permissions import PAIRER
from service.game.state import GameState
from service.game.timekeeping import Moment, Outage
from service.game.values import GameStatus
from service.log.beginning import Beginning, make_first_append
from service.log.chain import chain_events
from service.log.entity import Entity, Preparation
from service.log.errors import Barred, Overtaken
from service.log.interface import EventLog
from service.log.repository import TRIES, Repository
from service.log.values import GENESIS, Append, Event, Recorded, StreamId
from service.player.actor import Actor
from service.secrets.nonces import NonceReserved, Nonces
from service.secrets.private_fields import PrivateFields
from service.secrets.vault import Vault

KIND: Final = "game"
CACHED: Final = 200_000
"""Actions of the games that are cached, each of ACTION bytes."""
ACTION: Final = 430
BASE: Final = 5
"""How many actions take as much memory as the rest of a game."""
PAIRING: Final = Actor(PAIRER)
CALLED_OFF: Final = "called-off"
"""The attribute beside a prepared game that keeps it from beginning."""

NewGame = CreateGame | ImportRecord
"""The commands that begin a game."""


def stream_of(id: str) -> StreamId:
    """The stream of a game."""
    return StreamId(KIND, id)


def audience(state: GameOutline) -> tuple[str, ...]:
    """The players whom a game's events concern; none while its round is not ready."""
    if state.status is GameStatus.PREPARED:
        return ()
    return tuple(dict.fromkeys(p for p in (*state.seats, state.creator) if p is not None))


def weigh_game(state: GameState) -> int:
    """About how many actions without annotations take as much memory as this game, or more."""
    return BASE + len(state.played) + state.annotation_bytes // ACTION


class Organiser(Protocol):
    """What tournaments say about games."""

    def ready_at(self, game: GameState) -> int | None:
        """When the round of a prepared game became ready, in milliseconds since 1970 UTC.

        None while it is not ready, and after it was taken back.
        """

    def check_ruling(self, game: GameState, command: Command, actor: Actor) -> None:
        """Raise if a tournament does not allow a command that its game allows."""


class Outages(Protocol):
    """What is known about the times when the service was down."""

    def look(self, after: int) -> tuple[Sequence[Outage], int]:
        """The outages that ended after a time, in order, and when the service was last seen up."""


class Games(Repository[GameState, NewGame, Command, Actor]):
    """The games in a log.

    A prepared game begins when its round is ready. From then on it is read as a game that has
    begun, by an event that depends on the round alone: it is the same for every reader, whether or
    not it is in the log yet. Reading never appends it. `begin` does, and so does every other change
    before its own events.
    """

    def __init__(
        self,
        log: EventLog,
        clock: Callable[[], int],
        organiser: Organiser,
        vault: Vault | None = None,
        nonces: Nonces | None = None,
        outages: Outages | None = None,
        annotation_quota: AnnotationQuota | None = None,
    ) -> None:
        """`vault` opens what events keep private; without it, states do not know that. `outages`
        are not counted on running clocks; without it, there are none. Without `annotation_quota`,
        players may annotate as much as they like.

        Secret choices can be made only with both `vault` and `nonces`.
        """
        entity = Entity(
            kind=KIND,
            fold=fold,
            create=create,
            decide=self._decide,
            audience=audience,
            alarm=find_alarm,
            refusals=(NotationError, EngineError),
            prepare=self._prepare_choices,
            cached=CACHED,
            weigh=weigh_game,
        )
        super().__init__(log, clock, entity, PrivateFields(vault))
        self.organiser = organiser
        self.nonces = nonces
        self.outages = outages
        self.annotation_quota = annotation_quota

    def find(self, id: str) -> GameState | None:
        """The newest state, begun if its round is ready; None if there is no such game."""
        state = super().find(id)
        return None if state is None else self._begun(state)

    def follow(self, id: str, recorded: Sequence[Recorded]) -> GameState:
        """The state after events that were read as they arrived, begun if its round is ready."""
        return self._begun(super().follow(id, recorded))

    def load_each(self, ids: Sequence[str]) -> list[GameState]:
        """The newest states of those games that exist, begun if their rounds are ready."""
        return [self._begun(state) for state in super().load_each(ids)]

    def at_time(self, id: str, at: int) -> GameState:
        """The state at a time in milliseconds since 1970 UTC; raises NotFound."""
        state = super().at_time(id, at)
        begun = self._begun(state)
        return begun if begun.updated_at <= at else state

    def create_imported(
        self,
        beginnings: Sequence[Beginning],
        by: str,
        announce: Callable[[Sequence[Append]], None] = lambda requests: None,
    ) -> list[bool]:
        """Begin games by events decided before, in one round trip; returns which ids were new.

        For imports by the thousand: no state is folded or cached. `announce` is called with what is
        about to be appended.
        """
        at = self.clock()
        requests = [make_first_append(each, at, by, self.private) for each in beginnings]
        announce(requests)
        return [isinstance(answer, int) for answer in self.log.append_each(requests)]

    def begin(self, id: str) -> GameState:
        """Append the start of a prepared game whose round is ready; raises NotFound.

        Returns the newest state. Nothing is appended to a game in any other state.
        """
        state = super().find(id)
        if state is None:
            raise NotFound(KIND, id)
        start = self._start(state)
        if start is None:
            return state
        after = fold(id, [start], state)
        assert after is not None
        request = Append(
            stream=stream_of(id),
            expected=state.version,
            events=[start.event],
            at=start.at,
            by=start.by,
            head=state.head,
            audience=audience(after),
            chained=[start],
            unless=CALLED_OFF,
            alarm=find_alarm(after),
        )
        # Another process has appended the same, or the round was just taken back.
        with suppress(WrongExpectedVersion, Barred):
            self.log.append(request)
            return self._cache.put(after)
        return self.load(id)

    def call_off(self, id: str) -> bool:
        """Keep a prepared game from ever beginning; False if it has begun. Raises NotFound.

        For a game whose round was taken back: a slow process that has seen the round ready could
        still begin it.
        """
        for _ in range(TRIES):
            state = super().find(id)
            if state is None:
                raise NotFound(KIND, id)
            if state.status is not GameStatus.PREPARED:
                return False
            request = Append(
                stream=stream_of(id),
                expected=state.version,
                events=(),
                at=self.clock(),
                by=PAIRER,
                head=state.head,
                attributes={CALLED_OFF: PAIRER},
            )
            with suppress(WrongExpectedVersion):
                self.log.append(request)
                return True
        raise Overtaken(str(stream_of(id)), TRIES)

    def read_heads(self, ids: Sequence[str]) -> dict[str, str]:
        """The digests of games' newest events by id, for those games that are in the log."""
        digests = zip(ids, self.digests(ids), strict=True)
        return {id: head for id, head in digests if head != GENESIS}

    def _get_cached(self, id: str) -> GameState | None:
        """The cached state; a prepared game is read anew each time, since it may have begun."""
        state = super()._get_cached(id)
        return None if state is None or state.status is GameStatus.PREPARED else state

    def _begun(self, state: GameState) -> GameState:
        """The state, or the state after the game's start if that is due."""
        start = self._start(state)
        if start is None:
            return state
        begun = fold(state.id, [start], state)
        assert begun is not None
        return begun

    def _load_to_change(self, id: str) -> GameState:
        return self.begin(id)

    def _start(self, state: GameState) -> Recorded | None:
        """The event that begins a prepared game; None for any other game, or while it waits."""
        if state.status is not GameStatus.PREPARED:
            return None
        ready_at = self.organiser.ready_at(state)
        if ready_at is None:
            return None
        events = decide(BeginGame(), state, PAIRING)
        at = max(ready_at, state.updated_at)
        (start,) = chain_events(stream_of(state.id), state.version, events, at, PAIRER, state.head)
        return start

    def _decide(self, command: Command, state: GameState, actor: Actor) -> Sequence[Event]:
        """The events of a command, if neither the game's tournament nor a quota refuses it.

        A command that has to be decided again, since others were faster, is charged again.
        """
        made = decide(command, state, actor, self._find_moment(state))
        self.organiser.check_ruling(state, command, actor)
        if self.annotation_quota is not None:
            self.annotation_quota.charge(made, actor)
        return made

    def _find_moment(self, state: GameState) -> Moment | None:
        """The time at which a command to a game with times is decided; None for other games."""
        if not is_timed(state):
            return None
        if self.outages is None:
            now = self.clock()
            return Moment(now, (), now)
        # Looked up before the time is read, so that all outages until then are known.
        since = state.clock.since if state.clock is not None else 0
        known, alive = self.outages.look(since or find_waiting_since(state))
        return Moment(self.clock(), known, alive)

    def _prepare_choices(self, id: str, recorded: Sequence[Recorded]) -> Preparation | None:
        """The reservation of the nonces of secret choices, if there are any in these events."""
        choices = [
            entry
            for entry in recorded
            if isinstance(entry.event, ChoiceSealed) and entry.event.nonce is not None
        ]
        return partial(self._reserve_nonces, id, choices) if choices else None

    def _reserve_nonces(self, id: str, choices: Sequence[Recorded]) -> str:
        """Reserve the nonces of these choices, so that nobody else uses them; raises NonceUsed."""
        if self.nonces is None:
            raise RuntimeError("a secret choice needs a register of nonces")
        for entry in choices:
            assert isinstance(entry.event, ChoiceSealed)
            assert entry.event.nonce is not None
            mine = NonceReserved(game=id, side=entry.event.side)
            self.nonces.reserve(entry.event.nonce, mine, entry.at, entry.by)
        return ""
