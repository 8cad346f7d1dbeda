"""Making rounds, closing games, tallying: killed anywhere, done again, the same in the end."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from service.composition import Service
from service.errors import NotFound
from service.game.commands import Actor, CloseGame, CreateGame, PlayAction, Resign
from service.game.values import Status
from service.games import stream_of
from service.jobs.kinds import ROUNDS
from service.scopes import ARBITER, PLAY
from service.tournament import commands as c
from service.tournament.state import TournamentState, public
from service.tournament.table import Result
from service.tournament.values import Pairing
from tests.workers.support import task
from workers.rounds import carry_on
from workers.scoring import score_game
from workers.tallying import tally

ID = "t" * 16


class Killed(BaseException):
    """The worker is no more."""


@pytest.fixture
def arbiter(service: Service) -> Actor:
    return Actor(service.players.register("Anna", scopes=(ARBITER,)).id, frozenset({ARBITER}))


@pytest.fixture
def tournament(service: Service, arbiter: Actor) -> Service:
    """A free tournament of six, whose first round is paired."""
    command = c.CreateTournament(
        name="Open", variant="katruji", kind="free", scoring={"name": "standard"}
    )
    service.tournaments.create(ID, command, arbiter)
    players = [service.players.register(f"P{number}").id for number in range(6)]
    for player in players:
        service.tournaments.execute(ID, c.Enter(player=player), arbiter)
    boards = list(zip(players[::2], players[1::2], strict=True))
    salt = service.tournaments.salt(ID)
    service.tournaments.execute(ID, c.PairRound(salt=salt, boards=boards), arbiter)
    return service


def state_of(service: Service) -> TournamentState:
    return service.tournaments.load(ID)


def pairings(service: Service) -> tuple[Pairing, ...]:
    return state_of(service).rounds[0].pairings


numbers = count()


def work(service: Service) -> dict[str, Any]:
    """One job that carries on."""
    return carry_on(task(service, ROUNDS, {"tournament": ID}, f"job{next(numbers)}"))


def statuses(service: Service) -> list[str | None]:
    """Where the round's games stand; None for one that is not there."""
    found: list[str | None] = []
    for pairing in pairings(service):
        try:
            found.append(service.games.load(pairing.game or "").status)
        except NotFound:
            found.append(None)
    return found


def killed_after(appends: int, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work until so many appends are through; then whoever works is killed."""
    real: Callable[[Any], int] = service.log.append
    left = count(appends, -1)

    def append(request: Any) -> int:
        if next(left) == 0:
            raise Killed
        return real(request)

    with monkeypatch.context() as patch:
        patch.setattr(service.log, "append", append)
        with pytest.raises(Killed):
            work(service)


@pytest.mark.parametrize("appends", range(7))
def test_a_killed_worker_leaves_a_round_that_another_finishes(
    tournament: Service, monkeypatch: pytest.MonkeyPatch, appends: int
) -> None:
    killed_after(appends, tournament, monkeypatch)
    ready = appends > 3
    assert len(public(state_of(tournament)).rounds) == ready
    if not ready:
        assert set(statuses(tournament)) <= {None, Status.PREPARED}
    work(tournament)
    assert statuses(tournament) == [Status.RUNNING] * 3
    assert work(tournament) == {"made": 0, "closed": 0}
    for pairing in pairings(tournament):
        kinds = [e.event.stored_name for e in tournament.log.read(stream_of(pairing.game or ""))]
        assert kinds == ["game-created/1", "game-begun/1"]


def test_a_ruled_game_is_ended_once_as_it_was_ruled(tournament: Service, arbiter: Actor) -> None:
    work(tournament)
    for board, result in enumerate(("1-0", "-/+", "-/-"), 1):
        ruling = c.Rule(round=1, board=board, result=result, reason="seen")
        tournament.tournaments.execute(ID, ruling, arbiter)
    assert work(tournament)["closed"] == 3
    assert work(tournament)["closed"] == 0
    endings = [tournament.games.load(p.game or "").ending for p in pairings(tournament)]
    assert [(e.result, e.termination) for e in endings if e] == [
        ("1-0", "adjudication"),
        ("0-1", "forfeit"),
        ("*", "unterminated"),
    ]


def resign(service: Service, pairing: Pairing) -> None:
    actors = [Actor(id, frozenset({PLAY})) for id in (pairing.first, pairing.second)]
    for actor, token in zip(actors, ("Sd1", "Sa8"), strict=True):
        service.games.execute(pairing.game or "", PlayAction(token=token), actor)
    service.games.execute(pairing.game or "", Resign(), actors[1])


def test_a_scored_game_is_tallied_once(tournament: Service) -> None:
    work(tournament)
    pairing = pairings(tournament)[0]
    resign(tournament, pairing)
    assert score_game(tournament.games, pairing.game or "")
    game = tournament.games.load(pairing.game or "")
    assert tally(tournament.tournaments, game)
    assert not tally(tournament.tournaments, game)
    counted = pairings(tournament)[0]
    assert (counted.result, counted.points) == (Result.FIRST, (0, 0))


def test_a_game_of_no_tournament_is_nobodys(tournament: Service) -> None:
    ada = Actor("ada", frozenset({PLAY}))
    wish = CreateGame(variant="katruji", mode="scribe", first="ada", second="bo")
    tournament.games.create("g" * 16, wish, ada)
    game = tournament.games.load("g" * 16)
    assert not tally(tournament.tournaments, game)


def test_a_claim_of_somebody_who_died_is_no_join(tournament: Service) -> None:
    ada = Actor("ada", frozenset({PLAY}))
    wish = CreateGame(variant="katruji", mode="scribe", first="ada", second="bo")
    tournament.games.create("g" * 16, wish, ada)
    tournament.games.execute("g" * 16, CloseGame(), ada)
    claims = tournament.tournaments.claims
    counts = tournament.tournaments.counts("g" * 16)
    nobody = "n" * 16
    assert claims.claim("game", "g" * 16, owner=nobody, by="x", exists=counts)
    assert claims.claim("game", "g" * 16, owner=nobody, by="x", exists=counts)
    assert not tally(tournament.tournaments, tournament.games.load("g" * 16))
    assert claims.claim("game", "g" * 16, owner=ID, by="x", exists=counts)
    assert claims.owner("game", "g" * 16) == ID
    assert not claims.claim("game", "g" * 16, owner=nobody, by="x", exists=lambda owner: True)
