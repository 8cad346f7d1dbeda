from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.errors import BadValue
from service.tournament.pairing.bracket import Bracket, Decision
from service.tournament.pairing.errors import NothingToPair, TooFewEntrants, UnfinishedRound
from service.tournament.pairing.knockout import KnockoutRules, bracket, pair_knockout
from service.tournament.scheme import STANDARD, ScoringScheme
from service.tournament.table import (
    Entrant,
    EntrantId,
    Mark,
    Meeting,
    Result,
    Table,
    TournamentKind,
)

FIRST, DRAW, SECOND = Result.FIRST, Result.DRAW, Result.SECOND
ONE_GAME = KnockoutRules(deciders=0)


def start(count: int) -> Table:
    entrants = tuple(Entrant(EntrantId(f"s{seed}"), seed) for seed in range(1, count + 1))
    return Table(TournamentKind.KNOCKOUT, 0, entrants)


def pairs(table: Table, rules: KnockoutRules) -> list[str]:
    return [f"{b.first}-{b.second}" for b in pair_knockout(table, STANDARD, rules).boards]


def play(
    table: Table,
    rules: KnockoutRules,
    results: Mapping[str, Result] | None = None,
    points: Mapping[str, tuple[int, int]] | None = None,
) -> Table:
    """Play the next round with these results by pair; elsewhere the better seed wins."""
    paired = pair_knockout(table, STANDARD, rules)
    round = table.rounds + 1
    meetings = []
    for at, board in enumerate(paired.boards):
        name = f"{board.first}-{board.second}"
        better = FIRST if int(board.first[1:]) < int(board.second[1:]) else SECOND
        result = (results or {}).get(name, better)
        both = (points or {}).get(name)
        meetings.append(Meeting(round, board.first, board.second, result, both, board=at))
    return replace(table, rounds=round, meetings=(*table.meetings, *meetings))


def drawn(table: Table, rules: KnockoutRules) -> Bracket:
    return bracket(table, STANDARD, rules)


def test_the_best_seeds_meet_last() -> None:
    table = start(16)
    assert pairs(table, ONE_GAME) == [
        "s1-s16", "s8-s9", "s4-s13", "s5-s12", "s2-s15", "s7-s10", "s3-s14", "s6-s11",
    ]  # fmt: skip
    for _ in range(3):
        table = play(table, ONE_GAME)
    assert pairs(table, ONE_GAME) == ["s1-s2"]


def test_the_best_seeds_go_on_without_a_game_where_the_field_is_no_power_of_two() -> None:
    paired = pair_knockout(start(5), STANDARD, ONE_GAME)
    assert [f"{b.first}-{b.second}" for b in paired.boards] == ["s4-s5"]
    assert set(paired.resting) == {"s1", "s2", "s3"}
    table = play(start(5), ONE_GAME)
    assert set(pairs(table, ONE_GAME)) == {"s1-s4", "s2-s3"}
    assert pair_knockout(table, STANDARD, ONE_GAME).resting == ()


def test_a_level_tie_has_deciders_with_sides_exchanged_and_then_the_better_seed() -> None:
    rules = KnockoutRules(deciders=2)
    table = play(start(2), rules, {"s1-s2": DRAW})
    assert pairs(table, rules) == ["s2-s1"]
    won = play(table, rules, {"s2-s1": FIRST})
    assert drawn(won, rules).places == {"s2": 1, "s1": 2}
    level = play(play(table, rules, {"s2-s1": DRAW}), rules, {"s1-s2": DRAW})
    tie = drawn(level, rules).stages[0][0]
    assert (tie.winner, tie.decision) == ("s1", Decision.SEED)
    with pytest.raises(NothingToPair):
        pair_knockout(level, STANDARD, rules)


def test_only_level_ties_are_played_on() -> None:
    table = play(start(4), KnockoutRules(), {"s2-s3": DRAW})
    assert pairs(table, KnockoutRules()) == ["s3-s2"]
    table = play(table, KnockoutRules(), {"s3-s2": FIRST})
    assert pairs(table, KnockoutRules()) == ["s1-s3"]


def test_matches_of_several_games_end_when_they_are_decided() -> None:
    rules = KnockoutRules(games=3, deciders=0)
    table = play(start(2), rules)
    assert pairs(table, rules) == ["s2-s1"]
    table = play(table, rules)
    assert drawn(table, rules).open == ()
    assert drawn(table, rules).stages[0][0].score == (Decimal(2), Decimal(0))


def own_scheme(**worth: str) -> ScoringScheme:
    marks = {Mark(name.replace("_", "-")): Decimal(points) for name, points in worth.items()}
    return ScoringScheme("own", 1, {**STANDARD.match, **marks})


def score_game(round: int, first: str, second: str, result: Result) -> Meeting:
    return Meeting(round, EntrantId(first), EntrantId(second), result)


def test_a_tie_goes_on_while_a_forfeit_can_still_level_it() -> None:
    scheme = own_scheme(win="3", draw="2", loss="1", forfeit_win="3", forfeit_loss="0")
    rules = KnockoutRules(games=2, deciders=0)
    led = score_game(1, "s1", "s2", Result.FIRST_FORFEIT)
    table = replace(start(2), rounds=1, meetings=(led,))
    assert bracket(table, scheme, rules).stages[0][0].decision is None
    levelled = score_game(2, "s2", "s1", Result.FIRST_FORFEIT)
    table = replace(table, rounds=2, meetings=(led, levelled))
    tie = bracket(table, scheme, rules).stages[0][0]
    assert (tie.score, tie.decision) == ((Decimal(3), Decimal(3)), Decision.SEED)


