"""Creating rounds, closing games, tallying: killed anywhere and repeated, with the same result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from service.composition.service import Service
from service.errors import NotFound
from service.game.commands import CloseGame, CreateGame, PlayAction, ReopenGame, Resign
from service.game.repository import CALLED_OFF, Games, stream_of
from service.game.state import GameState
from service.game.values import Ending, GameStatus
from service.jobs.duties import Lane
from service.jobs.errors import LeaseLost
from service.jobs.job import JobState
from service.jobs.job_kinds import LARGE_ROUNDS, ROUNDS
from service.jobs.queue import JobQueue
from service.jobs.store import TRIES
from service.log.claims import Holding
from service.player.actor import Actor
from service.player.scopes import ARBITER, PLAY
from service.reactions.quarantined_jobs import QuarantinedJobHandler
from service.tournament import commands as c
from service.tournament.pairing.errors import NoPairing, SwissUnavailable
from service.tournament.state import TournamentState, public
from service.tournament.table import Result
from service.tournament.values import Pairing
from tests.workers.support import task
from workers import round_job
from workers.errors import ChildDied
from workers.game_counting import count_for_tournament
from workers.round_job import carry_on
from workers.run import take_turn
from workers.scoring import score_game
from workers.task import Task

ID = "t" * 16


class Killed(BaseException):
    """Simulates a worker that is killed."""


@pytest.fixture
def arbiter(service: Service) -> Actor:
    return Actor(service.players.register("Anna", None, scopes=(ARBITER,)).id, frozenset({ARBITER}))


@pytest.fixture
def tournament(service: Service, arbiter: Actor) -> Service:
    """A free tournament of six players, whose first round has been requested."""
    return request_first_round(service, arbiter)


def request_first_round(service: Service, arbiter: Actor, **terms: Any) -> Service:
    """Set up a free tournament of six players on these terms, and request its first round."""
    command = c.CreateTournament(
        name="Open", variant="katruji", kind="free", scoring={"name": "standard"}, **terms
    )
    service.tournaments.create(ID, command, arbiter)
    players = [service.players.register(f"P{number}", None).id for number in range(6)]
    for player in players:
        service.tournaments.execute(ID, c.Enter(player=player), arbiter)
    boards = list(zip(players[::2], players[1::2], strict=True))
    service.tournaments.execute(ID, c.PairRound(boards=boards), arbiter)
    return service


def state_of(service: Service) -> TournamentState:
    return service.tournaments.load(ID)


def pairings(service: Service) -> tuple[Pairing, ...]:
    return state_of(service).rounds[0].pairings


numbers = count()


def run_job(service: Service, kind: str) -> None:
    """Carry out the only job of a kind that is due, as the worker of its duty does."""
    (id,) = service.jobs.due([kind])
    take_turn(id, service)
    assert service.jobs.get(id).state is JobState.DONE


def work(service: Service) -> dict[str, Any]:
    """Run one job, which does the requested round or whatever else is to be done."""
    return carry_on(job(service))


def job(service: Service) -> Task:
    state = state_of(service)
    version = state.pending.version if state.pending else state.version
    return task(service, ROUNDS, {"tournament": ID, "version": version}, f"job{next(numbers)}")


def statuses(service: Service) -> list[str | None]:
    """The status of each of the round's games; None for one that does not exist."""
    found: list[str | None] = []
    for pairing in pairings(service):
        try:
            found.append(service.games.load(pairing.game or "").status)
        except NotFound:
            found.append(None)
    return found


