"""Invalid bodies: each is refused with its own code and changes nothing."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.player.repository import NewPlayer
from tests.service.api.client import PGN, Api, error

MALFORMED = {
    "cut off": b'{"variant": "katruji"',
    "no JSON": b"variant=katruji",
    "an array": b"[]",
    "a string": b'"katruji"',
    "null": b"null",
    "NaN": b'{"variant": NaN}',
    "Infinity": b'{"expected_version": -Infinity}',
    "deep": b'{"tags":' * 100_000 + b"1" + b"}" * 100_000,
    "deep arrays": b'{"a":' + b"[" * 100_000,
    "endless number": b'{"expected_version": ' + b"9" * 10_000 + b"}",
    "a name twice": b'{"name": "Ada", "name": "Eve"}',
    "a name twice inside": b'{"players": {"first": {"name": "Ada", "name": "Eve"}}}',
    "half a surrogate pair": b'{"variant": "\\ud800"}',
    "half a surrogate pair as a name": b'{"\\udfff": 1}',
    "Latin-1": '{"name": "é"}'.encode("latin-1"),
    "UTF-16": '{"name": "Ada"}'.encode("utf-16"),
    "a surrogate as bytes": b'{"name": "\xed\xa0\x80"}',
    "binary": bytes(range(256)),
    "two values": b"{} {}",
    "a NUL behind": b"{}\0",
}
PATHS = ("/players", "/games", "{game}/actions", "{game}/commands", "/players/{ada}/tokens")


@pytest.fixture
def game(api: Api, ada: NewPlayer, brahim: NewPlayer) -> str:
    return api.running(ada, brahim)


def post(api: Api, path: str, by: NewPlayer | None, body: bytes, **named: Any) -> TestResponse:
    """Post a body, without collecting garbage meanwhile.

    A deep body is parsed until the stack is full. If other tests' garbage were collected then,
    finalizers would have no room to run in, which is an error of whatever test runs.
    """
    gc.disable()
    try:
        return api.send("POST", path, by, body, "application/json", **named)
    finally:
        gc.enable()


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED.keys())
@pytest.mark.parametrize("path", PATHS)
def test_what_is_no_json_object(
    api: Api, ada: NewPlayer, game: str, path: str, body: bytes
) -> None:
    before = api.snapshot()
    path = path.format(game=game, ada=ada.id)
    answer = post(api, path, ada, body, key="k" * 20)
    assert error(answer) == (400, "malformed-json")
    assert api.snapshot() == before


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("deep arrays", "nested too deep"),
        ("endless number", "a number has too many digits"),
        ("a name twice", "a name is given twice in one object"),
    ],
)
def test_what_is_wrong_is_told_in_words_of_json(api: Api, body: str, detail: str) -> None:
    answer = post(api, "/players", None, MALFORMED[body])
    assert answer.json is not None
    assert answer.json["detail"] == f"the body is not JSON: {detail}"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", PGN])
def test_another_media_type(api: Api, ada: NewPlayer, game: str, path: str, kind: str) -> None:
    before = api.snapshot()
    path = path.format(game=game, ada=ada.id)
    answer = api.send("POST", path, ada, b'{"name": "Ada"}', kind)
    assert error(answer) == (415, "wrong-media-type")
    assert answer.json is not None
    assert answer.json["expected"] == ["application/json"]
    assert api.snapshot() == before


@pytest.mark.parametrize("path", PATHS)
def test_unknown_query_parameters(api: Api, ada: NewPlayer, game: str, path: str) -> None:
    before = api.snapshot()
    path = path.format(game=game, ada=ada.id)
    answer = api.send("POST", path, ada, b"{}", "application/json", query={"dry_run": "1"})
    assert error(answer) == (400, "bad-parameter")
    assert api.snapshot() == before


HUGE = 10**30
NEW_GAME: dict[str, object] = {"variant": "katruji"}
SCRIBED: dict[str, object] = NEW_GAME | {"mode": "scribe"}
SEATS = {"first": {"name": "A"}, "second": {"name": "B"}}
INVALID: dict[str, list[dict[str, object]]] = {
    "/players": [
        {},
        {"name": None},
        {"name": 1},
        {"name": True},
        {"name": ["Ada"]},
        {"name": ""},
        {"name": "x" * 101},
        {"name": "Ada", "admin": True},
    ],
    "/games": [
        {},
        {"variant": 1},
        {"variant": None},
        NEW_GAME | {"mode": "import"},
        NEW_GAME | {"mode": None},
        NEW_GAME | {"side": "south"},
        NEW_GAME | {"side": 0},
        NEW_GAME | {"opponent": "nobody"},
        NEW_GAME | {"opponent": "\0" * 16},
        NEW_GAME | {"tags": []},
        NEW_GAME | {"tags": {"Event": 1}},
        NEW_GAME | {"tags": {"Event": "x" * 501}},
        NEW_GAME | {"tags": {"x" * 101: ""}},
        NEW_GAME | {"fen": 1},
        NEW_GAME | {"fen": "x" * 1001},
        NEW_GAME | {"result": "1-0"},
        SCRIBED | {"players": []},
        SCRIBED | {"players": {"first": {"name": "A"}}},
        SCRIBED | {"players": SEATS | {"third": {}}},
        SCRIBED | {"players": SEATS | {"first": {"id": "x"}}},
        SCRIBED | {"players": SEATS | {"first": {"name": ""}}},
        SCRIBED | {"players": SEATS | {"first": "A"}},
    ],
    "{game}/actions": [
        {},
        {"action": None},
        {"action": 1},
        {"action": ["Pd1"]},
        {"action": "x" * 256},
        {"action": "Pd1", "ply": 1},
        {"action": "Pd1", "expected_version": True},
        {"action": "Pd1", "expected_version": "2"},
        {"action": "Pd1", "expected_version": 2.0},
        {"action": "Pd1", "expected_version": -1},
        {"action": "Pd1", "expected_version": HUGE},
        {"action": "Pd1", "annotation": None},
        {"action": "Pd1", "annotation": {"comment": "good"}},
        {"action": "Pd1", "annotation": {"comments": "good"}},
        {"action": "Pd1", "annotation": {"comments": ["x"] * 17}},
        {"action": "Pd1", "annotation": {"comments": ["x" * 4001]}},
        {"action": "Pd1", "annotation": {"nags": [256]}},
        {"action": "Pd1", "annotation": {"nags": [-1]}},
        {"action": "Pd1", "annotation": {"nags": [True]}},
        {"action": "Pd1", "annotation": {"clock_ms": -1}},
        {"action": "Pd1", "annotation": {"clock_ms": HUGE}},
        {"action": "Pd1", "annotation": {"elapsed_ms": "1"}},
    ],
    "{game}/commands": [
        {},
        {"type": None},
        {"type": ["resign"]},
        {"type": "surrender"},
        {"type": "action"},
        {"type": "resign", "reason": "tired"},
        {"type": "resign", "side": "south"},
        {"type": "resign", "side": 0},
        {"type": "offer-retraction"},
        {"type": "offer-retraction", "plies": 0},
        {"type": "offer-retraction", "plies": True},
        {"type": "retract", "plies": HUGE},
        {"type": "adjudicate"},
        {"type": "adjudicate", "result": "*"},
        {"type": "adjudicate", "result": "1-0", "termination": "mate"},
        {"type": "lose-on-time"},
        {"type": "lose-on-time", "side": None},
        {"type": "correct-result", "result": "1-0"},
        {"type": "correct-result", "result": "2-0", "reason": "x"},
        {"type": "correct-result", "result": "1-0", "reason": ""},
        {"type": "correct-result", "result": "1-0", "reason": "x" * 1001},
        {"type": "annotate", "ply": 0, "annotation": {}},
        {"type": "annotate", "ply": 1},
    ],
    "/players/{ada}/tokens": [
        {"scopes": []},
        {"scopes": "play"},
        {"scopes": ["root"]},
        {"scopes": ["play"] * 4},
        {"scopes": None},
        {"expires_in": 0},
        {"expires_in": True},
        {"expires_in": 1.5},
        {"expires_in": HUGE},
    ],
}


@pytest.mark.parametrize(
    ("path", "body"),
    [(path, body) for path, bodies in INVALID.items() for body in bodies],
    ids=lambda value: json.dumps(value)[:60],
)
def test_what_fits_no_schema(
    api: Api, ada: NewPlayer, game: str, path: str, body: dict[str, object]
) -> None:
    before = api.snapshot()
    answer = api.post(path.format(game=game, ada=ada.id), body, ada, key="k" * 20)
    assert error(answer) == (422, "invalid-request")
    assert answer.json is not None
    assert answer.json["errors"]
    assert api.snapshot() == before


BAD_VALUES: list[tuple[str, dict[str, object], str]] = [
    ("/players", {"name": " "}, "bad-value"),
    ("/players", {"name": "Ada\0"}, "bad-value"),
    ("/players", {"name": "Ada\nLovelace"}, "bad-value"),
    ("/games", {"variant": "chess"}, "unknown-variant"),
    ("/games", {"variant": "katruji\0"}, "unknown-variant"),
    ("/games", NEW_GAME | {"opponent": "a" * 16}, "bad-value"),
    ("/games", NEW_GAME | {"opponent": "{ada}"}, "bad-value"),
    ("/games", NEW_GAME | {"players": SEATS}, "bad-value"),
    ("/games", NEW_GAME | {"fen": "8/8"}, "bad-fen"),
    ("/games", NEW_GAME | {"fen": "\0"}, "bad-fen"),
    ("/games", NEW_GAME | {"tags": {"Result": "1-0"}}, "bad-value"),
    ("/games", NEW_GAME | {"tags": {"South": "Ada"}}, "bad-value"),
    ("/games", NEW_GAME | {"tags": {"No blank": "x"}}, "bad-annotation"),
    ("/games", NEW_GAME | {"tags": {"Event": "a\0b"}}, "bad-annotation"),
    ("/games", NEW_GAME | {"tags": {"PlyLimit": "many"}}, "bad-annotation"),
    ("/games", NEW_GAME | {"tags": {"DrawByPoints": "yes"}}, "bad-value"),
    ("/games", NEW_GAME | {"tags": {"DrawByPoints": "1"}}, "bad-value"),
    ("/games", NEW_GAME | {"tags": {"DrawByPoints": "Yes"}, "variant": "kerak"}, "bad-value"),
    ("/games", SCRIBED | {"players": SEATS, "tags": {"DrawByPoints": "1"}}, "bad-value"),
    ("/games", NEW_GAME | {"tags": {f"T{n}": "" for n in range(65)}}, "bad-value"),
    ("/games", SCRIBED, "bad-value"),
    ("/games", SCRIBED | {"side": "first", "players": SEATS}, "bad-value"),
    ("/games", SCRIBED | {"players": SEATS | {"first": {}}}, "bad-value"),
    ("/games", SCRIBED | {"players": SEATS | {"second": {"name": "A"}}}, "bad-value"),
    ("/games", SCRIBED | {"players": SEATS | {"second": {"id": "a" * 16}}}, "bad-value"),
    ("/games", SCRIBED | {"players": SEATS | {"second": {"name": "a\0b"}}}, "bad-annotation"),
    ("/games", SCRIBED | {"players": SEATS, "variant": "chess"}, "unknown-variant"),
    ("/games", SCRIBED | {"players": SEATS, "fen": "8"}, "bad-fen"),
    ("{game}/actions", {"action": ""}, "illegal-move"),
    ("{game}/actions", {"action": "\0"}, "illegal-move"),
    ("{game}/actions", {"action": "Pd9"}, "illegal-move"),
    ("{game}/actions", {"action": "𝕻d1 🙂"}, "illegal-move"),
    ("{game}/actions", {"action": "x" * 255}, "illegal-move"),
    ("{game}/actions", {"action": "Pd1", "annotation": {"comments": ["}"]}}, "bad-annotation"),
    ("{game}/actions", {"action": "Pd1", "annotation": {"comments": [""]}}, "bad-annotation"),
    ("{game}/actions", {"action": "Pd1", "annotation": {"comments": ["\0"]}}, "bad-annotation"),
]


@pytest.mark.parametrize(("path", "body", "expected"), BAD_VALUES, ids=str)
def test_what_cannot_be(
    api: Api, ada: NewPlayer, game: str, path: str, body: dict[str, object], expected: str
) -> None:
    before = api.snapshot()
    if body.get("opponent") == "{ada}":
        body = body | {"opponent": ada.id}
    answer = api.post(path.format(game=game, ada=ada.id), body, ada, key="k" * 20)
    assert error(answer) == (422, expected)
    assert api.snapshot() == before
