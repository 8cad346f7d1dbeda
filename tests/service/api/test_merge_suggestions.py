"""Suggested mergers over HTTP and on the admin's page: accepted, settled and shown."""

from __future__ import annotations

import re
from typing import Any

import pytest

from service.player.repository import NewPlayer
from tests.service.api.client import Api, error
from tests.service.pages.visitor import Visitor

PATH = "/merge-suggestions"


@pytest.fixture
def alike(api: Api, admin: NewPlayer) -> list[str]:
    """The ids of three players with similar names."""
    names = ("Ng, Hoa", "Hoa Ng", "H. Ng")
    ids = [api.service.players.unclaimed(name, admin.id) for name in names]
    api.project()
    # A page that takes longer, as on a machine that stands still for a moment, ends sooner.
    api.service.merge_suggestions.budget = 60
    return ids


def suggested(api: Api, admin: NewPlayer) -> list[dict[str, Any]]:
    answer = api.get(PATH, admin)
    assert answer.status_code == 200
    items: list[dict[str, Any]] = (answer.json or {})["items"]
    return items


def pairs(api: Api, admin: NewPlayer) -> set[frozenset[str]]:
    return {frozenset((one["player"]["id"], one["other"]["id"])) for one in suggested(api, admin)}


def test_a_suggestion_is_accepted_or_settled(api: Api, admin: NewPlayer, alike: list[str]) -> None:
    full, other, initial = alike
    found = suggested(api, admin)
    assert [one["reason"] for one in found] == ["same-words", "initials", "initials"]
    assert {found[0]["player"]["name"], found[0]["other"]["name"]} == {"Ng, Hoa", "Hoa Ng"}
    assert found[0]["player"]["claimed"] is False
    assert found[0]["met"] == found[0]["other"]["games"] == 0
    settled = api.send("PUT", f"/players/{initial}/distinct/{full}", admin)
    assert settled.status_code == 204
    assert pairs(api, admin) == {frozenset((full, other)), frozenset((other, initial))}
    assert api.post(f"/players/{full}/merge", {"into": other}, admin).status_code == 200
    assert pairs(api, admin) == {frozenset((other, initial))}


def test_suggestions_are_for_admins(api: Api, ada: NewPlayer, alike: list[str]) -> None:
    distinct = f"/players/{alike[0]}/distinct/{alike[1]}"
    assert error(api.get(PATH)) == (401, "missing-token")
    assert error(api.get(PATH, ada)) == (403, "missing-scope")
    assert error(api.send("PUT", distinct, ada)) == (403, "missing-scope")


def test_what_cannot_be_settled(api: Api, admin: NewPlayer, alike: list[str]) -> None:
    one = alike[0]
    same = api.send("PUT", f"/players/{one}/distinct/{one}", admin)
    assert error(same) == (422, "bad-value")
    for path in (f"/players/{one}/distinct/{'a' * 16}", f"/players/{'a' * 16}/distinct/{one}"):
        assert error(api.send("PUT", path, admin)) == (404, "not-found")
    assert error(api.get(PATH, admin, query={"cursor": "x"})) == (422, "bad-cursor")


def test_an_admin_settles_suggestions_on_a_page(
    api: Api, admin: NewPlayer, alike: list[str]
) -> None:
    visitor = Visitor(api, admin)
    assert f'href="{PATH}"' in visitor.open("/players")
    page = visitor.open(PATH)
    assert page.count("They are different people") == 3
    form = {"player": alike[0], "other": alike[1]}
    refused = visitor.send(PATH, settle="merge", player=alike[0], other=alike[0])
    assert refused.status_code == 422
    assert "another player" in refused.text
    assert visitor.send(PATH, settle="merge", **form).status_code == 303
    assert visitor.open(PATH).count("They are different people") == 1
    left = {"player": alike[1], "other": alike[2]}
    assert visitor.send(PATH, settle="distinguish", **left).status_code == 303
    assert re.search("No two names\\s+look like the same person", visitor.open(PATH))


def test_others_are_shown_no_suggestions(api: Api, ada: NewPlayer, alike: list[str]) -> None:
    visitor = Visitor(api, ada)
    assert PATH not in visitor.open("/players")
    assert api.http.get(PATH).status_code == 401
