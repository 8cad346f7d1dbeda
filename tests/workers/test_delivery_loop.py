"""Concurrent deliveries: a receiver that is silent, slow or gone holds up no other."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, Thread
from typing import Any

import pytest
import redis

from service.composition.service import Service
from service.jobs.job import JobState
from service.jobs.job_kinds import DELIVERY
from service.reactions.notices import Notice
from service.webhooks import sending
from service.webhooks.errors import CannotDeliver
from service.webhooks.receivers import STRIKES, route_of
from service.webhooks.webhook import GAME_FINISHED, Webhook
from tests.service.webhooks.receiver import Receiver
from tests.waiting import eventually, join
from workers import delivery_loop, stop_request
from workers.delivery_loop import AT_ONCE, OF_ONE, TO_ONE, Deliveries
from workers.job_functions import FUNCTIONS
from workers.run import carry_out

PATIENCE = 60.0
MALLORY_S = 20
"""Webhooks of one player, the most that one may have."""


@contextmanager
def silent() -> Iterator[str]:
    """The URL of a receiver that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=1000) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


@contextmanager
def delivered_by(service: Service) -> Iterator[Deliveries]:
    """Run the delivery loop for the duration of the context."""
    stop, deliveries = Event(), Deliveries(service)
    thread = Thread(target=deliveries.run, args=(stop,))
    thread.start()
    try:
        yield deliveries
    finally:
        stop.set()
        join(thread)
        deliveries.give_back(0)


def hook(service: Service, owner: str, url: str) -> Webhook:
    return service.webhooks.register(owner, url, (GAME_FINISHED,), False)


def tell(service: Service, owner: str, things: int = 1, name: str = "x") -> None:
    """Announce the end of `things` games of this player."""
    for number in range(things):
        told = Notice(GAME_FINISHED, f"{name}{number}", 0, [owner], {})
        service.announcer.announce(told)


