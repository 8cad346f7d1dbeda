"""The breakdown of captures over HTTP, and the reasons of refused ones."""

from __future__ import annotations

import pytest

from service.player.repository import NewPlayer
from tests.engine.kerak_support import KERAK, at
from tests.service.api.client import Api, error

WEAK = "from d4: attack 2 (Infantry d4 1 + Archer e5 1) < defence 3 (Hero e4 2 + Infantry e3 1)"


@pytest.fixture
def melee(api: Api, ada: NewPlayer) -> str:
    """The path of a game of Kerak with the Infantry on d4 in front of the Hero on e4."""
    fen = KERAK.write_fen(at("Id4 he4 ie3 Ae5 Ia5"))
    return api.scribed(ada, variant="kerak", fen=fen)


def test_a_capture_is_broken_down(api: Api, melee: str) -> None:
    answer = api.get(f"{melee}/combat", query={"from": "d4", "to": "e4"})
    assert answer.json == {
        "id": melee.rpartition("/")[2],
        "version": 1,
        "ply": 0,
        **KERAK.combat(at("Id4 he4 ie3 Ae5 Ia5"), "d4", "e4"),
    }
    assert (answer.json["legal"], answer.json["detail"]) == (False, WEAK)


def test_with_a_ply_it_is_that_of_then(api: Api, ada: NewPlayer, melee: str) -> None:
    api.play(melee, ada, "e5e6", "e3f2")
    asked = {"from": "d4", "to": "e4"}
    found = [api.get(f"{melee}/combat", query=asked | {"ply": ply}).json for ply in range(3)]
    assert [then and then["ply"] for then in found] == [0, 1, 2]
    assert [then and then["version"] for then in found] == [3, 3, 3]
    assert [then and then["verdict"] for then in found] == ["too weak", "too weak", "succeeds"]
    assert ["Archer e6 1" in then["detail"] for then in found if then] == [False, True, True]
    assert api.get(f"{melee}/combat", query=asked).json == found[2]


def test_it_is_cached_until_the_game_changes(api: Api, ada: NewPlayer, melee: str) -> None:
    asked = {"from": "d4", "to": "e4"}
    answer = api.get(f"{melee}/combat", query=asked)
    tag = answer.headers["ETag"]
    again = api.get(f"{melee}/combat", query=asked, If_None_Match=tag)
    assert (again.status_code, again.data) == (304, b"")
    other = api.get(f"{melee}/combat", query={"from": "e4", "to": "d4"}, If_None_Match=tag)
    assert other.status_code == 200
    api.play(melee, ada, "a5a6")
    assert api.get(f"{melee}/combat", query=asked, If_None_Match=tag).status_code == 200


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ({}, "from"),
        ({"from": "d4"}, "to"),
        ({"to": "d4"}, "from"),
        ({"from": "d4", "to": "z9"}, "to"),
        ({"from": "d44", "to": "d4"}, "from"),
        ({"from": "", "to": "d4"}, "from"),
        ({"from": "d4", "to": "e4", "ply": 1}, "ply"),
        ({"from": "d4", "to": "e4", "ply": "x"}, "ply"),
        ({"from": "d4", "to": "e4", "by": "e5"}, "by"),
    ],
)
def test_a_bad_parameter_is_named(
    api: Api, melee: str, query: dict[str, str | int], parameter: str
) -> None:
    answer = api.get(f"{melee}/combat", query=query)
    assert error(answer) == (400, "bad-parameter")
    assert answer.json is not None
    assert answer.json["parameter"] == parameter


def test_a_game_without_strengths_has_none(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    answer = api.get(f"{path}/combat", query={"from": "d1", "to": "d2"})
    assert error(answer) == (404, "no-combat")
    nowhere = api.get("/games/aaaaaaaaaaaaaaaa/combat", query={"from": "d1", "to": "d2"})
    assert error(nowhere) == (404, "not-found")


@pytest.mark.parametrize("action", ["d4e4", "Ixe4"])
def test_a_refused_capture_names_approach_sums_and_supporters(
    api: Api, ada: NewPlayer, melee: str, action: str
) -> None:
    answer = api.post(f"{melee}/actions", {"action": action}, ada)
    assert error(answer) == (422, "illegal-move")
    assert answer.json is not None
    assert WEAK in answer.json["detail"]
    told = api.get(f"{melee}/combat", query={"from": "d4", "to": "e4"}).json
    assert told is not None
    assert answer.json["combat"].items() <= told.items()


def test_a_refusal_that_is_no_capture_has_no_combat(api: Api, ada: NewPlayer, melee: str) -> None:
    answer = api.post(f"{melee}/actions", {"action": "d4d6"}, ada)
    assert error(answer) == (422, "illegal-move")
    assert answer.json is not None
    assert "combat" not in answer.json
