"""The list of games over HTTP: filters, pages, formats."""

from __future__ import annotations

import io
from typing import Any

import pytest

from notation.reader import read
from service.player.repository import NewPlayer
from tests.service.api.client import NDJSON, PGN, Api, error


def listed(api: Api, **query: str | int) -> list[str]:
    """The ids of all matching games, page by page."""
    found: list[str] = []
    cursor: Any = None
    while True:
        page = api.get("/games", query=query | ({"cursor": cursor} if cursor else {}))
        assert page.json is not None, page.text
        assert len(page.json["items"]) <= query.get("limit", 50)  # type: ignore[operator]
        found += [item["id"] for item in page.json["items"]]
        cursor = page.json["next_cursor"]
        assert page.headers.get("X-Next-Cursor") == cursor
        if cursor is None:
            return found


@pytest.fixture
def games(api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer) -> list[str]:
    """Four games, oldest first: offered, running, resigned, Kerak."""
    paths = [
        api.created({"variant": "katruji"}, ada),
        api.running(ada, brahim),
        api.running(brahim, eve),
        api.created({"variant": "kerak", "opponent": eve.id}, ada),
    ]
    api.command(paths[2], brahim, "resign")
    api.project()
    return [path.removeprefix("/games/") for path in paths]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, [3, 2, 1, 0]),
        ({"variant": "katruji"}, [2, 1, 0]),
        ({"variant": "kerak"}, [3]),
        ({"status": "running"}, [1]),
        ({"status": "offered"}, [3, 0]),
        ({"result": "0-1"}, [2]),
        ({"result": "1-0"}, []),
        ({"termination": "resignation"}, [2]),
        ({"termination": "no such"}, []),
        ({"variant": "katruji", "status": "finished"}, [2]),
        ({"player": "{eve}"}, [3, 2]),
        ({"player": "{eve}", "status": "finished"}, [2]),
        ({"player": "nobody"}, []),
        ({"open_for": "{eve}"}, [3]),
        ({"open_for": "{ada}"}, [3, 1, 0]),
        ({"open_for": "{ada}", "player": "{eve}"}, [3]),
        ({"player": "\0\N{SNOWMAN} x"}, []),
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 50])
def test_filters_and_pages(
    api: Api,
    ada: NewPlayer,
    eve: NewPlayer,
    games: list[str],
    filters: dict[str, str],
    expected: list[int],
    limit: int,
) -> None:
    named = {name: value.format(ada=ada.id, eve=eve.id) for name, value in filters.items()}
    assert listed(api, limit=limit, **named) == [games[index] for index in expected]


def test_a_game_that_comes_meanwhile_shifts_nothing(
    api: Api, ada: NewPlayer, games: list[str]
) -> None:
    first = api.get("/games", query={"limit": 2}).json
    assert first is not None
    api.created({"variant": "katruji"}, ada)
    api.project()
    second = api.get("/games", query={"limit": 2, "cursor": first["next_cursor"]}).json
    assert second is not None
    assert [item["id"] for item in first["items"] + second["items"]] == games[::-1]


def test_a_summary(api: Api, ada: NewPlayer, games: list[str]) -> None:
    page = api.get("/games", query={"status": "running"}).json
    assert page is not None
    (shown,) = page["items"]
    assert shown["players"]["first"] == {"side": "South", "id": ada.id, "name": "Ada", "mark": None}
    assert (shown["result"], shown["termination"], shown["scored"]) == ("*", None, False)


def test_other_formats(api: Api, games: list[str]) -> None:
    lines = api.get("/games", accept=NDJSON, query={"limit": 3})
    assert lines.mimetype == NDJSON
    assert len(lines.text.splitlines()) == 3
    assert lines.headers["X-Next-Cursor"]
    records = api.get("/games", accept=PGN)
    assert records.mimetype == PGN
    verdicts = list(read(io.BytesIO(records.data)))
    assert [v.game.tags["MovelogGame"] for v in verdicts] == games[::-1]


@pytest.mark.parametrize(
    "query",
    [
        {"variant": "chess"},
        {"status": "over"},
        {"result": "2-0"},
        {"limit": "0"},
        {"limit": "201"},
        {"limit": "x"},
        {"sort": "name"},
    ],
)
def test_parameters_that_cannot_be(api: Api, query: dict[str, str]) -> None:
    assert error(api.get("/games", query=query)) == (400, "bad-parameter")


@pytest.mark.parametrize("cursor", ["", "x", "0", "[", "1:a", "a" * 500, "-", "+", "\0"])
def test_a_bad_cursor(api: Api, games: list[str], cursor: str) -> None:
    answer = api.get("/games", query={"cursor": cursor})
    assert error(answer) == (422, "bad-cursor")


def test_lists_tell_for_whom_a_game_waits(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    going, over = api.running(ada, brahim), api.running(ada, brahim)
    choosing = api.running(ada, brahim, variant="kerd")
    offered = api.created({"variant": "katruji"}, ada)
    api.command(over, ada, "resign")
    api.project()

    def waits() -> dict[str, list[str]]:
        page: Any = api.get("/games").json
        return {f"/games/{item['id']}": item["waits_for"] for item in page["items"]}

    none: list[str] = []
    expected = {going: ["first"], over: none, choosing: ["first", "second"], offered: none}
    assert waits() == expected
    # The list lags, but this field does not.
    api.play(going, ada, "Pd1")
    api.command(choosing, ada, "choose", square="f11")
    assert waits() == expected | {going: ["second"], choosing: ["second"]}
    api.command(choosing, brahim, "choose", square="f2")
    assert waits()[choosing] == ["first"]
