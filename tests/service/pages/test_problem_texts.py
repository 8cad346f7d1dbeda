"""Refusals are explained to people in their own words."""

from __future__ import annotations

import re
from html import unescape

import pytest

from service.log.errors import Overtaken
from service.pages.problem_texts import describe_problem
from service.pages.session import COOKIE
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.pages.visitor import Visitor

FOR_PROGRAMS = re.compile(r"schema|bearer|authorization|/api/|see errors|\bPOST\b|header", re.I)


def told(page: str) -> str:
    """The text of the problem on a page; fails if it has words for programs."""
    found = re.search(r'<div class="problem".*?</div>', page, re.DOTALL)
    assert found, page
    text = " ".join(unescape(re.sub(r"<.*?>", " ", found[0])).split())
    assert not FOR_PROGRAMS.search(text), text
    return text


def revoke(api: Api, player: NewPlayer) -> None:
    """Revoke a player's token."""
    path = f"/players/{player.id}/tokens/{player.token.token.id}"
    assert api.send("DELETE", path, by=player).status_code == 204


def test_who_acts_with_a_revoked_token_is_asked_to_sign_in(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    api.http.set_cookie(COOKIE, ada.token.secret)
    csrf = re.search(r'name="csrf" value="(\w+)"', api.http.get(path).text)
    assert csrf
    revoke(api, ada)
    answer = api.http.post(f"{path}/actions", data={"csrf": csrf[1], "action": "c2d1"})
    assert answer.status_code == 401
    notice, problem = answer.text.split('<div id="problem"')
    assert "You are not signed in." in told(problem)
    assert "You have been signed out." in told(notice)
    assert 'href="/sign-in' in problem


def test_who_reads_with_a_revoked_token_is_told_once(api: Api, ada: NewPlayer) -> None:
    revoke(api, ada)
    api.http.set_cookie(COOKIE, ada.token.secret)
    assert told(api.http.get("/games").text) == (
        "You have been signed out. This browser’s session has ended. Sign in again"
    )
    assert "signed out" not in api.http.get("/games").text


@pytest.mark.parametrize("token", ["mlg_nonsense", "", "with\nline"])
def test_a_token_that_is_not_good_is_told_so(api: Api, token: str) -> None:
    page = api.http.post("/sign-in", data={"token": token}).text
    assert told(page).startswith("This token is not valid. It was revoked, has expired or was")


@pytest.mark.parametrize("name", ["", "   ", "x" * 101])
def test_a_name_that_cannot_be_is_told_so_and_stays_to_be_mended(api: Api, name: str) -> None:
    page = api.http.post("/register", data={"name": name}).text
    assert told(page) == (
        "Some fields are not valid. Please correct the fields named here."
        " Name: 1 to 100 characters."
    )
    assert f'autocomplete="username" value="{name.strip()}"' in page


def test_a_reserved_name_is_told_so(api: Api) -> None:
    page = api.http.post("/register", data={"name": "admin"})
    assert page.status_code == 422
    assert "admin" in told(page.text)


def test_a_stranger_is_asked_to_sign_in(api: Api) -> None:
    answer = Visitor(api).send("/games/new", variant="katruji")
    assert "You are not signed in." in told(answer.text)


def test_a_swiss_without_rounds_is_told_what_is_missing(api: Api, arbiter: NewPlayer) -> None:
    form = {"name": "Open", "variant": "katruji", "kind": "swiss"}
    answer = Visitor(api, arbiter).send("/tournaments/new", **form)
    assert answer.status_code == 422
    assert told(answer.text) == (
        "A field is not valid. Rounds: missing; a Swiss needs a number of rounds, 1 to 100"
    )
    assert "Rounds of a Swiss" in answer.text


def test_a_store_that_is_down_is_told_to_people() -> None:
    text = describe_problem({"code": "log-unavailable", "detail": "send an Idempotency-Key"})
    assert text["title"] == "The service cannot be reached just now"
    assert "Idempotency" not in text["detail"]


def test_who_was_overtaken_is_told_that_nothing_was_changed() -> None:
    problem = {"code": Overtaken.code, "detail": str(Overtaken("game:a", 50))}
    text = describe_problem(problem)
    assert text["detail"].startswith("Your request changed nothing")
    assert "game:a" not in text["detail"]


def test_who_looks_for_an_opponent_is_told_where(api: Api, ada: NewPlayer) -> None:
    api.http.set_cookie(COOKIE, ada.token.secret)
    page = api.http.get("/games/new").text.partition("<main")[2]
    assert 'href="/players"' in page
    assert 'href="/lobby"' in page
    assert 'data-suggest="registered"' in page
    assert "<h1>Lobby</h1>" in api.http.get("/lobby").text
