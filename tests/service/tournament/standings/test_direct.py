"""C.07 6: ties are broken by the games among the tied."""

from __future__ import annotations

from decimal import Decimal

from service.tournament.standings import RankTerm, explain, standings
from service.tournament.standings.direct import Encounters
from service.tournament.standings.entrant_records import collect_records
from service.tournament.table import EntrantId, Table, TournamentKind
from tests.service.tournament.standings.support import by, table

ZERO, ONE = Decimal(0), Decimal(1)
REGULATIONS = by(RankTerm.MATCH_POINTS, RankTerm.DIRECT_ENCOUNTER)


def places(played: Table) -> dict[str, int]:
    return {each.entrant: each.place for each in standings(played, REGULATIONS)}


def test_c07_6_the_winner_of_the_game_between_two_tied_is_ahead() -> None:
    played = table(TournamentKind.SWISS, ["1 a b 0-1", "1 c d 1/2-1/2", "2 a c 1-0", "2 b d 0-1"])
    assert places(played) == {"d": 1, "b": 2, "a": 3, "c": 4}


def test_c07_6_who_is_ahead_whatever_the_missing_games_bring_is_first() -> None:
    # a, b and c have 2 points each; a beat b and c, who have not met: a has 2, they 1 at most
    played = table(
        TournamentKind.SWISS,
        ["1 a b 1-0", "1 c d 1-0", "2 a c 1-0", "2 b d 1-0", "3 d a 1-0", "3 b e 1-0", "3 c f 1-0"],
    )
    assert [places(played)[each] for each in "abc"] == [1, 2, 2]


def test_c07_6_a_missing_game_that_could_change_the_order_leaves_the_tie() -> None:
    # a beat b, c met neither: c could still have two points
    played = table(
        TournamentKind.SWISS,
        ["1 a b 1-0", "1 c d 1-0", "2 b d 1-0", "2 e a 1-0", "2 f c 1-0", "3 e f 1-0"],
    )
    assert len({places(played)[each] for each in "abc"}) == 1


def test_c07_6_who_is_still_tied_is_compared_again() -> None:
    # a, b, c, d end with 3: among them a has 2, b and c 1.5, d 1; b beat c
    played = table(
        TournamentKind.ROUND_ROBIN,
        [
            "1 a b 1-0", "2 a c 1/2-1/2", "3 a d 1/2-1/2", "4 b c 1-0", "5 b d 1/2-1/2",
            "6 c d 1-0", "7 a e 1-0", "8 b e 1-0", "9 c e 1-0", "10 d e 1-0",
            "11 f a 1-0", "12 b f 1/2-1/2", "13 c f 1/2-1/2", "14 d f 1-0", "15 e f 1-0",
        ],
    )  # fmt: skip
    assert [places(played)[each] for each in "abcd"] == [1, 2, 3, 4]


def test_c07_6_games_of_two_who_met_twice_count_as_their_mean() -> None:
    played = table(
        TournamentKind.ROUND_ROBIN,
        ["1 a b 1-0", "2 b a 1-0", "1 c d 1-0", "2 d c 1-0", "3 a c 1-0", "3 d b 0-1", "4 b c 1-0",
         "4 a d 1-0"],
    )  # fmt: skip
    found = explain(played, REGULATIONS, EntrantId("a"), RankTerm.DIRECT_ENCOUNTER)
    assert found.value == 0
    assert [part.value for part in found.parts] == [1, 0]


def test_three_thirds_of_a_point_are_one_point() -> None:
    # a has won one of three games with each of three
    lines = [f"{round} a {other} {'1-0' if round == 1 else '0-1'}"
             for other in "bcd" for round in (1, 2, 3)]  # fmt: skip
    drawn = Encounters(
        collect_records(table(TournamentKind.FREE, lines), REGULATIONS),
        TournamentKind.FREE,
        ZERO,
        ONE,
    )
    assert drawn.points(EntrantId("a"), frozenset(map(EntrantId, "abcd"))) == (ONE, 0)


def test_a_forfeit_decides_in_a_round_robin_and_not_in_a_swiss() -> None:
    lines = ["1 a b +/-", "2 b d 1-0"]
    assert (
        places(table(TournamentKind.ROUND_ROBIN, lines))["a"]
        < places(table(TournamentKind.ROUND_ROBIN, lines))["b"]
    )
    assert (
        places(table(TournamentKind.SWISS, lines))["a"]
        == places(table(TournamentKind.SWISS, lines))["b"]
    )


def test_game_points_leave_a_missing_game_open() -> None:
    regulations = by(RankTerm.GAME_POINTS, RankTerm.DIRECT_ENCOUNTER)
    played = table(
        TournamentKind.SWISS, ["1 a b 1-0 5 3", "1 c d 1-0 9 0", "2 a d 1-0 4 0", "2 b e 1-0 6 0"]
    )
    found = {each.entrant: each.place for each in standings(played, regulations)}
    assert [found[EntrantId(each)] for each in "abc"] == [1, 1, 1]
