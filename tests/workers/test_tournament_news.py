"""Players and arbiters are notified of their tournament's rounds and of its end."""

from __future__ import annotations

import json
from typing import Any

from service.composition.service import Service
from service.jobs.job_kinds import DELIVERY, ROUNDS, TOURNAMENT_NEWS
from service.jobs.queue import JobQueue
from service.player.actor import Actor
from service.player.scopes import ARBITER
from service.reactions.game_news import make_tournament_news_follower
from service.tournament import commands as c
from service.tournament.repository import KIND, stream_of
from service.webhooks.webhook import ROUND_READY, TOURNAMENT_FINISHED
from tests.workers.support import task
from workers.job_functions import FUNCTIONS
from workers.round_job import carry_on
from workers.run import carry_out

ID = "t" * 16
BOTH = (ROUND_READY, TOURNAMENT_FINISHED)


def begin(service: Service) -> tuple[Actor, list[str]]:
    """Create a free tournament of four and request its first round; returns arbiter and players."""
    id = service.players.register("Anna", None, scopes=(ARBITER,)).id
    arbiter = Actor(id, frozenset({ARBITER}))
    command = c.CreateTournament(
        name="Open", variant="katruji", kind="free", scoring={"name": "standard"}
    )
    service.tournaments.create(ID, command, arbiter)
    players = [service.players.register(f"P{number}", None).id for number in range(4)]
    for player in players:
        service.tournaments.execute(ID, c.Enter(player=player), arbiter)
    boards = [(players[0], players[1])]
    service.tournaments.execute(ID, c.PairRound(boards=boards), arbiter)
    return arbiter, players


def tell(service: Service) -> list[tuple[str, str, dict[str, Any]]]:
    """Follow the whole feed and work; returns all deliveries: the owner, the event, its data."""
    queue, log = JobQueue(service.jobs, service.store), service.log
    follower = make_tournament_news_follower(log, queue)
    for pointer in log.feed(log.partition(stream_of(ID))):
        if pointer.stream.kind == KIND:
            follower.follow([pointer])
    for id in service.jobs.due([TOURNAMENT_NEWS]):
        assert carry_out(id, service, service.jobs, FUNCTIONS)
    told = []
    for job in service.jobs.get_each(service.jobs.due([DELIVERY])):
        notice = json.loads(job.arguments["body"])
        owner = service.webhooks.get(job.arguments["webhook"]).owner
        told.append((owner, notice["event"], notice["data"]))
    return told


def test_a_round_is_told_when_it_is_ready_and_the_end_when_it_comes(service: Service) -> None:
    arbiter, players = begin(service)
    stranger = service.players.register("Eve", None).id
    for owner in (*players, arbiter.player, stranger):
        service.webhooks.register(owner, "https://example.org/hook", BOTH, False)
    assert tell(service) == []
    pending = service.tournaments.load(ID).pending
    assert pending is not None
    carry_on(task(service, ROUNDS, {"tournament": ID, "version": pending.version}))
    told = tell(service)
    assert {owner for owner, *_ in told} == {*players, arbiter.player}
    (data,) = {json.dumps(data) for *_, data in told}
    (game,) = [p.game for p in service.tournaments.load(ID).rounds[0].pairings]
    assert json.loads(data) == {
        "tournament": ID,
        "name": "Open",
        "variant": "katruji",
        "rounds": 1,
        "round": 1,
        "boards": [{"board": 1, "first": players[0], "second": players[1], "game": game}],
        "byes": [],
    }
    assert tell(service) == told
    rule = c.Rule(round=1, board=1, result="1-0", reason="played elsewhere")
    service.tournaments.execute(ID, rule, arbiter)
    service.tournaments.execute(ID, c.Finish(), arbiter)
    ended = [(owner, data) for owner, event, data in tell(service) if event == TOURNAMENT_FINISHED]
    assert {owner for owner, _ in ended} == {*players, arbiter.player}
    assert ended[0][1]["name"] == "Open"


def test_a_round_that_was_taken_back_is_not_told(service: Service) -> None:
    arbiter, players = begin(service)
    service.webhooks.register(players[0], "https://example.org/hook", BOTH, False)
    pending = service.tournaments.load(ID).pending
    assert pending is not None
    carry_on(task(service, ROUNDS, {"tournament": ID, "version": pending.version}))
    service.tournaments.execute(ID, c.UnpairRound(round=1, reason="a wrong board"), arbiter)
    assert tell(service) == []
    service.tournaments.execute(ID, c.PairRound(boards=[(players[2], players[3])]), arbiter)
    assert tell(service) == []
