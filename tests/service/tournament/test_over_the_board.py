"""Tournaments over the board: pairings have no games, and arbiters enter the results."""

from __future__ import annotations

from typing import Any

import pytest

from service.errors import BadValue
from service.game.errors import ContradictoryTerms
from service.tournament import commands as c
from service.tournament.errors import CannotJoin, NothingToRule, RoundBegun
from tests.service.tournament.support import Competition, finished, points


def compete(**wish: Any) -> Competition:
    """A Swiss of four over the board."""
    return Competition(over_the_board=True, rated=False, **wish)


def test_its_rounds_have_no_games() -> None:
    competition = compete()
    assert [one.game for one in competition.pair()] == [None, None]
    assert competition.state.boards == {}


def test_results_count_and_can_be_lifted() -> None:
    competition = compete()
    competition.pair()
    competition.do(c.Rule(round=1, board=1, result="1-0"))
    assert sorted(points(competition).values()) == ["0", "0", "0", "1"]
    competition.do(c.LiftRuling(round=1, board=1, reason="not this board"))
    assert competition.state.rounds[0].pairings[0].result is None
    with pytest.raises(NothingToRule):
        competition.do(c.LiftRuling(round=1, board=1, reason="again"))


def test_the_forfeit_of_who_withdrew_stays() -> None:
    competition = compete(kind="round-robin")
    competition.do(c.Withdraw(player=competition.pair()[0].first))
    board = next(one for one in competition.pair() if one.ruling is not None)
    with pytest.raises(NothingToRule):
        competition.do(c.LiftRuling(round=2, board=board.board, reason="not gone"))


@pytest.mark.parametrize("reason", ["withdrawn", "ill"])
def test_a_typed_result_stands_whatever_its_reason(reason: str) -> None:
    competition = compete()
    competition.pair()
    competition.do(c.Rule(round=1, board=1, result="+/-", reason=reason))
    with pytest.raises(RoundBegun):
        competition.do(c.UnpairRound(round=1, reason="a second thought"))
    competition.do(c.LiftRuling(round=1, board=1, reason="the player came"))
    assert competition.state.rounds[0].pairings[0].result is None
    competition.do(c.UnpairRound(round=1, reason="a second thought"))


def test_a_round_is_taken_back_when_its_only_results_are_forfeits_of_who_withdrew() -> None:
    competition = compete(kind="round-robin")
    competition.do(c.Withdraw(player=competition.pair()[0].first))
    board = next(one for one in competition.pair() if one.ruling is not None)
    competition.do(c.UnpairRound(round=2, reason="too early"))
    competition.pair()
    competition.do(c.Rule(round=2, board=board.board, result="-/-", reason="withdrawn"))
    with pytest.raises(RoundBegun):
        competition.do(c.UnpairRound(round=2, reason="too early"))


def test_a_record_joins_a_board_with_a_typed_result_once() -> None:
    competition = compete()
    board = competition.pair()[0]
    seats = (board.first, board.second)
    competition.do(c.Rule(round=1, board=1, result="1-0"))
    game = finished("transmitted", "0-1", seats=seats)
    competition.do(c.Join(game=game, round=1, seats=seats))
    joined = competition.state.rounds[0].pairings[0]
    assert (joined.game, joined.result) == ("transmitted", "1-0")
    with pytest.raises(CannotJoin):
        competition.do(c.Join(game=finished("other", "1-0", seats=seats), round=1, seats=seats))


@pytest.mark.parametrize(
    "terms", [{"time_control": "900+10"}, {"rated": True}, {"no_show": 600_000}], ids=str
)
def test_what_only_games_played_here_have_is_refused(terms: dict[str, Any]) -> None:
    with pytest.raises(ContradictoryTerms):
        Competition(over_the_board=True, **({"rated": False} | terms))


@pytest.mark.parametrize(
    ("days", "field"),
    [
        ({"starts_on": "2030-02-30"}, "starts_on"),
        ({"ends_on": "tomorrow"}, "ends_on"),
        ({"starts_on": "2030-02-02", "ends_on": "2030-02-01"}, "ends_on"),
    ],
)
def test_days_are_checked(days: dict[str, Any], field: str) -> None:
    with pytest.raises(BadValue) as raised:
        Competition(**days)
    assert raised.value.field == field
