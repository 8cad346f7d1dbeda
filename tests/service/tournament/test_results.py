"""Results that an organiser types in: the first needs no reason, a correction does."""

from __future__ import annotations

import pytest

from service.errors import BadValue, NotFound
from service.tournament import commands as c
from service.tournament import events
from tests.service.tournament.support import Competition, points


def test_a_first_result_needs_no_reason_and_a_correction_does() -> None:
    competition = Competition()
    competition.pair()
    ruled = events.ResultRuled(round=1, board=1, result="1-0", reason="")
    assert competition.do(c.Rule(round=1, board=1, result="1-0")) == (ruled,)
    assert competition.do(c.Rule(round=1, board=1, result="1-0", reason="")) == ()
    with pytest.raises(BadValue, match="say why it changes"):
        competition.do(c.Rule(round=1, board=1, result="0-1"))
    with pytest.raises(BadValue, match="say why it changes"):
        competition.do(c.Rule(round=1, board=1, result="0-1", reason=" "))
    assert competition.do(c.Rule(round=1, board=1, result="0-1", reason="the wrong way round"))


def test_the_result_of_a_game_is_not_overruled_without_a_reason() -> None:
    competition = Competition()
    first, _ = competition.pair()
    competition.end(first, "1-0")
    with pytest.raises(BadValue, match="board 1 of round 1 has a result"):
        competition.do(c.Rule(round=1, board=1, result="0-1"))


def test_the_results_of_a_round_are_entered_at_once() -> None:
    competition = Competition()
    competition.pair()
    results = [{"board": 2, "result": "1/2-1/2"}, {"board": 1, "result": "0-1"}]
    made = competition.do(c.EnterResults(round=1, results=results))
    assert made == (
        events.ResultRuled(round=1, board=2, result="1/2-1/2", reason=""),
        events.ResultRuled(round=1, board=1, result="0-1", reason=""),
    )
    assert sorted(points(competition).values()) == ["0", "0.5", "0.5", "1"]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"board": 2, "result": "2-0"}, BadValue),
        ({"board": 9, "result": "1-0"}, NotFound),
        ({"board": 1, "result": "0-1"}, BadValue),
        ({"board": 2, "result": "1-0", "points": (1, -1)}, BadValue),
    ],
)
def test_of_several_results_all_count_or_none(
    wrong: dict[str, object], error: type[Exception]
) -> None:
    competition = Competition()
    competition.pair()
    before = competition.state
    with pytest.raises(error) as raised:
        competition.do(c.EnterResults(round=1, results=[{"board": 1, "result": "1-0"}, wrong]))
    if isinstance(raised.value, BadValue) and wrong["board"] == 2:
        assert raised.value.field.startswith("results.1.")
    assert competition.state == before
