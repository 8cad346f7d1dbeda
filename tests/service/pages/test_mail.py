"""The page of a player's e-mail address, and the pages that links in mails lead to."""

from __future__ import annotations

import re

import pytest

from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.conftest import Configured
from tests.service.api.test_mail import MAILING, link
from tests.service.pages.visitor import Visitor


@pytest.fixture
def api(configured: Configured) -> Api:
    """A service that can send mail."""
    return configured(**MAILING)


def test_a_player_sets_and_removes_an_address(api: Api, ada: NewPlayer) -> None:
    visitor = Visitor(api, ada)
    assert "Tell me when" in visitor.open("/mail")
    wish = {"address": " ada@club.example ", "your-turn": "yes", "pace": "daily"}
    answer = visitor.send("/mail", **wish)
    assert answer.status_code == 200
    assert "A link was sent to <strong>ada@club.example</strong>" in answer.text
    known = api.service.subscriptions.find(ada.id)
    assert known is not None
    assert (known.events, known.pace) == (("your-turn",), "daily")
    assert 'href="/mail"' in visitor.open(f"/players/{ada.id}")
    assert "No e-mail is sent" not in visitor.send("/mail", do="forget").text
    assert api.service.subscriptions.find(ada.id) is None


def test_the_language_of_the_mails_is_chosen(api: Api, ada: NewPlayer) -> None:
    api.http.set_cookie("language", "de")
    visitor = Visitor(api, ada)
    assert '<option value="de" lang="de" selected>Deutsch' in visitor.open("/mail")
    visitor.send("/mail", address="ada@club.example", **{"your-turn": "yes"})
    known = api.service.subscriptions.find(ada.id)
    assert known is not None
    assert known.language == "de"
    wish = {"address": "ada@club.example", "your-turn": "yes", "language": "en"}
    answer = visitor.send("/mail", **wish)
    assert '<option value="en" lang="en" selected>English' in answer.text
    known = api.service.subscriptions.find(ada.id)
    assert known is not None
    assert known.language == "en"


def test_what_is_wrong_is_told_above_the_form(api: Api, ada: NewPlayer) -> None:
    answer = Visitor(api, ada).send("/mail", address="ada", **{"your-turn": "yes"})
    assert answer.status_code == 422
    assert "This is not an e-mail address" in answer.text
    answer = Visitor(api, ada).send("/mail", address="ada@club.example")
    assert answer.status_code == 422
    assert "Tell me when" in answer.text


def test_a_refused_form_keeps_what_was_filled_in(api: Api, ada: NewPlayer) -> None:
    kept = {"address": "ada@club.example", "your-turn": "yes", "pace": "immediately"}
    Visitor(api, ada).send("/mail", **kept)
    wish = {"address": "ada", "clock-low": "yes", "pace": "daily", "language": "de"}
    page = Visitor(api, ada).send("/mail", **wish).text
    form = page.partition('<form class="sheet"')[2].partition("</form>")[0]
    assert (
        'name="address" type="email" required maxlength="254" autocomplete="email" value="ada"'
        in form
    )
    assert re.findall(r'name="([\w-]+)" value="(\w+)" checked', form) == [
        ("clock-low", "yes"),
        ("pace", "daily"),
    ]
    assert '<option value="de" lang="de" selected>' in form
    assert "ada@club.example" in page


def test_a_stranger_signs_in_first(api: Api) -> None:
    assert Visitor(api)._ask("GET", "/mail").status_code == 401


def test_a_link_confirms_at_a_click_and_not_before(api: Api, ada: NewPlayer) -> None:
    Visitor(api, ada).send("/mail", address="ada@club.example", **{"your-turn": "yes"})
    path = f"/mail/confirm/{link(api, ada, 'confirm')}"
    stranger = Visitor(api)
    assert "<button>Confirm</button>" in stranger.open(path)
    assert api.service.subscriptions.find_active(["your-turn"], [ada.id]) == frozenset()
    answer = stranger._ask("POST", path)
    assert answer.status_code == 200
    assert "Your address is confirmed" in answer.text
    assert api.service.subscriptions.find_active(["your-turn"], [ada.id]) == {ada.id}
    assert stranger._ask("POST", f"{path}x").status_code == 422


def test_one_click_stops_all_of_it_without_signing_in(api: Api, ada: NewPlayer) -> None:
    Visitor(api, ada).send("/mail", address="ada@club.example", **{"your-turn": "yes"})
    api.post("/mail/confirm", {"token": link(api, ada, "confirm")})
    path = f"/mail/stop/{link(api, ada, 'stop')}"
    stranger = Visitor(api)
    assert "<button>Stop all e-mails</button>" in stranger.open(path)
    assert api.service.subscriptions.find_active(["your-turn"], [ada.id]) == {ada.id}
    # As a mail program does, from any site (RFC 8058).
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://mail.example"}
    one_click = {"List-Unsubscribe": "One-Click"}
    answer = api.http.post(path, data=one_click, headers=headers)
    assert answer.status_code == 200
    assert api.service.subscriptions.find_active(["your-turn"], [ada.id]) == frozenset()
    assert "you have stopped it" in Visitor(api, ada).open("/mail")
    assert "No more e-mails" in stranger._ask("POST", path).text


def test_a_service_without_mail_says_so(configured: Configured) -> None:
    api = configured()
    assert "This service sends no e-mail" in Visitor(api, api.player("Ada")).open("/mail")
