"""Standings of a knockout: who gets further ranks higher."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from service.tournament.pairing.knockout import KnockoutRules
from service.tournament.standings import RankTerm, standings
from service.tournament.table import EntrantId, Table, TournamentKind
from tests.service.tournament.standings.support import by, table

ONE = Decimal(1)
LINES = ["1 b c 1-0", "2 a b 1-0"]


def places(played: Table, rules: KnockoutRules) -> dict[str, int]:
    regulations = replace(by(RankTerm.MATCH_POINTS), knockout=rules)
    return {each.entrant: each.place for each in standings(played, regulations)}


def test_the_winner_stands_above_a_finalist_with_as_many_points() -> None:
    played = table(TournamentKind.KNOCKOUT, LINES)
    assert places(played, KnockoutRules()) == {"a": 1, "b": 2, "c": 3}
    assert [each.values for each in standings(played, by(RankTerm.MATCH_POINTS))[:2]] == [
        (ONE,)
    ] * 2


def test_all_who_are_still_in_share_the_first_place() -> None:
    played = table(TournamentKind.KNOCKOUT, LINES).until(1)
    assert places(played, KnockoutRules()) == {"a": 1, "b": 1, "c": 3}


def test_a_tie_that_is_not_over_by_the_rules_puts_nobody_out() -> None:
    assert places(table(TournamentKind.KNOCKOUT, LINES), KnockoutRules(games=2)) == {
        "a": 1,
        "b": 1,
        "c": 1,
    }


def test_who_never_came_stands_last() -> None:
    played = replace(table(TournamentKind.KNOCKOUT, LINES), withdrawn={EntrantId("c"): 1})
    assert places(played, KnockoutRules()) == {"a": 1, "b": 2, "c": 3}
    alone = replace(played, withdrawn={EntrantId("c"): 1, EntrantId("b"): 1})
    assert set(places(alone, KnockoutRules()).values()) == {1}
    assert places(replace(played, entrants=(), meetings=()), KnockoutRules()) == {}
