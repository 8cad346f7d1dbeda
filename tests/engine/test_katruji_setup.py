"""Which positions set up from values are refused, and which are not (rules page `notation.md`)."""

from __future__ import annotations

import pytest

from engine.errors import InvalidPosition
from engine.katruji.board import KYAN, OFFICER, PRIVATE, SERGEANT, SQUARES, move
from engine.katruji.kernel import Position
from engine.katruji.setup import set_up
from notation.errors import BadFen
from tests.engine.coordinates import ended
from tests.engine.katruji_support import at, fen

QUIET = "3O/4/4/4/4/4/4/O3"


def test_the_first_position_can_be_set_up() -> None:
    start = Position()
    pieces = {square: start.piece_at(square) for square in SQUARES if start.piece_at(square)}
    assert set_up(pieces, side=0).key() == start.key()


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("placement", {"placement": "3O/4/4/4/4/4/4/4"}),
        ("placement", {"placement": "4/4/4/4/4/4/4/O3", "side": "n"}),
        ("placement", {"placement": "4/4/4/4/4/4/4/4"}),
        ("points", {"points": "18-0"}),
        ("points", {"points": "0-18", "side": "n"}),
        ("points", {"points": "18-18"}),
        ("points", {"points": "0-21"}),
        ("undo", {"undo": "a1a2"}),  # within one hajat
        ("undo", {"undo": "d8d4"}),  # d4 is empty
        ("undo", {"undo": "d8a1"}),  # not on a line, and d8 is not empty
        ("undo", {"undo": "b7a1"}),  # not on a line
        ("undo", {"placement": "3O/4/4/P3/4/4/4/O3", "undo": "a8a1"}),  # over a5
        ("undo", {"placement": "3O/4/4/4/4/P3/4/O3", "undo": "a5a3"}),  # not a Private's move
        ("undo", {"placement": "3O/4/4/4/4/S3/4/O3", "undo": "a6a3"}),  # too far
        ("undo", {"placement": "3O/4/4/4/4/S3/4/O3", "undo": "a2a3"}),  # from its own hajat
        ("undo", {"placement": "O3/4/4/4/4/4/4/O3", "undo": "a8a1"}),  # its origin is occupied
        ("undo", {"placement": "3O/4/4/S3/4/4/4/O3", "undo": "a7a5"}),  # within the other hajat
        ("undo", {"placement": "3O/4/4/4/4/4/S3/O3", "undo": "a3a2"}),  # within its own hajat
        ("clock", {"clock": "s2!"}),
        ("clock", {"clock": "s3!", "points": "3-18"}),
        ("clock", {"clock": "n3!", "placement": "4/4/4/4/4/4/4/O3"}),
        ("move", {"number": 0}),
    ],
)
def test_impossible_positions_are_refused_with_the_field(
    field: str, fields: dict[str, object]
) -> None:
    with pytest.raises(BadFen) as refusal:
        at(**({"placement": QUIET} | fields))  # type: ignore[arg-type]
    assert refusal.value.field == field


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("clock", {"clock": -1}),
        ("clock", {"clock": 10**9}),
        ("clock", {"claimed": True, "clock": 9}),
        ("move", {"number": 0}),
        ("move", {"number": 10**9}),
        ("points", {"points": (-1, 0)}),
        ("undo", {"undo": KYAN}),
        ("undo", {"undo": move(59, 60)}),
    ],
)
def test_values_that_no_text_can_hold_are_refused_too(
    field: str, values: dict[str, object]
) -> None:
    with pytest.raises(InvalidPosition) as refusal:
        set_up({0: OFFICER, 59: PRIVATE}, side=0, **values)  # type: ignore[arg-type]
    assert refusal.value.field == field
    assert str(refusal.value) == f"{field}: {refusal.value.reason}"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("3O/1O2/2O1/P2P/4/4/4/4 n 11-14 - 0 20", ("0-1", "yemubus")),
        ("3O/1O2/2O1/P2P/4/4/4/4 n 11-11 - 0 20", ("1-0", "yemubus")),
        ("4/4/4/4/4/4/4/O3 s 3-5 - 4 20", ("0-1", "yemubus")),
        ("O2O/4/4/4/4/4/4/O2O n 18-3 a3a8 0 20", ("1-0", "yara")),
        ("O2O/4/4/4/4/4/4/O2O s 17-20 - s0 20", ("0-1", "yara")),
        ("3O/4/4/4/4/4/4/O3 s 3-3 - n3! 20", ("0-1", "alka")),
        ("3O/4/4/4/4/4/4/O3 n 4-3 - n12! 20", ("1-0", "alka")),
    ],
)
def test_finished_games_are_positions_without_actions(text: str, outcome: tuple[str, str]) -> None:
    placement, side, points, undo, clock, number = text.split()
    position = at(placement, side, points, undo, clock, int(number))
    assert ended(position) == outcome
    assert position.legal() == []
    assert [position.perft(depth) for depth in range(4)] == [1, 0, 0, 0]
    assert fen(position) == text


def test_points_and_pieces_need_not_add_up_to_36() -> None:
    assert at("OOOO/OOOO/OOOO/OOOO/OOOO/OOOO/OOOO/OOOO", points="17-17").perft(1) > 0


def test_the_banned_move_may_have_been_a_capture() -> None:
    assert at("3O/4/4/4/4/S3/4/O3", undo="a5a3", points="0-2").crossing == move(32, 16)


def test_squares_off_the_board_hold_no_piece() -> None:
    position = set_up({0: SERGEANT, 59: PRIVATE}, side=0)
    for square in (-1, 64, 1000):
        with pytest.raises(IndexError):
            position.piece_at(square)
