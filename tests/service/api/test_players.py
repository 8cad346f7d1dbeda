"""Players and tokens over HTTP."""

from __future__ import annotations

import time
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.composition.service import now
from service.player.repository import NewPlayer
from service.storage.erasures import ERASED
from tests.service.api.client import V1, Api, error
from tests.service.api.conftest import Configured
from tests.service.api.tournaments import Desk


def test_a_player_registers_and_is_known_by_the_token(api: Api) -> None:
    answer = api.post("/players", {"name": "Zoë 🙂"})
    made = answer.json
    assert answer.status_code == 201
    assert made is not None
    assert answer.headers["Location"] == f"{V1}/players/{made['id']}"
    assert answer.headers["Cache-Control"] == "no-store"
    bearer = {"Authorization": f"bearer {made['token']['secret']}"}
    me = api.get("/me", headers=bearer).json
    public = api.get(f"/players/{made['id']}").json
    assert me is not None
    assert public is not None
    assert public["name"] == made["name"] == "Zoë 🙂"
    assert me == public | {"scopes": ["play"], "token": made["token"]["id"]}


def test_names_are_not_unique(api: Api) -> None:
    ids = {(api.post("/players", {"name": "Ada"}).json or {})["id"] for _ in range(2)}
    assert len(ids) == 2


def test_where_registration_is_closed(configured: Configured) -> None:
    api = configured(MOVELOG_OPEN_REGISTRATION="no")
    admin, ada = api.player("Root", "admin"), api.player("Ada")
    before = api.snapshot()
    assert error(api.post("/players", {"name": "Eve"})) == (401, "missing-token")
    assert error(api.post("/players", {"name": "Eve"}, ada)) == (403, "missing-scope")
    assert api.snapshot() == before
    assert api.post("/players", {"name": "Eve"}, admin).status_code == 201


GET_ALONE = ("/me", "/me/stream", "/players/{ada}/tokens")
WRITE = (
    ("POST", "/games", b'{"variant": "katruji"}'),
    ("POST", "/games/" + "a" * 16 + "/actions", b'{"action": "Pd1"}'),
    ("POST", "/games/" + "a" * 16 + "/commands", b'{"type": "resign"}'),
    ("POST", "/players/{ada}/tokens", b"{}"),
    ("POST", "/players/{ada}/tokens/x/rotate", b""),
    ("DELETE", "/players/{ada}/tokens/x", b""),
    ("PATCH", "/players/{ada}", b'{"name": "Eve"}'),
    ("DELETE", "/players/{ada}", b""),
)
NEEDS_A_TOKEN = [*(("GET", path, b"") for path in GET_ALONE), *WRITE]


@pytest.mark.parametrize(("method", "path", "body"), NEEDS_A_TOKEN)
def test_without_a_token(api: Api, ada: NewPlayer, method: str, path: str, body: bytes) -> None:
    before = api.snapshot()
    answer = api.send(method, path.format(ada=ada.id), None, body, "application/json")
    assert error(answer) == (401, "missing-token")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert api.snapshot() == before


BAD_TOKENS = (
    "",
    "Bearer",
    "Bearer ",
    "Basic YTpi",
    "Bearer mlg_x_y",
    "Bearer mlg_{ada}_" + "0" * 64,
    "Bearer mlg_{ada}_",
    "Bearer mlg_{ada}_caf\u00e9",
    "Bearer {secret}x",
    "Bearer x{secret}",
    "Bearer {secret} {secret}",
    "{secret}",
)


@pytest.mark.parametrize("path", ["/me", "/games", "/games/" + "a" * 16, "/players/{ada}"])
@pytest.mark.parametrize("header", BAD_TOKENS)
def test_a_bad_token_is_refused_also_where_none_is_needed(
    api: Api, ada: NewPlayer, path: str, header: str
) -> None:
    sent = header.format(ada=ada.id, secret=ada.token.secret)
    answer = api.get(path.format(ada=ada.id), Authorization=sent)
    assert error(answer) == (401, "bad-token")


def test_health_does_not_ask_who_comes(api: Api) -> None:
    assert api.get("//healthz", Authorization="Bearer x").status_code == 200


