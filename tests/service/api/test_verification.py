"""Exports can be verified with the keys that the service publishes."""

from __future__ import annotations

import json

import pytest

from service.game.importing import SERVICE_TAGS
from service.game.permissions import SCORER
from service.log.values import Append
from service.player.repository import NewPlayer
from service.tournament.events import ResultTallied
from service.tournament.repository import stream_of
from service.verification.errors import Unverifiable
from service.verification.file import verify_file
from service.verification.keys import PublicKeys
from service.verification.standings import verify_standings
from service.verification.tournament_audit import audit_tournament
from tests.service.api.client import NDJSON, PGN, Api
from tests.service.api.tournaments import Desk

KEYS = "/.well-known/movelog-keys"


def game_of(api: Api, ada: NewPlayer) -> str:
    """The path of a game with one action."""
    sides = {"first": {"id": ada.id}, "second": {"name": "Žuti"}}
    wish = {"variant": "katruji", "mode": "scribe", "players": sides}
    created = api.post("/games", wish, ada)
    path = f"/games/{(created.json or {})['id']}"
    assert api.post(f"{path}/actions", {"action": "Pd1"}, ada).status_code == 200
    return path


def keys(api: Api) -> PublicKeys:
    """The public keys that the service publishes."""
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
    *_, rounds, standings = verdict.proven
    assert rounds == ("tournament: a swiss of katruji, 2 players, 1 rounds, every pairing legal")
    leaders = ", ".join(player.id for player in desk.players)
    assert standings.endswith(f"; first {leaders} with 0 match-points")
    (changed,) = verify_file(whole.replace(b'"rating":2000', b'"rating":2001'), keys(api))
    assert changed.status == 1
    (part,) = verify_file(api.get(path, accept=NDJSON, query={"after": 1}).get_data(), keys(api))
    assert part.status == 2


@pytest.mark.slow
def test_a_played_tournament_and_its_standings_are_verified(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, players=5, rounds=3)
    desk.play_round()
    desk.do("withdraw", player=desk.players[0].id)
    early = api.get(f"{desk.path}/standings").get_data()
    desk.play_round()
    desk.do("rule", round=2, board=1, result="+/-", reason="fair play")
    log = api.get(f"{desk.path}/events", accept=NDJSON).get_data()
    assert verify_file(log, keys(api))[0].error is None
    path = f"{desk.path}/standings"
    answers = [api.get(path, query={"as_of": at}) for at in ("round:1", "version:9")]
    for answer in (*answers, api.get(path), api.get(path, accept="text/csv")):
        assert verify_standings(answer.data, log, keys(api)).error is None
        forged = answer.data.replace(desk.players[1].id.encode(), b"x" * 16)
        assert verify_standings(forged, log, keys(api)).status == 1
    assert verify_standings(early, log, keys(api)).error is None
    part = api.get(f"{desk.path}/events", accept=NDJSON, query={"after": 3}).get_data()
    assert verify_standings(early, part, keys(api)).status == 2
    id = desk.path.rpartition("/")[2]
    assert audit_tournament(api.service.log, stream_of(id)).fault is None


def test_a_tournament_taken_in_as_a_report_is_verified(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, players=4, rounds=2)
    desk.play_round()
    report = api.get(f"{desk.path}/trf", accept="text/plain").get_data()
    query = {"variant": "katruji", "kind": "swiss"}
    made = api.http.post(
        "/api/v1/tournaments/trf",
        data=report.replace(b"Open", b"Copy"),
        query_string=query,
        content_type="text/plain",
        headers={"Authorization": f"Bearer {arbiter.token.secret}"},
    )
    assert made.status_code == 201, made.get_data(as_text=True)
    path = f"/tournaments/{(made.json or {})['id']}"
    log = api.get(f"{path}/events", accept=NDJSON).get_data()
    (verdict,) = verify_file(log, keys(api))
    assert verdict.error is None
    standings = api.get(f"{path}/standings").get_data()
    assert verify_standings(standings, log, keys(api)).error is None


def test_an_audit_finds_a_result_that_is_not_its_games(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, players=2, rounds=1)
    (pairing,) = desk.pair()["pairings"]
    desk.play(pairing)
    id = desk.path.rpartition("/")[2]
    log, state = api.service.log, api.service.tournaments.load(id)
    game = api.service.games.load(pairing["game"])
    forged = ResultTallied(
        round=1,
        board=1,
        game=game.id,
        version=game.version,
        result="0-1",
        termination="resignation",
        points=None,
        plies=game.plies,
    )
    assert audit_tournament(log, stream_of(id)).as_json()["diverges"] is False
    log.append(Append(stream_of(id), state.version, [forged], state.updated_at, SCORER))
    finding = audit_tournament(log, stream_of(id))
    assert str(finding).endswith(
        f"diverges at round 1, board 1: counted as 0-1, the game {game.id} says 1-0"
    )
    assert finding.as_json()["diverges"] is True


@pytest.mark.parametrize("path", ["/games", "/search", "/export", "/events"])
def test_a_list_is_undecided_and_its_report_says_what_to_verify(
    path: str, api: Api, ada: NewPlayer
) -> None:
    game_of(api, ada)
    api.project()
    (verdict,) = verify_file(api.get(path, accept=NDJSON).data, keys(api))
    assert isinstance(verdict.error, Unverifiable)
    assert "verify records (movelog export) or a game's events" in str(verdict)


@pytest.mark.parametrize("path", ["/api/v1/games", "/api/v1/players", KEYS])
def test_any_other_json_of_the_service_is_undecided(path: str, api: Api, ada: NewPlayer) -> None:
    game_of(api, ada)
    api.project()
    data = api.http.get(path).data
    assert [verdict.status for verdict in verify_file(data, None)] == [2]


def test_a_log_with_one_line_rewritten_is_still_wrong(api: Api, ada: NewPlayer) -> None:
    *lines, head = api.get(f"{game_of(api, ada)}/events", accept=NDJSON).data.splitlines()
    rewritten = [json.dumps(json.loads(line)).encode() for line in lines]
    for changed in ([*rewritten, head], lines, [*lines, json.dumps(json.loads(head)).encode()]):
        assert [one.status for one in verify_file(b"\n".join([*changed, b""]), None)] == [1]
