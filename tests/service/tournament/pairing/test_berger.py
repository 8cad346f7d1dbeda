from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.tournament.pairing.berger import berger
from service.tournament.pairing.errors import SeatedTwice, TooFewEntrants
from service.tournament.table import EntrantId

SIX = ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"]
EIGHT = [
    "1-8 2-7 3-6 4-5", "8-5 6-4 7-3 1-2", "2-8 3-1 4-7 5-6", "8-6 7-5 1-4 2-3",
    "3-8 4-2 5-1 6-7", "8-7 1-6 2-5 3-4", "4-8 5-3 6-2 7-1",
]  # fmt: skip


def names(count: int) -> list[EntrantId]:
    return [EntrantId(str(number)) for number in range(1, count + 1)]


def lines(count: int, cycles: int = 1) -> list[str]:
    return [
        " ".join(f"{board.first}-{board.second}" for board in paired.boards)
        for paired in berger(names(count), cycles)
    ]


def test_the_tables_are_those_of_the_handbook() -> None:
    assert lines(6) == SIX
    assert lines(5) == [" ".join(b for b in line.split() if "6" not in b) for line in SIX]
    assert lines(8) == EIGHT


def test_the_last_two_rounds_of_the_first_cycle_change_places() -> None:
    turned = [" ".join("-".join(b.split("-")[::-1]) for b in line.split()) for line in SIX]
    assert lines(6, 2) == [*SIX[:3], SIX[4], SIX[3], *turned]


@settings(max_examples=60)
@given(st.integers(2, 20), st.integers(1, 4))
def test_everybody_meets_everybody_once_a_cycle_with_balanced_sides(
    count: int, cycles: int
) -> None:
    rounds = berger(names(count), cycles)
    met = Counter((b.first, b.second) for paired in rounds for b in paired.boards)
    firsts = Counter(first for first, _ in met.elements())
    games = Counter(each for pair in met.elements() for each in pair)
    for one in names(count):
        for other in names(count):
            if one < other:
                there, back = met[one, other], met[other, one]
                assert there + back == cycles
                assert abs(there - back) <= 1
        assert games[one] == cycles * (count - 1)
        assert abs(2 * firsts[one] - games[one]) <= 1
    assert len(rounds) == cycles * (count - 1 + count % 2)
    for paired in rounds:
        seated = [each for b in paired.boards for each in (b.first, b.second)]
        assert sorted([*seated, *paired.resting]) == sorted(names(count))


@pytest.mark.parametrize("cycles", [1, 2, 3, 4])
@pytest.mark.parametrize("count", [2, 4, 6, 8, 10, 12, 14, 16])
def test_nobody_has_the_same_side_three_times_running(count: int, cycles: int) -> None:
    for one in names(count):
        sides = [
            "1" if board.first == one else "2"
            for paired in berger(names(count), cycles)
            for board in paired.boards
            if one in (board.first, board.second)
        ]
        assert not {"111", "222"} & {"".join(sides[at : at + 3]) for at in range(len(sides))}


def test_only_four_players_in_more_than_two_cycles_had_another_order_earlier() -> None:
    changed = {
        (count, cycles)
        for count in range(2, 17)
        for cycles in range(1, 5)
        if berger(names(count), cycles) != berger(names(count), cycles, earlier=True)
    }
    assert changed == {(4, 3), (4, 4)}


def test_one_player_is_no_tournament_and_two_of_a_name_are_not_two() -> None:
    with pytest.raises(TooFewEntrants):
        berger(names(1))
    with pytest.raises(SeatedTwice):
        berger([*names(3), EntrantId("2")])