def test_an_expired_token(api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    made = api.post(f"/players/{ada.id}/tokens", {"expires_in": 60}, ada).json
    assert made is not None
    bearer = {"Authorization": f"Bearer {made['secret']}"}
    assert api.get("/me", headers=bearer).status_code == 200
    now = api.service.bearers.clock()
    monkeypatch.setattr(api.service.bearers, "clock", lambda: now + 61_000)
    assert error(api.get("/me", headers=bearer)) == (401, "bad-token")
    assert api.get("/me", ada).status_code == 200


def test_a_revoked_token(api: Api, ada: NewPlayer) -> None:
    path = f"/players/{ada.id}/tokens/{ada.token.token.id}"
    assert api.send("DELETE", path, ada).status_code == 204
    before = api.snapshot()
    assert error(api.get("/me", ada)) == (401, "bad-token")
    assert error(api.post("/games", {"variant": "katruji"}, ada)) == (401, "bad-token")
    assert api.snapshot() == before


def test_a_rotated_token(api: Api, ada: NewPlayer) -> None:
    path = f"/players/{ada.id}/tokens/{ada.token.token.id}/rotate"
    answer = api.send("POST", path, ada)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
    assert answer.json is not None
    assert answer.json["scopes"] == ["play"]
    assert error(api.get("/me", ada)) == (401, "bad-token")
    assert api.get("/me", Authorization=f"Bearer {answer.json['secret']}").status_code == 200


def test_tokens_are_listed_without_their_secrets(api: Api, ada: NewPlayer) -> None:
    api.post(f"/players/{ada.id}/tokens", {"scopes": ["play", "play"]}, ada)
    answer = api.get(f"/players/{ada.id}/tokens", ada)
    assert answer.json is not None
    assert [token["scopes"] for token in answer.json["items"]] == [["play"], ["play"]]
    assert "secret" not in answer.text
    assert ada.token.secret.rpartition("_")[2] not in answer.text


def test_scopes_are_ones_own_to_give(api: Api, ada: NewPlayer, admin: NewPlayer) -> None:
    before = api.snapshot()
    answer = api.post(f"/players/{ada.id}/tokens", {"scopes": ["play", "arbiter"]}, ada)
    assert error(answer) == (403, "missing-scope")
    assert answer.json is not None
    assert answer.json["scope"] == "arbiter"
    assert api.snapshot() == before
    answer = api.post(f"/players/{ada.id}/tokens", {"scopes": ["play", "arbiter"]}, admin)
    assert answer.status_code == 201


@pytest.mark.parametrize(("method", "path", "body"), [*WRITE[3:], ("GET", GET_ALONE[2], b"")])
def test_another_players_affairs(
    api: Api, ada: NewPlayer, eve: NewPlayer, method: str, path: str, body: bytes
) -> None:
    before = api.snapshot()
    answer = api.send(method, path.format(ada=ada.id), eve, body, "application/json")
    assert error(answer) == (403, "missing-scope")
    assert api.snapshot() == before


@pytest.mark.parametrize("token", ["x", "0" * 16, "%00", "%F0%9F%99%82"])
def test_a_token_that_is_not_there(api: Api, ada: NewPlayer, token: str) -> None:
    path = f"/players/{ada.id}/tokens/{token}"
    assert error(api.send("DELETE", path, ada)) == (404, "not-found")
    assert error(api.send("POST", f"{path}/rotate", ada)) == (404, "not-found")


def test_a_player_is_renamed_everywhere(
    api: Api, ada: NewPlayer, brahim: NewPlayer, admin: NewPlayer
) -> None:
    game = api.running(ada, brahim)
    for by, name in ((ada, "Ada L."), (admin, "A. L.")):
        body = b'{"name": "%s"}' % name.encode()
        answer = api.send("PATCH", f"/players/{ada.id}", by, body, "application/json")
        assert answer.json is not None
        assert answer.json["name"] == name
        shown = api.get(game).json
        assert shown is not None
        assert shown["players"]["first"]["name"] == name


def test_a_player_changes_their_name_and_tokens_only_so_often_in_a_day(
    api: Api, ada: NewPlayer, eve: NewPlayer, admin: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.api.players.MOST_RENAMED", 2)
    monkeypatch.setattr("service.api.players.MOST_ISSUED", 2)

    def rename(by: NewPlayer, whose: NewPlayer) -> TestResponse:
        return api.send("PATCH", f"/players/{whose.id}", by, b'{"name": "A"}', "application/json")

    assert [rename(ada, ada).status_code for _ in range(2)] == [200, 200]
    path = f"/players/{ada.id}/tokens"
    made = api.post(path, {}, ada).json or {}
    assert api.send("POST", f"{path}/{made['id']}/rotate", ada).status_code == 201
    before = api.service.players.load(ada.id)
    for answer in (
        rename(ada, ada),
        api.post(path, {}, ada),
        api.send("POST", f"{path}/{ada.token.token.id}/rotate", ada),
    ):
        assert error(answer) == (429, "too-many-requests")
        assert answer.headers["Retry-After"] == "86400"
    assert api.service.players.load(ada.id) == before
    assert rename(admin, ada).status_code == 200
    assert api.post(path, {}, admin).status_code == 201
    assert rename(eve, eve).status_code == 200


def test_a_player_is_erased_and_the_games_stay(api: Api, brahim: NewPlayer) -> None:
    # A shorter name might occur in a digest by chance.
    ada = api.player("Ada Lovelace")
    game = api.running(ada, brahim)
    api.command(game, ada, "resign")
    assert any(b"Lovelace" in value for value in api.snapshot().values())
    assert api.send("DELETE", f"/players/{ada.id}", ada).status_code == 204
    assert error(api.get("/me", ada)) == (401, "bad-token")
    shown = api.get(f"/players/{ada.id}").json
    assert shown is not None
    assert (shown["name"], shown["erased"]) == ("?", True)
    assert api.service.store.exists(ERASED)
    assert '[South "?"]' in api.get(game, accept="text/plain").text
    for key, value in api.snapshot().items():
        assert b"Lovelace" not in value, key


def test_an_erased_player_is_no_opponent(api: Api, ada: NewPlayer, eve: NewPlayer) -> None:
    api.send("DELETE", f"/players/{eve.id}", eve)
    answer = api.post("/games", {"variant": "katruji", "opponent": eve.id}, ada)
    assert error(answer) == (422, "bad-value")


def test_a_player_who_is_not_there(api: Api, admin: NewPlayer) -> None:
    nobody = "/players/" + "a" * 16
    assert error(api.get(nobody)) == (404, "not-found")
    assert error(api.send("DELETE", nobody, admin)) == (404, "not-found")
    assert error(api.post(f"{nobody}/tokens", {}, admin)) == (404, "not-found")


@pytest.mark.parametrize("scope", ["arbiter", "admin"])
def test_playing_needs_the_scope_play(api: Api, ada: NewPlayer, scope: str) -> None:
    other = api.player("Brahim", scope)
    path = api.created({"variant": "katruji", "side": "second", "opponent": other.id}, ada)
    before = api.snapshot()
    for answer in (
        api.post("/games", {"variant": "katruji"}, other),
        api.command(path, other, "accept"),
        api.send("POST", "/imports", other, b"x", "text/plain"),
    ):
        assert error(answer) == (403, "missing-scope")
        assert answer.json is not None
        assert answer.json["scope"] == "play"
    assert api.snapshot() == before


@pytest.mark.slow
def test_players_are_listed_with_their_ratings_and_nothing_private(
    configured: Configured,
) -> None:
    api = configured(MOVELOG_RATING_PERIOD="1")
    arbiter = api.player("Anna", "play", "arbiter")
    desk = Desk(api, arbiter, players=2, rounds=1)
    desk.play_round()
    second = desk.players[0].id
    time.sleep(1)  # the shortest rating period there is
    api.service.ratings.close(now())
    first_page = api.get("/players", query={"limit": 1}).json
    assert first_page is not None
    assert [one["name"] for one in first_page["items"]] == ["Anna"]
    cursor = first_page["next_cursor"]
    assert [one["name"] for one in listed(api, cursor=cursor)] == ["P0 Open", "P1 Open"]
    found = listed(api, name="p0")
    assert [one["id"] for one in found] == [second]
    assert set(found[0]) == {"id", "name", "mark", "claimed", "registered_at", "ratings"}
    assert found[0]["ratings"]["katruji"]["untimed"]["games"] == 1
    ranked = api.get("/ratings", query={"variant": "katruji"}).json
    assert ranked is not None
    of_list = {one["player"]["id"]: one["rating"] for one in ranked["items"]}
    assert of_list[second] == found[0]["ratings"]["katruji"]["untimed"]["rating"]
    results = (api.get(f"/players/{second}/results").json or {})["results"]["katruji"]
    assert results in ({"won": 1, "drawn": 0, "lost": 0}, {"won": 0, "drawn": 0, "lost": 1})


def listed(api: Api, **query: str) -> list[dict[str, Any]]:
    """The players of one page."""
    page = api.get("/players", query=query).json
    assert page is not None
    items: list[dict[str, Any]] = page["items"]
    return items


def test_a_list_of_players_goes_on_at_a_cursor_alone(api: Api) -> None:
    assert error(api.get("/players", query={"cursor": "x"})) == (422, "bad-cursor")
    assert error(api.get("/players/" + "a" * 16 + "/results")) == (404, "not-found")
