"""The rules page of Kerak, sentence by sentence; pictures and rulings by their numbers."""

from __future__ import annotations

from random import Random

import pytest

from engine.kerak import KERAK
from engine.kerak.action import PASS, is_move, placed, target_of
from engine.kerak.board import BOARD
from engine.kerak.pieces import MOST_POINTS, MOVES, NUMBER, STRENGTH, VALUE, PieceKind
from engine.outcome import decide_by_points
from engine.random_play import random_play
from tests.engine.coordinates import ended
from tests.engine.kerak_support import KERAK as WRITTEN
from tests.engine.kerak_support import START, at, goes, names, play, sums

FAR = "Ia5 Ia6"
"""Two Red Infantry out of the way, so that Red can still win."""

RED_HOME = [n for n in BOARD.names if ord(n[0]) - 96 + int(n[1]) in (6, 7, 8)]
BLUE_HOME = [n for n in BOARD.names if ord(n[0]) - 96 + int(n[1]) in (12, 13, 14)]
NEXT_TO_E5 = {"f5", "e6", "d6", "d5", "e4", "f4"}


def within(name: str, distance: int) -> set[str]:
    middle = BOARD.names.index(name)
    spaces = enumerate(BOARD.names)
    return {other for at, other in spaces if 1 <= BOARD.distance(middle, at) <= distance}


# Pieces.


@pytest.mark.parametrize(
    ("kind", "number", "strength", "moves", "value"),
    [
        (PieceKind.INFANTRY, 9, 1, 1, 1),
        (PieceKind.ARCHER, 3, 1, 1, 2),
        (PieceKind.CAVALRY, 2, 1, 3, 2),
        (PieceKind.KNIGHT, 2, 2, 2, 3),
        (PieceKind.HERO, 1, 2, 3, 3),
        (PieceKind.CASTLE, 1, 2, 0, 0),
    ],
)
def test_the_table_of_pieces(
    kind: PieceKind, number: int, strength: int, moves: int, value: int
) -> None:
    assert (NUMBER[kind], STRENGTH[kind], MOVES[kind], VALUE[kind]) == (
        number,
        strength,
        moves,
        value,
    )


def test_an_army_is_18_pieces_worth_28_points() -> None:
    assert (sum(NUMBER), MOST_POINTS) == (18, 28)


# Building the army.


def test_red_places_first_on_any_space_of_its_own_three_rows() -> None:
    assert names(WRITTEN.read_fen(START)) == {
        f"{piece}@{place}" for piece in "IAVNHC" for place in RED_HOME
    }


def test_the_sides_alternate_one_piece_at_a_time_on_empty_spaces() -> None:
    position = play(WRITTEN.read_fen(START), "H@c3")
    assert names(position) == {f"{piece}@{place}" for piece in "IAVNHC" for place in BLUE_HOME}
    play(position, "C@i5")
    assert names(position) == {
        f"{piece}@{place}" for piece in "IAVNC" for place in RED_HOME if place != "c3"
    }


def test_red_moves_first_when_all_36_stand() -> None:
    position = WRITTEN.read_fen(START)
    for count, (action, _) in enumerate(random_play(position, Random(1), 36), 1):
        assert placed(action) in PieceKind
        assert BOARD.names[target_of(action)] in (RED_HOME, BLUE_HOME)[1 - count % 2]
        assert position.building == (count < 36)
        assert position.outcome() is None or count == 36
    assert (position.side, position.number, position.points()) == (0, 19, (0, 0))
    assert all(is_move(action) for action in position.legal())


def test_pieces_may_be_placed_in_any_order() -> None:
    orders = set()
    for seed in range(8):
        played = random_play(WRITTEN.read_fen(START), Random(seed), 36)
        orders.add(tuple(placed(action) for action, _ in played))
    assert len(orders) == 8


# Moving.


@pytest.mark.parametrize(
    ("piece", "distance"), [("I", 1), ("A", 1), ("V", 3), ("N", 2), ("H", 3), ("C", 0)]
)
def test_a_piece_reaches_as_far_as_it_moves(piece: str, distance: int) -> None:
    start = "e5" if piece != "C" else "c4"
    position = at(f"{piece}{start} Ia5 Ai1")
    assert goes(position, start) == within(start, distance) - {"a5", "i1", "e1", "e9"}


