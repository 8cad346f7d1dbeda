"""Actions in many games, submitted in one request with a line for each."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests
from redis.exceptions import ConnectionError as StoreAway

from benchmarks.submitting import long_game
from service.api import action_lines
from service.api.action_lines import LONGEST_LINE, MOST_LINES
from service.archive.tiered import TieredEventLog
from service.game.repository import stream_of
from service.log.chain import public_part
from service.player.repository import NewPlayer
from tests.service.api.client import NDJSON, Api, error
from tests.service.api.conftest import Clock, Configured
from tests.service.api.live import SILENCE, bearer, post
from tests.service.redis_server import RedisServer
from tests.service.web_server import WebServer
from tests.waiting import patiently

Node = dict[str, Any]


def act(api: Api, by: NewPlayer, *lines: object) -> list[Node]:
    """Send lines, as JSON unless they are bytes, and return the answers."""
    raw = b"\n".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines
    )
    answer = api.send("POST", "/actions", by, raw, NDJSON)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    assert answer.mimetype == NDJSON
    return [json.loads(line) for line in answer.get_data(as_text=True).splitlines()]


def codes(answers: list[Node]) -> list[str | None]:
    """The problem's code of each answer, None for a line that was carried out."""
    return [answer["problem"]["code"] if answer["status"] != 200 else None for answer in answers]


def line(game: str, action: str, **members: object) -> Node:
    return {"game": game.removeprefix("/games/"), "action": action, **members}


def read(api: Api, game: str) -> Node:
    answer = api.get(game)
    assert answer.json is not None
    return dict(answer.json)


