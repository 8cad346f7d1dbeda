"""Who may do what to a game, and when."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Protocol

from engine.registry import find_variant
from engine.side import Side
from service.errors import BadValue, MissingScope
from service.game.errors import (
    NotASeat,
    NothingOffered,
    NotOffered,
    NotRunning,
    NotTheOpponent,
    NotTheOwner,
    StillDecided,
    StillPlayed,
)
from service.game.state import GameState
from service.game.values import NOT_ACCEPTED, GameStatus, Mode
from service.player.actor import Actor
from service.player.scopes import ARBITER, PLAY

PAIRER: Final = "movelog:pairer"
"""The name in the log of the process that makes a tournament's rounds."""
SCORER: Final = "movelog:scorer"
"""The name in the log of the worker that scores and tallies ended games."""


class Seated(Protocol):
    """What says who acts for whom: a game's state, or what a page knows of it."""

    @property
    def mode(self) -> Mode:
        """How the game came about."""

    @property
    def creator(self) -> str:
        """Who set it up: in the scribe mode, its scribe."""

    @property
    def seats(self) -> tuple[str | None, str | None]:
        """The ids of the players at each side, None for an open seat."""


def title(state: GameState, side: Side) -> str:
    """The title by which players call a side."""
    return find_variant(state.variant).sides[side]


def require_running(state: GameState) -> None:
    """Raise NotRunning unless the game has begun and is not over."""
    if state.status not in (GameStatus.RUNNING, GameStatus.CHOOSING):
        raise NotRunning(state.status)


def require_undecided(state: GameState) -> None:
    """Raise NotRunning unless the game is running, StillDecided if the rules have ended it.

    The latter happens when a game is reopened and nothing has been retracted yet (Ruling R35).
    """
    require_running(state)
    if state.decided:
        raise StillDecided


def require_scope(actor: Actor, scope: str) -> None:
    """Raise MissingScope unless the actor's token has this scope."""
    if scope not in actor.scopes:
        raise MissingScope(scope)


def require_pairer(actor: Actor) -> None:
    """Raise MissingScope unless the actor is the process that makes a tournament's rounds."""
    if actor.player != PAIRER:
        raise MissingScope(PAIRER)


def require_challenged(state: GameState, actor: Actor) -> None:
    """Raise unless the actor may answer an open challenge."""
    if state.status is not GameStatus.OFFERED:
        raise NotOffered(state.status)
    if actor.player == state.creator:
        raise NotTheOpponent
    if None not in state.seats and actor.player not in state.seats:
        raise NotASeat
    require_scope(actor, PLAY)


def may_act_for(state: Seated, actor: Actor, side: Side) -> bool:
    """Whether the actor plays this side: by their own seat, or as the scribe of the game."""
    if state.mode is Mode.SCRIBE:
        return actor.player == state.creator
    return state.seats[side] == actor.player


def acting_side(state: GameState, actor: Actor, named: Side | None) -> Side:
    """The side the actor acts for; an actor who acts for both must name it."""
    sides = [side for side in Side if may_act_for(state, actor, side)]
    if not sides:
        raise NotASeat
    require_scope(actor, PLAY)
    if len(sides) == 1:
        if named is not None and named is not sides[0]:
            raise NotTheOpponent
        return sides[0]
    if named is None:
        raise BadValue("side", "required, because you act for both sides")
    return named


def answer(
    state: GameState, actor: Actor, named: Side | None, offer: str, offered_by: Side | None
) -> None:
    """Raise unless the actor may answer what `offered_by` has offered."""
    if offered_by is None:
        if not any(may_act_for(state, actor, side) for side in Side):
            raise NotASeat
        raise NothingOffered(offer)
    if named is None and may_act_for(state, actor, offered_by.other):
        named = offered_by.other
    if acting_side(state, actor, named) is offered_by:
        raise NotTheOpponent


def officiates(state: Seated, actor: Actor) -> bool:
    """Whether the actor may rule on the game: any arbiter, and a scribe on their own games."""
    if state.mode is Mode.SCRIBE and actor.player == state.creator and PLAY in actor.scopes:
        return True
    return ARBITER in actor.scopes


def owns(state: Seated, actor: Actor) -> bool:
    """Whether the actor owns the game: one of its players, or whoever entered it."""
    if state.mode in (Mode.SCRIBE, Mode.IMPORT):
        return actor.player == state.creator
    return actor.player in state.seats


def require_owner(state: GameState, actor: Actor) -> None:
    """Raise NotTheOwner or MissingScope unless the actor may say who annotates the game."""
    if officiates(state, actor):
        return
    if not owns(state, actor):
        raise NotTheOwner
    require_scope(actor, PLAY)


class Annotated(Seated, Protocol):
    """What says who may annotate: a game's state, or what a page knows of it."""

    @property
    def status(self) -> GameStatus:
        """Where the game stands."""

    @property
    def annotators(self) -> Collection[str]:
        """The ids of those who were admitted."""


def is_played_on(game: Annotated) -> bool:
    """Whether two players play the game against each other, and it is not over."""
    return game.status is not GameStatus.FINISHED and game.mode is not Mode.SCRIBE


def plays_on(game: Annotated, actor: Actor) -> bool:
    """Whether the actor is one of two players whose game is not over: an engine must not help."""
    if not is_played_on(game) or game.status in NOT_ACCEPTED - {GameStatus.OFFERED}:
        return False
    return any(may_act_for(game, actor, side) for side in Side)


def belongs_to_annotators(game: Annotated, actor: Actor, own: bool) -> bool:
    """Whether the actor may ever annotate an action; `own` says whether it is the actor's."""
    # The players of a game that a scribe records may annotate it only when it is over.
    there = game.mode is not Mode.SCRIBE or game.status is GameStatus.FINISHED
    players = game.seats if there else ()
    return (
        own
        or officiates(game, actor)
        or owns(game, actor)
        or actor.player in (*players, *game.annotators)
    )


def may_comment_now(game: Annotated, actor: Actor, own: bool) -> bool:
    """Whether such an actor may comment on an action now: nobody may help while two play."""
    return own or not is_played_on(game) or officiates(game, actor)


def require_annotator(state: GameState, actor: Actor, by: str, variations: bool) -> None:
    """Raise unless the actor may annotate an action played by the player `by`.

    `variations` says whether variations are sent too. Raises NotASeat, MissingScope, and
    StillPlayed for what could help a player or reveal what was chosen in secret.
    """
    own = actor.player == by
    if not belongs_to_annotators(state, actor, own):
        raise NotASeat
    if not officiates(state, actor):
        require_scope(actor, PLAY)
    if not may_comment_now(state, actor, own):
        raise StillPlayed
    if variations and (is_played_on(state) or hidden_choices(state)):
        raise StillPlayed


def hidden_choices(state: GameState) -> bool:
    """Whether there are secret choices that not everybody knows."""
    return not state.disclosed.issuperset(state.choosers)


def directs(arbiters: Collection[str], actor: Actor, rated: bool) -> bool:
    """Whether the actor may direct a tournament with these arbiters; `rated` if its games are."""
    allowed = ARBITER in actor.scopes or (not rated and PLAY in actor.scopes)
    return allowed and actor.player in arbiters


def require_official(state: GameState, actor: Actor) -> None:
    """Raise MissingScope unless the actor may rule on the game."""
    if not officiates(state, actor):
        require_scope(actor, ARBITER)
