"""How games begin: new or from a record, and with their players' secret choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from engine.position import Position
from engine.side import Side
from notation.registry import find_dialect
from service.game import events
from service.game.annotation_size import measure_actions, measure_texts
from service.game.importing import Actions, actions_in, first_position
from service.game.state import GameState
from service.game.terms import read_terms
from service.game.values import Choice, Ending, GameStatus, Mode, Score, Secrecy
from service.log.values import Event, Recorded

UNANSWERED: Final[Mapping[type[Event], GameStatus]] = {
    events.ChallengeDeclined: GameStatus.DECLINED,
    events.ChallengeWithdrawn: GameStatus.WITHDRAWN,
    events.ChallengeExpired: GameStatus.EXPIRED,
}
"""The status of a challenge that was not accepted, by the event that closed it."""


def create_game(event: events.GameCreated, entry: Recorded, id: str) -> GameState:
    """Create the state of a new game from its first event.

    A challenge is offered and a tournament's game is prepared; any other game starts at once.
    """
    position = first_position(event.variant, event.fen, event.tags)
    sealing = find_dialect(event.variant).sealing
    secret = event.infiltrators == Secrecy.SEALED and sealing is not None
    state = replace(
        _first_state(event, entry, id, Mode(event.mode), position),
        secret_choice=None if event.infiltrators is None else Secrecy(event.infiltrators),
        choosers=tuple(sealing.open_sides(position)) if secret and sealing else (),
        terms=read_terms(event),
    )
    match state.mode:
        case Mode.CHALLENGE:
            return state
        case Mode.TOURNAMENT:
            return replace(state, status=GameStatus.PREPARED)
        case _:
            return start_play(state, entry.at)


def _first_state(
    event: events.GameCreated | events.RecordImported,
    entry: Recorded,
    id: str,
    mode: Mode,
    position: Position,
) -> GameState:
    """The state that any game has after its first event, with the status `offered`."""
    return GameState(
        id=id,
        version=entry.version,
        variant=event.variant,
        rules=event.rules,
        mode=mode,
        status=GameStatus.OFFERED,
        creator=entry.by,
        seats=(event.first, event.second),
        tags=event.tags,
        fen=event.fen,
        position=position,
        created_at=entry.at,
        updated_at=entry.at,
    )


def start_play(state: GameState, at: int) -> GameState:
    """Start a game once both players are there: running, or choosing if a secret choice is due."""
    waits = any(state.choices[side] is None for side in state.choosers)
    return replace(
        state,
        status=GameStatus.CHOOSING if waits else GameStatus.RUNNING,
        waiting_since=at if state.terms.no_show is not None else 0,
    )


def close_challenge(state: GameState, event: Event) -> GameState:
    """End a challenge that was not accepted."""
    return replace(state, status=UNANSWERED[type(event)])


def apply_choice(state: GameState, event: events.ChoiceSealed, at: int) -> GameState:
    """Apply a side's secret choice; play starts when no other choice is due."""
    choice = Choice(event.commitment, event.choice, event.nonce)
    first, second = state.choices
    choices = (choice, second) if event.side == Side.FIRST else (first, choice)
    after = replace(state, choices=choices)
    started = start_play(replace(after, position=find_initial_position(after)), at)
    # The other side's choice gives a player who has not chosen no more time.
    waits = started.status is GameStatus.CHOOSING
    return replace(started, waiting_since=state.waiting_since) if waits else started


def find_initial_position(state: GameState) -> Position:
    """Find the position the game begins in, with the choices that the state knows."""
    position = first_position(state.variant, state.fen, state.tags)
    sealing = find_dialect(state.variant).sealing
    for side, choice in zip(Side, state.choices, strict=True):
        if sealing is not None and choice is not None and choice.choice is not None:
            sealing.place(position, side, choice.choice)
    return position


def import_game(
    event: events.RecordImported,
    entry: Recorded,
    id: str,
    read: Callable[[events.RecordImported, Recorded], Actions] = actions_in,
) -> GameState:
    """Create the state of the finished game in an imported record; `read` reads its actions."""
    actions = read(event, entry)
    ending = Ending(event.result, event.tags.get("Termination"))
    return replace(
        _first_state(event, entry, id, Mode.IMPORT, actions.position),
        status=GameStatus.FINISHED,
        plies=actions.plies,
        played=actions.played,
        comments=actions.comments,
        annotation_bytes=measure_actions(actions.played) + measure_texts(actions.comments),
        ending=ending,
        ended_at=entry.at,
        ending_version=entry.version,
        # It was replayed when it was judged: there is nothing left to score.
        score=Score(ending, actions.position.points()),
    )
