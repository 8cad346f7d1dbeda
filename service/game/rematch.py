"""Rematches: a challenge between the players of an ended game, on its terms with sides swapped."""

from __future__ import annotations

from itertools import count

from notation.time_control import TIME_CONTROL
from service.errors import WrongExpectedVersion
from service.game.commands import AcceptChallenge, CreateGame
from service.game.errors import CannotRematch, NotASeat, NotOffered
from service.game.repository import Games
from service.game.state import GameState
from service.game.terms import DAY, DRAW_BY_POINTS, PLY_LIMIT, RATED_MODES
from service.game.values import NOT_ACCEPTED, GameStatus, Mode
from service.ids import derived_id
from service.player.actor import Actor

KEPT_TAGS = (TIME_CONTROL, PLY_LIMIT, DRAW_BY_POINTS)
"""The tags of a game that its rematch takes over: those that state terms."""


def ask_for_rematch(games: Games, secret: bytes, id: str, actor: Actor) -> GameState:
    """The rematch of an ended game: offered to the other player, or accepted if they offered it.

    A game has one rematch at a time, however often it is requested. There can be another if that
    one was not accepted. Raises NotFound, NotASeat, CannotRematch and MissingScope.
    """
    command = make_rematch(games.load(id), actor)
    for number in count():
        rematch = derived_id(secret, "rematch", id, str(number))
        state = games.find(rematch)
        if state is None:
            try:
                return games.create(rematch, command, actor).state
            except WrongExpectedVersion:
                # The other player was faster.
                state = games.load(rematch)
        if is_standing(state, games.clock()) and state.creator != actor.player:
            state = accept_rematch(games, rematch, actor)
        if state.status not in NOT_ACCEPTED or is_standing(state, games.clock()):
            return state
    raise AssertionError("numbers do not end")


def accept_rematch(games: Games, id: str, actor: Actor) -> GameState:
    """The rematch as the actor has accepted it, or as it is if it was answered meanwhile.

    Raises NotASeat and MissingScope.
    """
    try:
        return games.execute(id, AcceptChallenge(), actor).state
    except NotOffered:
        return games.load(id)


def is_standing(challenge: GameState, now: int) -> bool:
    """Whether a challenge can be accepted."""
    expires = challenge.expires_at
    return challenge.status is GameStatus.OFFERED and (expires is None or now < expires)


def make_rematch(game: GameState, actor: Actor) -> CreateGame:
    """The command that challenges the other player of an ended game.

    The challenge stands for as long as the game's did, or for a day. Raises NotASeat and
    CannotRematch.
    """
    if game.mode not in RATED_MODES:
        raise CannotRematch("it was not played here")
    if actor.player not in game.seats:
        raise NotASeat
    if game.ending is None:
        raise CannotRematch("it is not over")
    first, second = game.seats
    return CreateGame(
        variant=game.variant,
        mode=Mode.CHALLENGE,
        first=second,
        second=first,
        tags={name: game.tags[name] for name in KEPT_TAGS if name in game.tags},
        fen=game.fen,
        secret_choice=game.secret_choice,
        time_control=None if game.clock is None else str(game.clock.control),
        # A challenge with a set-up position is casual.
        rated=game.terms.rated and game.fen is None,
        visibility=game.terms.visibility,
        expires_after=game.terms.expires_after or DAY,
    )