def killed_after(appends: int, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work until `appends` appends have succeeded; then the worker is killed."""
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


@pytest.mark.parametrize("appends", range(8))
def test_a_killed_worker_leaves_a_round_that_another_finishes(
    tournament: Service, monkeypatch: pytest.MonkeyPatch, appends: int
) -> None:
    killed_after(appends, tournament, monkeypatch)
    ready = appends > 4
    assert len(public(state_of(tournament)).rounds) == ready
    if not ready:
        assert set(statuses(tournament)) <= {None, GameStatus.PREPARED}
    work(tournament)
    assert statuses(tournament) == [GameStatus.RUNNING] * 3
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


@pytest.mark.parametrize("result", ["1-0", "-/-"])
def test_a_ruled_game_that_ends_just_now_is_left_alone(
    result: str, tournament: Service, arbiter: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    work(tournament)
    ruling = c.Rule(round=1, board=1, result=result, reason="seen")
    tournament.tournaments.execute(ID, ruling, arbiter)
    begin = Games.begin

    def begin_before_another_worker_ends_it(games: Games, id: str) -> GameState:
        state = begin(games, id)
        if state.status is GameStatus.RUNNING:
            games.execute(id, CloseGame(), round_job.ACTOR)
        return state

    monkeypatch.setattr(Games, "begin", begin_before_another_worker_ends_it)
    assert work(tournament)["closed"] == 0


def test_a_ruling_on_a_reopened_game_that_is_over_by_its_rules_stops_nothing(
    service: Service, arbiter: Actor
) -> None:
    request_first_round(service, arbiter, ply_limit=1)
    work(service)
    board = pairings(service)[0]
    game = board.game or ""
    service.games.execute(game, PlayAction(token="Sd1"), Actor(board.first, frozenset({PLAY})))
    score_game(service.games, game)
    count_for_tournament(service.tournaments, service.games.load(game))
    service.games.execute(game, ReopenGame(reason="the wrong score sheet"), arbiter)
    count_for_tournament(service.tournaments, service.games.load(game))
    for number in (1, 2):
        ruling = c.Rule(round=1, board=number, result="1-0", reason="seen")
        service.tournaments.execute(ID, ruling, arbiter)
    assert work(service)["closed"] == 2
    assert service.games.load(game).ending == Ending("1/2-1/2", "adjudication")
    assert statuses(service) == [GameStatus.FINISHED, GameStatus.FINISHED, GameStatus.RUNNING]
    assert pairings(service)[0].result == Result.FIRST


def test_a_game_that_cannot_be_ended_does_not_hold_up_the_others(
    tournament: Service, arbiter: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    work(tournament)
    for board in (1, 2):
        ruling = c.Rule(round=1, board=board, result="1-0", reason="seen")
        tournament.tournaments.execute(ID, ruling, arbiter)
    damaged = pairings(tournament)[0].game
    begin = Games.begin

    def begin_unless_damaged(games: Games, id: str) -> GameState:
        if id == damaged:
            raise ValueError("a damaged log")
        return begin(games, id)

    monkeypatch.setattr(Games, "begin", begin_unless_damaged)
    with pytest.raises(ValueError, match="a damaged log"):
        work(tournament)
    assert statuses(tournament) == [GameStatus.RUNNING, GameStatus.FINISHED, GameStatus.RUNNING]


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
    assert count_for_tournament(tournament.tournaments, game)
    assert not count_for_tournament(tournament.tournaments, game)
    counted = pairings(tournament)[0]
    assert (counted.result, counted.points) == (Result.FIRST, (0, 0))


def test_a_game_of_no_tournament_is_nobodys(tournament: Service) -> None:
    ada = Actor("ada", frozenset({PLAY}))
    wish = CreateGame(variant="katruji", mode="scribe", first="ada", second="bo")
    tournament.games.create("g" * 16, wish, ada)
    game = tournament.games.load("g" * 16)
    assert not count_for_tournament(tournament.tournaments, game)


def test_a_claim_of_somebody_who_died_is_no_join(tournament: Service) -> None:
    ada = Actor("ada", frozenset({PLAY}))
    wish = CreateGame(variant="katruji", mode="scribe", first="ada", second="bo")
    tournament.games.create("g" * 16, wish, ada)
    tournament.games.execute("g" * 16, CloseGame(), ada)
    claims = tournament.tournaments.claims
    assert claims.claim("game", "g" * 16, owner="n" * 16, by="x", look=lambda id: Holding())
    assert claims.owner("game", "g" * 16) == "n" * 16
    assert not count_for_tournament(tournament.tournaments, tournament.games.load("g" * 16))


def test_a_round_is_made_by_the_job_that_was_asked_for_it(tournament: Service) -> None:
    before = state_of(tournament)
    other = task(tournament, ROUNDS, {"tournament": ID, "version": 1}, "other")
    assert carry_on(other) == {"made": 0, "closed": 0}
    assert state_of(tournament) == before


def refusing(error: Exception, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pairing raise this error in every try of the job."""

    def pair_next_round(*args: object) -> None:
        raise error

    monkeypatch.setattr(round_job, "pair_next_round", pair_next_round)
    for left in reversed(range(TRIES)):
        tried = job(service)
        tried = replace(tried, job=replace(tried.job, tries=TRIES - left))
        try:
            carry_on(tried)
        except type(error):
            assert left
            assert state_of(service).pending is not None


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NoPairing(1), "no-pairing"),
        (SwissUnavailable("no build"), "swiss-unavailable"),
        (ChildDied(-11), "pairing-failed"),
        (IndexError("a fault of the library"), "pairing-failed"),
    ],
)
def test_a_round_that_cannot_be_paired_is_refused(
    tournament: Service, monkeypatch: pytest.MonkeyPatch, error: Exception, code: str
) -> None:
    refusing(error, tournament, monkeypatch)
    state = state_of(tournament)
    assert state.rounds == ()
    assert state.refusal is not None
    assert (state.refusal.round, state.refusal.code) == (1, code)
    assert state.refusal.detail


