"""Each sentence of the rules page `katruji.md`."""

from __future__ import annotations

import pytest

from engine.katruji import KATRUJI
from engine.katruji.board import ALKA, KYAN, SQUARES, START, hajat
from engine.katruji.kernel import Position
from tests.engine import katruji_support
from tests.engine.coordinates import ended
from tests.engine.katruji_support import at, fen, names, play, targets

# Sides, board, start


def test_south_moves_first_and_north_next() -> None:
    assert KATRUJI.sides == ("South", "North")
    position = Position()
    assert position.side == 0
    assert play(position, "a3a4").side == 1


def test_the_board_has_4_files_and_8_ranks_with_the_uczuda_in_the_middle() -> None:
    assert len(SQUARES) == 32
    assert [hajat(square) for square in SQUARES] == [0] * 16 + [1] * 16


def test_a_piece_obeys_whoever_owns_the_hajat_it_stands_in() -> None:
    placement = "4/4/1O2/4/4/1O2/4/4"
    assert {name[:2] for name in names(at(placement, "s"))} == {"b3"}
    assert {name[:2] for name in names(at(placement, "n"))} == {"b6"}


def test_a_piece_that_crosses_the_uczuda_is_the_opponents_from_then_on() -> None:
    position = play(at("3P/4/4/4/S3/4/4/3O"), "a4a6")
    assert {name[:2] for name in names(position)} == {"a6", "d8"}
    assert {name[:2] for name in names(play(position, "a6b6"))} == {"d1"}


def test_r1_the_start_stands_in_each_players_left_hand_corner() -> None:
    assert fen(Position()) == katruji_support.START
    assert all(START[59 - square] == piece for square, piece in START.items())


def test_each_side_starts_with_three_of_each_kind_worth_36_points_in_all() -> None:
    south = sorted(piece for square, piece in START.items() if hajat(square) == 0)
    assert south == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert sum(START.values()) == 36


# Moves


def test_a_private_moves_one_square_diagonally_in_any_direction() -> None:
    assert targets(at("O3/4/4/4/4/1P2/4/4"), "b3") == {"a2", "c2", "a4", "c4"}
    assert targets(at("O3/4/4/4/P3/4/4/4"), "a4") == {"b3", "b5"}


def test_a_sergeant_moves_one_or_two_squares_straight() -> None:
    reached = {"b2", "b1", "b4", "b5", "a3", "c3", "d3"}
    assert targets(at("O3/4/4/4/4/1S2/4/4"), "b3") == reached


def test_a_sergeant_moves_not_over_a_piece() -> None:
    position = at("4/4/1P2/1P2/1S1P/1S2/4/4")
    assert targets(position, "b4") == {"a4", "c4", "d4", "b5"}  # d4 promotes
    assert targets(position, "b3") == {"a3", "c3", "d3", "b2", "b1"}


def test_an_officer_moves_any_number_of_squares_in_all_eight_directions() -> None:
    straight = {"b2", "b1", "b4", "b5", "b6", "b7", "b8", "a3", "c3", "d3"}
    diagonal = {"a2", "c2", "d1", "a4", "c4", "d5"}
    assert targets(at("O3/4/4/4/4/1O2/4/4"), "b3") == straight | diagonal


def test_an_officer_moves_not_over_a_piece() -> None:
    position = at("1P2/1P2/4/4/2S1/1O2/4/4")
    assert "b7" in targets(position, "b3")
    assert "b8" not in targets(position, "b3")
    assert targets(position, "b3").isdisjoint({"c4", "d5"})


@pytest.mark.parametrize(("piece", "points"), [("P", 1), ("S", 2), ("O", 3)])
def test_a_capture_scores_the_captured_pieces_points(piece: str, points: int) -> None:
    position = play(at(f"4/4/4/3{piece}/O3/4/O3/4", clock="4"), "a2d5")
    assert position.points() == (points, 0)
    assert fen(position) == f"4/4/4/3O/O3/4/4/4 n {points}-0 a2d5 0 5"


def test_a_capture_scores_for_north_too() -> None:
    assert play(at("3O/4/4/4/4/4/4/3S", "n", "1-5"), "d8d1").points() == (1, 7)


