from __future__ import annotations

import pytest

from service.tournament.pairing.board import PairedBoard, available, check_boards
from service.tournament.pairing.errors import NotEntered, SeatedTwice
from service.tournament.table import Bye, Entrant, EntrantId, Mark, Table, TournamentKind

A, B, C, D = (EntrantId(each) for each in "abcd")
TABLE = Table(
    TournamentKind.FREE,
    1,
    (Entrant(C, 3, entered=2), Entrant(B, 2), Entrant(A, 1), Entrant(D, 4)),
    byes=(Bye(2, B, Mark.HALF_BYE),),
    withdrawn={D: 3},
)


def test_who_can_be_paired() -> None:
    there = {round: [each.id for each in available(TABLE, round)] for round in (1, 2, 3)}
    assert there == {1: [A, B, D], 2: [A, C, D], 3: [A, B, C]}


def test_boards_by_hand_seat_who_is_there_once() -> None:
    check_boards(TABLE, 2, [PairedBoard(A, C)])
    with pytest.raises(NotEntered):
        check_boards(TABLE, 2, [PairedBoard(A, B)])
    with pytest.raises(SeatedTwice):
        check_boards(TABLE, 2, [PairedBoard(A, C), PairedBoard(D, A)])
    with pytest.raises(SeatedTwice):
        check_boards(TABLE, 2, [PairedBoard(A, A)])
