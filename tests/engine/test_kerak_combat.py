"""The breakdown of captures, legal or not."""

from __future__ import annotations

import pytest
from hypothesis import given

from engine.kerak.action import move
from engine.kerak.board import BOARD, SPACES
from engine.kerak.combat import (
    CombatVerdict,
    StrengthContribution,
    combat,
    list_captures,
)
from engine.kerak.field import attack, defence
from engine.kerak.kernel import Position
from engine.kerak.pieces import side_of
from tests.engine.kerak_support import KERAK as WRITTEN
from tests.engine.kerak_support import START, at, fight, play, space
from tests.engine.test_kerak_properties import positions


def test_a_refusal_names_the_approach_and_everyone_in_it() -> None:
    refused = fight(at("Id4 he4 ie3 Ae5"), "d4", "e4")
    assert (refused.verdict, refused.legal) == (CombatVerdict.TOO_WEAK, False)
    assert refused.reason == (
        "from d4: attack 2 (Infantry d4 1 + Archer e5 1) < defence 3 (Hero e4 2 + Infantry e3 1)"
    )


def test_contributions_are_values() -> None:
    best = fight(at("Id4 he4 ie3 Af4"), "d4", "e4").best
    assert best is not None
    assert best.attackers == (
        StrengthContribution("Infantry", "d4", 1),
        StrengthContribution("Archer", "f4", 1),
    )
    assert best.defenders == (
        StrengthContribution("Hero", "e4", 2),
        StrengthContribution("Infantry", "e3", 1),
    )


def test_the_castle_s_support_is_named() -> None:
    best = fight(at("Ic6 ic7 Cc5"), "c6", "c7").best
    assert best is not None
    assert best.describe() == (
        "from c6: attack 2 (Infantry c6 1 + Castle c5 1) >= defence 1 (Infantry c7 1)"
    )
    defended = fight(at("Ie6 ae7 ce8"), "e6", "e7").best
    assert defended is not None
    assert defended.defenders[-1] == StrengthContribution("Castle", "e8", 1)


def test_the_best_approach_has_the_highest_attack_less_defence() -> None:
    found = fight(at("Ve4 ie6 nd6 Ia5"), "e4", "e6")
    assert [(each.approach, each.succeeds) for each in found.assaults] == [
        ("f5", True),
        ("e5", False),
    ]
    assert found.legal


def test_equal_approaches_come_by_name() -> None:
    found = fight(at("Ne5 nf6 Ia5"), "e5", "f6")
    assert [each.approach for each in found.assaults] == ["e6", "f5"]


def test_archers_fall_whatever_the_sums() -> None:
    found = fight(at("Ve4 ae5 hf4 Ia5"), "e4", "e5")
    assert (found.verdict, found.reason) == (
        CombatVerdict.SUCCEEDS,
        "Cavalry always captures Archers",
    )
    best = found.best
    assert best is not None
    assert (best.attack, best.defence, best.succeeds) == (1, 3, True)


@pytest.mark.parametrize(
    ("men", "capture", "verdict", "reason"),
    [
        ("Ve5", "d5e5", CombatVerdict.NO_PIECE, "no piece stands on d5"),
        ("Ve5", "e5e6", CombatVerdict.EMPTY_TARGET, "there is nothing to capture on e6"),
        ("Ve5 Ie6", "e5e6", CombatVerdict.OWN_PIECE, "e6 holds a piece of the same side"),
        ("Ve5", "e5e5", CombatVerdict.OWN_PIECE, "e5 holds a piece of the same side"),
        ("Cc5 ic6", "c5c6", CombatVerdict.IMMOBILE, "a Castle never moves"),
        (
            "Ne8 Hd9",
            "e8e9",
            CombatVerdict.NO_CAPTOR,
            "Knight cannot capture a Castle, only Infantry and Archers can",
        ),
        (
            "Ne5 ie8",
            "e5e8",
            CombatVerdict.NO_PATH,
            "no path of at most 2 steps leads from e5 to e8",
        ),
        ("Ie5 ie7", "e5e7", CombatVerdict.NO_PATH, "no path of at most 1 step leads from e5 to e7"),
        ("He5 ie4 Ia5 Ia6", "e4e5", CombatVerdict.TOO_WEAK, None),
        ("Ie5 ie4 Ia5", "e4e5", CombatVerdict.NOT_TO_MOVE, "it is Red's turn"),
        ("Ie5 ie4", "e5e4", CombatVerdict.GAME_OVER, "the game is over"),
    ],
)
def test_every_obstacle_has_its_reason(
    men: str, capture: str, verdict: CombatVerdict, reason: str | None
) -> None:
    found = fight(at(men), capture[:2], capture[2:])
    assert found.verdict is verdict
    assert reason is None or found.reason == reason
    assert not found.legal


def test_armies_in_hand_stand_too_far_apart_for_any_path() -> None:
    position = play(WRITTEN.read_fen(START), "I@a7", "C@c9")
    assert fight(position, "a7", "c9").verdict is CombatVerdict.NO_PATH


def test_a_space_off_the_board_is_an_error() -> None:
    with pytest.raises(IndexError):
        combat(at("Ve5"), space("e5"), SPACES)


@pytest.mark.slow
@given(positions)
def test_the_verdict_agrees_with_the_rules_on_every_pair(position: Position) -> None:
    for origin in range(SPACES):
        for target in range(SPACES):
            found = combat(position, origin, target)
            captures = bool(position.piece_at(target)) and position.is_legal(move(origin, target))
            assert found.legal == captures
            assert found.best is None or (found.best is found.assaults[0])
            assert found.reason
            for assault in found.assaults:
                approach = BOARD.names.index(assault.approach)
                assert assault.attack == attack(position, origin, approach, target)
                assert assault.defence == defence(position, approach, target)


@given(positions)
def test_captures_are_those_that_a_path_leads_to(position: Position) -> None:
    reached = {CombatVerdict.SUCCEEDS, CombatVerdict.TOO_WEAK, CombatVerdict.NO_CAPTOR}
    expected = [
        told
        for origin in range(SPACES)
        if (one := position.piece_at(origin)) and side_of(one) == position.side
        for target in range(SPACES)
        if (told := combat(position, origin, target)).verdict in reached and told.assaults
    ]
    if position.building or position.outcome() is not None:
        expected = []
    assert list_captures(position) == expected