def test_a_move_may_end_on_an_empty_square_of_either_hajat() -> None:
    assert {"a3", "a5"} <= targets(at("3O/4/4/4/S3/4/4/4"), "a4")


def test_the_capturing_piece_belongs_to_the_opponent() -> None:
    position = play(at("4/4/4/P3/S3/4/4/3O"), "a4a5")
    assert "a5" in {name[:2] for name in names(position)}


def test_own_pieces_are_not_captured() -> None:
    assert targets(at("4/4/4/4/4/4/OS2/OO2"), "a1") == set()


# Promotion


def test_a_private_onto_a_private_makes_a_sergeant() -> None:
    position = play(at("O3/4/4/4/4/2P1/1P2/4"), "b2c3")
    assert fen(position) == "O3/4/4/4/4/2S1/4/4 n 0-0 - 1 5"


def test_a_private_promotes_only_if_the_own_hajat_holds_no_sergeant() -> None:
    assert "c3" not in targets(at("O3/4/4/4/4/2P1/1P2/S3"), "b2")
    assert "c3" in targets(at("S3/4/4/4/4/2P1/1P2/O3"), "b2")


def test_a_sergeant_onto_a_private_makes_an_officer() -> None:
    position = play(at("O3/4/4/4/4/S1P1/4/4"), "a3c3")
    assert fen(position) == "O3/4/4/4/4/2O1/4/4 n 0-0 - 1 5"


def test_r2_a_private_may_not_move_onto_a_sergeant() -> None:
    assert "c3" not in targets(at("O3/4/4/4/4/2S1/1P2/4"), "b2")


def test_r2_an_officer_promotion_needs_no_absence_of_officers() -> None:
    assert "c3" in targets(at("O3/4/4/4/4/S1P1/4/OOO1"), "a3")


def test_r2_no_other_pair_promotes() -> None:
    for pair in ("SS", "SO", "OP", "OS", "OO"):
        assert "b1" not in targets(at(f"O3/4/4/4/4/4/4/{pair}2"), "a1"), pair
    assert "b2" not in targets(at("O3/4/4/4/4/4/1O2/P3"), "a1")


def test_pieces_of_the_opponents_hajat_are_captured_not_promoted() -> None:
    position = play(at("4/4/4/1P2/P3/4/4/O3"), "a4b5")
    assert fen(position) == "4/4/4/1P2/4/4/4/O3 n 1-0 a4b5 0 5"


def test_the_kernel_says_what_an_action_does() -> None:
    position = at("4/4/4/P3/S1P1/4/4/4", clock="7")
    capture, promotion, quiet = (
        katruji_support.action(position, name) for name in ("a4a5", "a4c4", "a4a3")
    )
    kinds = [position.is_capture(each) for each in (capture, promotion, quiet, KYAN)]
    assert kinds == [True, False, False, False]
    made = [position.promotion(each) for each in (capture, promotion, quiet, KYAN)]
    assert made == [0, 3, 0, 0]
    assert position.legal_to(2, capture & 63) == [capture]
    assert position.legal_to(1, capture & 63) == []


# No undo


def test_a_piece_that_crossed_may_not_be_moved_straight_back() -> None:
    position = play(at("O3/4/4/4/1S2/4/4/3O"), "b4b6")
    assert targets(position, "b6") == {"b5", "b7", "b8", "a6", "c6", "d6"}


def test_the_ban_holds_for_a_crossing_capture() -> None:
    position = play(at("O3/4/1P2/4/1S2/4/4/3O"), "b4b6")
    assert "b4" not in targets(position, "b6")


def test_the_piece_may_go_back_on_a_later_turn() -> None:
    position = play(at("O3/4/4/4/1S2/4/4/3O"), "b4b6", "a8b8", "d1c1")
    assert "b4" in targets(position, "b6")


def test_another_piece_may_go_where_it_came_from() -> None:
    position = play(at("4/O3/4/4/3S/4/4/3O"), "d4d6")
    assert "d4" not in targets(position, "d6")
    assert "d4" in targets(position, "a7")


