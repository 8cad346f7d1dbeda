"""How events change a game's clocks; used by the fold, pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.side import Side
from service.game.begin import find_initial_position
from service.game.clock import Clock
from service.game.events import OutageCredited
from service.game.state import GameState
from service.game.values import ClockSetting, Played


def run_clock(state: GameState, at: int) -> GameState:
    """The state when the side to act begins its turn: its clock runs; none if nobody is to act."""
    if state.terms.no_show is not None:
        state = replace(state, waiting_since=at)
    if state.clock is None:
        return state
    return replace(state, clock=state.clock.begin_turn(state.to_act, at))


def stop_clock(state: GameState, at: int) -> GameState:
    """The state when the game is over: neither clock runs."""
    return state if state.clock is None else replace(state, clock=state.clock.stop(at))


def credit_outages(state: GameState, credits: Iterable[OutageCredited]) -> GameState:
    """The state after these credits."""
    clock = state.clock
    for credit in credits:
        if clock is not None:
            clock = clock.add_credit(credit.credited, credit.ended)
    return replace(state, clock=clock)


def apply_setting(clock: Clock, setting: ClockSetting) -> Clock:
    """The clocks after an arbiter has set them."""
    for side in Side:
        clock = clock.set_side(side, replace(clock.sides[side], left=setting.times[side]))
    return clock


def find_clock(state: GameState, played: Sequence[Played]) -> Clock | None:
    """The clocks after these actions of the game, neither running.

    They show what the actions left on them, or what an arbiter has set them to since. Nobody gets
    anything of a quota back by taking actions back.
    """
    if state.clock is None:
        return None
    clock = replace(
        Clock.set_up(state.clock.control),
        credited_to=state.clock.credited_to,
        lag_quotas=state.clock.lag_quotas,
    )
    settings = list(state.clock_settings)
    position = find_initial_position(state)
    for ply, move in enumerate((None, *played)):
        if move is not None:
            position.play(move.action)
            left = move.annotation.clock
            passes = position.side != move.side
            clock = clock.act(
                move.side, clock.sides[move.side].left if left is None else left, passes=passes
            )
        while settings and settings[0].ply <= ply:
            clock = apply_setting(clock, settings.pop(0))
    return clock
