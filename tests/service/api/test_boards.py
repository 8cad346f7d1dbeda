"""Boards as pictures over HTTP."""

from __future__ import annotations

import base64
from hashlib import sha256

import pytest

from service.player.repository import NewPlayer
from tests.service.api.client import Api, error

SVG = "image/svg+xml"


def test_a_game_is_drawn_as_it_stands_and_as_it_stood(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    before = api.get(f"{path}/board.svg")
    assert (before.status_code, before.mimetype) == (200, SVG)
    api.play(path, ada, "c2d1")
    after = api.get(f"{path}/board.svg")
    assert 'class="last"' in after.text
    assert api.get(f"{path}/board.svg", query={"ply": 0}).data == before.data
    assert api.get(f"{path}/board.svg", query={"ply": 1}).data == after.data
    assert error(api.get(f"{path}/board.svg", query={"ply": 2})) == (400, "bad-parameter")


def test_it_is_kept_until_the_game_changes(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    tag = api.get(f"{path}/board.svg").headers["ETag"]
    again = api.get(f"{path}/board.svg", If_None_Match=tag)
    assert (again.status_code, again.data) == (304, b"")
    turned = api.get(f"{path}/board.svg", query={"below": "second"}, If_None_Match=tag)
    assert turned.status_code == 200
    api.play(path, ada, "c2d1")
    assert api.get(f"{path}/board.svg", If_None_Match=tag).status_code == 200


def test_only_the_owner_sees_an_infiltrator(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = api.running(ada, brahim, variant="kerd")
    for by, square in ((ada, "f11"), (brahim, "f2")):
        assert api.command(path, by, "choose", square=square).status_code == 200
    seen = {by: api.get(f"{path}/board.svg", by).text for by in (ada, brahim, None)}
    assert [seen[by].count('class="mark"') for by in (ada, brahim, None)] == [1, 1, 0]
    assert seen[ada] != seen[brahim]
    headers = api.get(f"{path}/board.svg", ada).headers
    assert headers["Cache-Control"].startswith("private")
    assert "Authorization" in headers["Vary"]


def test_any_position_is_drawn(api: Api) -> None:
    asked = {"variant": "katruji", "last": "d2d1", "targets": "a4,b2"}
    answer = api.get("/board.svg", query=asked)
    assert (answer.status_code, answer.mimetype) == (200, SVG)
    assert answer.text.count('class="last"') == 2
    assert answer.text.count('class="target"') == 1
    assert answer.text.count('class="capture"') == 1
    again = api.get("/board.svg", query=asked, If_None_Match=answer.headers["ETag"])
    assert again.status_code == 304


def test_opened_by_itself_it_can_use_nothing_but_its_own_style(api: Api) -> None:
    answer = api.get("/board.svg", query={"variant": "kerak"})
    style = answer.text.partition("<style>")[2].partition("</style>")[0]
    digest = sha256(style.encode()).digest()
    policy = answer.headers["Content-Security-Policy"]
    assert policy == f"default-src 'none'; style-src 'sha256-{base64.b64encode(digest).decode()}'"


@pytest.mark.parametrize(
    ("query", "refused"),
    [
        ({}, (400, "bad-parameter")),
        ({"variant": "chess"}, (400, "bad-parameter")),
        ({"variant": "kerd", "fen": "8/8"}, (422, "bad-fen")),
        ({"variant": "kerak", "targets": "z9"}, (400, "bad-parameter")),
        ({"variant": "kerak", "targets": ""}, (400, "bad-parameter")),
        ({"variant": "kerak", "last": ""}, (400, "bad-parameter")),
        ({"variant": "kerak", "below": "third"}, (400, "bad-parameter")),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    api: Api, query: dict[str, str], refused: tuple[int, str]
) -> None:
    assert error(api.get("/board.svg", query=query)) == refused


def test_there_are_no_other_formats(api: Api) -> None:
    answer = api.get("/board.svg", accept="image/png", query={"variant": "kerak"})
    assert error(answer) == (406, "not-acceptable")
