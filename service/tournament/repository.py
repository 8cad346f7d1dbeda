"""Tournaments as the rest of the service uses them: load from the log, carry out commands."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

from notation.game import UNFINISHED
from service.errors import CannotReopen, NotFound, WrongExpectedVersion
from service.game.commands import (
    Actor,
    Adjudicate,
    CloseGame,
    Command,
    CorrectResult,
    LoseOnTime,
    ReopenGame,
    Retract,
)
from service.game.fingerprint import normalised
from service.game.permissions import PAIRER
from service.game.state import GameState
from service.game.values import Mode
from service.ids import ID, keyed_digest
from service.log.claims import Claims
from service.log.errors import AlreadyDone
from service.log.interface import EventLog
from service.log.values import GENESIS, Append, Event, Receipt, Recorded, StreamId
from service.player.repository import Players
from service.tournament.commands import CreateTournament, Join, TournamentCommand
from service.tournament.decide import create, decide
from service.tournament.errors import CannotJoin, NameTaken, NotTheArbiter
from service.tournament.evolve import fold
from service.tournament.joining import seated
from service.tournament.pairing.errors import PairingFailed
from service.tournament.rounds import refused
from service.tournament.setup import TOURNAMENT_TAG
from service.tournament.state import TournamentState
from service.tournament.values import Finished

KIND: Final = "tournament"
RULINGS: Final = (Adjudicate, LoseOnTime, CloseGame, CorrectResult, Retract, ReopenGame)
"""What arbiters may do to a game, that changes what it counts."""
CACHED: Final = 100
"""Tournaments that are kept at hand; one of many players takes a megabyte."""
ATTEMPTS: Final = 50
"""Tries of a command that others overtake: a whole round may be tallied at once."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a command did: the state after it and the events it made (perhaps none)."""

    state: TournamentState
    recorded: Sequence[Recorded]


def stream_of(id: str) -> StreamId:
    """The stream of a tournament."""
    return StreamId(KIND, id)


def finished(game: GameState) -> Finished:
    """An ended game as a tournament sees it; raises CannotJoin for another."""
    if game.ending is None:
        raise CannotJoin("it is not over")
    return counted(game)


def counted(game: GameState) -> Finished:
    """What a game says to a tournament; without a result and a termination while it goes on."""
    scored = game.score is not None and game.score.ending == game.ending
    return Finished(
        id=game.id,
        version=game.version,
        variant=game.variant,
        creator=game.creator,
        seats=game.seats,
        result=game.ending.result if game.ending else UNFINISHED,
        termination=game.ending.termination if game.ending else None,
        points=game.score.points if game.score is not None and scored else None,
        plies=game.plies,
    )


