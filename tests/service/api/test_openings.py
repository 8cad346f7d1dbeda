"""The names of games and positions by the operator's table of openings, over HTTP and on pages."""

from __future__ import annotations

from typing import Any

import pytest

from service.openings.values import Opening
from service.player.repository import NewPlayer
from service.projection.openings import Classification
from tests.service.api.client import NDJSON, Api, error

NAME = "Gate <b>North</b>: Early, Left"
NAMED = {"name": NAME, "code": "N1"}


@pytest.fixture
def games(api: Api, ada: NewPlayer, brahim: NewPlayer) -> list[str]:
    """Three games with the same beginning, oldest first; the last one is still running."""
    paths = [api.running(ada, brahim) for _ in range(3)]
    for path in paths:
        api.play(path, ada, "Pd1")
    api.command(paths[0], brahim, "resign")
    api.command(paths[1], brahim, "resign")
    api.service.openings.replace([Opening("katruji", NAME, ("c2d1",), "N1")], "operator")
    api.project()
    Classification(api.service.database).run()
    return [path.removeprefix("/games/") for path in paths]


def items(api: Api, path: str, **query: str | int) -> list[Any]:
    answer = api.get(path, query=query)
    assert answer.status_code == 200, answer.text
    found: list[Any] = answer.json["items"]  # type: ignore[index]
    return found


@pytest.mark.parametrize("path", ["/search", "/games"])
def test_lists_tell_the_opening_of_finished_games(api: Api, games: list[str], path: str) -> None:
    told = [(game["id"], game["opening"]) for game in items(api, path)]
    assert told == [(games[2], None), (games[1], NAMED), (games[0], NAMED)]


@pytest.mark.parametrize("name", [NAME, NAME.upper(), "n1", "Gate <b>north</b>"])
def test_games_are_found_by_their_opening(api: Api, games: list[str], name: str) -> None:
    for path in ("/search", "/games"):
        assert [game["id"] for game in items(api, path, opening=name)] == games[1::-1]
    exported = api.get("/export", query={"opening": name}, accept=NDJSON)
    assert exported.text.count("\n") == 2
    counted = api.get("/search", query={"opening": name, "count": "true"}).json
    assert counted["count"] == {"games": 2, "exact": True}  # type: ignore[index]


@pytest.mark.parametrize("name", ["Gate", "Early", "North", "Gate <b>North</b>:"])
def test_part_of_a_name_is_no_name(api: Api, games: list[str], name: str) -> None:
    assert items(api, "/search", opening=name) == []


@pytest.mark.parametrize("name", ["", "x" * 201, "a\nb"])
def test_what_is_no_name_is_refused(api: Api, name: str) -> None:
    assert error(api.get("/search", query={"opening": name})) == (400, "bad-parameter")


def test_the_explorer_names_positions_and_games(api: Api, games: list[str]) -> None:
    start: Any = api.get("/explorer", query={"variant": "katruji"}).json
    assert start["opening"] is None
    assert [game["opening"] for game in start["recent"]] == [NAMED, NAMED]
    fen = api.get(f"/games/{games[0]}").json["fen"]  # type: ignore[index]
    after: Any = api.get("/explorer", query={"variant": "katruji", "fen": fen}).json
    assert after["opening"] == NAMED
    filtered: Any = api.get(
        "/explorer", query={"variant": "katruji", "opening": "N1", "result": "0-1"}
    ).json
    assert filtered["results"]["1-0"] == 0


def test_records_are_exported_as_before(api: Api, games: list[str]) -> None:
    record = api.get(f"/games/{games[0]}", accept="application/x-chess-pgn").text
    assert "Gate" not in record
    assert "Opening" not in record


def test_pages_show_openings_and_find_by_them(api: Api, games: list[str]) -> None:
    shown = "N1 Gate &lt;b&gt;North&lt;/b&gt;: Early, Left"
    assert api.http.get("/games").text.count(shown) == 2
    found = api.http.get("/games", query_string={"opening": "n1"}).text
    assert found.count(shown) == 2
    assert 'name="opening" value="n1"' in found
    fen = api.get(f"/games/{games[0]}").json["fen"]  # type: ignore[index]
    page = api.http.get("/explorer", query_string={"variant": "katruji", "fen": fen}).text
    assert f'opening=Gate+%3Cb%3ENorth%3C%2Fb%3E%3A+Early%2C+Left">{shown}</a>' in page
