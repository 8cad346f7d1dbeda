"""Logs of games on clocks, checked against the clocks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from service.game.commands import PlayAction, Resign, SetClocks
from service.game.timekeeping import Outage
from service.game.values import Mode
from service.log.chain import canonical
from service.verification.events import verify_events
from tests.service.game.support import ID, NORTH, REFEREE, SOUTH, new_game
from tests.service.verification.support import Archive, fault, rechained


class Down:
    """Reports these outages of the service."""

    def __init__(self, *outages: Outage) -> None:
        self.outages = outages

    def look(self, after: int) -> tuple[Sequence[Outage], int]:
        return self.outages, 2**50


@pytest.fixture
def timed(empty: Archive) -> Archive:
    """A game on clocks with an outage, a clock setting and an end: 9 events, 4 actions."""
    games = empty.games
    games.create(ID, replace(new_game(Mode.ARBITER), time_control="60+1"), REFEREE)
    empty.do(PlayAction(token="Sd1"), by=SOUTH)
    empty.do(PlayAction(token="Sa8"), by=NORTH)
    since = games.load(ID).updated_at
    # This archive's clock advances by a millisecond each time it is read.
    games.outages = Down(Outage(since - 5000, since + 1))
    empty.do(PlayAction(token="Sc2", lag=300), by=SOUTH)
    games.outages = None
    empty.do(SetClocks(first=70_000, second=50_000, reason="late"), by=REFEREE)
    empty.do(PlayAction(token="Sb7"), by=NORTH)
    empty.do(Resign(), by=SOUTH)
    return empty


def changed(log: bytes, type: str, index: int = 0, **data: object) -> bytes:
    """The log with changed data in one event of this type, and a new chain."""
    lines = log.splitlines()
    number = [n for n, line in enumerate(lines) if f'"type":"{type}"'.encode() in line][index]
    event = json.loads(lines[number])
    event["data"] |= data
    lines[number] = canonical(event)
    return rechained(lines)


def test_a_game_on_clocks_is_verified(timed: Archive) -> None:
    assert b'"credited":1,' in timed.log()
    assert verify_events(timed.log(), timed.keys).error is None


@pytest.mark.parametrize(
    ("type", "index", "data", "reason"),
    [
        ("action-played/2", 2, {"used": 5}, "the clocks give"),
        ("action-played/2", 2, {"left": 60_000}, "the clocks give"),
        ("action-played/2", 2, {"compensation": 400}, "the clocks give"),
        ("action-played/2", 3, {"received": 1_700_000_009_999}, "the clocks give"),
        ("time-control-agreed/1", 0, {"control": "0"}, "no time for the first move"),
        ("time-control-agreed/1", 0, {"control": "soon"}, "is not a stage"),
        ("clocks-set/1", 0, {"first": 0}, "or to nothing"),
        ("outage-credited/1", 0, {"credited": 2}, "that were not in the turn"),
        ("outage-credited/1", 0, {"side": 1}, "a clock that does not run"),
    ],
)
def test_times_that_the_clocks_do_not_give_are_found(
    timed: Archive, type: str, index: int, data: dict[str, object], reason: str
) -> None:
    assert reason in fault(changed(timed.log(), type, index, **data), None).reason


def test_every_action_has_its_times(timed: Archive) -> None:
    lines = timed.log().splitlines()
    event = json.loads(lines[2])
    event["type"] = "action-played/1"
    for name in ("received", "compensation", "used", "left"):
        del event["data"][name]
    wrong = fault(rechained([*lines[:2], canonical(event), *lines[3:]]), None)
    assert "without times" in wrong.reason


def test_clocks_are_agreed_on_once(timed: Archive) -> None:
    lines = timed.log().splitlines()
    again = fault(rechained([lines[0], lines[1], lines[1], *lines[2:]]), None)
    assert "only once" in again.reason
    without = fault(rechained([lines[0], *lines[2:]]), None)
    assert "a game without clocks" in without.reason