def test_twenty_webhooks_to_a_silent_socket_hold_up_nobody_else(
    service: Service, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All other deliveries arrive before any of the silent ones ends."""
    monkeypatch.setattr(sending, "TIMEOUT", PATIENCE)
    with silent() as url:
        for _ in range(MALLORY_S):
            hook(service, "mallory", url)
        tell(service, "mallory", 10)
        hook(service, "ann", receiver.url)
        tell(service, "ann", 5)
        with delivered_by(service) as deliveries:
            eventually(lambda: len(receiver.got) == 5)
            eventually(lambda: len(deliveries.under_way) == OF_ONE)
            assert service.jobs.waiting([DELIVERY]).queued == MALLORY_S * 10 - OF_ONE


@pytest.mark.slow
def test_many_silent_receivers_of_one_player_leave_room_for_others(
    service: Service, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "TIMEOUT", PATIENCE)
    with ExitStack() as sockets:
        for _ in range(MALLORY_S):
            hook(service, "mallory", sockets.enter_context(silent()))
        tell(service, "mallory", 10)
        with delivered_by(service) as deliveries:
            eventually(lambda: len(deliveries.under_way) == MALLORY_S * OF_ONE)
            hook(service, "ann", receiver.url)
            tell(service, "ann", 5)
            eventually(lambda: len(receiver.got) == 5)
            eventually(lambda: len(deliveries.under_way) == MALLORY_S * OF_ONE)


def test_receivers_take_turns_where_there_is_not_room_for_all(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery_loop, "AT_ONCE", 4)
    monkeypatch.setattr(Deliveries, "_deliver", lambda self, id: None)
    urls = [f"http://r{number}.example" for number in range(6)]
    routes = {route_of(hook(service, "ann", url)) for url in urls}
    tell(service, "ann", 2)
    deliveries = Deliveries(service)
    assert deliveries.begin_due() == 4
    first = list(deliveries.under_way.values())
    deliveries.under_way.clear()
    assert deliveries.begin_due() == 4
    # Those left out the first time come first the second time.
    assert set(list(deliveries.under_way.values())[:2]) == routes - set(first)


def test_owners_take_turns_whatever_number_of_receivers_each_has(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery_loop, "AT_ONCE", 2)
    monkeypatch.setattr(Deliveries, "_deliver", lambda self, id: None)
    for number in range(MALLORY_S):
        hook(service, "mallory", f"http://m{number}.example")
    hook(service, "ann", "http://club.example")
    hook(service, "bob", "http://club.example")
    for owner in ("mallory", "ann", "bob"):
        tell(service, owner, 12)
    deliveries = Deliveries(service)
    begun: list[str] = []
    for _ in range(15):
        assert deliveries.begin_due() == 2
        for id, route in deliveries.under_way.items():
            begun.append(route.partition(" ")[0])
            assert service.jobs.claim(id, "test")
        deliveries.under_way.clear()
    # Mallory has 20 receivers, but still only a third of the turns.
    assert sorted(map(begun.count, ("ann", "bob", "mallory"))) == [10, 10, 10]


def test_a_path_that_never_answers_cools_its_host_for_its_owner_alone(
    service: Service, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = hook(service, "mallory", f"{receiver.url}slow")
    other = hook(service, "ann", receiver.url)

    def post(url: str, *given: Any, **named: Any) -> int:
        if url.endswith("slow"):
            raise CannotDeliver("no answer")
        return sending.post(url, *given, **named)

    monkeypatch.setattr("workers.webhooks.post", post)
    tell(service, "mallory", STRIKES)
    with delivered_by(service):
        eventually(lambda: service.receivers.cooling([route_of(made)]))
        tell(service, "ann", 5)
        eventually(lambda: len(receiver.got) == 5)
    assert service.receivers.striking([route_of(other)]) == set()


def test_many_owners_of_one_receiver_have_only_so_many_deliveries_under_way(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Deliveries, "_deliver", lambda self, id: None)
    for number in range(TO_ONE):
        hook(service, f"owner{number}", "http://club.example")
        tell(service, f"owner{number}", OF_ONE)
    deliveries = Deliveries(service)
    assert [deliveries.begin_due() for _ in range(3)] == [TO_ONE, 0, 0]


def test_receivers_that_have_not_answered_come_behind_all_others(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery_loop, "AT_ONCE", 2)
    monkeypatch.setattr(Deliveries, "_deliver", lambda self, id: None)
    urls = [f"http://r{number}.example" for number in range(4)]
    for url in urls:
        hook(service, "ann", url)
    tell(service, "ann")
    first = service.jobs.due_groups(DELIVERY)
    for receiver in first[:2]:
        service.receivers.strike(receiver)
    deliveries = Deliveries(service)
    assert deliveries.begin_due() == 2
    assert set(deliveries.under_way.values()) == set(first[2:])


def test_a_receiver_that_does_not_answer_cools_down_and_comes_back_by_itself(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "TIMEOUT", 0.1)
    with silent() as url:
        made = hook(service, "ann", url)
        tell(service, "ann", STRIKES + 2)
        with delivered_by(service):
            eventually(lambda: service.receivers.cooling([route_of(made)]))
            eventually(lambda: not service.jobs.counts()[JobState.RUNNING])
    tried = service.webhooks.attempts(made.id, 100)
    assert STRIKES <= len(tried) <= STRIKES + OF_ONE - 1
    # Waiting deliveries are not tried, and waiting costs no try.
    assert service.jobs.due([DELIVERY]) == []
    assert service.jobs.waiting([DELIVERY]).queued == STRIKES + 2
    until = service.receivers.cooling([route_of(made)])[route_of(made)]
    assert max(attempt.next_at or 0 for attempt in tried) == until
    at = until + 1
    monkeypatch.setattr(service.jobs, "clock", lambda: at)
    with monkeypatch.context() as patched, delivered_by(service):
        patched.setattr("workers.webhooks.post", lambda *_, **__: 204)
        eventually(lambda: not service.jobs.waiting([DELIVERY]).queued)
    assert service.receivers.striking([route_of(made)]) == set()


def test_an_answer_ends_the_pause_before_its_time(service: Service, receiver: Receiver) -> None:
    """A delivery already under way when others failed may still succeed."""
    where = route_of(hook(service, "ann", receiver.url))
    tell(service, "ann", 2)
    for _ in range(STRIKES):
        until = service.receivers.strike(where)
    first, _ = service.jobs.due([DELIVERY])
    service.jobs.hold(DELIVERY, where, until)
    assert service.jobs.due([DELIVERY]) == []
    assert carry_out(first, service, service.jobs, FUNCTIONS)
    assert service.receivers.cooling([where]) == {}
    assert len(service.jobs.due([DELIVERY])) == 1


def test_a_receiver_that_refuses_answers_and_does_not_cool_down(
    service: Service, receiver: Receiver
) -> None:
    """A stranger's webhooks that a receiver refuses do not stop everybody else's."""
    receiver.status = 500
    made = hook(service, "mallory", receiver.url)
    tell(service, "mallory", STRIKES + 2)
    with delivered_by(service):
        eventually(lambda: len(receiver.got) == STRIKES + 2)
        eventually(lambda: not service.jobs.counts()[JobState.RUNNING])
    assert service.receivers.striking([route_of(made)]) == set()


def test_a_suspect_is_tried_once_at_a_time(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "TIMEOUT", PATIENCE)
    with silent() as url:
        service.receivers.strike(route_of(hook(service, "ann", url)))
        tell(service, "ann", 5)
        deliveries = Deliveries(service)
        assert [deliveries.begin_due() for _ in range(3)] == [1, 0, 0]
        eventually(lambda: service.jobs.counts()[JobState.RUNNING] == 1)
        deliveries.give_back(0)


@pytest.mark.slow
def test_what_another_process_has_begun_is_left_to_it(service: Service) -> None:
    """Giving it back after failing to claim it would deliver it twice."""
    hook(service, "ann", "http://127.0.0.1:9/")
    tell(service, "ann")
    deliveries = Deliveries(service)
    due_in = service.jobs.due_in

    def taken(kind: str, group: str, limit: int) -> list[str]:
        ids = due_in(kind, group, limit)
        assert service.jobs.claim(ids[0], "another") is not None
        return ids

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(service.jobs, "due_in", taken)
        assert deliveries.begin_due() == 1
    (id,) = deliveries.under_way
    deliveries.give_back(0)
    job = service.jobs.get(id)
    assert (job.state, job.owner) == (JobState.RUNNING, "another")
    eventually(lambda: not deliveries.under_way)


def test_what_is_under_way_goes_back_when_the_process_stops(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "TIMEOUT", PATIENCE)
    with silent() as url:
        hook(service, "ann", url)
        tell(service, "ann", 1)
        with delivered_by(service):
            eventually(lambda: service.jobs.counts()[JobState.RUNNING] == 1)
        (id,) = service.jobs.due([DELIVERY])
        assert service.jobs.get(id).tries == 0


def test_a_store_that_is_away_is_waited_for(
    service: Service, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery_loop, "PAUSE", 0.01)
    groups, failures = service.jobs.due_groups, iter(range(3))

    def away(kind: str) -> list[str]:
        if next(failures, None) is not None:
            raise redis.ConnectionError
        return groups(kind)

    monkeypatch.setattr(service.jobs, "due_groups", away)
    hook(service, "ann", receiver.url)
    tell(service, "ann")
    with delivered_by(service):
        eventually(lambda: len(receiver.got) == 1)


def test_a_process_whose_deliveries_fail_is_ended(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = Event()

    def broken(self: Deliveries, stop: Event) -> None:
        return

    monkeypatch.setattr(Deliveries, "run", broken)
    monkeypatch.setattr("workers.delivery_loop.os.kill", lambda pid, number: ended.set())
    with delivery_loop.run_deliveries(service):
        assert ended.wait(PATIENCE)


def test_no_player_alone_can_fill_a_process() -> None:
    assert MALLORY_S * OF_ONE < AT_ONCE
    assert not stop_request.is_requested()


def test_what_cannot_be_begun_is_not_asked_for_again_and_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the store has no room to begin it."""
    over, tried = Event(), []

    def refused(id: str, *_: object) -> bool:
        tried.append(id)
        return False

    monkeypatch.setattr(delivery_loop, "carry_out", refused)
    monkeypatch.setattr(delivery_loop, "sleep", lambda seconds: over.wait(PATIENCE))
    hook(service, "ann", "https://club.example")
    tell(service, "ann")
    deliveries = Deliveries(service)
    assert deliveries.begin_due() == 1
    eventually(lambda: tried)
    for _ in range(20):
        time.sleep(0.005)
        assert deliveries.begin_due() == 0
    over.set()
    assert len(tried) == 1
