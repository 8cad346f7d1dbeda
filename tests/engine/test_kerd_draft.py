"""Kerd Draft: each difference that the rules page `kerd.md` lists."""

from __future__ import annotations

import pytest

from engine.kerd import KERD as RULEBOOK_GAME
from engine.kerd import KERD_DRAFT as GAME
from engine.kerd.kernel import Position
from tests.engine.coordinates import ended
from tests.engine.kerd_support import DRAFT, START, at, field, names, of, play, targets


def draft(pieces: str, side: str = "w", *, infiltrators: str = "x/x", checked: int = 0) -> Position:
    return at(pieces, side, infiltrators=infiltrators, checked=checked, dialect=DRAFT)


def test_board_start_and_sides_are_those_of_the_rulebook() -> None:
    assert DRAFT.write_fen(GAME.start()) == START.replace("KQkq", "-")
    assert GAME.sides == RULEBOOK_GAME.sides


def test_capturing_the_king_wins() -> None:
    position = play(draft("Ta1 Kb1 ka9"), "a1a9")
    assert ended(position) == ("1-0", "king captured")
    assert position.legal() == []
    assert not position.is_attacked(1)


def test_a_king_may_be_left_and_moved_into_attack() -> None:
    position = draft("Ka1 tb9 tc1 Ph2", checked=1)
    assert {"a1b1", "a1b2", "a1a2", "h2h3"} <= names(position)
    assert ended(play(position, "h2h3", "c1a1")) == ("0-1", "king captured")


def test_there_is_no_mate() -> None:
    assert ended(draft("Kg10 Qb12 kg12", "b", checked=1)) is None


def test_a_quiet_move_crosses_the_air_freely() -> None:
    assert {"h8", "i9"} <= targets(draft("Be5"), "e5")
    assert {"j8", "g5"} <= targets(draft("Hj5"), "j5")
    assert "f9" in targets(draft("Bb5"), "b5")


@pytest.mark.parametrize("target", ["h8", "i9"])
def test_no_capture_where_air_lies_between_two_squares_that_are_none(target: str) -> None:
    assert target not in targets(draft(f"Be5 p{target}"), "e5")
    assert target in targets(draft(f"Se5 p{target}"), "e5")
    assert target in targets(draft(f"Qe5 p{target}"), "e5")


def test_a_hussars_straight_capture_obeys_the_region_rule() -> None:
    assert "j8" not in targets(draft("Hj5 pj8"), "j5")
    assert "g5" in targets(draft("Hj5 pg5"), "j5")
    assert "k7" in targets(draft("Hj5 pk7"), "j5")


def test_a_target_in_the_air_is_never_restricted() -> None:
    assert "f9" in targets(draft("Bb5 pf9"), "b5")
    assert "g7" in targets(draft("Be5 pg7"), "e5")


def test_a_piece_in_the_air_captures_on_any_region() -> None:
    assert "j10" in targets(draft("Bf6 pj10"), "f6")


def test_jumps_cross_the_air_freely() -> None:
    assert "e5" in targets(draft("Jh5 Pf5"), "h5")
    assert "h8" in targets(draft("Je5 pg7"), "e5")


def test_an_attack_obeys_the_draft_region_rule() -> None:
    assert not draft("Ka2 bh9").is_attacked(0)
    assert draft("Kf4 bb8", checked=1).is_attacked(0)


def test_no_executions() -> None:
    assert not any(name.startswith("X:") for name in names(draft("Pe2", infiltrators="?/?")))


def test_no_promotion_and_no_pool() -> None:
    assert of(draft("Pe7 pd8"), "e7") == {"e7e8", "e7d8"}
    assert field(play(draft("Td4 qd9"), "d4d9"), "pool", DRAFT) == "-"


def test_no_castling() -> None:
    assert "g1j1" not in names(draft("Kg1 Tl1 Jk1 Ta1 Jb1"))


def test_an_attack_on_the_enemy_king_opens_the_reveals() -> None:
    position = draft("Ta5 Kb1 hd8 kk11", infiltrators="d8/x")
    after = play(position, "a5a11")
    assert field(after, "checked", DRAFT) == "1"
    assert "R:d8" in names(play(after, "k11k10"))


def test_moving_ones_own_king_into_attack_opens_nothing() -> None:
    after = play(draft("Kb1 hd8 ta9", infiltrators="d8/x"), "b1a1")
    assert field(after, "checked", DRAFT) == "0"


def test_a_king_may_take_a_pawn_beside_a_commander_and_be_taken_in_turn() -> None:
    position = play(draft("Kb1 pb2 ca3"), "b1b2")
    assert field(position, "recapture", DRAFT) == "b2"
    assert ended(play(position, "a3b2")) == ("0-1", "king captured")
