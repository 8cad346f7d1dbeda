"""The job behind a tournament's commands: makes a round's games, and closes ruled ones.

It looks at the tournament alone and does what is missing, so that doing it again, or from the
middle, changes nothing. A game stays prepared, seen by nobody, until its round is ready.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from service.errors import WrongExpectedVersion
from service.game.commands import Actor, Adjudicate, CloseGame, Command, CreateGame
from service.game.permissions import PAIRER
from service.game.values import Mode, Status
from service.games import Games
from service.scopes import ARBITER
from service.tournament.commands import ConfirmRound
from service.tournament.setup import game_tags
from service.tournament.state import TournamentState
from service.tournament.table import Result
from service.tournament.values import Pairing, Ruling
from workers.task import Task

ACTOR: Final = Actor(PAIRER, frozenset({ARBITER}))
CLOSING: Final[dict[Result, Command]] = {
    Result.FIRST: Adjudicate(result="1-0", termination="adjudication"),
    Result.DRAW: Adjudicate(result="1/2-1/2", termination="adjudication"),
    Result.SECOND: Adjudicate(result="0-1", termination="adjudication"),
    Result.FIRST_FORFEIT: Adjudicate(result="1-0", termination="forfeit"),
    Result.SECOND_FORFEIT: Adjudicate(result="0-1", termination="forfeit"),
    Result.BOTH_FORFEIT: CloseGame(),
}
"""What becomes of a game that is on when its pairing is ruled on."""


def carry_on(task: Task) -> dict[str, Any]:
    """Finish what was begun in the `tournament` of the arguments.

    Returns how many games were `made` and `closed`.
    """
    tournaments, games = task.service.tournaments, task.service.games
    state = tournaments.load(task.arguments["tournament"])
    made = 0
    if state.pending is not None:
        for pairing in state.pending.pairings:
            task.progress(pairing.board, len(state.pending.pairings))
            made += make(games, state, pairing)
        round = ConfirmRound(round=state.pending.number)
        state = tournaments.execute(state.id, round, ACTOR).state
    closed = 0
    for pairing in open_pairings(state):
        task.progress(pairing.board, pairing.board)
        closed += close(games, pairing)
    return {"made": made, "closed": closed}


def open_pairings(state: TournamentState) -> Iterator[Pairing]:
    """The pairings of ready rounds whose own games may be on."""
    for round in state.rounds:
        for pairing in round.pairings if round.ready else ():
            counted = pairing.tallied is not None and pairing.game == pairing.named
            if pairing.named is not None and not counted:
                yield pairing


def make(games: Games, state: TournamentState, pairing: Pairing) -> bool:
    """Prepare the game of a pairing unless that is done; tells whether it was to do."""
    if pairing.named is None:
        return False
    command = CreateGame(
        variant=state.rules.variant,
        mode=Mode.TOURNAMENT,
        first=pairing.first,
        second=pairing.second,
        tags=game_tags(state.rules, state.id, pairing.round, pairing.board),
        infiltrators=state.rules.infiltrators,
    )
    try:
        games.create(pairing.named, command, ACTOR)
    except WrongExpectedVersion:
        return False
    return True


def close(games: Games, pairing: Pairing) -> bool:
    """Let a game of a ready round begin; end one that is on though it was ruled on.

    Tells whether it was to end.
    """
    assert pairing.named is not None
    # With this it begins.
    state = games.load(pairing.named)
    if state.status not in (Status.RUNNING, Status.CHOOSING):
        return False
    if pairing.game != pairing.named:
        command: Command = CloseGame()
    elif isinstance(pairing.ruling, Ruling):
        command = CLOSING[pairing.ruling.result]
    else:
        return False
    games.execute(pairing.named, command, ACTOR)
    return True
