"""What is revealed of secret choices, to whom and when."""

from __future__ import annotations

from typing import Any

import pytest

from notation.kerd.choice import commitment
from service.player.repository import NewPlayer
from tests.service.api.client import Api, error
from tests.service.imports.support import imported
from tests.service.secrets.kerd import (
    NONCE,
    OTHER,
    choose,
    chosen,
    infiltrators,
    kerd,
    shown,
    tags,
)

# What is told to whom.


def test_each_player_is_shown_their_own_choice(
    api: Api,
    ada: NewPlayer,
    brahim: NewPlayer,
    eve: NewPlayer,
    arbiter: NewPlayer,
    admin: NewPlayer,
) -> None:
    path = chosen(api, ada, brahim)
    assert infiltrators(api, path, ada) == "f11/?"
    assert infiltrators(api, path, brahim) == "?/d1"
    assert {infiltrators(api, path, by) for by in (None, eve, arbiter, admin)} == {"?/?"}
    public = {
        "WhiteInfiltrator": "?",
        "WhiteCommitment": commitment("f11", NONCE),
        "BlackInfiltrator": "?",
        "BlackCommitment": commitment("d1", OTHER),
    }
    assert tags(api, path) == public
    assert tags(api, path, ada) == public | {"WhiteInfiltrator": "f11", "WhiteNonce": NONCE}
    etags = {api.get(path, by).headers["ETag"] for by in (ada, brahim)}
    etags |= {api.get(path, by).headers["ETag"] for by in (None, eve, arbiter, admin)}
    assert len(etags) == 3


CHECK = "11k/12/9K2/4p7/4h7/12/10T1/4P7/4H7/12/12/12 w - - - ?/? 1 - 1"


