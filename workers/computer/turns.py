"""What has to be done in one of the computer's games, by its state and the time; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.registry import find_variant
from engine.search.time_management import TimeLeft
from engine.side import Side
from notation.registry import find_dialect
from service.computer.levels import LEVEL_OF, Level
from service.computer.pace import find_answer_time
from service.computer.seeds import draw_action_seed, draw_choice, draw_nonce
from service.game.choices import list_choices
from service.game.clock import Clock, find_delay, find_time_left
from service.game.commands import (
    AcceptChallenge,
    AcceptDraw,
    AcceptRetraction,
    Choose,
    Command,
    DeclineDraw,
    DeclineRetraction,
    OfferDraw,
    PlayAction,
    Resign,
)
from service.game.endings import agreement
from service.game.evolve import at_ply
from service.game.redaction import STRANGER, mask, seen_position
from service.game.state import GameState
from service.game.values import GameStatus, Mode
from service.player.actor import Actor
from service.player.scopes import PLAY
from workers.computer.thinking import Answer, Question

LATEST: Final = 5000
"""Milliseconds by which an answer in a game with clocks may be late before it is hurried."""
HURRY: Final = 0.2
"""The share of the time until the flag falls that is left when an answer is hurried."""
CAPTURE: Final = "x"
"""The character in the short form of every capture."""
OVER: Final = frozenset(GameStatus) - {
    GameStatus.OFFERED,
    GameStatus.PREPARED,
    GameStatus.CHOOSING,
    GameStatus.RUNNING,
}
"""The states of games in which nothing has to be done, unless they are reopened."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Something to think about: an action of `side`, or the answer to a draw offer.

    Times are the store's, in milliseconds: the answer is given at `answer_at`, however early it is
    found, and at `hurry_at` (None without a clock) one is given in any case.
    """

    game: str
    side: Side
    player: str
    opponent: str | None
    key: tuple[int, int, int, Side | None]
    version: int
    answer_at: int
    hurry_at: int | None
    to_act: bool

    @property
    def level(self) -> Level:
        """The level of the player whose turn it is."""
        return LEVEL_OF[self.player]


def is_over(state: GameState) -> bool:
    """Whether the computer has nothing more to do in a game, as far as its state shows."""
    return state.status in OVER or state.mode in (Mode.SCRIBE, Mode.IMPORT)


def list_computer_sides(state: GameState) -> list[Side]:
    """The sides that the computer plays."""
    return [side for side in Side if state.seats[side] in LEVEL_OF]


def make_actor(player: str) -> Actor:
    """One of the computer's players, who may play and nothing else."""
    return Actor(player, frozenset({PLAY}))


def choose_immediate_command(state: GameState, secret: bytes) -> tuple[Command, Actor] | None:
    """What the computer does at once, without thinking, as a command; None for nothing.

    It accepts a challenge, makes its secret choice, or answers a request to take actions back.
    """
    for side in list_computer_sides(state):
        player = state.seats[side] or ""
        command: Command | None = None
        if state.status is GameStatus.OFFERED and state.creator != player:
            command = AcceptChallenge()
        elif state.status is GameStatus.CHOOSING and side in (open_choices := list_choices(state)):
            command = Choose(
                side=side,
                choice=draw_choice(secret, state.id, side, open_choices[side]),
                nonce=draw_nonce(secret, state.id, side),
            )
        elif state.retraction is not None and state.retraction.side is side.other:
            # Its actions in many positions would reveal its secret in the end.
            secretive = set(state.choosers) - state.disclosed
            command = DeclineRetraction(side=side) if secretive else AcceptRetraction(side=side)
        if command is not None:
            return command, make_actor(player)
    return None


