"""Commands on a game that has not begun: answers to challenges, the start of a round's game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.outcome import Termination
from notation.game import UNFINISHED
from service.game import commands, events
from service.game.errors import CannotAbort, NotASeat, NotOffered, TooManyChallenges
from service.game.permissions import (
    acting_side,
    require_challenged,
    require_pairer,
    require_running,
    require_scope,
)
from service.game.state import GameState
from service.game.values import GameStatus, Mode
from service.log.values import Event
from service.player.actor import Actor
from service.player.scopes import PLAY

MOST_STANDING: Final = 200
"""The most challenges of one player that wait for an answer.

More would push those of others out of the lobby, and out of the lists of whom they challenge.
"""


def check_standing(count: int) -> None:
    """Raise TooManyChallenges if so many challenges of a player stand that another is too many."""
    if count >= MOST_STANDING:
        raise TooManyChallenges(MOST_STANDING)


def accept_challenge(
    command: commands.AcceptChallenge, state: GameState, actor: Actor
) -> Sequence[Event]:
    """Seat the challenged player; raises NotOffered, NotTheOpponent or NotASeat."""
    require_challenged(state, actor)
    return (events.ChallengeAccepted(player=actor.player),)


def decline_challenge(
    command: commands.DeclineChallenge, state: GameState, actor: Actor
) -> Sequence[Event]:
    """Refuse a challenge; raises NotOffered or NotTheOpponent, or NotASeat if anyone may accept."""
    require_challenged(state, actor)
    if None in state.seats:
        raise NotASeat
    return (events.ChallengeDeclined(),)


def withdraw_challenge(
    command: commands.WithdrawChallenge, state: GameState, actor: Actor
) -> Sequence[Event]:
    """Withdraw the actor's own challenge; raises NotOffered or NotASeat."""
    if state.status is not GameStatus.OFFERED:
        raise NotOffered(state.status)
    if actor.player != state.creator:
        raise NotASeat
    require_scope(actor, PLAY)
    return (events.ChallengeWithdrawn(),)


def abort_game(command: commands.AbortGame, state: GameState, actor: Actor) -> Sequence[Event]:
    """Call off a game that nobody has begun to play; it has no result.

    Raises NotRunning, NotASeat or CannotAbort.
    """
    require_running(state)
    if state.mode is Mode.SCRIBE:
        raise CannotAbort("a scribe keeps its score: close it instead")
    acting_side(state, actor, None)
    if state.mode is Mode.TOURNAMENT:
        raise CannotAbort("it is a tournament's; ask an arbiter")
    if state.played:
        raise CannotAbort("an action was played; offer a draw or resign")
    return (events.GameEnded(result=UNFINISHED, termination=Termination.UNTERMINATED),)


def begin_game(command: commands.BeginGame, state: GameState, actor: Actor) -> Sequence[Event]:
    """Begin a tournament's game whose round is ready; no events if it has already begun."""
    require_pairer(actor)
    return (events.GameBegun(),) if state.status is GameStatus.PREPARED else ()
