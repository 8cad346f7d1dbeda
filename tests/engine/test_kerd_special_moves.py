"""Promotion, Commanders, castling and endings: each sentence and picture of `kerd.md`."""

from __future__ import annotations

import pytest

from tests.engine.coordinates import ended
from tests.engine.kerd_support import FILES, at, field, names, of, play, targets

# Promotion


@pytest.mark.parametrize("file", FILES)
def test_white_promotes_on_rank_8_outside_the_air_files_and_black_on_rank_5(file: str) -> None:
    promotes = set() if file in "fg" else {"=T"}
    white = at(f"P{file}7", pool="Tt")
    assert of(white, f"{file}7") == {f"{file}7{file}8{end}" for end in {"", *promotes}}
    black = at(f"p{file}6", "b", pool="Tt")
    assert of(black, f"{file}6") == {f"{file}6{file}5{end}" for end in {"", *promotes}}


def test_a_capture_promotes_too_also_out_of_an_air_file() -> None:
    assert of(at("Pf7 pe8 pg8 pf8", pool="Q"), "f7") == {"f7e8", "f7e8=Q", "f7g8"}
    assert of(at("Pd7 pe8 pd8", pool="Q"), "d7") == {"d7e8", "d7e8=Q"}


def test_promotion_needs_a_removed_piece_of_the_own_side_and_takes_it() -> None:
    assert of(at("Pe7"), "e7") == {"e7e8"}
    assert of(at("Pe7", pool="q"), "e7") == {"e7e8"}
    position = play(at("Pe7", pool="T2B"), "e7e8=T")
    assert field(position, "pool") == "TB"
    assert field(position, "placement").split("/")[4] == "4T7"


def test_the_pool_holds_pieces_of_the_colour_they_had_when_they_were_removed() -> None:
    taken = play(at("Td4 hd9"), "d4d9")
    assert field(taken, "pool") == "h"
    turned = play(at("Kb1 td9 hd4", infiltrators="d4/x", checked=1), "R:d4", "d9d4")
    assert field(turned, "pool") == "H"
    assert field(play(at("Hc4", infiltrators="-/x"), "X:c4"), "pool") == "H"
    assert field(play(at("Td4 pd9"), "d4d9"), "pool") == "-"


def test_a_pawn_on_the_last_rank_has_no_more_moves() -> None:
    position = at("Pe12 Cg12 pd11", infiltrators="x/-")
    assert of(position, "e12") == of(position, "g12") == set()


# Commanders


def test_a_commander_moves_and_captures_as_a_pawn() -> None:
    assert targets(at("Cd4 pc5 Pe5"), "d4") == {"c5", "d5"}
    assert targets(at("Cf2"), "f2") == {"f3", "f4", "f5"}


def test_a_joint_advance_takes_both_forward_by_the_same_number_of_squares() -> None:
    position = at("Cf4 Pe4")
    assert of(position, "f4") == {"f4f5", "f4f5&e4e5"}
    after = play(position, "f4f5&e4e5")
    assert field(after, "placement").split("/")[7] == "4PC6"


def test_it_goes_as_far_as_the_shorter_of_the_two_first_moves() -> None:
    assert of(at("Cf2 Pe2"), "f2") == {"f2f3", "f2f4", "f2f5", "f2f3&e2e3", "f2f4&e2e4"}
    assert of(at("Cf2 Pe2", spent="e2"), "f2") == {"f2f3", "f2f4", "f2f5", "f2f3&e2e3"}
    assert of(at("Cf2 Pe2", spent="f2"), "f2") == {"f2f3", "f2f3&e2e3"}


@pytest.mark.parametrize("beside", ["e3", "f3", "g3", "e4", "g4", "e5", "f5", "g5"])
def test_the_pawn_may_stand_on_any_of_the_eight_squares_around(beside: str) -> None:
    position = at(f"Cf4 P{beside}", spent="-")
    ahead = f"{beside[0]}{int(beside[1:]) + 1}"
    assert f"f4f5&{beside}{ahead}" in of(position, "f4")
    assert of(at(f"Cf4 p{beside} Ka1 kl12"), "f4") <= {"f4f5", "f4e5", "f4g5"}


