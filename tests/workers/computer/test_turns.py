"""The order of the computer's turns, and who shares whose time."""

from __future__ import annotations

from engine.side import Side
from workers.computer.turns import Turn, order_by_turn


def turn(game: str, opponent: str, answer_at: int) -> Turn:
    key = (0, 0, 0, None)
    return Turn(game, Side.FIRST, "computer", opponent, key, 1, answer_at, None, to_act=True)


def ordered(turns: list[Turn], under_way: list[Turn]) -> list[tuple[str, int]]:
    return [(turn.game, sharing) for turn, sharing in order_by_turn(turns, under_way)]


def test_the_many_games_of_one_opponent_take_no_time_of_anothers() -> None:
    """All turns that waited once shared the time, so others' were thought about for a moment."""
    many = [turn(f"m{number}", "many", 10 + number) for number in range(60)]
    few = [turn("f", "few", 50), turn("g", "other", 5)]
    found = ordered(many + few, [])
    assert found[:4] == [("g", 3), ("m0", 2), ("f", 1), ("m1", 1)]
    assert {sharing for _, sharing in found[3:]} == {1}
    assert len(found) == 62


def test_a_turn_under_way_counts_as_an_opponents_first() -> None:
    turns = [turn("m1", "many", 1), turn("f", "few", 9), turn("m2", "many", 2)]
    assert ordered(turns, [turn("m0", "many", 0)]) == [("f", 1), ("m1", 1), ("m2", 1)]
