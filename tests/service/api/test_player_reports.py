"""A player's report, opponents and openings over HTTP, and the chart of their ratings."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from service.player.commands import Principal
from service.player.repository import NewPlayer
from tests.service.api.client import Api, error
from tests.service.api.tournaments import Desk
from tests.service.imports.support import imported, project

RECORD = """[Event "Club evening"]
[Date "{date}"]
[South "{south}"]
[North "{north}"]
[Result "{result}"]
[Variant "katruji"]
[Termination "resignation"]
[TimeControl "{time}"]

1. {action} {result}
"""
GAMES = (
    ("2024.01.05", "Dora", "Brahim", "1-0", "180+2", "Pc4"),
    ("2024.01.06", "Dora", "Brahim", "1-0", "180+2", "Pc4"),
    ("2025.02.01", "Brahim", "Dora", "1-0", "600", "Pb4"),
    ("2025.??.??", "Dora", "A. Da", "0-1", "-", "Pb4"),
    ("????.??.??", "Dora", "Carla", "1-0", "600", "Pc4"),
)
FIELDS = ("date", "south", "north", "result", "time", "action")


@pytest.fixture
def players(api: Api, ada: NewPlayer, admin: NewPlayer) -> dict[str, str]:
    """The ids of the players of GAMES; A. Da was merged into Brahim."""
    for game in GAMES:
        imported(api, ada, RECORD.format(**dict(zip(FIELDS, game, strict=True))))
    names = ("Dora", "Brahim", "A. Da", "Carla")
    ids = {name: api.service.players.unclaimed(name, admin.id) for name in names}
    merged = api.post(f"/players/{ids['A. Da']}/merge", {"into": ids["Brahim"]}, admin)
    assert merged.status_code == 200
    project(api.service)
    return ids


def read(api: Api, path: str, **query: str) -> list[dict[str, Any]]:
    """The scores at a path, which must be complete."""
    answer = api.get(path, query=query).json or {}
    assert (answer["next_cursor"], answer["partial"], answer["lag"]) == (None, False, 0)
    items: list[dict[str, Any]] = answer["items"]
    return items


def count(one: dict[str, Any]) -> tuple[int, int, int, int]:
    return one["won"], one["drawn"], one["lost"], one["unclear"]


def test_a_report_groups_a_players_games(api: Api, players: dict[str, str]) -> None:
    found = read(api, f"/players/{players['Dora']}/report")
    assert [(one["by"], one["of"], *count(one)) for one in found] == [
        ("all", "all", 3, 0, 2, 0),
        ("variant", "katruji", 3, 0, 2, 0),
        ("side", "first", 3, 0, 1, 0),
        ("side", "second", 0, 0, 1, 0),
        ("speed", "blitz", 2, 0, 0, 0),
        ("speed", "rapid", 1, 0, 1, 0),
        ("speed", "unknown", 0, 0, 1, 0),
        ("year", "2024", 2, 0, 0, 0),
        ("year", "2025", 0, 0, 2, 0),
        ("year", "unknown", 1, 0, 0, 0),
    ]
    everything = found[0]
    # A game of unknown date is in no streak.
    assert (everything["longest_winning"], everything["current_winning"]) == (2, 0)
    assert (everything["longest_losing"], everything["current_losing"]) == (2, 2)


def test_two_players_are_compared_head_to_head(api: Api, players: dict[str, str]) -> None:
    ada, brahim = players["Dora"], players["Brahim"]
    [score] = read(api, f"/players/{ada}/report", by="all", opponent=brahim)
    assert count(score) == (2, 0, 2, 0)
    [other] = read(api, f"/players/{brahim}/report", by="all", opponent=ada)
    assert count(other) == (2, 0, 2, 0)
    [of_merged] = read(api, f"/players/{players['A. Da']}/report", by="all", opponent=ada)
    assert count(of_merged) == (1, 0, 0, 0)
    [late] = read(
        api, f"/players/{ada}/report", by="all", opponent=brahim, since="2025-01-02", side="second"
    )
    assert count(late) == (0, 0, 1, 0)
    assert read(api, f"/players/{ada}/report", by="all,side", opponent="nobody") == []


def test_opponents_are_listed_by_games_page_by_page(api: Api, players: dict[str, str]) -> None:
    path = f"/players/{players['Dora']}/opponents"
    found = read(api, path)
    assert [(one["player"]["name"], one["of"], *count(one)) for one in found] == [
        ("Brahim", players["Brahim"], 2, 0, 2, 0),
        ("Carla", players["Carla"], 1, 0, 0, 0),
    ]
    first = api.get(path, query={"limit": 1}).json or {}
    assert [one["player"]["name"] for one in first["items"]] == ["Brahim"]
    second = api.get(path, query={"limit": 1, "cursor": first["next_cursor"]}).json or {}
    assert [one["player"]["name"] for one in second["items"]] == ["Carla"]
    assert second["next_cursor"] is None
    moved = api.get(path, query={"side": "first", "cursor": first["next_cursor"]})
    assert error(moved) == (422, "bad-cursor")


def test_an_erased_opponent_has_no_name(
    api: Api, players: dict[str, str], admin: NewPlayer
) -> None:
    api.service.players.erase(players["Carla"], Principal(admin.id, None))
    project(api.service)
    found = read(api, f"/players/{players['Dora']}/opponents")
    assert [one["player"]["name"] for one in found] == ["Brahim", "?"]
    [score] = read(api, f"/players/{players['Carla']}/report", by="all")
    assert count(score) == (0, 0, 1, 0)


def test_openings_are_counted_by_side(api: Api, players: dict[str, str]) -> None:
    path = f"/players/{players['Dora']}/openings"
    found = read(api, path, variant="katruji")
    told = [(one["side"], one["san"], one["games"], one["won"], one["lost"]) for one in found]
    assert told == [
        ("first", "Pc4", 3, 3, 0),
        ("first", "Pb4", 1, 0, 1),
        ("second", "Pb4", 1, 0, 1),
    ]
    assert [one["of"] for one in found] == ["b3c4", "c3b4", "c3b4"]
    explored = api.get(
        "/explorer", query={"variant": "katruji", "player": players["Dora"], "side": "first"}
    )
    actions = [(one["action"], one["games"]) for one in (explored.json or {})["actions"]]
    assert actions == [(one["of"], one["games"]) for one in found[:2]]
    assert read(api, path, variant="kerd") == []
    assert error(api.get(path)) == (400, "bad-parameter")


def test_what_cannot_be_reported(api: Api, players: dict[str, str]) -> None:
    path = f"/players/{players['Dora']}/report"
    for query in ({"by": "colour"}, {"by": ""}, {"since": "yesterday"}, {"side": "left"}):
        assert error(api.get(path, query=query)) == (400, "bad-parameter")
    for part in ("report", "opponents", "openings?variant=kerd", "ratings.svg?variant=kerd"):
        assert error(api.get(f"/players/{'a' * 16}/{part}")) == (404, "not-found")


def test_ratings_are_drawn(configured: Any) -> None:
    api = configured(MOVELOG_RATING_PERIOD="1")
    arbiter = api.player("Anna", "play", "arbiter")
    desk = Desk(api, arbiter, players=2, rounds=1)
    desk.play_round()
    player = desk.players[0].id
    path = f"/players/{player}/ratings.svg"
    without = api.get(path, query={"variant": "kerd"})
    assert "No rating yet." in without.text
    api.service.ratings.close(10**14)
    drawn = api.get(path, query={"variant": "katruji"})
    assert drawn.mimetype == "image/svg+xml"
    assert "style-src 'sha256-" in drawn.headers["Content-Security-Policy"]
    picture = ElementTree.fromstring(drawn.text)
    texts = {one.tag.rpartition("}")[2]: one.text for one in picture}
    assert texts["title"] == "Rating in Katruji, untimed: P0 Open"
    [rated] = (api.get(f"/players/{player}/ratings").json or {})["ratings"]["katruji"]["untimed"]
    told = f"{rated['rating']:.0f} ± {rated['deviation']:.0f} on {rated['period_end'][:10]}."
    assert (texts["desc"] or "").startswith(told)
    again = api.get(
        path, query={"variant": "katruji"}, headers={"If-None-Match": drawn.headers["ETag"]}
    )
    assert again.status_code == 304