def test_a_move_within_the_own_hajat_bans_nothing() -> None:
    position = play(at("3O/4/4/4/4/4/4/3O"), "d1c1", "d8c8")
    assert "d1" in targets(position, "c1")


# Yara and Yemubus


def test_yara_18_points_win_at_once() -> None:
    position = play(at("O2O/4/4/4/4/4/4/O2O", points="15-17"), "a1a8")
    assert ended(position) == ("1-0", "yara")
    assert position.legal() == []
    assert position.side == 1


def test_yara_counts_18_or_more() -> None:
    assert ended(play(at("O2O/4/4/4/4/4/4/O2O", "n", "0-17"), "d8d1")) == ("0-1", "yara")


def test_17_points_do_not_win() -> None:
    assert ended(play(at("O2O/4/4/4/4/4/4/O2O", points="14-17"), "a1a8")) is None


def test_yara_is_looked_at_before_yemubus() -> None:
    assert ended(play(at("O3/4/4/4/4/4/4/O3", points="15-0"), "a1a8")) == ("1-0", "yara")


def test_yemubus_the_higher_points_win() -> None:
    assert ended(play(at("3S/4/4/4/O3/4/4/4", points="5-4"), "a4a5")) == ("1-0", "yemubus")
    assert ended(play(at("3S/4/4/4/O3/4/4/4", points="4-5"), "a4a5")) == ("0-1", "yemubus")


def test_yemubus_at_equal_points_the_mover_wins() -> None:
    assert ended(play(at("3S/4/4/4/O3/4/4/4", points="5-5"), "a4a5")) == ("1-0", "yemubus")
    assert ended(play(at("4/4/4/O3/4/4/4/3S", "n", "5-5"), "a5a4")) == ("0-1", "yemubus")


def test_yemubus_counts_the_points_of_the_last_capture() -> None:
    position = play(at("4/4/4/P3/O3/4/4/4", points="5-5"), "a4a5")
    assert ended(position) == ("1-0", "yemubus")


def test_taking_the_last_piece_of_the_opponent_ends_nothing() -> None:
    position = play(at("4/4/4/P3/O3/4/4/3O"), "a4a5")
    assert ended(position) is None
    assert {name[:2] for name in names(position)} == {"a5"}


def test_r3_a_foremost_private_that_may_not_go_back_steps_sideways_or_back() -> None:
    position = play(at("4/4/4/P3/1P2/4/4/O3"), "b4a5")
    assert names(position) == {"a5b6"}


def test_r0_no_repetition_and_no_length_ends_a_game() -> None:
    position = Position()
    for _ in range(200):
        play(position, "a3a4", "d6d5", "a4a3", "d5d6")
    assert ended(position) is None
    assert position.number == 401


# Kyan-A-Alka and Alka

QUIET = "3O/4/4/4/4/4/4/O3"


def test_r4_the_clock_may_be_declared_from_seven_quiet_moves_on() -> None:
    assert "Kyan" not in names(at(QUIET, clock="6"))
    assert "Kyan" in names(at(QUIET, clock="7"))
    assert "Kyan" in names(at(QUIET, clock="30"))


def test_r4_the_start_counts_like_a_capture_and_moves_of_both_sides_count() -> None:
    position = play(Position(), "a3a4", "d6d5", "a4a3", "d5d6", "a3a4", "d6d5")
    assert position.clock == 6
    assert "Kyan" not in names(position)
    assert "Kyan" in names(play(position, "a4a3"))


def test_r4_a_capture_sets_the_quiet_count_to_0() -> None:
    assert play(at("P2O/4/4/4/4/4/4/O2O", clock="6"), "a1a8").clock == 0


def test_r4_the_clock_is_declared_once_a_game() -> None:
    position = play(at(QUIET, clock="12"), "Kyan")
    assert "Kyan" not in names(position)
    assert "Kyan" not in names(at(QUIET, clock="n9"))
    assert "Kyan" not in names(at(QUIET, clock="s2"))


