"""Games on clocks over HTTP: created, played, and shown in games, streams, records and lists."""

from __future__ import annotations

import json
import time
from datetime import datetime
from io import BytesIO
from typing import Any

import pytest
import redis

from service.api import action_lines
from service.api.streams import write_clocks
from service.game.state import GameState
from service.player.repository import NewPlayer
from tests.service.api.client import PGN, Api, error
from tests.service.api.live import Stream, post
from tests.service.unreadable import make_unreadable
from tests.service.web_server import WebServer

THOUGHT = 300
"""Milliseconds between the head of a request and its body."""


def milliseconds(time: str) -> float:
    return datetime.fromisoformat(time).timestamp() * 1000


@pytest.fixture
def game(api: Api, ada: NewPlayer, brahim: NewPlayer) -> str:
    """A game on clocks in which both have acted."""
    path = api.running(ada, brahim, time_control="180+2")
    api.play(path, ada, "Sd1")
    api.play(path, brahim, "Sa8")
    return path


def test_a_game_tells_both_clocks_and_when_the_running_one_falls(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim, time_control="180+2")
    told: Any = api.get(path).json
    assert told["tags"]["TimeControl"] == "180+2"
    assert told["clocks"] == {
        "time_control": "180+2",
        "first_ms": 180_000,
        "second_ms": 180_000,
        "running": None,
        "since": None,
        "falls_at": None,
    }
    api.play(path, ada, "Sd1")
    done: Any = api.play(path, brahim, "Sa8").json
    clocks = done["game"]["clocks"]
    assert clocks["running"] == "first"
    assert milliseconds(clocks["falls_at"]) - milliseconds(clocks["since"]) == 180_000
    event = done["events"][0]
    assert event["type"] == "action-played/2"
    assert event["data"].keys() >= {"received", "compensation", "used", "left"}
    assert milliseconds(event["at"]) >= event["data"]["received"]
    assert api.get(path).json["clocks"] == clocks  # type: ignore[index]


def test_an_action_tells_what_it_took(api: Api, ada: NewPlayer, game: str) -> None:
    answer = api.post(f"{game}/actions", {"action": "Sc2", "lag_ms": 60_000}, ada)
    told: Any = answer.json
    data = told["events"][0]["data"]
    assert data["used"] == 0 or data["compensation"] == 500
    assert data["left"] == 182_000 - data["used"]
    assert told["game"]["clocks"]["first_ms"] == data["left"]
    (*_, action) = api.get(game).json["actions"]  # type: ignore[index]
    assert (action["clock_ms"], action["elapsed_ms"]) == (data["left"], data["used"])


class LateBody(BytesIO):
    """A request's body that comes a while after its head."""

    def readinto(self, buffer: Any) -> int:
        """Wait once, then read."""
        if self.tell() == 0:
            time.sleep(THOUGHT / 1000)
        return super().readinto(buffer)

    def getbuffer(self) -> Any:
        """Nothing, so that no part of the service takes the body to be there."""
        return memoryview(b"")


@pytest.mark.parametrize("lines", [False, True], ids=["one action", "lines"])
def test_who_sends_the_head_before_having_thought_gains_no_time(
    api: Api, ada: NewPlayer, game: str, *, lines: bool
) -> None:
    wish = {"action": "Sc2"}
    if lines:
        path, media, wish = "/actions", "application/x-ndjson", wish | {"game": game[-16:]}
    else:
        path, media = f"{game}/actions", "application/json"
    body = json.dumps(wish).encode()
    answer = api.http.post(
        f"/api/v1{path}",
        input_stream=LateBody(body),
        headers={
            "Content-Length": str(len(body)),
            "Content-Type": media,
            "Authorization": f"Bearer {ada.token.secret}",
        },
    )
    assert answer.status_code == 200
    assert '"status":200' in answer.text or not lines
    (*_, action) = api.get(game).json["actions"]  # type: ignore[index]
    assert action["elapsed_ms"] >= THOUGHT


