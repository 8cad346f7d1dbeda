"""The evaluation of positions of Kerd and Kerd Draft."""

from __future__ import annotations

from random import Random

import pytest

from engine.kerd.board import (
    BROUGHT_BACK,
    COLOURS,
    HUSSAR,
    KING,
    PAWN,
    PIECE,
    QUEEN,
    SQUARES,
    WHITE,
    file_of,
    is_square,
    rank_of,
    square,
)
from engine.kerd.evaluation import evaluate, material, terms
from engine.kerd.kernel import Position
from engine.kerd.piece_squares import PIECE_SQUARES, entry
from engine.kerd.setup import FIRST_MOVERS, set_up
from engine.kerd.terms import Term
from notation.kerd.dialect import KerdDialect
from tests.engine.kerd_support import DRAFT, KERD, START, at, random_position


def counted(position: Position) -> dict[Term, int]:
    """The terms by name."""
    return dict(zip(Term, terms(position.state), strict=True))


def worth(letter: str) -> int:
    """The value of a White piece in whole Pawns."""
    return material(at(f"{letter}d4").state) // 100


def opposite(at: int) -> int:
    """The square mirrored to the other side's half."""
    return square(file_of(at), 11 - rank_of(at))


def turned(position: Position) -> Position:
    """The position with sides swapped: the board mirrored between its halves."""
    pieces = {opposite(at): position.piece_at(at) & PIECE ^ COLOURS for at in SQUARES}
    spent = [at for at, piece in FIRST_MOVERS.items() if position.piece_at(at) == piece]
    choices = [position.choice_of(side) for side in (1, 0)]
    white, black = (opposite(choice) if is_square(choice) else choice for choice in choices)
    return set_up(
        position.rules,
        {at: piece for at, piece in pieces.items() if piece != COLOURS},
        side=1 - position.side,
        castlings=(position.castlings & 3) << 2 | position.castlings >> 2,
        spent=[opposite(at) for at in spent],
        recapture=opposite(position.recapture) if position.recapture else None,
        choices=(white, black),
        checked=position.checked,
        pool={
            WHITE << side | kind: position.pool_of(1 - side, kind)
            for side in range(2)
            for kind in BROUGHT_BACK
            if position.rules.promotion
        },
    )


@pytest.mark.parametrize("dialect", [KERD, DRAFT])
def test_both_sides_are_judged_alike(dialect: KerdDialect) -> None:
    random = Random(1)
    for _ in range(150):
        position = random_position(random, dialect)
        other = turned(position)
        assert terms(position.state) == [-count for count in terms(other.state)]
        assert evaluate(position.state) == evaluate(other.state)
        assert material(position.state) == material(other.state)


def test_the_first_position_is_worth_the_turn() -> None:
    start = counted(KERD.read_fen(START))
    assert {term for term, count in start.items() if count} == {Term.TURN}


def test_pieces_are_counted_by_kind() -> None:
    position = at("Pa2 Pb2 Cc2 Jd1 Bb1 Hc1 Se1 Tf1 Qg1 pa11 qb12")
    found = terms(position.state)[:8]
    assert found == [1, 1, 1, 1, 1, 1, 1, 0]
    assert material(position.state) > 0 > material(at("Pa2 qb12").state)


def test_squares_are_worth_what_the_tables_say() -> None:
    bare = counted(at(""))[Term.ON_SQUARES]
    for kind, letter in ((PAWN, "P"), (HUSSAR, "H"), (QUEEN, "Q")):
        for name, file in (("d", 3), ("i", 8)):
            number = PIECE_SQUARES[entry(kind, square(file, 4))]
            assert counted(at(f"{letter}{name}5"))[Term.ON_SQUARES] - bare == number
            assert counted(at(f"{letter.lower()}{name}8"))[Term.ON_SQUARES] - bare == -number
    # The Kings' squares count too: a1 for White, and l11, which mirrors l2, for Black.
    kings = [PIECE_SQUARES[entry(KING, square(file, rank))] for file, rank in ((0, 0), (11, 1))]
    assert bare == kings[0] - kings[1]
    assert len(PIECE_SQUARES) == 1 + entry(KING, square(5, 0))


