"""The analysis page as the server renders it: what its scripts begin with, and who sees what."""

from __future__ import annotations

import json
import re
from typing import Any

from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.pages.visitor import Visitor
from tests.service.secrets.kerd import chosen


def told(page: str) -> dict[str, Any]:
    """The data that a page gives its scripts."""
    found = re.search(r'<script type="application/json" id="told">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_a_position_begins_a_tree_of_its_own(api: Api) -> None:
    first = api.get("/variants/kerak/position").json
    assert first
    seen = told(Visitor(api).open("/analysis?variant=kerak&below=second"))
    assert (seen["variant"], seen["fen"]) == ("kerak", first["position"]["fen"])
    assert (seen["main"], seen["ply"], seen["line"], seen["game"]) == ([], 0, [], None)
    assert seen["below"] == "second"


def test_a_game_is_the_main_line(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    api.play(path, ada, "Pd1", "Pa7")
    id = path.removeprefix("/games/")
    page = Visitor(api).open(f"/analysis?game={id}&ply=1&line=b6a7+Pd2")
    seen = told(page)
    assert [one["san"] for one in seen["main"]] == ["Pd1", "Pa7"]
    assert (seen["ply"], seen["game"], seen["version"]) == (1, id, 4 - 1)
    assert [one["san"] for one in seen["line"]] == ["Pa7", "Pd2"]
    assert "North to act" in page


def test_whoever_may_annotate_a_game_may_keep_variations(
    api: Api, ada: NewPlayer, eve: NewPlayer
) -> None:
    path = api.scribed(ada)
    api.play(path, ada, "Pd1")
    asked = f"/analysis?game={path.removeprefix('/games/')}"
    keeps = [Visitor(api, by).open(asked).count('id="keep"') for by in (ada, eve, None)]
    assert keeps == [1, 0, 0]


def test_a_game_that_is_played_keeps_none_and_tells_no_choice(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = chosen(api, ada, brahim)
    api.play(path, ada, "e2e4")
    asked = f"/analysis?game={path.removeprefix('/games/')}"
    pages = {by: Visitor(api, by).open(asked) for by in (ada, brahim, None)}
    assert ['id="keep"' in pages[by] for by in (ada, brahim, None)] == [False] * 3
    fields = [told(pages[by])["fen"].split()[5] for by in (ada, brahim, None)]
    assert fields == ["f11/?", "?/d1", "?/?"]


def test_a_game_that_is_not_there_is_said_so(api: Api) -> None:
    answer = api.http.get("/analysis?game=aaaaaaaaaaaaaaaa", headers={"Accept": "text/html"})
    assert answer.status_code == 404


def test_the_fields_of_a_position_are_told_with_their_labels(api: Api) -> None:
    fields = told(Visitor(api).open("/analysis?variant=kerak"))["fields"]
    assert [one["name"] for one in fields] == ["side", "hand", "points", "move"]
    (side,) = fields[0]["parts"]
    assert [(one["value"], one["label"]) for one in side["options"]] == [
        ("r", "Red"),
        ("b", "Blue"),
    ]


def test_a_line_is_begun_as_far_as_it_is_legal(api: Api) -> None:
    asked = "/analysis?variant=katruji&line=Pd1+b6a7+Pd9"
    answer = api.http.get(asked, headers={"Accept": "text/html"})
    assert answer.status_code == 422
    assert "Pd9: " in answer.text
    line = told(answer.text)["line"]
    assert [(one["action"], one["san"]) for one in line] == [("c2d1", "Pd1"), ("b6a7", "Pa7")]
