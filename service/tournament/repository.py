"""The tournaments in a log, and what they decide about games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from engine.errors import EngineError
from notation.errors import NotationError
from service.game.commands import Command, ReopenGame, RulingCommand
from service.game.errors import CannotReopen
from service.game.evolve import fold as fold_game
from service.game.fingerprint import normalised
from service.game.outline import GameOutline
from service.game.permissions import PAIRER
from service.game.repository import stream_of as stream_of_game
from service.game.state import GameState
from service.game.values import Mode
from service.ids import ID, keyed_digest
from service.log.claims import Claims, Holding
from service.log.entity import Entity, Preparation
from service.log.interface import EventLog
from service.log.repository import Done, Repository
from service.log.values import Event, Receipt, Recorded, StreamId
from service.player.actor import Actor
from service.player.repository import Players
from service.tournament.commands import (
    CorrectEntry,
    Enter,
    Join,
    NewTournament,
    TournamentCommand,
    UnpairRound,
)
from service.tournament.counted_games import require_finished
from service.tournament.decide import create, decide
from service.tournament.errors import CannotJoin, NameTaken, NotTheArbiter
from service.tournament.events import GameJoined, TournamentAmended, TournamentCreated
from service.tournament.evolve import fold
from service.tournament.joining import find_seats
from service.tournament.next_round import check_unplayed, make_refusal
from service.tournament.pairing.errors import PairingFailed
from service.tournament.persons import check_entry
from service.tournament.setup import TOURNAMENT_TAG
from service.tournament.state import TournamentState

KIND: Final = "tournament"
CACHED: Final = 100
"""Tournaments that are cached; one with many players takes a megabyte."""


def stream_of(id: str) -> StreamId:
    """The stream of a tournament."""
    return StreamId(KIND, id)


class Tournaments(Repository[TournamentState, NewTournament, TournamentCommand, Actor]):
    """The tournaments in a log."""

    def __init__(
        self, log: EventLog, clock: Callable[[], int], secret: bytes, players: Players
    ) -> None:
        entity = Entity(
            kind=KIND,
            fold=fold,
            create=create,
            decide=self._decide,
            refusals=(NotationError, EngineError),
            prepare=self._prepare_claim,
            cached=CACHED,
        )
        super().__init__(log, clock, entity)
        self.secret = secret
        self.players = players
        self.claims = Claims(log, clock, secret, KIND)

    def _decide(
        self, command: TournamentCommand, state: TournamentState, actor: Actor
    ) -> Sequence[Event]:
        """The events of `decide`, unless what the log knows of players or games forbids them."""
        made = decide(command, state, actor)
        if isinstance(command, Enter):
            check_entry(self.log, state, command.player)
        if isinstance(command, CorrectEntry) and command.replacement is not None and made:
            check_entry(self.log, state, command.replacement, instead_of=command.player)
        if isinstance(command, UnpairRound):
            check_unplayed(state, self._games_of_last_round(state))
        return made

    def _games_of_last_round(self, state: TournamentState) -> list[GameState]:
        named = [p.named for p in state.rounds[-1].pairings if p.named is not None]
        recorded = self.log.read_each([stream_of_game(id) for id in named])
        games = (fold_game(id, entries) for id, entries in zip(named, recorded, strict=True))
        return [game for game in games if game is not None]

    def _prepare_claim(self, id: str, recorded: Sequence[Recorded]) -> Preparation | None:
        """The claim to the name or the game that these events give a tournament, if they do."""
        for entry in recorded:
            if isinstance(entry.event, TournamentCreated):
                variant, name = entry.event.variant, entry.event.name
                return partial(self._claim_name, id, variant, name, entry.by)
            if isinstance(entry.event, TournamentAmended) and "name" in entry.event.changes:
                variant, name = self.load(id).rules.variant, entry.event.changes["name"]
                return partial(self._claim_name, id, variant, name, entry.by)
            if isinstance(entry.event, GameJoined):
                return partial(self._claim_game, id, entry.event.game, entry.by)
        return None

    def _claim_name(self, id: str, variant: str, name: str, by: str) -> str:
        """Claim a tournament's name; returns what blocks the claim, raises NameTaken."""
        look = partial(self._look, has_name(variant, name))
        bar = self.claims.claim(*_name(variant, name), owner=id, by=by, look=look)
        if bar is None:
            raise NameTaken(name)
        return bar

    def _claim_game(self, id: str, game: str, by: str) -> str:
        """Claim a game for a tournament; returns what blocks the claim, raises CannotJoin."""
        look = partial(self._look, counts(game))
        bar = self.claims.claim(*_game(game), owner=id, by=by, look=look)
        if bar is None:
            raise CannotJoin("it counts for another tournament")
        return bar

    def _look(self, has: Callable[[TournamentState], bool], id: str) -> Holding:
        """Whether a tournament has what it has claimed."""
        state = self.find(id)
        return Holding() if state is None else Holding(has(state), state.version, state.head)

    def _owner(self, has: Callable[[TournamentState], bool], *thing: str) -> str | None:
        """The tournament that has a thing, if its claim led to that."""
        owner = self.claims.owner(*thing)
        return owner if owner is not None and self._look(has, owner).holds else None

    def salt(self, id: str) -> str:
        """The secret from which the ids of a tournament's games are derived."""
        return keyed_digest(self.secret, "round", id)

    def give_up(self, id: str, asked: int, reason: str) -> None:
        """Refuse the round that was requested at version `asked`, if it is not paired."""
        self.execute(id, make_refusal(asked, PairingFailed(reason)), Actor(PAIRER))

    def join(
        self,
        id: str,
        game: GameState,
        round: int,
        actor: Actor,
        expected: int | None = None,
        receipt: Receipt | None = None,
        *,
        record: bool = False,
    ) -> Done[TournamentState]:
        """Let a finished game count; raises CannotJoin, and what `execute` raises."""
        state = self.load(id)
        seats = find_seats(state, game.seats, self.players.names([*state.entries, *game.seats]))
        if seats is None:
            raise CannotJoin("its players are not two who have entered")
        command = Join(game=require_finished(game), round=round, seats=seats, record=record)
        return self.execute(id, command, actor, expected, receipt)

    def awaiting(self, games: Iterable[GameOutline]) -> set[str]:
        """The ids of imported records that name a tournament but count for none yet."""
        named: dict[tuple[str, ...], str | None] = {}
        found = set()
        for game in games:
            if game.mode is not Mode.IMPORT:
                continue
            # Most games of a file name the same few events.
            names = (game.variant, *(game.tags.get(tag, "") for tag in (TOURNAMENT_TAG, "Event")))
            if names not in named:
                named[names] = self.named(game)
            if named[names] is not None and self.of_game(game) is None:
                found.add(game.id)
        return found

    def named(self, record: GameOutline) -> str | None:
        """The tournament that a record's tags name: by its id, else by the event's name."""
        id = record.tags.get(TOURNAMENT_TAG, "")
        if ID.fullmatch(id) and self.exists(id):
            return id
        name = record.tags.get("Event", "?")
        return self._owner(has_name(record.variant, name), *_name(record.variant, name))

    def ready_at(self, game: GameState) -> int | None:
        """When the round of a prepared game became ready; None if it is not, or was taken back."""
        state = self.load(game.tags[TOURNAMENT_TAG])
        pairing = state.of_game(game.id)
        return None if pairing is None else state.rounds[pairing.round - 1].ready_at

    def check_ruling(self, game: GameState, command: Command, actor: Actor) -> None:
        """Raise NotTheArbiter if a ruling on a game is not by an arbiter of its tournament.

        Raises CannotReopen for a game that no longer counts, or has been ruled on there. What the
        service itself does about a round was ruled in the tournament.
        """
        if not isinstance(command, RulingCommand) or actor.player == PAIRER:
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
        """Raise CannotReopen for a game that nobody would continue (Ruling R35)."""
        pairing = state.of_game(game.id)
        if pairing is None:
            raise CannotReopen("its round was taken back, or another game counts in its place")
        if pairing.ruling is not None:
            raise CannotReopen("a ruling stands on its board: lift the ruling first")

    def of_game(self, state: GameOutline) -> str | None:
        """The tournament that a game already counts for, if any."""
        if state.mode is Mode.TOURNAMENT:
            return state.tags[TOURNAMENT_TAG]
        return self._owner(counts(state.id), *_game(state.id))


def has_name(variant: str, name: str) -> Callable[[TournamentState], bool]:
    """Return the test of whether a tournament of this variant has this name, uncancelled."""
    wanted = _name(variant, name)
    return lambda state: (
        not state.cancelled and _name(state.rules.variant, state.rules.name) == wanted
    )


def counts(game: str) -> Callable[[TournamentState], bool]:
    """Return the test of whether a game counts for a tournament."""
    return lambda state: game in state.boards


def _name(variant: str, name: str) -> tuple[str, ...]:
    """A tournament's name as it is claimed: within one variant, ignoring how it is written."""
    return "event", variant, normalised(name)


def _game(id: str) -> tuple[str, ...]:
    """A game as the tournament that it counts for claims it."""
    return "game", id
