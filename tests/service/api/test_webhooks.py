"""Webhooks over HTTP."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.log.chain import when
from service.player.commands import Principal
from service.player.repository import NewPlayer
from service.webhooks.receivers import STRIKES
from service.webhooks.store import MOST
from service.webhooks.webhook import Attempt
from tests.service.api.client import Api, error

WISH = {"url": "https://club.example/hook", "events": ["game-finished"]}


@pytest.fixture
def hook(api: Api, ada: NewPlayer) -> str:
    """The path of Ada's webhook."""
    answer = api.post("/webhooks", WISH, ada)
    assert answer.status_code == 201, answer.text
    return answer.headers["Location"].removeprefix("/api/v1")


def test_the_secret_is_shown_once(api: Api, ada: NewPlayer) -> None:
    made = api.post("/webhooks", WISH, ada)
    assert made.json is not None
    assert made.json["secret"].startswith("whs_")
    assert made.headers["Cache-Control"] == "no-store"
    path = made.headers["Location"].removeprefix("/api/v1")
    shown = api.get(path, ada).json
    assert shown == {k: v for k, v in made.json.items() if k != "secret"}
    assert made.json["secret"].encode() not in b"".join(api.snapshot().values())
    rotated = api.post(f"{path}/rotate", {}, ada).json
    assert rotated is not None
    assert rotated["secret"] != made.json["secret"]


def test_a_webhook_is_its_owners_affair_and_an_admins(
    api: Api, ada: NewPlayer, eve: NewPlayer, admin: NewPlayer, hook: str
) -> None:
    for method, path in (
        ("GET", hook),
        ("GET", f"{hook}/deliveries"),
        ("POST", f"{hook}/rotate"),
        ("POST", f"{hook}/enable"),
        ("DELETE", hook),
    ):
        assert error(api.send(method, path)) == (401, "missing-token")
        assert error(api.send(method, path, eve)) == (403, "missing-scope")
        assert api.send(method, path, admin).status_code in (200, 204)
    assert error(api.get(hook, ada)) == (404, "not-found")


def test_lists(api: Api, ada: NewPlayer, eve: NewPlayer, admin: NewPlayer, hook: str) -> None:
    counts = [
        len(answer.json["items"])
        for who in (ada, eve, admin)
        if (answer := api.get("/webhooks", who)).json
    ]
    assert counts == [1, 0, 1]


def test_to_be_told_of_everybodys_games_takes_an_admin(
    api: Api, ada: NewPlayer, admin: NewPlayer
) -> None:
    wish = {**WISH, "everybody": True}
    assert error(api.post("/webhooks", wish, ada)) == (403, "missing-scope")
    assert api.post("/webhooks", wish, admin).status_code == 201


def test_a_narrow_token_of_an_admin_gets_no_secret_of_everybodys_webhook(
    api: Api, admin: NewPlayer
) -> None:
    made = api.post("/webhooks", {**WISH, "everybody": True}, admin)
    path = made.headers["Location"].removeprefix("/api/v1")
    narrow = replace(
        admin, token=api.service.players.issue(admin.id, ["play"], Principal(admin.id, None))
    )
    for change in ("rotate", "enable"):
        assert error(api.post(f"{path}/{change}", {}, narrow)) == (403, "missing-scope")
        assert api.post(f"{path}/{change}", {}, admin).status_code == 200
    assert api.send("DELETE", path, narrow).status_code == 204


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"url": "https://10.0.0.1/"}, (422, "bad-value")),
        ({"url": "http://club.example/"}, (422, "bad-value")),
        ({"events": []}, (422, "invalid-request")),
        ({"events": ["move"]}, (422, "invalid-request")),
        ({"secret": "mine"}, (422, "invalid-request")),
        ({"everybody": "yes"}, (422, "invalid-request")),
        ({"everybody": 0}, (422, "invalid-request")),
        ({"filter": 7}, (422, "invalid-request")),
        ({"filter": ""}, (422, "invalid-request")),
        ({"filter": "x" * 2001}, (422, "invalid-request")),
        ({"filter": "variant"}, (422, "bad-value")),
        ({"filter": "?"}, (422, "bad-value")),
        ({"filter": "color=white"}, (400, "bad-parameter")),
        ({"filter": "sort=day"}, (400, "bad-parameter")),
        ({"filter": "variant=chess"}, (400, "bad-parameter")),
        ({"filter": "min_plies=-1"}, (400, "bad-parameter")),
        ({"filter": "mode=scribe&mode=import"}, (400, "bad-parameter")),
        ({"filter": "tag=Date:1999.12.31"}, (400, "bad-parameter")),
        ({"filter": "side=first"}, (422, "bad-value")),
        ({"filter": "fen=start"}, (422, "bad-value")),
        ({"filter": "variant=kerak&fen=x"}, (422, "bad-fen")),
        ({"filter": "mode=scribe", "events": ["import-finished"]}, (422, "bad-value")),
    ],
)
def test_what_cannot_be_registered(
    api: Api, ada: NewPlayer, change: dict[str, object], expected: tuple[int, str]
) -> None:
    assert error(api.post("/webhooks", {**WISH, **change}, ada)) == expected


