"""Who is notified of what by e-mail, over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.jobs.job_kinds import MAIL
from service.mail.links import LASTS
from service.mail.store import MOST_OF_NETWORK, MOST_OF_PLAYER, MOST_TO_ADDRESS
from service.mail.subscription import Pace, Subscription, subscription_from_json
from service.player.repository import NewPlayer
from tests.service.api.client import Api, error
from tests.service.api.conftest import Configured

ADDRESS = "Ada.King@Club.example"
MAILING = {
    "MOVELOG_SMTP_URL": "smtp://localhost:1",
    "MOVELOG_MAIL_FROM": "games@club.example",
    "MOVELOG_PUBLIC_URL": "https://club.example",
}


@pytest.fixture
def api(configured: Configured) -> Api:
    """A service that can send mail."""
    return configured(**MAILING)


def put(api: Api, by: NewPlayer | None, **wish: Any) -> TestResponse:
    body = json.dumps({"address": ADDRESS, **wish}).encode()
    return api.send("PUT", "/me/mail", by, body, "application/json")


def link(api: Api, by: NewPlayer, purpose: str) -> str:
    """The token of a link in the player's mails."""
    service = api.service
    known = service.subscriptions.find(by.id)
    assert known is not None
    make = {"confirm": service.mail_links.confirm_url, "stop": service.mail_links.stop_url}
    return make[purpose](known).rpartition("/")[2]


def follow(api: Api, purpose: str, token: str) -> TestResponse:
    return api.post(f"/mail/{purpose}", {"token": token})


def test_an_address_is_set_confirmed_stopped_and_removed(api: Api, ada: NewPlayer) -> None:
    before = api.get("/me/mail", ada).json
    assert before is not None
    assert (before["available"], before["address"]) == (True, None)
    answer = put(api, ada)
    assert answer.status_code == 202
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json == {
        "available": True,
        "address": "Ada.King@club.example",
        "confirmed_at": None,
        "events": ["your-turn", "draw-offered", "clock-low"],
        "pace": "immediately",
        "language": "en",
        "stopped": None,
    }
    (job,) = api.service.jobs.due([MAIL])
    assert "club.example" not in str(api.service.jobs.get(job))
    assert follow(api, "confirm", link(api, ada, "confirm")).status_code == 204
    assert follow(api, "confirm", link(api, ada, "confirm")).status_code == 204
    shown = api.get("/me/mail", ada).json
    assert shown is not None
    assert shown["confirmed_at"]
    changed = put(api, ada, events=["clock-low"], pace="daily")
    assert changed.status_code == 200
    assert changed.json == {**shown, "events": ["clock-low"], "pace": "daily"}
    assert len(api.service.jobs.due([MAIL])) == 1
    assert follow(api, "stop", link(api, ada, "stop")).status_code == 204
    stopped = api.get("/me/mail", ada).json
    assert stopped is not None
    assert stopped["stopped"] == "you have stopped it"
    again = put(api, ada).json
    assert again is not None
    assert (again["stopped"], again["confirmed_at"]) == (None, shown["confirmed_at"])
    assert api.send("DELETE", "/me/mail", ada).status_code == 204
    assert api.get("/me/mail", ada).json == before
    assert ADDRESS.lower().encode() not in b"".join(api.snapshot().values()).lower()


def test_the_language_of_the_mails_is_that_of_the_request_or_the_one_that_is_named(
    api: Api, ada: NewPlayer
) -> None:
    body = json.dumps({"address": ADDRESS}).encode()
    german = {"Accept-Language": "de-AT, en;q=0.5"}
    answer = api.send("PUT", "/me/mail", ada, body, "application/json", headers=german)
    assert answer.json is not None
    assert answer.json["language"] == "de"
    assert (api.get("/me/mail", ada).json or {})["language"] == "de"
    named = put(api, ada, language="en").json
    assert named is not None
    assert named["language"] == "en"
    assert error(put(api, ada, language="xx")) == (422, "invalid-request")


def test_what_an_earlier_version_has_stored_is_in_english() -> None:
    known = Subscription("ada", ADDRESS, ("your-turn",), Pace.DAILY, 1, language="de")
    assert subscription_from_json(known.to_json()) == known
    values = json.loads(known.to_json())
    del values["language"]
    assert subscription_from_json(json.dumps(values)).language == "en"


def test_another_address_has_to_be_confirmed_anew(api: Api, ada: NewPlayer) -> None:
    put(api, ada)
    old = link(api, ada, "confirm")
    follow(api, "confirm", old)
    answer = put(api, ada, address="ada@work.example")
    assert answer.status_code == 202
    assert answer.json is not None
    assert answer.json["confirmed_at"] is None
    assert error(follow(api, "confirm", old)) == (422, "bad-link")
    assert api.service.subscriptions.find_active(["your-turn"], [ada.id]) == frozenset()


