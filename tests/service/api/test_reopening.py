"""Ruling R35 over HTTP: reopening a game, and what that does to its tournament."""

from __future__ import annotations

from typing import Any

import pytest

from service.game.commands import ReopenGame
from service.game.errors import CannotReopen
from service.game.values import GameStatus
from service.player.actor import Actor
from service.player.repository import NewPlayer
from service.player.scopes import ARBITER
from service.tournament.commands import Rule
from service.verification.file import verify_file
from service.verification.keys import PublicKeys
from tests.service.api.client import NDJSON, PGN, Api, error
from tests.service.api.tournaments import Desk
from tests.service.game.support import YARA

REASON = "the score-keeper misheard"


@pytest.fixture
def desk(api: Api, arbiter: NewPlayer) -> Desk:
    return Desk(api, arbiter)


def ended(api: Api, scribe: NewPlayer) -> str:
    """The path of a scribe's game that the rules have ended."""
    path = api.scribed(scribe, fen=YARA)
    api.play(path, scribe, "Oxa5")
    return path


def test_r35_a_scribe_reopens_retracts_and_plays_on(api: Api, ada: NewPlayer) -> None:
    path = ended(api, ada)
    done = api.command(path, ada, "reopen", reason=REASON).json
    assert done is not None
    (event,) = done["events"]
    assert (event["type"], event["data"]) == ("game-reopened/1", {"reason": REASON})
    game = done["game"]
    assert (game["status"], game["result"], game["termination"]) == ("running", "*", None)
    assert game["to_act"] is None
    assert (api.get(f"{path}/legal").json or {})["actions"] == []
    refused = api.post(f"{path}/actions", {"action": "Oxa5"}, ada)
    assert error(refused) == (409, "still-decided")
    assert api.command(path, ada, "retract", plies=1).status_code == 200
    api.play(path, ada, "Oxa5")
    stream = api.get(f"{path}/stream", query={"until": "caught_up"}).text
    assert stream.count("game-ended/1") == 2
    assert stream.count("game-reopened/1") == 1


