"""The hexagon: spaces, names, neighbours, distances."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.kerak import board
from engine.kerak.board import BOARD, HOME, OFF, SPACES, STEP_AHEAD, STEP_TO, HexBoard


def test_r10_the_board_is_a_regular_hexagon_of_side_five() -> None:
    assert [len(row) for row in BOARD.rows] == [5, 6, 7, 8, 9, 8, 7, 6, 5]
    assert SPACES == len(BOARD.names) == len(set(BOARD.names)) == 61


def test_r10_the_three_rows_nearest_a_player_hold_18_spaces() -> None:
    assert [home.bit_count() for home in HOME] == [18, 18]
    assert HOME[0] & HOME[1] == 0
    for space, (letter, number) in enumerate(BOARD.coordinates):
        assert HOME[0] >> space & 1 == (letter + number in (6, 7, 8))
        assert HOME[1] >> space & 1 == (letter + number in (14, 13, 12))


def test_r10_spaces_neighbours_and_names_follow_from_the_row_lengths() -> None:
    small = HexBoard((3, 4, 5, 4, 3))
    assert small.names[:3] == ("a3", "a4", "a5")
    assert [small.names[space] for space in small.rows[0]] == ["a3", "b2", "c1"]
    assert sum(1 for row in small.neighbours for to in row if to is not None) == 2 * 42


def test_r11_a_space_is_on_the_board_when_letter_and_number_make_6_to_14() -> None:
    expected = {(a, n) for a in range(1, 10) for n in range(1, 10) if 6 <= a + n <= 14}
    assert set(BOARD.coordinates) == expected


def test_r11_rows_run_from_reds_nearest_to_blues() -> None:
    named = [" ".join(BOARD.names[space] for space in row) for row in BOARD.rows]
    assert named[0] == "a5 b4 c3 d2 e1"
    assert named[-1] == "e9 f8 g7 h6 i5"


def test_r11_the_six_neighbours() -> None:
    centre = BOARD.names.index("e5")
    around = {BOARD.names[to] for to in BOARD.neighbours[centre] if to is not None}
    assert around == {"f5", "d5", "e6", "e4", "f4", "d6"}
    corner = BOARD.names.index("e1")
    assert {BOARD.names[to] for to in BOARD.neighbours[corner] if to is not None} == {
        "e2",
        "d2",
        "f1",
    }


def test_distance_is_the_least_number_of_steps() -> None:
    for start in range(SPACES):
        steps = {start: 0}
        wave = [start]
        while wave:
            reached = {to for at in wave for to in BOARD.neighbours[at] if to is not None}
            wave = [to for to in sorted(reached) if to not in steps]
            steps.update(dict.fromkeys(wave, max(steps.values()) + 1))
        assert steps == {at: BOARD.distance(start, at) for at in range(SPACES)}


def test_sets_around_a_space() -> None:
    for space in range(SPACES):
        near = {at for at in range(SPACES) if board.NEXT_TO[space] >> at & 1}
        assert near == {to for to in BOARD.neighbours[space] if to is not None}
        two = {at for at in range(SPACES) if board.WITHIN_TWO[space] >> at & 1}
        assert two == {at for at in range(SPACES) if 1 <= BOARD.distance(space, at) <= 2}


@pytest.mark.parametrize("length", [2, 3])
def test_picture_i_steps_ahead_are_the_paths_that_touch_no_space_left(length: int) -> None:
    """The table of next steps yields exactly the paths that the rule's wording allows."""

    def literal(path: tuple[int, ...]) -> set[tuple[int, ...]]:
        if len(path) > length:
            return {path}
        near = [to for to in BOARD.neighbours[path[-1]] if to is not None]
        free = [to for to in near if all(BOARD.distance(left, to) > 1 for left in path[:-1])]
        return {whole for to in free for whole in literal((*path, to))}

    def by_table(path: tuple[int, ...], steps: range | list[int]) -> set[tuple[int, ...]]:
        if len(path) > length:
            return {path}
        return {
            whole
            for step in steps
            if STEP_TO[step] != OFF
            for whole in by_table((*path, STEP_TO[step]), STEP_AHEAD[3 * step : 3 * step + 3])
        }

    for start in range(SPACES):
        found = by_table((start,), range(6 * start, 6 * start + 6))
        assert found == literal((start,))
        assert all(
            BOARD.distance(one, other) == 1 for path in found for one, other in pairwise(path)
        )
