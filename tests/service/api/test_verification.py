"""What goes out can be verified with the keys that the service shows."""

from __future__ import annotations

import json

from service.game.importing import SERVICE_TAGS
from service.player.repository import NewPlayer
from service.verification.errors import Unverifiable
from service.verification.file import verify_file
from service.verification.keys import PublicKeys
from tests.service.api.client import NDJSON, PGN, Api
from tests.service.api.tournaments import Desk

KEYS = "/.well-known/movelog-keys"


def game_of(api: Api, ada: NewPlayer) -> str:
    """The path of a game with an action."""
    sides = {"first": {"id": ada.id}, "second": {"name": "Žuti"}}
    wish = {"variant": "katruji", "mode": "scribe", "players": sides}
    created = api.post("/games", wish, ada)
    path = f"/games/{(created.json or {})['id']}"
    assert api.post(f"{path}/actions", {"action": "Pd1"}, ada).status_code == 200
    return path


def keys(api: Api) -> PublicKeys:
    """The keys as they are served."""
    answer = api.http.get(KEYS)
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    return PublicKeys.parse(answer.data)


def test_both_exports_are_verified(api: Api, ada: NewPlayer) -> None:
    game = game_of(api, ada)
    api.project()
    log = api.get(f"{game}/events", accept=NDJSON)
    for answer in (log, api.get(game, accept=PGN), api.get("/games", accept=PGN)):
        for verdict in verify_file(answer.data, keys(api)):
            assert verdict.error is None, str(verdict)
    assert api.get(game, accept=NDJSON).data == log.data
    assert api.get(game, accept=NDJSON).mimetype == NDJSON


def test_an_empty_file_proves_nothing() -> None:
    assert [verdict.status for verdict in verify_file(b" \n", None)] == [2]


def test_a_part_says_that_it_is_one(api: Api, ada: NewPlayer) -> None:
    game = game_of(api, ada)
    for query in ({"after": 1}, {"limit": 1000}, {"after": 0, "limit": 1}):
        (verdict,) = verify_file(api.get(f"{game}/events", accept=NDJSON, query=query).data, None)
        assert isinstance(verdict.error, Unverifiable)


def test_a_log_is_exported_whole(api: Api, ada: NewPlayer) -> None:
    game = game_of(api, ada)
    refused = api.get(game, accept=NDJSON, query={"ply": 1})
    assert (refused.status_code, (refused.json or {})["parameter"]) == (400, "ply")
    for path in (f"/games/{'2' * 16}", f"/games/{'2' * 16}/events"):
        assert api.get(path, accept=NDJSON).status_code == 404


def test_events_everywhere_carry_their_place_in_the_chain(api: Api, ada: NewPlayer) -> None:
    game = game_of(api, ada)
    *events, _ = map(json.loads, api.get(f"{game}/events", accept=NDJSON).data.splitlines())
    assert (api.get(f"{game}/events").json or {})["items"] == events
    stream = api.get(f"{game}/stream", query={"until": "caught_up"}).get_data(as_text=True)
    told = [line[6:] for line in stream.splitlines() if line.startswith('data: {"version":')]
    assert [json.loads(line) for line in told][:2] == events


def test_records_carry_what_the_service_adds(api: Api, ada: NewPlayer) -> None:
    text = api.get(game_of(api, ada), accept=PGN).get_data(as_text=True)
    assert all(f"[{tag} " in text for tag in SERVICE_TAGS)


def test_a_new_key_makes_a_new_answer(api: Api, ada: NewPlayer) -> None:
    game = game_of(api, ada)
    before = api.get(game, accept=PGN)
    api.service.signer.rotate()
    again = api.get(game, accept=PGN, headers={"If-None-Match": before.headers["ETag"]})
    assert again.status_code == 200
    for answer in (before, again):
        assert [verdict.status for verdict in verify_file(answer.data, keys(api))] == [0]
    unchanged = api.get(game, accept=PGN, headers={"If-None-Match": again.headers["ETag"]})
    assert unchanged.status_code == 304


def test_a_tournaments_log_is_exported_signed_and_verified(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, players=2, rounds=1)
    path = f"{desk.path}/events"
    desk.pair()
    whole = api.get(path, accept=NDJSON).get_data()
    (verdict,) = verify_file(whole, keys(api))
    assert (verdict.status, verdict.subject) == (0, "events of a tournament")
    assert verdict.proven[-1] == "tournament: a swiss of katruji, 2 players, 1 rounds"
    (changed,) = verify_file(whole.replace(b'"rating":2000', b'"rating":2001'), keys(api))
    assert changed.status == 1
    (part,) = verify_file(api.get(path, accept=NDJSON, query={"after": 1}).get_data(), keys(api))
    assert part.status == 2