def test_both_are_lifted_off_the_board_before_their_way_must_be_empty() -> None:
    assert of(at("Cf2 Pf3"), "f2") == {"f2f3&f3f4", "f2f4&f3f5", "f2f5&f3f6"}
    assert of(at("Cf4 Pf3"), "f4") == {"f4f5", "f4f5&f3f4"}
    assert of(at("Cf2 Pe2 pe4"), "f2") == {"f2f3", "f2f4", "f2f5", "f2f3&e2e3"}
    assert of(at("Cf4 Pe4 pe5"), "f4") == {"f4f5", "f4e5"}


def test_a_joint_advance_into_the_place_of_the_other_keeps_both_choices_apart() -> None:
    position = play(at("Cf4 Pf3", infiltrators="x/f3"), "f4f5&f3f4")
    assert field(position, "infiltrators") == "x/f4"
    position = play(at("Cf4 Pf5", infiltrators="x/f4"), "f4f5&f5f6")
    assert field(position, "infiltrators") == "x/f5"


def test_the_pawn_of_a_joint_advance_may_promote() -> None:
    position = at("Ce6 Pd7", pool="TC")
    expected = {"e6e7", "e6e7&d7d8", "e6e7&d7d8=T", "e6e7&d7d8=C"}
    assert of(position, "e6") == expected
    assert field(play(position, "e6e7&d7d8=T"), "placement").split("/")[4:6] == ["3T8", "4C7"]


def test_a_commander_recaptures_in_any_direction_where_a_pawn_beside_it_was_just_taken() -> None:
    for commander in ("c3", "d3", "e3", "c4", "e4", "c5", "d5", "e5"):
        position = play(at(f"Pd4 C{commander} hf5 Kl1 kb12", "b"), "f5d4")
        assert field(position, "recapture") == "d4"
        assert f"{commander}d4" in names(position)
        later = play(position, "l1k1", "b12b11")
        assert field(later, "recapture") == "-"
        forward = commander in ("c3", "e3")
        assert (f"{commander}d4" in names(later)) is forward


def test_a_recapture_needs_a_pawn_taken_on_a_neighbouring_square() -> None:
    assert "e3d4" in names(play(at("Pd4 Ce3 sh8 Kl1 kb12", "b"), "h8d4"))
    assert "c5d4" not in names(play(at("Hd4 Cc5 sh8 Kl1 kb12", "b"), "h8d4"))
    assert "d6d4" not in names(play(at("Pd4 Cd6 sh8 Kl1 kb12", "b"), "h8d4"))
    assert "e5d4" not in names(play(at("Cd4 Ce5 th4 Kl1 kb12", "b"), "h4d4"))


def test_a_recapture_is_one_action_where_it_is_a_plain_capture_too() -> None:
    position = play(at("Pd4 Cc3 sh8 Kl1 kb12", "b"), "h8d4")
    assert len(position.legal()) == len(names(position))


# Castling

BOTH = "Kg1 Tl1 Ta1 Jk1 Jb1 kd11"


def test_picture_short_and_long_castling() -> None:
    position = at(BOTH, castling="KQ")
    assert {"g1j1", "g1c1"} <= names(position)
    assert field(play(position, "g1j1"), "placement").endswith("/TJ6TKJ1")
    assert field(play(at(BOTH, castling="KQ"), "g1c1"), "placement").endswith("/1JK1T5JT")
    black = at("kg12 tl12 ta12 jk12 jb12 Kg1", "b", castling="kq")
    assert field(play(black, "g12c12"), "placement").startswith("1jk1t5jt/")
    assert field(play(at("kg12 tl12 jk12 Kh4", "b", castling="k"), "g12j12"), "castling") == "-"


@pytest.mark.parametrize("square", ["h1", "i1", "j1"])
def test_every_square_between_king_and_jumper_must_be_empty(square: str) -> None:
    position = at(f"{BOTH} S{square}", castling="KQ")
    assert "g1j1" not in names(position)
    assert "g1c1" in names(position)