def find_turn(state: GameState, now: int) -> Turn | None:
    """The computer's next turn in a game; None if it has none."""
    sides = list_computer_sides(state)
    if state.to_act in sides:
        side, to_act = state.to_act, True
    elif state.to_act is not None and state.draw_offer is state.to_act:
        side, to_act = state.to_act.other, False
    else:
        return None
    player = state.seats[side]
    if side not in sides or player is None:
        return None
    began = state.played[-1].at if state.played else state.updated_at
    if not to_act:
        began = state.updated_at
    time = None
    if to_act and state.clock is not None and state.clock.due is not None:
        # The time that an outage took from the turn is credited, and does not count as thinking.
        began = max(began, state.clock.since + state.clock.credit)
        time = find_time(state.clock, side, began)
    variant = find_variant(state.variant)
    answer_at = began + find_answer_time(LEVEL_OF[player], variant, len(state.played), time)
    hurry_at = None
    if time is not None:
        until_flag = time.left + time.delay
        hurry_at = min(max(answer_at, now) + LATEST, began + round(until_flag * (1 - HURRY)))
    return Turn(
        game=state.id,
        side=side,
        player=player,
        opponent=state.seats[side.other],
        key=(len(state.played), began, side, state.draw_offer),
        version=state.version,
        answer_at=answer_at,
        hurry_at=hurry_at,
        to_act=to_act,
    )


def find_time(clock: Clock, side: Side, began: int) -> TimeLeft:
    """The time that the running clock leaves a side from the beginning of its turn on."""
    assert clock.due is not None
    moves = clock.sides[side].moves
    left = max(0, clock.due - began - find_delay(clock.control, moves))
    return find_time_left(clock.control, moves, left)


def make_question(state: GameState, turn: Turn, secret: bytes, seconds: float) -> Question:
    """The question for a search process about a turn."""
    written = find_dialect(state.variant)
    ply = len(state.played)
    public = seen_position(state, STRANGER)
    return Question(
        variant=state.variant,
        level=turn.level.number,
        side=turn.side,
        public=written.write_fen(public),
        own=written.write_fen(seen_position(state, frozenset({turn.side}))),
        earlier=find_earlier_fen(state, turn.side) if turn.to_act else None,
        seed=draw_action_seed(secret, state.id, ply),
        seconds=seconds,
        quiet=count_quiet_actions(state),
        draw_by_points=agreement(state).draw_by_points,
        draw_offered=state.draw_offer is turn.side.other,
        may_offer=turn.to_act and state.draw_offer is None,
        to_act=turn.to_act,
    )


def find_earlier_fen(state: GameState, side: Side) -> str | None:
    """The public position at the last action of a side; None before its first."""
    for ply in range(len(state.played) - 1, -1, -1):
        if state.played[ply].side is side:
            earlier = at_ply(state, ply)
            return find_dialect(state.variant).write_fen(mask(state, earlier.position, STRANGER))
    return None


def count_quiet_actions(state: GameState) -> int:
    """How many actions, of those not taken back, came after the last capture."""
    for quiet, played in enumerate(reversed(state.played)):
        if CAPTURE in played.san.lower():
            return quiet
    return len(state.played)


def list_commands(turn: Turn, answer: Answer) -> list[Command]:
    """The commands that carry out an answer, in order."""
    if answer.resign:
        return [Resign(side=turn.side)]
    if answer.accept_draw:
        return [AcceptDraw(side=turn.side)]
    if answer.action is None:
        return [DeclineDraw(side=turn.side)]
    offered: list[Command] = [OfferDraw(side=turn.side)] if answer.offer else []
    return [*offered, PlayAction(token=answer.action)]


def order_by_turn(turns: Sequence[Turn], under_way: Sequence[Turn]) -> list[tuple[Turn, int]]:
    """The turns in the order in which they are thought about, and how many share the time of each.

    Each opponent's first turn comes before any opponent's second, however many games they have;
    among these, the turn that is due first comes first. A turn shares its time with those that
    come after it, but an opponent's first with nobody's second, and so on.
    """
    before: dict[str | None, int] = {}
    for turn in under_way:
        before[turn.opponent] = before.get(turn.opponent, 0) + 1
    rounds: list[list[Turn]] = []
    for turn in sorted(turns, key=lambda turn: turn.answer_at):
        place = before.get(turn.opponent, 0)
        before[turn.opponent] = place + 1
        rounds += [[] for _ in range(len(rounds), place + 1)]
        rounds[place].append(turn)
    return [(turn, len(some) - at) for some in rounds for at, turn in enumerate(some)]
