"""The rulings on Kerd: R20 to R34, and R60 to R62."""

from __future__ import annotations

import pytest

from engine.kerd.knowledge import claimable_outcome
from notation.kerd.dialect import KerdDialect
from tests.engine.coordinates import ended
from tests.engine.kerd_support import DRAFT, KERD, at, field, names, of, play, targets


@pytest.mark.parametrize("square", ["h5", "j5", "e8", "d6", "b2", "k11"])
def test_r20_the_region_rule_never_applies_to_an_l_leap(square: str) -> None:
    file, rank = ord(square[0]), int(square[1:])
    leaps = {
        f"{chr(file + x)}{rank + y}"
        for x in (-2, -1, 1, 2)
        for y in (-2, -1, 1, 2)
        if abs(x) != abs(y) and "a" <= chr(file + x) <= "l" and 1 <= rank + y <= 12
    }
    assert leaps <= targets(at(f"H{square} Ka7 kl8"), square)


def test_r21_a_turned_pawn_has_no_first_move() -> None:
    position = play(at("pe2", infiltrators="e2/x", checked=1), "R:e2", "l11l10")
    assert targets(position, "e2") == {"e3"}
    assert field(position, "spent") == "e2"
    fresh = at("pf10", infiltrators="f10/x", checked=1)
    assert targets(play(fresh, "R:f10", "l11l10"), "f10") == {"f11"}


def test_r21_a_commander_brought_back_has_no_first_move() -> None:
    position = play(at("Pe7 Pf8", pool="C"), "e7e8=C", "l11l10")
    assert targets(position, "e8") == {"e9"}
    assert of(position, "e8") == {"e8e9", "e8e9&f8f9"}


def test_r22_a_promotion_brings_back_no_pawn() -> None:
    pool = "QTBSHJC"
    assert of(at("Pe7", pool=pool), "e7") == {"e7e8"} | {f"e7e8={kind}" for kind in pool}


def test_r23_the_promoted_pawn_is_of_no_further_use() -> None:
    position = play(at("Pe7 Pd7", pool="T"), "e7e8=T", "l11l10")
    assert field(position, "pool") == "-"
    assert of(position, "d7") == {"d7d8"}


def test_r24_a_commander_does_not_promote() -> None:
    position = at("Ce7 pd8", pool="QTBSHJC")
    assert of(position, "e7") == {"e7e8", "e7d8"}


@pytest.mark.parametrize("dialect", [KERD, DRAFT], ids=["kerd", "kerd-draft"])
def test_r25_a_joint_advance_never_takes_the_other_commander(dialect: KerdDialect) -> None:
    position = at("Cf4 Cg4", dialect=dialect)
    assert of(position, "f4") == {"f4f5"}
    assert of(position, "g4") == {"g4g5"}


def test_r25_attachment_lasts_for_one_move_and_may_be_new_each_time() -> None:
    position = play(at("Cf4 Pe4 Pg5"), "f4f5&e4e5", "l11l10")
    assert of(position, "f5") == {"f5f6", "f5f6&e5e6", "f5f6&g5g6"}
    assert of(position, "e5") == {"e5e6"}


def test_r26_a_king_may_not_take_a_pawn_beside_an_enemy_commander() -> None:
    assert "b1b2" in names(at("Kb1 pb2"))
    for square in ("a1", "c1", "a3", "b3", "c3"):  # all next to b2
        assert "b1b2" not in names(at(f"Kb1 pb2 c{square}")), square
    assert "b1b2" in names(at("Kb1 pb2 cb4"))
    assert "b1b2" in names(at("Kb1 hb2 cc1"))  # only Pawns are avenged


def test_r26_the_recapture_threatens_for_one_turn() -> None:
    position = at("Pe5 Cf6 sb8 ke6 Kl1", side="b")
    assert "e6e5" not in names(position)
    taken = play(position, "b8e5")
    assert "f6e5" in names(taken)
    assert "e6e5" in names(play(taken, "l1k1", "e5a1", "k1l1"))


JUMPS = {"b4": 0, "d4": 1, "i9": 1, "f4": 2, "g12": 2, "j6": 2}
"""Where a Jumper stands, and the most empty squares between it and the piece that it jumps over."""


@pytest.mark.parametrize("square", JUMPS)
@pytest.mark.parametrize("over", ["P", "p"])
def test_r27_the_jumpers_ranges_are_upper_bounds(square: str, over: str) -> None:
    file, rank = square[0], int(square[1:])
    for empty in range(4):
        position = at(f"J{square} {over}{file}{rank - 1 - empty} Kl1 ka12")
        landing = f"{file}{rank - 2 - empty}"
        reached = empty <= JUMPS[square] and rank - 2 - empty > 0
        assert (landing in targets(position, square)) == reached, landing


@pytest.mark.parametrize("choice", ["?", "x", "e2"])
def test_r28_executions_are_legal_while_there_is_something_to_suspect(choice: str) -> None:
    pieces = "Pe2 Cf3 Jc4 Bd4 Hh4 Si4 Tk4 Qk1 kl12"
    position = at(pieces, infiltrators=f"-/{choice}")
    executions = {name for name in names(position) if name[0] == "X"}
    assert executions == {"X:e2", "X:f3", "X:c4", "X:d4", "X:h4"}


@pytest.mark.parametrize("choice", ["!", "-"])
def test_r28_nobody_is_executed_without_suspicion(choice: str) -> None:
    position = at("Pe2 Hh4", infiltrators=f"?/{choice}", checked=1)
    assert not any(name.startswith("X:") for name in names(position))


CORNERED = "Ka12 Pb12 Pa11 Pb11 kl1 hc11"
"""White can only reveal or execute, and would not be attacked without the Hussar on c11."""


