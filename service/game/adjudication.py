"""Commands by which an arbiter or the scribe rules on a game, and the scoring of an ended game."""

from __future__ import annotations

from collections.abc import Sequence

from engine.outcome import Termination
from notation.agreement import lost_on_time
from notation.game import UNFINISHED
from service.errors import MissingScope
from service.game import commands, events
from service.game.endings import (
    find_decision,
    make_correction,
    make_end,
    parse_decision,
    require_reopenable,
)
from service.game.errors import NotFinished
from service.game.offers import find_ply_before
from service.game.permissions import (
    PAIRER,
    SCORER,
    require_official,
    require_running,
    require_undecided,
)
from service.game.setup import check_reason
from service.game.state import GameState
from service.game.values import Ending
from service.log.values import Event
from service.player.actor import Actor


def retract_actions(command: commands.Retract, state: GameState, actor: Actor) -> Sequence[Event]:
    """Retract the last actions by an official's order; raises NotRunning or NothingToRetract."""
    require_official(state, actor)
    require_running(state)
    return (events.ActionsRetracted(to_ply=find_ply_before(state, command.plies)),)


def adjudicate(command: commands.Adjudicate, state: GameState, actor: Actor) -> Sequence[Event]:
    """End the game as an arbiter rules; raises BadValue for an ending that none can rule.

    Raises NotRunning, or StillDecided unless `restore_end` ends it.
    """
    require_official(state, actor)
    if ended := restore_end(state, actor):
        return ended
    require_undecided(state)
    return (make_end(state, parse_decision(state, command.result, command.termination)),)


def lose_on_time(command: commands.LoseOnTime, state: GameState, actor: Actor) -> Sequence[Event]:
    """End the game by a side's loss on time, a draw if the other side cannot win (Ruling R36)."""
    require_official(state, actor)
    require_undecided(state)
    return (make_end(state, lost_on_time(state.position.copy(), command.side)),)


def close_game(command: commands.CloseGame, state: GameState, actor: Actor) -> Sequence[Event]:
    """End a game that nobody will finish, without a result.

    Raises NotRunning, or StillDecided unless `restore_end` ends it.
    """
    require_official(state, actor)
    if ended := restore_end(state, actor):
        return ended
    require_undecided(state)
    return (events.GameEnded(result=UNFINISHED, termination=Termination.UNTERMINATED),)


def restore_end(state: GameState, actor: Actor) -> Sequence[Event]:
    """For the pairer, the end that the rules give a reopened game as it stands; else no events.

    Nobody will play it on: what counts for its tournament is a ruling, or another game. Every
    reader would refuse a record in which it ended otherwise (Ruling R35).
    """
    decision = find_decision(state) if state.decided and actor.player == PAIRER else None
    if decision is None:
        return ()
    return (events.GameEnded(result=decision.result, termination=decision.termination),)


def correct_result(
    command: commands.CorrectResult, state: GameState, actor: Actor
) -> Sequence[Event]:
    """Correct an ended game's result; no events if it already has that result.

    Raises NotFinished, or BadValue for a result that contradicts the rules, or for a bad reason.
    """
    require_official(state, actor)
    if state.ending is None:
        raise NotFinished
    check_reason(command.reason)
    right = make_correction(state, command.result, command.termination)
    if state.ending == Ending(right.result, right.termination):
        return ()
    return (
        events.ResultCorrected(
            result=right.result, termination=right.termination, reason=command.reason
        ),
    )


def reopen_game(command: commands.ReopenGame, state: GameState, actor: Actor) -> Sequence[Event]:
    """Withdraw the end of a game (Ruling R35); raises NotFinished, CannotReopen or BadValue."""
    require_official(state, actor)
    require_reopenable(state)
    check_reason(command.reason)
    return (events.GameReopened(reason=command.reason),)


def score_game(command: commands.ScoreGame, state: GameState, actor: Actor) -> Sequence[Event]:
    """Record the score of an ended game; raises MissingScope unless the scoring worker sends it.

    No events if it is already scored, or has ended differently since: that end has its own job.
    """
    if actor.player != SCORER:
        raise MissingScope(SCORER)
    ending = Ending(command.result, command.termination)
    if state.ending != ending or command.version < state.ending_version:
        # The result was corrected, or the game reopened and perhaps ended again, while it was
        # being scored: that has its own job.
        return ()
    if state.score is not None and (state.score.ending, state.score.points) == (
        ending,
        command.points,
    ):
        return ()
    return (
        events.GameScored(
            result=command.result, termination=command.termination, points=command.points
        ),
    )
