"""The evaluation of Katruji's positions."""

from __future__ import annotations

from random import Random

import pytest

from engine.katruji.evaluation import Term, evaluate, material, terms
from engine.katruji.kernel import Position
from tests.engine.katruji_support import KATRUJI, at, play, random_fen

EMPTY = "4/4/4/4/4/4/4/4"


def counted(position: Position) -> dict[Term, int]:
    """The non-zero terms."""
    return {term: count for term, count in zip(Term, terms(position), strict=True) if count}


def turned(fen: str) -> str:
    """The position with sides swapped: the board rotated by 180°."""
    board, side, points, undo, clock, number = fen.split()
    assert undo == "-"
    south, north = points.split("-")
    clock = clock.translate(str.maketrans("sn", "ns"))
    return f"{board[::-1]} {'sn'['ns'.index(side)]} {north}-{south} - {clock} {number}"


def test_both_sides_are_judged_alike() -> None:
    random = Random(1)
    for _ in range(200):
        fen = random_fen(random)
        position, other = KATRUJI.read_fen(fen), KATRUJI.read_fen(turned(fen))
        assert terms(position) == [-count for count in terms(other)], fen
        assert evaluate(position) == evaluate(other)
        assert material(position) == material(other)


def test_scores_are_the_side_to_acts() -> None:
    south = at("4/4/4/1S2/4/4/O3/4", "s", "9-4")
    assert evaluate(south) > 0
    assert evaluate(at("4/1O2/4/4/4/4/O3/4", "n", "9-4")) < 0


def test_material_is_points() -> None:
    assert material(at("3P/4/4/4/P3/4/4/4", "s", "2-7")) == -500
    assert material(at("3P/4/4/4/P3/4/4/4", "n", "2-7")) == 500


@pytest.mark.parametrize(
    ("placement", "points", "clock", "expected"),
    [
        ("3P/4/4/4/4/4/4/P3", "0-0", "0", {Term.TURN: 1}),
        # A Sergeant in the middle has 7 moves, a Private in the corner 1.
        (
            "3P/4/4/4/4/1S2/4/4",
            "0-0",
            "0",
            {Term.PRIVATES: -1, Term.SERGEANTS: 1, Term.MOBILITY: 6, Term.TURN: 1},
        ),
    ],
)
def test_terms(placement: str, points: str, clock: str, expected: dict[Term, int]) -> None:
    assert counted(at(placement, "s", points, clock=clock)) == expected


def test_threats_count_what_can_be_taken() -> None:
    # South's Officer can take a Private and an Officer, both of which can take it.
    position = at("4/O3/4/1P2/O3/4/4/4")
    assert counted(position)[Term.THREATS] == (1 + 3) - (3 + 3)


def test_the_clock_runs_for_who_is_ahead() -> None:
    board = "3P/4/4/4/4/4/4/P3"
    assert Term.CLOCK not in counted(at(board, "s", "3-3", clock="5"))
    assert counted(at(board, "s", "3-4", clock="5"))[Term.CLOCK] == -5
    assert counted(at(board, "s", "4-3", clock="50"))[Term.CLOCK] == 7
    assert counted(at(board, "s", "4-3", clock="n1"))[Term.CLOCK] == 8
    assert counted(at(board, "s", "4-3", clock="n9"))[Term.CLOCK] == 10


def test_r5_equal_points_lead_for_who_declared() -> None:
    board = "3P/4/4/4/4/4/4/P3"
    assert counted(at(board, "s", "3-3", clock="n1"))[Term.LEAD] == -1
    assert counted(at(board, "s", "3-3", clock="s1"))[Term.LEAD] == 1
    declared = play(at(board, "s", "0-0", clock="7"), "Kyan")
    assert counted(declared)[Term.LEAD] == 1


def test_emptying_hajats_bring_the_end_for_who_is_ahead() -> None:
    assert counted(at("3P/4/4/4/4/4/4/P3", "s", "4-3"))[Term.EMPTYING] == 6
    assert counted(at("3P/4/4/4/4/PP2/PPP1/P3", "s", "3-4"))[Term.EMPTYING] == -3
