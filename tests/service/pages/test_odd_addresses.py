"""Addresses with odd characters in the place of an id: not found, and nothing worse."""

from __future__ import annotations

import re

import pytest

from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.pages.visitor import Visitor

PART = re.compile(r"<[^>]+>")
ODD = (
    "%3F",
    "x%3Fy=1",
    "%23x",
    "%25",
    "..%3F",
    "%00",
    "%FF",
    "%C3%A9",
    "a:b",
    "[",
    "%0D%0A",
    "x" * 300,
)


@pytest.mark.parametrize("odd", ODD)
def test_no_page_fails_over_an_odd_id(api: Api, odd: str) -> None:
    rules = [rule for rule in api.http.application.url_map.iter_rules() if rule.arguments]
    addresses = {PART.sub(odd, rule.rule) for rule in rules if "GET" in (rule.methods or ())}
    assert len(addresses) > 50
    for address in sorted(addresses):
        status = api.http.get(address, headers={"Accept": "text/html"}).status_code
        assert status < 500, address


def test_forms_with_odd_ids_are_refused(api: Api, admin: NewPlayer) -> None:
    visitor = Visitor(api, admin)
    for path, fields in (
        ("/puzzles/0000000000%3F", {"played": ""}),
        ("/puzzles/x%3Fy/withdrawal", {}),
        ("/merge-suggestions", {"player": "a?b", "other": "c#d"}),
        ("/merge-suggestions", {"player": "a?b", "other": "c#d", "settle": "merge"}),
    ):
        assert visitor.send(path, **fields).status_code in (404, 422)


@pytest.mark.parametrize(
    ("form", "page"),
    [
        ("/account/name", "/account"),
        ("/account/address", "/account"),
        ("/sign-in/link", "/sign-in"),
        ("/analyses", "/analysis"),
    ],
)
def test_the_address_that_a_form_leaves_in_the_browser_leads_to_its_page(
    api: Api, form: str, page: str
) -> None:
    answer = api.http.get(form, headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["Location"]) == (302, page)
    assert api.http.get("/account/nothing", headers={"Accept": "text/html"}).status_code == 404