def test_r5_the_side_that_declares_then_moves() -> None:
    position = play(at(QUIET, clock="7"), "Kyan")
    assert position.side == 0
    assert names(position) == names(at(QUIET, clock="6"))


def test_r5_the_declaration_changes_neither_side_nor_number_nor_the_ban() -> None:
    position = at("3O/4/4/1S2/4/4/4/O3", "n", "1-2", "b4b5", "7", 9)
    assert fen(play(position, "Kyan")) == "3O/4/4/1S2/4/4/4/O3 n 1-2 b4b5 n0 9"
    assert "b4" not in targets(position, "b5")


def test_r5_the_move_after_the_declaration_is_the_timers_first() -> None:
    position = play(at(QUIET, clock="7"), "Kyan", "a1a2")
    assert (position.declarer, position.clock) == (0, 1)


def test_r5_the_opponent_has_the_first_chance_to_claim() -> None:
    position = play(at(QUIET, clock="7"), "Kyan", "a1a2", "d8d7")
    assert "Alka" not in names(position)
    play(position, "a2a3")
    assert position.side == 1
    assert "Alka" in names(position)


def test_r5_the_claim_stays_open_until_a_capture() -> None:
    assert "Alka" in names(at(QUIET, clock="n40"))
    position = play(at("P2O/4/4/4/4/4/4/O2O", clock="n40"), "a1a8")
    assert "Alka" not in names(position)


def test_a_capture_sets_the_timer_to_0_and_it_goes_on_counting() -> None:
    position = play(at("P2O/4/4/4/4/4/4/O2O", clock="n2"), "a1a8")
    assert (position.declarer, position.clock) == (1, 0)
    assert play(position, "d8d7").clock == 1


def test_r5_a_promotion_is_a_quiet_move() -> None:
    assert play(at("O3/4/4/4/4/S1P1/4/4", clock="6"), "a3c3").clock == 7
    assert play(at("O3/4/4/4/4/S1P1/4/4", clock="s2"), "a3c3").clock == 3


def test_r5_declaring_and_claiming_are_never_forced() -> None:
    moves = names(at(QUIET, clock="6"))
    assert names(at(QUIET, clock="7")) == moves | {"Kyan"}
    assert names(at(QUIET, clock="s3")) == moves | {"Alka"}


def test_r5_they_stand_last_among_the_legal_actions() -> None:
    assert at(QUIET, clock="7").legal()[-1] == KYAN
    assert at(QUIET, clock="s3").legal()[-1] == ALKA


@pytest.mark.parametrize("claimant", ["s", "n"])
@pytest.mark.parametrize(("points", "result"), [("5-4", "1-0"), ("4-5", "0-1")])
def test_alka_the_higher_points_win(claimant: str, points: str, result: str) -> None:
    for declarer in "sn":
        position = play(at(QUIET, claimant, points, clock=f"{declarer}3"), "Alka")
        assert ended(position) == (result, "alka")
        assert position.legal() == []


@pytest.mark.parametrize("claimant", ["s", "n"])
def test_alka_at_equal_points_the_side_that_declared_wins(claimant: str) -> None:
    assert ended(play(at(QUIET, claimant, "3-3", clock="s3"), "Alka")) == ("1-0", "alka")
    assert ended(play(at(QUIET, claimant, "3-3", clock="n3"), "Alka")) == ("0-1", "alka")


def test_alka_takes_the_place_of_a_move_and_changes_nothing_else() -> None:
    position = play(at(QUIET, "n", "3-3", "-", "s5", 20), "Alka")
    assert fen(position) == f"{QUIET} n 3-3 - s5! 20"


def test_yara_and_yemubus_end_the_game_while_the_clock_runs() -> None:
    yara = play(at("O2O/4/4/4/4/4/4/O2O", points="15-17", clock="s1"), "a1a8")
    assert ended(yara) == ("1-0", "yara")
    yemubus = play(at("3S/4/4/4/O3/4/4/4", points="5-6", clock="s3"), "a4a5")
    assert ended(yemubus) == ("0-1", "yemubus")


# Score


def test_the_position_carries_both_sides_points() -> None:
    assert at(QUIET, points="7-11").points() == (7, 11)
