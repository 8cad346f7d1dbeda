"""Boards as pictures over HTTP."""

from __future__ import annotations

import base64
import struct
from contextlib import ExitStack
from hashlib import sha256
from subprocess import CompletedProcess

import pytest

from service.api import bitmaps
from service.api.bitmaps import MOST_ADMITTED, MOST_FOR_ONE, PRICE, paint
from service.api.errors import TooManyPictures
from service.player.repository import NewPlayer
from service.storage.turns import Turns
from tests.service.api.client import Api, error
from tests.service.api.conftest import Clock, Configured

SVG = "image/svg+xml"
PNG = "image/png"


def size(png: bytes) -> tuple[int, int]:
    """The width and height of a PNG."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    return width, height


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


def test_a_game_is_painted_as_it_stands_and_as_it_stood(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    small: dict[str, str | int] = {"width": 64}
    before = api.get(f"{path}/board.png", query=small)
    assert (before.status_code, before.mimetype) == (200, PNG)
    assert size(before.data) == (64, 120)
    api.play(path, ada, "c2d1")
    after = api.get(f"{path}/board.png", query=small)
    assert after.data != before.data
    assert api.get(f"{path}/board.png", query=small | {"ply": 0}).data == before.data
    assert error(api.get(f"{path}/board.png", query=small | {"ply": 2})) == (400, "bad-parameter")
    tag = after.headers["ETag"]
    again = api.get(f"{path}/board.png", query=small, If_None_Match=tag)
    assert (again.status_code, again.data) == (304, b"")
    others: tuple[dict[str, str | int], ...] = ({"dark": "true"}, {"height": 64}, {"width": 65})
    for other in (small | one for one in others):
        answer = api.get(f"{path}/board.png", query=other, If_None_Match=tag)
        assert (answer.status_code, answer.data != after.data) == (200, True)


def test_only_the_owner_sees_an_infiltrator_in_pixels(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim, variant="kerd")
    nobody = api.get(f"{path}/board.png", query={"width": 150}).data
    for by, square in ((ada, "f11"), (brahim, "f2")):
        assert api.command(path, by, "choose", square=square).status_code == 200
    query = {"width": 150}
    seen = {by: api.get(f"{path}/board.png", by, query=query).data for by in (ada, brahim, None)}
    assert seen[None] == nobody
    assert len(set(seen.values())) == 3


def test_any_position_is_painted_as_large_as_is_asked_for(api: Api) -> None:
    queries: tuple[tuple[dict[str, str | int], tuple[int, int]], ...] = (
        ({"variant": "kerd", "width": 100}, (100, 100)),
        ({"variant": "kerak", "width": 120, "height": 64}, (120, 64)),
        ({"variant": "katruji", "height": 200, "width": 64, "fen": "start"}, (64, 200)),
    )
    for query, expected in queries:
        answer = api.get("/board.png", query=query)
        assert (answer.status_code, answer.mimetype, size(answer.data)) == (200, PNG, expected)
        assert answer.headers["Cache-Control"] == "public, no-cache"
    assert size(api.get("/board.png", query={"variant": "kerd"}).data) == (800, 800)


@pytest.mark.parametrize(
    "query",
    [
        *({"width": width} for width in ("0", "63", "1201", "-5", "99999999999999", "8e2", "")),
        *({"height": height} for height in ("63", "1201", "1.5", "NaN")),
        *({"dark": dark} for dark in ("1", "yes", "<svg>")),
        {"colour": "red"},
        {"below": "<script>"},
        {"targets": "a1,<image href='file:///etc/passwd'/>"},
        {"last": '"/><image href="http://127.0.0.1/"/>' + "x" * 32},
    ],
)
def test_hostile_parameters_are_refused(api: Api, query: dict[str, str]) -> None:
    asked = {"variant": "kerd", "width": "64", **query}
    assert error(api.get("/board.png", query=asked)) == (400, "bad-parameter")


def test_a_hostile_position_is_refused(api: Api) -> None:
    fen = "<svg><image href='file:///etc/passwd'/></svg>"
    assert error(api.get("/board.png", query={"variant": "kerd", "fen": fen})) == (422, "bad-fen")


def test_what_leads_to_a_position_is_never_written_into_a_picture(api: Api) -> None:
    """An action may be up to 32 characters of anything; only its cells are used."""
    plain = api.get("/board.png", query={"variant": "kerd", "width": 64}).data
    hostile: dict[str, str | int] = {"variant": "kerd", "width": 64}
    hostile |= {"last": "</style><image href='/etc'/>"}
    assert api.get("/board.png", query=hostile).data == plain


def test_there_are_no_other_formats_of_pixels(api: Api) -> None:
    answer = api.get("/board.png", accept="image/webp", query={"variant": "kerak"})
    assert error(answer) == (406, "not-acceptable")


def test_painting_costs_more_than_what_is_remembered(configured: Configured, clock: Clock) -> None:
    api = configured(MOVELOG_RATE_LIMIT=f"{PRICE + 10}/hour")
    paint.cache_clear()
    query: dict[str, str | int] = {"variant": "kerak", "width": 64}
    assert [api.get("/board.png", query=query).status_code for _ in range(5)] == [200] * 5
    refused = api.get("/board.png", query=query | {"dark": "true"})
    assert error(refused) == (429, "too-many-requests")


def test_pictures_that_wait_are_bounded_for_each_client_and_for_all(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A greedy client's pictures leave room for another client, until there is no room at all."""
    paint.cache_clear()
    query: dict[str, str | int] = {"variant": "kerak", "width": 64}
    with ExitStack() as waiting:
        own = Turns(MOST_ADMITTED, MOST_ADMITTED, MOST_FOR_ONE, TooManyPictures)
        monkeypatch.setattr(bitmaps, "turns", own)
        for _ in range(MOST_FOR_ONE):
            waiting.enter_context(own.take("127.0.0.1"))
        answer = api.get("/board.png", query=query)
        assert error(answer) == (503, "too-many-pictures")
        assert int(answer.headers["Retry-After"]) > 0
        assert api.get("/board.png", ada, query=query).status_code == 200
        for number in range(MOST_ADMITTED - MOST_FOR_ONE):
            waiting.enter_context(own.take(str(number)))
        answer = api.get("/board.png", ada, query=query | {"dark": "true"})
        assert error(answer) == (503, "too-many-pictures")
        # A cached picture needs no turn.
        assert api.get("/board.png", ada, query=query).status_code == 200
    assert own.count() == 0
    assert api.get("/board.png", query=query).status_code == 200


def test_nobody_can_tell_by_time_what_a_player_was_shown(
    api: Api, ada: NewPlayer, brahim: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pictures are cached for each client, so a quick answer confirms no guess at a secret."""
    drawn: list[bytes] = []

    def note(command: object, *, input: bytes, **more: object) -> CompletedProcess[bytes]:
        drawn.append(input)
        return CompletedProcess([], 0, b"PNG")

    monkeypatch.setattr("service.api.bitmaps.subprocess.run", note)
    paint.cache_clear()
    query: dict[str, str | int] = {"variant": "kerd", "width": 64}
    for by, count in ((ada, 1), (ada, 1), (brahim, 2), (None, 3), (None, 3)):
        assert api.get("/board.png", by, query=query).status_code == 200
        assert len(drawn) == count
