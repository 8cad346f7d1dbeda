"""Board, regions and pieces: each sentence and picture of the rules page `kerd.md`."""

from __future__ import annotations

import pytest

from engine.kerd import KERD as GAME
from engine.kerd.board import AIR_REGION, LAND_REGION, SQUARES, WATER_REGION, region
from notation.kerd.names import NAMES
from tests.engine.kerd_support import (
    FILES,
    KERD,
    START,
    at,
    field,
    play,
    targets,
)

L_LEAPS_OF_J5 = {"h4", "h6", "i3", "i7", "k3", "k7", "l4", "l6"}


def squares(text: str) -> set[str]:
    return set(text.split())


# Board and regions


def test_white_moves_first_on_twelve_by_twelve_squares() -> None:
    assert GAME.sides == ("White", "Black")
    assert GAME.start().side == 0
    assert len(SQUARES) == 144
    assert NAMES[SQUARES[0]] + NAMES[SQUARES[-1]] == "a1l12"


def test_air_is_a_cross_two_wide_land_its_neighbour_files_and_water_the_rest() -> None:
    found: dict[int, set[str]] = {AIR_REGION: set(), LAND_REGION: set(), WATER_REGION: set()}
    for square in SQUARES:
        found[region(square)].add(NAMES[square])
    cross = {f"{file}{rank}" for file in FILES for rank in (6, 7)}
    cross |= {f"{file}{rank}" for file in "fg" for rank in range(1, 13)}
    beside = {f"{file}{rank}" for file in "dehi" for rank in range(1, 13)}
    assert found[AIR_REGION] == cross
    assert found[LAND_REGION] == beside - cross
    assert len(found[WATER_REGION]) == 60


def test_the_start_is_that_of_the_picture() -> None:
    assert KERD.write_fen(GAME.start()) == START


def test_picture_a_hussar_on_j5_may_not_go_straight_to_j8() -> None:
    assert targets(at("Hj5"), "j5") == L_LEAPS_OF_J5 | {"j2", "g5"}


def test_picture_a_hussar_on_h5_may_go_neither_to_h8_nor_to_e5() -> None:
    assert targets(at("Hh5"), "h5") == squares("f4 f6 g3 g7 i3 i7 j4 j6 h2 k5")


def test_picture_a_bishop_on_land_stops_in_the_air() -> None:
    assert targets(at("Bh4"), "h4") == squares("g5 f6 e7 i5 j6 k7 i3 j2 k1 g3 f2")


def test_a_bishop_may_end_in_the_air_and_not_come_back_into_it() -> None:
    assert targets(at("Bb5 Kl1 ka1"), "b5") == squares("a4 c4 d3 e2 f1 a6 c6 d7")
    assert {"e8", "f9"}.isdisjoint(targets(at("Bb5 pf9 Kl1 ka1"), "b5"))


def test_a_piece_in_the_air_moves_freely() -> None:
    reached = "e5 d4 c3 b2 a1 l12 h8 i9 j10 k11 e7 d8 c9 b10 a11 g7 g5 h4 i3 j2 k1"
    assert targets(at("Bf6 Kb1 ka12"), "f6") == squares(reached)
    assert {"j9", "j3", "g6"} <= targets(at("Hj6"), "j6")
    assert {"e6", "h9"} <= targets(at("Hh6"), "h6")


@pytest.mark.parametrize(
    ("piece", "reached"), [("S", {"h8", "j10"}), ("T", {"e12", "l5"}), ("Q", {"h8", "e12"})]
)
def test_scouts_towers_and_queens_are_never_affected(piece: str, reached: set[str]) -> None:
    assert reached <= targets(at(f"{piece}e5"), "e5")


def test_a_capture_obeys_the_region_rule_as_a_move_does() -> None:
    assert "h8" not in targets(at("Be5 ph8"), "e5")
    assert "g7" in targets(at("Be5 pg7"), "e5")
    assert "j8" not in targets(at("Hj5 pj8"), "j5")
    assert "g5" in targets(at("Hj5 pg5"), "j5")


# Pawns


def test_a_pawn_steps_forward_onto_an_empty_square_and_captures_diagonally() -> None:
    assert targets(at("Pd4"), "d4") == {"d5"}
    assert targets(at("Pd4 pd5 pc5 pe5"), "d4") == {"c5", "e5"}
    assert targets(at("Pd4 Pd5 Pc5 Pe5"), "d4") == set()
    assert targets(at("pd9 Pc8 Pe8", "b"), "d9") == {"d8", "c8", "e8"}


@pytest.mark.parametrize(
    ("square", "reached"),
    [("c2", "c3"), ("d2", "d3 d4"), ("h2", "h3 h4"), ("f3", "f4 f5 f6"), ("k2", "k3")],
)
def test_a_first_move_goes_as_far_as_the_region_allows(square: str, reached: str) -> None:
    assert targets(at(f"P{square}"), square) == squares(reached)
    spent = at(f"P{square}", spent=square)
    assert targets(spent, square) == {f"{square[0]}{int(square[1:]) + 1}"}


def test_every_square_of_a_first_move_must_be_empty() -> None:
    assert targets(at("Pf3 pf5"), "f3") == {"f4"}
    assert targets(at("Pf3 pf4"), "f3") == set()
    assert targets(at("Ph2 Sh4"), "h2") == {"h3"}


def test_a_pawn_that_has_moved_onto_a_starting_square_has_no_first_move() -> None:
    position = play(at("Pe2 sf3"), "e2f3", "l11l10")
    assert targets(position, "f3") == {"f4"}
    assert field(position, "spent") == "f3"


