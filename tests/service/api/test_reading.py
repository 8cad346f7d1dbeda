"""Reading games: as JSON and as records, at any ply, with caches."""

from __future__ import annotations

import json
from typing import Any

import pytest

from notation.reader import read_game
from service.game.repository import stream_of
from service.log.redis import RedisEventLog
from service.player.repository import NewPlayer
from tests.service.api.client import NDJSON, PGN, Api, error

ACTIONS = ("Pd1", "Pa7", "Pd2", "Pa8")


@pytest.fixture
def game(api: Api, ada: NewPlayer, brahim: NewPlayer) -> str:
    path = api.running(ada, brahim)
    for action, by in zip(ACTIONS, (ada, brahim) * 2, strict=True):
        api.play(path, by, action)
    return path


def test_a_record_is_read_again(api: Api, ada: NewPlayer, game: str) -> None:
    api.command(game, ada, "resign")
    answer = api.get(game, accept=PGN)
    assert answer.mimetype == PGN
    record = read_game(answer.text)
    assert [record.tags[side] for side in ("South", "North")] == ["Ada", "Brahim"]
    assert (record.result, record.tags["Termination"]) == ("0-1", "resignation")
    assert len(record.moves) == len(ACTIONS)
    plain = api.get(game, accept="text/plain")
    assert (plain.mimetype, plain.data) == ("text/plain", answer.data)


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("text/html, text/plain;q=0.5", "text/plain"),
        ("application/json;q=0.1, application/x-chess-pgn", PGN),
    ],
)
def test_accept_chooses(api: Api, game: str, accept: str | None, kind: str) -> None:
    answer = api.get(game, accept=accept)
    assert answer.mimetype == kind
    assert answer.headers["Vary"] == "Accept, Accept-Language, Authorization, Cookie"


@pytest.mark.parametrize("path", ["{game}", "{game}/events", "/games"])
@pytest.mark.parametrize("accept", ["text/html", "image/png", "application/json;q=0", "nonsense"])
def test_nothing_acceptable(api: Api, game: str, path: str, accept: str) -> None:
    answer = api.get(path.format(game=game), accept=accept)
    assert error(answer) == (406, "not-acceptable")
    assert answer.json is not None
    assert "application/json" in answer.json["offered"]


def test_every_ply(api: Api, game: str) -> None:
    whole = api.get(game).json
    assert whole is not None
    fens = []
    for ply in range(len(ACTIONS) + 1):
        then = api.get(game, query={"ply": ply}).json
        assert then is not None
        assert then["ply"] == ply
        assert then["actions"] == whole["actions"][:ply]
        assert then["to_act"] == ("first", "second")[ply % 2]
        fens.append(then["fen"])
        record = read_game(api.get(game, accept=PGN, query={"ply": ply}).text)
        assert len(record.moves) == ply
    assert len(set(fens)) == len(fens)
    assert fens[-1] == whole["fen"]


def test_a_ply_before_the_end_has_no_result(api: Api, ada: NewPlayer, game: str) -> None:
    api.command(game, ada, "resign")
    then = api.get(game, query={"ply": 1}).json
    last = api.get(game, query={"ply": len(ACTIONS)}).json
    assert then is not None
    assert last is not None
    assert (then["result"], then["status"]) == ("*", "running")
    assert (last["result"], last["status"]) == ("0-1", "finished")
    assert '[Result "*"]' in api.get(game, accept=PGN, query={"ply": 1}).text


@pytest.mark.parametrize("ply", ["-1", "5", "1.0", "", "one", "0x1", "٣", "9" * 20, "1 "])
def test_a_ply_that_is_not_there(api: Api, game: str, ply: str) -> None:
    answer = api.get(game, query={"ply": ply})
    assert error(answer) == (400, "bad-parameter")
    assert answer.json is not None
    assert answer.json["parameter"] == "ply"


@pytest.mark.parametrize("path", ["{game}", "{game}/legal", "{game}/events", "/games", "/me"])
def test_an_unknown_parameter_and_one_given_twice(
    api: Api, ada: NewPlayer, game: str, path: str
) -> None:
    path = path.format(game=game)
    assert error(api.get(f"{path}?plie=1", ada)) == (400, "bad-parameter")
    assert error(api.get(f"{path}?limit=1&limit=2", ada)) == (400, "bad-parameter")


@pytest.mark.parametrize("view", ["", "?ply=1", "/legal"])
def test_a_copy_that_still_holds(api: Api, ada: NewPlayer, game: str, view: str) -> None:
    first = api.get(game + view)
    etag = first.headers["ETag"]
    assert first.headers["Cache-Control"] == "public, no-cache"
    again = api.get(game + view, If_None_Match=etag)
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == etag
    assert again.headers["Vary"] == "Accept, Accept-Language, Authorization, Cookie"
    assert api.get(game + view, If_None_Match=f'"x", W/{etag}').status_code == 304
    api.command(game, ada, "offer-draw")
    changed = api.get(game + view, If_None_Match=etag)
    assert changed.status_code == 200
    assert changed.headers["ETag"] != etag