def test_r29_an_execution_may_not_uncover_the_own_king() -> None:
    position = at("Ka1 Ba4 Bc4 ta9")
    assert {name for name in names(position) if name[0] == "X"} == {"X:c4"}


def test_r29_a_reveal_may_not_leave_the_own_king_attacked() -> None:
    position = at("ta9 hd8", infiltrators="d8/x", checked=1)
    assert "R:d8" not in names(position)
    assert "R:d8" in names(at("tb9 hd8", infiltrators="d8/x", checked=1))


def test_r29_a_reveal_may_save_the_own_king() -> None:
    assert ended(at(CORNERED, infiltrators="-/-", checked=1)) == ("0-1", "mate")
    position = at(CORNERED, infiltrators="c11/-", checked=1)
    assert position.is_attacked(0)
    assert names(position) == {"R:c11"}
    assert ended(play(position, "R:c11")) is None


def test_r29_an_execution_saves_from_stalemate() -> None:
    position = at("Pb5 pb6 qc2 Ka1 kl12", infiltrators="-/x")
    assert names(position) == {"X:b5"}
    assert ended(at("Pb5 pb6 qc2 Ka1 kl12", infiltrators="-/-")) == ("1/2-1/2", "stalemate")


def test_r30_an_unknown_choice_may_be_any_eligible_enemy_piece() -> None:
    pieces = "pe5 ce6 jc4 bd8 hh4 si4 tk9 qk8 Pe3"
    position = at(pieces, infiltrators="?/x", checked=1)
    reveals = {name for name in names(position) if name[0] == "R"}
    assert reveals == {"R:e5", "R:e6", "R:c4", "R:d8", "R:h4"}


def test_r30_turned_and_brought_back_pieces_may_be_revealed_too() -> None:
    position = play(at("pd5 Pi4", infiltrators="?/?", checked=1), "R:d5")
    assert {"R:d5", "R:i4"} <= names(position)
    back = at("Pe7", infiltrators="x/?", checked=1, pool="B")
    assert "R:e8" in names(play(back, "e7e8=B"))


def test_r31_in_the_draft_a_side_that_can_do_nothing_draws_attacked_or_not() -> None:
    quiet = at(CORNERED.replace("c11", "f8"), dialect=DRAFT)
    assert not quiet.is_attacked(0)
    assert ended(quiet) == ("1/2-1/2", "stalemate")
    attacked = at(CORNERED, dialect=DRAFT, checked=1)
    assert attacked.is_attacked(0)
    assert ended(attacked) == ("1/2-1/2", "stalemate")


def test_r32_a_mate_may_be_claimed_where_only_possible_reveals_are_left() -> None:
    position = at(CORNERED, infiltrators="?/-", checked=1)
    assert names(position) == {"R:c11"}
    assert ended(position) is None
    claim = claimable_outcome(position)
    assert claim is not None
    assert (claim.result, claim.termination) == ("0-1", "mate")


def test_r32_nothing_can_be_claimed_against_a_known_choice_or_another_action() -> None:
    assert claimable_outcome(at(CORNERED, infiltrators="c11/-", checked=1)) is None
    assert claimable_outcome(at(CORNERED, infiltrators="-/-", checked=1)) is None
    assert claimable_outcome(at(f"{CORNERED} Tc3", infiltrators="?/-", checked=1)) is None
    free = at("hc3 Pi4", infiltrators="?/-", checked=1)
    assert claimable_outcome(free) is None


def test_r60_a_stalemate_may_be_claimed_likewise() -> None:
    claim = claimable_outcome(at(CORNERED.replace("c11", "f8"), infiltrators="?/-", checked=1))
    assert claim is not None
    assert (claim.result, claim.termination) == ("1/2-1/2", "stalemate")


def test_r33_any_friendly_jumper_on_the_home_square_allows_castling() -> None:
    ready = at("Kg1 Tl1 Jk1 kd11", castling="K")
    assert "g1j1" in names(ready)
    for other in ("", "Hk1", "jk1"):
        pieces = f"Kg1 Tl1 {other} kd11"
        assert "g1j1" not in names(at(pieces, castling="K", infiltrators="x/x")), other
    turned = play(at("Kg1 Tl1 jk1 kd11", castling="K", infiltrators="k1/x", checked=1), "R:k1")
    assert "g1j1" in names(play(turned, "d11d10"))


def test_r34_the_draft_avenges_commanders_too() -> None:
    for dialect, expected in ((DRAFT, True), (KERD, False)):
        position = at("Cd4 Cd5 sa1 Kl1 kb12", side="b", dialect=dialect)
        after = play(position, "a1d4")
        assert ("d5d4" in names(after)) is expected
        assert field(after, "recapture", dialect) == ("d4" if expected else "-")


@pytest.mark.parametrize(
    ("choices", "white", "black"),
    [("-/?", True, False), ("?/-", False, True), ("-/x", True, False), ("!/?", True, False)],
)
def test_r61_a_side_may_execute_as_long_as_the_opponents_choice_is_to_be_suspected(
    choices: str, white: bool, black: bool
) -> None:
    for side, may in (("w", white), ("b", black)):
        position = at("Pe2 pe10", side, infiltrators=choices, checked=1)
        assert any(name.startswith("X:") for name in names(position)) == may, side


def test_r62_the_kings_way_in_castling_is_judged_with_the_king_where_it_stands() -> None:
    # The Hussar's path from e1 to h1 crosses the King's own square.
    covered = at("Kg1 Tl1 Jk1 he1 kd11", castling="K")
    assert not covered.is_attacked(0)
    assert "g1j1" in names(covered)
    assert "g1j1" not in names(at("Kg1 Tl1 Jk1 hh4 kd11", castling="K"))
