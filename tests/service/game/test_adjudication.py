"""What arbiters, scribes and the scoring worker do to a game."""

from __future__ import annotations

import pytest

from engine.outcome import Termination
from engine.side import Side
from service.errors import BadValue
from service.game import events
from service.game.commands import (
    Adjudicate,
    CloseGame,
    CorrectResult,
    LoseOnTime,
    OfferDraw,
    OfferRetraction,
    Resign,
    Retract,
    ScoreGame,
)
from service.game.endings import ADJUDICATED
from service.game.errors import NothingToRetract
from service.game.permissions import SCORER
from service.game.values import Ending, GameStatus, Mode, Score
from service.player.actor import Actor
from tests.service.game.support import (
    CREATORS,
    MODES,
    REFEREE,
    SCRIBE,
    SOUTH,
    YARA,
    Play,
    running,
)

OFFICIAL = CREATORS | {Mode.CHALLENGE: REFEREE}
KERAK = "c4/iv4/7/8/9/8/7/IV4/C4 r - 3-5 20"


def resigned(mode: Mode = Mode.CHALLENGE) -> Play:
    game = running(mode).play("Sd1")
    game.do(Resign(side=Side.FIRST), SCRIBE if mode is Mode.SCRIBE else SOUTH)
    return game


@pytest.mark.parametrize("mode", MODES)
def test_an_official_retracts_and_edits_nothing(mode: Mode) -> None:
    game = running(mode).play("Sd1", "Sa8", "Sc2")
    before = list(game.log)
    assert game.do(Retract(plies=2), OFFICIAL[mode]) == (events.ActionsRetracted(to_ply=1),)
    assert game.log[: len(before)] == before
    assert [played.san for played in game.state.played] == ["Sd1"]
    assert game.state.to_act is Side.SECOND


def test_a_retraction_ends_what_was_offered() -> None:
    game = running().play("Sd1", "Sa8")
    game.do(OfferDraw(), SOUTH)
    game.do(OfferRetraction(plies=1), SOUTH)
    game.do(Retract(plies=1), REFEREE)
    assert (game.state.draw_offer, game.state.retraction) == (None, None)


@pytest.mark.parametrize("plies", [0, -1, 2])
def test_an_official_retracts_no_more_than_was_played(plies: int) -> None:
    with pytest.raises(NothingToRetract):
        running().play("Sd1").do(Retract(plies=plies), REFEREE)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("termination", ADJUDICATED)
def test_an_official_adjudicates(mode: Mode, termination: Termination) -> None:
    result = "1/2-1/2" if termination is Termination.AGREEMENT else "0-1"
    command = Adjudicate(result=result, termination=termination)
    game = running(mode)
    assert game.do(command, OFFICIAL[mode]) == (
        events.GameEnded(result=result, termination=termination),
    )
    assert game.state.ending == Ending(result, termination)


@pytest.mark.parametrize(
    ("result", "termination", "field"),
    [
        ("1-0", "yara", "termination"),
        ("1-0", "points", "termination"),
        ("1-0", "unterminated", "termination"),
        ("1-0", "normal", "termination"),
        ("1-0", "", "termination"),
        ("1-0", "\ud800", "termination"),
        ("*", "adjudication", "result"),
        ("2-0", "adjudication", "result"),
        ("", "adjudication", "result"),
        ("1-0", "agreement", "termination"),
        ("1/2-1/2", "resignation", "termination"),
        ("1/2-1/2", "time forfeit", "termination"),
    ],
)
def test_what_no_official_can_rule(result: str, termination: str, field: str) -> None:
    with pytest.raises(BadValue) as error:
        running().do(Adjudicate(result=result, termination=termination), REFEREE)
    assert error.value.field == field
    if field == "result" or termination != "unterminated":
        correct = CorrectResult(result=result, termination=termination, reason="why")
        with pytest.raises(BadValue):
            resigned().do(correct, REFEREE)


def test_an_adjudicated_draw_goes_to_the_side_with_more_points_where_that_was_agreed() -> None:
    game = running(Mode.ARBITER, tags={"DrawByPoints": "yes"}, fen=KERAK, variant="kerak")
    draw = Adjudicate(result="1/2-1/2", termination="adjudication")
    assert game.do(draw, REFEREE) == (events.GameEnded(result="0-1", termination="points"),)
    forfeit = CorrectResult(result="1-0", termination="forfeit", reason="Blue cheated")
    assert game.do(forfeit, REFEREE)
    back = CorrectResult(result="1/2-1/2", termination="adjudication", reason="Blue did not")
    assert game.do(back, REFEREE) == (
        events.ResultCorrected(result="0-1", termination="points", reason="Blue did not"),
    )


