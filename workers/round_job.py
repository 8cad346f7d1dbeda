"""The job behind a tournament's commands: pairs a round, makes its games, closes ruled ones.

It looks only at the tournament and does what is missing, so that doing it again, or from the
middle, changes nothing. A game stays prepared, seen by nobody, until its round is ready.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any, Final

import redis
from rq.timeouts import BaseTimeoutException

from service.composition.service import Service
from service.errors import NotFound, WrongExpectedVersion
from service.game.commands import Adjudicate, CloseGame, Command, CreateGame
from service.game.errors import NotRunning
from service.game.permissions import PAIRER
from service.game.repository import Games
from service.game.state import GameState
from service.game.values import GameStatus, Mode
from service.jobs.errors import LeaseLost
from service.jobs.fair_queue import player_of
from service.jobs.store import TRIES
from service.player.actor import Actor
from service.player.scopes import ARBITER
from service.tournament.commands import ConfirmRound, RefuseRound, SettleRound
from service.tournament.events import GameJoined
from service.tournament.next_round import (
    list_pairing_byes,
    make_refusal,
    name_boards,
    pair_next_round,
)
from service.tournament.pairing.errors import PairingError, PairingFailed
from service.tournament.repository import Tournaments
from service.tournament.setup import TOURNAMENT_TAG, game_tags
from service.tournament.state import TournamentState
from service.tournament.table import Result, TournamentKind
from service.tournament.values import Pairing, Round, Stage
from workers.errors import Interrupted
from workers.game_counting import count_for_tournament
from workers.subprocess import run_in_subprocess
from workers.task import Task

log = logging.getLogger(__name__)

FEW: Final = 60
"""The most players for which a Swiss round is paired within half a second."""
ACTOR: Final = Actor(PAIRER, frozenset({ARBITER}))
CLOSING: Final[dict[Result, Command]] = {
    Result.FIRST: Adjudicate(result="1-0", termination="adjudication"),
    Result.DRAW: Adjudicate(result="1/2-1/2", termination="adjudication"),
    Result.SECOND: Adjudicate(result="0-1", termination="adjudication"),
    Result.FIRST_FORFEIT: Adjudicate(result="1-0", termination="forfeit"),
    Result.SECOND_FORFEIT: Adjudicate(result="0-1", termination="forfeit"),
    Result.BOTH_FORFEIT: CloseGame(),
}
"""The command that ends a game in progress when its pairing is ruled on."""


def carry_on(task: Task) -> dict[str, Any]:
    """Finish what was begun at a `version` of the `tournament` of the arguments.

    A round is made by the job of the version that requested it, so that pairing is not done twice
    at the same time; one that takes long is left to a job of its own (`make_large_round`). Returns
    how many games were `made` and `closed`.
    """
    tournaments, games = task.service.tournaments, task.service.games
    state = tournaments.load(task.arguments["tournament"])
    for game in list_joined(tournaments, state.id, task.arguments["version"]):
        count_for_tournament(tournaments, games.load(game))
    cancel_undone_pairing(task, state)
    made = 0
    if (pending := find_requested(task, state)) is not None:
        if is_pairing_slow(state):
            task.service.round_jobs.resubmit_large(
                state.id, pending.version, player_of(task.job), len(state.entries)
            )
        else:
            state, made = complete_round(task, state, pending)
    return {"made": made, "closed": begin_and_end_games(task, state)}


def cancel_undone_pairing(task: Task, state: TournamentState) -> None:
    """Stop the pairing of a round that was taken back, by the job's command, before it was paired.

    Otherwise the next request, and other players' rounds, would wait for a useless result.
    """
    for round in state.undone:
        if round.taken_back == task.arguments["version"] and not round.games:
            task.service.round_jobs.cancel_large(state.id, round.asked)


def make_large_round(task: Task) -> dict[str, Any]:
    """Make the round that was requested at a `version` of the `tournament` of the arguments.

    Returns how many games were `made` and `closed`.
    """
    state = task.service.tournaments.load(task.arguments["tournament"])
    pending = find_requested(task, state)
    made = 0
    if pending is not None:
        state, made = complete_round(task, state, pending)
    return {"made": made, "closed": begin_and_end_games(task, state)}


def find_requested(task: Task, state: TournamentState) -> Round | None:
    """Find the round that was requested at the job's version; None if there is nothing to make."""
    pending = state.pending
    return pending if pending and pending.version == task.arguments["version"] else None


def begin_and_end_games(task: Task, state: TournamentState) -> int:
    """Begin the games of ready rounds; end those ruled on and those of a round taken back.

    Those that are over are counted: a backup may have a game's end, or another one than before, but
    not its result in the tournament. Returns how many had to end. A game for which this fails does
    not stop the others: what it raised is raised after them.
    """
    games, closed = task.service.games, 0
    failure: Exception | None = None
    for pairing in list_unsettled(state, task.arguments["version"]):
        task.report_progress(pairing.board, pairing.board)
        try:
            closed += close_game(games, pairing)
            count_if_scored(task.service, pairing)
        except (redis.RedisError, BaseTimeoutException):
            raise
        except Exception as error:
            log.exception("game %s can be neither begun nor ended nor counted", pairing.named)
            failure = failure or error
    for game in list_undone(state, task.arguments["version"]):
        task.report_progress(closed, closed)
        closed += end_game(games, game, CloseGame())
    if failure is not None:
        raise failure
    return closed


def list_undone(state: TournamentState, version: int) -> Iterator[str]:
    """The games of the round that was taken back, or requested and taken back since, at a version.

    The job of the request ends them too: it may have made some after the other job had ended.
    """
    for round in state.undone:
        if version in (round.asked, round.taken_back):
            yield from round.games