def test_lines_are_carried_out_in_order(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    scribed = [api.scribed(ada) for _ in range(3)]
    mine = api.running(ada, brahim)
    first, second, third = scribed
    answers = act(
        api,
        ada,
        line(first, "Pd1", expected_version=1),
        line(second, "Pd1"),
        line(first, "Pd5", expected_version=2),
        line(mine, "Pd1", annotation={"comments": ["quiet"], "nags": [1]}),
        b"",
        line(first, "Pb4"),
        line(third, "Pd1"),
    )
    assert codes(answers) == [None] * 6
    assert [answer["line"] for answer in answers] == [1, 2, 3, 4, 6, 7]
    assert [answer["version"] for answer in answers] == [2, 2, 3, 3, 4, 2]
    assert [played["san"] for played in read(api, first)["actions"]] == ["Pd1", "Pd5", "Pb4"]
    assert read(api, mine)["actions"][0]["comments"] == ["quiet"]
    # The answers hold the events as the game's log does.
    log = api.get(f"{first}/events").json
    assert log is not None
    told = [answer["events"] for answer in answers if answer["game"] == first[7:]]
    assert [event for events in told for event in events] == log["items"][1:]


def test_a_bad_line_harms_no_other(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    game, other = api.scribed(ada), api.scribed(ada)
    foreign, waiting = api.running(brahim, eve), api.running(brahim, ada)
    over = api.scribed(ada)
    assert api.command(over, ada, "resign", side="first").status_code == 200
    long = json.dumps(line(other, "Pd1", annotation={"comments": ["x" * LONGEST_LINE]}))
    answers = act(
        api,
        ada,
        line(game, "Pd1"),
        b'{"game": "',
        line(game, "Pz9"),
        b"[1]",
        b'{"game": 7, "action": "Pd1", "action": "Pd1"}',
        b"\xff\xfe",
        long.encode(),
        line("a" * 16, "Pd1"),
        line("nobody", "Pd1"),
        line(foreign, "Pd1"),
        line(waiting, "Pd1"),
        line(over, "Pd1"),
        line(game, "Pd1", surplus=1),
        line(game, "Pd1", expected_version=1),
        line(game, "Pd1", key=""),
        {"action": "Pd1"},
        line(other, "P" + "d" * 300),
        line(other, "Pd1", annotation={"comments": ["}"]}),
        line(game, "Pd5", expected_version=2),
        line(other, "Pd1"),
    )
    assert codes(answers) == [
        None,
        "bad-line",
        "illegal-move",
        "bad-line",
        "bad-line",
        "bad-line",
        "line-too-long",
        "not-found",
        "invalid-request",
        "not-a-seat",
        "not-your-turn",
        "not-running",
        "invalid-request",
        "wrong-version",
        "invalid-request",
        "invalid-request",
        "invalid-request",
        "bad-annotation",
        None,
        None,
    ]
    assert [answer["line"] for answer in answers] == list(range(1, 21))
    assert [played["san"] for played in read(api, game)["actions"]] == ["Pd1", "Pd5"]


def test_a_problem_is_the_one_that_a_request_of_its_own_gets(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    game, foreign = api.scribed(ada), api.running(brahim, eve)
    api.play(game, ada, "Pd1")
    refused: list[tuple[str, Node]] = [
        (game, {"action": "Pz9"}),
        (game, {"action": "Pd5", "expected_version": 1}),
        (game, {"action": 1}),
        (foreign, {"action": "Pd1"}),
        (f"/games/{'a' * 16}", {"action": "Pd1"}),
    ]
    for path, body in refused:
        alone = api.post(f"{path}/actions", body, ada)
        (answer,) = act(api, ada, body | {"game": path[7:]})
        assert answer["problem"] == alone.json
        assert answer["status"] == alone.status_code
        assert answer["game"] == path[7:]


def test_a_refused_line_keeps_the_order_of_those_behind_it(api: Api, ada: NewPlayer) -> None:
    game = api.scribed(ada)
    answers = act(api, ada, line(game, "Pz9"), line(game, "Pd1"), line(game, "Pd5"))
    assert codes(answers) == ["illegal-move", None, None]
    assert [answer.get("version") for answer in answers] == [None, 2, 3]


def test_a_repeated_line_is_carried_out_once(api: Api, ada: NewPlayer, eve: NewPlayer) -> None:
    game, other = api.scribed(ada), api.scribed(eve)
    lines = [line(game, "Pd1", key="1"), line(game, "Pd5", key="2"), line(game, "Pb4", key="3")]
    first = act(api, ada, *lines[:2])
    assert codes(first) == [None, None]
    again = act(api, ada, *lines)
    assert again[:2] == first
    assert codes(again) == [None, None, None]
    assert act(api, ada, *lines) == again
    assert read(api, game)["ply"] == 3
    # One key twice in a request, a key of another line, and a key of another player.
    legal = api.get(f"{game}/legal").json
    assert legal is not None
    action = legal["actions"][0]["action"]
    twice = [line(game, action, key="4"), line(game, action, key="4")]
    answers = act(api, ada, *twice, line(game, action, key="1"))
    assert codes(answers) == [None, None, "idempotency-key-reused"]
    assert answers[0]["events"] == answers[1]["events"]
    assert codes(act(api, eve, line(other, "Pd1", key="1"))) == [None]
    # Whitespace in a line makes no difference.
    spaced = json.dumps(lines[0], indent=None, separators=(" , ", " : ")).encode()
    assert act(api, ada, spaced) == first[:1]


def test_others_may_play_meanwhile(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [api.scribed(ada) for _ in range(3)]
    append_each = TieredEventLog.append_each

    def overtake(log: TieredEventLog, requests: Any) -> Any:
        monkeypatch.undo()
        api.service.games._cache.forget(games[1][7:])
        api.play(games[1], ada, "Pd1")
        return append_each(log, requests)

    monkeypatch.setattr(TieredEventLog, "append_each", overtake)
    answers = act(
        api,
        ada,
        line(games[0], "Pd1"),
        line(games[1], "Pd1"),
        line(games[1], "Pd5"),
        line(games[2], "Pd1"),
    )
    # Both lines are decided again on the newest state: South's is illegal by now, North's is not.
    assert codes(answers) == [None, "illegal-move", None, None]
    assert [answer.get("version") for answer in answers] == [2, None, 3, 2]


def test_what_is_asked_of_the_whole_request(api: Api, ada: NewPlayer) -> None:
    game = api.scribed(ada)
    raw = json.dumps(line(game, "Pd1")).encode()
    assert error(api.send("POST", "/actions", None, raw, NDJSON)) == (401, "missing-token")
    assert error(api.send("POST", "/actions", ada, raw, "application/json")) == (
        415,
        "wrong-media-type",
    )
    many = b"\n".join([raw] * (MOST_LINES + 1))
    assert error(api.send("POST", "/actions", ada, many, NDJSON)) == (422, "too-many-lines")
    large = raw + b"\n" * api.service.settings.max_body
    assert error(api.send("POST", "/actions", ada, large, NDJSON)) == (413, "too-large")
    refused = api.send("POST", "/actions", ada, raw, NDJSON, accept="text/plain")
    assert error(refused) == (406, "not-acceptable")
    assert read(api, game)["ply"] == 0
    assert act(api, ada, b"", b"\r", b"  ") == []


def test_every_line_counts_as_a_request(configured: Configured, clock: Clock) -> None:
    api = configured(MOVELOG_RATE_LIMIT="4/minute")
    ada = api.player("Ada")
    answers = act(api, ada, *[line("a" * 16, "Pd1") for _ in range(6)])
    assert codes(answers) == ["not-found"] * 4 + ["too-many-requests"] * 2
    assert answers[-1]["problem"]["retry_after"] >= 1
    clock.at += 60
    assert codes(act(api, ada, b"{", line("a" * 16, "Pd1"))) == ["bad-line", "not-found"]


def test_a_store_that_fails_is_told_of_every_line_that_is_left(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(action_lines, "TOGETHER", 2)
    games = [api.scribed(ada) for _ in range(5)]
    append_each = TieredEventLog.append_each
    tried = []

    def fail(log: TieredEventLog, requests: Any) -> Any:
        tried.append(requests)
        if len(tried) == 2:
            raise StoreAway
        return append_each(log, requests)

    monkeypatch.setattr(TieredEventLog, "append_each", fail)
    answers = act(api, ada, *[line(game, "Pd1") for game in games[:3]], b"{", line(games[4], "Pd1"))
    assert codes(answers) == [None, None, "log-unavailable", "bad-line", "log-unavailable"]
    assert len(tried) == 2


def test_answers_are_sent_in_pieces_of_lines_that_were_all_carried_out(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(action_lines, "PIECE", 1)
    game = api.scribed(ada)
    lines = (line(game, "Pd1"), line(game, "Pd5", expected_version=1), line(game, "Pd5"))
    raw = b"\n".join(json.dumps(each).encode() for each in lines)
    pieces = api.send("POST", "/actions", ada, raw, NDJSON).iter_encoded()
    answers = [json.loads(next(pieces))]
    assert read(api, game)["ply"] == 2
    answers += map(json.loads, pieces)
    assert codes(answers) == [None, "wrong-version", None]


def test_a_store_that_fails_beneath_an_answer_leaves_what_was_told_before(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> Any:
        raise StoreAway

    monkeypatch.setattr(action_lines, "PIECE", 1)
    monkeypatch.setattr(action_lines, "answer_conflict", fail)
    game = api.scribed(ada)
    stale = line(game, "Pd5", expected_version=1)
    answers = act(api, ada, line(game, "Pd1"), stale, line(game, "Pd5"))
    assert codes(answers) == [None, "log-unavailable", "log-unavailable"]


def test_a_bug_in_one_line_is_told_of_it_alone(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    one, other = api.scribed(ada), api.scribed(ada)
    decide = api.service.games.entity.decide

    def stumble(command: Any, state: Any, actor: Any) -> Any:
        if state.id == one[7:]:
            raise ZeroDivisionError
        return decide(command, state, actor)

    stumbling = replace(api.service.games.entity, decide=stumble)
    monkeypatch.setattr(api.service.games, "entity", stumbling)
    answers = act(api, ada, line(one, "Pd1"), line(other, "Pd1"))
    assert codes(answers) == ["internal-error", None]
    assert "ZeroDivisionError" in caplog.text


PLIES = 60


@pytest.mark.slow
def test_what_was_answered_is_there_after_kills(durable: RedisServer, tmp_path: Path) -> None:
    """No answered line is lost when the web process and Redis are killed while they answer."""
    with WebServer(durable.url, tmp_path) as server:
        ada = server.service.players.register("Ada", None)
        seats = {"first": {"name": "South"}, "second": {"name": "North"}}
        wish = {"variant": "katruji", "mode": "scribe", "players": seats}
        games = [post(server, "/games", wish, ada).json()["id"] for _ in range(20)]
        actions = long_game(PLIES, seed=3)
        plan = [
            line(game, action, key=f"{game}-{ply}")
            for ply, action in enumerate(actions)
            for game in games
        ]
        accepted: dict[str, Node] = {}
        for answered in (100, 500, 900):
            keep(accepted, send(server, ada, plan, durable, answered))
            check(server, accepted)
        for _ in patiently("every line is answered"):
            keep(accepted, send(server, ada, plan))
            if len(accepted) == len(plan):
                break
        check(server, accepted)
        for game in games:
            played = server.service.games.load(game).played
            assert [each.coordinate for each in played] == actions


def send(
    server: WebServer,
    by: NewPlayer,
    plan: list[Node],
    durable: RedisServer | None = None,
    answered: int = 0,
) -> dict[str, Node]:
    """Send the lines; returns the answers by key, without one that was cut off.

    If `durable` is given, it and the web process are killed after `answered` answers.
    """
    body = "".join(json.dumps(each) + "\n" for each in plan)
    headers = {"Content-Type": NDJSON, **bearer(by)}
    url = f"{server.url}/api/v1/actions"
    found: list[Node] = []
    with requests.post(url, body, headers=headers, stream=True, timeout=SILENCE) as answer:
        assert answer.status_code == 200
        rest = b""
        try:
            for piece in answer.iter_content(None):
                *lines, rest = (rest + piece).split(b"\n")
                found += map(json.loads, lines)
                if durable is not None and len(found) >= answered:
                    with server.killed():
                        durable.kill()
                        durable.start()
                    durable = None
        except requests.RequestException:
            assert answered
    assert all(each["status"] in (200, 503) for each in found), found
    return {plan[each["line"] - 1]["key"]: each for each in found if each["status"] == 200}


def keep(accepted: dict[str, Node], told: dict[str, Node]) -> None:
    """Keep the answers; a line that was answered before must be answered the same again."""
    for key, answer in told.items():
        assert accepted.setdefault(key, answer) == answer


def check(server: WebServer, accepted: dict[str, Node]) -> None:
    """Check that every answered line is in the log, as it was answered."""
    for answer in accepted.values():
        stream = stream_of(answer["game"])
        (event,) = answer["events"]
        (entry,) = server.service.log.read(stream, event["version"] - 1, 1)
        assert public_part(stream, entry) == event
