"""Games as the rest of the service uses them: load from the log, carry out commands."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

from engine.errors import EngineError
from notation.errors import NotationError
from service.errors import NotFound, ServiceError, WrongExpectedVersion
from service.game.commands import BeginGame, Command, CreateGame, ImportRecord
from service.game.decide import create, decide
from service.game.events import ChoiceSealed
from service.game.evolve import fold
from service.game.permissions import PAIRER
from service.game.state import GameState
from service.game.values import Status
from service.log.chain import chained
from service.log.errors import AlreadyDone, LogError
from service.log.interface import EventLog
from service.log.values import GENESIS, Append, Event, Receipt, Recorded, StreamId
from service.player.actor import Actor
from service.secrets.nonces import NonceReserved, Nonces
from service.secrets.private_fields import opened, sealed
from service.secrets.vault import Vault

KIND = "game"
CACHED_GAMES = 2000
ATTEMPTS = 20
PAIRING = Actor(PAIRER)


@dataclass(frozen=True, slots=True)
class Done:
    """What a command did: the state after it and the events it made (perhaps none)."""

    state: GameState
    recorded: Sequence[Recorded]


def stream_of(id: str) -> StreamId:
    """The stream of a game."""
    return StreamId(KIND, id)


class Games:
    """The games in a log. Safe for threads: states are values, the cache has a lock.

    The newest state of recently used games is kept, so that a command on one of them costs one
    round trip whatever the game's length. A state that has fallen behind is noticed by its
    expected version, or before an error is reported, and brought up to date with the events
    missed.
    """

    def __init__(
        self,
        log: EventLog,
        clock: Callable[[], int],
        vault: Vault | None = None,
        nonces: Nonces | None = None,
    ) -> None:
        """`vault` opens what events keep private; without one states do not know it.

        Secret choices can be made where there are both, `vault` and `nonces`.
        """
        self.log = log
        self.clock = clock
        self.vault = vault
        self.nonces = nonces
        self.is_ready: Callable[[GameState], bool] = lambda state: False
        """Whether the round of a prepared game is ready."""
        self.check: Callable[[GameState, Command, Actor], None] = lambda *_: None
        """Refuses what a game itself allows, for what it cannot know."""
        self._cache: OrderedDict[str, GameState] = OrderedDict()
        self._lock = Lock()

    def load(self, id: str) -> GameState:
        """The newest state of a game; raises NotFound.

        A prepared game whose round is ready begins, whoever is the first to look at it: all games
        of a round can be played at the same moment, be the worker that made them alive or dead.
        """
        known = self._known(id)
        # The last event known is read again: a store that was restored from a backup, or that
        # lost its last second, has another one or none.
        recorded = self.read(id, known.version - 1 if known else 0)
        if known is not None:
            if recorded and recorded[0].hash == known.head:
                recorded = recorded[1:]
            else:
                self._forget(id)
                known, recorded = None, self.read(id)
        state = fold(id, recorded, known)
        if state is None:
            raise NotFound(KIND, id)
        if state.status is Status.PREPARED and self.is_ready(state):
            try:
                begun = decide(BeginGame(), state, PAIRING)
                return self._append(id, state, begun, PAIRING, None).state
            except WrongExpectedVersion:
                # Another process has looked at it in the same moment.
                return self.load(id)
        return self._keep(state)

    def at_version(self, id: str, version: int) -> GameState:
        """The state after the first `version` events; raises NotFound."""
        known = self._known(id)
        if known is not None and known.version == version:
            return known
        state = fold(id, self.read(id, limit=version))
        if state is None or state.version != version:
            raise NotFound(KIND, id)
        return state

    def read(self, id: str, after: int = 0, limit: int | None = None) -> list[Recorded]:
        """A game's events with their private parts, for folding; never to be shown as they are."""
        stream = stream_of(id)
        return opened(self.log, self.vault, stream, self.log.read(stream, after, limit))

    def read_each(self, ids: Sequence[str]) -> list[list[Recorded]]:
        """All events of several games, as `read` gives them, for one round trip."""
        streams = [stream_of(id) for id in ids]
        return [
            opened(self.log, self.vault, stream, recorded)
            for stream, recorded in zip(streams, self.log.read_each(streams), strict=True)
        ]

    def digests(self, ids: Sequence[str]) -> list[str]:
        """The digest of each game's newest event (`service.log.chain`), for one round trip."""
        return self.log.digests([stream_of(id) for id in ids])

    def create(
        self,
        id: str,
        command: CreateGame | ImportRecord,
        actor: Actor,
        receipt: Receipt | None = None,
    ) -> Done:
        """Begin a game under a new id; raises what `decide.create` raises, and AlreadyDone."""
        return self._append(id, None, create(command, actor), actor, receipt)

    def execute(
        self,
        id: str,
        command: Command,
        actor: Actor,
        expected: int | None = None,
        receipt: Receipt | None = None,
    ) -> Done:
        """Carry out a command on a game.

        With `expected`, only on that version of it: WrongExpectedVersion otherwise. Without, on
        whatever version is the newest. Raises NotFound, AlreadyDone, and what `decide` raises.
        """
        state = self._known(id) or self.load(id)
        for _ in range(ATTEMPTS):
            try:
                if expected is not None and state.version != expected:
                    raise WrongExpectedVersion(str(stream_of(id)), expected, state.version)
                made = decide(command, state, actor)
                self.check(state, command, actor)
                return self._append(id, state, made, actor, receipt)
            except LogError:
                raise
            except (ServiceError, NotationError, EngineError) as error:
                seen = self.log.receipt(stream_of(id), receipt.key) if receipt else None
                if seen is not None:
                    raise AlreadyDone(seen) from error
                # The refusal holds only for the newest state.
                newest = self.load(id)
                if newest.head == state.head:
                    raise
                if expected is not None and not isinstance(error, WrongExpectedVersion):
                    raise WrongExpectedVersion(
                        str(stream_of(id)), expected, newest.version
                    ) from error
                state = newest
        raise WrongExpectedVersion(str(stream_of(id)), state.version, self.load(id).version)

    def _append(
        self,
        id: str,
        state: GameState | None,
        made: Sequence[Event],
        actor: Actor,
        receipt: Receipt | None,
    ) -> Done:
        # The clocks of two processes differ; a game's time does not go back.
        at = max(self.clock(), state.updated_at) if state else self.clock()
        head = state.head if state else GENESIS
        stream, before = stream_of(id), state.version if state else 0
        recorded = chained(stream, before, made, at, actor.player, head)
        self._reserve_nonces(id, recorded)
        after = fold(id, recorded, state)
        assert after is not None
        # Even where there is nothing to append: that holds for the newest version alone.
        self.log.append(
            Append(
                stream=stream,
                expected=before,
                events=made,
                at=at,
                by=actor.player,
                head=head,
                receipt=receipt,
                attributes=sealed(self.vault, stream, recorded),
                audience=audience(after),
                chained=recorded,
            )
        )
        return Done(self._keep(after), recorded)

    def _reserve_nonces(self, id: str, recorded: Sequence[Recorded]) -> None:
        """Before a choice is in the log its nonce is nobody else's; raises NonceUsed."""
        for entry in recorded:
            event = entry.event
            if isinstance(event, ChoiceSealed) and event.nonce is not None:
                if self.nonces is None:
                    raise RuntimeError("a secret choice needs a register of nonces")
                mine = NonceReserved(game=id, side=event.side)
                self.nonces.reserve(event.nonce, mine, entry.at, entry.by)

    def _known(self, id: str) -> GameState | None:
        with self._lock:
            state = self._cache.get(id)
            if state is not None:
                self._cache.move_to_end(id)
            return state

    def _forget(self, id: str) -> None:
        with self._lock:
            self._cache.pop(id, None)

    def _keep(self, state: GameState) -> GameState:
        with self._lock:
            known = self._cache.get(state.id)
            if known is None or known.version <= state.version:
                self._cache[state.id] = state
            if len(self._cache) > CACHED_GAMES:
                self._cache.popitem(last=False)
        return state


def audience(state: GameState) -> tuple[str, ...]:
    """The players whom a game's events concern; nobody's while its round is not ready."""
    if state.status is Status.PREPARED:
        return ()
    return tuple(dict.fromkeys(p for p in (*state.seats, state.creator) if p is not None))
