"""A log in a Redis Cluster, beyond the contract of every log."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Thread, Timer

import pytest
import redis
from redis.crc import key_slot

from service.log import feed_notices
from service.log.cluster import LogCluster
from service.log.confirmed_feed import ConfirmedFeed
from service.log.errors import AlreadyDone
from service.log.feed_notices import LOOK_AGAIN
from service.log.interface import FEED_START
from service.log.partition import partition_of
from service.log.redis import RedisEventLog
from service.log.redis_forms import name_feed
from service.log.replication import TooFewReplicas
from service.log.values import Append, StreamId
from service.log.wake import Wake
from tests.faults.network import HOST
from tests.service.log.support import CODEC, GAME, notes, receipt, request
from tests.service.redis_cluster import ClusterServer, RedisCluster
from tests.waiting import PATIENCE, eventually, join

SLOT = key_slot(name_feed(partition_of(GAME)).encode())


@pytest.fixture
def log(redis_cluster: RedisCluster) -> RedisEventLog:
    return RedisEventLog(redis_cluster.client(), CODEC)


def owner(cluster: RedisCluster, log: RedisEventLog) -> ClusterServer:
    """The node that holds the stream GAME."""
    node = cluster.client().find_node(log.key(GAME))
    return next(one for one in cluster.nodes if one.port == node.port)


def rely_on_notices(log: RedisEventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, let a wait end only by a notice, or else after PATIENCE."""
    monkeypatch.setattr(log.waits, "_longest", PATIENCE)
    monkeypatch.setattr("service.log.feed_notices.LOOK_AGAIN", PATIENCE)


@pytest.fixture
def moving(
    redis_cluster: RedisCluster, log: RedisEventLog
) -> Iterator[tuple[ClusterServer, ClusterServer]]:
    """The node that serves the slot of GAME, and the master to which it is about to move."""
    source = owner(redis_cluster, log)
    masters = [node for node in redis_cluster.nodes if node.is_master()]
    target = next(node for node in masters if node is not source)
    announce_move(source, target)
    yield source, target
    announce_move(target, source)
    move(target, source)
    redis_cluster.wait_until_whole()


def announce_move(source: ClusterServer, target: ClusterServer) -> None:
    """Have new keys of the slot created at the target."""
    target.ask("CLUSTER", "SETSLOT", SLOT, "IMPORTING", source.name)
    source.ask("CLUSTER", "SETSLOT", SLOT, "MIGRATING", target.name)


def move(source: ClusterServer, target: ClusterServer) -> None:
    """Move the slot with all of its keys."""
    for key in source.ask("CLUSTER", "GETKEYSINSLOT", SLOT, 1000):
        source.ask("MIGRATE", HOST, target.port, key, 0, 5000, "REPLACE")
    for node in (target, source):
        node.ask("CLUSTER", "SETSLOT", SLOT, "NODE", target.name)


