"""The combat of Kerak's captures as text, and in refusals."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from engine.kerak.board import BOARD
from engine.kerak.combat import combat
from engine.kerak.kernel import Position
from notation.errors import BadSquare, IllegalMove, NoCombat
from notation.katruji import KatrujiDialect
from notation.kerak.dialect import KerakDialect
from tests.engine.kerak_support import at
from tests.engine.test_kerak_properties import positions

KERAK = KerakDialect()
WEAK = "from d4: attack 2 (Infantry d4 1 + Archer e5 1) < defence 3 (Hero e4 2 + Infantry e3 1)"


def test_a_combat_says_who_gives_how_much_to_each_side() -> None:
    assert KERAK.combat(at("Id4 he4 ie3 Ae5"), "d4", "e4") == {
        "from": "d4",
        "to": "e4",
        "legal": False,
        "verdict": "too weak",
        "detail": WEAK,
        "assaults": [
            {
                "approach": "d4",
                "attack": 2,
                "defence": 3,
                "succeeds": False,
                "attackers": [
                    {"piece": "Infantry", "space": "d4", "strength": 1},
                    {"piece": "Archer", "space": "e5", "strength": 1},
                ],
                "defenders": [
                    {"piece": "Hero", "space": "e4", "strength": 2},
                    {"piece": "Infantry", "space": "e3", "strength": 1},
                ],
                "detail": WEAK,
            }
        ],
    }


def test_a_capture_that_is_legal_has_a_combat_too() -> None:
    told = KERAK.combat(at("Ve4 ie6 nd6 Ia5"), "e4", "e6")
    assert (told["legal"], told["verdict"]) == (True, "succeeds")
    assert [(each["approach"], each["succeeds"]) for each in told["assaults"]] == [
        ("f5", True),
        ("e5", False),
    ]


@given(positions)
def test_all_that_the_rules_say_is_told(position: Position) -> None:
    for origin, start in enumerate(BOARD.names):
        for target in range(origin % 7, len(BOARD.names), 7):
            found = combat(position, origin, target)
            told = KERAK.combat(position, start, BOARD.names[target])
            assert json.loads(json.dumps(told)) == told
            assert (told["legal"], told["detail"]) == (found.legal, found.reason)
            assert [each["detail"] for each in told["assaults"]] == [
                one.describe() for one in found.assaults
            ]
            for each in told["assaults"]:
                assert each["attack"] == sum(one["strength"] for one in each["attackers"])
                assert each["defence"] == sum(one["strength"] for one in each["defenders"])


@pytest.mark.parametrize("name", ["", "z9", "a1", "E4", "e44", "e٤"])
def test_a_name_that_no_space_has_is_refused(name: str) -> None:
    for role, squares in (("from", (name, "e4")), ("to", ("e4", name))):
        with pytest.raises(BadSquare) as caught:
            KERAK.combat(at("Id4 he4"), *squares)
        assert caught.value.role == role
        assert repr(name) in str(caught.value)


def test_a_refused_capture_carries_its_combat() -> None:
    position = at("Id4 he4 ie3 Ae5")
    for token in ("d4e4", "Ixe4"):
        with pytest.raises(IllegalMove) as caught:
            KERAK.resolve(position, token)
        assert caught.value.combat == KERAK.combat(position, "d4", "e4")
        assert WEAK in str(caught.value)


@pytest.mark.parametrize("token", ["Id6", "--", "I@c3", "Nxe4", "d5d6"])
def test_what_is_no_capture_has_no_combat(token: str) -> None:
    with pytest.raises(IllegalMove) as caught:
        KERAK.resolve(at("Id4 he4 ie3 Ae5"), token)
    assert caught.value.combat is None


def test_a_game_without_strengths_has_no_combat() -> None:
    katruji = KatrujiDialect()
    with pytest.raises(NoCombat, match="katruji") as caught:
        katruji.combat(katruji.start({}), "d1", "d2")
    assert caught.value.variant == "katruji"