def test_only_the_mover_s_own_pieces_move() -> None:
    position = at(f"Ve5 vc6 if7 {FAR}")
    assert {name[:2] for name in names(position)} == {"e5", "a5", "a6"}


def test_pieces_do_not_jump_and_do_not_take_their_own() -> None:
    ring = " ".join(f"I{name}" for name in sorted(NEXT_TO_E5))
    assert goes(at(f"He5 {ring}"), "e5") == set()
    enemies = " ".join(f"n{name}" for name in ("f5", "d5"))
    walls = "ie6 id6 ie4 if4"
    assert goes(at(f"Ve5 {enemies} {walls} {FAR}"), "e5") == set()


def test_picture_i_a_path_does_not_touch_a_space_it_has_left() -> None:
    # Every path to e6 through f5 has left e5, which is next to e6.
    position = at(f"Ve5 ie6 nd6 {FAR}")
    assert sums(position, "e5", "e6") == {"e5": (1, 3)}
    assert "e6" not in goes(position, "e5")


def test_picture_i_a_path_may_bend_round_a_piece() -> None:
    # Straight through e6, or round by f5 and f6 or by d6 and d7.
    assert "e7" in goes(at(f"Ve5 Ie6 {FAR}"), "e5")
    assert "e7" in goes(at(f"Ve5 Ie6 Id6 {FAR}"), "e5")
    assert "e7" not in goes(at(f"Ve5 Ie6 Id6 If5 {FAR}"), "e5")
    assert "e7" not in goes(at(f"Ne5 Ie6 {FAR}"), "e5")


def test_a_piece_takes_its_neighbour_only_straight() -> None:
    for target in sorted(NEXT_TO_E5):
        assert set(sums(at(f"He5 i{target} {FAR}"), "e5", target)) == {"e5"}


def test_r12_a_capture_ends_the_move() -> None:
    position = at(f"Ve5 if5 Ie6 If4 {FAR}")
    assert "f5" in goes(position, "e5")
    assert "g5" not in goes(position, "e5")


def test_two_paths_to_a_space_are_one_move() -> None:
    position = at(f"Ne5 {FAR}")
    assert len(position.legal()) == len(set(position.legal()))
    assert sums(at(f"Ne5 if6 {FAR}"), "e5", "f6").keys() == {"e6", "f5"}


# Capturing.


def test_r13_capture_depends_on_approach() -> None:
    position = at(f"Ve4 ie6 nd6 {FAR}")
    assert sums(position, "e4", "e6") == {"f5": (1, 1), "e5": (1, 3)}
    assert "e6" in goes(position, "e4")
    blocked = at(f"Ve4 ie6 nd6 If4 {FAR}")
    assert sums(blocked, "e4", "e6") == {"e5": (1, 3)}
    assert "e6" not in goes(blocked, "e4")


def test_r13_the_start_counts_as_empty() -> None:
    # An Archer within two spaces of its target does not support itself.
    assert sums(at(f"Ae5 ne6 {FAR}"), "e5", "e6") == {"e5": (1, 2)}


def test_only_infantry_and_archers_capture_a_castle() -> None:
    for piece in "VNH":
        assert "e9" not in goes(at(f"{piece}e8 If8 Id9"), "e8")
    for piece in "IA":
        assert "e9" in goes(at(f"{piece}e8 If8"), "e8")


def test_strength_must_allow_the_capture_of_a_castle() -> None:
    assert sums(at(f"Ie8 {FAR}"), "e8", "e9") == {"e8": (1, 2)}
    assert "e9" not in goes(at(f"Ie8 {FAR}"), "e8")
    assert "e9" in goes(at("Ie8 Nd9"), "e8")
    # d9 is next to both attacker and target.
    assert sums(at("Ie8 If8 id9"), "e8", "e9") == {"e8": (2, 3)}


@pytest.mark.parametrize("piece", ["V", "N", "H"])
def test_cavalry_knights_and_heroes_always_take_archers(piece: str) -> None:
    position = at(f"{piece}e4 ae5 hf4 nd5 {FAR}")
    assert "e5" in goes(position, "e4")


