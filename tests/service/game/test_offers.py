"""Draws and retractions by agreement."""

from __future__ import annotations

import pytest

from engine.side import Side
from service.game import events
from service.game.commands import (
    AcceptDraw,
    AcceptRetraction,
    DeclineDraw,
    DeclineRetraction,
    OfferDraw,
    OfferRetraction,
    PlayAction,
    Resign,
)
from service.game.errors import AlreadyOffered, NothingOffered, NothingToRetract, NotTheOpponent
from service.game.values import Ending, Mode, Retraction
from tests.service.game.support import MODES, NORTH, QUIET, SCRIBE, SOUTH, running

AGREED = events.GameEnded(result="1/2-1/2", termination="agreement")


@pytest.mark.parametrize("mode", MODES)
def test_a_draw_is_agreed(mode: Mode) -> None:
    game = running(mode)
    first, second = (SCRIBE, SCRIBE) if mode is Mode.SCRIBE else (SOUTH, NORTH)
    offer = game.do(OfferDraw(side=Side.FIRST), first)
    assert offer == (events.DrawOffered(side=0),)
    assert game.state.draw_offer is Side.FIRST
    assert game.do(AcceptDraw(), second) == (AGREED,)
    assert game.state.ending == Ending("1/2-1/2", "agreement")
    assert game.state.draw_offer is None


def test_to_offer_what_the_other_offers_is_to_agree() -> None:
    game = running()
    game.do(OfferDraw(), NORTH)
    assert game.do(OfferDraw(), SOUTH) == (AGREED,)


def test_a_draw_is_declined() -> None:
    game = running()
    game.do(OfferDraw(), SOUTH)
    assert game.do(DeclineDraw(), NORTH) == (events.DrawDeclined(),)
    assert game.state.draw_offer is None
    with pytest.raises(NothingOffered):
        game.do(AcceptDraw(), NORTH)
    assert game.do(OfferDraw(), SOUTH)


def test_a_draw_is_offered_once() -> None:
    game = running()
    game.do(OfferDraw(), SOUTH)
    with pytest.raises(AlreadyOffered, match="a draw has already been offered") as error:
        game.do(OfferDraw(), SOUTH)
    assert error.value.offer == "draw"
    with pytest.raises(NotTheOpponent):
        game.do(AcceptDraw(), SOUTH)


def test_an_offer_stands_until_the_opponent_acts() -> None:
    game = running()
    game.do(OfferDraw(), SOUTH)
    game.play("Sd1")
    assert game.state.draw_offer is Side.FIRST
    game.play("Sa8")
    assert game.state.draw_offer is None


def test_an_offer_out_of_turn_stands_until_the_opponent_acts() -> None:
    game = running()
    game.do(OfferDraw(), NORTH)
    game.play("Sd1")
    assert game.state.draw_offer is None


def test_a_declaration_of_the_opponent_declines_an_offer() -> None:
    game = running(fen=QUIET)
    game.do(OfferDraw(), NORTH)
    game.play("Kyan")
    assert game.state.draw_offer is None


def test_a_declaration_of_ones_own_keeps_an_offer() -> None:
    game = running(fen=QUIET)
    game.do(OfferDraw(), SOUTH)
    game.play("Kyan", "Sd1")
    assert game.do(AcceptDraw(), NORTH) == (AGREED,)


@pytest.mark.parametrize(
    ("points", "result", "how"),
    [("0-0", "1/2-1/2", "agreement"), ("3-5", "0-1", "points"), ("5-3", "1-0", "points")],
)
def test_a_draw_goes_to_the_side_with_more_points_where_that_was_agreed(
    points: str, result: str, how: str
) -> None:
    # Katruji has no such agreement, so this is Kerak, where each side has a Castle and a captor.
    fen = f"c4/iv4/7/8/9/8/7/IV4/C4 r - {points} 20"
    game = running(Mode.ARBITER, tags={"DrawByPoints": "yes"}, fen=fen, variant="kerak")
    game.do(OfferDraw(), SOUTH)
    assert game.do(AcceptDraw(), NORTH) == (events.GameEnded(result=result, termination=how),)
    plain = running(Mode.ARBITER, tags={"DrawByPoints": "no"}, fen=fen, variant="kerak")
    plain.do(OfferDraw(), SOUTH)
    assert plain.do(AcceptDraw(), NORTH) == (AGREED,)