def test_a_filter_is_kept_in_one_form(api: Api, ada: NewPlayer) -> None:
    given = "?until=1999-12-31&player=%C3%89mile++KING&variant=kerd&side=second&event=A+%26+B"
    made = api.post("/webhooks", {**WISH, "filter": given}, ada)
    assert made.status_code == 201, made.text
    path = made.headers["Location"].removeprefix("/api/v1")
    shown = api.get(path, ada).json
    assert shown is not None
    kept = "variant=kerd&until=1999.12.31&player=emile+king&side=second&tag=Event%3AA+%26+B"
    assert shown["filter"] == kept
    again = api.post("/webhooks", {**WISH, "filter": kept}, ada)
    assert again.json is not None
    assert again.json["filter"] == kept


def test_a_webhook_without_a_filter(api: Api, ada: NewPlayer) -> None:
    for wish in (WISH, {**WISH, "filter": None}):
        made = api.post("/webhooks", wish, ada).json
        assert made is not None
        assert made["filter"] is None


def test_one_too_many(api: Api, ada: NewPlayer) -> None:
    for _ in range(MOST):
        assert api.post("/webhooks", WISH, ada).status_code == 201
    assert error(api.post("/webhooks", WISH, ada)) == (409, "too-many-webhooks")


def test_the_log_of_deliveries(api: Api, ada: NewPlayer, hook: str) -> None:
    id = hook.rpartition("/")[2]
    api.service.webhooks.note(id, Attempt("d", "game-finished", 1, 0, 7, 500, None, 1000))
    shown = api.get(f"{hook}/deliveries", ada).json
    assert shown == {
        "items": [
            {
                "delivery": "d",
                "event": "game-finished",
                "attempt": 1,
                "at": "1970-01-01T00:00:00.000+00:00",
                "took_ms": 7,
                "delivered": False,
                "status": 500,
                "error": None,
                "next_at": "1970-01-01T00:00:01.000+00:00",
            }
        ]
    }
    assert error(api.get(f"{hook}/deliveries", ada, query={"limit": 201})) == (400, "bad-parameter")


def test_an_erased_players_webhooks_go_with_them(
    api: Api, ada: NewPlayer, eve: NewPlayer, admin: NewPlayer, hook: str
) -> None:
    api.post("/webhooks", WISH, ada)
    kept = (api.post("/webhooks", WISH, eve).json or {})["id"]
    assert api.send("DELETE", f"/players/{ada.id}", ada).status_code == 204
    assert [one.id for one in api.service.webhooks.all()] == [kept]
    assert error(api.get(hook, admin)) == (404, "not-found")


def test_a_webhook_tells_until_when_its_receiver_is_left_alone(
    api: Api, ada: NewPlayer, hook: str
) -> None:
    def told() -> list[str | None]:
        views = (api.get(hook, ada).json, api.get("/webhooks", ada).json)
        assert views[0] is not None
        assert views[1] is not None
        return [views[0]["cooling_until"], views[1]["items"][0]["cooling_until"]]

    receivers = api.service.receivers
    assert told() == [None, None]
    for _ in range(STRIKES):
        receivers.strike("another https://club.example:443")
    assert told() == [None, None]
    route = f"{ada.id} https://club.example:443"
    until = [receivers.strike(route) for _ in range(STRIKES)][-1]
    assert until is not None
    assert told() == [when(until)] * 2
    receivers.answered(route)
    assert told() == [None, None]
