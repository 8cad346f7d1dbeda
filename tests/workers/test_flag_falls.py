"""Flags fall when they are due: once, whoever finds them, whatever was lost."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event, Thread

import pytest

from notation.registry import find_dialect
from service.archive.outages import ArchiveDamaged
from service.clocks.heartbeat import BEAT_KEY, OUTAGES_KEY, Heartbeat
from service.composition.service import Service
from service.game import events
from service.game.commands import CreateGame, PlayAction, Resign
from service.game.repository import Games, stream_of
from service.game.timekeeping import PATIENCE, TIMEKEEPER
from service.game.values import Mode
from service.log.errors import UnknownEvent
from service.log.redis_alarms import name_alarms
from service.log.values import Recorded, StreamId
from service.player.actor import Actor
from service.player.scopes import ARBITER, PLAY
from tests.service.game.support import NO_TOURNAMENTS
from tests.service.redis_server import RedisServer
from tests.stalls import measured_stalls
from tests.waiting import eventually
from tests.workers.support import service_on
from workers.flag_falls import FlagFalls

REFEREE = Actor("referee", frozenset({ARBITER, PLAY}))
SEATS = tuple(Actor(name, frozenset({PLAY})) for name in ("south", "north"))


@pytest.fixture
def serving(service: Service) -> Iterator[Service]:
    """A service that takes commands and has had no outage."""
    Heartbeat(service.store).beat()
    service.store.delete(OUTAGES_KEY)
    stop = service.heartbeat.start()
    yield service
    stop.set()


def now(service: Service) -> int:
    return service.heartbeat.read().now


def begin(service: Service, id: str, control: str = "60", ago: int = 0, plies: int = 2) -> int:
    """Begin a game `ago` milliseconds ago and play in it; returns when its flag is due."""
    games = Games(service.log, lambda: now(service) - ago, NO_TOURNAMENTS)
    command = CreateGame(
        variant="katruji", mode=Mode.ARBITER, first="south", second="north", time_control=control
    )
    state = games.create(id, command, REFEREE).state
    for _ in range(plies):
        position = state.position.copy()
        token = find_dialect("katruji").coordinate(position.legal()[0])
        state = games.execute(id, PlayAction(token=token), SEATS[position.side]).state
    assert state.clock is not None
    return state.clock.due or 0


def log_of(service: Service, id: str) -> list[Recorded]:
    return service.log.read(stream_of(id))


def ends(service: Service, id: str) -> list[Recorded]:
    return [entry for entry in log_of(service, id) if isinstance(entry.event, events.GameEnded)]


def step(service: Service, times: int = 4) -> FlagFalls:
    """Run `times` steps."""
    falls = FlagFalls(service)
    for _ in range(times):
        falls.step()
    return falls


def test_a_due_flag_falls(serving: Service) -> None:
    due = begin(serving, "g1", ago=60_000 + PATIENCE + 10)
    step(serving)
    (end,) = ends(serving, "g1")
    assert end.event == events.GameEnded(result="0-1", termination="time forfeit")
    assert end.by == TIMEKEEPER
    assert end.at >= due + PATIENCE
    assert serving.log.alarms.look(2**52).alarms == []


def test_nothing_falls_before_it_is_due(serving: Service) -> None:
    begin(serving, "g1", ago=50_000)
    begin(serving, "g2", ago=10_000_000, plies=1)
    step(serving)
    assert ends(serving, "g1") == ends(serving, "g2") == []


@pytest.mark.slow
def test_a_flag_falls_in_time(serving: Service) -> None:
    """The bounds are the documented ones, the upper one with an allowance for a busy machine."""
    stop, falls = Event(), FlagFalls(serving)
    thread = Thread(target=falls.run, args=(stop,), daemon=True)
    thread.start()
    try:
        with measured_stalls(serving.store.ping) as stalled:
            dues = {f"g{n}": begin(serving, f"g{n}", "1", ago=100 * n) for n in range(5)}
            eventually(lambda: all(ends(serving, id) for id in dues), "every flag has fallen")
    finally:
        stop.set()
        thread.join()
    late = [ends(serving, id)[0].at - due - PATIENCE for id, due in dues.items()]
    assert min(late) >= 0
    assert max(late) <= 250 + 3000 + 1000 * stalled()


def test_whoever_finds_it_a_flag_falls_once(redis_server: RedisServer, serving: Service) -> None:
    for number in range(10):
        begin(serving, f"g{number}", ago=60_000 + PATIENCE - 400)
    stop = Event()
    finders = [FlagFalls(service_on(redis_server)) for _ in range(4)]
    threads = [Thread(target=each.run, args=(stop,), daemon=True) for each in finders]
    for thread in threads:
        thread.start()
    ids = [f"g{number}" for number in range(10)]
    eventually(lambda: all(ends(serving, id) for id in ids), "every flag has fallen")
    stop.set()
    for thread in threads:
        thread.join()
    assert [len(ends(serving, id)) for id in ids] == [1] * 10


def test_lost_alarms_are_found_in_the_log(serving: Service) -> None:
    begin(serving, "g1", ago=60_000 + PATIENCE + 10)
    begin(serving, "g2", ago=1000)
    begin(serving, "g3")
    serving.games.execute("g3", Resign(), SEATS[0])
    step(serving, 1)
    for key in serving.store.keys("movelog:{p*}:alarms"):
        serving.store.delete(key)
    step(serving)
    assert len(ends(serving, "g1")) == 1
    (alarm,) = serving.log.alarms.look(2**52).alarms
    assert alarm.stream == stream_of("g2")


@pytest.mark.parametrize("failure", [UnknownEvent("later/9"), ArchiveDamaged("damaged")])
def test_a_game_that_cannot_be_read_keeps_no_other_from_its_alarm(
    serving: Service, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    begin(serving, "g1", ago=60_000 + PATIENCE + 10)
    begin(serving, "g2", ago=60_000 + PATIENCE + 10)
    for key in serving.store.keys("movelog:{p*}:alarms"):
        serving.store.delete(key)
    read = serving.log.read

    def fail(stream: StreamId, *rest: int) -> object:
        if stream == stream_of("g1"):
            raise failure
        return read(stream, *rest)

    monkeypatch.setattr(type(serving.log), "read", lambda log, *given: fail(*given))
    step(serving)
    monkeypatch.undo()
    assert (len(ends(serving, "g1")), len(ends(serving, "g2"))) == (0, 1)
    (alarm,) = serving.log.alarms.look(2**52).alarms
    assert alarm.stream == stream_of("g1")
    assert alarm.at > now(serving) + 30_000


def test_what_a_dead_process_was_about_to_do_another_does(serving: Service) -> None:
    step(serving, 1)
    begin(serving, "g1", ago=60_000 + PATIENCE + 10)
    step(serving, 1)
    assert len(ends(serving, "g1")) == 1


def test_no_flag_falls_while_nobody_takes_commands(service: Service) -> None:
    due = begin(service, "g1", ago=60_000 + PATIENCE + 10)
    Heartbeat(service.store).beat()
    service.store.delete(OUTAGES_KEY)
    # It is too short since then for an outage.
    service.store.set(BEAT_KEY, due - 1)
    step(service)
    assert ends(service, "g1") == []
    service.heartbeat.beat()
    step(service)
    assert len(ends(service, "g1")) == 1


def test_every_running_clock_is_credited_an_outage_once(service: Service) -> None:
    Heartbeat(service.store).beat()
    ago = 60_000 + PATIENCE + 1000
    due = begin(service, "g1", ago=ago)
    begin(service, "g2", "600", ago=ago)
    begin(service, "g3", "600")
    begun = now(service) - 31_000
    service.store.delete(OUTAGES_KEY)
    service.store.zadd(OUTAGES_KEY, {f"{begun}-{begun + 30_000}": begun + 30_000})
    step(service, 6)
    step(service, 6)
    for id in ("g1", "g2"):
        credits = [
            entry.event
            for entry in log_of(service, id)
            if isinstance(entry.event, events.OutageCredited)
        ]
        expected = events.OutageCredited(side=0, begun=begun, ended=begun + 30_000, credited=30_000)
        assert credits == [expected]
    assert ends(service, "g1") == []
    assert len(log_of(service, "g3")) == 4
    assert service.log.alarms.look(2**52).alarms[0].at == due + 30_000 + PATIENCE


def test_a_game_that_cannot_be_read_holds_up_no_other(
    serving: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for id in ("g1", "g2"):
        begin(serving, id, ago=60_000 + PATIENCE + 10)
    execute = serving.games.execute
    monkeypatch.setattr(
        serving.games,
        "execute",
        lambda id, *given: 1 // 0 if id == "g1" else execute(id, *given),
    )
    step(serving)
    assert (len(ends(serving, "g1")), len(ends(serving, "g2"))) == (0, 1)
    (alarm,) = serving.log.alarms.look(2**52).alarms
    assert alarm.at > now(serving) + 30_000


def test_an_alarm_without_a_game_is_forgotten(serving: Service) -> None:
    step(serving, 1)
    key = name_alarms(serving.log.partition(stream_of("nobody")))
    serving.store.zadd(key, {"game:nobody": 1000})
    step(serving)
    assert serving.log.alarms.look(2**52).alarms == []


def test_a_game_that_is_over_is_not_ended_again(serving: Service) -> None:
    begin(serving, "g1")
    serving.games.execute("g1", Resign(), SEATS[1])
    key = name_alarms(serving.log.partition(stream_of("g1")))
    serving.store.zadd(key, {"game:g1": 1000})
    step(serving)
    assert len(ends(serving, "g1")) == 1
    assert serving.log.alarms.look(2**52).alarms == []
