"""Kerak's positions through the interface that every game has."""

from __future__ import annotations

import pytest

from engine.errors import IllegalAction
from engine.kerak import KERAK
from engine.kerak.action import PASS
from engine.kerak.board import BOARD
from engine.kerak.pieces import PieceKind, kind_of
from engine.position import Action
from tests.engine.kerak_support import at, fen, play

FAR = "Ia5 Ia6"
"""Two Red Infantry out of the way, so that Red can still win."""


def test_the_variant() -> None:
    assert (KERAK.name, KERAK.sides, KERAK.counts_points, KERAK.draw_by_points) == (
        "kerak",
        ("Red", "Blue"),
        True,
        True,
    )


def test_an_illegal_action_changes_nothing() -> None:
    position = at(f"Ve5 {FAR}")
    before = position.key()
    for wrong in (0, -1, PASS, 61, 63 << 6 | 5, 1 << 12, 2**15, 2**70):
        assert not position.is_legal(Action(wrong))
        with pytest.raises(IllegalAction):
            position.play(Action(wrong))
    assert position.key() == before


def test_a_copy_shares_nothing() -> None:
    position = at(f"Ve5 ie6 {FAR}", points=(1, 2))
    twin = position.copy()
    assert twin.key() == position.key()
    play(twin, "e5e6")
    assert fen(position) == fen(at(f"Ve5 ie6 {FAR}", points=(1, 2)))
    assert twin.points() == (2, 2)


def test_piece_at_knows_the_board_alone() -> None:
    position = at("Ve5")
    assert kind_of(position.piece_at(BOARD.names.index("e5"))) is PieceKind.CAVALRY
    for outside in (-1, 61):
        with pytest.raises(IndexError):
            position.piece_at(outside)
