"""Which event may follow in a game, and what must be true of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from engine.errors import EngineError
from engine.side import Side
from notation.errors import NotationError, RecordError
from notation.reader import read_game
from notation.registry import find_dialect
from notation.time_control import check_playable, parse_time_control
from service.errors import ServiceError
from service.game import events
from service.game.clock import Spent
from service.game.endings import find_decision
from service.game.permissions import hidden_choices, is_played_on
from service.game.record import write_record
from service.game.state import GameState
from service.game.values import GameStatus, Mode
from service.game.variations import judge_variations
from service.log.values import Event
from service.verification.errors import Location, Wrong

PLAYING: Final = (GameStatus.CHOOSING, GameStatus.RUNNING)
MOMENTS: Final[Mapping[type[Event], tuple[GameStatus, ...]]] = {
    events.ChallengeAccepted: (GameStatus.OFFERED,),
    events.ChallengeDeclined: (GameStatus.OFFERED,),
    events.ChallengeWithdrawn: (GameStatus.OFFERED,),
    events.ChallengeExpired: (GameStatus.OFFERED,),
    events.GameBegun: (GameStatus.PREPARED,),
    events.ChoiceSealed: (GameStatus.CHOOSING,),
    events.ActionPlayed: (GameStatus.RUNNING,),
    events.TimedActionPlayed: (GameStatus.RUNNING,),
    events.TimeControlAgreed: (GameStatus.OFFERED, GameStatus.PREPARED, *PLAYING),
    events.ClocksSet: PLAYING,
    events.OutageCredited: (GameStatus.RUNNING,),
    events.ActionAnnotated: tuple(GameStatus),
    events.ActionAnnotatedWhole: (GameStatus.RUNNING, GameStatus.FINISHED),
    events.AnnotatorAdmitted: (*PLAYING, GameStatus.FINISHED),
    events.AnnotatorWithdrawn: (*PLAYING, GameStatus.FINISHED),
    events.ActionsRetracted: PLAYING,
    events.DrawOffered: PLAYING,
    events.DrawDeclined: PLAYING,
    events.RetractionOffered: PLAYING,
    events.RetractionDeclined: PLAYING,
    events.GameEnded: PLAYING,
    events.ChoiceDisclosed: (GameStatus.FINISHED,),
    events.ResultCorrected: (GameStatus.FINISHED,),
    events.GameReopened: (GameStatus.FINISHED,),
    events.GameScored: (GameStatus.FINISHED,),
}
"""The statuses a game may have when an event happens to it, for all but first events."""

BEGINNINGS: Final = (events.GameCreated, events.GameSetUp, events.RecordImported)


def check(event: Event, state: GameState | None) -> None:
    """Raise Wrong or a NotationError for an event that cannot follow here."""
    if (state is None) is not isinstance(event, BEGINNINGS):
        raise Wrong("a game begins with its creation, and has only one")
    if state is None:
        return
    moments = MOMENTS[type(event)]
    if state.status not in moments:
        raise Wrong(f"not possible in a game that is {state.status}")
    judge = CHECKS.get(type(event))
    if judge is not None:
        judge(event, state)


def check_action(event: Event, state: GameState) -> None:
    """Raise unless the action is the next one and legal, and both its texts mean it."""
    assert isinstance(event, events.ActionEvent)
    if event.ply != len(state.played) + 1:
        raise Wrong(f"ply {event.ply} where {len(state.played) + 1} is due")
    if find_decision(state) is not None:
        raise Wrong("the game had ended before it")
    texts = find_dialect(state.variant)
    position = state.position.copy()
    action = texts.resolve(position, event.action)
    if texts.coordinate(action) != event.action:
        raise Wrong(f"{event.action} is not the coordinate form {texts.coordinate(action)}")
    if texts.resolve(position, event.san) != action:
        raise Wrong(f"{event.san} is not {event.action}")


def check_untimed_action(event: Event, state: GameState) -> None:
    """Raise unless the action is right and the game has no clocks."""
    if state.clock is not None:
        raise Wrong("an action without times in a game with clocks")
    check_action(event, state)


def check_timed_action(event: Event, state: GameState) -> None:
    """Raise unless the action is right and its times agree with the clocks."""
    check_action(event, state)
    assert isinstance(event, events.TimedActionPlayed)
    clock = state.clock
    if clock is None:
        raise Wrong("an action with times in a game without clocks")
    side = Side(state.position.side)
    position = state.position.copy()
    position.play(find_dialect(state.variant).resolve(position, event.action))
    passes = position.side != side
    spent = clock.spend(side, event.received, event.compensation, passes=passes)
    if spent != Spent(event.compensation, event.used, event.left):
        raise Wrong(f"the clocks give {spent.used} ms used and {spent.left} ms left")


def check_time_control(event: Event, state: GameState) -> None:
    """Raise unless a new game gets its clocks, once."""
    assert isinstance(event, events.TimeControlAgreed)
    check_playable(parse_time_control(event.control))
    if state.clock is not None or state.played:
        raise Wrong("clocks are agreed on before the game, and only once")


def check_clock_setting(event: Event, state: GameState) -> None:
    """Raise unless there are clocks to set, and each side has time."""
    assert isinstance(event, events.ClocksSet)
    if state.clock is None or min(event.first, event.second) <= 0:
        raise Wrong("clocks are set that do not exist, or to nothing")


def check_credit(event: Event, state: GameState) -> None:
    """Raise unless the outage was within the running turn, and was not credited before."""
    assert isinstance(event, events.OutageCredited)
    clock = state.clock
    if clock is None or clock.running != event.side or event.ended <= clock.credited_to:
        raise Wrong("an outage is credited to a clock that does not run, or twice")
    if event.credited != clock.find_credit(event.begun, event.ended):
        raise Wrong(f"{event.credited} ms of an outage are credited that were not in the turn")


def check_ply(event: Event, state: GameState) -> None:
    """Raise unless the event's ply was played."""
    assert isinstance(event, events.ActionAnnotated)
    if not 1 <= event.ply <= len(state.played):
        raise Wrong(f"ply {event.ply} of a game with {len(state.played)}")