@pytest.mark.parametrize("square", ["g1", "h1", "i1", "j1"])
def test_neither_the_king_nor_his_way_may_be_attacked(square: str) -> None:
    position = at(f"{BOTH} t{square[0]}9", castling="KQ", checked=1)
    assert "g1j1" not in names(position)
    assert ("g1c1" in names(position)) is (square != "g1")


@pytest.mark.parametrize("square", ["k9", "l9"])
def test_the_squares_of_jumper_and_tower_may_be_attacked(square: str) -> None:
    assert "g1j1" in names(at(f"{BOTH} t{square}", castling="KQ"))


def test_a_king_that_has_moved_castles_no_more() -> None:
    position = play(at(BOTH, castling="KQ"), "g1g2", "d11d10", "g2g1", "d10d11")
    assert field(position, "castling") == "-"
    assert {"g1j1", "g1c1"}.isdisjoint(names(position))


def test_a_tower_that_has_moved_or_was_taken_castles_no_more() -> None:
    moved = play(at(BOTH, castling="KQ"), "l1l2", "d11d10", "l2l1", "d10d11")
    assert field(moved, "castling") == "Q"
    taken = play(at(f"{BOTH} ta9", "b", castling="KQ"), "a9a1")
    assert field(taken, "castling") == "K"


def test_the_bishops_attacks_on_the_kings_way_obey_the_region_rule() -> None:
    # From e4 the path to h1 crosses the air, from k4 it does not.
    assert "g1j1" in names(at(f"{BOTH} be4", castling="KQ"))
    assert "g1j1" not in names(at(f"{BOTH} bk4", castling="KQ"))


# Ending


def test_an_attacked_king_without_a_legal_action_is_mated() -> None:
    position = play(at("Kg10 kg12 Qe9", infiltrators="x/x"), "e9b12")
    assert ended(position) == ("1-0", "mate")
    assert position.legal() == []


def test_without_attack_it_is_stalemate() -> None:
    assert ended(play(at("Qg6 kl12"), "g6k10")) == ("1/2-1/2", "stalemate")


def test_a_move_that_leaves_the_own_king_attacked_is_illegal() -> None:
    assert targets(at("Ka1 Ba4 ta9"), "a4") == set()
    attacked = at("Ka1 Tb5 ta9 Pk2", infiltrators="x/-", checked=1)
    assert names(attacked) == {"b5a5", "a1b1", "a1b2"}


@pytest.mark.parametrize("attacker", ["sa1", "sa11", "sl12", "sk1", "tf12", "tf1", "ta6", "tl6"])
def test_a_piece_covers_its_king_in_all_eight_directions(attacker: str) -> None:
    file, rank = FILES.index(attacker[1]), int(attacker[2:])
    step = [(number > 0) - (number < 0) for number in (file - 5, rank - 6)]
    cover = f"{FILES[5 + step[0]]}{6 + step[1]}"
    free = targets(at(f"Kf6 H{cover} kb12"), cover)
    covering = targets(at(f"Kf6 H{cover} {attacker} kb12"), cover)
    assert len(free) > len(covering)
    assert all(target[0] == "f" or target[1:] == "6" for target in covering)


def test_a_joint_advance_may_not_uncover_the_own_king_with_either_piece() -> None:
    assert "d4d5&e4e5" not in names(at("Ka4 Cd4 Pe4 tl4"))
    assert "d4d5&e5e6" not in names(at("Ka1 Cd4 Pe5 sk11 kb12"))
    assert "d4d5&e4e5" in names(at("Ka3 Cd4 Pe4 tl4"))
    assert "d5d6&e4e5" not in names(at("Ka4 Cd5 Pe4 tl4"))
    assert "d3d4&e4e5" in names(at("Ka4 Cd3 Pe4 tl4"))  # the Commander steps between


def test_a_hussars_straight_attack_can_be_covered_by_its_enemies_alone() -> None:
    assert not at("Ka1 Ta2 ha4").is_attacked(0)
    assert targets(at("Ka1 Ta2 ha4"), "a2") == {"a3", "a4"}
    assert at("Ka1 pa2 ha4", checked=1).is_attacked(0)