@pytest.mark.parametrize("kind", [ROUNDS, LARGE_ROUNDS])
def test_a_job_that_kills_its_workers_refuses_the_round_it_was_for(
    tournament: Service, kind: str
) -> None:
    asked = job(tournament)
    queue = JobQueue(tournament.jobs, tournament.store)
    handler = QuarantinedJobHandler(queue, tournament.imports, tournament.tournaments)
    handler.handle(replace(asked.job, kind=kind, reason="its worker died"))
    refusal = state_of(tournament).refusal
    assert refusal is not None
    assert refusal.code == "pairing-failed"
    assert "its worker died" in refusal.detail


def test_the_games_of_a_round_taken_back_are_closed(tournament: Service, arbiter: Actor) -> None:
    work(tournament)
    games = [pairing.game or "" for pairing in pairings(tournament)]
    tournament.tournaments.execute(ID, c.UnpairRound(round=1, reason="early"), arbiter)
    assert work(tournament)["closed"] == 3
    assert work(tournament)["closed"] == 0
    for game in games:
        state = tournament.games.load(game)
        assert state.ending is not None
        assert state.ending.result == "*"
        assert not count_for_tournament(tournament.tournaments, state)


def test_only_the_job_of_a_round_taken_back_looks_at_its_games(
    tournament: Service, arbiter: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state_of(tournament)
    work(tournament)
    gone = {pairing.game for pairing in pairings(tournament)}
    tournament.tournaments.execute(ID, c.UnpairRound(round=1, reason="early"), arbiter)
    assert work(tournament)["closed"] == 3
    boards = [(board.first, board.second) for board in before.rounds[0].wish or ()]
    tournament.tournaments.execute(ID, c.PairRound(boards=boards), arbiter)
    seen: set[str] = set()
    begin = Games.begin

    def begin_and_note(games: Games, id: str) -> GameState:
        seen.add(id)
        return begin(games, id)

    monkeypatch.setattr(Games, "begin", begin_and_note)
    work(tournament)
    assert len(seen) == 3
    assert seen.isdisjoint(gone)


def test_games_made_for_a_round_after_it_was_taken_back_never_begin(
    tournament: Service, arbiter: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = round_job.create_game
    made: list[str] = []

    def make(games: Games, state: TournamentState, pairing: Pairing) -> bool:
        if not made:
            back = c.UnpairRound(round=1, reason="early")
            tournament.tournaments.execute(ID, back, arbiter)
            version = state_of(tournament).version
            other = task(tournament, ROUNDS, {"tournament": ID, "version": version}, "back")
            assert carry_on(other) == {"made": 0, "closed": 0}
        made.append(pairing.game or "")
        return real(games, state, pairing)

    monkeypatch.setattr(round_job, "create_game", make)
    work(tournament)
    assert len(made) == 3
    called_off = [(stream_of(game), CALLED_OFF) for game in made]
    assert all(tournament.log.attributes(called_off))


def test_organisers_take_turns(service: Service) -> None:
    for version in range(3):
        service.round_jobs.submit("m" * 16, version, "mallory")
    service.round_jobs.submit("a" * 16, 1, "ann")
    turns, order = service.round_jobs.turns, []
    while hint := turns.queue.take(Lane.PAIRING):
        id = turns.begin(hint)
        assert id is not None
        claimed = service.jobs.claim(id, "owner")
        assert claimed is not None
        order.append(claimed.arguments["by"])
        service.jobs.finish(claimed, None)
        turns.end(id, 1)
    assert order == ["mallory", "ann", "mallory", "mallory"]


def test_a_worker_stops_where_the_round_it_makes_is_taken_back(
    tournament: Service, arbiter: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = round_job.create_game
    made: list[str] = []

    def make(games: Games, state: TournamentState, pairing: Pairing) -> bool:
        if not made:
            back = c.UnpairRound(round=1, reason="early")
            tournament.tournaments.execute(ID, back, arbiter)
        made.append(pairing.game or "")
        return real(games, state, pairing)

    monkeypatch.setattr(round_job, "create_game", make)
    work(tournament)
    assert state_of(tournament).rounds == ()
    assert len(made) == 3
    assert {tournament.games.load(game).status for game in made} == {GameStatus.PREPARED}
    assert work(tournament) == {"made": 0, "closed": 0}


def test_a_large_round_that_is_taken_back_is_paired_no_further(
    service: Service, arbiter: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    request_large_round(service, arbiter, monkeypatch)
    service.round_jobs.submit(ID, state_of(service).version, arbiter.player)
    run_job(service, ROUNDS)
    (large,) = service.jobs.due([LARGE_ROUNDS])
    claimed = service.jobs.claim(large, "owner")
    assert claimed is not None
    service.tournaments.execute(ID, c.UnpairRound(round=1, reason="early"), arbiter)
    taken_back = state_of(service).version
    service.tournaments.execute(ID, c.PairRound(), arbiter)
    for version in (taken_back, state_of(service).version):
        service.round_jobs.submit(ID, version, arbiter.player)
        run_job(service, ROUNDS)
    with pytest.raises(LeaseLost):
        service.jobs.heartbeat(claimed, 0, 1)
    (again,) = service.jobs.due([LARGE_ROUNDS])
    assert again != large


def request_large_round(
    service: Service, arbiter: Actor, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Request the first round of a Swiss with so many players as are paired aside; return them."""
    monkeypatch.setattr(round_job, "FEW", 5)
    wish = c.CreateTournament(
        name="Open", variant="katruji", kind="swiss", rounds=1, scoring={"name": "standard"}
    )
    service.tournaments.create(ID, wish, arbiter)
    players = [service.players.register(f"P{number}", None).id for number in range(6)]
    for player in players:
        service.tournaments.execute(ID, c.Enter(player=player), arbiter)
    service.tournaments.execute(ID, c.PairRound(), arbiter)
    return players


@pytest.mark.slow
def test_a_large_swiss_is_paired_aside(
    service: Service, arbiter: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = request_large_round(service, arbiter, monkeypatch)
    asked = state_of(service).version
    service.round_jobs.submit(ID, asked, arbiter.player)
    run_job(service, ROUNDS)
    assert public(state_of(service)).rounds == ()
    # The arbiter may ask again and again.
    for _ in range(2):
        service.round_jobs.resubmit(ID, asked, arbiter.player)
        run_job(service, ROUNDS)
    run_job(service, LARGE_ROUNDS)
    (round,) = public(state_of(service)).rounds
    assert statuses(service) == [GameStatus.RUNNING] * 3
    assert service.jobs.due() == []
    met = [(pairing.first, pairing.second) for pairing in round.pairings]
    assert met == [(players[0], players[3]), (players[4], players[1]), (players[2], players[5])]
