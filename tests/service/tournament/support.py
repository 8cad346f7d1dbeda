"""Tournaments without a log: all of their events, and their state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from service.game.permissions import PAIRER, SCORER
from service.log.values import Event, Recorded
from service.player.actor import Actor
from service.player.scopes import ADMIN, ARBITER, PLAY
from service.tournament import commands as c
from service.tournament.commands import CreateTournament, TournamentCommand
from service.tournament.decide import create, decide
from service.tournament.evolve import fold
from service.tournament.next_round import list_pairing_byes, name_boards, pair_next_round
from service.tournament.standings import standings
from service.tournament.state import TournamentState, public, table
from service.tournament.table import TournamentKind
from service.tournament.values import Finished, Pairing

ID = "t" * 16
CHIEF = Actor("chief", frozenset({ARBITER}))
DEPUTY = Actor("deputy", frozenset({ARBITER}))
OUTSIDER = Actor("outsider", frozenset({ARBITER}))
PLAYER = Actor("p1", frozenset({PLAY}))
ADMINISTRATOR = Actor("admin", frozenset({ADMIN, PLAY}))
POWERLESS_CHIEF = Actor("chief", frozenset({PLAY}))
PAIRING = Actor(PAIRER)
SCORING = Actor(SCORER)


class Competition:
    """A tournament, from its creation on."""

    def __init__(self, kind: str = "swiss", players: int = 4, **wish: Any) -> None:
        self.log: list[Recorded] = []
        self._state: TournamentState | None = None
        self.clock = 1_700_000_000_000
        rounds = {"rounds": 3} if kind == TournamentKind.SWISS else {}
        given: dict[str, Any] = {
            "name": "Open",
            "variant": "katruji",
            "scoring": {"name": "standard"},
        }
        command = CreateTournament(kind=kind, **(given | rounds | wish))
        self.record(create(command, CHIEF), CHIEF)
        for number in range(1, players + 1):
            self.do(c.Enter(player=f"p{number}", rating=2000 - number))

    @property
    def state(self) -> TournamentState:
        assert self._state is not None
        return self._state

    def do(self, command: TournamentCommand, by: Actor = CHIEF) -> Sequence[Event]:
        """Carry a command out; return its events."""
        made = decide(command, self.state, by)
        self.record(made, by)
        return made

    def record(self, made: Sequence[Event], by: Actor) -> None:
        """Record the events of one command, at one moment."""
        self.clock += 1000
        for event in made:
            entry = Recorded(len(self.log) + 1, event, self.clock, by.player)
            self.log.append(entry)
            self._state = fold(ID, [entry], self._state)

    def pair(self, **wish: Any) -> tuple[Pairing, ...]:
        """Pair the next round and make it ready; return its pairings."""
        before = self.state
        self.do(c.PairRound(**wish))
        asked = self.settle(before)
        self.do(c.ConfirmRound(asked=asked), PAIRING)
        return self.state.rounds[-1].pairings

    def settle(self, before: TournamentState) -> int:
        """Pair the requested round, as a worker does; return the version of the request."""
        pending = self.state.pending
        assert pending is not None
        found = pair_next_round(before, pending.wish)
        asked = pending.version
        boards = name_boards(before, found, "salt", asked)
        byes = list_pairing_byes(before, found)
        self.do(c.SettleRound(asked=asked, boards=boards, byes=byes), PAIRING)
        return asked

    def end(self, pairing: Pairing, result: str, version: int = 9, **more: Any) -> Sequence[Event]:
        """Let a pairing's game end and be counted."""
        return self.end_by_id(pairing.game or "", result, version, **more)

    def end_by_id(self, game: str, result: str, version: int = 9, **more: Any) -> Sequence[Event]:
        """Let the game with this id end and be counted."""
        return self.do(c.CountGame(game=finished(game, result, version, **more)), SCORING)

    def play_round(self, result: str = "1-0") -> None:
        """Pair a round, and let all of its games end alike."""
        for pairing in self.pair():
            self.end(pairing, result)


def points(competition: Competition) -> dict[str, str]:
    """Match points by player."""
    state = public(competition.state)
    found = standings(table(state).until(len(state.rounds)), state.rules.regulations)
    return {str(one.entrant): str(one.values[0]) for one in found}


def finished(
    game: str,
    result: str,
    version: int = 9,
    termination: str | None = "resignation",
    seats: tuple[str | None, str | None] = ("p1", "p2"),
    **more: Any,
) -> Finished:
    """An ended game as a tournament sees it."""
    given: dict[str, Any] = {
        "variant": "katruji",
        "creator": "chief",
        "points": (3, 2),
        "plies": 20,
    }
    return Finished(
        id=game,
        version=version,
        seats=seats,
        result=result,
        termination=termination,
        **(given | more),
    )
