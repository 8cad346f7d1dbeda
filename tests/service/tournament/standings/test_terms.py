"""Each term beyond the published examples: game points, unplayed rounds, ratings."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from service.errors import BadValue, NotFound
from service.tournament.scheme import STANDARD, THREE_POINTS
from service.tournament.standings import (
    Change,
    Edition,
    RankTerm,
    Regulations,
    cross_table,
    difference,
    explain,
    standings,
)
from service.tournament.table import EntrantId, Mark, Table, TournamentKind
from tests.service.tournament.standings.support import by, table

A, B, C = EntrantId("a"), EntrantId("b"), EntrantId("c")


def value(played: Table, rules: Regulations, entrant: EntrantId, term: RankTerm) -> Decimal:
    return explain(played, rules, entrant, term).value


def test_game_points_can_come_before_match_points() -> None:
    played = table(TournamentKind.ROUND_ROBIN, ["1 a b 1-0 3 9", "2 c a 1/2-1/2 4 4"])
    ranked = standings(played, by(RankTerm.GAME_POINTS, RankTerm.MATCH_POINTS))
    assert [each.entrant for each in ranked] == [B, A, C]
    assert [each.values for each in ranked] == [
        (Decimal(9), Decimal(0)), (Decimal(7), Decimal("1.5")), (Decimal(4), Decimal("0.5")),
    ]  # fmt: skip
    assert value(played, by(RankTerm.GAME_POINTS), A, RankTerm.POINT_DIFFERENCE) == -6
    assert value(played, by(RankTerm.GAME_POINTS), A, RankTerm.BUCHHOLZ) == 13
    assert value(played, by(RankTerm.GAME_POINTS), A, RankTerm.PROGRESSIVE) == 3 + 7


def test_a_scheme_gives_unplayed_rounds_game_points() -> None:
    scheme = replace(STANDARD, game={Mark.FORFEIT_WIN: 6, Mark.PAIRING_BYE: 4})
    rules = Regulations(scheme, (RankTerm.MATCH_POINTS, RankTerm.GAME_POINTS))
    played = table(TournamentKind.SWISS, ["1 a b +/-", "2 b a 1-0 2 1"], ["2 c pairing-bye"])
    played = replace(played, entrants=(*played.entrants, replace(played.entrants[0], id=C, seed=3)))
    assert value(played, rules, A, RankTerm.GAME_POINTS) == 7
    assert value(played, rules, A, RankTerm.POINT_DIFFERENCE) == 5
    assert value(played, rules, B, RankTerm.POINT_DIFFERENCE) == -5
    assert value(played, rules, C, RankTerm.GAME_POINTS) == 4


def test_c07_7_1_a_bye_worth_less_than_a_win_is_no_win() -> None:
    cheap = replace(THREE_POINTS, match={**THREE_POINTS.match, Mark.PAIRING_BYE: Decimal(1)})
    played = table(
        TournamentKind.SWISS, ["1 a b 1-0", "2 b c 1-0"], ["1 c full-bye", "2 a pairing-bye"]
    )
    rules = Regulations(cheap, (RankTerm.MATCH_POINTS,))
    assert value(played, rules, A, RankTerm.WINS) == 1
    assert value(played, rules, C, RankTerm.WINS) == 1
    assert value(played, by(RankTerm.MATCH_POINTS), A, RankTerm.WINS) == 2


def test_c07_16_3_last_byes_are_draws_for_the_opponents_and_earlier_ones_are_not() -> None:
    played = table(
        TournamentKind.SWISS,
        ["1 a b 1-0", "2 c b 1-0", "2 a d 1-0", "3 c a 1-0"],
        ["1 c zero-bye", "1 d pairing-bye", "3 b zero-bye", "3 d pairing-bye"],
    )
    parts = explain(played, by(RankTerm.MATCH_POINTS), A, RankTerm.BUCHHOLZ).parts
    # b's last round counts half a point, c's first none
    assert [(part.opponent, part.value) for part in parts] == [
        ("b", Decimal("0.5")), ("d", 2), ("c", 2),
    ]  # fmt: skip
    assert "16.3" in parts[0].note


def test_c07_16_1_a_round_without_any_part_in_it_is_a_zero_point_bye() -> None:
    played = table(TournamentKind.SWISS, ["1 a b 1-0", "2 a c 1-0"], ["1 c pairing-bye"])
    marks = {row.standing.entrant: row.cells[-1].mark for row in cross_table(played, by(*RankTerm))}
    assert marks == {"a": Mark.WIN, "b": Mark.ZERO_BYE, "c": Mark.LOSS}


def test_c07_16_4_ceilings_are_of_the_edition_of_march_2026() -> None:
    lines = ["1 a b 1-0", "2 a c +/-", "3 a d 1-0", "4 a e 1-0", "2 b d 1-0", "3 b e 1-0"]
    played = table(TournamentKind.SWISS, lines)
    old = explain(
        played,
        by(RankTerm.MATCH_POINTS, edition=Edition.AUGUST_2024),
        A,
        RankTerm.BUCHHOLZ,
    )
    new = explain(played, by(RankTerm.MATCH_POINTS), A, RankTerm.BUCHHOLZ)
    assert [part.value for part in old.parts if part.round == 2] == [4]
    # c has lost by forfeit and was away before and after: two last byes count as draws
    assert [(part.value, part.note[:11]) for part in new.parts if part.round == 2] == [
        (Decimal("1.5"), "C.07 16.4.1")
    ]


@pytest.mark.parametrize("kind", [TournamentKind.ROUND_ROBIN, TournamentKind.FREE])
def test_c07_16_5_cuts_take_the_lowest_outside_a_swiss(kind: TournamentKind) -> None:
    lines = ["1 a b 1-0", "2 a c -/+", "3 c a 1-0", "3 b c 0-1"]
    if kind is TournamentKind.FREE:
        lines = ["2 a b 1-0", "1 a c -/+", "1 d a 1-0"]
    parts = explain(table(kind, lines), by(RankTerm.MATCH_POINTS), A, RankTerm.BUCHHOLZ_CUT_1).parts
    cut = [(part.opponent, part.value) for part in parts if not part.counted]
    assert cut == [(B, Decimal(0))]


def test_c07_16_5_cuts_take_a_voluntarily_unplayed_round_first_in_a_swiss() -> None:
    lines = ["1 a b 1-0", "2 a c -/+", "3 c a 1-0", "3 b d 0-1"]
    played = table(TournamentKind.SWISS, lines)
    parts = explain(played, by(RankTerm.MATCH_POINTS), A, RankTerm.BUCHHOLZ_CUT_1).parts
    assert [part.round for part in parts if not part.counted] == [2]


def test_a_running_game_counts_for_nothing_yet_but_its_player_is_there() -> None:
    played = table(TournamentKind.SWISS, ["1 a b 1-0", "2 b c *"], ["1 c half-bye", "2 a half-bye"])
    assert value(played, by(RankTerm.MATCH_POINTS), B, RankTerm.MATCH_POINTS) == 0
    assert value(played, by(RankTerm.MATCH_POINTS), B, RankTerm.BUCHHOLZ) == Decimal("1.5")
    row = next(row for row in cross_table(played, by(RankTerm.MATCH_POINTS)) if row.cells[-1].game)
    assert row.cells[-1].mark is None


def test_opponents_without_a_rating_are_left_out_of_the_mean() -> None:
    played = table(TournamentKind.SWISS, ["1 a b 1-0", "2 a c 1-0"], ratings={"b": 1801})
    assert value(played, by(RankTerm.MATCH_POINTS), A, RankTerm.OPPONENT_RATING) == 1801
    assert value(played, by(RankTerm.MATCH_POINTS), B, RankTerm.OPPONENT_RATING) == 0


def places(change: Change) -> tuple[int | None, int | None]:
    before, after = change.before, change.after
    return (before.place if before else None), (after.place if after else None)


def test_a_corrected_result_shows_who_moved() -> None:
    before = table(TournamentKind.ROUND_ROBIN, ["1 a b 1-0", "1 c d 1/2-1/2", "2 c a 1/2-1/2"])
    after = table(TournamentKind.ROUND_ROBIN, ["1 a b 1/2-1/2", "1 c d 1/2-1/2", "2 c a 1/2-1/2"])
    rules = by(RankTerm.MATCH_POINTS)
    changes = difference(standings(before, rules), standings(after, rules))
    assert [(each.entrant, places(each)) for each in changes] == [
        ("a", (1, 1)), ("c", (2, 1)), ("b", (4, 3)),
    ]  # fmt: skip


def test_the_table_as_it_was_after_a_round() -> None:
    played = table(
        TournamentKind.SWISS, ["1 a b 1-0", "2 b c 1-0"], ["1 c half-bye", "2 a zero-bye"]
    )
    ranked = standings(played.until(1), by(RankTerm.MATCH_POINTS))
    assert [(each.entrant, each.values[0]) for each in ranked] == [
        ("a", 1), ("c", Decimal("0.5")), ("b", 0),
    ]  # fmt: skip


def test_nobody_is_explained_who_is_not_there() -> None:
    with pytest.raises(NotFound):
        explain(
            table(TournamentKind.SWISS, ["1 a b 1-0"]),
            by(RankTerm.MATCH_POINTS),
            C,
            RankTerm.WINS,
        )


@pytest.mark.parametrize(
    "order", [(), (RankTerm.WINS,), (RankTerm.MATCH_POINTS, RankTerm.MATCH_POINTS)]
)
def test_an_order_names_a_score_and_nothing_twice(order: tuple[RankTerm, ...]) -> None:
    with pytest.raises(BadValue):
        by(*order)
