"""The feed of all games over HTTP: its pages, and its stream up to `caught_up`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.player.repository import NewPlayer
from tests.service.api.client import NDJSON, Api, error

Node = dict[str, Any]


def page(api: Api, **query: str | int) -> tuple[list[Node], Node]:
    """The events of a page and its last line."""
    answer = api.get("/events", query=query)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    assert answer.mimetype == NDJSON
    *events, last = map(json.loads, answer.get_data(as_text=True).splitlines())
    assert set(last) == {"position", "caught_up"}
    return events, last


def logs(api: Api, *games: str) -> list[Node]:
    """The events of these games, read from each game's own path."""
    found = []
    for game in games:
        answer = api.get(f"{game}/events")
        assert answer.json is not None
        found += answer.json["items"]
    return found


def sort(events: list[Node]) -> list[Node]:
    return sorted(events, key=lambda event: (event["stream"], event["version"]))


@pytest.fixture
def games(api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer) -> list[str]:
    made = [
        api.running(ada, brahim),
        api.running(ada, eve, variant="kerak"),
        api.scribed(eve, tags={"Event": "Ōpen “7”"}),
    ]
    api.play(made[0], ada, "Pd1")
    api.play(made[0], brahim, "Pd5")
    api.play(made[2], eve, "Pd1")
    return made


def test_the_feed_is_what_the_games_logs_say(api: Api, games: list[str]) -> None:
    events, last = page(api)
    assert sort(events) == sort(logs(api, *games))
    assert last["caught_up"] is True
    assert page(api, after=last["position"]) == ([], last)
    # The encoding is also that of other answers: ASCII.
    text = api.get("/events").get_data(as_text=True)
    assert text.isascii()


def test_pages_follow_each_other(api: Api, games: list[str]) -> None:
    whole, _ = page(api)
    found: list[Node] = []
    after = "start"
    for _ in range(30):
        events, last = page(api, after=after, limit=2)
        assert len(events) <= 2
        found += events
        after = last["position"]
        if last["caught_up"]:
            break
    assert found == whole


def test_filters(api: Api, games: list[str], ada: NewPlayer, eve: NewPlayer) -> None:
    one, other, scribed = games
    ids = [game.removeprefix("/games/") for game in games]
    assert page(api, variant="kerak")[0] == logs(api, other)
    assert page(api, games=ids[0])[0] == logs(api, one)
    assert sort(page(api, games=f"{ids[0]},{ids[2]}")[0]) == sort(logs(api, one, scribed))
    assert sort(page(api, player=ada.id)[0]) == sort(logs(api, one, other))
    assert sort(page(api, player=eve.id, variant="katruji")[0]) == sort(logs(api, scribed))
    played, last = page(api, types="action-played", games=ids[0])
    assert [event["data"]["san"] for event in played] == ["Pd1", "Pd5"]
    assert played == page(api, types="action-played/1,draw-offered", games=ids[0])[0]
    api.play(one, ada, "Pb4")
    events, _ = page(api, after=last["position"], types="action-played", player=ada.id)
    assert [event["version"] for event in events] == [5]


def test_from_now_on(api: Api, games: list[str], ada: NewPlayer) -> None:
    none, last = page(api, after="now")
    assert none == []
    api.play(games[0], ada, "Pb4")
    assert [event["version"] for event in page(api, after=last["position"])[0]] == [5]


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ({"variant": "chess"}, "variant"),
        ({"player": "a" * 16}, "player"),
        ({"player": "nobody"}, "player"),
        ({"tournament": "a" * 16}, "tournament"),
        ({"games": "a" * 16}, "games"),
        ({"games": f"{'a' * 16},"}, "games"),
        ({"games": ""}, "games"),
        ({"games": ",".join(["a" * 16] * 201)}, "games"),
        ({"types": "action-played,action"}, "types"),
        ({"types": "action-played/9"}, "types"),
        ({"types": "player-registered"}, "types"),
        ({"result": "1-0"}, "result"),
    ],
)
@pytest.mark.parametrize("path", ["/events", "/stream"])
def test_a_filter_that_the_feed_does_not_know_is_refused(
    api: Api, path: str, query: dict[str, str], parameter: str
) -> None:
    answer = api.get(path, query=query)
    assert error(answer) == (400, "unknown-filter")
    assert answer.json is not None
    assert answer.json["parameter"] == parameter
    assert answer.json["detail"].startswith(f"{parameter}: ")


@pytest.mark.parametrize("path", ["/events", "/stream"])
def test_a_position_that_nobody_gave_is_refused(api: Api, games: list[str], path: str) -> None:
    position = page(api)[1]["position"]
    changed = position[:20] + ("A" if position[20] != "A" else "B") + position[21:]
    for text in ("0", "2" + position[1:], position[:-2], changed, "x" * 3000, "1", "1é", "ende"):
        assert error(api.get(path, query={"after": text})) == (400, "bad-position")
    assert error(api.get("/stream", Last_Event_ID=changed)) == (400, "bad-position")


def test_a_position_of_a_log_that_is_gone_is_refused(api: Api, games: list[str]) -> None:
    position = page(api)[1]["position"]
    log = api.service.log.redis.client
    for key in log.scan_iter(match="movelog:*feed"):
        log.delete(key)
    for path in ("/events", "/stream"):
        answer = api.get(path, query={"after": position})
        assert error(answer) == (409, "unknown-position")


def test_what_is_no_filter_is_refused_as_elsewhere(api: Api) -> None:
    assert error(api.get("/events", query={"limit": 5001})) == (400, "bad-parameter")
    assert error(api.get("/stream", query={"until": "noon"})) == (400, "bad-parameter")
    assert error(api.get("/events", accept="application/json")) == (406, "not-acceptable")


def test_a_stream_that_ends_has_the_feed_and_a_position(api: Api, games: list[str]) -> None:
    whole, last = page(api)
    text = api.get("/stream", query={"after": "start", "until": "caught_up"}).get_data(as_text=True)
    *events, end = text.strip().split("\n\n")
    assert [json.loads(event.partition("\ndata: ")[2]) for event in events] == whole
    head, name, data = end.split("\n")
    assert name == "event: caught_up"
    assert data == 'data: {"position":"' + head.removeprefix("id: ") + '"}'
    assert page(api, after=head.removeprefix("id: ")) == ([], last)
    # The id of any message is a position from which the rest follows.
    for number in (0, 3, len(whole) - 1):
        after = events[number].split("\n")[0].removeprefix("id: ")
        assert page(api, after=after)[0] == whole[number + 1 :]
        again = api.get("/stream", query={"until": "caught_up"}, Last_Event_ID=after)
        assert again.get_data(as_text=True).count("\ndata: ") == len(whole) - number
    none = api.get("/stream", query={"until": "caught_up"}).get_data(as_text=True)
    assert none.count("\ndata: ") == 1