def test_r35_who_may_reopen(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer, arbiter: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    api.command(path, ada, "resign")
    for by in (ada, brahim, eve):
        assert error(api.command(path, by, "reopen", reason=REASON)) == (403, "missing-scope")
    assert api.command(path, arbiter, "reopen", reason=REASON).status_code == 200
    assert error(api.command(path, arbiter, "reopen", reason=REASON)) == (409, "not-finished")


def test_r35_a_reopening_is_carried_out_once(api: Api, ada: NewPlayer) -> None:
    path = ended(api, ada)
    body = {"type": "reopen", "reason": REASON}
    stale = api.post(f"{path}/commands", body | {"expected_version": 1}, ada)
    assert error(stale) == (409, "wrong-version")
    first = api.post(f"{path}/commands", body, ada, key="k" * 16)
    again = api.post(f"{path}/commands", body, ada, key="k" * 16)
    assert first.status_code == again.status_code == 200
    assert first.json == again.json
    assert api.get(f"{path}/events", accept=NDJSON).text.count("game-reopened/1") == 1


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": "x" * 1001}, {"reason": "a\nb"}])
def test_r35_a_reopening_without_a_reason_is_refused(
    api: Api, ada: NewPlayer, body: dict[str, str]
) -> None:
    answer = api.post(f"{ended(api, ada)}/commands", {"type": "reopen"} | body, ada)
    assert answer.status_code == 422


def test_r35_every_export_of_a_reopened_game_is_verified(api: Api, ada: NewPlayer) -> None:
    path = ended(api, ada)
    keys = PublicKeys.parse(api.http.get("/.well-known/movelog-keys").data)
    for type, members in (("reopen", {"reason": REASON}), ("retract", {"plies": 1})):
        api.command(path, ada, type, **members)
        for accept in (PGN, NDJSON):
            (verdict,) = verify_file(api.get(path, accept=accept).data, keys)
            assert verdict.error is None, str(verdict)
    api.play(path, ada, "Oxa5")
    (verdict,) = verify_file(api.get(path, accept=NDJSON).data, keys)
    assert verdict.error is None, str(verdict)


def test_r35_a_record_that_came_in_as_a_file_is_not_reopened(
    api: Api, ada: NewPlayer, arbiter: NewPlayer, desk: Desk
) -> None:
    record = b'[Variant "katruji"]\n[Result "1-0"]\n\n1. Pd1 1-0\n'
    made = api.send("POST", "/imports", ada, record, PGN).json
    assert made is not None
    desk.work()
    (verdict,) = (api.get(f"/imports/{made['id']}/verdicts", ada).json or {})["items"]
    answer = api.command(f"/games/{verdict['game']}", arbiter, "reopen", reason=REASON)
    assert error(answer) == (409, "cannot-reopen")
    assert "import a corrected file" in (answer.json or {})["detail"]


# Tournaments.


def points(desk: Desk, **query: str) -> dict[str, float]:
    """The match points of each player."""
    found = desk.get("/standings", **query)["standings"]
    return {one["player"]["id"]: float(one["values"]["match-points"]) for one in found}


def test_r35_the_standings_forget_the_end_until_there_is_another(desk: Desk, api: Api) -> None:
    pairing = desk.play_round()["pairings"][0]
    first, second = pairing["first"]["id"], pairing["second"]["id"]
    before = desk.get()["version"]
    path = f"/games/{pairing['game']}"
    assert points(desk)[first] == 1
    desk.json(api.command(path, desk.arbiter, "reopen", reason=REASON))
    desk.work()
    assert points(desk)[first] == 0
    assert points(desk, as_of=f"version:{before}")[first] == 1
    shown = desk.get("/rounds/1")
    assert shown["status"] == "running"
    assert shown["pairings"][0]["result"] == "*"
    assert error(desk.order(desk.arbiter, "pair")) == (409, "unfinished-round")
    assert error(desk.order(desk.arbiter, "unpair", round=1, reason="no")) == (409, "round-begun")
    desk.json(api.command(path, desk.token(first), "resign"))
    desk.work()
    assert (points(desk)[first], points(desk)[second]) == (0, 1)
    desk.pair()
    events = desk.get("/events")["items"]
    told = [e["data"] for e in events if e["type"] == "result-tallied/1"]
    own = [(e["result"], e["termination"]) for e in told if e["game"] == pairing["game"]]
    assert own == [("1-0", "resignation"), ("*", None), ("0-1", "resignation")]


def test_r35_only_its_arbiters_reopen_a_game_of_a_tournament(
    desk: Desk, api: Api, admin: NewPlayer
) -> None:
    pairing = desk.play_round()["pairings"][0]
    path = f"/games/{pairing['game']}"
    for by in (api.player("Otto", "arbiter"), admin):
        answer = api.command(path, by, "reopen", reason=REASON)
        assert error(answer) == (403, "not-the-arbiter")
    answer = api.command(path, desk.players[0], "reopen", reason=REASON)
    assert error(answer) == (403, "missing-scope")


@pytest.mark.slow
def test_r35_a_game_of_a_finished_tournament_is_reopened_too(desk: Desk, api: Api) -> None:
    last = [desk.play_round() for _ in range(3)][-1]["pairings"][0]
    desk.do("finish")
    first = last["first"]["id"]
    before = points(desk)[first]
    path = f"/games/{last['game']}"
    desk.json(api.command(path, desk.arbiter, "reopen", reason=REASON))
    desk.work()
    assert points(desk)[first] == before - 1
    desk.json(api.command(path, desk.token(last["second"]["id"]), "resign"))
    desk.work()
    assert points(desk)[first] == before


def test_r35_rounds_that_were_paired_since_stay_paired(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, name="Cup", kind="knockout", rounds=None)
    semifinal = desk.play_round()["pairings"][0]
    final = desk.play_round()["pairings"][0]
    winner, loser = semifinal["first"]["id"], semifinal["second"]["id"]
    assert winner in (final["first"]["id"], final["second"]["id"])
    path = f"/games/{semifinal['game']}"
    desk.json(api.command(path, desk.arbiter, "reopen", reason=REASON))
    desk.work()
    assert len(desk.get("/bracket")["stages"]) == 1
    assert desk.get("/rounds/2")["pairings"][0] == final
    desk.json(api.command(path, desk.token(winner), "resign"))
    desk.work()
    # The final is paired again, and the one already played stays in its round.
    told = desk.get("/bracket")["stages"][1][0]
    assert loser in (told["high"]["id"], told["low"]["id"])
    assert desk.get("/rounds/2")["pairings"][0] == final
    again = desk.pair()["pairings"][0]
    assert loser in (again["first"]["id"], again["second"]["id"])


def test_r35_a_game_that_counts_no_more_is_not_reopened(desk: Desk, api: Api) -> None:
    ruled, _ = desk.play_round()["pairings"]
    desk.do("rule", round=1, board=1, result="-/+", reason="cheated")
    answer = api.command(f"/games/{ruled['game']}", desk.arbiter, "reopen", reason=REASON)
    assert error(answer) == (409, "cannot-reopen")
    assert "lift the ruling first" in (answer.json or {})["detail"]
    desk.do("lift-ruling", round=1, board=1, reason="did not")
    desk.json(api.command(f"/games/{ruled['game']}", desk.arbiter, "reopen", reason=REASON))


def test_r35_a_game_of_a_round_that_was_taken_back_is_not_reopened(desk: Desk, api: Api) -> None:
    first, _ = desk.pair()["pairings"]
    desk.do("unpair", round=1, reason="nobody came")
    desk.work()
    path = f"/games/{first['game']}"
    assert (api.get(path).json or {})["result"] == "*"
    answer = api.command(path, desk.arbiter, "reopen", reason=REASON)
    assert error(answer) == (409, "cannot-reopen")
    assert "its round was taken back" in (answer.json or {})["detail"]


def test_r35_a_game_that_is_ruled_on_as_it_is_reopened_is_ended_as_ruled(
    desk: Desk, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairing, _ = desk.play_round()["pairings"]
    games, tournaments = api.service.games, api.service.tournaments
    actor = Actor(desk.arbiter.id, frozenset({ARBITER}))
    check = tournaments.check_ruling

    def overtaken(*given: Any) -> None:
        """Apply the ruling, and all that follows from it, just after the check."""
        check(*given)
        rule = Rule(round=1, board=1, result="-/+", reason="cheated")
        tournaments.execute(desk.made["id"], rule, actor)
        desk.work()

    with monkeypatch.context() as patched:
        patched.setattr(tournaments, "check_ruling", overtaken)
        games.execute(pairing["game"], ReopenGame(reason=REASON), actor)
    with pytest.raises(CannotReopen):
        check(games.load(pairing["game"]), ReopenGame(reason=REASON), actor)
    desk.work()
    state = games.load(pairing["game"])
    assert state.status is GameStatus.FINISHED
    assert state.ending is not None
    assert (state.ending.result, state.ending.termination) == ("0-1", "forfeit")
    assert desk.get("/rounds/1")["pairings"][0]["result"] == "-/+"