@pytest.mark.parametrize("piece", ["I", "A"])
def test_infantry_and_archers_take_archers_by_strength_alone(piece: str) -> None:
    assert "e5" not in goes(at(f"{piece}e4 ae5 hf4 {FAR}"), "e4")
    assert "e5" in goes(at(f"{piece}e4 ae5 {FAR}"), "e4")


def test_equal_strength_captures() -> None:
    assert sums(at(f"Ne4 ne5 {FAR}"), "e4", "e5") == {"e4": (2, 2)}
    assert "e5" in goes(at(f"Ne4 ne5 {FAR}"), "e4")
    assert "e5" not in goes(at(f"Ve4 ne5 {FAR}"), "e4")


def test_attackers_are_supported_next_to_the_target() -> None:
    # d6 is next to the target but not to the attacker; e3 the other way round.
    assert sums(at(f"Ie4 he5 Id6 {FAR}"), "e4", "e5") == {"e4": (2, 2)}
    assert sums(at(f"Ie4 he5 Ie3 {FAR}"), "e4", "e5") == {"e4": (1, 2)}


def test_defenders_are_supported_next_to_both() -> None:
    assert sums(at(f"Ie4 ie5 if4 {FAR}"), "e4", "e5") == {"e4": (1, 2)}
    assert sums(at(f"Ie4 ie5 ie6 {FAR}"), "e4", "e5") == {"e4": (1, 1)}
    assert sums(at(f"Ie4 ie5 ie3 {FAR}"), "e4", "e5") == {"e4": (1, 1)}


def test_r14_archers_attack_within_two_of_the_target_whatever_stands_between() -> None:
    assert sums(at(f"Ie4 ne5 Ae7 ie6 {FAR}"), "e4", "e5") == {"e4": (2, 2)}
    assert sums(at(f"Ie4 ne5 Ae8 {FAR}"), "e4", "e5") == {"e4": (1, 2)}


def test_r14_archers_defend_within_two_of_both() -> None:
    assert sums(at(f"Ie4 ie5 ae6 {FAR}"), "e4", "e5") == {"e4": (1, 2)}
    assert sums(at(f"Ie4 ie5 ag4 {FAR}"), "e4", "e5") == {"e4": (1, 2)}
    assert sums(at(f"Ie4 ie5 ae7 {FAR}"), "e4", "e5") == {"e4": (1, 1)}


def test_r15_the_castle_supports_infantry_and_archers_that_attack_beside_it() -> None:
    for piece, attack in (("I", 2), ("A", 2), ("V", 1), ("N", 2), ("H", 2)):
        assert sums(at(f"{piece}c6 nc7 Cc5 {FAR}"), "c6", "c7") == {"c6": (attack, 2)}


def test_r15_the_castle_supports_infantry_and_archers_that_defend_beside_it() -> None:
    for piece, defence in (("i", 2), ("a", 2), ("v", 1), ("n", 2), ("h", 2)):
        assert sums(at(f"Ie6 {piece}e7 ce8 {FAR}"), "e6", "e7") == {"e6": (1, defence)}


def test_r15_the_castle_supports_nothing_else() -> None:
    # Blue's Castle is next to attacker and target: it adds 1 for the Infantry, not its own
    # strength of 2. Red's is next to the target only, and adds nothing.
    assert sums(at(f"If6 ie7 cf7 {FAR}"), "f6", "e7") == {"f6": (1, 2)}
    assert sums(at(f"Id6 ic6 Cc5 {FAR}"), "d6", "c6") == {"d6": (1, 1)}


def test_r15_a_supporter_gives_its_full_strength() -> None:
    assert sums(at(f"Ie4 he5 Nd6 {FAR}"), "e4", "e5") == {"e4": (3, 2)}
    assert sums(at(f"Ie4 ie5 hf4 {FAR}"), "e4", "e5") == {"e4": (1, 3)}


def test_picture_ii_cavalry_with_two_infantry_takes_a_knight() -> None:
    position = at("Ve4 ne5 If4 Id5 Ne3")
    assert sums(position, "e4", "e5") == {"e4": (3, 2)}
    assert "e5" in goes(position, "e4")