def test_a_players_legal_actions_hold_their_own_reveal(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = kerd(api, ada, brahim, fen=CHECK)
    choose(api, path, ada, "e8")
    choose(api, path, brahim, "e4")

    def reveals(by: NewPlayer | None) -> list[str]:
        answer = api.get(f"{path}/legal", by).json
        assert answer is not None
        return [a["action"] for a in answer["actions"] if a["action"].startswith("R:")]

    assert (reveals(ada), reveals(brahim), reveals(None)) == (["R:e8"], [], [])
    wrong = api.post(f"{path}/actions", {"action": "R:e9"}, ada)
    assert error(wrong) == (422, "illegal-move")
    assert wrong.json is not None
    assert "R:e8" in wrong.json["nearest"]
    api.play(path, ada, "R:e8")
    assert infiltrators(api, path) == "!/?"
    assert (reveals(brahim), reveals(None)) == (["R:e4"], [])


def test_an_execution_tells_nobody_whom_it_has_hit(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = chosen(api, ada, brahim)
    api.play(path, ada, "X:d1")
    assert infiltrators(api, path) == infiltrators(api, path, None) == "?/?"
    assert infiltrators(api, path, ada) == "f11/?"
    assert infiltrators(api, path, brahim) == "?/x"
    assert shown(api, path, brahim)["choices"]["second"]["choice"] == "d1"


def test_a_retraction_keeps_the_choices(api: Api, ada: NewPlayer, arbiter: NewPlayer) -> None:
    brahim = api.player("Bo")
    path = chosen(api, ada, brahim)
    api.play(path, ada, "X:d1")
    api.play(path, brahim, "X:f11")
    assert (infiltrators(api, path, ada), infiltrators(api, path, brahim)) == ("x/?", "?/x")
    assert api.command(path, arbiter, "retract", plies=2).status_code == 200
    assert (infiltrators(api, path, ada), infiltrators(api, path, brahim)) == ("f11/?", "?/d1")
    assert shown(api, path)["status"] == "running"


# The end.

ENDINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "resignation": ("second", {"type": "resign"}),
    "agreement": ("second", {"type": "accept-draw"}),
    "adjudication": ("arbiter", {"type": "adjudicate", "result": "1-0"}),
    "time forfeit": ("arbiter", {"type": "lose-on-time", "side": "first"}),
    "unterminated": ("arbiter", {"type": "close"}),
}


@pytest.mark.parametrize("made", [0, 1, 2])
@pytest.mark.parametrize("termination", ENDINGS)
def test_the_choices_made_are_published_at_the_end(
    api: Api, ada: NewPlayer, brahim: NewPlayer, arbiter: NewPlayer, termination: str, made: int
) -> None:
    path = kerd(api, ada, brahim)
    all_choices = [("first", ada, "f11", NONCE), ("second", brahim, "d1", OTHER)][:made]
    for _, player, square, nonce in all_choices:
        choose(api, path, player, square, nonce=nonce)
    api.command(path, ada, "offer-draw")
    by, body = ENDINGS[termination]
    actors = {"second": brahim, "arbiter": arbiter}
    answer = api.command(path, actors[by], **body)
    assert answer.json is not None
    disclosed = [e["data"] for e in answer.json["events"] if e["type"] == "choice-disclosed/1"]
    sides = {"first": 0, "second": 1}
    assert disclosed == [
        {"side": sides[side], "choice": square, "nonce": nonce}
        for side, _, square, nonce in all_choices
    ]
    view = shown(api, path)
    assert (view["status"], view["termination"]) == ("finished", termination)
    for side, _, square, nonce in all_choices:
        told = {"commitment": commitment(square, nonce), "choice": square, "nonce": nonce}
        assert view["choices"][side] == told
    names = {"first": "White", "second": "Black"}
    for side, _, square, nonce in all_choices:
        found = tags(api, path)
        assert found[f"{names[side]}Infiltrator"] == square
        assert found[f"{names[side]}Nonce"] == nonce


def test_a_game_that_its_rules_end_publishes_the_choices(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    fen = "1k10/12/12/1T10/12/12/12/4p7/4P7/12/12/K11 w - - - ?/? 1 - 1"
    path = kerd(api, ada, brahim, variant="kerd-draft", fen=fen)
    choose(api, path, ada, "e5", nonce=NONCE)
    choose(api, path, brahim, "e4", nonce=OTHER)
    answer = api.play(path, ada, "Txb12")
    assert answer.json is not None
    types = [event["type"] for event in answer.json["events"]]
    assert types[:2] == ["action-played/1", "game-ended/1"]
    assert types[2:] == ["choice-disclosed/1"] * 2
    assert shown(api, path)["termination"] == "king captured"
    assert shown(api, path)["initial_fen"].split(" ")[5] == "e5/e4"
    assert tags(api, path)["BlackNonce"] == OTHER


def test_at_an_earlier_ply_as_much_is_told_as_now(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = chosen(api, ada, brahim)
    api.play(path, ada, "X:d1")
    assert [infiltrators(api, path, ply=ply) for ply in (0, 1)] == ["?/?", "?/?"]
    assert [infiltrators(api, path, brahim, ply=ply) for ply in (0, 1)] == ["?/d1", "?/x"]
    assert tags(api, path, ply=0)["BlackInfiltrator"] == "?"
    api.command(path, brahim, "resign")
    assert [infiltrators(api, path, ply=ply) for ply in (0, 1)] == ["f11/d1", "f11/x"]
    assert tags(api, path, ply=0)["BlackInfiltrator"] == "d1"


def test_the_record_of_a_game_can_be_taken_in_and_comes_out_the_same(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = chosen(api, ada, brahim)
    api.play(path, ada, "e4")
    api.command(path, brahim, "resign")
    record = api.get(path, accept="text/plain").text
    (verdict,) = imported(api, ada, record.replace("MovelogGame", "Elsewhere"))["items"]
    again = f"/games/{verdict['game']}"
    assert again != path
    assert tags(api, again) == tags(api, path)
    assert infiltrators(api, again) == infiltrators(api, path) == "f11/d1"
    assert shown(api, again)["choices"] == {}
