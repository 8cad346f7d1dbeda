"""Choosing in secret: who, when, what, with which nonce, and in which games."""

from __future__ import annotations

import json
from typing import Any

import pytest

from notation.kerd.choice import commitment
from service.api.schemas.commands import ChooseSchema
from service.player.repository import NewPlayer
from tests.service.api.client import Api, error
from tests.service.secrets.kerd import (
    NONCE,
    OTHER,
    choose,
    infiltrators,
    kerd,
    shown,
    tags,
)

HIDDEN = {"commitment": None, "choice": None, "nonce": None}
SEATS = {"first": {"name": "Ada"}, "second": {"name": "Brahim"}}
COMMAND = {"type": "choose", "square": "f11"}


# Who, when and what.


def test_no_move_is_accepted_before_both_have_chosen(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = kerd(api, ada, brahim)
    for square, by in (("f11", ada), ("d1", brahim)):
        view = shown(api, path)
        assert (view["status"], view["to_act"]) == ("choosing", None)
        legal = api.get(f"{path}/legal").json or {}
        assert legal["actions"] == []
        assert {side: len(found) for side, found in legal["choosable"].items()} == {
            side: 20 for side, choice in view["choices"].items() if choice["commitment"] is None
        }
        assert square in {s for found in legal["choosable"].values() for s in found}
        refused = api.post(f"{path}/actions", {"action": "e4"}, ada)
        assert error(refused) == (409, "not-running")
        assert choose(api, path, by, square).status_code == 200
    assert shown(api, path)["status"] == "running"
    assert (api.get(f"{path}/legal").json or {})["choosable"] == {}
    api.play(path, ada, "e4")


def test_nobody_chooses_in_a_challenge_that_is_open(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.created({"variant": "kerd", "side": "first", "opponent": brahim.id}, ada)
    assert error(choose(api, path, ada, "f11")) == (409, "not-choosing")


def test_each_side_chooses_once(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = kerd(api, ada, brahim)
    assert choose(api, path, ada, "f11").status_code == 200
    assert error(choose(api, path, ada, "f11")) == (409, "already-chosen")
    assert error(choose(api, path, ada, "e11")) == (409, "already-chosen")
    assert choose(api, path, brahim, "d1").status_code == 200
    assert error(choose(api, path, brahim, "d1")) == (409, "not-choosing")


def test_only_a_player_chooses_and_only_for_themselves(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer, arbiter: NewPlayer
) -> None:
    path = kerd(api, ada, brahim)
    for other in (eve, arbiter):
        assert error(choose(api, path, other, "f11")) == (403, "not-a-seat")
    assert error(choose(api, path, ada, "f2", side="second")) == (403, "not-the-opponent")
    powerless = api.player("Ruth", "arbiter")
    assert error(api.command(path, powerless, "choose", square="f11")) == (403, "not-a-seat")


@pytest.mark.parametrize(
    "square",
    ["g12", "f12", "a12", "c12", "f2", "d1", "e6", "z9", "", "a13", "F11", "f11 ", "?", "-", "!"],
)
def test_only_an_enemy_piece_that_can_be_bribed_is_chosen(
    api: Api, ada: NewPlayer, brahim: NewPlayer, square: str
) -> None:
    path = kerd(api, ada, brahim)
    refused = choose(api, path, ada, square, nonce=NONCE)
    assert error(refused) == (422, "bad-choice")
    assert refused.json
    legal = api.get(f"{path}/legal", ada).json
    assert legal
    allowed = legal["choosable"]["first"]
    assert refused.json["detail"].endswith(f"choose one of {', '.join(allowed)}")
    # The refused request has not used the nonce up.
    assert choose(api, path, ada, "f11", nonce=NONCE).status_code == 200


@pytest.mark.parametrize("square", ["a11", "f11", "f10", "e12", "h12", "d12", "b12"])
def test_pawn_commander_bishop_hussar_and_jumper_can_be_bribed(
    api: Api, ada: NewPlayer, brahim: NewPlayer, square: str
) -> None:
    path = kerd(api, ada, brahim)
    assert choose(api, path, ada, square).status_code == 200
    assert infiltrators(api, path, ada) == f"{square}/?"


def test_a_scribe_chooses_for_both_by_side(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada, variant="kerd")
    refused = choose(api, path, ada, "f11")
    assert error(refused) == (422, "bad-value")
    assert refused.json is not None
    assert refused.json["field"] == "side"
    for side, square in (("second", "d1"), ("first", "f11")):
        assert choose(api, path, ada, square, side=side).status_code == 200
    assert infiltrators(api, path, ada) == "f11/d1"
    assert infiltrators(api, path) == "?/?"


def test_the_players_of_an_arbiters_game_choose(
    api: Api, ada: NewPlayer, brahim: NewPlayer, arbiter: NewPlayer
) -> None:
    seats = {"first": {"id": ada.id}, "second": {"id": brahim.id}}
    path = api.created({"variant": "kerd", "mode": "arbiter", "players": seats}, arbiter)
    assert error(choose(api, path, arbiter, "f11", side="first")) == (403, "not-a-seat")
    assert choose(api, path, ada, "f11").status_code == 200
    assert choose(api, path, brahim, "d1").status_code == 200
    assert infiltrators(api, path, arbiter) == "?/?"


def test_a_game_without_choices_has_none_to_make(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    assert error(choose(api, path, ada, "a1")) == (409, "not-choosing")
    wish = {"variant": "katruji", "side": "first", "infiltrators": "none"}
    assert error(api.post("/games", wish, ada)) == (422, "bad-value")


# Nonces.


@pytest.mark.parametrize(
    "nonce", [NONCE[:-1], "", NONCE.upper(), NONCE[:-1] + "g", NONCE + " ", "0x" + NONCE, "é" * 32]
)
def test_an_own_nonce_is_at_least_32_hex_digits(
    api: Api, ada: NewPlayer, brahim: NewPlayer, nonce: str
) -> None:
    path = kerd(api, ada, brahim)
    refused = choose(api, path, ada, "f11", nonce=nonce)
    assert error(refused) == (422, "bad-value")
    assert refused.json is not None
    assert refused.json["field"] == "nonce"


def test_an_own_nonce_makes_the_commitment(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = kerd(api, ada, brahim)
    choose(api, path, ada, "f11", nonce=NONCE + "00")
    own = shown(api, path, ada)["choices"]["first"]
    assert own == {
        "commitment": commitment("f11", NONCE + "00"),
        "choice": "f11",
        "nonce": NONCE + "00",
    }
    public = shown(api, path, brahim)["choices"]
    assert public == {"first": HIDDEN | {"commitment": own["commitment"]}, "second": HIDDEN}


def test_the_service_makes_fresh_nonces(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    nonces = set()
    for _ in range(3):
        path = kerd(api, ada, brahim)
        choose(api, path, ada, "f11")
        own = shown(api, path, ada)["choices"]["first"]
        assert own["commitment"] == commitment("f11", own["nonce"])
        nonces.add(own["nonce"])
    assert len(nonces) == 3


def test_a_fresh_nonce_has_128_bits_each_of_which_varies() -> None:
    # The chance that some bit is the same in all of them is 1 in 2 ** 248.
    nonces = [ChooseSchema().load(COMMAND)["nonce"] for _ in range(256)]
    assert {len(bytes.fromhex(nonce)) for nonce in nonces} == {16}
    values = [int(nonce, 16) for nonce in nonces]
    assert {bit for bit in range(128) if len({value >> bit & 1 for value in values}) == 1} == set()


def test_a_nonce_is_never_used_again(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    path = kerd(api, ada, brahim)
    assert choose(api, path, ada, "f11", nonce=NONCE).status_code == 200
    assert error(choose(api, path, brahim, "d1", nonce=NONCE)) == (422, "nonce-used")
    assert choose(api, path, brahim, "d1", nonce=OTHER).status_code == 200
    api.command(path, ada, "resign")
    for other, square in ((ada, "e11"), (ada, "f11"), (eve, "f11")):
        later = kerd(api, other, brahim)
        assert error(choose(api, later, other, square, nonce=NONCE)) == (422, "nonce-used")


def test_a_scribe_does_not_use_a_nonce_for_both_sides(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada, variant="kerd")
    assert choose(api, path, ada, "f11", side="first", nonce=NONCE).status_code == 200
    again = choose(api, path, ada, "d1", side="second", nonce=NONCE)
    assert error(again) == (422, "nonce-used")


def test_choosing_again_with_the_same_key_is_answered_the_same(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = kerd(api, ada, brahim)
    wish = {"type": "choose", "square": "f11"}
    first = api.post(f"{path}/commands", wish, ada, "key")
    before = api.snapshot()
    again = api.post(f"{path}/commands", wish, ada, "key")
    assert (again.status_code, again.data) == (200, first.data)
    assert api.snapshot() == before
    other = api.post(f"{path}/commands", wish | {"square": "e11"}, ada, "key")
    assert error(other) == (422, "idempotency-key-reused")
    choose(api, path, brahim, "d1")
    api.play(path, ada, "e4")
    assert api.post(f"{path}/commands", wish, ada, "key").data == first.data


# Games whose choices are not known here, and set-up positions.


@pytest.mark.parametrize(("infiltrators", "told"), [("unknown", "?"), ("none", "-")])
def test_a_game_from_over_the_board_needs_no_choice(
    api: Api, ada: NewPlayer, infiltrators: str, told: str
) -> None:
    path = api.scribed(ada, variant="kerd", infiltrators=infiltrators)
    view = shown(api, path)
    assert (view["status"], view["infiltrators"], view["choices"]) == ("running", infiltrators, {})
    assert view["fen"].split(" ")[5] == f"{told}/{told}"
    assert error(choose(api, path, ada, "f11", side="first")) == (409, "not-choosing")
    expected = {"WhiteInfiltrator": told, "BlackInfiltrator": told}
    assert tags(api, path) == expected
    # Ruling R28: without infiltrators there is nobody to suspect.
    executed = api.post(f"{path}/actions", {"action": "X:e2"}, ada)
    assert executed.status_code == (200 if told == "?" else 422)


FEN = "11k/12/9K2/4p7/4h7/12/10T1/4P7/4H7/12/12/12 w - - - {} 1 - 1"


@pytest.mark.parametrize("choices", ["e9/?", "?/e5", "e9/e5", "e8/x"])
@pytest.mark.parametrize("infiltrators", [None, "sealed", "unknown", "none"])
def test_no_fen_names_a_hidden_square(
    api: Api, ada: NewPlayer, choices: str, infiltrators: str | None
) -> None:
    seats = {"mode": "scribe", "players": SEATS, "infiltrators": infiltrators}
    wish = {"variant": "kerd", "fen": FEN.format(choices)} | seats
    refused = api.post("/games", wish, ada)
    assert error(refused) == (422, "bad-value")
    assert refused.json is not None
    assert refused.json["field"] == "fen"
    assert "names a hidden choice" in refused.json["detail"]


@pytest.mark.parametrize(
    ("choices", "sides"), [("?/?", ["first", "second"]), ("x/?", ["second"]), ("?/-", ["first"])]
)
def test_the_sides_that_a_fen_leaves_open_choose(
    api: Api, ada: NewPlayer, choices: str, sides: list[str]
) -> None:
    path = api.scribed(ada, variant="kerd", fen=FEN.format(choices))
    squares = {"first": "e9", "second": "e5"}
    for side in ("first", "second"):
        answer = choose(api, path, ada, squares[side], side=side)
        assert answer.status_code == (200 if side in sides else 409)
    assert shown(api, path)["status"] == "running"
    assert infiltrators(api, path) == choices
    told = [squares[s] if c == "?" else c for s, c in zip(squares, choices.split("/"), strict=True)]
    assert infiltrators(api, path, ada) == "/".join(told)
    assert shown(api, path, ada)["initial_fen"] == FEN.format("/".join(told))
    assert shown(api, path)["initial_fen"] == FEN.format(choices)


@pytest.mark.parametrize("choices", ["x/x", "-/-", "x/-", "!/x"])
def test_a_fen_that_leaves_nothing_open_is_played_at_once(
    api: Api, ada: NewPlayer, choices: str
) -> None:
    path = api.scribed(ada, variant="kerd", fen=FEN.format(choices))
    assert shown(api, path)["status"] == "running"
    assert infiltrators(api, path) == choices


def test_a_game_without_infiltrators_leaves_none_open(api: Api, ada: NewPlayer) -> None:
    wish = {"variant": "kerd", "mode": "scribe", "players": SEATS, "infiltrators": "none"}
    refused = api.post("/games", wish | {"fen": FEN.format("-/?")}, ada)
    assert error(refused) == (422, "bad-value")
    assert api.post("/games", wish | {"fen": FEN.format("-/-")}, ada).status_code == 201


@pytest.mark.parametrize("tag", ["Infiltrator", "Commitment", "Nonce"])
@pytest.mark.parametrize("side", ["White", "Black"])
def test_nobody_sets_the_tags_of_a_choice(api: Api, ada: NewPlayer, side: str, tag: str) -> None:
    wish = {"variant": "kerd", "mode": "scribe", "players": SEATS, "tags": {f"{side}{tag}": "?"}}
    assert error(api.post("/games", wish, ada)) == (422, "bad-value")


@pytest.mark.parametrize("infiltrators", ["open", "", 1])
def test_there_are_three_ways_to_deal_with_choices(
    api: Api, ada: NewPlayer, infiltrators: Any
) -> None:
    wish = {"variant": "kerd", "side": "first", "infiltrators": infiltrators}
    assert error(api.post("/games", wish, ada)) == (422, "invalid-request")


CORNERED = "KP10/PP10/1h10/11p/12/12/12/12/12/12/12/11k w - - - ?/- 1 - 9"
"""White is attacked and shut in: it is mated, unless the piece that it has bribed can help."""


@pytest.mark.parametrize("square", ["l9", "b10"])
def test_a_choice_that_leaves_nothing_to_play_ends_the_game(
    api: Api, ada: NewPlayer, square: str
) -> None:
    path = api.scribed(ada, variant="kerd", fen=CORNERED)
    answer = choose(api, path, ada, square, side="first")
    assert answer.json is not None
    types = [event["type"] for event in answer.json["events"]]
    if square == "b10":
        # The attacking Hussar can change sides.
        assert types == ["choice-sealed/1"]
        assert shown(api, path)["status"] == "running"
        return
    assert types == ["choice-sealed/1", "game-ended/1", "choice-disclosed/1"]
    view = shown(api, path)
    assert (view["status"], view["result"], view["termination"]) == ("finished", "0-1", "mate")
    assert view["choices"]["first"]["choice"] == square


# What waits for a player.


def read_task(api: Api, by: NewPlayer) -> tuple[str, dict[str, Any]]:
    """The event and the data of the first message of a player's stream."""
    api.project()
    event, data = (
        api.get("/me/stream", by, query={"until": "caught_up"})
        .text.split("\n\n")[0]
        .split("data: ")
    )
    return event.split("event: ")[1].strip(), json.loads(data)


def test_choosing_waits_for_a_player(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = kerd(api, ada, brahim)

    def waiting(by: NewPlayer) -> str:
        return read_task(api, by)[0]

    assert (waiting(ada), waiting(brahim)) == ("choose", "choose")
    choose(api, path, ada, "f11")
    assert (waiting(ada), waiting(brahim)) == ("waiting", "choose")
    choose(api, path, brahim, "d1")
    assert (waiting(ada), waiting(brahim)) == ("your-turn", "waiting")


def test_nothing_waits_for_a_player_whose_side_a_scribe_acts_for(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    seats = {"first": {"id": brahim.id}, "second": {"name": "Eve"}}
    path = api.created({"variant": "kerd", "mode": "scribe", "players": seats}, ada)
    assert read_task(api, brahim)[0] == "waiting"
    choose(api, path, ada, "f11", side="first")
    choose(api, path, ada, "d1", side="second")
    for by in (brahim, ada):
        event, told = read_task(api, by)
        assert (event, told["your_turn"]) == ("waiting", False)
        assert told["fen"] == shown(api, path, by)["fen"]
