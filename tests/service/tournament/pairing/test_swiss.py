"""Swiss pairings, judged by the tests' own rules (`swiss_rules`)."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from importlib.util import find_spec

import pytest

from service.tournament.pairing.board import PairedBoard
from service.tournament.pairing.errors import (
    NoPairing,
    NothingToPair,
    SwissUnavailable,
    TooFewEntrants,
    UnfinishedRound,
)
from service.tournament.pairing.swiss import pair_swiss
from service.tournament.scheme import STANDARD
from service.tournament.table import (
    Bye,
    Entrant,
    EntrantId,
    Mark,
    Meeting,
    Result,
    Table,
    TournamentKind,
)
from tests.service.tournament.pairing.swiss_rules import (
    Player,
    Round,
    faults,
    most_pairs,
    needless_floats,
)
from tests.service.tournament.pairing.swiss_season import season

pytestmark = pytest.mark.skipif(
    find_spec("py4swiss") is None, reason="py4swiss has no build for this machine"
)
SMALL = 10
"""Up to this many players every completion of a round is tried."""


def judge(seeds: range, most: int) -> Counter[str]:
    """Play and judge the tournaments; return counts of what was judged."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        seen["tournaments"] += 1
        for played in season(seed, most):
            few = len(played.round.players) <= SMALL
            if played.refused:
                seen["refused"] += 1
                seen["refused of few"] += few
                there = played.round.players
                assert not few or most_pairs(played.round, there, set()) is None, seed
                continue
            seen["rounds"] += 1
            seen["pairs"] += len(played.pairs)
            seen["byes"] += len(played.byes)
            broken = faults(played.round, played.pairs, played.byes)
            if few:
                seen["rounds of few"] += 1
                broken += needless_floats(played.round, played.pairs, played.byes)
            assert not broken, (seed, played.round.number, broken)
    return seen


@pytest.mark.slow
def test_no_tournament_breaks_an_absolute_rule_or_a_colour_rule() -> None:
    seen = judge(range(30), 30)
    assert seen["pairs"] > 500
    assert seen["byes"] > 10
    assert seen["rounds of few"] > 5


@pytest.mark.soak
def test_a_thousand_tournaments_break_no_rule() -> None:
    seen = judge(range(1000, 2400), 40)
    print(dict(seen))
    assert seen["tournaments"] >= 1000
    assert seen["pairs"] > 50_000


def test_what_the_rules_of_the_tests_find() -> None:
    def history(seed: int, met: int, colours: str, bye: bool = False) -> Player:
        return Player(seed, [met] * len(colours), list(colours), [0] * len(colours), bye)

    players = {
        1: history(1, 9, "wbww"), 2: history(2, 9, "bwww"), 3: history(3, 4, "wbwb"),
        4: history(4, 3, "bwbw"), 5: history(5, 9, "wbwb", bye=True),
    }  # fmt: skip
    found = faults(Round(players, 5, 9, 10, True), [(1, 2), (4, 3)], [5])
    assert [each.split(":")[0] for each in found] == [
        "C.2", "C.1 or C.3", "C.04.1.f, g", "C.1 or C.3", "E",
    ]  # fmt: skip
    assert faults(Round(players, 5, 9, 10, True), [(4, 3)], [1, 2])[:2] == [
        "not everybody is seated once: [1, 2, 3, 4]",
        "2 byes for 5 players",
    ]
    fresh = {seed: Player(seed) for seed in range(1, 5)}
    fresh[1].scores = fresh[2].scores = [10]
    assert needless_floats(Round(fresh, 2, 9, 10, True), [(1, 3), (2, 4)], [])
    assert most_pairs(Round(fresh, 2, 9, 10, True), fresh, {1, 2}) == 1


def entrants(count: int) -> tuple[Entrant, ...]:
    return tuple(Entrant(EntrantId(f"e{seed}"), seed) for seed in range(1, count + 1))


def boards(*pairs: str) -> list[PairedBoard]:
    return [
        PairedBoard(EntrantId(first), EntrantId(second)) for first, second in map(str.split, pairs)
    ]


def test_the_first_round_pairs_the_halves_and_the_last_rests() -> None:
    paired = pair_swiss(Table(TournamentKind.SWISS, 0, entrants(7)), STANDARD, 5)
    assert list(paired.boards) == boards("e1 e4", "e5 e2", "e3 e6")
    assert paired.resting == ("e7",)
    other = pair_swiss(
        Table(TournamentKind.SWISS, 0, entrants(7)), STANDARD, 5, first_round_first=False
    )
    assert list(other.boards) == boards("e4 e1", "e2 e5", "e6 e3")


def test_neither_seeds_with_gaps_nor_the_order_of_entrants_matter() -> None:
    table = Table(TournamentKind.SWISS, 0, entrants(6))
    gaps = tuple(replace(each, seed=each.seed * 7) for each in reversed(table.entrants))
    assert pair_swiss(replace(table, entrants=gaps), STANDARD, 5) == pair_swiss(table, STANDARD, 5)


def test_who_has_a_bye_withdrew_or_comes_later_is_not_paired() -> None:
    there = entrants(8)
    table = Table(
        TournamentKind.SWISS,
        0,
        (*there[:7], replace(there[7], entered=2)),
        byes=(Bye(1, EntrantId("e1"), Mark.HALF_BYE), Bye(2, EntrantId("e2"), Mark.ZERO_BYE)),
        withdrawn={EntrantId("e3"): 1, EntrantId("e4"): 2},
    )
    paired = pair_swiss(table, STANDARD, 5)
    seated = {each for board in paired.boards for each in (board.first, board.second)}
    assert seated | set(paired.resting) == {"e2", "e4", "e5", "e6", "e7"}


def test_two_whose_game_was_forfeited_may_meet_again() -> None:
    one, two = entrants(2)
    forfeited = Meeting(1, one.id, two.id, Result.SECOND_FORFEIT)
    table = Table(TournamentKind.SWISS, 1, (one, two), (forfeited,))
    assert len(pair_swiss(table, STANDARD, 3).boards) == 1
    played = replace(table, meetings=(replace(forfeited, result=Result.SECOND),))
    with pytest.raises(NoPairing):
        pair_swiss(played, STANDARD, 3)


def test_what_cannot_be_paired_is_refused() -> None:
    one, two = entrants(2)
    table = Table(TournamentKind.SWISS, 1, (one, two), (Meeting(1, one.id, two.id),))
    with pytest.raises(UnfinishedRound):
        pair_swiss(table, STANDARD, 3)
    with pytest.raises(NothingToPair):
        pair_swiss(replace(table, meetings=()), STANDARD, 1)
    with pytest.raises(TooFewEntrants):
        pair_swiss(replace(table, meetings=(), withdrawn={two.id: 2}), STANDARD, 3)


def test_without_the_library_the_refusal_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py4swiss.engines", None)
    with pytest.raises(SwissUnavailable, match="py4swiss"):
        pair_swiss(Table(TournamentKind.SWISS, 0, entrants(2)), STANDARD, 3)
