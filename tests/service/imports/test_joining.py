"""Imported games count for a tournament by their tags, if an arbiter imported them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.composition.service import compose
from service.player.repository import NewPlayer
from service.settings import read_settings
from tests.service.api.client import Api, error
from tests.service.api.tournaments import Desk
from tests.service.imports.support import begun, work
from tests.service.redis_server import RedisServer
from workers.game_counting import count_for_tournament

ROUND = "1"


@pytest.fixture
def api(redis_server: RedisServer, tmp_path: Path) -> Iterator[Api]:
    own = {"MOVELOG_REDIS_URL": redis_server.url, "MOVELOG_DATA_DIR": str(tmp_path)}
    made = Api(compose(read_settings({"MOVELOG_RATE_LIMIT": "", **own})))
    yield made
    made.service.store.close()


@pytest.fixture
def anna(api: Api) -> NewPlayer:
    return api.player("Anna", "arbiter", "play")


@pytest.fixture
def league(api: Api, anna: NewPlayer) -> Desk:
    """A league of Ada, Bo and Cyd, entered by their names."""
    desk = Desk(api, anna, players=0, name="Club League", kind="free", rounds=None)
    for name in ("Ada Lovelace", "Bo", "Cyd"):
        desk.do("enter", name=name)
    return desk


def record(**tags: str) -> str:
    """A short game of Ada against Bo; `tags` override its usual ones."""
    usual = {
        "Event": "Club League",
        "Round": ROUND,
        "South": "Lovelace, Ada",
        "North": "bo",
        "Variant": "katruji",
        "Result": "1-0",
        "Termination": "resignation",
    }
    told = usual | {name.replace("_", "-"): value for name, value in tags.items()}
    lines = "".join(f'[{name} "{value}"]\n' for name, value in told.items() if value)
    return f"{lines}\n1. Sd1 Sa8 {told['Result']}\n"


def take_in(desk: Desk, by: NewPlayer, *records: str) -> None:
    begun(desk.api, by, "\n".join(records))
    desk.work()


def results(desk: Desk) -> list[tuple[int, str, str, str]]:
    """Round, players and result of every pairing, sorted, since boards have no order."""
    return sorted(
        (one["round"], one["first"]["name"], one["second"]["name"], one["result"])
        for round in desk.get("/rounds")["rounds"]
        for one in round["pairings"]
    )


def test_a_league_is_made_of_the_records_that_arrive(league: Desk, anna: NewPlayer) -> None:
    second = record(
        Round="2.1", South="Cyd", North="Ada Lovelace", Result="1/2-1/2", Termination=""
    )
    take_in(league, anna, record(), second, record(Round="", South="Bo", North="Cyd", Result="0-1"))
    assert results(league) == [
        (1, "Ada Lovelace", "Bo", "1-0"),
        (1, "Bo", "Cyd", "0-1"),
        (2, "Cyd", "Ada Lovelace", "1/2-1/2"),
    ]
    take_in(league, anna, record())
    assert len(results(league)) == 3
    points = {
        s["player"]["name"]: s["values"]["match-points"]
        for s in league.get("/standings")["standings"]
    }
    assert points == {"Ada Lovelace": "1.5", "Cyd": "1.5", "Bo": "0"}


@pytest.mark.parametrize(
    "tags",
    [
        {"Event": "Another League"},
        {"Round": "101"},
        {"South": "Somebody Else"},
        {"North": "Ada Lovelace"},
        {"Result": "*", "Termination": "unterminated"},
    ],
)
def test_what_does_not_fit_counts_for_nothing(
    league: Desk, anna: NewPlayer, tags: dict[str, str]
) -> None:
    take_in(league, anna, record(**tags))
    assert results(league) == []


def test_what_somebody_else_imports_counts_for_nothing(league: Desk, api: Api) -> None:
    take_in(league, api.player("Eve", "play"), record())
    take_in(league, api.player("Otto", "play", "arbiter"), record(Round="2"))
    assert results(league) == []


def test_a_tournament_is_named_by_its_id_before_its_name(league: Desk, anna: NewPlayer) -> None:
    take_in(league, anna, record(Event="?", MovelogTournament=league.made["id"]))
    take_in(league, anna, record(Round="2", MovelogTournament="a" * 16))
    assert [result[0] for result in results(league)] == [1, 2]


def test_a_name_that_two_entrants_have_is_nobodys(league: Desk, anna: NewPlayer, api: Api) -> None:
    league.do("enter", player=api.player("ADA  Lovelace").id)
    take_in(league, anna, record())
    assert results(league) == []


def test_a_record_takes_the_place_of_the_game_that_was_made(api: Api, anna: NewPlayer) -> None:
    desk = Desk(api, anna, players=2)
    made = desk.pair()["pairings"][0]
    names = {"South": made["first"]["name"], "North": made["second"]["name"]}
    take_in(desk, anna, record(Event="Open", **names))
    told = desk.get("/rounds/1")["pairings"][0]
    assert told["result"] == "1-0"
    assert told["game"] != made["game"]
    own: Any = api.get(f"/games/{made['game']}").json
    assert (own["status"], own["result"]) == ("finished", "*")
    turned = {"South": names["North"], "North": names["South"]}
    take_in(desk, anna, record(Event="Open", Result="0-1", **turned))
    assert desk.get("/rounds/1")["pairings"][0] == told


def test_a_game_that_was_there_before_joins_when_it_is_named(
    league: Desk, anna: NewPlayer, api: Api
) -> None:
    take_in(league, anna, record(Event="Elsewhere"))
    [game] = [one["id"] for one in (api.get("/games").json or {})["items"]]
    league.do("join", game=game, round=4)
    assert results(league) == [(4, "Ada Lovelace", "Bo", "1-0")]
    correction = {"result": "0-1", "termination": "resignation", "reason": "misread"}
    assert api.command(f"/games/{game}", anna, "correct-result", **correction).status_code == 200
    league.work()
    assert results(league)[0][3] == "0-1"
    other = Desk(api, anna, players=0, name="Other League", kind="free", rounds=None)
    for name in ("Ada Lovelace", "Bo"):
        other.do("enter", name=name)
    refused = other.order(anna, "join", game=game, round=1)
    assert error(refused) == (409, "cannot-join")
    missing = league.order(anna, "join", game="a" * 16, round=1)
    assert error(missing) == (404, "not-found")


def test_a_worker_killed_between_claim_and_join_is_made_good(
    league: Desk, anna: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(league.api, anna, record())
    work(league.api.service)
    service = league.api.service
    [stream] = service.log.streams("game")
    game = service.games.load(stream.id)

    class Killed(BaseException):
        pass

    def kill(*given: object, **named: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(service.tournaments, "execute", kill)
        with pytest.raises(Killed):
            count_for_tournament(service.tournaments, game)
    assert results(league) == []
    assert count_for_tournament(service.tournaments, game)
    assert not count_for_tournament(service.tournaments, game)
    assert len(results(league)) == 1


def test_a_running_game_cannot_join(league: Desk, anna: NewPlayer, api: Api) -> None:
    seats = {"first": {"name": "Bo"}, "second": {"name": "Cyd"}}
    path = api.scribed(anna, players=seats)
    refused = league.order(anna, "join", game=path.removeprefix("/games/"), round=1)
    assert error(refused) == (409, "cannot-join")
