"""Games from elsewhere that count for a tournament.

A finished game that came in as a record joins a tournament by itself if

- an arbiter of the tournament imported it,
- it is a game of the tournament's variant, with a result,
- its tag `MovelogTournament` is the tournament's id; or it has no such tag for an existing
  tournament, and its `Event` is the tournament's name,
- its players are two who have entered, known by id or by name (blanks, case and `Last, First`
  make no difference; a name that two entrants share identifies nobody),
- its `Round` is `n` or `n.board`, and round `n` is ready and pairs the two with these sides, with
  no result yet, or over the board without a game: a typed result stands. In free pairing
  any `n` will do, and none is round 1.

An arbiter can join any finished game of two entrants by naming it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from engine.phrase import phrase
from notation.game import UNFINISHED
from service.game.fingerprint import normalised
from service.tournament.commands import Join
from service.tournament.errors import CannotJoin
from service.tournament.events import GameJoined
from service.tournament.state import TournamentState
from service.tournament.table import MOST_ROUNDS, TournamentKind

ROUND: Final = re.compile(r"([1-9][0-9]{0,2})(?:\.[0-9]+)*")


def read_round(tags: Mapping[str, str], kind: TournamentKind) -> int | None:
    """Read the round number from a record's tags."""
    found = ROUND.fullmatch(tags.get("Round", "").strip())
    if found is not None and int(found[1]) <= MOST_ROUNDS:
        return int(found[1])
    return 1 if kind is TournamentKind.FREE and found is None else None


def find_seats(
    state: TournamentState, seats: tuple[str | None, str | None], names: Mapping[str, str]
) -> tuple[str, str] | None:
    """Find the entrants who played a game by its seats; `names` has the names of both by id."""
    by_name = Counter(normalised(names[player]) for player in state.entries)
    known = {normalised(names[p]): p for p in state.entries if by_name[normalised(names[p])] == 1}

    def entrant(seat: str | None) -> str | None:
        if seat is None or seat in state.entries:
            return seat
        return known.get(normalised(names[seat]))

    first, second = (entrant(seat) for seat in seats)
    return None if first is None or second is None or first == second else (first, second)


def make_join_event(state: TournamentState, command: Join) -> GameJoined:
    """Make the event by which a game joins a tournament; raises CannotJoin."""
    game = command.game
    if game.variant != state.rules.variant:
        raise CannotJoin(phrase("it is a game of {variant}", variant=game.variant))
    if game.result == UNFINISHED:
        raise CannotJoin("it has no result")
    first, second = command.seats
    if first not in state.entries or second not in state.entries or first == second:
        raise CannotJoin("its players are not two who have entered")
    return GameJoined(
        round=command.round,
        board=find_board(state, command),
        first=first,
        second=second,
        game=game.id,
    )


def find_board(state: TournamentState, command: Join) -> int:
    """Find the game's board, or a new one in free pairing; raises CannotJoin."""
    round = command.round
    if not 1 <= round <= MOST_ROUNDS:
        raise CannotJoin(phrase("rounds go from 1 to {most_rounds}", most_rounds=MOST_ROUNDS))
    if state.pending is not None and state.pending.number <= round:
        raise CannotJoin(phrase("round {round} is not ready", round=round))
    pairings = state.rounds[round - 1].pairings if round <= len(state.rounds) else ()
    for pairing in pairings:
        typed = state.rules.over_the_board and pairing.game is None
        if (pairing.first, pairing.second) == command.seats and (pairing.result is None or typed):
            return pairing.board
    if state.rules.kind is not TournamentKind.FREE:
        raise CannotJoin(
            phrase("round {round} has no open pairing of these two with these sides", round=round)
        )
    return len(pairings) + 1
