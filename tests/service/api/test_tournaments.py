"""Tournaments over HTTP."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from itertools import count
from typing import Any

import pytest

from service.api import tournament_reports
from service.composition.service import now
from service.jobs.job import JobState
from service.jobs.job_kinds import ROUNDS
from service.log.claims import Holding
from service.log.repository import TRIES
from service.log.values import Append
from service.player.actor import Actor
from service.player.repository import NewPlayer
from service.projection.ratings import write_rated
from service.reactions.round_jobs import round_job_id
from service.tournament.commands import ConfirmRound, Enter
from service.tournament.reporting import make_report
from service.tournament.standings import Regulations, Standing, standings
from service.tournament.state import TournamentState
from service.tournament.table import Table
from service.tournament.trf import Report
from service.tournament.values import Pairing
from tests.service.api.client import Api, code, error
from tests.service.api.tournaments import Desk
from tests.service.projection.support import memory_games, rated_game
from tests.workers.support import task
from workers.round_job import ACTOR, create_game, pair_round

NEW = {"name": "Open", "variant": "katruji", "kind": "swiss", "rounds": 3}


@pytest.fixture
def desk(api: Api, arbiter: NewPlayer) -> Desk:
    return Desk(api, arbiter)


def rows(api: Api, path: str) -> list[dict[str, str]]:
    """The rows of a CSV answer."""
    answer = api.get(path, accept="text/csv")
    assert answer.mimetype == "text/csv"
    return list(csv.DictReader(StringIO(answer.get_data(as_text=True))))


def test_a_swiss_from_its_creation_to_its_end(desk: Desk) -> None:
    for number in (1, 2, 3):
        played = desk.play_round()
        assert played["status"] == "finished"
        assert [one["result"] for one in played["pairings"]] == ["1-0"] * 2
        assert desk.get()["rounds_ready"] == number
    assert desk.do("finish")["status"] == "finished"
    found = desk.get("/standings")
    assert found["round"] == 3
    points = [line["values"]["match-points"] for line in found["standings"]]
    assert sum(map(float, points)) == 6
    assert points == sorted(points, reverse=True)
    assert code(desk.order(desk.arbiter, "pair")) == "tournament-over"


def test_every_command_is_refused_to_all_but_its_arbiters(
    desk: Desk, api: Api, eve: NewPlayer
) -> None:
    other = api.player("Otto", "arbiter")
    admin = api.player("Root", "admin", "play")
    player = desk.players[0].id
    board = {"round": 1, "board": 1, "reason": "seen"}
    commands: dict[str, dict[str, Any]] = {
        "enter": {"name": "Late"},
        "withdraw": {"player": desk.players[1].id},
        "open-self-entry": {},
        "close-self-entry": {},
        "grant-bye": {"player": player, "round": 1, "bye": "half-bye"},
        "cancel-bye": {"player": player, "round": 1},
        "pair": {},
        "unpair": {"round": 1, "reason": "early"},
        "rule": {**board, "result": "1-0"},
        "results": {"round": 1, "results": [{"board": 1, "result": "1-0"}]},
        "lift-ruling": board,
        "join": {"game": "a" * 16, "round": 1},
        "appoint-arbiter": {"player": player},
        "dismiss-arbiter": {"player": player},
        "finish": {},
    }
    before = desk.get()
    for type, members in commands.items():
        for by, wrong in (
            (None, (401, "missing-token")),
            (eve, (403, "missing-scope")),
            (desk.players[0], (403, "missing-scope")),
            (admin, (403, "missing-scope")),
            (other, (403, "not-the-arbiter")),
        ):
            assert error(desk.order(by, type, **members)) == wrong, type
    assert desk.get() == before
    assert error(api.post("/tournaments", NEW | {"name": "Mine"}, eve)) == (403, "missing-scope")
    assert error(api.post("/tournaments", NEW | {"name": "Mine"})) == (401, "missing-token")


def test_a_round_is_seen_by_nobody_until_all_its_games_are_made(desk: Desk, api: Api) -> None:
    events = desk.get("/events")["items"]
    answer = desk.order(desk.arbiter, "pair")
    assert (answer.status_code, answer.headers["Location"]) == (202, f"/api/v1{desk.path}/rounds/1")
    assert desk.get("/rounds/1") == {"number": 1, "status": "pairing", "pairings": [], "byes": []}
    assert desk.get("/rounds")["rounds"] == []
    assert desk.get("/events")["items"] == events
    assert desk.get()["status"] == "open"
    assert desk.get()["pairing"] is True
    assert desk.get("/standings")["round"] == 0
    for command, members in (
        ("pair", {}),
        ("finish", {}),
        ("rule", {"round": 1, "board": 1, "result": "1-0", "reason": "early"}),
    ):
        assert error(desk.order(desk.arbiter, command, **members)) == (409, "round-pending")
    assert desk.json(api.get("/games"))["items"] == []
    desk.work()
    assert desk.get("/rounds/1")["status"] == "running"
    assert len(desk.json(api.get("/games"))["items"]) == 2
    types = [event["type"] for event in desk.get("/events")["items"][len(events) :]]
    assert types == ["round-asked/1", "round-paired/1", "round-ready/1"]


def settled(api: Api, id: str) -> TournamentState:
    """Pair a tournament's first round, as a worker that died right after it."""
    tournaments = api.service.tournaments
    state = tournaments.load(id)
    asked = state.rounds[0].version
    job = task(api.service, ROUNDS, {"tournament": id, "version": asked})
    return tournaments.execute(id, pair_round(job, id, state.rounds[0]), ACTOR).state


