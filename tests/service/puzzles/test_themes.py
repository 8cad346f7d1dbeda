"""The themes of lines in positions made for them."""

from __future__ import annotations

import pytest

from engine.position import Action, Position
from engine.registry import find_variant
from notation.registry import find_dialect
from service.puzzles.themes import name_themes
from tests.engine import katruji_support, kerak_support, kerd_support

FAR = "Ia5 Ia6"
"""Two of Red's Infantry out of the way, so that Red can still win."""


def themes(variant: str, position: Position, *tokens: str) -> set[str]:
    """The themes of a line, but for its length."""
    dialect, board = find_dialect(variant), position.copy()
    line: list[Action] = []
    for token in tokens:
        line.append(dialect.resolve(board, token))
        board.play(line[-1])
    return {*name_themes(find_variant(variant), position, line)} - {"short", "long"}


def test_kerd_reveals_and_executes() -> None:
    reveal = kerd_support.at("hd8 pj9", infiltrators="d8/x", checked=1)
    assert themes("kerd", reveal, "R:d8") == {"reveal", "advantage"}
    execution = kerd_support.at("Hd4 pj9", infiltrators="-/d4")
    assert themes("kerd", execution, "X:d4") == {"execution", "quiet", "advantage"}


def test_what_the_other_side_reveals_is_no_theme() -> None:
    position = kerd_support.at("Hd4 hd8 Pb2 pj9", infiltrators="d8/d4", checked=1)
    assert "reveal" not in themes("kerd", position, "b2b3", "R:d4", "b3b4")


@pytest.mark.parametrize(
    ("pieces", "line", "expected"),
    [
        # The Horse attacks Queen and Tower from e5, or only one of them.
        ("Hf3 qd7 tf7", ["f3e5"], {"fork", "quiet", "advantage"}),
        ("Hf3 qd7 tf8", ["f3e5"], {"quiet", "advantage"}),
        ("Hf3 qd7 pf7", ["f3e5"], {"quiet", "advantage"}),
        # It captures a Pawn there, or checks.
        ("Hf3 qd7 tf7 pe5", ["f3e5"], {"fork", "advantage"}),
        ("kg6 Hf3 qd7", ["f3e5"], {"fork", "advantage"}),
        ("kg6 Hf3 qh9", ["f3e5"], {"advantage"}),
        # Pieces that others protect are worth more than it, or not.
        ("Hf3 qd7 tf7 td12 sh9", ["f3e5"], {"fork", "quiet", "advantage"}),
        ("Hf3 qd7 hf7 tf12", ["f3e5"], {"quiet", "advantage"}),
        # The Pawn attacks one piece, and could be promoted.
        ("Pa6 hb8", ["a6a7"], {"quiet", "advantage"}),
        # The Tower attacks one piece.
        ("Tb1 tb9 pj9", ["b1b9"], {"advantage"}),
    ],
)
def test_a_fork_attacks_two_pieces_at_a_gain(
    pieces: str, line: list[str], expected: set[str]
) -> None:
    kings = "Kk1" if "kg6" in pieces else "Kk1 kl11"
    position = kerd_support.at(f"{kings} {pieces}", pool="Q")
    assert themes("kerd", position, *line) == expected


def test_a_check_is_not_quiet() -> None:
    assert "quiet" in themes("kerd", kerd_support.at("Kk1 kl11 Tb1 pj9"), "b1b10")
    assert "quiet" not in themes("kerd", kerd_support.at("Kk1 kl11 Tb1 pj9"), "b1b11")
    assert "quiet" not in themes("kerak", kerak_support.at("Ie7 If8", points=(4, 7)), "e7e8")


def test_a_pawn_is_promoted() -> None:
    position = kerd_support.at("Kk1 kl11 Pa7 pj9", pool="Q")
    assert themes("kerd", position, "a7a8=Q") == {"promotion", "advantage"}


@pytest.mark.parametrize(
    ("piece", "theme", "answer"),
    [("ta3", "trap", "a3a2"), ("ha3", "region-trap", "a3b5")],
)
def test_a_piece_that_stays_is_taken_by_another_one(piece: str, theme: str, answer: str) -> None:
    position = kerd_support.at(f"Kk1 kl11 Tb3 {piece} Pj2 Qa1 Tb4")
    assert themes("kerd", position, "j2j3", "l11l10", "b3a3") == {theme, "quiet", "advantage"}
    # The same piece acts twice.
    assert theme not in themes("kerd", position, "b3c3", "l11l10", "c3a3")
    # The piece has come to where it is taken.
    capture = {"a3a2": "a1a2", "a3b5": "b4b5"}[answer]
    assert theme not in themes("kerd", position, "j2j3", answer, capture)


def test_a_sacrifice_is_taken_where_it_went() -> None:
    position = kerd_support.at("Kk1 kl11 Tb3 tb9 Qh5 ph9")
    assert "sacrifice" in themes("kerd", position, "b3b8", "b9b8", "h5h9")
    assert "sacrifice" not in themes("kerd", position, "b3b8", "l11l10", "h5h9")


@pytest.mark.parametrize(
    ("taken", "expected"), [("qb8", False), ("tb8", False), ("hb8", True), ("pb8", True)]
)
def test_an_exchange_is_no_sacrifice(taken: str, expected: bool) -> None:
    position = kerd_support.at(f"Kk1 kl11 Tb3 {taken} tb9 Qh5 ph9")
    found = themes("kerd", position, "b3b8", "b9b8", "h5h9")
    assert ("sacrifice" in found) is expected


def test_a_line_that_wins_says_how() -> None:
    castle = kerak_support.at("Ie8 If8", points=(4, 7))
    assert themes("kerak", castle, "e8e9") == {"castle-capture", "win-at-once"}
    yara = katruji_support.at("O2O/4/4/4/4/4/4/O2O", "n", "0-17")
    assert themes("katruji", yara, "d8d1") == {"yara", "win-at-once"}
    king = find_dialect("kerd-draft").read_fen(
        f"{kerd_support.board('Ka1 kl11 Tl3')} w - - - x/x 0 - 1"
    )
    assert themes("kerd-draft", king, "l3l11") == {"king-capture", "win-at-once"}


def test_a_clock_is_claimed() -> None:
    position = find_dialect("katruji").read_fen("1SOO/1PSO/1PS1/3P/1S2/1PP1/OSP1/O1OS n 0-0 - 7 4")
    assert themes("katruji", position, "Kyan") >= {"clock-claim", "quiet", "advantage"}