@pytest.mark.slow
def test_a_slot_that_moves_is_followed(
    log: RedisEventLog,
    moving: tuple[ClusterServer, ClusterServer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, target = moving
    positions = log.feed_positions()
    # For a key that is at neither node, only the new one may answer.
    assert log.version(GAME) == 0
    assert log.wait(positions, 0.1) == []
    # No script runs until all of its keys are at one node.
    handing_over = Timer(0.3, move, [source, target])
    handing_over.start()
    assert log.append(request(notes("a"))) == 1
    join(handing_over)
    assert log.append(request(notes("b"), 1)) == 2
    assert [entry.version for entry in log.read(GAME)] == [1, 2]
    told = [pointer.last for _, pointer in log.wait(positions, 30)]
    assert told == [1, 2]
    positions = log.feed_positions()
    rely_on_notices(log, monkeypatch)
    appending = Timer(0.3, log.append, [request(notes("c"), 2)])
    appending.start()
    begun = time.monotonic()
    # Notified by the node that serves the slot now.
    assert [pointer.last for _, pointer in log.wait(positions, PATIENCE)] == [3]
    assert time.monotonic() - begun < PATIENCE
    join(appending)


def test_an_append_whose_answer_is_lost_is_not_sent_again(
    redis_cluster: RedisCluster, log: RedisEventLog
) -> None:
    client = redis_cluster.client("?socket_timeout=0.3")
    hasty = RedisEventLog(client, CODEC)
    assert log.append(request(notes("a"))) == 1
    lost = replace(request(notes("b"), 1, receipt=receipt("k")), head=log.head(GAME))

    def is_connected() -> bool:
        try:
            return hasty.version(GAME) == 1
        except redis.TimeoutError:  # on a busy machine
            return False

    # Afterwards the node knows the script as well, so the next append sends only that.
    eventually(is_connected)
    node = owner(redis_cluster, log)
    # Shorter than it takes for the replica to be promoted.
    node.signal(signal.SIGSTOP)
    try:
        with pytest.raises(redis.TimeoutError):
            hasty.append(lost)
    finally:
        node.signal(signal.SIGCONT)
    eventually(lambda: log.version(GAME) == 2, "what was sent is carried out")
    with pytest.raises(AlreadyDone):
        log.append(lost)
    assert [pointer.last for pointer in log.feed(partition_of(GAME))] == [1, 2]


@pytest.mark.slow
def test_each_process_is_told_at_once_of_what_it_waits_for(
    redis_cluster: RedisCluster, log: RedisEventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = RedisEventLog(redis_cluster.client(), CODEC)
    positions = other.feed_positions()
    assert other.wait(positions, 0.1) == []
    rely_on_notices(other, monkeypatch)
    for version in range(5):
        appending = Timer(0.1, log.append, [request(notes("a"), version)])
        appending.start()
        begun = time.monotonic()
        ((partition, pointer),) = other.wait(positions, PATIENCE)
        assert time.monotonic() - begun < PATIENCE
        assert (partition, pointer.last) == (partition_of(GAME), version + 1)
        positions[partition] = pointer.position
        join(appending)
    # It is not notified of feeds that it does not wait for, and finds the append when it does.
    rest = {partition: at for partition, at in positions.items() if partition != partition_of(GAME)}
    log.append(request(notes("a"), 5))
    assert other.wait(rest, 0.3) == []
    assert [pointer.last for _, pointer in other.wait(positions, 30)] == [6]


def test_what_was_appended_before_a_wait_is_found_without_waiting(log: RedisEventLog) -> None:
    positions = log.feed_positions()
    assert log.wait(positions, 0) == []
    for version in range(50):
        log.append(request(notes("a"), version))
        ((partition, pointer),) = log.wait(positions, 0)
        assert pointer.last == version + 1
        positions[partition] = pointer.position


def test_a_wait_is_ended_by_its_wake_alone(
    log: RedisEventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log.waits, "_longest", 600)
    positions, wake = log.feed_positions(), Wake()
    for _ in range(2):
        waiter = Thread(target=log.wait, args=(positions, 600, wake))
        waiter.start()
        wake.call()
        join(waiter)
        wake.reset()


def test_a_lost_connection_is_made_again(redis_cluster: RedisCluster, log: RedisEventLog) -> None:
    positions = log.feed_positions()
    assert log.wait(positions, 0.1) == []
    for node in redis_cluster.nodes:
        node.ask("CLIENT", "KILL", "TYPE", "pubsub")
    log.append(request(notes("a")))
    assert [pointer.last for _, pointer in log.wait(positions, 30)] == [1]


def test_scripts_that_a_node_has_forgotten_are_sent_again(
    redis_cluster: RedisCluster, log: RedisEventLog
) -> None:
    for node in redis_cluster.nodes:
        node.ask("SCRIPT", "FLUSH")
    streams = [StreamId("game", f"g{number}") for number in range(20)]
    made = log.append_each([request(notes("a"), stream=stream) for stream in streams])
    assert made == [1] * 20
    assert {stream.id for stream in log.streams("game")} == {stream.id for stream in streams}


@pytest.mark.slow
def test_what_too_few_replicas_have_is_not_acknowledged(
    redis_cluster: RedisCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = RedisEventLog(redis_cluster.client("?socket_timeout=90"), CODEC, replicas=1)
    partition = partition_of(GAME)
    with monkeypatch.context() as patched:
        patched.setattr("service.log.replication.PATIENCE", 60_000)
        assert log.append(request(notes("a"))) == 1
        ((_, told),) = log.wait({partition: FEED_START}, 0)
    before = told.position
    node = owner(redis_cluster, log)
    (_, port, _), *_ = node.ask("ROLE")[2]
    replica = next(one for one in redis_cluster.nodes if one.port == int(port))
    asked = request(notes("b"), 1, receipt=receipt("k"))
    replica.signal(signal.SIGSTOP)
    try:
        # First the append, then the answer from its receipt: too few replicas have either.
        for _ in range(2):
            with pytest.raises(TooFewReplicas, match="0 of 1 replicas have what was appended"):
                log.append(asked)
        with pytest.raises(TooFewReplicas):
            log.receipt(GAME, "k")
        with pytest.raises(TooFewReplicas):
            RedisEventLog(redis_cluster.client(), CODEC, replicas=1).receipt(GAME, "k")
        assert log.version(GAME) == 2
        # Nor do followers see it, who might act on it.
        assert log.wait({partition: before}, 0) == []
    finally:
        replica.signal(signal.SIGCONT)
    monkeypatch.setattr("service.log.replication.PATIENCE", 60_000)
    eventually(lambda: answers(log, asked), "its receipt answers")
    found = log.receipt(GAME, "k")
    assert found is not None
    assert found.last == 2
    assert [pointer.last for _, pointer in log.wait({partition: before}, 0)] == [2]
    redis_cluster.wait_until_whole()


def test_replicas_cannot_confirm_what_only_a_former_master_has(
    patient_cluster: Callable[[], LogCluster],
) -> None:
    client = patient_cluster()
    log = RedisEventLog(client, CODEC, replicas=1)
    assert log.append(request(notes("a"))) == 1
    (told,) = log.wait({partition_of(GAME): FEED_START}, 0)
    confirmed = ConfirmedFeed(client, 1)
    assert confirmed.keep_confirmed([told]) == [told]
    lost = replace(told[1], position=told[1].position + "1")
    with pytest.raises(redis.ConnectionError, match="no longer the master"):
        confirmed.keep_confirmed([(told[0], lost)])


def answers(log: RedisEventLog, asked: Append) -> bool:
    """Whether a request is answered from its receipt, not refused for want of replicas."""
    try:
        log.append(asked)
    except TooFewReplicas:
        return False
    except AlreadyDone:
        return True
    raise AssertionError("it was appended twice")


@pytest.mark.slow
def test_whoever_stood_still_while_they_subscribed_finds_the_answers(
    redis_cluster: RedisCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = RedisEventLog(redis_cluster.client(), CODEC)
    log.append(request(notes("a")))
    listen, still = feed_notices.Listener._listen, [LOOK_AGAIN + 0.5]

    def stand_still_first(self: feed_notices.Listener, seconds: float) -> None:
        # As after hearing one node, while the answers of the others arrive.
        time.sleep(still.pop()) if still else listen(self, seconds)

    monkeypatch.setattr(feed_notices.Listener, "_listen", stand_still_first)
    ((partition, told),) = log.wait({partition_of(GAME): FEED_START}, 0)
    assert (partition, told.stream, still) == (partition_of(GAME), GAME, [])


def test_a_client_that_is_dropped_leaves_no_socket_open(redis_cluster: RedisCluster) -> None:
    listener = feed_notices.Listener(redis_cluster.client())
    listener.wait({0: FEED_START}, 0)
    ours = [listener._bell, listener._cord]
    connections = list(listener._connections.values())
    assert connections
    # It may be a part of a cycle, of which the garbage collector takes the sockets first.
    del listener
    assert [one.fileno() for one in ours] == [-1, -1]
    assert not any(one.is_connected for one in connections)