def half_made_round(api: Api, desk: Desk) -> tuple[TournamentState, Pairing]:
    """A tournament whose first round is paired with one game of it created, and that pairing."""
    desk.do("pair")
    state = settled(api, desk.made["id"])
    pairing = state.rounds[0].pairings[0]
    create_game(api.service.games, state, pairing)
    return state, pairing


@pytest.mark.parametrize("variant", ["katruji", "kerd"])
def test_a_ready_round_can_be_played_though_its_worker_died(
    api: Api, arbiter: NewPlayer, variant: str
) -> None:
    desk = Desk(api, arbiter, variant=variant, players=2, rounds=1)
    state, pairing = half_made_round(api, desk)
    path, player = f"/games/{pairing.game}", desk.token(pairing.first)
    asked = {"katruji": ("resign", {}), "kerd": ("choose", {"square": "e11"})}
    type, members = asked[variant]
    early = api.command(path, player, type, **members)
    assert code(early) == ("not-running" if variant == "katruji" else "not-choosing")
    api.service.tournaments.execute(state.id, ConfirmRound(asked=state.rounds[0].version), ACTOR)
    assert api.command(path, player, type, **members).status_code == 200


def test_a_ready_game_shows_its_legal_actions_at_once(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, players=2, rounds=1)
    state, pairing = half_made_round(api, desk)
    path, player = f"/games/{pairing.game}/legal", desk.token(pairing.first)
    assert desk.json(api.get(path, player))["actions"] == []
    api.service.tournaments.execute(state.id, ConfirmRound(asked=state.rounds[0].version), ACTOR)
    assert desk.json(api.get(path, player))["actions"]


def test_games_have_the_tags_of_their_place(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, tags={"PlyLimit": "80"})
    pairing = desk.pair()["pairings"][0]
    tags = desk.json(api.get(f"/games/{pairing['game']}"))["tags"]
    assert tags == {
        "Event": "Open",
        "Round": "1",
        "Board": "1",
        "MovelogTournament": desk.made["id"],
        "PlyLimit": "80",
    }


def test_a_name_is_good_for_one_tournament_of_a_game(
    desk: Desk, api: Api, arbiter: NewPlayer
) -> None:
    assert error(api.post("/tournaments", NEW | {"name": " open "}, arbiter)) == (409, "name-taken")
    other = api.post("/tournaments", NEW | {"variant": "kerak"}, arbiter)
    assert other.status_code == 201


def test_a_name_claimed_by_who_died_before_creating_is_free(api: Api, arbiter: NewPlayer) -> None:
    tournaments = api.service.tournaments
    claim = ("event", "katruji", "open")
    assert tournaments.claims.claim(*claim, owner="n" * 16, by="x", look=lambda id: Holding())
    assert api.post("/tournaments", NEW, arbiter).status_code == 201
    assert error(api.post("/tournaments", NEW, arbiter)) == (409, "name-taken")


