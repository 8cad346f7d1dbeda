"""A player's imports, newest first."""

from __future__ import annotations

from typing import Any

import pytest

from service.player.repository import NewPlayer
from tests.service.api.client import Api, error
from tests.service.imports.support import GOOD, ILLEGAL, begun, project, shown, work
from tests.service.projection.support import ticking


@pytest.fixture(autouse=True)
def seconds_apart(api: Api) -> None:
    """Let each import begin at a different time."""
    api.service.imports.clock = ticking()


def listed(api: Api, reader: NewPlayer, **query: str | int) -> list[dict[str, Any]]:
    """The imports on all pages."""
    items: list[dict[str, Any]] = []
    asked = dict(query)
    while True:
        answer = api.get("/imports", reader, query=asked)
        assert answer.status_code == 200, answer.text
        page = answer.json or {}
        items += page["items"]
        if page["next_cursor"] is None:
            return items
        asked["cursor"] = page["next_cursor"]


def ids(items: list[dict[str, Any]]) -> list[str]:
    return [item["id"] for item in items]


def test_the_list_tells_how_far_an_import_is(api: Api, ada: NewPlayer) -> None:
    id = begun(api, ada, f"{GOOD}\n{ILLEGAL}", "as-played")["id"]
    assert listed(api, ada) == []
    project(api.service)
    [item] = listed(api, ada)
    view = shown(api, ada, id)
    assert item == {name: view[name] for name in item}
    assert (item["state"], item["counts"], item["ended_at"]) == ("queued", {}, None)
    assert (item["mode"], item["by"]) == ("as-played", ada.id)
    jobs = api.service.jobs
    job = jobs.claim(id, "worker")
    assert job is not None
    jobs.keep(job, 5, item["size"], {"counts": {"accepted": 1, "changed": 0}})
    [item] = listed(api, ada)
    assert (item["state"], item["counts"]) == ("running", {"accepted": 1})


def test_what_became_of_an_import_is_told_before_it_is_projected(api: Api, ada: NewPlayer) -> None:
    ends = [begun(api, ada, text, mode)["id"] for text, mode in ENDS]
    cancelled = begun(api, ada, GOOD)["id"]
    project(api.service)
    assert api.send("DELETE", f"/imports/{cancelled}", ada).status_code == 200
    work(api.service)
    before = listed(api, ada)
    project(api.service)
    assert listed(api, ada) == before
    assert ids(before) == [cancelled, *reversed(ends)]
    assert [(item["state"], item["counts"]) for item in before] == [
        ("cancelled", None),
        ("refused", {"quarantined": 1}),
        ("done", {"accepted": 1, "quarantined": 1}),
    ]
    for item in before[1:]:
        view = shown(api, ada, item["id"])
        assert item == {name: view[name] for name in item}
        assert item["ended_at"] > item["created_at"]


ENDS = ((f"{GOOD}\n{ILLEGAL}", "quarantine"), (ILLEGAL, "strict"))


def test_pages_follow_each_other_whatever_comes_meanwhile(api: Api, ada: NewPlayer) -> None:
    sent = [begun(api, ada, GOOD)["id"] for _ in range(5)]
    project(api.service)
    answer = api.get("/imports", ada, query={"limit": 2})
    assert answer.json is not None
    cursor = answer.json["next_cursor"]
    begun(api, ada, GOOD)
    project(api.service)
    assert ids(answer.json["items"]) == [sent[4], sent[3]]
    assert ids(listed(api, ada, limit=2, cursor=cursor)) == [sent[2], sent[1], sent[0]]
    assert len(listed(api, ada, limit=2)) == 6


def test_imports_are_listed_for_their_makers_and_admins(
    api: Api, ada: NewPlayer, eve: NewPlayer, admin: NewPlayer
) -> None:
    first, second = begun(api, ada, GOOD)["id"], begun(api, admin, GOOD)["id"]
    project(api.service)
    assert ids(listed(api, ada)) == ids(listed(api, ada, by=ada.id)) == [first]
    assert listed(api, eve) == []
    assert error(api.get("/imports", eve, query={"by": ada.id})) == (403, "missing-scope")
    assert error(api.get("/imports")) == (401, "missing-token")
    assert ids(listed(api, admin)) == [second, first]
    assert ids(listed(api, admin, by=ada.id)) == [first]
    assert listed(api, admin, by="nobody") == listed(api, admin, by="g0:list of") == []


def test_the_imports_of_one_who_was_erased_are_left_to_admins(
    api: Api, ada: NewPlayer, admin: NewPlayer
) -> None:
    id = begun(api, ada, GOOD)["id"]
    project(api.service)
    assert api.send("DELETE", f"/players/{ada.id}", ada).status_code == 204
    project(api.service)
    assert error(api.get("/imports", ada)) == (401, "bad-token")
    assert ids(listed(api, admin, by=ada.id)) == [id]


def test_a_page_that_cannot_be(api: Api, ada: NewPlayer) -> None:
    assert error(api.get("/imports", ada, query={"cursor": "5"})) == (422, "bad-cursor")
    for query in ({"limit": 0}, {"limit": 201}, {"state": "done"}):
        assert error(api.get("/imports", ada, query=query)) == (400, "bad-parameter")
