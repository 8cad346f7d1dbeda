"""Which values make a position of Kerak, and which field is at fault in those that do not."""

from __future__ import annotations

import pytest

from engine.errors import InvalidPosition
from engine.kerak.board import BOARD
from engine.kerak.kernel import Position
from engine.kerak.pieces import PieceKind, piece
from engine.kerak.validity import FULL_HAND, LAST_MOVE
from tests.engine.kerak_support import at, kind, play

RED_CASTLE, BLUE_CASTLE = piece(0, PieceKind.CASTLE), piece(1, PieceKind.CASTLE)


def board(men: str) -> dict[int, int]:
    return {
        BOARD.names.index(man[1:]): piece(man[0].islower(), kind(man[0])) for man in men.split()
    }


def fault(
    placement: dict[int, int],
    side: int = 0,
    hand: dict[int, int] | None = None,
    points: tuple[int, int] = (0, 0),
    number: int = 1,
) -> str:
    with pytest.raises(InvalidPosition) as caught:
        Position(placement, side, hand or {}, points, number)
    assert caught.value.reason
    return caught.value.field


def without(**less: int) -> dict[int, int]:
    """The full hand without some pieces, given like `I=1`, Blue's in lowercase."""
    hand = dict(FULL_HAND)
    for letter, count in less.items():
        hand[piece(letter.islower(), kind(letter))] -= count
    return hand


def test_values_that_make_a_position() -> None:
    assert Position({}, 0, FULL_HAND).building
    assert not Position(board("Ce1 ce9")).building
    assert Position(board("Ia5"), 1, without(I=1)).side == 1


@pytest.mark.parametrize("placement", [{61: RED_CASTLE}, {-1: RED_CASTLE}, {0: 7}, {0: 32}])
def test_pieces_and_spaces_that_the_game_does_not_have(placement: dict[int, int]) -> None:
    assert fault(placement) == "placement"


def test_sides_counts_and_numbers_out_of_range() -> None:
    castles = board("Ce1 ce9")
    assert fault(castles, side=2) == "side"
    assert fault(castles, hand={piece(0, PieceKind.HERO): -1}) == "hand"
    assert fault(castles, hand={5: 1}) == "hand"
    assert fault(castles, points=(-1, 0)) == "points"
    assert fault(castles, number=0) == "move"
    assert fault(castles, number=LAST_MOVE + 1) == "move"


def test_no_more_pieces_than_the_set_has() -> None:
    assert fault(board("Ce1 Cd2 ce9")) == "placement"
    assert fault(board("Ce1 ce9 Hd4 Hd5")) == "placement"
    assert fault(board("Ha5"), 1, FULL_HAND) == "hand"


def test_a_castle_stands_in_its_own_three_rows() -> None:
    assert fault(board("Ce5 ce9")) == "placement"
    assert fault(board("Ce1 ce6")) == "placement"
    assert fault(board("Ce9 ce1")) == "placement"


def test_only_the_side_to_move_may_have_lost_its_castle() -> None:
    assert Position(board("ce9 ie5"), 0).outcome() is not None
    assert fault(board("ce9 ie5"), 1) == "placement"
    assert fault(board("ie5"), 0) == "placement"


def test_hand_and_board_together_are_the_full_set() -> None:
    assert fault({}, 0, without(I=1)) == "hand"
    assert fault(board("Ia5"), 1, without(A=1)) == "hand"
    assert fault(board("Ia5 id9"), 0, {piece(0, PieceKind.HERO): 1}) == "hand"


def test_pieces_are_placed_on_their_own_rows() -> None:
    assert fault(board("Ie5"), 1, without(I=1)) == "placement"
    assert fault(board("Ie9"), 1, without(I=1)) == "placement"


def test_pieces_are_placed_in_turn() -> None:
    assert fault({}, 1, FULL_HAND) == "side"
    assert fault(board("Ia5"), 0, without(I=1)) == "side"
    assert fault(board("Ia5 Ia6"), 0, without(I=2)) == "hand"
    assert fault(board("ie9"), 0, without(i=1)) == "hand"


def test_nothing_is_captured_while_pieces_are_in_hand() -> None:
    assert fault({}, 0, FULL_HAND, points=(1, 0)) == "points"


@pytest.mark.parametrize("points", [(0, 0), (28, 0), (28, 28), (3, 17)])
def test_r50_points_and_pieces_need_not_agree(points: tuple[int, int]) -> None:
    assert Position(board("Ce1 Ie5 ce9"), 0, points=points).points() == points


def test_r50_points_are_at_most_an_army_s_and_what_the_other_side_has_lost() -> None:
    lacking = "Ce1 ce9 Ie5 Hd5 if5"  # Red lacks 24 points, Blue 27
    most = (2 * 28 - 1, 2 * 28 - 4)
    assert Position(board(lacking), 0, points=most).points() == most
    assert fault(board(lacking), points=(most[0] + 1, 0)) == "points"
    assert fault(board(lacking), points=(0, most[1] + 1)) == "points"


def test_r50_what_is_captured_from_a_set_up_position_makes_a_position_again() -> None:
    position = at("Ce1 ce9 Ie5 Hd5 if5", points=(55, 28))
    play(position, "e5f5")
    assert position.points() == (56, 28)
    assert Position(board("Ce1 ce9 If5 Hd5"), 1, points=(56, 28), number=40).key() == position.key()


@pytest.mark.parametrize("number", [1, 2, 19, LAST_MOVE])
def test_r50_the_number_of_a_placement_need_not_be_counted(number: int) -> None:
    assert Position(board("Ia5"), 1, without(I=1), number=number).number == number
