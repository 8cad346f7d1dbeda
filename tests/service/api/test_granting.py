"""What a token may grant and revoke: never more time or scope than it has."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from service.composition.service import now
from service.log.chain import when
from service.player.commands import Principal
from service.player.repository import NewPlayer
from tests.service.api.client import Api, code, error
from tests.service.api.conftest import Configured
from tests.service.expired_tokens import issue_expired


def issued(api: Api, player: NewPlayer, seconds: int | None, *scopes: str) -> NewPlayer:
    """Issue the player another token, which expires after `seconds` or, with None, never."""
    ends = None if seconds is None else now() + 1000 * seconds
    made = api.service.players.issue(
        player.id, scopes or ("play",), Principal(player.id, None), ends
    )
    return NewPlayer(player.id, player.name, made)


def tokens(api: Api, player: NewPlayer) -> dict[str, Any]:
    """When each of a player's tokens expires, by the token's id."""
    return {t.id: t.expires for t in api.service.players.load(player.id).tokens.values()}


def test_a_player_has_so_many_valid_tokens_and_can_still_rotate_them(
    api: Api, ada: NewPlayer, admin: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.player.decide.MOST_TOKENS", 3)
    path = f"/players/{ada.id}/tokens"
    issue_expired(api.service.players, ada.id, ["play"], Principal(ada.id, None))
    assert [api.post(path, {}, ada).status_code for _ in range(2)] == [201, 201]
    before = api.service.players.load(ada.id)
    refused = api.post(path, {}, ada)
    assert error(refused) == (409, "too-many-tokens")
    assert (refused.json or {})["limit"] == 3
    assert api.service.players.load(ada.id) == before
    made = api.send("POST", f"{path}/{ada.token.token.id}/rotate", ada).json or {}
    bearer = f"Bearer {made['secret']}"
    assert error(api.post(path, {}, Authorization=bearer)) == (409, "too-many-tokens")
    assert api.post(path, {}, admin).status_code == 201
    for token in list(tokens(api, ada))[:3]:
        api.send("DELETE", f"{path}/{token}", admin)
    assert api.post(path, {}, Authorization=bearer).status_code == 201


def test_a_permanent_token_rotated_by_a_short_one_is_as_short(api: Api, ada: NewPlayer) -> None:
    short = issued(api, ada, 5)
    answer = api.send("POST", f"/players/{ada.id}/tokens/{ada.token.token.id}/rotate", short)
    made = answer.json or {}
    ends = short.token.token.expires
    assert ends is not None
    assert (answer.status_code, made["expires_at"]) == (201, when(ends))
    assert tokens(api, ada) == {short.token.token.id: ends, made["id"]: ends}


def test_a_rotation_by_a_longer_one_keeps_the_expiry(api: Api, ada: NewPlayer) -> None:
    short = issued(api, ada, 60)
    answer = api.send("POST", f"/players/{ada.id}/tokens/{short.token.token.id}/rotate", ada)
    ends = short.token.token.expires
    assert ends is not None
    assert (answer.json or {})["expires_at"] == when(ends)


@pytest.mark.parametrize("scope", ["play", "admin"])
@pytest.mark.parametrize("own", [True, False])
def test_a_token_issued_by_a_short_one_is_as_short(api: Api, scope: str, own: bool) -> None:
    ada = api.player("Ada", "play", "admin")
    admin = issued(api, ada, 60, "play", "admin")
    path = f"/players/{ada.id if own else api.player('Bea').id}/tokens"
    ends = admin.token.token.expires
    assert ends is not None
    answer = api.post(path, {"scopes": [scope]}, admin)
    assert answer.status_code == 201
    assert (answer.json or {})["expires_at"] == when(ends)
    before = api.snapshot()
    answer = api.post(path, {"scopes": [scope], "expires_in": 3600}, admin)
    assert error(answer) == (403, "exceeds-token")
    assert (answer.json or {})["expires_at"] == when(ends)
    assert "expires_in" in (answer.json or {})["detail"]
    assert api.snapshot() == before
    answer = api.post(path, {"scopes": [scope], "expires_in": 30}, admin)
    assert answer.status_code == 201
    assert (answer.json or {})["expires_at"] < when(ends)


def test_a_player_whom_a_short_admin_token_registers_has_a_short_token(
    configured: Configured,
) -> None:
    """If registration is closed, the new token expires with the admin's; if it is open, never."""
    api = configured(MOVELOG_OPEN_REGISTRATION="no")
    admin = issued(api, api.player("Ada", "admin"), 60, "admin")
    made = api.post("/players", {"name": "Eve"}, admin).json or {}
    ends = admin.token.token.expires
    assert ends is not None
    assert made["token"]["expires_at"] == when(ends)
    opened = configured()
    made = opened.post("/players", {"name": "Eve"}, admin).json or {}
    assert made["token"]["expires_at"] is None


