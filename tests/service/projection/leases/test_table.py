"""Leases in a real Redis: every partition has one holder, and every process a fair share."""

from __future__ import annotations

import time

import pytest

from service.projection.leases.table import LeaseTable, Shared
from tests.service.redis_server import RedisServer
from tests.waiting import eventually

LONG = 3600.0
SHORT = 0.05


@pytest.fixture
def table(redis_server: RedisServer) -> LeaseTable:
    return LeaseTable(redis_server.client(), 64)


def settle(table: LeaseTable, *processes: str) -> dict[str, Shared]:
    """What each process has after asking twice: one has to give up before another can take."""
    for _ in range(2):
        found = {process: table.share(process, LONG) for process in processes}
    return found


def sizes(shared: dict[str, Shared]) -> list[int]:
    partitions = [one.partitions for one in shared.values()]
    assert sum(map(len, partitions)) == len(frozenset().union(*partitions)) == 64
    return sorted(map(len, partitions))


def test_the_first_process_has_everything(table: LeaseTable) -> None:
    shared = table.share("a", LONG)
    assert shared.partitions == frozenset(range(64))
    assert shared.duties
    assert not shared.kept
    assert table.share("a", LONG).kept
    assert set(table.holders().values()) == {"a"}


def test_each_has_a_fair_share_and_gives_up_some_to_another(table: LeaseTable) -> None:
    assert sizes(settle(table, "a")) == [64]
    assert sizes(settle(table, "a", "b")) == [32, 32]
    assert sizes(settle(table, "a", "b", "c")) == [20, 22, 22]
    assert sizes(settle(table, "a", "b", "c", "d")) == [16, 16, 16, 16]


def test_one_of_them_has_the_duties_for_all(table: LeaseTable) -> None:
    shared = settle(table, "a", "b", "c")
    assert [name for name, one in shared.items() if one.duties] == ["a"]
    table.remove(["a"])
    shared = settle(table, "b", "c")
    assert [name for name, one in shared.items() if one.duties] == ["b"]


def test_what_a_process_gives_back_is_taken_at_once(table: LeaseTable) -> None:
    settle(table, "a", "b")
    table.remove(["a"])
    assert len(table.holders()) == 32
    assert sizes(settle(table, "b")) == [64]


def test_a_process_without_a_heartbeat_loses_its_leases(table: LeaseTable) -> None:
    settle(table, "b", "a")
    table.share("a", SHORT)
    eventually(lambda: set(table.holders().values()) == {"b"})
    assert not table.beat("a", LONG)
    assert set(table.holders().values()) == {"b"}
    assert sizes(settle(table, "b")) == [64]
    # A process that comes back gets no more than a new one.
    back = table.share("a", LONG)
    assert not back.kept
    assert back.partitions == frozenset()
    assert sizes(settle(table, "b", "a")) == [32, 32]


def test_a_heartbeat_keeps_them(table: LeaseTable) -> None:
    before = table.share("a", LONG)

    def beats_in_time() -> bool:
        """Beat again before the life that a heartbeat gave is over; False if that was too late."""
        table.share("a", LONG)
        return table.beat("a", SHORT) and table.beat("a", LONG)

    eventually(beats_in_time)
    time.sleep(2 * SHORT)
    assert table.share("b", LONG).partitions == frozenset()
    assert table.share("a", LONG).partitions < before.partitions


def test_more_processes_than_partitions_leave_some_idle(redis_server: RedisServer) -> None:
    table = LeaseTable(redis_server.client(), 2)
    shared = settle(table, "a", "b", "c")
    assert sorted(len(one.partitions) for one in shared.values()) == [0, 1, 1]


def test_what_one_cannot_read_goes_to_others_beyond_their_share(table: LeaseTable) -> None:
    settle(table, "old", "new")
    refused = sorted(table.share("old", LONG).partitions)[:10]
    for _ in range(2):
        old = table.share("old", LONG, refused)
        new = table.share("new", LONG)
    assert not old.partitions & set(refused)
    assert new.partitions >= set(refused)
    assert old.partitions | new.partitions == frozenset(range(64))
    # Once the process is gone, nothing is refused any more.
    table.remove(["old"])
    assert sizes(settle(table, "new", "newer")) == [32, 32]
