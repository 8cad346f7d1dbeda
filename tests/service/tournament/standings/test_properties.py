"""What holds for all standings."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from service.tournament.scheme import STANDARD
from service.tournament.standings import (
    Edition,
    RankTerm,
    Regulations,
    cross_table,
    difference,
    explain,
    standings,
)
from service.tournament.table import (
    Entrant,
    EntrantId,
    Meeting,
    Result,
    Table,
    TournamentKind,
)
from tests.service.tournament.standings.support import BYES, draw_rounds

T = TypeVar("T")
ORDERS = st.lists(st.sampled_from(RankTerm), unique=True, min_size=1).filter(
    lambda order: RankTerm.MATCH_POINTS in order or RankTerm.GAME_POINTS in order
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Any tournament in which nobody plays twice in a round."""
    size = draw(st.integers(2, 7))
    names = [EntrantId(f"e{number}") for number in range(size)]
    entrants = tuple(
        Entrant(name, seed, rating=draw(st.none() | st.integers(1000, 2800)))
        for seed, name in enumerate(names, 1)
    )
    rounds = draw(st.integers(0, 5))

    def meet(round: int, first: EntrantId, second: EntrantId) -> Meeting:
        result = draw(st.none() | st.sampled_from(Result))
        points = draw(st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9)))
        return Meeting(round, first, second, result, points)

    meetings, byes = draw_rounds(draw, names, rounds, meet, st.none() | st.sampled_from(BYES))
    return Table(draw(st.sampled_from(TournamentKind)), rounds, entrants, meetings, byes)


@st.composite
def regulations(draw: st.DrawFn) -> Regulations:
    return Regulations(STANDARD, tuple(draw(ORDERS)), draw(st.sampled_from(Edition)))


@settings(max_examples=60)
@given(tables(), regulations(), st.randoms(use_true_random=False))
def test_no_order_of_results_or_entrants_matters(
    table: Table, rules: Regulations, random: Random
) -> None:
    def shuffled(values: tuple[T, ...]) -> tuple[T, ...]:
        return tuple(random.sample(values, len(values)))

    other = replace(
        table,
        entrants=shuffled(table.entrants),
        meetings=shuffled(table.meetings),
        byes=shuffled(table.byes),
    )
    assert standings(other, rules) == standings(table, rules)


@settings(max_examples=40)
@given(tables(), regulations())
def test_other_names_change_nothing_but_the_names(table: Table, rules: Regulations) -> None:
    named = {each.id: EntrantId(f"z{9 - each.seed}") for each in table.entrants}
    other = replace(
        table,
        entrants=tuple(replace(each, id=named[each.id]) for each in table.entrants),
        meetings=tuple(
            replace(each, first=named[each.first], second=named[each.second])
            for each in table.meetings
        ),
        byes=tuple(replace(each, entrant=named[each.entrant]) for each in table.byes),
    )
    assert standings(other, rules) == tuple(
        replace(each, entrant=named[each.entrant]) for each in standings(table, rules)
    )


@settings(max_examples=40)
@given(tables())
def test_the_points_given_are_the_points_had(table: Table) -> None:
    rules = Regulations(STANDARD, (RankTerm.MATCH_POINTS, RankTerm.GAME_POINTS))
    given_points = sum(
        (1 if each.result is not Result.BOTH_FORFEIT else 0)
        for each in table.meetings
        if each.result is not None
    )
    worth = {mark: STANDARD.match[mark] for mark in BYES}
    byes = sum((worth[each.kind] for each in table.byes), Decimal(0))
    game_points = sum(
        sum(each.points)
        for each in table.meetings
        if each.points and each.result is not None and each.result.played
    )
    ranked = standings(table, rules)
    assert sum(each.values[0] for each in ranked) == given_points + byes
    assert sum(each.values[1] for each in ranked) == game_points


@settings(max_examples=40)
@given(tables(), regulations())
def test_every_number_is_explained_and_every_place_follows_from_the_numbers(
    table: Table, rules: Regulations
) -> None:
    ranked = standings(table, rules)
    for standing in ranked:
        better = sum(other.values > standing.values for other in ranked)
        assert standing.place == better + 1 or table.kind is TournamentKind.KNOCKOUT
        for term, value in zip(rules.order, standing.values, strict=True):
            found = explain(table, rules, standing.entrant, term)
            assert found.value == value
            if term not in (RankTerm.DIRECT_ENCOUNTER, RankTerm.OPPONENT_RATING):
                assert sum(part.value for part in found.parts if part.counted) == value


@settings(max_examples=20)
@given(tables(), regulations())
def test_a_table_differs_from_itself_in_nothing(table: Table, rules: Regulations) -> None:
    ranked = standings(table, rules)
    assert difference(ranked, ranked) == ()
    assert {each.entrant for each in difference((), ranked)} == {each.id for each in table.entrants}
    assert [row.standing for row in cross_table(table, rules)] == list(ranked)