def test_the_region_rule_bounds_bishops() -> None:
    # From b2 on water: a3, c1, and c3 to g7 in the air, where it must stop; the King is on a1.
    assert counted(at("Bb2"))[Term.BISHOP_MOVES] == 2 + 5
    # A Scout goes on to l12.
    assert counted(at("Sb2"))[Term.SCOUT_MOVES] == 2 + 10


def test_the_draft_bounds_captures_alone() -> None:
    # It goes to l12 as a Scout does, but cannot capture there.
    assert counted(at("Bb2", dialect=DRAFT))[Term.BISHOP_MOVES] == 2 + 10
    assert counted(at("Bb2 pl12 ka12", dialect=DRAFT))[Term.BISHOP_MOVES] == 2 + 9
    assert (
        counted(at("Hh5", dialect=DRAFT))[Term.HUSSAR_MOVES] > counted(at("Hh5"))[Term.HUSSAR_MOVES]
    )


def test_hussars_leap_and_go_three_straight() -> None:
    found = counted(at("Hc3 Pc4 pd3"))
    # Eight leaps; one straight move over a friend, none over an enemy or off the board.
    assert found[Term.HUSSAR_MOVES] == 8 + 1
    assert counted(at("Hf6"))[Term.IN_AIR] == 1
    # From land, no straight move of a Hussar crosses the air.
    assert counted(at("Hh5"))[Term.HUSSAR_MOVES] == 8 + 2


def test_towers_and_queens_look_at_the_king() -> None:
    found = counted(at("Tk6 kl11"))
    assert found[Term.TOWER_MOVES] == 21 + 1
    assert found[Term.KING_ATTACKED] == 3
    assert counted(at("Qk6 kl11"))[Term.QUEEN_MOVES] > 22


def test_jumpers_see_from_their_regions() -> None:
    assert counted(at("Jf6 Ja2 jd8"))[Term.JUMPERS_SIGHT] == 2 + 0 - 1


def test_pawns_advance_and_may_promote() -> None:
    found = counted(at("Pd7 Pe6 Ph5 Pc4", pool="QT"))
    assert found[Term.ADVANCE] == 5 + 4 + 3 + 2
    assert found[Term.PROMOTION] == (4 + 2 + 1) * worth("Q")
    assert counted(at("Pd7", pool="T"))[Term.PROMOTION] == 4 * worth("T")
    assert counted(at("Pd7"))[Term.PROMOTION] == 0


def test_pawns_that_have_not_promoted_are_stranded() -> None:
    assert counted(at("Pd8 pd4 pd5 Cd9", pool="Qq"))[Term.STRANDED] == 1 - 2


def test_kerd_draft_has_no_promotion() -> None:
    found = counted(at("Pd7 Pd9", dialect=DRAFT))
    assert found[Term.PROMOTION] == found[Term.STRANDED] == 0


def test_a_kings_shield_and_open_lines() -> None:
    found = counted(at("Ka1 Pa2 Cb2 Tb1 kl12"))
    assert found[Term.KING_SHIELD] == 2
    assert found[Term.KING_OPEN] == 0 - (11 + 11 + 9)


@pytest.mark.parametrize(("checked", "term"), [(1, Term.READY), (0, Term.LATENT)])
def test_unused_reveals_count_by_what_they_win(checked: int, term: Term) -> None:
    position = at("Pd4 bd8 hh8", infiltrators="h8/d4", checked=checked)
    assert counted(position)[term] == worth("H") - worth("P")
    for choice in ("x", "?", "!", "-"):
        told = at("Pd4 bd8", infiltrators=f"{choice}/x", checked=1)
        assert counted(told)[Term.READY] == 0


def test_pawns_fork() -> None:
    assert counted(at("Pd4 tc5 be5 je3 Cg3 qf4"))[Term.FORKED] == 3


def test_castlings() -> None:
    assert counted(at("Kg1 Ta1 kg12 tl12 ta12", castling="Qkq"))[Term.CASTLING] == 1 - 2