@pytest.mark.parametrize(("side", "result"), [(Side.FIRST, "0-1"), (Side.SECOND, "1-0")])
@pytest.mark.parametrize("mode", MODES)
def test_who_has_no_time_left_loses(mode: Mode, side: Side, result: str) -> None:
    assert running(mode).do(LoseOnTime(side=side), OFFICIAL[mode]) == (
        events.GameEnded(result=result, termination="time forfeit"),
    )


@pytest.mark.parametrize("mode", MODES)
def test_a_game_is_closed_without_result(mode: Mode) -> None:
    game = running(mode).play("Sd1")
    assert game.do(CloseGame(), OFFICIAL[mode]) == (
        events.GameEnded(result="*", termination="unterminated"),
    )
    assert game.state.status is GameStatus.FINISHED
    assert game.state.ending == Ending("*", "unterminated")


@pytest.mark.parametrize("mode", MODES)
def test_a_result_is_corrected_by_a_further_event(mode: Mode) -> None:
    game = resigned(mode)
    command = CorrectResult(result="1-0", termination="forfeit", reason="North left, not South")
    assert game.do(command, OFFICIAL[mode]) == (
        events.ResultCorrected(result="1-0", termination="forfeit", reason="North left, not South"),
    )
    assert game.state.ending == Ending("1-0", "forfeit")
    assert any(isinstance(entry.event, events.GameEnded) for entry in game.log)
    assert game.do(command, OFFICIAL[mode]) == ()
    closed = CorrectResult(result="*", termination="unterminated", reason="never mind")
    assert game.do(closed, OFFICIAL[mode])
    assert game.state.ending == Ending("*", "unterminated")


def test_a_game_without_result_is_unterminated() -> None:
    command = CorrectResult(result="*", termination="forfeit", reason="why")
    with pytest.raises(BadValue, match="a game without result is unterminated"):
        resigned().do(command, REFEREE)


@pytest.mark.parametrize(
    ("result", "termination"),
    [("0-1", "forfeit"), ("1-0", "resignation"), ("*", "unterminated"), ("0-1", "yara")],
)
def test_what_the_rules_have_decided_is_not_corrected(result: str, termination: str) -> None:
    game = running(fen=YARA).play("Oxa5")
    command = CorrectResult(result=result, termination=termination, reason="why")
    with pytest.raises(BadValue, match="the rules have ended the game 1-0 by yara"):
        game.do(command, REFEREE)
    same = CorrectResult(result="1-0", termination="yara", reason="why")
    assert game.do(same, REFEREE) == ()


@pytest.mark.parametrize("reason", ["", "  ", "x" * 1001, "two\nlines", "\0", "\ud800"])
def test_a_correction_needs_a_reason(reason: str) -> None:
    command = CorrectResult(result="1-0", termination="forfeit", reason=reason)
    with pytest.raises(BadValue) as error:
        resigned().do(command, REFEREE)
    assert error.value.field == "reason"


def score(game: Play, points: tuple[int, int] = (0, 0)) -> ScoreGame:
    ending = game.state.ending
    assert ending is not None
    return ScoreGame(
        version=game.state.version,
        result=ending.result,
        termination=ending.termination,
        points=points,
    )


def test_a_game_is_scored_once() -> None:
    game = resigned()
    command = score(game, (2, 3))
    assert game.do(command, Actor(SCORER)) == (
        events.GameScored(result="0-1", termination="resignation", points=(2, 3)),
    )
    assert game.state.score == Score(Ending("0-1", "resignation"), (2, 3))
    assert game.do(command, Actor(SCORER)) == ()
    assert game.do(score(game, (3, 3)), Actor(SCORER))


def test_a_score_of_a_result_that_was_corrected_is_left_alone() -> None:
    game = resigned()
    late = score(game)
    game.do(CorrectResult(result="1-0", termination="forfeit", reason="why"), REFEREE)
    assert game.do(late, Actor(SCORER)) == ()
    assert game.do(score(game), Actor(SCORER))
