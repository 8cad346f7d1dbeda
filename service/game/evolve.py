"""How events change a game: its state is their fold, which the log can rebuild at any time."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from engine.side import Side
from notation.registry import find_dialect
from notation.time_control import parse_time_control
from service.game import events
from service.game.annotation_effects import (
    admit_annotator,
    replace_annotation,
    replace_whole_annotation,
    withdraw_annotator,
)
from service.game.annotation_size import measure_event
from service.game.begin import (
    apply_choice,
    close_challenge,
    create_game,
    find_initial_position,
    import_game,
    start_play,
)
from service.game.clock import Clock
from service.game.commands import Annotation
from service.game.endings import find_decision
from service.game.redaction import STRANGER, seen_position
from service.game.running_clock import (
    apply_setting,
    credit_outages,
    find_clock,
    run_clock,
    stop_clock,
)
from service.game.state import GameState
from service.game.values import ClockSetting, Ending, GameStatus, Played, Retraction, Score
from service.log.dispatch import DispatchTable, handle
from service.log.folding import make_fold
from service.log.values import Event, Recorded


def evolve(state: GameState | None, id: str, entry: Recorded) -> GameState:
    """The state after one more event of the game `id`."""
    after = begin_game(entry, id) if state is None else EFFECTS(entry.event, state, entry)
    if (after.version, after.head) == (entry.version, entry.hash):
        return after
    return replace(after, version=entry.version, updated_at=entry.at, head=entry.hash)


fold: Final = make_fold(evolve)
"""The fold of a game's events."""


def begin_game(entry: Recorded, id: str) -> GameState:
    """Create the state from a game's first event."""
    event = entry.event
    match event:
        case events.GameCreated():
            return create_game(event, entry, id)
        case events.RecordImported():
            return import_game(event, entry, id)
        case _:
            raise ValueError(f"{event.stored_name} cannot begin a game")


def _seat_opponent(event: events.ChallengeAccepted, state: GameState, entry: Recorded) -> GameState:
    first, second = state.seats
    seats = (event.player, second) if first is None else (first, second or event.player)
    return start_play(replace(state, seats=seats), entry.at)


def _close_challenge(event: Event, state: GameState, entry: Recorded) -> GameState:
    return close_challenge(state, event)


def _begin_play(event: events.GameBegun, state: GameState, entry: Recorded) -> GameState:
    return start_play(state, entry.at)


def _record_choice(event: events.ChoiceSealed, state: GameState, entry: Recorded) -> GameState:
    return apply_choice(state, event, entry.at)


def _mark_disclosed(event: events.ChoiceDisclosed, state: GameState, entry: Recorded) -> GameState:
    return replace(state, disclosed=state.disclosed | {Side(event.side)})


def _add_timed_action(
    event: events.TimedActionPlayed, state: GameState, entry: Recorded
) -> GameState:
    after = _add_action(event, state, entry)
    if state.clock is None:
        return after
    side = Side(state.position.side)
    passes = after.position.side != side
    clock = state.clock.act(side, event.left, passes=passes).charge_lag(side, event.compensation)
    return run_clock(replace(after, clock=clock), entry.at)


def _add_action(event: events.ActionEvent, state: GameState, entry: Recorded) -> GameState:
    position = state.position.copy()
    # Resolved in the position as everybody knows it, so that no error reveals a secret.
    action = find_dialect(state.variant).resolve(seen_position(state, STRANGER), event.action)
    position.play(action)
    clock, elapsed = _read_times(event)
    annotation = Annotation(
        nags=tuple(event.nags),
        before=tuple(event.before),
        after=tuple(event.after),
        clock=clock,
        elapsed=elapsed,
    )
    number, side = state.position.number, Side(state.position.side)
    texts = (event.action, event.san)
    played = Played(action, *texts, number, side, entry.by, entry.at, annotation)
    # An offer by the side that has acted stands until its opponent acts.
    stands = state.draw_offer is not None and state.draw_offer == side
    # The event is noted here, all at once: a game has more of these than of anything else.
    return replace(
        state,
        version=entry.version,
        updated_at=entry.at,
        head=entry.hash,
        position=position,
        plies=state.plies + (position.side != side),
        played=(*state.played, played),
        draw_offer=state.draw_offer if stands else None,
        retraction=None,
        annotation_bytes=state.annotation_bytes + measure_event(event),
    )


def _read_times(event: events.ActionEvent) -> tuple[int | None, int | None]:
    """The time left after an action and the time that it took, None if not known."""
    match event:
        case events.ActionPlayed():
            return event.clock, event.elapsed
        case events.TimedActionPlayed():
            return event.left, event.used
        case _:
            raise TypeError(f"{event.stored_name} is no action")


def _set_draw_offer(event: events.DrawOffered, state: GameState, entry: Recorded) -> GameState:
    return replace(state, draw_offer=Side(event.side))


def _clear_draw_offer(event: events.DrawDeclined, state: GameState, entry: Recorded) -> GameState:
    return replace(state, draw_offer=None)


def _set_retraction_offer(
    event: events.RetractionOffered, state: GameState, entry: Recorded
) -> GameState:
    return replace(state, retraction=Retraction(Side(event.side), event.to_ply))


