"""Infiltration and knowledge: each sentence of the rules page `kerd.md`."""

from __future__ import annotations

import pytest

from engine.kerd.knowledge import is_hidden, view, visible_actions
from engine.side import Side
from tests.engine.kerd_support import KERD, at, field, names, play


def others(viewer: Side | None) -> list[Side]:
    """The sides whose choices are hidden from a viewer."""
    return [side for side in Side if side is not viewer]


def reveals(position_names: set[str]) -> set[str]:
    return {name for name in position_names if name.startswith("R:")}


def test_nothing_is_revealed_before_a_check() -> None:
    position = at("hd8", infiltrators="d8/x")
    assert reveals(names(position)) == set()
    assert reveals(names(at("hd8", infiltrators="d8/x", checked=1))) == {"R:d8"}


@pytest.mark.parametrize("side", ["w", "b"])
def test_either_kings_first_check_opens_the_reveals_for_both(side: str) -> None:
    white, black = ["hd8", "Hc4", "Ta5", "te8", "Kb1", "kk11"], "Pi3"
    position = at(" ".join([*white, black]), side, infiltrators="d8/c4")
    line = ["a5a11", "k11k10"] if side == "w" else ["e8e1", "b1b2"]
    assert reveals(names(position)) == set()
    after = play(position, line[0])
    assert field(after, "checked") == "1"
    assert reveals(names(play(after, line[1]))) == {"R:d8" if side == "w" else "R:c4"}


def test_the_chosen_piece_changes_sides_where_it_stands_and_the_turn_ends() -> None:
    position = play(at("hd8", infiltrators="d8/x", checked=1), "R:d8")
    assert position.side == 1
    assert "3H8" in field(position, "placement")
    assert field(position, "infiltrators") == "!/x"
    assert "d8b7" in names(play(position, "l11l10"))


def test_a_side_reveals_once() -> None:
    position = play(at("hd8 pi9", infiltrators="?/x", checked=1), "R:d8", "l11l10")
    assert reveals(names(position)) == set()


def test_a_choice_follows_its_piece() -> None:
    position = at("Hd4 hd9", infiltrators="d9/d4")
    assert field(play(position, "d4e6", "d9e11"), "infiltrators") == "e11/e6"


def test_a_choice_is_void_once_its_piece_is_captured() -> None:
    assert field(play(at("Td4 hd9", infiltrators="d9/x"), "d4d9"), "infiltrators") == "x/x"
    position = play(at("Hd4 td9 Pj2", "b", infiltrators="-/d4"), "d9d4")
    assert field(position, "infiltrators") == "-/x"


def test_a_choice_is_void_once_its_piece_is_executed() -> None:
    position = play(at("Hd4", infiltrators="-/d4"), "X:d4")
    assert field(position, "infiltrators") == "-/x"
    assert position.side == 1


def test_a_choice_is_void_once_its_pawn_is_used_up_in_a_promotion() -> None:
    promoted = play(at("Pe7", infiltrators="-/e7", pool="B"), "e7e8=B")
    assert field(promoted, "infiltrators") == "-/x"
    joint = play(at("Pe7 Ce6", infiltrators="-/e7", pool="B"), "e6e7&e7e8=B")
    assert field(joint, "infiltrators") == "-/x"


def test_a_plain_advance_onto_a_promotion_square_keeps_the_choice() -> None:
    assert field(play(at("Pe7", infiltrators="-/e7", pool="B"), "e7e8"), "infiltrators") == "-/e8"
    both = play(at("Pe7 Ce6", infiltrators="-/e6", pool="B"), "e6e7&e7e8=B")
    assert field(both, "infiltrators") == "-/e7"


def test_a_piece_brought_back_is_no_infiltrator() -> None:
    position = play(at("Pe7", infiltrators="-/e7", pool="B", checked=1), "e7e8=B")
    assert reveals(names(position)) == set()


def test_an_executed_piece_leaves_the_board_for_its_sides_pool() -> None:
    position = play(at("Hd4 Ce3", infiltrators="-/?"), "X:d4")
    assert field(position, "pool") == "H"
    assert "d" not in {name[0] for name in names(position)}
    assert field(position, "infiltrators") == "-/?"


def test_no_execution_of_kings_queens_towers_and_scouts() -> None:
    position = at("Qd4 Tc5 Se2 Kb1", infiltrators="-/?")
    assert not {name for name in names(position) if name[0] == "X"}


def test_a_turned_piece_may_be_executed_by_its_new_side() -> None:
    position = play(at("hd8", infiltrators="d8/x", checked=1), "R:d8", "l11l10")
    assert "X:d8" in names(position)


# Knowledge


def test_only_its_owner_sees_a_hidden_choice_void_or_not() -> None:
    position = at("Hd4 hd9", infiltrators="d9/x")
    seen = {
        viewer: field(view(position, others(viewer)), "infiltrators") for viewer in (*Side, None)
    }
    assert seen == {Side.FIRST: "d9/?", Side.SECOND: "?/x", None: "?/?"}
    assert field(position, "infiltrators") == "d9/x"


@pytest.mark.parametrize("choices", ["!/-", "?/!", "-/?"])
def test_what_is_not_hidden_everybody_sees(choices: str) -> None:
    position = at("Hd4 hd9", infiltrators=choices, checked=1)
    for viewer in (*Side, None):
        assert field(view(position, others(viewer)), "infiltrators") == choices
        assert visible_actions(position, others(viewer)) == position.legal()
    assert not is_hidden(position, Side.FIRST)


def test_the_reveal_of_a_hidden_choice_is_listed_to_its_owner_alone() -> None:
    position = at("Hd4 hd9", infiltrators="d9/d4", checked=1)
    assert visible_actions(position, others(Side.FIRST)) == position.legal()
    for viewer in (Side.SECOND, None):
        listed = {KERD.coordinate(action) for action in visible_actions(position, others(viewer))}
        assert listed == names(position) - {"R:d9"}


def test_others_see_the_same_whatever_the_hidden_choices_are() -> None:
    shown = {
        (
            KERD.write_fen(view(position, others(None))),
            tuple(visible_actions(position, others(None))),
            tuple(visible_actions(position, others(Side.SECOND))),
        )
        for choice in ("d9", "e10", "x")
        for position in [at("Hd4 hd9 pe10", infiltrators=f"{choice}/-", checked=1)]
    }
    assert len(shown) == 1
