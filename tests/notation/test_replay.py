"""Variations judged by the rules: where they begin, and where each action is."""

from __future__ import annotations

import io

import pytest

from notation.errors import RecordError
from notation.game import MAX_NESTING, Line
from notation.katruji import KatrujiDialect
from notation.reader import read, read_game
from notation.writer import write
from tests.games import recorded

KATRUJI = KatrujiDialect()
SEVEN_QUIET = "O2O/P1SO/O1O1/4/1P2/SO2/OOO1/2O1 s 0-0 - 7 6"
ENDED = next(g for g in recorded("katruji") if g.tags["Termination"] == "yara")


def record(movetext: str, **tags: str) -> str:
    pairs = {"Variant": "katruji", **tags}
    return "".join(f'[{name} "{value}"]\n' for name, value in pairs.items()) + f"\n{movetext}\n"


def coordinates(line: Line) -> list[object]:
    """A line in coordinate form, each action followed by its variations."""
    found: list[object] = []
    for move in line:
        found += [KATRUJI.coordinate(move.action), *map(coordinates, move.variations)]
    return found


def refused(movetext: str, **tags: str) -> tuple[str, int | None, int | None, int | None]:
    with pytest.raises(RecordError) as caught:
        read_game(record(movetext, **tags))
    error = caught.value
    return error.code, error.line, error.column, error.ply


def test_a_variation_begins_where_the_action_it_replaces_stood() -> None:
    game = read_game(record("1. Pd2 (1. Pd1 Pa7) (1. Sd1 Sa8 2. Pd2) Pa7 (1... Pa6 2. Pd1) *"))
    assert coordinates(game.moves) == [
        "c3d2",
        ["c2d1", "b6a7"],
        ["c1d1", "b8a8", "c3d2"],
        "b6a7",
        ["b7a6", "c2d1"],
    ]
    assert len(game.actions) == 2


def test_a_variation_of_a_variation_begins_in_that_one() -> None:
    game = read_game(record("1. Pd2 (1. Pd1 Pa7 (1... Pa6 2. Pa4 (2. Pc4)) 2. Pa4) Pa7 *"))
    inner = read_game(record("1. Pd1 Pa6 2. Pc4 *"))
    replaced = game.moves[0].variations[0][1].variations[0]
    assert replaced[1].variations[0][0] == inner.moves[2]


def test_a_variation_behind_kyan_replaces_it_and_one_behind_the_move_the_move_alone() -> None:
    game = read_game(record("6. Kyan (6. O1d1) O1d1 (6. Occ3) 6... Oab8 *", FEN=SEVEN_QUIET))
    assert coordinates(game.moves) == ["Kyan", ["c1d1"], "c1d1", ["c2c3"], "a8b8"]


@pytest.mark.parametrize(
    ("movetext", "place"),
    [
        ("1. Pd2 (1. Pz1) Pa7 *", (4, 12, 1)),
        ("1. Pd2 (1. Pd1\nPd1) Pa7 *", (5, 1, 2)),
        ("1. Pd2 Pa7 (1... Pa6 2. Pd1\n(2. Sd1 Pd1)) *", (5, 9, 4)),
        ("1. Pd2 Pa7 (1... Pa6) 2. Pa7 *", (4, 26, 3)),
        ("1. Pd2 (1. Pd1 (1. Pa7) Pa9) Pa9 *", (4, 20, 1)),
        ("1. Pa7 (1. Pa9) *", (4, 4, 1)),
    ],
)
def test_the_first_illegal_action_is_placed_by_its_number_in_the_line(
    movetext: str, place: tuple[int, int, int]
) -> None:
    assert refused(movetext, Own="") == ("illegal-move", *place)


def test_kyan_counts_as_an_action_in_a_variation() -> None:
    assert refused("6. O1d1 (6. Kyan\nPz1) *", FEN=SEVEN_QUIET) == ("illegal-move", 5, 1, 2)


def test_a_variation_knows_where_the_rules_end_it() -> None:
    last, plies = write(ENDED).split()[-2:], len(ENDED.actions)
    moves = write(ENDED).removesuffix(f"{last[1]}\n")
    assert read_game(f"{moves} ({last[0]}) {last[1]}").moves[-1].variations
    with pytest.raises(RecordError) as caught:
        read_game(f"{moves} ({last[0]} Pa1) {last[1]}")
    assert (caught.value.code, caught.value.ply) == ("after-the-end", plies + 1)


def test_an_ambiguous_action_of_a_variation_lists_the_candidates() -> None:
    with pytest.raises(RecordError) as caught:
        read_game(record("6. O1d1 (6. Oc3) *", FEN=SEVEN_QUIET))
    assert caught.value.code == "ambiguous-move"
    assert caught.value.nearest == ("Ob2c3", "Occ3", "O3c3")


def test_r0_the_agreed_limit_counts_from_the_start_of_the_game_in_variations_too() -> None:
    within = "1. Pd2 (1. Pd1 Pa7 2. Pd2) Pa7 2. Pd1 1/2-1/2"
    assert read_game(record(within, PlyLimit="3")).moves[0].variations
    beyond = within.replace("2. Pd2)", "2. Pd2 Sa8)")
    assert refused(beyond, PlyLimit="3") == ("after-the-end", 4, 27, 4)


def test_the_deepest_nesting_is_read_and_written() -> None:
    game = read_game(record("Pd2 " + "(Pd1 " * MAX_NESTING + ")" * MAX_NESTING + "*"))
    text = write(game)
    assert text.count("(") == text.count(")") == MAX_NESTING
    assert read_game(text) == game


def test_a_bad_variation_harms_its_own_game_alone() -> None:
    good = record("1. Pd2 (1. Pd1) *")
    verdicts = read(io.StringIO(good + "\n" + good.replace("Pd1", "Pd9") + "\n" + good))
    assert [str(verdict) for verdict in verdicts] == [
        "1 ok",
        "2 quarantined illegal-move 7 1",
        "3 ok",
    ]
