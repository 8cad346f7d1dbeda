"""What claims guarantee on every store: a claimed thing never has two owners."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from service.errors import WrongExpectedVersion
from service.log.claims import TRIES, Claims, Holding
from service.log.errors import Barred, Overtaken
from service.log.interface import EventLog
from service.log.values import Append, Event, StreamId
from tests.service.log.conftest import Opener
from tests.service.log.support import Noted, at_once, notes, request

A, B = "a" * 16, "b" * 16
THING = ("name", "Open")


def stream_of(id: str) -> StreamId:
    return StreamId("game", id)


class Owners:
    """Entities that may own the thing, as one process sees them; an event says that one does."""

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.claims = Claims(log, lambda: 1000, b"s" * 32, "game")

    def has(self, id: str) -> bool:
        return self.look(id).holds

    def look(self, id: str) -> Holding:
        recorded = self.log.read(stream_of(id))
        if not recorded:
            return Holding()
        has = any(entry.event == Noted(text="mine") for entry in recorded)
        return Holding(has, len(recorded), recorded[-1].hash)

    def claim(self, id: str) -> str | None:
        return self.claims.claim(*THING, owner=id, by=id, look=self.look)

    def take(self, id: str, bar: str | None) -> int:
        """Append the event that takes the claimed thing."""
        assert bar
        events: list[Event] = notes("mine")
        made = request(events, self.log.version(stream_of(id)), stream_of(id))
        return self.log.append(replace(made, unless=bar))


@pytest.fixture
def owners(log: EventLog) -> Owners:
    return Owners(log)


def test_what_somebody_has_cannot_be_claimed(owners: Owners) -> None:
    assert owners.claims.owner(*THING) is None
    bar = owners.claim(A)
    assert owners.claim(A) == bar
    assert owners.take(A, bar) == 1
    assert owners.claim(A) == bar
    assert owners.claim(B) is None
    assert owners.claims.owner(*THING) == A
    assert dict(owners.log.all_attributes(stream_of(A))) == {}


def test_a_claim_of_who_died_is_taken_over(owners: Owners) -> None:
    owners.claim(A)
    assert owners.take(B, owners.claim(B)) == 1
    assert (owners.claims.owner(*THING), owners.has(A)) == (B, False)


def test_who_was_too_slow_cannot_have_what_was_claimed(owners: Owners) -> None:
    slow = owners.claim(A)
    quick = owners.claim(B)
    with pytest.raises(Barred):
        owners.take(A, slow)
    owners.take(B, quick)
    with pytest.raises(Barred):
        owners.take(A, slow)
    assert owners.claim(A) is None


def test_a_claim_can_come_back_to_who_made_it_first(owners: Owners) -> None:
    first, second = owners.claim(A), owners.claim(B)
    again = owners.claim(A)
    assert again != first
    with pytest.raises(Barred):
        owners.take(B, second)
    assert owners.take(A, again) == 1
    assert owners.claim(B) is None


def test_who_dies_between_barring_and_claiming_keeps_nobody_out(
    owners: Owners, monkeypatch: pytest.MonkeyPatch
) -> None:
    barred = owners.claim(A)
    append = owners.log.append

    def die_after_barring(made: Append) -> int:
        if made.stream.kind == "claim":
            raise ConnectionError("killed")
        return append(made)

    with monkeypatch.context() as patch:
        patch.setattr(owners.log, "append", die_after_barring)
        with pytest.raises(ConnectionError):
            owners.claim(B)
    assert owners.claims.owner(*THING) == A
    with pytest.raises(Barred):
        owners.take(A, barred)
    again = owners.claim(A)
    assert again not in (None, barred)
    assert owners.take(A, again) == 1


def test_an_owner_who_takes_the_thing_while_it_is_taken_over_keeps_it(
    owners: Owners, monkeypatch: pytest.MonkeyPatch
) -> None:
    bar = owners.claim(A)
    append = owners.log.append

    def take_first(made: Append) -> int:
        monkeypatch.undo()
        owners.take(A, bar)
        return append(made)

    monkeypatch.setattr(owners.log, "append", take_first)
    assert owners.claim(B) is None
    assert (owners.has(A), owners.claims.owner(*THING)) == (True, A)


@pytest.mark.parametrize("kind", ["claim", "game"])
def test_a_claim_that_others_overtake_for_ever_gives_up(
    owners: Owners, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    owners.claim(A)
    append = owners.log.append

    def overtake(made: Append) -> int:
        if made.stream.kind == kind:
            raise WrongExpectedVersion(str(made.stream), made.expected, made.expected)
        return append(made)

    monkeypatch.setattr(owners.log, "append", overtake)
    with pytest.raises(Overtaken) as error:
        owners.claim(B)
    assert error.value.tries == TRIES


def test_of_many_who_claim_at_once_one_has_the_thing(opener: Opener) -> None:
    ids = [letter * 16 for letter in "abcdefgh"]

    def race(id: str) -> bool:
        owners = Owners(opener())
        while (bar := owners.claim(id)) is not None:
            try:
                return owners.take(id, bar) == 1
            except Barred:
                continue
        return False

    won = at_once([partial(race, id) for id in ids])
    assert sum(won) == 1
    assert [Owners(opener()).has(id) for id in ids] == won
