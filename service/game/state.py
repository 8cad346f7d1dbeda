"""The state of a game: the fold of its events. Rebuilt from the log at any time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import singledispatch

from engine.position import Position
from engine.side import Side
from notation.registry import dialect
from service.game import events
from service.game.commands import Annotation
from service.game.importing import actions_in, first_position
from service.game.values import (
    Choice,
    Ending,
    Mode,
    Played,
    Retraction,
    Score,
    Secrecy,
    Status,
)
from service.log.values import GENESIS, Event, Recorded


@dataclass(frozen=True, slots=True)
class GameState:
    """A game after `version` events. Values only, shared by threads.

    A position belongs to one thread: of `position` only `side`, `number` and `copy()` are used.

    Times are milliseconds since 1970 UTC; `seats` are player ids in order of play; `plies` counts
    the actions that passed the turn (Ruling R0: `Kyan` does not).

    `choosers` are the sides that choose in secret before the first move, `choices` what is known
    of their choices, by side; `position` knows them too. `disclosed` says that they are public.
    `head` is the digest of the newest event (`service.log.chain`).
    """

    id: str
    version: int
    variant: str
    rules: str
    mode: Mode
    status: Status
    creator: str
    seats: tuple[str | None, str | None]
    tags: Mapping[str, str]
    fen: str | None
    position: Position
    created_at: int
    updated_at: int
    plies: int = 0
    played: tuple[Played, ...] = ()
    draw_offer: Side | None = None
    retraction: Retraction | None = None
    ending: Ending | None = None
    ended_at: int | None = None
    score: Score | None = None
    comments: tuple[str, ...] = ()
    infiltrators: Secrecy | None = None
    choosers: tuple[Side, ...] = ()
    choices: tuple[Choice | None, Choice | None] = (None, None)
    disclosed: bool = False
    head: str = GENESIS

    @property
    def to_act(self) -> Side | None:
        """The side to act, None unless the game is running."""
        return Side(self.position.side) if self.status is Status.RUNNING else None

    def side_of(self, player: str) -> Side | None:
        """The side that `player` alone plays, None for others and for a player of both."""
        sides = [side for side in Side if self.seats[side] == player]
        return sides[0] if len(sides) == 1 else None


def fold(id: str, recorded: Iterable[Recorded], state: GameState | None = None) -> GameState | None:
    """The state after these events, from `state` or from nothing; None without any event."""
    for entry in recorded:
        state = evolve(state, id, entry)
    return state


def evolve(state: GameState | None, id: str, entry: Recorded) -> GameState:
    """The state after one more event of the game `id`."""
    after = begin(entry, id) if state is None else change(entry.event, state, entry)
    return replace(after, version=entry.version, updated_at=entry.at, head=entry.hash)


def begin(entry: Recorded, id: str) -> GameState:
    """The state after a game's first event."""
    event = entry.event
    match event:
        case events.GameCreated():
            return created(event, entry, id)
        case events.RecordImported():
            return imported(event, entry, id)
        case _:
            raise ValueError(f"{event.stored_name} cannot begin a game")


def created(event: events.GameCreated, entry: Recorded, id: str) -> GameState:
    """A new game: offered or prepared, or begun at once where nobody is asked or waited for."""
    position = first_position(event.variant, event.fen, event.tags)
    sealing = dialect(event.variant).sealing
    secret = event.infiltrators == Secrecy.SEALED and sealing is not None
    state = GameState(
        id=id,
        version=entry.version,
        variant=event.variant,
        rules=event.rules,
        mode=Mode(event.mode),
        status=Status.OFFERED,
        creator=entry.by,
        seats=(event.first, event.second),
        tags=event.tags,
        fen=event.fen,
        position=position,
        created_at=entry.at,
        updated_at=entry.at,
        infiltrators=None if event.infiltrators is None else Secrecy(event.infiltrators),
        choosers=tuple(sealing.open_sides(position)) if secret and sealing else (),
    )
    match state.mode:
        case Mode.CHALLENGE:
            return state
        case Mode.TOURNAMENT:
            return replace(state, status=Status.PREPARED)
        case _:
            return begun(state)


def begun(state: GameState) -> GameState:
    """The game with both players there: running, unless somebody has to choose first."""
    waits = any(state.choices[side] is None for side in state.choosers)
    return replace(state, status=Status.CHOOSING if waits else Status.RUNNING)


def chosen(state: GameState, event: events.ChoiceSealed) -> GameState:
    """The game with a side's choice made."""
    choice = Choice(event.commitment, event.choice, event.nonce)
    first, second = state.choices
    choices = (choice, second) if event.side == Side.FIRST else (first, choice)
    after = replace(state, choices=choices)
    return begun(replace(after, position=initial(after)))


def initial(state: GameState) -> Position:
    """The position the game begins in, with the choices as far as the state knows them."""
    position = first_position(state.variant, state.fen, state.tags)
    sealing = dialect(state.variant).sealing
    for side, choice in zip(Side, state.choices, strict=True):
        if sealing is not None and choice is not None and choice.choice is not None:
            sealing.place(position, side, choice.choice)
    return position


