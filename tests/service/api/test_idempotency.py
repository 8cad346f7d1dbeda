"""One key, one change, one answer."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from werkzeug.test import TestResponse

from service.player.repository import NewPlayer
from tests.service.api.client import PGN, Api, error
from tests.service.api.conftest import Configured

KEY = "0b7cf6bd-5bb3-4c5c-9f0a-3f4e1d1c9f31"
RECORD = '[South "A"]\n[North "B"]\n[Variant "katruji"]\n[Result "1-0"]\n\n1. Pd1 1-0\n'


def assert_same(first: TestResponse, second: TestResponse) -> None:
    assert first.status_code < 300, first.text
    assert (second.status_code, second.data) == (first.status_code, first.data)
    assert second.headers.get("Location") == first.headers.get("Location")


@pytest.fixture
def game(api: Api, ada: NewPlayer, brahim: NewPlayer) -> str:
    return api.running(ada, brahim)


def test_creating(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    wish = {"variant": "katruji", "tags": {"Event": "x", "Annotator": "y"}}
    first = api.post("/games", wish, ada, KEY)
    before = api.snapshot()
    assert_same(first, api.post("/games", wish, ada, KEY))
    assert api.snapshot() == before
    assert first.json is not None
    api.command(f"/games/{first.json['id']}", brahim, "accept")
    before = api.snapshot()
    assert_same(first, api.post("/games", wish, ada, KEY))
    assert api.snapshot() == before


def test_creating_a_scribes_game(api: Api, ada: NewPlayer) -> None:
    seats = {"first": {"name": "A"}, "second": {"name": "B"}}
    wish = {"variant": "katruji", "mode": "scribe", "players": seats}
    first = api.post("/games", wish, ada, KEY)
    before = api.snapshot()
    assert_same(first, api.post("/games", wish, ada, KEY))
    assert api.snapshot() == before


def test_registering(api: Api) -> None:
    first = api.post("/players", {"name": "Ada"}, key=KEY)
    before = api.snapshot()
    assert_same(first, api.post("/players", {"name": "Ada"}, key=KEY))
    assert api.snapshot() == before
    assert error(api.post("/players", {"name": "Eve"}, key=KEY)) == (422, "idempotency-key-reused")
    assert api.snapshot() == before


def test_a_key_that_guards_a_token_is_not_short(api: Api, admin: NewPlayer) -> None:
    answer = api.post("/players", {"name": "Ada"}, key="1")
    assert error(answer) == (400, "malformed-header")
    first = api.post("/players", {"name": "Ada"}, admin, key="1")
    assert_same(first, api.post("/players", {"name": "Ada"}, admin, key="1"))


def test_registering_is_not_answered_with_a_revoked_token(api: Api) -> None:
    made = api.post("/players", {"name": "Ada"}, key=KEY).json
    assert made is not None
    bearer = {"Authorization": f"Bearer {made['token']['secret']}"}
    path = f"/players/{made['id']}/tokens/{made['token']['id']}"
    assert api.send("DELETE", path, headers=bearer).status_code == 204
    assert error(api.post("/players", {"name": "Ada"}, key=KEY)) == (404, "not-found")


def test_playing_also_after_later_moves_and_the_end(
    api: Api, ada: NewPlayer, brahim: NewPlayer, game: str
) -> None:
    body = {"action": "Pd1", "annotation": {"comments": ["good"], "nags": [1, 2]}}
    first = api.post(f"{game}/actions", body, ada, KEY)
    assert_same(first, api.post(f"{game}/actions", body, ada, KEY))
    api.play(game, brahim, "Pa7")
    assert_same(first, api.post(f"{game}/actions", body, ada, KEY))
    api.command(game, ada, "resign")
    before = api.snapshot()
    assert_same(first, api.post(f"{game}/actions", body, ada, KEY))
    assert api.snapshot() == before


def test_playing_with_an_expected_version(api: Api, ada: NewPlayer, game: str) -> None:
    body = {"action": "Pd1", "expected_version": 2}
    first = api.post(f"{game}/actions", body, ada, KEY)
    assert_same(first, api.post(f"{game}/actions", body, ada, KEY))
    etag = api.get(game).headers["ETag"]
    api.command(game, ada, "offer-draw")
    resign = {"type": "resign"}
    assert error(api.post(f"{game}/commands", resign, ada, "k", If_Match=etag))[0] == 412
    etag = api.get(game).headers["ETag"]
    done = api.post(f"{game}/commands", resign, ada, "k", If_Match=etag)
    assert_same(done, api.post(f"{game}/commands", resign, ada, "k", If_Match=etag))


def test_a_scribe_playing_what_the_other_side_cannot(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    first = api.post(f"{path}/actions", {"action": "Pd1"}, ada, KEY)
    before = api.snapshot()
    assert_same(first, api.post(f"{path}/actions", {"action": "Pd1"}, ada, KEY))
    assert api.snapshot() == before


def test_commands(api: Api, ada: NewPlayer, brahim: NewPlayer, game: str) -> None:
    api.play(game, ada, "Pd1")
    steps = [
        (ada, {"type": "annotate", "ply": 1, "annotation": {"comments": ["good"]}}),
        (ada, {"type": "annotate", "ply": 1, "annotation": {"comments": ["good"]}}),
        (ada, {"type": "offer-draw"}),
        (brahim, {"type": "decline-draw"}),
        (ada, {"type": "offer-retraction", "plies": 1}),
        (brahim, {"type": "accept-retraction"}),
        (ada, {"type": "resign"}),
    ]
    done = [
        api.post(f"{game}/commands", body, by, f"key {n}") for n, (by, body) in enumerate(steps)
    ]
    before = api.snapshot()
    for n, (by, body) in enumerate(steps):
        assert_same(done[n], api.post(f"{game}/commands", body, by, f"key {n}"))
    assert api.snapshot() == before


def test_naming_a_player_whose_name_two_have_since(
    api: Api, ada: NewPlayer, brahim: NewPlayer, game: str
) -> None:
    api.player("Eve")
    api.project()
    challenge = {"variant": "katruji", "opponent_name": "Eve"}
    admit = {"type": "admit-annotator", "player_name": "Eve"}
    made = api.created(challenge, ada, KEY)
    assert api.post(f"{game}/commands", admit, ada, KEY).status_code == 200
    api.player("Eve")
    api.project()
    assert api.created(challenge, ada, KEY) == made
    assert api.post(f"{game}/commands", admit, ada, KEY).status_code == 200
    assert error(api.post("/games", challenge, ada, "new")) == (422, "ambiguous-name")


def test_another_body_with_the_same_key(api: Api, ada: NewPlayer, game: str) -> None:
    api.post(f"{game}/actions", {"action": "Pd1"}, ada, KEY)
    api.post("/games", {"variant": "katruji"}, ada, KEY)
    before = api.snapshot()
    for path, body in (
        (f"{game}/actions", {"action": "Pd2"}),
        (f"{game}/actions", {"action": "Pd1", "expected_version": 2}),
        ("/games", {"variant": "kerak"}),
    ):
        assert error(api.post(path, body, ada, KEY)) == (422, "idempotency-key-reused")
    assert api.snapshot() == before


def test_another_principal_or_path_is_another_key(
    api: Api, ada: NewPlayer, brahim: NewPlayer, game: str
) -> None:
    wish = {"variant": "katruji"}
    ids = {api.created(wish, ada, KEY), api.created(wish, brahim, KEY), api.created(wish, ada, KEY)}
    assert len(ids) == 2
    assert api.post(f"{game}/actions", {"action": "Pd1"}, ada, KEY).status_code == 200
    assert api.post(f"{game}/actions", {"action": "Pa7"}, brahim, KEY).status_code == 200
    assert api.post(f"{game}/commands", {"type": "resign"}, ada, KEY).status_code == 200


def test_what_was_refused_may_be_corrected(api: Api, ada: NewPlayer, game: str) -> None:
    assert error(api.post(f"{game}/actions", {"action": "Pd9"}, ada, KEY))[0] == 422
    assert api.post(f"{game}/actions", {"action": "Pd1"}, ada, KEY).status_code == 200


@pytest.mark.parametrize("key", ["", "x" * 256, "caf\u00e9", "a\tb"])
def test_a_bad_key(api: Api, ada: NewPlayer, game: str, key: str) -> None:
    before = api.snapshot()
    answer = api.post(f"{game}/actions", {"action": "Pd1"}, ada, key)
    assert error(answer) == (400, "malformed-header")
    assert answer.json is not None
    assert answer.json["name"] == "Idempotency-Key"
    assert api.snapshot() == before


@pytest.mark.parametrize("kind", ["game", "player", "action", "command", "import"])
def test_racing_duplicates(
    api: Api, ada: NewPlayer, brahim: NewPlayer, game: str, kind: str
) -> None:
    together = threading.Barrier(4)

    def send(_: int) -> TestResponse:
        together.wait()
        match kind:
            case "game":
                return api.post("/games", {"variant": "katruji"}, ada, KEY)
            case "player":
                return api.post("/players", {"name": "Ada"}, key=KEY)
            case "action":
                return api.post(f"{game}/actions", {"action": "Pd1"}, ada, KEY)
            case "command":
                return api.post(f"{game}/commands", {"type": "resign"}, ada, KEY)
        return api.send("POST", "/imports", ada, RECORD.encode(), PGN, key=KEY)

    before = {str(s): api.service.log.version(s) for s in api.service.log.streams("game")}
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(send, range(4)))
    assert len({answer.data for answer in answers}) == 1, [a.text for a in answers]
    assert answers[0].status_code in (200, 201, 202)
    after = {str(s): api.service.log.version(s) for s in api.service.log.streams("game")}
    made = sum(after.values()) - sum(before.values())
    assert made == (0 if kind in ("player", "import") else 1)


@pytest.mark.slow
def test_what_too_few_replicas_have_is_answered_when_they_have_it(
    api: Api, configured: Configured, ada: NewPlayer, request: pytest.FixtureRequest
) -> None:
    if request.config.getoption("--cluster"):
        pytest.skip("the nodes of the cluster have replicas")
    # This log's server has no replica: the change is made, but cannot be acknowledged.
    waiting = configured(MOVELOG_REPLICAS="1")
    wish = {"variant": "katruji"}
    for _ in range(2):
        answer = waiting.post("/games", wish, ada, KEY)
        assert error(answer) == (503, "too-few-replicas")
        assert answer.headers["Retry-After"] == "1"
    answer = api.post("/games", wish, ada, KEY)
    assert answer.status_code == 201
    assert_same(answer, api.post("/games", wish, ada, KEY))
    assert len(list(api.service.log.streams("game"))) == 1
