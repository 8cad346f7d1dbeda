"""The boards of several games at once: as they stand, and as they change."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from service.api import shared_boards
from service.api.position_views import Replay
from service.api.shared_boards import SharedBoards
from service.api.subscriptions import News
from service.game.redaction import Viewer
from service.game.repository import stream_of
from service.game.state import GameState
from service.languages.texts import get_language
from service.log.values import Pointer
from service.player.actor import Actor
from service.player.repository import NewPlayer
from tests.service.api.client import NDJSON, Api
from tests.service.api.live import Message, Stream, post, read_messages, running
from tests.service.secrets.kerd import chosen
from tests.service.unreadable import make_unreadable
from tests.service.web_server import WebServer

UNKNOWN = "a" * 16


def id_of(path: str) -> str:
    return path.removeprefix("/games/")


def names(*paths: str) -> str:
    return ",".join(map(id_of, paths))


def followed(api: Api, *paths: str, by: NewPlayer | None = None, last: str = "") -> list[Message]:
    """What a stream of these games sends at once."""
    headers = {"Last-Event-ID": last} if last else {}
    query = {"games": names(*paths), "until": "caught_up"}
    return read_messages(api.get("/boards/stream", by, query=query, headers=headers))


def listed(api: Api, *paths: str, by: NewPlayer | None = None) -> list[dict[str, Any]]:
    """The boards of these games as they stand."""
    answer = api.get("/boards", by, query={"games": names(*paths)})
    assert answer.mimetype == NDJSON
    return [json.loads(line) for line in answer.text.splitlines()]


@pytest.fixture
def two(api: Api, ada: NewPlayer, brahim: NewPlayer) -> tuple[str, str]:
    """The paths of a game that has begun, and of one with an action."""
    first, second = api.running(ada, brahim), api.running(ada, brahim)
    api.play(second, ada, "Pd1")
    return first, second


def test_the_newest_board_of_each_game_is_told(api: Api, two: tuple[str, str]) -> None:
    *told, caught_up = followed(api, *two)
    assert [message.event for message in told] == ["board", "board"]
    assert [message.data["id"] for message in told] == [id_of(path) for path in two]
    assert [message.data["ply"] for message in told] == [0, 1]
    assert (caught_up.event, caught_up.data) == ("caught_up", {"games": 2})
    for path, message in zip(two, told, strict=True):
        query = {"view": "board", "until": "caught_up"}
        alone, _ = read_messages(api.get(f"{path}/stream", query=query))
        assert message.data | {"now": None} == alone.data | {"now": None}


def test_a_list_has_the_same_boards(api: Api, two: tuple[str, str]) -> None:
    *told, _ = followed(api, *two)
    beside = {"now": None}
    assert [one | beside for one in listed(api, *two)] == [one.data | beside for one in told]


def test_only_what_the_client_does_not_know_is_told_again(
    api: Api, ada: NewPlayer, two: tuple[str, str]
) -> None:
    last = followed(api, *two)[-1].id
    assert last
    assert [message.event for message in followed(api, *two, last=last)] == ["caught_up"]
    api.play(two[0], ada, "Pd1")
    told, caught_up = followed(api, *two, last=last)
    assert told.data["id"] == id_of(two[0])
    assert caught_up.id != last


def test_a_game_named_twice_is_told_once(api: Api, two: tuple[str, str]) -> None:
    assert len(followed(api, two[0], two[1], two[0])) == 3


@pytest.mark.parametrize("path", ["/boards", "/boards/stream"])
@pytest.mark.parametrize("games", [None, "", "x", "A" * 16, ",".join([UNKNOWN] * 101)])
def test_other_than_a_few_ids_is_refused(api: Api, path: str, games: str | None) -> None:
    query = {"until": "caught_up"} if path.endswith("stream") else {}
    answer = api.get(path, query=query if games is None else query | {"games": games})
    assert answer.status_code == 400
    assert answer.json
    assert (answer.json["code"], answer.json["parameter"]) == ("bad-parameter", "games")


@pytest.mark.parametrize("last", ["x", "1", "1-2-3", "1--2", "1-9999999999"])
def test_an_id_of_another_stream_is_refused(api: Api, two: tuple[str, str], last: str) -> None:
    query = {"games": names(*two), "until": "caught_up"}
    answer = api.get("/boards/stream", query=query, headers={"Last-Event-ID": last})
    assert answer.status_code == 400
    assert answer.json
    assert answer.json["code"] == "malformed-header"


@pytest.mark.parametrize("path", ["/boards", "/boards/stream"])
def test_a_game_that_is_not_there_is_not_found(api: Api, two: tuple[str, str], path: str) -> None:
    query = {"games": f"{names(two[0])},{UNKNOWN}"}
    if path.endswith("stream"):
        query["until"] = "caught_up"
    assert api.get(path, query=query).status_code == 404


def test_a_game_that_cannot_be_read_stops_no_other(
    api: Api, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_unreadable(api.service.games, id_of(two[0]), monkeypatch)
    broken, told, caught_up = followed(api, *two)
    assert (broken.event, broken.data) == ("unreadable", {"game": id_of(two[0])})
    assert (told.data["id"], caught_up.data) == (id_of(two[1]), {"games": 2})
    assert [board["id"] for board in listed(api, *two)] == [id_of(two[1])]


def test_everybody_is_told_what_strangers_may_know(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = chosen(api, ada, brahim)
    for by in (ada, brahim, None):
        # What a player's own stream shows is not shared.
        read_messages(api.get(f"{path}/stream", by, query={"view": "board", "until": "caught_up"}))
        told, _ = followed(api, path, by=by)
        assert told.data["position"]["marked"] == []
        assert told.data["legal"] is None
        assert {choice["choice"] for choice in told.data["choices"].values()} == {None}
        assert listed(api, path, by=by)[0]["position"]["marked"] == []


def test_a_ply_is_rendered_once_for_all_who_may_know_the_same(
    api: Api, ada: NewPlayer, brahim: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = api.running(ada, brahim)
    games = api.service.games
    board = SharedBoards(games).share(id_of(path))
    board.load()
    rendered: Counter[Viewer] = Counter()
    render = shared_boards.render_board

    def count(state: GameState, seen: Viewer, replay: Replay) -> dict[str, object]:
        rendered[seen] += 1
        return render(state, seen, replay)

    monkeypatch.setattr(shared_boards, "render_board", count)
    api.play(path, ada, "Pd1")
    version = games.load(id_of(path)).version
    stream = stream_of(id_of(path))
    recorded = games.log.read(stream, version - 1, 1)
    news = News(Pointer("1-0", stream, version, version, ()), recorded)
    watchers = [None] * 20 + [Actor(ada.id)] * 3 + [Actor(brahim.id)] * 3
    told = [board.write_change(actor, version - 1, news) for actor in watchers]
    assert set(rendered.values()) == {1}
    assert len(rendered) == 3
    assert len({id(one.data) for one in told if one}) == 3
    assert board.write_change(None, version, news) is None


def test_boards_are_held_as_long_as_they_are_watched(
    api: Api, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_boards, "KEPT", 1)
    boards = SharedBoards(api.service.games)
    watched = boards.share(id_of(two[0]))
    boards.share(id_of(two[1]))
    assert boards.share(id_of(two[0])) is watched
    boards.share(id_of(two[1]))
    assert len(boards._watched) == 2
    del watched
    assert list(boards._watched) == [id_of(two[1])]


@pytest.mark.slow
def test_each_change_of_any_game_comes_by_one_stream(server: WebServer) -> None:
    ada, brahim = (server.service.players.register(name, None) for name in ("Ada", "Brahim"))
    first, second = (running(server, ada, brahim) for _ in range(2))
    path = f"/boards/stream?games={names(first, second)}"
    with Stream(server, path) as stream:
        assert [message.event for message in stream.take(3)] == ["board", "board", "caught_up"]
        for game, action, by in (
            (second, "Pd1", ada),
            (first, "Pd1", ada),
            (second, "Pa7", brahim),
        ):
            post(server, f"{game}/actions", {"action": action}, by)
            (told,) = stream.take(1)
            assert (told.event, told.data["id"]) == ("board", id_of(game))
            assert told.data["position"]["san"] == action
            assert told.data["news"] == ["action-played/1"]
            last = told.id
    post(server, f"{first}/actions", {"action": "Pa7"}, brahim)
    with Stream(server, path, last=last) as stream:
        missed, caught_up = stream.take(2)
        assert (missed.data["id"], missed.data["ply"]) == (id_of(first), 2)
        assert caught_up.event == "caught_up"


@pytest.mark.parametrize("path", ["/boards", "/boards/stream"])
def test_what_is_shared_is_in_the_language_of_whoever_asks(
    api: Api, two: tuple[str, str], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def name_language(state: GameState, seen: Viewer, replay: Replay) -> dict[str, object]:
        return {"language": get_language()}

    monkeypatch.setattr(shared_boards, "render_board", name_language)
    query = {"games": names(*two)} | ({} if path == "/boards" else {"until": "caught_up"})
    for language in ("de", "en", "de"):
        answer = api.get(path, query=query, headers={"Accept-Language": language})
        assert answer.text.count(f'"language":"{language}"') == 2