def imported(event: events.RecordImported, entry: Recorded, id: str) -> GameState:
    """The finished game that a record holds."""
    actions = actions_in(event, entry)
    ending = Ending(event.result, event.tags.get("Termination"))
    return GameState(
        id=id,
        version=entry.version,
        variant=event.variant,
        rules=event.rules,
        mode=Mode.IMPORT,
        status=Status.FINISHED,
        creator=entry.by,
        seats=(event.first, event.second),
        tags=event.tags,
        fen=event.fen,
        position=actions.position,
        created_at=entry.at,
        updated_at=entry.at,
        plies=actions.plies,
        played=actions.played,
        comments=actions.comments,
        ending=ending,
        ended_at=entry.at,
        # It was replayed when it was judged: there is nothing left to score.
        score=Score(ending, actions.position.points()),
    )


def public_position(state: GameState) -> Position:
    """A copy of the position as everybody knows it, so that no error tells a secret."""
    sealing = dialect(state.variant).sealing
    if sealing is None or state.disclosed:
        return state.position.copy()
    return sealing.view(state.position, state.choosers)


@singledispatch
def change(event: Event, state: GameState, entry: Recorded) -> GameState:
    """What an event after the first makes of the state."""
    raise TypeError(f"{type(event).__name__} has no effect defined")


@change.register
def _(event: events.ChallengeAccepted, state: GameState, entry: Recorded) -> GameState:
    first, second = state.seats
    seats = (event.player, second) if first is None else (first, second or event.player)
    return begun(replace(state, seats=seats))


@change.register
def _(event: events.ChallengeDeclined, state: GameState, entry: Recorded) -> GameState:
    return replace(state, status=Status.DECLINED)


@change.register
def _(event: events.ChallengeWithdrawn, state: GameState, entry: Recorded) -> GameState:
    return replace(state, status=Status.WITHDRAWN)


@change.register
def _(event: events.GameBegun, state: GameState, entry: Recorded) -> GameState:
    return begun(state)


@change.register
def _(event: events.ChoiceSealed, state: GameState, entry: Recorded) -> GameState:
    return chosen(state, event)


@change.register
def _(event: events.ChoiceDisclosed, state: GameState, entry: Recorded) -> GameState:
    return replace(state, disclosed=True)


@change.register
def _(event: events.ActionPlayed, state: GameState, entry: Recorded) -> GameState:
    position = state.position.copy()
    action = dialect(state.variant).resolve(public_position(state), event.action)
    position.play(action)
    annotation = Annotation(
        nags=tuple(event.nags),
        before=tuple(event.before),
        after=tuple(event.after),
        clock=event.clock,
        elapsed=event.elapsed,
    )
    played = Played(action, event.action, event.san, entry.by, entry.at, annotation)
    # An offer of the side that has acted stands until its opponent acts.
    stands = state.draw_offer is not None and state.draw_offer == state.position.side
    return replace(
        state,
        position=position,
        plies=state.plies + (position.side != state.position.side),
        played=(*state.played, played),
        draw_offer=state.draw_offer if stands else None,
        retraction=None,
    )


@change.register
def _(event: events.ActionAnnotated, state: GameState, entry: Recorded) -> GameState:
    index = event.ply - 1
    old = state.played[index]
    annotation = replace(
        old.annotation,
        nags=tuple(event.nags),
        before=tuple(event.before),
        after=tuple(event.after),
    )
    new = replace(old, annotation=annotation)
    return replace(state, played=(*state.played[:index], new, *state.played[index + 1 :]))


@change.register
def _(event: events.DrawOffered, state: GameState, entry: Recorded) -> GameState:
    return replace(state, draw_offer=Side(event.side))


@change.register
def _(event: events.DrawDeclined, state: GameState, entry: Recorded) -> GameState:
    return replace(state, draw_offer=None)


@change.register
def _(event: events.RetractionOffered, state: GameState, entry: Recorded) -> GameState:
    return replace(state, retraction=Retraction(Side(event.side), event.to_ply))


@change.register
def _(event: events.RetractionDeclined, state: GameState, entry: Recorded) -> GameState:
    return replace(state, retraction=None)


@change.register
def _(event: events.ActionsRetracted, state: GameState, entry: Recorded) -> GameState:
    return replace(at_ply(state, event.to_ply), draw_offer=None, retraction=None)


@change.register
def _(event: events.GameEnded, state: GameState, entry: Recorded) -> GameState:
    return replace(
        state,
        status=Status.FINISHED,
        ending=Ending(event.result, event.termination),
        ended_at=entry.at,
        draw_offer=None,
        retraction=None,
    )


@change.register
def _(event: events.ResultCorrected, state: GameState, entry: Recorded) -> GameState:
    return replace(state, ending=Ending(event.result, event.termination))


@change.register
def _(event: events.GameScored, state: GameState, entry: Recorded) -> GameState:
    points = None if event.points is None else (event.points[0], event.points[1])
    return replace(state, score=Score(Ending(event.result, event.termination), points))


def at_ply(state: GameState, ply: int) -> GameState:
    """The game as it stood after its first `ply` actions that still count.

    Before its last action a game was running, without offers. Raises ValueError beyond the
    game's length.
    """
    if not 0 <= ply <= len(state.played):
        raise ValueError(f"the game has {len(state.played)} actions")
    played = state.played[:ply]
    position = initial(state)
    plies = 0
    for move in played:
        side = position.side
        position.play(move.action)
        plies += position.side != side
    before = replace(state, position=position, plies=plies, played=played)
    if ply == len(state.played):
        return before
    return replace(
        before,
        status=Status.RUNNING,
        ending=None,
        ended_at=None,
        score=None,
        draw_offer=None,
        retraction=None,
    )