@pytest.mark.parametrize("games", [1, 2])
def test_nobody_has_won_a_tie_before_its_first_game_whatever_a_loss_scores(games: int) -> None:
    scheme = own_scheme(win="0", draw="0.5", loss="1")
    rules = KnockoutRules(games=games)
    assert bracket(start(2), scheme, rules).stages[0][0].decision is None
    played = replace(start(2), rounds=1, meetings=(score_game(1, "s1", "s2", FIRST),))
    tie = bracket(played, scheme, rules).stages[0][0]
    assert tie.winner == ("s2" if games == 1 else None)


def test_game_points_decide_where_they_are_agreed_to() -> None:
    rules = KnockoutRules(by_game_points=True)
    table = play(start(2), rules, {"s1-s2": DRAW}, {"s1-s2": (3, 7)})
    tie = drawn(table, rules).stages[0][0]
    assert (tie.winner, tie.decision, tie.game_points) == ("s2", Decision.GAME_POINTS, (3, 7))
    assert drawn(table, KnockoutRules()).open


def test_a_forfeit_brings_the_game_points_of_the_scheme() -> None:
    scheme = replace(STANDARD, game={Mark.FORFEIT_WIN: 6})
    rules = KnockoutRules(games=2, by_game_points=True)
    won = replace(score_game(1, "s1", "s2", FIRST), points=(3, 0))
    forfeited = score_game(2, "s2", "s1", Result.FIRST_FORFEIT)
    table = replace(start(2), rounds=2, meetings=(won, forfeited))
    tie = bracket(table, scheme, rules).stages[0][0]
    assert (tie.winner, tie.decision, tie.game_points) == ("s2", Decision.GAME_POINTS, (3, 6))


def test_the_losing_semifinalists_play_for_the_third_place() -> None:
    rules = KnockoutRules(third_place=True)
    table = play(start(4), rules)
    assert len(pairs(table, rules)) == 2
    table = play(table, rules)
    assert drawn(table, rules).places == {"s1": 1, "s2": 2, "s3": 3, "s4": 4}
    shared = play(play(start(4), ONE_GAME), ONE_GAME)
    assert drawn(shared, ONE_GAME).places == {"s1": 1, "s2": 2, "s3": 3, "s4": 3}


def test_a_third_place_without_an_opponent_needs_no_game() -> None:
    rules = KnockoutRules(third_place=True)
    table = play(play(start(3), rules), rules)
    assert drawn(table, rules).places == {"s1": 1, "s2": 2, "s3": 3}


def test_who_withdraws_loses_the_tie_that_is_open_and_no_other() -> None:
    table = play(start(4), KnockoutRules())
    gone = replace(table, withdrawn={EntrantId("s1"): 2})
    assert drawn(gone, KnockoutRules()).places == {"s4": 3, "s3": 3, "s2": 1, "s1": 2}
    assert drawn(gone, KnockoutRules()).stages[0][0].winner == "s1"
    both = replace(table, withdrawn={EntrantId("s1"): 2, EntrantId("s2"): 2})
    assert drawn(both, KnockoutRules()).stages[-1][0].decision is Decision.WITHDRAWAL
    assert drawn(both, KnockoutRules()).places == {"s4": 3, "s3": 3, "s2": 2, "s1": 2}
    later = replace(table, rounds=2, withdrawn={EntrantId("s1"): 2, EntrantId("s2"): 3})
    assert drawn(later, KnockoutRules()).places[EntrantId("s2")] == 1


def test_who_never_came_is_not_drawn() -> None:
    table = replace(start(3), withdrawn={EntrantId("s2"): 1})
    assert pairs(table, ONE_GAME) == ["s1-s3"]
    with pytest.raises(TooFewEntrants):
        pairs(replace(table, withdrawn={EntrantId("s2"): 1, EntrantId("s3"): 1}), ONE_GAME)


def test_a_forfeit_by_both_leaves_the_tie_level() -> None:
    table = play(start(2), KnockoutRules(), {"s1-s2": Result.BOTH_FORFEIT})
    assert pairs(table, KnockoutRules()) == ["s2-s1"]


def test_a_round_waits_for_its_games() -> None:
    table = play(start(4), ONE_GAME)
    waiting = replace(
        table, meetings=(replace(table.meetings[0], result=None), *table.meetings[1:])
    )
    assert len(drawn(waiting, ONE_GAME).stages) == 1
    with pytest.raises(UnfinishedRound):
        pairs(waiting, ONE_GAME)


@pytest.mark.parametrize(("games", "deciders"), [(0, 1), (1, -1)])
def test_ties_have_games(games: int, deciders: int) -> None:
    with pytest.raises(BadValue):
        KnockoutRules(games=games, deciders=deciders)


@settings(max_examples=40)
@given(st.integers(2, 20), st.integers(1, 3), st.integers(0, 2), st.booleans(), st.randoms())
def test_every_knockout_ends_with_everybody_placed(
    count: int, games: int, deciders: int, third: bool, random: Random
) -> None:
    rules = KnockoutRules(games, deciders=deciders, third_place=third)
    table = start(count)
    stages = (count - 1).bit_length()
    while drawn(table, rules).open:
        results = {name: random.choice(list(Result)) for name in pairs(table, rules)}
        table = play(table, rules, results)
        assert table.rounds <= stages * (games + deciders)
    places = drawn(table, rules).places
    assert len(places) == count
    assert sorted(places.values())[:2] == [1, 2]