@pytest.mark.parametrize(
    "address",
    [
        *("ada", "@club.example", "ada@", "ada@club", "a b@club.example", "ada@club..example"),
        *("ada@club.example\r\nBcc: eve@x.example", '"ada"@club.example', "ä@club.example"),
        *(f"{'a' * 65}@club.example", f"a@{'b.' * 125}example", "ada@127.0.0.1", "ada@-x.example"),
    ],
)
def test_an_address_that_cannot_be_read_is_refused(api: Api, ada: NewPlayer, address: str) -> None:
    expected = "bad-address" if 3 <= len(address) <= 254 else "invalid-request"
    assert error(put(api, ada, address=address)) == (422, expected)
    assert api.service.subscriptions.find(ada.id) is None


def test_bad_wishes_are_refused(api: Api, ada: NewPlayer) -> None:
    wishes: list[dict[str, Any]] = [{"events": []}, {"events": ["weather"]}]
    for wish in (*wishes, {"pace": "hourly"}, {"surplus": 1}):
        assert error(put(api, ada, **wish)) == (422, "invalid-request")
    assert error(put(api, None)) == (401, "missing-token")


def test_forged_links_are_refused_and_late_ones(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(api, ada)
    confirm, stop = link(api, ada, "confirm"), link(api, ada, "stop")
    for token in ("x", confirm[:-1], f"{confirm}x", stop, confirm.swapcase()):
        assert error(follow(api, "confirm", token)) == (422, "bad-link")
    assert error(follow(api, "stop", confirm)) == (422, "bad-link")
    assert error(follow(api, "stop", "")) == (422, "invalid-request")
    now = api.service.mail_links.clock()
    monkeypatch.setattr(api.service.mail_links, "clock", lambda: now + LASTS)
    assert error(follow(api, "confirm", confirm)) == (422, "expired-link")
    assert follow(api, "stop", stop).status_code == 204


def test_confirmations_are_bounded_by_player_and_by_address(api: Api, ada: NewPlayer) -> None:
    for number in range(MOST_OF_PLAYER):
        assert put(api, ada, address=f"ada{number}@club.example").status_code == 202
    refused = put(api, ada)
    assert error(refused) == (429, "too-many-confirmations")
    assert 0 < int(refused.headers["Retry-After"]) <= 24 * 3600
    for number in range(MOST_TO_ADDRESS):
        api.http.environ_base["REMOTE_ADDR"] = f"192.0.2.{number}"
        assert put(api, api.player(f"P{number}"), address="VICTIM@club.example").status_code == 202
    api.http.environ_base["REMOTE_ADDR"] = "192.0.2.66"
    refused = put(api, api.player("Q"), address="victim@club.example")
    assert error(refused) == (429, "too-many-confirmations")


def test_nobody_keeps_an_address_from_its_owner(api: Api, ada: NewPlayer, eve: NewPlayer) -> None:
    told = [put(api, eve).status_code for _ in range(MOST_OF_PLAYER)]
    for number in range(MOST_TO_ADDRESS):
        told.append(put(api, api.player(f"E{number}")).status_code)
    assert told.count(202) == MOST_OF_NETWORK
    api.http.environ_base["REMOTE_ADDR"] = "192.0.2.1"
    assert put(api, ada).status_code == 202


def test_without_a_mail_server_there_is_no_mail(configured: Configured) -> None:
    api = configured()
    ada = api.player("Ada")
    shown = api.get("/me/mail", ada).json
    assert shown is not None
    assert shown["available"] is False
    assert error(put(api, ada)) == (409, "mail-unavailable")


def test_an_address_is_nobody_elses_affair(
    api: Api, ada: NewPlayer, eve: NewPlayer, admin: NewPlayer
) -> None:
    put(api, ada)
    for path in (f"/players/{ada.id}", "/players", "/me", "/me/mail", "/events?after=start"):
        for who in (eve, admin, None):
            assert "club.example" not in api.get(path, who).text.lower()


def test_an_erased_players_address_is_forgotten(api: Api, ada: NewPlayer) -> None:
    put(api, ada)
    follow(api, "confirm", link(api, ada, "confirm"))
    api.service.outbox.add_to_digest(ada.id, "notice", {"event": "your-turn"})
    assert api.send("DELETE", f"/players/{ada.id}", ada).status_code == 204
    assert api.service.subscriptions.find(ada.id) is None
    assert api.service.subscriptions.find_active(["your-turn"], [ada.id]) == frozenset()
    assert api.service.outbox.take_digest(ada.id, "day") == []
    assert b"ada.king" not in b"".join(api.snapshot().values()).lower()