def _clear_retraction_offer(
    event: events.RetractionDeclined, state: GameState, entry: Recorded
) -> GameState:
    return replace(state, retraction=None)


def _retract_actions(
    event: events.ActionsRetracted, state: GameState, entry: Recorded
) -> GameState:
    after = replace(at_ply(state, event.to_ply), draw_offer=None, retraction=None)
    return run_clock(after, entry.at)


def _end_game(event: events.GameEnded, state: GameState, entry: Recorded) -> GameState:
    return replace(
        stop_clock(state, entry.at),
        status=GameStatus.FINISHED,
        ending=Ending(event.result, event.termination),
        ended_at=entry.at,
        ending_version=entry.version,
        decided=False,
        draw_offer=None,
        retraction=None,
    )


def _replace_ending(event: events.ResultCorrected, state: GameState, entry: Recorded) -> GameState:
    assert state.ending is not None
    return replace(
        state,
        ending=Ending(event.result, event.termination),
        ending_version=entry.version,
        earlier_endings=state.earlier_endings | {state.ending},
    )


def _withdraw_ending(event: events.GameReopened, state: GameState, entry: Recorded) -> GameState:
    after = start_play(
        replace(
            state,
            ending=None,
            ended_at=None,
            ending_version=0,
            earlier_endings=frozenset(),
            score=None,
            reopened=entry.version,
        ),
        entry.at,
    )
    decided = after.status is GameStatus.RUNNING and find_decision(state) is not None
    # Ruling R35: the clocks go on as they stood after the last action that counts.
    clock = find_clock(state, state.played)
    return run_clock(replace(after, decided=decided, clock=clock), entry.at)


def _agree_on_time(event: events.TimeControlAgreed, state: GameState, entry: Recorded) -> GameState:
    return replace(state, clock=Clock.set_up(parse_time_control(event.control)))


def _set_clocks(event: events.ClocksSet, state: GameState, entry: Recorded) -> GameState:
    if state.clock is None:
        return state
    setting = ClockSetting(len(state.played), (event.first, event.second))
    after = replace(state, clock_settings=(*state.clock_settings, setting))
    return run_clock(replace(after, clock=apply_setting(state.clock, setting)), entry.at)


def _credit_outage(event: events.OutageCredited, state: GameState, entry: Recorded) -> GameState:
    return credit_outages(state, [event])


def _set_score(event: events.GameScored, state: GameState, entry: Recorded) -> GameState:
    points = None if event.points is None else (event.points[0], event.points[1])
    return replace(state, score=Score(Ending(event.result, event.termination), points))


def at_ply(state: GameState, ply: int) -> GameState:
    """The game as it stood after the first `ply` of the actions that still count.

    Before its last action the game was running, without offers. Raises ValueError if `ply` exceeds
    the game's length.
    """
    if not 0 <= ply <= len(state.played):
        raise ValueError(f"the game has {len(state.played)} actions")
    played = state.played[:ply]
    position = find_initial_position(state)
    plies = 0
    for move in played:
        side = position.side
        position.play(move.action)
        plies += position.side != side
    before = replace(
        state,
        position=position,
        plies=plies,
        played=played,
        clock_settings=tuple(each for each in state.clock_settings if each.ply <= ply),
    )
    if ply == len(state.played):
        return before
    running = replace(
        before,
        clock=find_clock(before, played),
        status=GameStatus.RUNNING,
        ending=None,
        ended_at=None,
        ending_version=0,
        earlier_endings=frozenset(),
        decided=False,
        score=None,
        draw_offer=None,
        retraction=None,
    )
    return run_clock(running, played[-1].at if played else state.created_at)


EFFECTS = DispatchTable[GameState, Recorded, GameState](
    "an event after a game's first",
    handle(events.ChallengeAccepted, _seat_opponent),
    handle(events.ChallengeDeclined, _close_challenge),
    handle(events.ChallengeWithdrawn, _close_challenge),
    handle(events.ChallengeExpired, _close_challenge),
    handle(events.GameBegun, _begin_play),
    handle(events.ChoiceSealed, _record_choice),
    handle(events.ChoiceDisclosed, _mark_disclosed),
    handle(events.ActionPlayed, _add_action),
    handle(events.TimedActionPlayed, _add_timed_action),
    handle(events.TimeControlAgreed, _agree_on_time),
    handle(events.ClocksSet, _set_clocks),
    handle(events.OutageCredited, _credit_outage),
    handle(events.ActionAnnotated, replace_annotation),
    handle(events.ActionAnnotatedWhole, replace_whole_annotation),
    handle(events.AnnotatorAdmitted, admit_annotator),
    handle(events.AnnotatorWithdrawn, withdraw_annotator),
    handle(events.DrawOffered, _set_draw_offer),
    handle(events.DrawDeclined, _clear_draw_offer),
    handle(events.RetractionOffered, _set_retraction_offer),
    handle(events.RetractionDeclined, _clear_retraction_offer),
    handle(events.ActionsRetracted, _retract_actions),
    handle(events.GameEnded, _end_game),
    handle(events.ResultCorrected, _replace_ending),
    handle(events.GameReopened, _withdraw_ending),
    handle(events.GameScored, _set_score),
)
"""How each event after the first changes the state."""