def test_a_repeated_request_makes_nothing_twice(api: Api, arbiter: NewPlayer) -> None:
    first = api.post("/tournaments", NEW, arbiter, key="once")
    assert first.status_code == 201
    assert api.post("/tournaments", NEW, arbiter, key="once").data == first.data
    assert code(api.post("/tournaments", NEW | {"rounds": 4}, arbiter, key="once")) == (
        "idempotency-key-reused"
    )
    path = f"/tournaments/{(first.json or {})['id']}/commands"
    entering = {"type": "enter", "name": "Ada"}
    answers = [api.post(path, entering, arbiter, key="enter").data for _ in range(2)]
    assert answers[0] == answers[1]
    assert error(api.post(path, entering, arbiter)) == (409, "already-entered")
    stale = api.post(path, {"type": "enter", "name": "Bo", "expected_version": 1}, arbiter)
    assert error(stale) == (409, "wrong-version")
    told = stale.json or {}
    assert (told["expected"], told["actual"]) == (1, 2)
    assert [event["type"] for event in told["missed"]] == ["player-entered/1"]


def test_a_round_whose_job_was_given_up_is_taken_up_again(desk: Desk, api: Api) -> None:
    desk.do("pair")
    state = api.service.tournaments.load(desk.made["id"])
    jobs = api.service.jobs
    job = round_job_id(state.id, state.version)
    assert code(desk.order(desk.arbiter, "pair")) == "round-pending"
    assert jobs.get(job).state is JobState.QUEUED
    claimed = jobs.claim(job, "somebody")
    assert claimed is not None
    jobs.fail(claimed, "the store was away", final=True)
    desk.work()
    assert desk.get("/rounds/1")["status"] == "pairing"
    assert code(desk.order(desk.arbiter, "pair")) == "round-pending"
    desk.work()
    assert desk.get("/rounds/1")["status"] == "running"


def test_a_round_that_no_pairing_keeps_the_rules_of_is_refused_where_its_arbiter_looks(
    api: Api, arbiter: NewPlayer
) -> None:
    desk = Desk(api, arbiter, players=2, rounds=3)
    desk.play_round()
    before = desk.get("/rounds")
    asked = api.post(f"{desk.path}/commands", {"type": "pair"}, arbiter, key="again")
    assert asked.status_code == 202
    desk.work()
    refusal = desk.get()["refusal"]
    assert (refusal["round"], refusal["code"]) == (2, "no-pairing")
    told = desk.get("/rounds/2")
    assert (told["status"], told["refusal"], told["pairings"]) == ("refused", refusal, [])
    assert desk.get("/events")["items"][-1]["data"] == refusal
    assert desk.get("/rounds")["rounds"] == before["rounds"]
    assert desk.get()["pairing"] is False
    # The same request again pairs nothing; a new one does, once there is an opponent.
    again = api.post(f"{desk.path}/commands", {"type": "pair"}, arbiter, key="again")
    assert (again.status_code, again.json) == (202, asked.json)
    assert desk.get()["pairing"] is False
    desk.do("enter", name="Late")
    assert desk.pair()["status"] == "running"
    assert desk.get()["refusal"] is None


def test_a_round_is_taken_back_until_an_action_is_played(desk: Desk, api: Api) -> None:
    first, second = desk.pair()["pairings"]
    taken = {"type": "unpair", "round": 1, "reason": "p4 has not come"}
    answer = api.post(f"{desk.path}/commands", taken, desk.arbiter, key="back")
    assert desk.json(answer)["rounds_ready"] == 0
    desk.work()
    for pairing in (first, second):
        game = desk.json(api.get(f"/games/{pairing['game']}"))
        assert (game["result"], game["status"]) == ("*", "finished")
    assert error(api.get(f"{desk.path}/rounds/1")) == (404, "not-found")
    assert desk.get("/standings")["round"] == 0
    again = desk.pair()["pairings"]
    assert api.post(f"{desk.path}/commands", taken, desk.arbiter, key="back").data == answer.data
    assert desk.get()["rounds_ready"] == 1
    desk.play(again[0])
    late = desk.order(desk.arbiter, "unpair", round=1, reason="too late")
    assert error(late) == (409, "round-begun")
    desk.work()
    assert desk.get("/rounds/1")["pairings"][0]["result"] == "1-0"


