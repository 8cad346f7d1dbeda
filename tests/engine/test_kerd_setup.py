"""Which positions of Kerd are refused, by which field, and which are not."""

from __future__ import annotations

import pytest

from engine.errors import InvalidPosition
from engine.kerd.board import (
    BISHOP,
    BLACK,
    HUSSAR,
    KING,
    PAWN,
    QUEEN,
    REVEALED,
    TOWER,
    UNKNOWN,
    WHITE,
    square,
)
from engine.kerd.rules import DRAFT, RULEBOOK, Rules
from engine.kerd.setup import set_up
from tests.engine.kerd_support import KERD, at, field

KINGS = {square(0, 0): WHITE | KING, square(11, 10): BLACK | KING}
E2 = square(4, 1)
D8 = square(3, 7)


def refused(
    pieces: dict[int, int], rules: Rules = RULEBOOK, *, side: int = 0, **values: object
) -> str:
    """The field for which a position with Kings and these pieces is refused."""
    with pytest.raises(InvalidPosition) as caught:
        set_up(rules, {**KINGS, **pieces}, side=side, **values)  # type: ignore[arg-type]
    assert caught.value.reason
    return caught.value.field


def test_each_side_has_one_king() -> None:
    second = {square(5, 5): WHITE | KING}
    assert refused(second) == "placement"
    for side in range(2):
        for rules in (RULEBOOK, DRAFT):
            with pytest.raises(InvalidPosition, match="has no King"):
                set_up(rules, dict([list(KINGS.items())[side]]), side=side)


def test_in_the_draft_the_side_to_move_may_have_lost_its_king() -> None:
    kings = list(KINGS.items())
    finished = set_up(DRAFT, dict([kings[0]]), side=1)
    assert finished.outcome() is not None
    with pytest.raises(InvalidPosition, match="White has no King"):
        set_up(DRAFT, dict([kings[1]]), side=1)


def test_nobody_has_more_than_the_set() -> None:
    queens = {square(3, 3): WHITE | QUEEN, square(4, 3): WHITE | QUEEN}
    assert refused(queens) == "placement"
    one = {square(3, 3): BLACK | QUEEN}
    assert refused(one, pool={BLACK | QUEEN: 1}) == "pool"
    pawns = {square(file, 3): WHITE | PAWN for file in range(12)}
    set_up(RULEBOOK, {**KINGS, **pawns}, side=0)
    assert refused({**pawns, square(0, 4): WHITE | PAWN}) == "placement"


def test_who_has_revealed_may_have_one_eligible_piece_more() -> None:
    three = {square(file, 3): WHITE | BISHOP for file in (1, 3, 5)}
    revealed = (REVEALED, UNKNOWN)
    set_up(RULEBOOK, {**KINGS, **three}, side=0, choices=revealed, checked=True)
    four = {**three, square(7, 3): WHITE | BISHOP}
    assert refused(four, choices=revealed, checked=True) == "placement"
    assert refused(three, choices=(UNKNOWN, REVEALED), checked=True) == "placement"
    pool = {WHITE | HUSSAR: 3}
    assert refused(three, choices=revealed, checked=True, pool=pool) == "pool"
    towers = {square(file, 3): WHITE | TOWER for file in (1, 3, 5)}
    assert refused(towers, choices=revealed, checked=True) == "placement"


def test_the_side_to_move_cannot_capture_the_king() -> None:
    tower = {square(0, 5): BLACK | TOWER}
    assert refused(tower, side=1) == "placement"
    set_up(DRAFT, {**KINGS, **tower}, side=1)


def test_a_castling_needs_king_and_tower_at_home() -> None:
    assert refused({}, castlings=1) == "castling"
    home = {square(6, 0): WHITE | KING, square(11, 10): BLACK | KING, square(11, 0): WHITE | TOWER}
    with pytest.raises(InvalidPosition, match="first squares"):
        set_up(RULEBOOK, home, side=0, castlings=2)
    with pytest.raises(InvalidPosition, match="none"):
        set_up(DRAFT, home, side=0, castlings=1)


def test_spent_are_pawns_and_commanders_on_starting_squares_of_their_own() -> None:
    assert refused({}, spent=[E2]) == "spent"
    assert refused({E2: BLACK | PAWN}, spent=[E2]) == "spent"
    assert refused({square(5, 1): WHITE | PAWN}, spent=[square(5, 1)]) == "spent"
    position = set_up(RULEBOOK, {**KINGS, E2: WHITE | PAWN}, side=0, spent=[E2])
    assert position.piece_at(E2) == WHITE | PAWN


def test_on_the_recapture_square_stands_a_piece_of_the_side_that_just_moved() -> None:
    assert refused({}, recapture=D8) == "recapture"
    assert refused({D8: WHITE | HUSSAR}, recapture=D8) == "recapture"
    assert set_up(RULEBOOK, {**KINGS, D8: BLACK | HUSSAR}, side=0, recapture=D8).recapture == D8


def test_a_choice_is_an_eligible_enemy_piece() -> None:
    assert refused({}, choices=(D8, UNKNOWN)) == "infiltrators"
    assert refused({D8: WHITE | HUSSAR}, choices=(D8, UNKNOWN)) == "infiltrators"
    assert refused({D8: BLACK | QUEEN}, choices=(D8, UNKNOWN)) == "infiltrators"
    assert refused({D8: BLACK | HUSSAR}, choices=(UNKNOWN, D8)) == "infiltrators"


def test_checked_agrees_with_the_position() -> None:
    assert refused({square(0, 5): BLACK | TOWER}) == "checked"
    assert refused({}, choices=(REVEALED, UNKNOWN)) == "checked"


def test_the_pool_holds_what_can_be_brought_back() -> None:
    assert refused({}, pool={WHITE | PAWN: 1}) == "pool"
    assert refused({}, DRAFT, pool={WHITE | QUEEN: 1}) == "pool"
    assert field(at("Kb1", pool="Qq"), "pool") == "Qq"


@pytest.mark.parametrize("number", [0, -1, 10**9])
def test_moves_are_numbered_from_one(number: int) -> None:
    assert refused({}, number=number) == "move"


def test_there_is_no_piece_outside_the_cells() -> None:
    position = KERD.start({})
    for cell in (-1, 256):
        with pytest.raises(IndexError):
            position.piece_at(cell)