def test_what_is_read_with_a_token_is_private(api: Api, ada: NewPlayer, game: str) -> None:
    assert api.get(game, ada).headers["Cache-Control"] == "private, no-cache"


def test_etags_differ_by_format_ply_and_names(api: Api, ada: NewPlayer, game: str) -> None:
    tags = [
        api.get(game).headers["ETag"],
        api.get(game, accept=PGN).headers["ETag"],
        api.get(game, accept="text/plain").headers["ETag"],
        api.get(game, query={"ply": 1}).headers["ETag"],
        api.get(f"{game}/legal").headers["ETag"],
    ]
    api.service.players.rename(ada.id, "Ada L.", ada.id)
    tags.append(api.get(game).headers["ETag"])
    assert len(set(tags)) == len(tags)


def test_legal_actions(api: Api, ada: NewPlayer, game: str) -> None:
    shown = api.get(f"{game}/legal").json
    assert shown is not None
    actions = [legal["action"] for legal in shown["actions"]]
    assert actions == sorted(actions)
    assert shown["to_act"] == "first"
    for form in ("action", "san"):
        path = api.scribed(ada)
        own = api.get(f"{path}/legal").json
        assert own is not None
        assert api.play(path, ada, own["actions"][0][form]).status_code == 200
    api.command(game, ada, "resign")
    over = api.get(f"{game}/legal").json
    assert over is not None
    assert (over["to_act"], over["actions"]) == (None, [])


def test_the_log_in_pages(api: Api, game: str) -> None:
    found = []
    after: str | None = "0"
    while after:
        page = api.get(f"{game}/events", query={"after": after, "limit": 4})
        shown: dict[str, Any] = page.json or {}
        found += [event["version"] for event in shown["items"]]
        after = shown["next_cursor"]
        assert page.headers.get("X-Next-Cursor") == after
    assert found == list(range(1, 7))
    lines = api.get(f"{game}/events", accept=NDJSON)
    assert lines.mimetype == NDJSON
    assert len(lines.text.splitlines()) == 7  # six events and their signed head


def test_large_events_are_read_and_sent_in_small_parts(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody could once make a process hold all annotations that a game ever had."""
    path = api.scribed(ada)
    api.play(path, ada, "Sd1", "Sa8")
    for number in range(6):
        annotation = {"comments": [str(number) * 4000] * 2}
        assert api.command(path, ada, "annotate", ply=1, annotation=annotation).status_code == 200
    read: list[int] = []
    unpaged = RedisEventLog._read_sized

    def read_sized(log: RedisEventLog, *given: Any) -> Any:
        found = unpaged(log, *given)
        read.append(len(found))
        return found

    monkeypatch.setattr(RedisEventLog, "_read_sized", read_sized)
    monkeypatch.setattr("service.log.pages.PAGE_BYTES", 10_000)
    monkeypatch.setattr("service.log.pages.TOGETHER", 2)
    monkeypatch.setattr("service.game_feed.reader.PAGE_BYTES", 10_000)
    versions: list[int] = []
    after: str | None = "0"
    while after:
        page: Any = api.get(f"{path}/events", query={"after": after, "limit": 1000})
        assert len(page.data) < 30_000
        versions += [event["version"] for event in page.json["items"]]
        after = page.json["next_cursor"]
        assert page.headers.get("X-Next-Cursor") == after
    assert versions == list(range(1, 10))
    whole = api.get(f"{path}/events", accept=NDJSON)
    assert whole.is_streamed
    lines = [json.loads(line) for line in whole.text.splitlines()]
    assert [line["version"] for line in lines[:-1]] == versions
    assert lines[-1]["head"] == api.service.log.head(stream_of(path.removeprefix("/games/")))
    streamed = api.get(f"{path}/stream", query={"until": "caught_up"}).text
    assert [line[4:] for line in streamed.splitlines() if line.startswith("id: ")] == [
        *map(str, versions),
        "9",
    ]
    missed = api.post(f"{path}/actions", {"action": "Sd2", "expected_version": 3}, ada).json
    assert missed is not None
    assert missed["actual"] == 9
    assert [event["version"] for event in missed["missed"]] == [4, 5]
    assert max(read) == 2
    # The feed of all games is sent in small parts too.
    position, sent = "start", []
    while True:
        page = api.get("/events", query={"after": position, "limit": 1000})
        assert len(page.data) < 30_000
        *events, behind = map(json.loads, page.text.splitlines())
        sent += [event["version"] for event in events]
        position = behind["position"]
        if behind["caught_up"]:
            break
    assert sent == versions


@pytest.mark.parametrize(
    "query", [{"after": "-1"}, {"limit": "0"}, {"limit": "1001"}, {"after": ""}]
)
def test_pages_that_cannot_be(api: Api, game: str, query: dict[str, str]) -> None:
    assert error(api.get(f"{game}/events", query=query)) == (400, "bad-parameter")


def test_head_is_answered_as_get_without_a_body(api: Api, game: str) -> None:
    for path in (game, f"{game}/legal", f"{game}/events", f"{game}/stream", "/games"):
        answer = api.send("HEAD", path)
        assert (answer.status_code, answer.data) == (200, b"")
        answer.close()
    assert api.app.extensions["movelog"].hub.open_streams == 0
