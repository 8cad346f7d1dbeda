"""Searching and exploring over HTTP."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import pytest

from notation.registry import find_dialect
from service.player.repository import NewPlayer
from service.projection.games import named_players
from service.projection.games.explorer import Explorer
from tests.service.api.client import NDJSON, Api, error

KATRUJI = find_dialect("katruji").write_fen(find_dialect("katruji").start({}))
"""A position of Katruji, not of Kerak."""


@pytest.fixture
def archive(api: Api, ada: NewPlayer, brahim: NewPlayer) -> list[str]:
    """Three games, oldest first: two ended, one running."""
    paths = [
        api.scribed(ada, tags={"Event": "Open", "Date": "1999.12.31"}),
        api.running(ada, brahim),
        api.running(ada, brahim),
    ]
    for path, scribe in zip(paths, (ada, ada, ada), strict=True):
        api.play(path, scribe, "Pd1")
    api.command(paths[0], ada, "resign", side="first")
    api.command(paths[1], brahim, "resign")
    api.project()
    return [path.removeprefix("/games/") for path in paths]


def answer_to(api: Api, path: str, **query: str | int) -> Any:
    answer = api.get(path, query=query)
    assert answer.status_code == 200, answer.text
    return answer.json


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, [2, 1, 0]),
        ({"event": "Open"}, [0]),
        ({"tag": "Event:Open", "until": "1999-12-31"}, [0]),
        ({"since": "2000.01.01"}, [2, 1]),
        ({"variant": "katruji", "fen": "start"}, [1, 0]),
        ({"variant": "katruji", "material": "O6P6S6"}, [1, 0]),
        ({"variant": "kerak", "fen": "start"}, []),
        ({"result": "1-0"}, [1]),
        ({"min_plies": 1, "max_plies": 1}, [2, 1, 0]),
        ({"min_points": 1000}, []),
    ],
)
def test_what_is_looked_for_is_found(
    api: Api, archive: list[str], query: dict[str, Any], expected: list[int]
) -> None:
    page = answer_to(api, "/search", **query)
    assert [game["id"] for game in page["items"]] == [archive[index] for index in expected]
    assert page["lag"] == 0


@pytest.mark.parametrize("path", ["/search", "/games", "/export", "/explorer"])
def test_players_are_found_by_name(
    api: Api, archive: list[str], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def find_games(**query: str) -> set[str]:
        answer = api.get(path, query={"variant": "katruji", **query}, accept=accept)
        assert answer.status_code == 200, answer.text
        if path == "/export":
            return {json.loads(line)["id"] for line in answer.text.splitlines()}
        return {game["id"] for game in answer.json["recent" if path == "/explorer" else "items"]}  # type: ignore[index]

    accept = NDJSON if path == "/export" else "application/json"
    # The players of the scribe's game are others with the same names.
    of_both = {*archive[:2]} if path == "/explorer" else {*archive}
    assert find_games(player="BRAHIM") == find_games(player="Ada", opponent="brahím") == of_both
    assert find_games(player="Ada", side="second") == set()
    assert find_games(player="Ad") == find_games(player="Brahim Ada") == set()
    monkeypatch.setattr(named_players, "MOST", 0)
    refused = api.get(path, query={"variant": "katruji", "opponent": "Ada"}, accept=accept)
    assert error(refused) == (422, "ambiguous-name")


def test_pages_and_lines(api: Api, archive: list[str]) -> None:
    first = api.get("/search", query={"limit": 2}, accept=NDJSON)
    assert (first.mimetype, len(first.text.splitlines())) == (NDJSON, 2)
    assert first.headers["X-Projection-Lag"] == "0"
    rest = answer_to(api, "/search", limit=2, cursor=first.headers["X-Next-Cursor"])
    assert [game["id"] for game in rest["items"]] == [archive[0]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"variant": "chess"}, (400, "bad-parameter")),
        ({"since": "31.12.1999"}, (400, "bad-parameter")),
        ({"tag": "Event"}, (400, "bad-parameter")),
        ({"tag": "Date:1999.12.31"}, (400, "bad-parameter")),
        ({"min_plies": "-1"}, (400, "bad-parameter")),
        ({"sort": "x"}, (400, "bad-parameter")),
        ({"color": "white"}, (400, "bad-parameter")),
        ({"player": "a" * 201}, (400, "bad-parameter")),
        ({"player": "\u0301"}, (422, "bad-value")),
        ({"fen": "start"}, (422, "bad-value")),
        ({"material": "P"}, (422, "bad-value")),
        ({"variant": "katruji", "material": "2P"}, (422, "bad-value")),
        ({"variant": "katruji", "fen": "nonsense"}, (422, "bad-fen")),
        ({"cursor": "x"}, (422, "bad-cursor")),
        ({"cursor": "00000000..1"}, (422, "bad-cursor")),
        ({"variant": "kerak", "fen": KATRUJI}, (422, "bad-fen")),
    ],
)
def test_what_cannot_be_looked_for(
    api: Api, query: dict[str, str], expected: tuple[int, str]
) -> None:
    assert error(api.get("/search", query=query)) == expected


def test_the_explorer_counts_what_was_played(api: Api, archive: list[str]) -> None:
    start = answer_to(api, "/explorer", variant="katruji")
    tally = {"1-0": 1, "0-1": 1, "1/2-1/2": 0, "*": 0}
    assert start["results"] == tally
    assert start["actions"] == [
        {"action": "c2d1", "san": "Pd1", "games": 2, "results": tally, "rating": None}
    ]
    assert [game["id"] for game in start["recent"]] == [archive[1], archive[0]]
    assert start["ended"] == dict.fromkeys(tally, 0)
    fen = api.get(f"/games/{archive[0]}").json["fen"]  # type: ignore[index]
    after = answer_to(api, "/explorer", variant="katruji", fen=fen)
    assert (after["actions"], after["ended"]) == ([], tally)
    assert fen.startswith(after["key"])
    number = fen.rpartition(" ")[2]
    later = fen.removesuffix(number) + str(int(number) + 30)
    assert answer_to(api, "/explorer", variant="katruji", fen=later)["results"] == tally


def test_the_explorer_tells_apart_what_the_computer_played_against_itself(
    api: Api, archive: list[str]
) -> None:
    start = answer_to(api, "/explorer", variant="katruji")
    played = start["self_play"]
    assert played["nodes"] > 0
    assert [one["games"] for one in played["actions"]] == sorted(
        (sum(one["results"].values()) for one in played["actions"]), reverse=True
    )
    assert sum(played["results"].values()) == sum(one["games"] for one in played["actions"]) > 100
    assert all(one["san"] and one["rating"] is None for one in played["actions"])
    assert sum(start["results"].values()) == 2
    seldom = "4/4/4/1O2/1O2/4/4/PPPP s 0-0 - 0 1"
    assert answer_to(api, "/explorer", variant="katruji", fen=seldom)["self_play"] is None
    some = answer_to(api, "/explorer", variant="katruji", event="Open")
    assert some["self_play"] == played


@pytest.mark.slow
def test_the_explorer_answers_anew_only_where_a_finished_game_has_changed(
    api: Api,
    archive: list[str],
    ada: NewPlayer,
    brahim: NewPlayer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = {"variant": "katruji"}
    first = api.get("/explorer", query=asked)
    tag = first.headers["ETag"]
    assert first.headers["Cache-Control"] == "public, no-cache"
    monkeypatch.setattr(Explorer, "explore", refuse)
    again = api.get("/explorer", query=asked, headers={"If-None-Match": tag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    # Other readers get the answer that this process has cached.
    assert api.get("/explorer", query=asked).json == first.json
    monkeypatch.undo()
    # Actions in an unfinished game change nothing.
    play_on(api, archive[2], brahim)
    api.project()
    assert api.get("/explorer", query=asked, headers={"If-None-Match": tag}).status_code == 304
    api.command(f"/games/{archive[2]}", ada, "resign")
    api.project()
    changed = api.get("/explorer", query=asked, headers={"If-None-Match": tag})
    assert (changed.status_code, changed.headers["ETag"] == tag) == (200, False)
    assert changed.json is not None
    assert [game["id"] for game in changed.json["recent"]] == archive[::-1]


def test_an_answer_is_of_another_state_while_the_lists_lag(
    api: Api, archive: list[str], brahim: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.projection.lag.REMEMBERED", -1.0)
    tag = api.get("/explorer", query={"variant": "katruji"}).headers["ETag"]
    play_on(api, archive[2], brahim)
    answer = api.get("/explorer", query={"variant": "katruji"}, headers={"If-None-Match": tag})
    assert answer.json is not None
    assert (answer.status_code, answer.json["lag"]) == (200, 1)


def test_a_bad_position_is_refused_whatever_the_client_has(api: Api) -> None:
    tag = api.get("/explorer", query={"variant": "kerd"}).headers["ETag"]
    bad = {"variant": "kerd", "fen": "x"}
    answer = api.get("/explorer", query=bad, headers={"If-None-Match": tag})
    assert error(answer) == (422, "bad-fen")


def test_a_name_that_changed_is_shown_though_the_answer_was_kept(
    api: Api, archive: list[str], ada: NewPlayer
) -> None:
    before = answer_to(api, "/explorer", variant="katruji")
    assert before["recent"][0]["players"]["first"]["name"] == "Ada"
    api.send("PATCH", f"/players/{ada.id}", ada, b'{"name": "Ada Lee"}', "application/json")
    # The lists lag, but names do not.
    after = answer_to(api, "/explorer", variant="katruji")
    assert after["recent"][0]["players"]["first"]["name"] == "Ada Lee"


def play_on(api: Api, id: str, player: NewPlayer) -> None:
    legal = api.get(f"/games/{id}/legal").json
    assert legal is not None
    api.play(f"/games/{id}", player, legal["actions"][0]["action"])


def refuse(*given: object) -> NoReturn:
    raise AssertionError("the tables were asked")


def test_the_explorer_needs_a_variant_and_a_good_position(api: Api) -> None:
    assert error(api.get("/explorer")) == (400, "bad-parameter")
    assert error(api.get("/explorer", query={"variant": "kerd", "fen": "x"})) == (422, "bad-fen")


def test_an_action_that_only_other_infiltrators_allow_has_no_short_form(
    api: Api, ada: NewPlayer
) -> None:
    """A reveal is indexed like any action, but may be illegal in the FEN that a stranger sees."""
    from service.api.search import render_continuations
    from service.projection.games.explorer import Continuation
    from service.projection.games.tally import Tally

    tally = Tally()
    tally.count("1-0", 0)
    fen = api.get(api.scribed(ada)).json["fen"]  # type: ignore[index]
    [view] = render_continuations("katruji", fen, [Continuation("a8a7", tally)])
    assert (view["san"], view["games"]) == (None, 1)


def test_where_a_game_left_the_archive(api: Api, archive: list[str], ada: NewPlayer) -> None:
    first = answer_to(api, f"/games/{archive[0]}/novelty")
    initial = api.get(f"/games/{archive[0]}", query={"ply": 0}).json["fen"]  # type: ignore[index]
    assert (first["ply"], first["action"], first["san"]) == (1, "c2d1", "Pd1")
    assert (first["fen"], first["games"], first["last"]) == (initial, 0, None)
    # The second game repeats the first one.
    second = answer_to(api, f"/games/{archive[1]}/novelty")
    shown = api.get(f"/games/{archive[1]}").json
    assert (second["ply"], second["action"], second["fen"]) == (None, None, shown["fen"])  # type: ignore[index]
    assert (second["games"], second["last"]["id"]) == (1, archive[0])
    assert answer_to(api, "/explorer", variant="katruji", fen=second["fen"])["recent"]
    assert error(api.get(f"/games/{archive[2]}/novelty")) == (409, "not-finished")
    assert error(api.get(f"/games/{'a' * 16}/novelty")) == (404, "not-found")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, [1, 0]),
        ({"player": "brahim"}, [1]),
        ({"player": "brahim", "side": "second"}, [1]),
        ({"player": "brahim", "side": "first"}, []),
        ({"player": "ada", "opponent": "brahim"}, [1]),
        ({"opponent": "brahim"}, [1]),
        ({"since": "2000-01-01"}, [1]),
        ({"until": "2000-01-01"}, [0]),
        ({"min_rating": 1600}, [0]),
        ({"max_rating": 1600}, []),
        ({"speed": "blitz"}, [0]),
        ({"speed": "bullet"}, []),
        ({"result": "1-0", "computer": "false"}, [1]),
        ({"computer": "true"}, [0]),
        ({"event": "Open", "tag": "Round:2"}, [0]),
        ({"min_plies": 2}, []),
    ],
)
def test_the_explorer_counts_the_games_that_are_asked_for(
    api: Api, ada: NewPlayer, brahim: NewPlayer, query: dict[str, Any], expected: list[int]
) -> None:
    tags = {"Event": "Open", "Date": "1999.12.31", "Round": "2", "TimeControl": "180+2"}
    tags |= {"SouthElo": "1700", "NorthElo": "1900", "NorthType": "program"}
    paths = [api.scribed(ada, tags=tags), api.running(ada, brahim)]
    for path, resigned in zip(paths, ({"side": "first"}, {}), strict=True):
        api.play(path, ada, "Pd1")
        api.command(path, brahim if path == paths[1] else ada, "resign", **resigned)
    api.project()
    known = {"ada": ada.id, "brahim": brahim.id}
    asked = {name: known.get(str(value), value) for name, value in query.items()}
    found = answer_to(api, "/explorer", variant="katruji", **asked)
    ids = [path.removeprefix("/games/") for path in paths]
    assert [game["id"] for game in found["recent"]] == [ids[index] for index in expected]
    assert sum(found["results"].values()) == len(expected)
    assert [one["games"] for one in found["actions"]] == [len(expected)] * bool(expected)
    rated = [ids[0]] if 0 in expected else []
    assert [game["id"] for game in found["top"]] == rated
    assert found["rating"] == (1800 if rated else None)