def check_variations(event: Event, state: GameState) -> None:
    """Raise unless the variations are canonical and legal, and were written at a permitted time."""
    assert isinstance(event, events.ActionAnnotatedWhole)
    check_ply(event, state)
    if is_played_on(state) or hidden_choices(state):
        raise Wrong("variations in a game that is still played")
    try:
        judged = judge_variations(state, event.ply, event.variations)
    except ServiceError as why:
        raise Wrong(str(why)) from why
    if judged != event.variations:
        raise Wrong(f"the variations of ply {event.ply} are not in canonical form")


def check_annotator(event: Event, state: GameState) -> None:
    """Raise unless an admitted annotator is new, or a withdrawn one was admitted."""
    assert isinstance(event, events.AnnotatorAdmitted | events.AnnotatorWithdrawn)
    admitted = event.player in state.annotators
    if admitted is isinstance(event, events.AnnotatorAdmitted):
        raise Wrong("an annotator is admitted twice, or withdrawn without having been admitted")


def check_retraction(event: Event, state: GameState) -> None:
    """Raise unless there is an action to retract."""
    assert isinstance(event, events.ActionsRetracted | events.RetractionOffered)
    if not 0 <= event.to_ply < len(state.played):
        raise Wrong(f"back to ply {event.to_ply} of a game with {len(state.played)}")


def check_score(event: Event, state: GameState) -> None:
    """Raise unless the points are those of the position."""
    assert isinstance(event, events.GameScored)
    points = state.position.copy().points()
    if event.points != points:
        raise Wrong(f"the points are {points}, not {event.points}")


def check_reopening(event: Event, state: GameState) -> None:
    """Raise unless the withdrawn end was right and can be withdrawn (Ruling R35)."""
    if state.mode is Mode.IMPORT:
        raise Wrong("a game that came in as a record was reopened")
    check_end(state, Location(ply=len(state.played) or None))


def check_choice(event: Event, state: GameState) -> None:
    """Raise unless the side has a choice to make."""
    assert isinstance(event, events.ChoiceSealed)
    open_sides = [side for side in state.choosers if state.choices[side] is None]
    if event.side not in open_sides:
        raise Wrong("a choice by a side that has none to make")


def check_expiry(event: Event, state: GameState) -> None:
    """Raise unless the challenge has a time after which it expires."""
    if state.expires_at is None:
        raise Wrong("a challenge without an expiry time expires")


def check_end(state: GameState, place: Location) -> None:
    """Raise Wrong unless result, termination, points and tags match the game played."""
    undisclosed = any(choice and choice.choice is None for choice in state.choices)
    if state.status is GameStatus.FINISHED and undisclosed:
        raise Wrong("the game is over and a choice was not disclosed", place)
    try:
        read_game(write_record(state, {}), reopened=state.decided)
    except RecordError as why:
        raise Wrong(why.reason, replace(place, ply=why.ply or place.ply)) from why
    except (NotationError, EngineError) as why:
        raise Wrong(str(why), place) from why


CHECKS: Final[Mapping[type[Event], Callable[[Event, GameState], None]]] = {
    events.ChallengeExpired: check_expiry,
    events.ActionPlayed: check_untimed_action,
    events.TimedActionPlayed: check_timed_action,
    events.TimeControlAgreed: check_time_control,
    events.ClocksSet: check_clock_setting,
    events.OutageCredited: check_credit,
    events.ActionAnnotated: check_ply,
    events.ActionAnnotatedWhole: check_variations,
    events.AnnotatorAdmitted: check_annotator,
    events.AnnotatorWithdrawn: check_annotator,
    events.ActionsRetracted: check_retraction,
    events.RetractionOffered: check_retraction,
    events.GameReopened: check_reopening,
    events.GameScored: check_score,
    events.ChoiceSealed: check_choice,
}