@pytest.mark.parametrize("wider", [("arbiter",), ("play", "admin")])
def test_a_narrow_token_takes_nothing_from_a_wider_one(api: Api, wider: tuple[str, ...]) -> None:
    ada = api.player("Ada", *wider)
    api.player("Bea", "admin")
    narrow = issued(api, ada, None, "play")
    before = api.snapshot()
    path = f"/players/{ada.id}/tokens/{ada.token.token.id}"
    refusals = [
        api.send("DELETE", path, narrow),
        api.send("POST", f"{path}/rotate", narrow),
        api.send("DELETE", f"/players/{ada.id}", narrow),
    ]
    assert {error(answer) for answer in refusals} == {(403, "missing-scope")}
    assert api.snapshot() == before
    if "admin" in wider:
        own = f"/players/{ada.id}/tokens/{narrow.token.token.id}"
        assert api.send("DELETE", own, ada).status_code == 204
        assert api.send("DELETE", f"/players/{ada.id}", ada).status_code == 204


def test_a_narrow_token_ends_itself_and_its_like(api: Api, ada: NewPlayer) -> None:
    wide = issued(api, ada, None, "play", "arbiter")
    like = issued(api, ada, None, "play")
    for token in (like, ada):
        path = f"/players/{ada.id}/tokens/{token.token.token.id}"
        assert api.send("DELETE", path, ada).status_code == 204
    assert list(tokens(api, ada)) == [wide.token.token.id]


def test_an_expired_wider_token_is_no_obstacle_to_erasing_oneself(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    issued(api, ada, 60, "arbiter")
    later = now() + 61_000
    monkeypatch.setattr(api.service.players, "clock", lambda: later)
    assert api.send("DELETE", f"/players/{ada.id}", ada).status_code == 204


def test_a_token_revoked_by_another_process_gives_nothing_meanwhile(
    configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process trusts a token for a second after a check, but not to issue, rotate or erase."""
    here, elsewhere = configured(), configured()
    moment = now()
    monkeypatch.setattr(here.service.bearers, "clock", lambda: moment)
    ada = here.player("Ada")
    path = f"/players/{ada.id}/tokens"
    assert here.get("/me", ada).status_code == 200
    elsewhere.service.players.revoke(ada.id, ada.token.token.id, Principal(ada.id, None))
    assert here.get(path, ada).status_code == 200
    refusals = [
        here.post(path, {}, ada),
        here.send("POST", f"{path}/{ada.token.token.id}/rotate", ada),
        here.send("DELETE", f"/players/{ada.id}", ada),
    ]
    assert {error(answer) for answer in refusals} == {(401, "bad-token")}


def test_the_last_admin_stays(api: Api, admin: NewPlayer) -> None:
    before = api.snapshot()
    path = f"/players/{admin.id}/tokens/{admin.token.token.id}"
    for answer in (
        api.send("DELETE", f"/players/{admin.id}", admin),
        api.send("DELETE", path, admin),
    ):
        assert error(answer) == (409, "last-admin")
    assert api.snapshot() == before
    assert api.send("POST", f"{path}/rotate", admin).status_code == 201


def test_an_admin_goes_where_another_is_left(api: Api, admin: NewPlayer) -> None:
    """An admin whose token was revoked or has expired does not count as one who is left."""
    other = api.player("Bea", "admin")
    brief = issue_expired(
        api.service.players, api.player("Cem").id, ("admin",), Principal(admin.id, None)
    )
    assert brief.token.expires
    path = f"/players/{other.id}/tokens/{other.token.token.id}"
    assert api.send("DELETE", path, admin).status_code == 204
    assert error(api.send("DELETE", f"/players/{admin.id}", admin)) == (409, "last-admin")
    third = api.player("Dan", "admin")
    assert api.send("DELETE", f"/players/{admin.id}", admin).status_code == 204
    assert error(api.send("DELETE", f"/players/{third.id}", third)) == (409, "last-admin")


@pytest.mark.slow
def test_two_admins_who_erase_themselves_at_once_leave_one(configured: Configured) -> None:
    """From two processes, twenty times: neither admin may rely on the other."""
    here, there = configured(), configured()
    for _ in range(20):
        two = [here.player("Ada", "admin"), here.player("Bea", "admin")]
        with ThreadPoolExecutor(2) as pool:
            sent = [
                pool.submit(api.send, "DELETE", f"/players/{one.id}", one)
                for api, one in zip((here, there), two, strict=True)
            ]
            answers = [answer.result() for answer in sent]
        assert sorted(answer.status_code for answer in answers) == [204, 409]
        assert [code(answer) for answer in answers if answer.status_code == 409] == ["last-admin"]
        # The next pair begins with an empty store.
        here.service.log.redis.client.flushall()
        here.service.store.flushall()