@pytest.mark.parametrize("by", [SOUTH, NORTH])
def test_who_resigns_loses_in_or_out_of_turn(by: object) -> None:
    game = running()
    actor, result = (SOUTH, "0-1") if by is SOUTH else (NORTH, "1-0")
    assert game.do(Resign(), actor) == (events.GameEnded(result=result, termination="resignation"),)


@pytest.mark.parametrize("mode", MODES)
def test_actions_are_retracted_by_agreement(mode: Mode) -> None:
    game = running(mode).play("Sd1", "Sa8", "Sc2")
    first, second = (SCRIBE, SCRIBE) if mode is Mode.SCRIBE else (SOUTH, NORTH)
    asked = game.do(OfferRetraction(side=Side.FIRST, plies=2), first)
    assert asked == (events.RetractionOffered(side=0, to_ply=1),)
    assert game.state.retraction == Retraction(Side.FIRST, 1)
    length = len(game.log)
    assert game.do(AcceptRetraction(), second) == (events.ActionsRetracted(to_ply=1),)
    assert [played.san for played in game.state.played] == ["Sd1"]
    assert game.state.position.key() == running(mode).play("Sd1").state.position.key()
    after = game.state
    assert (after.plies, after.retraction) == (1, None)
    assert game.state.to_act is Side.SECOND
    # The retracted actions stay in the log.
    plays = [e.event for e in game.log[:length] if isinstance(e.event, events.ActionPlayed)]
    assert [play.san for play in plays] == ["Sd1", "Sa8", "Sc2=O"]
    game.play("Sa8")
    assert game.state.played[1].at > plays[1].ply


def test_a_retraction_is_declined() -> None:
    game = running().play("Sd1")
    game.do(OfferRetraction(plies=1), SOUTH)
    assert game.do(DeclineRetraction(), NORTH) == (events.RetractionDeclined(),)
    assert game.state.retraction is None
    assert len(game.state.played) == 1


def test_a_retraction_is_asked_for_once() -> None:
    game = running().play("Sd1", "Sa8")
    game.do(OfferRetraction(plies=1), SOUTH)
    with pytest.raises(AlreadyOffered, match="a retraction has already been offered"):
        game.do(OfferRetraction(plies=2), SOUTH)
    with pytest.raises(NotTheOpponent):
        game.do(AcceptRetraction(), SOUTH)


def test_to_ask_for_the_same_retraction_is_to_agree() -> None:
    game = running().play("Sd1", "Sa8")
    game.do(OfferRetraction(plies=2), SOUTH)
    assert game.do(OfferRetraction(plies=2), NORTH) == (events.ActionsRetracted(to_ply=0),)


def test_to_ask_for_another_retraction_is_a_counter_offer() -> None:
    game = running().play("Sd1", "Sa8")
    game.do(OfferRetraction(plies=2), SOUTH)
    assert game.do(OfferRetraction(plies=1), NORTH) == (events.RetractionOffered(side=1, to_ply=1),)
    assert game.state.retraction == Retraction(Side.SECOND, 1)
    assert game.do(AcceptRetraction(), SOUTH) == (events.ActionsRetracted(to_ply=1),)


def test_any_action_withdraws_a_retraction() -> None:
    game = running().play("Sd1")
    game.do(OfferRetraction(plies=1), SOUTH)
    game.play("Sa8")
    assert game.state.retraction is None


def test_a_retraction_takes_an_offer_of_a_draw_with_it() -> None:
    game = running().play("Sd1")
    game.do(OfferDraw(), SOUTH)
    game.do(OfferRetraction(plies=1), SOUTH)
    game.do(AcceptRetraction(), NORTH)
    assert game.state.draw_offer is None


@pytest.mark.parametrize("plies", [0, -1, 3, 10**12])
def test_no_more_is_retracted_than_was_played(plies: int) -> None:
    game = running().play("Sd1", "Sa8")
    with pytest.raises(
        NothingToRetract, match=f"{plies} actions cannot be retracted; 2 have been played"
    ) as error:
        game.do(OfferRetraction(plies=plies), SOUTH)
    assert (error.value.asked, error.value.played) == (plies, 2)


def test_a_limit_of_plies_counts_what_still_counts() -> None:
    game = running(tags={"PlyLimit": "3"}).play("Sd1", "Sa8")
    game.do(OfferRetraction(plies=2), SOUTH)
    game.do(AcceptRetraction(), NORTH)
    game.play("Sd1", "Sa8")
    assert game.state.ending is None
    game.do(PlayAction(token="Sc2"), SOUTH)
    assert game.state.ending == Ending("1/2-1/2", "adjudication")
