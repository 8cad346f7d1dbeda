"""How a game may end: by its rules, by agreement, by an arbiter's ruling or its correction."""

from __future__ import annotations

from engine.outcome import Outcome, Termination
from engine.phrase import phrase
from engine.position import Position
from engine.registry import find_variant
from engine.side import Side
from notation.agreement import Agreement, lost_on_time
from notation.game import UNFINISHED
from notation.registry import find_dialect
from service.errors import BadValue
from service.game.errors import CannotReopen, NotFinished
from service.game.events import GameEnded
from service.game.redaction import STRANGER, seen_position
from service.game.state import GameState
from service.game.values import Mode

ADJUDICATED = (
    Termination.ADJUDICATION,
    Termination.FORFEIT,
    Termination.RULES_INFRACTION,
    Termination.ABANDONED,
    Termination.TIME_FORFEIT,
    Termination.AGREEMENT,
    Termination.RESIGNATION,
)
"""The endings that an arbiter may rule; the rules' own endings come from the board alone."""

WON = (Termination.RESIGNATION,)
"""Endings that have a winner."""

DRAWN = (Termination.AGREEMENT,)
"""Endings that are a draw."""


def parse_decision(state: GameState, result: str, termination: str) -> Outcome:
    """The outcome that an arbiter names by result and termination; raises BadValue."""
    if termination not in ADJUDICATED:
        raise BadValue(
            "termination",
            phrase("expected one of {adjudicated}", adjudicated=", ".join(ADJUDICATED)),
        )
    for winner in (Side.FIRST, Side.SECOND, None):
        outcome = Outcome(winner, Termination(termination))
        if outcome.result == result:
            if outcome.termination in (DRAWN if winner is not None else WON):
                raise BadValue(
                    "termination",
                    phrase(
                        "no game ends {result} by {termination}",
                        result=result,
                        termination=termination,
                    ),
                )
            if outcome.termination is Termination.TIME_FORFEIT:
                check_time_forfeit(state, outcome)
            return outcome
    raise BadValue("result", "expected 1-0, 0-1 or 1/2-1/2")


def check_time_forfeit(state: GameState, outcome: Outcome) -> None:
    """Raise BadValue for a loss on time that Ruling R36 does not allow.

    Only public knowledge counts, so that a refusal reveals no secret choice: if the outcome depends
    on one, the arbiter may rule either way.
    """
    position = seen_position(state, STRANGER)
    if outcome in [lost_on_time(position, side) for side in Side]:
        return
    if not find_dialect(state.variant).accepts(position, outcome):
        if outcome.winner is None:
            reason = "no draw by time forfeit where either side could still win"
        else:
            reason = "a draw: the side that has time left could not win any more"
        raise BadValue("termination", reason)


def make_correction(state: GameState, result: str, termination: str) -> GameEnded:
    """The ending that replaces another; raises BadValue.

    A result decided by the rules or the agreed limit stands: every reader would refuse a record
    with another one (`notation.judge`).
    """
    decided = find_decision(state)
    if decided is not None:
        if (result, termination) != (decided.result, decided.termination):
            how = f"{decided.result} by {decided.termination}"
            raise BadValue("result", phrase("the rules have ended the game {how}", how=how))
        return GameEnded(result=result, termination=termination)
    if result == UNFINISHED:
        if termination != Termination.UNTERMINATED:
            raise BadValue("termination", "a game without result is unterminated")
        return GameEnded(result=result, termination=termination)
    return make_end(state, parse_decision(state, result, termination))


def require_reopenable(state: GameState) -> None:
    """Raise unless the game's end can be withdrawn (Ruling R35): NotFinished or CannotReopen."""
    if state.ending is None:
        raise NotFinished
    if state.mode is Mode.IMPORT:
        raise CannotReopen("it was imported from a file: import a corrected file instead")
    if find_decision(state) is not None and not state.played:
        raise CannotReopen("the rules end it before the first action, so nothing can be retracted")


def agree_draw(state: GameState) -> tuple[GameEnded]:
    """The end of a game that both sides agree is a draw."""
    return (make_end(state, Outcome(None, Termination.AGREEMENT)),)


def make_end(state: GameState, outcome: Outcome, position: Position | None = None) -> GameEnded:
    """Make the event that ends the game; if so agreed, a draw goes to the side with more points."""
    points = (position or state.position).points()
    settled = agreement(state).settle_draw(outcome, points)
    return GameEnded(result=settled.result, termination=settled.termination)


def find_decision(state: GameState) -> Outcome | None:
    """How the rules or the agreed limit end the game as it stands; None if it can go on."""
    return agreement(state).outcome(state.position.copy(), state.plies)


def agreement(state: GameState) -> Agreement:
    """What the players agreed about the game's end (Ruling R0)."""
    return Agreement.from_tags(find_variant(state.variant), state.tags)
