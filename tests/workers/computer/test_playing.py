"""The computer plays its games: in every variant, in time, once, whatever dies."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from functools import partial
from threading import Event, Thread

import pytest

from engine.registry import VARIANTS
from engine.side import Side
from service.composition.service import Service
from service.computer.levels import LEVELS, PLAYER_OF
from service.computer.open_games import GAMES, POSITIONS
from service.computer.registration import register_computers
from service.errors import ServiceError
from service.game import commands, events
from service.game.record import write_record
from service.game.values import GameStatus
from service.player.actor import Actor
from service.player.scopes import ARBITER, PLAY
from tests.service.redis_server import RedisServer
from tests.waiting import eventually
from tests.workers.computer.support import (
    ANN,
    WEAKEST,
    await_turn,
    begin,
    challenge,
    list_actions,
    log_of,
    play_first,
    playing,
)
from tests.workers.processes import children, kill_worker, worker_processes
from tests.workers.support import service_on
from workers.computer.playing import ComputerGames

ARBITER_OF_GAMES = Actor("referee", frozenset({ARBITER, PLAY}))


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_computer_accepts_and_plays(service: Service, variant: str) -> None:
    challenge(service, "g1", variant)
    with playing(service):
        await_turn(service, "g1")
        for plies in (1, 2):
            play_first(service, "g1")
            await_turn(service, "g1")
            assert len(list_actions(service, "g1")) >= plies


@pytest.mark.slow
def test_it_chooses_in_secret_and_plays_with_it(service: Service) -> None:
    with playing(service):
        challenge(service, "g1", secret_choice="sealed")
        eventually(lambda: service.games.load("g1").choices[1], "the computer has chosen")
        choose = commands.Choose(side=Side.FIRST, choice="e11", nonce="ab" * 16)
        service.games.execute("g1", choose, ANN)
        play_first(service, "g1")
        assert await_turn(service, "g1").choices[1] is not None
        assert len(list_actions(service, "g1")) == 1


@pytest.mark.slow
def test_an_answer_waits_for_its_time(service: Service) -> None:
    begin(service, "g1")
    with playing(service):
        asked = play_first(service, "g1").updated_at
        await_turn(service, "g1")
    (answer,) = list_actions(service, "g1")
    assert answer.at - asked >= 500 * LEVELS[0].seconds


@pytest.mark.slow
def test_a_clock_is_obeyed(service: Service) -> None:
    """With twenty seconds for the whole game, an answer takes a fortieth of them.

    The test only requires that no flag falls, which leaves a busy machine enough time.
    """
    begin(service, "g1", time_control="20")
    with playing(service):
        for _ in range(3):
            await_turn(service, "g1")
            play_first(service, "g1")
        state = await_turn(service, "g1")
    assert state.ending is None
    assert state.clock is not None
    assert state.clock.sides[Side.SECOND].left > 0
    assert len(list_actions(service, "g1")) == 3


@pytest.mark.slow
def test_what_nobody_has_thought_about_is_answered_before_the_flag_falls(
    service: Service,
) -> None:
    begin(service, "g1", time_control="10")
    with playing(service) as games:
        play_first(service, "g1")
        await_turn(service, "g1")
        # From now on nobody thinks: the only search process is paused.
        (thinker,) = games.thinkers
        os.kill(thinker.process_id, signal.SIGSTOP)
        play_first(service, "g1")
        state = await_turn(service, "g1")
        os.kill(thinker.process_id, signal.SIGCONT)
    assert state.ending is None
    assert len(list_actions(service, "g1")) == 2


@pytest.mark.slow
def test_whose_many_games_are_overdue_keeps_nobody_else_waiting(service: Service) -> None:
    bea = Actor("bea", frozenset({PLAY}))
    games = ComputerGames(service, 1)
    many = [f"many{number}" for number in range(8)]
    try:
        for id, by in [*((id, ANN) for id in many), ("one", bea)]:
            begin(service, id, by=by, time_control="60")
            play_first(service, id, by)
            games._look_at(id)
            games.turns[id] = replace(games.turns[id], answer_at=len(games.turns), hurry_at=0)
        games._give_answers()
        answered = [id for id in (*many, "one") if list_actions(service, id)]
        assert answered == [many[0], "one"]
        games._give_answers()
        assert [id for id in many if list_actions(service, id)] == many[:3]
    finally:
        games.close()


@pytest.mark.slow
def test_a_search_process_that_dies_is_begun_again(service: Service) -> None:
    begin(service, "g1")
    with playing(service) as games:
        for _ in range(2):
            os.kill(games.thinkers[0].process_id, signal.SIGKILL)
            play_first(service, "g1")
            await_turn(service, "g1")
    assert len(list_actions(service, "g1")) == 2


@pytest.mark.slow
def test_two_processes_move_once(redis_server: RedisServer, service: Service) -> None:
    begin(service, "g1")
    with playing(service), playing(service_on(redis_server)):
        for plies in (1, 2, 3):
            play_first(service, "g1")
            await_turn(service, "g1")
            assert len(list_actions(service, "g1")) == plies


@pytest.mark.slow
def test_a_killed_process_is_followed_by_one_that_finds_every_turn(
    redis_server: RedisServer, service: Service
) -> None:
    """Kills at any moment while games go on: each action is answered once."""
    games = [f"g{number}" for number in range(6)]
    with worker_processes(redis_server, "computer") as start:
        worker = start()
        for game in games:
            challenge(service, game)
        for plies in range(1, 5):
            for game in games:
                await_turn(service, game)
                if service.games.load(game).to_act is Side.FIRST:
                    play_first(service, game)
            # Its games are played in a process of their own, which the next worker has to start.
            eventually(partial(children, worker.pid))
            kill_worker(worker)
            worker = start()
            assert all(len(list_actions(service, game)) <= plies for game in games)
        for game in games:
            state = await_turn(service, game)
            own, theirs = (len(list_actions(service, game, by)) for by in (ANN.player, WEAKEST))
            assert own == theirs == 4
            assert state.ending is None


@pytest.mark.slow
def test_a_lost_note_of_open_games_is_made_again_from_the_log(service: Service) -> None:
    begin(service, "g1")
    with playing(service):
        play_first(service, "g1")
        await_turn(service, "g1")
    play_first(service, "g1")
    service.store.delete(GAMES, POSITIONS)
    with playing(service):
        await_turn(service, "g1")
        assert len(list_actions(service, "g1")) == 2


@pytest.mark.slow
def test_open_games_are_noted_and_those_that_are_over_are_not(service: Service) -> None:
    begin(service, "g1")
    begin(service, "g2")
    with playing(service):
        play_first(service, "g1")
        await_turn(service, "g1")
        service.games.execute("g2", commands.Resign(), ANN)
        eventually(lambda: service.open_games.load() == {"g1"}, "only one is open")
        now = service.games.clock()
        eventually(lambda: service.open_games.measure_backlog(now) == (0, 0.0), "nothing is due")
        # A finished game may be reopened (Ruling R35): then the computer plays on.
        reopen = commands.ReopenGame(reason="she meant the other board")
        service.games.execute("g2", reopen, ARBITER_OF_GAMES)
        eventually(lambda: service.open_games.load() == {"g1", "g2"}, "both are open")


def test_late_answers_are_told(service: Service) -> None:
    now = service.games.clock()
    due = {"a": now - 4000, "b": now + 9000, "c": float("inf")}
    service.open_games.save(due, [], {3: "1-0"}, now)
    assert service.open_games.measure_backlog(now) == (1, 4.0)
    assert service.open_games.load_positions() == {3: "1-0"}
    assert service.open_games.find_saved() == now


@pytest.mark.slow
def test_a_game_that_cannot_be_read_holds_up_no_other(service: Service) -> None:
    begin(service, "g1")
    begin(service, "g2")
    stream = f"movelog:{{p{service.log.partition(service.games.stream('g1'))}}}:game:g1"
    service.store.xadd(stream, {"e": "no-such-event/1", "d": "{}"})
    with playing(service):
        play_first(service, "g2")
        await_turn(service, "g2")
        assert len(list_actions(service, "g2")) == 1


@pytest.mark.slow
def test_retractions_are_granted_where_nothing_is_secret(service: Service) -> None:
    begin(service, "g1")
    begin(service, "g2", secret_choice="sealed")
    with playing(service):
        play_first(service, "g1")
        await_turn(service, "g1")
        service.games.execute("g1", commands.OfferRetraction(plies=2), ANN)
        eventually(lambda: not service.games.load("g1").played, "it was taken back")
        choose = commands.Choose(side=Side.FIRST, choice="e11", nonce="ab" * 16)
        service.games.execute("g2", choose, ANN)
        await_turn(service, "g2")
        play_first(service, "g2")
        await_turn(service, "g2")
        service.games.execute("g2", commands.OfferRetraction(plies=2), ANN)
        eventually(lambda: service.games.load("g2").retraction is None, "it was declined")
        assert len(service.games.load("g2").played) == 2


@pytest.mark.slow
def test_a_draw_in_the_opening_is_declined(service: Service) -> None:
    begin(service, "g1")
    with playing(service):
        service.games.execute("g1", commands.OfferDraw(), ANN)
        eventually(
            lambda: any(isinstance(e.event, events.DrawDeclined) for e in log_of(service, "g1")),
            "the offer is declined",
        )
        assert service.games.load("g1").status is GameStatus.RUNNING


def test_records_tell_program_version_and_level(service: Service) -> None:
    state = begin(service, "g1", "katruji")
    record = write_record(state, {})
    assert '[NorthType "program"]\n' in record
    assert '[NorthProgram "Movelog ' in record
    assert ', level 1"]\n' in record
    assert "SouthType" not in record


@pytest.mark.slow
def test_it_plays_nobody_elses_game(service: Service) -> None:
    """The computer takes no part in games that a scribe keeps, nor in open challenges."""
    command = commands.CreateGame(
        variant="katruji", mode="scribe", first=WEAKEST, second=ANN.player
    )
    service.games.create("g1", command, ANN)
    service.games.create(
        "g2",
        commands.CreateGame(variant="katruji", mode="challenge", first=ANN.player, second=None),
        ANN,
    )
    begin(service, "g3")
    with playing(service):
        play_first(service, "g3")
        await_turn(service, "g3")
    assert [len(log_of(service, id)) for id in ("g1", "g2")] == [1, 1]


def test_the_players_are_registered_once(service: Service) -> None:
    threads = [Thread(target=register_computers, args=(service.players,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = service.players.names(PLAYER_OF.values())
    assert {name: id for id, name in names.items()} == PLAYER_OF
    versions = [service.log.version(service.players.stream(id)) for id in PLAYER_OF.values()]
    register_computers(service.players)
    assert versions == [
        service.log.version(service.players.stream(id)) for id in PLAYER_OF.values()
    ]
    with pytest.raises(ServiceError, match="computer"):
        service.players.register("computer-9", None, scopes=("play",))


@pytest.mark.slow
def test_a_store_that_is_away_is_waited_for(
    redis_server: RedisServer, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    import redis

    begin(service, "g1")
    failing = Event()
    append = service.log.append

    def fail_once(request: object) -> int:
        if failing.is_set():
            failing.clear()
            raise redis.ConnectionError("away")
        return append(request)  # type: ignore[arg-type]

    with playing(service):
        play_first(service, "g1")
        failing.set()
        monkeypatch.setattr(service.log, "append", fail_once)
        await_turn(service, "g1")
    assert len(list_actions(service, "g1")) == 1
