"""A tournament's stream of a real web process: only what is public, in order, each event once."""

from __future__ import annotations

import pytest
import requests

from service.game.repository import Games
from service.game.repository import stream_of as game_stream
from service.game.state import GameState
from service.jobs.job_kinds import ROUNDS
from service.player.actor import Actor
from service.player.repository import NewPlayer
from service.player.scopes import ARBITER
from service.tournament import commands as c
from service.tournament.commands import TournamentCommand
from tests.service.api.live import SILENCE, Stream, post
from tests.service.web_server import WebServer
from tests.workers.support import task
from workers.round_job import carry_on


@pytest.fixture
def arbiter(server: WebServer) -> NewPlayer:
    return server.service.players.register("Anna", None, scopes=(ARBITER,))


@pytest.fixture
def id(server: WebServer, arbiter: NewPlayer, request: pytest.FixtureRequest) -> str:
    """A tournament of two, at version 3."""
    wish = {"name": request.node.name, "variant": "katruji", "kind": "round-robin", "cycles": 2}
    made: str = post(server, "/tournaments", wish, arbiter).json()["id"]
    for _ in range(2):
        player = server.service.players.register("P", None)
        do(server, made, c.Enter(player=player.id), arbiter)
    return made


def do(server: WebServer, id: str, command: TournamentCommand, by: NewPlayer) -> None:
    server.service.tournaments.execute(id, command, Actor(by.id, frozenset({ARBITER})))


def make_round(server: WebServer, id: str) -> None:
    """Do the job of the pending round, as a worker does."""
    pending = server.service.tournaments.load(id).pending
    assert pending is not None
    arguments = {"tournament": id, "version": pending.version}
    carry_on(task(server.service, ROUNDS, arguments, f"{id}{pending.number}"))


@pytest.mark.slow
def test_a_round_is_told_when_it_is_ready_and_what_came_meanwhile_after_it(
    server: WebServer, arbiter: NewPlayer, id: str
) -> None:
    with Stream(server, f"/tournaments/{id}/stream?after=2") as stream:
        entered, caught_up = stream.take(2)
        assert (entered.id, entered.data["type"]) == ("3", "player-entered/1")
        assert (caught_up.id, caught_up.event, caught_up.data) == ("3", "caught_up", {"version": 3})
        do(server, id, c.PairRound(), arbiter)
        player = next(iter(server.service.tournaments.load(id).entries))
        do(server, id, c.Withdraw(player=player), arbiter)
        with Stream(server, f"/tournaments/{id}/stream?until=caught_up", last="3") as meanwhile:
            assert [m.event for m in meanwhile] == ["caught_up"]
        make_round(server, id)
        told = stream.take(4)
    assert [(m.id, m.data["type"]) for m in told] == [
        ("4", "round-asked/1"),
        ("5", "player-withdrawn/1"),
        ("6", "round-paired/1"),
        ("7", "round-ready/1"),
    ]
    log = requests.get(
        f"{server.url}/api/v1/tournaments/{id}/events?after=3", timeout=SILENCE
    ).json()
    assert [m.data for m in told] == log["items"]


@pytest.mark.parametrize("last", range(4))
def test_it_is_resumed_after_the_last_event(server: WebServer, id: str, last: int) -> None:
    path = f"/tournaments/{id}/stream?until=caught_up"
    with Stream(server, path, last=str(last)) as stream:
        assert [int(m.id or "") for m in stream] == [*range(last + 1, 4), 3]


@pytest.mark.parametrize("member", ["version", "told"])
def test_who_reads_while_a_round_is_made_can_follow_from_there(
    server: WebServer, arbiter: NewPlayer, id: str, member: str
) -> None:
    do(server, id, c.PairRound(), arbiter)
    player = next(iter(server.service.tournaments.load(id).entries))
    do(server, id, c.Withdraw(player=player), arbiter)
    read = requests.get(f"{server.url}/api/v1/tournaments/{id}", timeout=SILENCE).json()
    assert (read["version"], read["told"]) == (5, 3)
    with Stream(server, f"/tournaments/{id}/stream?after={read[member]}") as stream:
        (caught_up,) = stream.take(1)
        assert (caught_up.id, caught_up.data) == ("3", {"version": 3})
        make_round(server, id)
        assert [m.id for m in stream.take(4)] == ["4", "5", "6", "7"]
    read = requests.get(f"{server.url}/api/v1/tournaments/{id}", timeout=SILENCE).json()
    assert (read["version"], read["told"]) == (7, 7)


def test_what_the_log_does_not_have_cannot_be_resumed_after(
    server: WebServer, arbiter: NewPlayer, id: str
) -> None:
    do(server, id, c.PairRound(), arbiter)
    url = f"{server.url}/api/v1/tournaments/{id}/stream"
    answer = requests.get(url, headers={"Last-Event-ID": "5"}, timeout=SILENCE)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed-header")
    beyond = requests.get(url, params={"after": 5}, timeout=SILENCE)
    assert (beyond.status_code, beyond.json()["code"]) == (400, "bad-parameter")
    none = requests.get(f"{server.url}/api/v1/tournaments/{'a' * 16}/stream", timeout=SILENCE)
    assert (none.status_code, none.json()["code"]) == (404, "not-found")


def test_the_feed_of_all_games_tells_a_rounds_games_when_it_is_ready(
    server: WebServer, arbiter: NewPlayer, id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    begin = Games.begin

    def look_first(games: Games, game: str) -> GameState:
        # The round's games exist, but the feed does not have them yet.
        assert server.service.log.version(game_stream(game)) == 1
        with Stream(server, "/stream?after=start&until=caught_up") as meanwhile:
            seen.append([m.data["stream"] for m in meanwhile if m.event is None])
        return begin(games, game)

    with (
        Stream(server, f"/stream?tournament={id}") as live,
        Stream(server, "/stream") as whole,
    ):
        live.until("caught_up")
        whole.until("caught_up")
        do(server, id, c.PairRound(), arbiter)
        monkeypatch.setattr(Games, "begin", look_first)
        make_round(server, id)
        told = live.take(2)
        assert [message.data for message in whole.take(2)] == [message.data for message in told]
    assert [m.data["type"] for m in told] == ["game-created/1", "game-begun/1"]
    (game,) = {m.data["stream"] for m in told}
    assert seen
    assert all(game not in streams for streams in seen)
    with Stream(server, f"/stream?tournament={id}&after=start&until=caught_up") as again:
        assert [m.data for m in again if m.event is None] == [m.data for m in told]