def list_joined(tournaments: Tournaments, id: str, version: int) -> list[str]:
    """The games that joined by the command that made this version, which is up to two events.

    A game's result was read before it joined and may have changed meanwhile; in that case scoring
    it found no tournament that counts it.
    """
    recorded = tournaments.read(id, max(0, version - 2), 2)
    return [entry.event.game for entry in recorded if isinstance(entry.event, GameJoined)]


def complete_round(
    task: Task, state: TournamentState, pending: Round
) -> tuple[TournamentState, int]:
    """Pair a round that is not paired, make its missing games, and declare it ready.

    Returns the tournament after that and how many games were made.
    """
    tournaments = task.service.tournaments
    if pending.stage is Stage.ASKED:
        found = pair_round(task, state.id, pending)
        state = tournaments.execute(state.id, found, ACTOR).state
    round = state.pending
    if round is None or round.version != pending.version:
        # It was refused, or taken back meanwhile.
        return state, 0
    made = 0
    for pairing in round.pairings:
        task.report_progress(pairing.board, len(round.pairings))
        made += create_game(task.service.games, state, pairing)
    return tournaments.execute(state.id, ConfirmRound(asked=round.version), ACTOR).state, made


def pair_round(task: Task, id: str, pending: Round) -> SettleRound | RefuseRound:
    """Pair a round from the tournament as it was when the round was requested.

    Later changes count for the next round. A round that cannot be paired is refused: at once if a
    rule forbids it, at the last try for any other reason.
    """
    tournaments, asked = task.service.tournaments, pending.version
    before = tournaments.at_version(id, asked - 1)
    try:
        if is_pairing_slow(before):
            found = run_in_subprocess(task, pair_next_round, before, pending.wish)
        else:
            found = pair_next_round(before, pending.wish)
    except PairingError as error:
        return make_refusal(asked, error)
    except (redis.RedisError, Interrupted, LeaseLost):
        raise
    except Exception as error:
        if task.job.tries < TRIES:
            raise
        log.exception("round %d of %s cannot be paired", pending.number, id)
        return make_refusal(asked, PairingFailed(f"{type(error).__name__}: {error}"))
    boards = name_boards(before, found, tournaments.salt(id), asked)
    return SettleRound(asked=asked, boards=boards, byes=list_pairing_byes(before, found))


def is_pairing_slow(state: TournamentState) -> bool:
    """Whether pairing takes longer than starting another process."""
    return state.rules.kind is TournamentKind.SWISS and len(state.entries) > FEW


def list_unsettled(state: TournamentState, version: int) -> Iterator[Pairing]:
    """The pairings of ready rounds whose own games may be in progress.

    Of the round that was requested at `version`, all that have games: the job of its request runs
    again after a restore.
    """
    for round in state.rounds:
        for pairing in round.pairings if round.ready else ():
            over = pairing.tallied is not None and pairing.tallied.over
            settled = over and pairing.game == pairing.named and round.version != version
            if pairing.named is not None and not settled:
                yield pairing


def create_game(games: Games, state: TournamentState, pairing: Pairing) -> bool:
    """Create the prepared game of a pairing; returns False if it exists or the pairing has none."""
    if pairing.named is None:
        return False
    command = CreateGame(
        variant=state.rules.variant,
        mode=Mode.TOURNAMENT,
        first=pairing.first,
        second=pairing.second,
        tags=game_tags(state.rules, state.id, pairing.round, pairing.board),
        secret_choice=state.rules.secret_choice,
        fen=state.rules.fen,
        time_control=state.rules.time_control,
        rated=state.rules.rated,
        no_show=state.rules.no_show,
    )
    try:
        games.create(pairing.named, command, ACTOR)
    except WrongExpectedVersion:
        return False
    return True


def close_game(games: Games, pairing: Pairing) -> bool:
    """Begin a game of a ready round; end one that is in progress although it was ruled on.

    Returns whether it had to end.
    """
    assert pairing.named is not None
    if pairing.game != pairing.named:
        return end_game(games, pairing.named, CloseGame())
    ruling = pairing.ruling
    return end_game(games, pairing.named, CLOSING[ruling.result] if ruling is not None else None)


def count_if_scored(service: Service, pairing: Pairing) -> None:
    """Count the game that was made for a pairing if it is over and scored."""
    assert pairing.named is not None
    game = service.games.find(pairing.named)
    if game is not None and game.is_scored:
        count_for_tournament(service.tournaments, game)


def end_game(games: Games, id: str, command: Command | None) -> bool:
    """Begin a game if its round is ready; with a `command` end it, or call it off if not begun.

    Returns whether the game was in progress and has been ended.
    """
    try:
        state = games.begin(id)
        if command is not None and state.status is GameStatus.PREPARED and not games.call_off(id):
            state = games.load(id)
    except NotFound:
        # Its round was withdrawn before the game was made.
        return False
    if command is None or state.status not in (GameStatus.RUNNING, GameStatus.CHOOSING):
        return False
    try:
        games.execute(id, command, ACTOR)
    except NotRunning:
        # Its players or another worker have ended it meanwhile.
        return False
    return True


def end_uncounted(tournaments: Tournaments, games: Games, game: GameState) -> bool:
    """End a game in progress that its tournament counts on no board; returns whether it was ended.

    It was reopened just when its round was withdrawn, or when its board was given to another game.
    """
    if game.mode is not Mode.TOURNAMENT:
        return False
    pairing = tournaments.load(game.tags[TOURNAMENT_TAG]).of_game(game.id)
    return pairing is None and end_game(games, game.id, CloseGame())