def test_who_takes_the_answers_slowly_gains_no_time(
    api: Api, ada: NewPlayer, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(action_lines, "TOGETHER", 1)
    told: Any = api.get(game).json
    since = milliseconds(told["clocks"]["since"])
    lines = [{"game": game[-16:], "action": action} for action in ("Pz9", "Sc2")]
    raw = b"\n".join(json.dumps(line).encode() for line in lines)
    answers = api.send("POST", "/actions", ada, raw, "application/x-ndjson").iter_encoded()
    assert json.loads(next(answers))["problem"]["code"] == "illegal-move"
    time.sleep(THOUGHT / 1000)
    (event,) = json.loads(next(answers))["events"]
    # Nor is any time counted twice.
    assert THOUGHT <= event["data"]["used"] <= milliseconds(event["at"]) - since + 1


def test_a_game_without_clocks_tells_none(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = api.running(ada, brahim)
    assert "clocks" not in api.get(path).json  # type: ignore[operator]
    setting = {"first_ms": 1, "second_ms": 1, "reason": "x"}
    anna = api.player("Anna", "arbiter")
    assert error(api.command(path, anna, "set-clocks", **setting)) == (409, "no-clocks")


@pytest.mark.parametrize(
    ("control", "code"),
    [
        ("fast", "bad-time-control"),
        ("?", "bad-time-control"),
        ("0+2", "unplayable-time-control"),
        ("-", "unplayable-time-control"),
        ("300:300", "unplayable-time-control"),
    ],
)
def test_a_time_control_that_cannot_be_is_refused(
    api: Api, ada: NewPlayer, control: str, code: str
) -> None:
    before = api.snapshot()
    answer = api.post("/games", {"variant": "katruji", "time_control": control}, ada)
    assert error(answer) == (422, code)
    assert api.snapshot() == before


def test_terms_that_contradict_each_other_are_refused(api: Api, ada: NewPlayer) -> None:
    wish = {"variant": "katruji", "time_control": "60", "tags": {"TimeControl": "61"}}
    assert error(api.post("/games", wish, ada)) == (422, "contradictory-terms")
    seats = {"first": {"name": "A"}, "second": {"name": "B"}}
    wish = {"variant": "katruji", "time_control": "60", "mode": "scribe", "players": seats}
    assert error(api.post("/games", wish, ada)) == (422, "contradictory-terms")


@pytest.mark.parametrize("stated", ["clock_ms", "elapsed_ms"])
def test_a_clock_that_a_client_states_is_refused(
    api: Api, ada: NewPlayer, game: str, stated: str
) -> None:
    before = api.snapshot()
    body = {"action": "Sc2", "annotation": {stated: 1000}}
    assert error(api.post(f"{game}/actions", body, ada)) == (422, "clock-stated")
    note = {"ply": 1, "annotation": {stated: 1000}}
    assert error(api.command(game, ada, "annotate", **note)) == (422, "clock-stated")
    assert api.snapshot() == before


def test_what_comes_after_the_flag_is_refused(
    api: Api, ada: NewPlayer, brahim: NewPlayer, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = api.service.games
    now = games.clock()
    monkeypatch.setattr(games, "clock", lambda: now + 181_000)
    late = (409, "time-is-up")
    assert error(api.post(f"{game}/actions", {"action": "Sc2"}, ada)) == late
    assert error(api.command(game, ada, "resign")) == late
    assert error(api.command(game, brahim, "offer-draw")) == late


def test_an_arbiter_sets_the_clocks(api: Api, ada: NewPlayer, game: str) -> None:
    anna = api.player("Anna", "arbiter")
    setting = {"first_ms": 5_000, "second_ms": 7_000, "reason": "a broken clock"}
    told: Any = api.command(game, anna, "set-clocks", **setting).json
    clocks = told["game"]["clocks"]
    assert (clocks["first_ms"], clocks["second_ms"], clocks["running"]) == (5_000, 7_000, "first")
    assert error(api.command(game, ada, "set-clocks", **setting)) == (403, "missing-scope")
    for wrong in ({"first_ms": 0}, {"second_ms": 10**12}, {"reason": ""}):
        answer = api.command(game, anna, "set-clocks", **{**setting, **wrong})
        assert error(answer) == (422, "invalid-request")


def test_records_carry_the_clocks(api: Api, ada: NewPlayer, game: str) -> None:
    text = api.get(game, accept=PGN).get_data(as_text=True)
    assert '[TimeControl "180+2"]' in text
    assert text.count("[%clk 0:03:00] [%emt 0:00:00]") == 2


def test_lists_tell_the_clocks_of_games_that_go_on(
    api: Api, ada: NewPlayer, brahim: NewPlayer, game: str
) -> None:
    other = api.running(ada, brahim, time_control="60")
    api.command(other, ada, "resign")
    untimed = api.running(ada, brahim)
    api.project()
    items: Any = api.get("/games").json
    clocks = {f"/games/{item['id']}": item.get("clocks") for item in items["items"]}
    told: Any = api.get(game).json
    assert clocks == {game: told["clocks"], other: None, untimed: None}


def test_a_game_that_cannot_be_read_is_listed_without_clocks(
    api: Api, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.project()
    make_unreadable(api.service.games, game.removeprefix("/games/"), monkeypatch)
    (item,) = api.get("/games").json["items"]  # type: ignore[index]
    assert (item["status"], "clocks" in item) == ("running", False)


@pytest.mark.slow
def test_a_stream_tells_the_clocks_after_its_events(server: WebServer) -> None:
    ada = server.service.players.register("Ada", None)
    brahim = server.service.players.register("Brahim", None)
    wish = {"variant": "katruji", "side": "first", "opponent": brahim.id, "time_control": "180+2"}
    path = f"/games/{post(server, '/games', wish, ada).json()['id']}"
    post(server, f"{path}/commands", {"type": "accept"}, brahim)
    with Stream(server, f"{path}/stream") as stream:
        messages = stream.take(5)
        assert [message.event for message in messages] == [None] * 3 + ["clocks", "caught_up"]
        assert messages[3].data["clocks"]["running"] is None
        assert messages[3].id is None
        for by, action in ((ada, "Sd1"), (brahim, "Sa8")):
            post(server, f"{path}/actions", {"action": action}, by)
        clocks = [message for message in stream.take(4) if message.event == "clocks"]
    assert clocks[-1].data["version"] == 5
    assert clocks[-1].data["clocks"]["running"] == "first"
    with Stream(server, "/me/stream", ada) as own:
        assert own.take(1)[0].data["clocks"] == clocks[-1].data["clocks"]


def test_a_stream_waits_for_a_store_that_is_away(
    api: Api, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    games, id = api.service.games, game.removeprefix("/games/")
    load, tries = games.load, [redis.ConnectionError("away"), None]

    def load_at_last(id: str) -> GameState:
        error = tries.pop(0)
        if error is not None:
            raise error
        return load(id)

    monkeypatch.setattr("service.api.streams.RETRY", 0.01)
    monkeypatch.setattr(games, "load", load_at_last)
    assert write_clocks(games, id).startswith("event: clocks\n")
    assert tries == []
