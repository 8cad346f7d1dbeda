"""The evaluation of Kerak's positions."""

from __future__ import annotations

from random import Random

from engine.kerak.board import SPACES
from engine.kerak.evaluation import Term, evaluate, material, terms
from engine.kerak.kernel import Position, start
from engine.kerak.pieces import BLUE, RED
from engine.kerak.validity import PIECES
from engine.random_play import random_play
from tests.engine.kerak_support import at, play, random_set_up


def counted(position: Position) -> dict[Term, int]:
    """The terms by name."""
    return dict(zip(Term, terms(position), strict=True))


def turned(position: Position) -> Position:
    """The position with sides swapped: the board rotated by 180°."""
    placed = {space: position.piece_at(space) for space in range(SPACES)}
    red, blue = position.points()
    return Position(
        {SPACES - 1 - space: piece ^ (RED | BLUE) for space, piece in placed.items() if piece},
        1 - position.side,
        {piece ^ (RED | BLUE): position.in_hand(piece) for piece in PIECES},
        (blue, red),
    )


def test_both_sides_are_judged_alike() -> None:
    random = Random(1)
    for _ in range(200):
        position = random_set_up(random)
        other = turned(position)
        assert terms(position) == [-count for count in terms(other)]
        assert evaluate(position) == evaluate(other)
        assert material(position) == material(other)


def test_material_is_the_rule_books_points() -> None:
    assert material(at("Id4 Ad5 Ve4 Ne5 Hf4 if5 ag5")) == 100 * (1 + 2 + 2 + 3 + 3 - 1 - 2)
    assert material(at("Hf4 if5", "b")) == -200


def test_pieces_in_hand_are_material() -> None:
    random = Random(2)
    for _, position in random_play(start(), random, 36):
        assert material(position) == 0
        assert counted(position)[Term.CAPTORS] == 0


def test_captors_are_infantry_and_archers() -> None:
    assert counted(at("Id4 Ad5 Ve4 if5"))[Term.CAPTORS] == 1


def test_nearness_to_the_enemy_castle() -> None:
    terms = counted(at("Ie8 Ae5 Hc5 ie2 vf4"))
    assert terms[Term.INFANTRY_NEAR] == (8 - 1) - (8 - 1)
    assert terms[Term.ARCHERS_NEAR] == 8 - 4
    assert terms[Term.RIDERS_NEAR] == (8 - 6) - (8 - 4)


def test_a_castle_in_hand_is_expected_in_the_middle_of_the_back_row() -> None:
    placed = play(start(), "I@a7")
    assert counted(placed)[Term.INFANTRY_NEAR] == 8 - 6
    play(placed, "C@i5")
    assert counted(placed)[Term.INFANTRY_NEAR] == 8 - 8


def test_support_counts_pairs() -> None:
    # The Archer supports both Infantry, and each Infantry its neighbour.
    assert counted(at("Id4 Id5 Ad6"))[Term.SUPPORT] == 5


def test_r15_castles_are_no_supporters() -> None:
    assert counted(at("Ie2 Ie3"))[Term.SUPPORT] == 2


def test_assault_and_guard_are_strength_beside_a_castle() -> None:
    terms = counted(at("Ie8 Ae7 Nd9 ie2 hd2"))
    assert terms[Term.ASSAULT] == (1 + 1 + 2) - (1 + 2)
    assert counted(at("Ne2 Vd2 Ae3"))[Term.GUARD] == 2 + 1 + 1


def test_shelter_counts_the_edge() -> None:
    # e1 and e9 are corners, with three neighbours each; d3 is not on the edge.
    assert counted(at("Ie2"))[Term.SHELTER] == 1
    assert counted(at("Cd3"))[Term.SHELTER] == -3


def test_r13_threats_are_made_from_where_a_piece_stands() -> None:
    assert counted(at("Id4 ie4"))[Term.THREATS] == 0  # each can take the other
    assert counted(at("Id4 ne4"))[Term.THREATS] == -1
    assert counted(at("Ie8 Ad8"))[Term.THREATS] == 4  # a Castle counts four


def test_the_castles_row() -> None:
    assert counted(at("Cc5 Ie5"))[Term.CASTLE_ROW] == 2