def test_there_is_no_en_passant() -> None:
    position = play(at("Pf5 pg10", "b"), "g10g7", "a1a2", "g7g6", "a2a1", "g6g5")
    assert targets(position, "f5") == {"f6"}


# Bishops, Scouts, Hussars


def test_a_bishop_goes_any_distance_until_it_meets_a_piece() -> None:
    assert targets(at("Bb2 Pd4 pa3"), "b2") == {"c3", "a3", "c1"}


def test_a_scout_moves_as_a_bishop_without_regions() -> None:
    reached = "a4 b3 c2 d1 c4 d5 e6 f7 g8 h9 i10 j11 k12 a2 b1 c6 a5"
    position = at("Sb3 Kl1 ka12")
    assert targets(position, "b3") <= squares(reached) | {"a4", "a2"}
    assert {"k12", "f7", "g8"} <= targets(position, "b3")


def test_a_hussar_leaps_over_anything_but_passes_straight_over_friends_alone() -> None:
    assert targets(at("Hj5 pj4 Pi5 pk5 Pj6 pi4 pk6"), "j5") >= L_LEAPS_OF_J5
    assert "j2" in targets(at("Hj5 Pj4 Bj3"), "j5")
    assert "j2" not in targets(at("Hj5 pj4"), "j5")
    assert "j2" not in targets(at("Hj5 pj3"), "j5")
    assert {"j2", "h4"} <= targets(at("Hj5 pj2 ph4"), "j5")
    assert {"j2", "h4"}.isdisjoint(targets(at("Hj5 Pj2 Ph4"), "j5"))
    assert {"j4", "j3"}.isdisjoint(targets(at("Hj5"), "j5"))


# Jumpers


def test_a_jumper_steps_in_any_direction_and_captures_forward_alone() -> None:
    around = squares("a2 a3 a4 b2 b4 c2 c3 c4")
    assert targets(at("Jb3"), "b3") == around
    enemies = at("Kl1 Jb3 " + " ".join(f"p{square}" for square in sorted(around)))
    captured = targets(enemies, "b3") & around
    assert captured == {"a4", "b4", "c4"}
    black = at("jb10 " + " ".join(f"P{square}" for square in squares("a11 b11 c11 a9 b9 c9")), "b")
    assert {"a9", "b9", "c9"} == targets(black, "b10") & squares("a11 b11 c11 a9 b9 c9")


def test_a_jumper_jumps_over_friend_and_enemy_and_captures_neither() -> None:
    position = at("Jb3 pb4 Pc3")
    assert {"b5", "d3"} <= targets(position, "b3")
    after = play(position, "b3b5")
    assert field(after, "placement").count("p") == 1
    assert field(after, "recapture") == "-"


def test_the_square_behind_the_piece_must_be_empty() -> None:
    assert "b5" not in targets(at("Jb3 pb4 pb5"), "b3")
    assert "b5" not in targets(at("Jb3 pb4 Pb5"), "b3")


@pytest.mark.parametrize(
    ("square", "directions"), [("b3", 0), ("d3", 1), ("f3", 2), ("c6", 2), ("j2", 0), ("i10", 1)]
)
def test_pictures_a_jumper_jumps_farther_from_land_and_farthest_from_the_air(
    square: str, directions: int
) -> None:
    file, rank = FILES.index(square[0]), int(square[1:])
    away = 1 if file < 6 else -1
    for empty in range(4):
        over = f"{FILES[file + away * (empty + 1)]}{rank}"
        landing = f"{FILES[file + away * (empty + 2)]}{rank}"
        position = at(f"J{square} P{over} Ka12 kl1")
        crossing = region_of(square) != "air" and region_of(landing) != "air" and over[0] >= "f"
        crossing = crossing and over[0] <= "g"
        assert (landing in targets(position, square)) is (empty <= directions and not crossing)


def region_of(name: str) -> str:
    return "air" if name[0] in "fg" or int(name[1:]) in (6, 7) else "outside"


def test_a_jump_obeys_the_region_rule() -> None:
    assert "e5" not in targets(at("Jh5 Pf5"), "h5")
    assert "f5" in targets(at("Jh5 Pg5"), "h5")
    assert "h8" not in targets(at("Je5 Pg7"), "e5")
    assert "g7" in targets(at("Je5 Pf6"), "e5")
    assert "h6" in targets(at("Je6 Pg6"), "e6")


# Towers, Queens, Kings


def test_a_tower_goes_straight_and_a_queen_in_all_eight_directions() -> None:
    straight = {f"e{n}" for n in range(1, 13)} | {f"{file}5" for file in FILES}
    assert targets(at("Te5"), "e5") == straight - {"e5"}
    diagonal = squares("d4 c3 b2 f6 g7 h8 i9 j10 k11 d6 c7 b8 a9 f4 g3 h2 i1 l12")
    assert targets(at("Qe5 kl11"), "e5") == (straight - {"e5"}) | diagonal


def test_a_slider_takes_the_first_enemy_and_stops_before_a_friend() -> None:
    assert targets(at("Ta5 Pa7 pc5"), "a5") == squares("a6 b5 c5 a4 a3 a2")


def test_a_king_steps_one_square_in_any_direction_but_not_into_attack() -> None:
    assert targets(at("Kb2 kl12"), "b2") == squares("a1 a2 a3 b1 b3 c1 c2 c3")
    assert targets(at("Kb2 tc12"), "b2") == squares("a1 a2 a3 b1 b3")
