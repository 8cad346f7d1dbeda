"""Mergers and entries at the same time leave no circle, and no person entered twice."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import count

import pytest

from service.composition.service import Service
from service.errors import BadValue
from service.log.values import Append
from service.player.actor import Actor
from service.player.mergers import survivors
from service.player.state import KIND as PLAYER
from service.reactions.mergers import PARTER, MergerGuard
from service.tournament.commands import CreateTournament, Enter
from service.tournament.errors import AlreadyEntered, BothEntered
from service.tournament.merging import merge
from service.tournament.repository import KIND as TOURNAMENT
from tests.service.held_up import hold_up
from tests.service.imports.support import project
from tests.service.redis_server import RedisServer
from tests.workers.support import service_on

ID = "t" * 16
CHIEF = Actor("c" * 16, frozenset({"arbiter"}))
ADMIN = "a" * 16


@pytest.fixture
def processes(redis_server: RedisServer) -> tuple[Service, Service]:
    return service_on(redis_server), service_on(redis_server)


numbers = count()


def unclaimed(service: Service, *names: str) -> list[str]:
    return [service.players.unclaimed(f"{name} {next(numbers)}", ADMIN) for name in names]


def open_tournament(service: Service, *players: str, id: str = ID) -> None:
    command = CreateTournament(
        name=f"Open {id[0]}", variant="katruji", kind="free", scoring={"name": "standard"}
    )
    service.tournaments.create(id, command, CHIEF)
    for player in players:
        enter(service, player, id)


def enter(service: Service, player: str, id: str = ID) -> None:
    service.tournaments.execute(id, Enter(player=player), CHIEF)


def merge_listed(service: Service, id: str, into: str) -> None:
    """Merge as an admin's request does while the lists are behind the log."""
    among = service.tournament_list.ids()
    merge(service.players, service.tournaments, among, id, into, ADMIN)


def merged(service: Service, *ids: str) -> list[str | None]:
    return [service.players.load(id).merged_into for id in ids]


def tick(*services: Service) -> None:
    """Put each of their events in a millisecond of its own: the last merger is then known."""
    ticks = count(services[0].players.clock())
    for service in services:
        service.players.clock = lambda: next(ticks)


@pytest.mark.parametrize("early", [False, True], ids=["both new", "one seen"])
def test_of_two_mergers_that_make_a_circle_one_is_taken_back(
    processes: tuple[Service, Service], monkeypatch: pytest.MonkeyPatch, early: bool
) -> None:
    slow, quick = processes
    one, other = unclaimed(slow, "Ana", "Anna")

    def merge_meanwhile(_: Append) -> None:
        quick.players.merge(other, one, ADMIN)
        if early:
            project(quick)

    hold_up(slow.log, PLAYER, merge_meanwhile, monkeypatch)
    slow.players.merge(one, other, ADMIN)
    assert merged(quick, one, other) == [other, one]
    # A reader at this moment does not loop in the circle.
    assert survivors(quick.log, [one, other]) == {one: [other], other: [one]}
    assert set(quick.players.names([one, other])) == {one, other}
    with pytest.raises(BadValue):
        quick.players.merge(one, other, ADMIN)
    project(quick)
    assert sorted(map(str, merged(slow, one, other))).count("None") == 1
    project(slow)
    assert sorted(map(str, merged(slow, one, other))).count("None") == 1


def test_a_longer_circle_is_opened_where_it_was_closed_last(
    processes: tuple[Service, Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = processes
    first, second, third, outside = unclaimed(slow, "A", "B", "C", "D")
    tick(quick, slow)
    quick.players.merge(first, second, ADMIN)
    quick.players.merge(outside, first, ADMIN)

    def merge_meanwhile(_: Append) -> None:
        quick.players.merge(second, third, ADMIN)

    hold_up(slow.log, PLAYER, merge_meanwhile, monkeypatch)
    with suppress(BadValue):
        slow.players.merge(third, first, ADMIN)
    project(quick)
    assert None in merged(slow, second, third)
    assert merged(slow, first, outside) == [second, first]
    lines = survivors(slow.log, [first, second, third, outside])
    assert all(len(line) <= 3 for line in lines.values())


@pytest.mark.parametrize("early", [False, True], ids=["both new", "one seen"])
@pytest.mark.parametrize("late", [PLAYER, TOURNAMENT])
@pytest.mark.parametrize("entrant_is_merged", [False, True])
def test_a_merger_beside_an_entry_is_taken_back(
    processes: tuple[Service, Service],
    monkeypatch: pytest.MonkeyPatch,
    late: str,
    early: bool,
    entrant_is_merged: bool,
) -> None:
    slow, quick = processes
    known, new = unclaimed(slow, "Ana", "Anna")
    open_tournament(slow, known)
    project(quick)
    id, into = (known, new) if entrant_is_merged else (new, known)
    steps: dict[str, Callable[[Service], None]] = {
        PLAYER: lambda service: merge_listed(service, id, into),
        TOURNAMENT: lambda service: enter(service, new),
    }
    (first,) = steps.keys() - {late}

    def act_meanwhile(_: Append) -> None:
        steps[first](quick)
        if early:
            project(quick)

    hold_up(slow.log, late, act_meanwhile, monkeypatch)
    refusal = BothEntered if late == PLAYER else AlreadyEntered
    with suppress(refusal):
        steps[late](slow)
    project(quick)
    assert merged(slow, id) == [None]
    assert set(slow.tournaments.load(ID).entries) == {known, new}
    assert [e.by for e in slow.log.read(slow.players.stream(id))][-1] == PARTER


def test_an_older_merger_of_an_entrant_stays(
    processes: tuple[Service, Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = processes
    tick(quick, slow)
    entrant, person, new = unclaimed(slow, "Ana", "Anna", "A.")
    open_tournament(slow, entrant)
    merge_listed(quick, entrant, person)
    hold_up(slow.log, TOURNAMENT, lambda _: merge_listed(quick, new, person), monkeypatch)
    with suppress(AlreadyEntered):
        enter(slow, new)
    project(quick)
    assert merged(slow, entrant, new) == [person, None]
    assert new in slow.tournaments.load(ID).entries


def test_only_tournaments_of_the_merged_player_are_checked(
    processes: tuple[Service, Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, _ = processes
    entrant, id, into, other = unclaimed(service, "Ana", "Anna", "A.", "Bea")
    open_tournament(service, entrant, other)
    open_tournament(service, into, other, id="u" * 16)
    service.players.merge(entrant, id, ADMIN)
    project(service)
    service.players.merge(id, into, ADMIN)
    project(service)
    checked: list[str] = []
    guard = MergerGuard(service.players, service.tournaments, service.tournament_list.entered_by)
    monkeypatch.setattr(guard, "check_tournament", checked.append)
    guard.check_player(id)
    assert checked == [ID]


def test_what_is_in_order_is_left_alone(processes: tuple[Service, Service]) -> None:
    service, _ = processes
    one, other, third = unclaimed(service, "Ana", "Anna", "Bea")
    open_tournament(service, one, third)
    merge_listed(service, one, other)
    project(service)
    assert merged(service, one, other, third) == [other, None, None]
    with pytest.raises(AlreadyEntered):
        enter(service, other)
    with pytest.raises(BothEntered):
        merge_listed(service, third, other)