class Tournaments:
    """The tournaments in a log. Safe for threads: states are values, the cache has a lock."""

    def __init__(
        self, log: EventLog, clock: Callable[[], int], secret: bytes, players: Players
    ) -> None:
        self.log = log
        self.clock = clock
        self.secret = secret
        self.players = players
        self.claims = Claims(log, clock, secret)
        self._cache: OrderedDict[str, TournamentState] = OrderedDict()
        self._lock = Lock()

    def load(self, id: str) -> TournamentState:
        """The newest state; raises NotFound."""
        with self._lock:
            known = self._cache.get(id)
        recorded = self.log.read(stream_of(id), known.version - 1 if known else 0)
        if known is not None:
            # A log that was restored from a backup may have another event there, or none.
            if recorded and recorded[0].hash == known.head:
                recorded = recorded[1:]
            else:
                known, recorded = None, self.log.read(stream_of(id))
        state = fold(id, recorded, known)
        if state is None:
            raise NotFound(KIND, id)
        return self._keep(state)

    def exists(self, id: str) -> bool:
        """Whether there is a tournament of this id."""
        return self.log.version(stream_of(id)) > 0

    def at_version(self, id: str, version: int) -> TournamentState:
        """The state after the first `version` events; raises NotFound."""
        state = fold(id, self.log.read(stream_of(id), limit=version))
        if state is None or state.version != version:
            raise NotFound(KIND, id)
        return state

    def at_time(self, id: str, at: int) -> TournamentState:
        """The state as it was at a time in milliseconds since 1970; raises NotFound."""
        recorded = self.log.read(stream_of(id))
        state = fold(id, (entry for entry in recorded if entry.at <= at))
        if state is None:
            raise NotFound(KIND, id)
        return state

    def create(
        self,
        id: str,
        command: CreateTournament,
        actor: Actor,
        receipt: Receipt | None = None,
        more: Sequence[Event] = (),
    ) -> Done:
        """Begin a tournament under a new id, with events that follow at once.

        Its name is claimed first. Raises what `decide.create` raises, NameTaken and AlreadyDone.
        """
        made = [*create(command, actor), *more]
        place = ("event", command.variant, normalised(command.name))
        if not self.claims.claim(*place, owner=id, by=actor.player, exists=self.exists):
            raise NameTaken(command.name)
        return self._append(id, None, made, actor, receipt)

    def execute(
        self,
        id: str,
        command: TournamentCommand,
        actor: Actor,
        expected: int | None = None,
        receipt: Receipt | None = None,
        judge: Callable[[TournamentState], None] = lambda state: None,
    ) -> Done:
        """Carry out a command, on the version `expected` alone or on the newest.

        What `decide` lets through `judge` may refuse for what the tournament itself cannot know.
        Raises NotFound, WrongExpectedVersion, AlreadyDone, and what these two raise.
        """
        for _ in range(ATTEMPTS):
            state = self.load(id)
            seen = self.log.receipt(stream_of(id), receipt.key) if receipt else None
            if seen is not None:
                raise AlreadyDone(seen)
            if expected is not None and state.version != expected:
                raise WrongExpectedVersion(str(stream_of(id)), expected, state.version)
            made = decide(command, state, actor)
            judge(state)
            if not made and receipt is None:
                return Done(state, ())
            try:
                return self._append(id, state, made, actor, receipt)
            except WrongExpectedVersion as overtaken:
                error = overtaken
        raise error

    def _append(
        self,
        id: str,
        state: TournamentState | None,
        made: Sequence[Event],
        actor: Actor,
        receipt: Receipt | None,
    ) -> Done:
        before = state.version if state else 0
        at = max(self.clock(), state.updated_at) if state else self.clock()
        self.log.append(
            Append(
                stream=stream_of(id),
                expected=before,
                events=made,
                at=at,
                by=actor.player,
                head=state.head if state else GENESIS,
                receipt=receipt,
            )
        )
        recorded = self.log.read(stream_of(id), before, len(made))
        after = fold(id, recorded, state)
        assert after is not None
        return Done(self._keep(after), recorded)

    def salt(self, id: str) -> str:
        """What the ids of a tournament's games are derived with: nobody can guess them."""
        return keyed_digest(self.secret, "round", id)

    def give_up(self, id: str, asked: int, reason: str) -> None:
        """Refuse the round that was asked for at version `asked`, if it is not paired."""
        self.execute(id, refused(asked, PairingFailed(reason)), Actor(PAIRER))

    def join(
        self, id: str, game: GameState, round: int, actor: Actor, *, record: bool = False
    ) -> Done:
        """Let a finished game count; it is claimed first, so that it counts once.

        Raises CannotJoin, and what `decide` raises.
        """
        state = self.load(id)
        seats = seated(state, game.seats, self.players.names([*state.entries, *game.seats]))
        if seats is None:
            raise CannotJoin("its players are not two who have entered")
        command = Join(game=finished(game), round=round, seats=seats, record=record)
        # Judged before anything is claimed: a refusal leaves nothing behind.
        decide(command, state, actor)
        counted = self.counts(game.id)
        if not self.claims.claim("game", game.id, owner=id, by=actor.player, exists=counted):
            raise CannotJoin("it counts for another tournament")
        return self.execute(id, command, actor)

    def counts(self, game: str) -> Callable[[str], bool]:
        """Whether the owner of a claim has the game counted."""

        def counted(owner: str) -> bool:
            try:
                return game in self.load(owner).boards
            except NotFound:
                return False

        return counted

    def awaits(self, game: GameState) -> bool:
        """Whether a record just taken in names a tournament that there is."""
        return game.mode is Mode.IMPORT and game.version == 1 and self.named(game) is not None

    def named(self, record: GameState) -> str | None:
        """The tournament that a record's tags name: by its id, else by the name of the event."""
        id = record.tags.get(TOURNAMENT_TAG, "")
        if ID.fullmatch(id) and self.exists(id):
            return id
        event = normalised(record.tags.get("Event", "?"))
        owner = self.claims.owner("event", record.variant, event)
        return owner if owner is not None and self.exists(owner) else None

    def is_ready(self, game: GameState) -> bool:
        """Whether the round that a game was prepared for is ready, so that it can begin."""
        state = self.load(game.tags[TOURNAMENT_TAG])
        pairing = state.of_game(game.id)
        return pairing is not None and state.rounds[pairing.round - 1].ready

    def check_ruling(self, game: GameState, command: Command, actor: Actor) -> None:
        """Raise NotTheArbiter where a ruling on a game is by nobody who rules on its tournament.

        Raises CannotReopen for a game that counts no more, or is ruled on there. What the service
        itself does about a round was ruled there.
        """
        if not isinstance(command, RULINGS) or actor.player == PAIRER:
            return
        id = self.of_game(game)
        if id is None:
            return
        state = self.load(id)
        if actor.player not in state.arbiters:
            raise NotTheArbiter
        if isinstance(command, ReopenGame):
            self._check_reopening(state, game)

    @staticmethod
    def _check_reopening(state: TournamentState, game: GameState) -> None:
        """Raise CannotReopen for a game that nobody would play on (Ruling R35)."""
        pairing = state.of_game(game.id)
        if pairing is None:
            raise CannotReopen("its round was taken back, or another game counts in its place")
        if pairing.ruling is not None:
            raise CannotReopen("a ruling stands on its board: lift the ruling first")

    def of_game(self, state: GameState) -> str | None:
        """The tournament that a game counts for already, if any."""
        if state.mode is Mode.TOURNAMENT:
            return state.tags[TOURNAMENT_TAG]
        # Who has claimed a game may have died before it counted.
        owner = self.claims.owner("game", state.id)
        return owner if owner is not None and self.counts(state.id)(owner) else None

    def _keep(self, state: TournamentState) -> TournamentState:
        with self._lock:
            known = self._cache.pop(state.id, None)
            newest = state if known is None or known.version <= state.version else known
            self._cache[state.id] = newest
            if len(self._cache) > CACHED:
                self._cache.popitem(last=False)
        return state