def test_picture_iii_infantry_with_two_archers_takes_a_knight() -> None:
    position = at("Ie4 ne5 Ae3 Ag3")
    assert sums(position, "e4", "e5") == {"e4": (3, 2)}
    assert "e5" in goes(position, "e4")


def test_picture_iv_an_archer_with_infantry_next_to_both_holds() -> None:
    position = at(f"Ie4 ae5 if4 ne6 {FAR}")
    assert sums(position, "e4", "e5") == {"e4": (1, 2)}
    assert "e5" not in goes(position, "e4")


def test_picture_v_infantry_in_front_of_its_castle_defends_with_two() -> None:
    position = at(f"Ie6 ie7 ce8 {FAR}")
    assert sums(position, "e6", "e7") == {"e6": (1, 2)}
    assert "e7" not in goes(position, "e6")


# Ending.


def test_capturing_the_castle_wins_and_scores_nothing() -> None:
    position = play(at("Ie8 If8", points=(4, 7)), "e8e9")
    assert ended(position) == ("1-0", "castle captured")
    assert (position.points(), position.side, position.legal()) == ((4, 7), 1, [])
    blue = play(at("ie2 if1", side="b"), "e2e1")
    assert ended(blue) == ("0-1", "castle captured")


def test_a_captured_castle_comes_before_a_missing_captor() -> None:
    position = WRITTEN.read_fen("5/6/7/8/4I4/8/7/6/4C b - 0-0 40")
    assert ended(position) == ("1-0", "castle captured")


@pytest.mark.parametrize(
    ("men", "over"),
    [
        ("", True),
        ("Ie5", True),
        ("Ae5 id7", True),
        ("Ve5 Nd5 He4", True),
        ("Ve5 Nd5 ic7", True),
        ("Ie5 Vd5", False),
        ("Ae5 Ad5", False),
        ("ic7 ic6 Ve5", False),
    ],
)
def test_r17_a_captor_needs_another_piece(men: str, over: bool) -> None:
    for side in "rb":
        assert (ended(at(men, side)) == ("1/2-1/2", "no captor left")) == over
        assert (names(at(men, side)) == set()) == over


def test_r17_the_capture_of_the_last_captor_ends_the_game() -> None:
    position = play(at("Ve4 ie5 vi1"), "e4e5")
    assert ended(position) == ("1/2-1/2", "no captor left")


def test_r16_a_side_without_a_legal_move_passes() -> None:
    position = at("Ia5 nb5 na6 ib4 ic4", points=(3, 5))
    assert names(position) == {"--"}
    assert position.outcome() is None
    play(position, "--")
    assert (position.side, position.points(), position.number) == (1, (3, 5), 40)
    assert not position.is_legal(PASS)


def test_r16_a_side_with_its_castle_alone_passes() -> None:
    assert names(at("ie5 ie6")) == {"--"}


def test_r16_no_pass_while_a_move_is_legal_or_pieces_are_in_hand() -> None:
    assert not at(f"Ve5 {FAR}").is_legal(PASS)
    assert not KERAK.start().is_legal(PASS)


@pytest.mark.parametrize(("victim", "value"), [("i", 1), ("a", 2), ("v", 2), ("n", 3), ("h", 3)])
def test_a_capture_scores_the_captured_piece(victim: str, value: int) -> None:
    position = play(at(f"He4 {victim}e5 {FAR}", points=(10, 2)), "e4e5")
    assert position.points() == (10 + value, 2)
    other = play(at(f"{victim.upper()}e5 he4 {FAR}", side="b", points=(10, 2)), "e4e5")
    assert other.points() == (10, 2 + value)


def test_draw_by_points_goes_to_the_side_with_more() -> None:
    for points, result in (((5, 3), "1-0"), ((3, 5), "0-1"), ((4, 4), "1/2-1/2")):
        position = at("Ie5", points=points)
        draw = position.outcome()
        assert draw is not None
        decided = decide_by_points(draw, position.points())
        assert decided.result == result
        assert decided.termination.value == ("no captor left" if result[1] == "/" else "points")
    win = play(at("Ie8 If8", points=(0, 9)), "e8e9").outcome()
    assert win is not None
    assert decide_by_points(win, (0, 9)) is win