def test_why_a_round_stays_is_told_before_its_games_are_looked_at(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.play_round()
    looked_at: list[str] = []
    monkeypatch.setattr(desk.api.service.games, "load", looked_at.append)
    taken = {"round": 2, "reason": "never made"}
    assert error(desk.order(desk.arbiter, "unpair", **taken)) == (422, "bad-value")
    taken["round"] = 1
    assert error(desk.order(desk.arbiter, "unpair", **taken)) == (409, "round-begun")
    desk.do("finish")
    assert error(desk.order(desk.arbiter, "unpair", **taken)) == (409, "tournament-over")
    assert not looked_at


def test_a_tournament_that_is_over_makes_no_players(desk: Desk) -> None:
    desk.do("finish")
    before = desk.api.snapshot()
    for number in range(3):
        refused = desk.order(desk.arbiter, "enter", name=f"Nobody {number}")
        assert error(refused) == (409, "tournament-over")
    assert desk.api.snapshot() == before


def test_standings_as_of_a_round_a_version_and_a_time(desk: Desk) -> None:
    desk.play_round()
    after_one = desk.get("/standings")
    version = after_one["version"]
    at = desk.get("/events")["items"][-1]["at"]
    desk.play_round()
    now = desk.get("/standings")
    assert now["standings"] != after_one["standings"]
    for moment in ("round:1", "1", f"version:{version}", f"time:{at}", at):
        found = desk.get("/standings", as_of=moment)
        assert found["standings"] == after_one["standings"], moment
        assert found["round"] == 1
    desk.do("pair")
    pairing = desk.get("/standings")
    assert pairing["standings"] == now["standings"]
    # Standings read while a round is being made can be read again, and reveal nothing of it.
    assert desk.get("/standings", as_of=f"version:{pairing['version']}") == pairing
    diff = desk.get("/standings/diff", **{"from": "round:1", "to": "round:2"})
    assert [change["player"]["id"] for change in diff["changes"]]
    assert desk.get("/standings/diff", **{"from": "round:2"})["changes"] == []
    for wrong in ("round:9", "version:0", "version:99999", "time:soon", "2030-01-01"):
        answer = desk.api.get(f"{desk.path}/standings", query={"as_of": wrong})
        assert error(answer) == (400, "bad-parameter"), wrong
    early = {"as_of": "1999-12-31T00:00:00Z"}
    assert error(desk.api.get(f"{desk.path}/standings", query=early)) == (404, "not-found")


def test_standings_are_worked_out_once_for_all_who_look(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def counting(table: Table, regulations: Regulations) -> tuple[Standing, ...]:
        calls.append(1)
        return standings(table, regulations)

    monkeypatch.setattr("service.api.as_of.standings", counting)
    desk.play_round()
    first = desk.get("/standings")
    assert desk.get("/standings") == first
    assert desk.get("/standings", as_of="round:0") != first
    assert len(calls) == 2
    desk.do("rule", round=1, board=1, result="1/2-1/2", reason="seen")
    assert desk.get("/standings") != first
    assert len(calls) == 3


def test_a_corrected_result_changes_the_standings_by_itself(desk: Desk, api: Api) -> None:
    pairing = desk.play_round()["pairings"][0]
    before = desk.get()["version"]
    members = {"result": "0-1", "termination": "resignation", "reason": "wrong side"}
    assert api.command(f"/games/{pairing['game']}", desk.arbiter, "correct-result", **members).json
    desk.work()
    assert desk.get("/rounds/1")["pairings"][0]["result"] == "0-1"
    changes = desk.get("/standings/diff", **{"from": f"version:{before}"})["changes"]
    assert {pairing["first"]["id"], pairing["second"]["id"]} <= {c["player"]["id"] for c in changes}


def test_nobody_but_its_arbiters_rules_on_a_game_of_a_tournament(
    desk: Desk, api: Api, admin: NewPlayer
) -> None:
    """Otherwise arbiters of the service could change the standings of each other's tournaments."""
    other, dismissed = api.player("Otto", "arbiter"), api.player("Dora", "arbiter")
    desk.do("appoint-arbiter", player=dismissed.id)
    desk.do("dismiss-arbiter", player=dismissed.id)
    first, second = desk.pair()["pairings"]
    desk.play(first)
    desk.work()
    path, ended = f"/games/{second['game']}", f"/games/{first['game']}"
    correction = {"result": "0-1", "termination": "resignation", "reason": "mine"}
    standings = desk.get("/standings")
    for by in (other, dismissed, admin):
        for type, members in {
            "adjudicate": {"result": "1-0", "termination": "adjudication"},
            "lose-on-time": {"side": "first"},
            "close": {},
        }.items():
            assert error(api.command(path, by, type, **members)) == (403, "not-the-arbiter"), type
        refused = api.command(ended, by, "correct-result", **correction)
        assert error(refused) == (403, "not-the-arbiter")
    player = api.command(ended, desk.players[0], "correct-result", **correction)
    assert error(player) == (403, "missing-scope")
    desk.work()
    assert desk.get("/standings") == standings
    closing = {"result": "1-0", "termination": "adjudication"}
    desk.json(api.command(path, desk.arbiter, "adjudicate", **closing))
    desk.work()
    assert desk.get("/rounds/1")["pairings"][1]["result"] == "1-0"


def test_a_ruling_ends_the_game_that_is_on(desk: Desk, api: Api) -> None:
    first, second = desk.pair()["pairings"]
    desk.do("rule", round=1, board=1, result="-/+", reason="did not come")
    desk.do("rule", round=1, board=2, result="-/-", reason="nobody came")
    desk.work()
    games = [desk.json(api.get(f"/games/{one['game']}")) for one in (first, second)]
    assert [(g["result"], g["termination"]) for g in games] == [
        ("0-1", "forfeit"),
        ("*", "unterminated"),
    ]
    told = desk.get("/rounds/1")["pairings"]
    assert [one["result"] for one in told] == ["-/+", "-/-"]
    assert told[0]["ruling"] == {"result": "-/+", "reason": "did not come"}
    card = desk.get(f"/players/{first['second']['id']}")
    assert card["cells"][0]["mark"] == "forfeit-win"


def test_every_number_explains_itself(desk: Desk) -> None:
    desk.play_round()
    desk.play_round()
    for line in desk.get("/standings")["standings"]:
        for term, value in line["values"].items():
            asked = {"player": line["player"]["id"], "term": term}
            told = desk.get("/standings/explain", **asked)
            assert told["value"] == value
            assert told["rule"]
            if term != "direct-encounter":
                counted = [float(part["value"]) for part in told["parts"] if part["counted"]]
                assert sum(counted) == float(value), term
    wrong = {"player": "a" * 16, "term": "wins"}
    assert error(desk.api.get(f"{desk.path}/standings/explain", query=wrong)) == (404, "not-found")


def test_tables_as_csv_say_what_the_json_says(desk: Desk, api: Api) -> None:
    desk.play_round()
    standings = desk.get("/standings")["standings"]
    listed = rows(api, f"{desk.path}/standings")
    assert [row["id"] for row in listed] == [line["player"]["id"] for line in standings]
    assert [row["buchholz"] for row in listed] == [line["values"]["buchholz"] for line in standings]
    crossed = rows(api, f"{desk.path}/cross-table")
    assert {row["round 1"][-1] for row in crossed} == {"0", "1"}
    paired = rows(api, f"{desk.path}/rounds/1")
    assert [row["result"] for row in paired] == ["1-0", "1-0"]
    card = rows(api, f"{desk.path}/players/{desk.players[0].id}")
    assert [row["mark"] for row in card] == ["win"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_no_name_is_a_formula_in_a_spreadsheet(api: Api, arbiter: NewPlayer, start: str) -> None:
    desk = Desk(api, arbiter, players=0)
    names = [f"{start}HYPERLINK(1)", 'Ada, "Countess"', "Bo"]
    for name in names:
        desk.do("enter", name=name)
    desk.pair()
    first, second, third = (one["id"] for one in desk.get()["players"])
    games = memory_games()
    met = [(first, second), (second, third)]
    ratings = api.service.ratings
    states = [rated_game(games, "".join(two), *two, "1-0") for two in met]
    ratings.database.write(lambda connection: write_rated(connection, states))
    ratings.close(now())
    safe = {"'" + names[0], *names[1:]}
    for path, columns in {
        f"{desk.path}/standings": ["name"],
        f"{desk.path}/cross-table": ["name"],
        f"{desk.path}/rounds/1": ["first", "second"],
        "/ratings?variant=katruji": ["name"],
    }.items():
        found = {row[column] for row in rows(api, path) for column in columns}
        assert found - {""} == safe, path
    cards = [rows(api, f"{desk.path}/players/{one['id']}") for one in desk.get()["players"]]
    assert {row["opponent"] for card in cards for row in card} <= safe | {""}
    assert {one["name"] for one in desk.get()["players"]} == set(names)


def test_answers_are_not_sent_again_to_who_has_them(desk: Desk, api: Api) -> None:
    first = api.get(f"{desk.path}/standings")
    again = api.get(f"{desk.path}/standings", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304


def test_what_there_is_not_is_not_found(desk: Desk, api: Api) -> None:
    for path in (
        f"/tournaments/{'a' * 16}",
        f"/tournaments/{'a' * 16}/standings",
        f"{desk.path}/rounds/1",
        f"{desk.path}/players/{'a' * 16}",
        f"{desk.path}/bracket",
    ):
        assert error(api.get(path)) == (404, "not-found"), path


def test_the_list_is_filtered_and_paged(api: Api, arbiter: NewPlayer) -> None:
    names = [f"T{number}" for number in range(5)]
    desks = [Desk(api, arbiter, players=2, name=name) for name in names]
    Desk(api, arbiter, players=0, name="K", variant="kerak", kind="knockout", rounds=None)
    desks[0].pair()
    found: list[str] = []
    cursor: dict[str, str | int] = {}
    while True:
        page = (
            api.get("/tournaments", query={"limit": 2, "variant": "katruji", **cursor}).json or {}
        )
        found += [one["name"] for one in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert found == names[::-1]
    running = api.get("/tournaments", query={"status": "running"}).json or {}
    assert [(one["name"], one["players"], one["rounds_ready"]) for one in running["items"]] == [
        ("T0", 2, 1)
    ]
    assert error(api.get("/tournaments", query={"cursor": "x"})) == (422, "bad-cursor")


def test_the_list_counts_players_who_withdrew(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, players=3)
    desk.do("withdraw", player=desk.players[0].id)
    desk.work()
    (listed,) = (api.get("/tournaments").json or {})["items"]
    assert listed["players"] == len(desk.get()["players"]) == 3


def test_a_knockout_shows_its_bracket(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, name="Cup", kind="knockout", rounds=None)
    desk.play_round()
    desk.play_round()
    told = desk.get("/bracket")
    assert [len(stage) for stage in told["stages"]] == [2, 1]
    final = told["stages"][1][0]
    assert told["places"][0]["player"] == final["winner"]
    assert error(desk.order(desk.arbiter, "pair")) == (409, "nothing-to-pair")


@pytest.mark.parametrize("players", [0, 1, 2])
def test_a_knockout_with_fewer_than_two_players_has_an_empty_bracket(
    api: Api, arbiter: NewPlayer, players: int
) -> None:
    desk = Desk(api, arbiter, players=players, name="Cup", kind="knockout", rounds=None)
    if players == 2:
        for player in desk.players:
            desk.do("withdraw", player=player.id)
    told = desk.get("/bracket")
    assert (told["stages"], told["third_place"], told["places"]) == ([], None, [])


def test_all_games_as_records_by_round_and_board(desk: Desk, api: Api) -> None:
    played = [desk.play_round() for _ in range(2)]
    ids = [one["game"] for round in played for one in round["pairings"]]
    text = api.get("/export", query={"tournament": desk.made["id"]}).get_data(as_text=True)
    assert [part[: part.index('"')] for part in text.split('[MovelogGame "')[1:]] == ids
    resumed = {"tournament": desk.made["id"], "after": ids[2]}
    assert api.get("/export", query=resumed).get_data(as_text=True).count("[MovelogGame") == 1
    for wrong, status in (({"after": "a" * 16}, 422), ({"variant": "kerd"}, 400)):
        answer = api.get("/export", query={"tournament": desk.made["id"], **wrong})
        assert answer.status_code == status


def test_a_report_out_and_in_again_ranks_alike(desk: Desk, api: Api, arbiter: NewPlayer) -> None:
    for _ in range(3):
        desk.play_round()
    report = api.get(f"{desk.path}/trf", accept="text/plain").get_data(as_text=True)
    text = report.replace("012 Open", "012 Copy").encode()
    query = {"variant": "katruji"}
    answer = api.send("POST", "/tournaments/trf", arbiter, text, "text/plain", query=query)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    copy = f"/tournaments/{(answer.json or {})['id']}"
    shown = [desk.get("/standings"), api.get(f"{copy}/standings").json or {}]
    assert len(shown[1]["standings"]) == 4
    one, other = (
        [(line["place"], line["player"]["name"], line["values"]) for line in told["standings"]]
        for told in shown
    )
    assert one == other
    made = answer.json or {}
    assert (made["over_the_board"], made["terms"]["rated"]) == (True, False)
    again = api.get(f"{copy}/trf", accept="text/plain").get_data(as_text=True)
    assert [x for x in again.splitlines() if x[:3] == "001"] == [
        x for x in report.splitlines() if x[:3] == "001"
    ]


def test_a_report_is_made_once_and_again_after_a_change(
    desk: Desk, api: Api, arbiter: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[TournamentState] = []

    def make_and_note(state: TournamentState, names: Mapping[str, str]) -> Report:
        made.append(state)
        return make_report(state, names)

    monkeypatch.setattr(tournament_reports, "make_report", make_and_note)
    desk.play_round()
    first = api.get(f"{desk.path}/trf")
    assert api.get(f"{desk.path}/trf").data == first.data
    assert len(made) == 1
    api.service.players.rename(desk.players[0].id, "Quirina Zabolotny", arbiter.id)
    assert b"Quirina Zabolotny" in api.get(f"{desk.path}/trf").data
    desk.play_round()
    assert api.get(f"{desk.path}/trf").data.count(b"Quirina Zabolotny") == 1
    assert len(made) == 3


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (b"001 nonsense", (422, "bad-trf")),
        (b"012 No players\n", (201, "")),
        (b"", (422, "bad-value")),
    ],
)
def test_what_is_no_report_makes_no_tournament(
    api: Api, arbiter: NewPlayer, text: bytes, wrong: tuple[int, str]
) -> None:
    query = {"variant": "katruji"}
    answer = api.send("POST", "/tournaments/trf", arbiter, text, "text/plain", query=query)
    if wrong[0] == 201:
        assert answer.status_code == 201
    else:
        assert error(answer) == wrong
    refused = api.send("POST", "/tournaments/trf", arbiter, text, "application/json", query=query)
    assert error(refused) == (415, "wrong-media-type")


def test_a_command_that_is_overtaken_at_every_try_can_be_sent_again(
    desk: Desk, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournaments = api.service.tournaments
    append, names = tournaments.log.append, count()
    actor = Actor(desk.arbiter.id, frozenset({"arbiter"}))

    def overtake(request: Append) -> int:
        with monkeypatch.context() as patch:
            patch.setattr(tournaments.log, "append", append)
            player = tournaments.players.unclaimed(f"P{next(names)}", "x")
            tournaments.execute(desk.made["id"], Enter(player=player), actor)
        return append(request)

    monkeypatch.setattr(tournaments.log, "append", overtake)
    answer = desk.order(desk.arbiter, "enter", player=desk.arbiter.id)
    assert error(answer) == (503, "overtaken-by-others")
    assert answer.headers["Retry-After"] == "1"
    assert next(names) == TRIES
    monkeypatch.undo()
    assert desk.order(desk.arbiter, "enter", player=desk.arbiter.id).status_code == 200
