"""The archive under today's rules."""

from __future__ import annotations

from dataclasses import replace

import fakeredis
import pytest

from engine.registry import find_variant
from engine.variant import Variant
from notation.katruji import KatrujiDialect
from service.composition.service import CODEC
from service.game.events import ActionPlayed, GameCreated
from service.log.memory import MemoryEventLog
from service.log.redis import RedisEventLog
from service.log.values import Append, Event, StreamId
from service.verification.audit import AuditFinding, audit_game
from service.verification.errors import Location, Wrong
from tests.service.log.support import Forgotten
from tests.service.verification.support import STREAM, Archive

CREATED = GameCreated(variant="katruji", rules="1", mode="scribe", first="a", second="b")


def log_of(*events: Event) -> MemoryEventLog:
    """A log of one game with these events."""
    log = MemoryEventLog(CODEC)
    log.append(Append(STREAM, 0, events, 1000, "scribe"))
    return log


def test_a_game_that_agrees(katruji: Archive, kerd: Archive) -> None:
    for archive in (katruji, kerd):
        finding = audit_game(archive.games.log, STREAM)
        assert (finding.fault, finding.repinned) == (None, False)
        assert str(finding).endswith("agrees")
        assert finding.as_json()["diverges"] is False


def test_a_game_under_older_rules_is_told_though_it_agrees(
    katruji: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def newer(name: str) -> Variant:
        return replace(find_variant(name), rules="2")

    monkeypatch.setattr("service.verification.audit.find_variant", newer)
    finding = audit_game(katruji.games.log, STREAM)
    assert (finding.rules, finding.current, finding.repinned) == ("1", "2", True)
    assert str(finding) == f"{STREAM.id} (katruji, rules 1, now 2) agrees"


def test_the_first_divergent_ply_is_named(
    katruji: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules no longer accept the third action of the game."""
    known = KatrujiDialect.resolve

    def resolve(self: KatrujiDialect, position: object, token: str) -> object:
        return known(self, position, "a3b2" if token == "a3b3" else token)  # type: ignore[arg-type]

    monkeypatch.setattr(KatrujiDialect, "resolve", resolve)
    finding = audit_game(katruji.games.log, STREAM)
    assert finding.fault is not None
    assert (finding.fault.place.ply, finding.fault.place.event) == (3, 4)
    shown = finding.as_json()
    assert (shown["diverges"], shown["ply"], shown["event"]) == (True, 3, 4)
    assert "diverges at event 4, ply 3: a3b2" in str(finding)


def test_a_log_with_an_illegal_action_diverges_there() -> None:
    first = ActionPlayed(ply=1, action="b3a4", san="Pa4")
    log = log_of(CREATED, first, ActionPlayed(ply=2, action="a8a9", san="Pa9"))
    fault = audit_game(log, STREAM).fault
    assert fault is not None
    assert fault.place == Location(event=3, ply=2)


def test_a_game_that_is_no_longer_known_diverges() -> None:
    finding = audit_game(log_of(replace(CREATED, variant="chess")), STREAM)
    assert (finding.variant, finding.current, finding.repinned) == ("chess", None, True)
    assert finding.fault is not None
    assert "now none" in str(finding)


def test_an_event_that_is_not_known_is_told() -> None:
    log = RedisEventLog(fakeredis.FakeRedis(version=(6, 2)), CODEC)
    log.append(Append(STREAM, 0, [CREATED, Forgotten()], 1000, "scribe"))
    finding = audit_game(log, STREAM)
    assert finding.fault is not None
    assert "unknown event" in finding.fault.reason


def test_an_event_changed_in_the_store_is_found(katruji: Archive) -> None:
    log = katruji.games.log
    assert isinstance(log, MemoryEventLog)
    entries = log.read(STREAM)
    event = entries[3].event
    assert isinstance(event, ActionPlayed)
    entries[3] = replace(entries[3], event=replace(event, clock=1))
    log._streams[STREAM] = entries
    fault = audit_game(log, STREAM).fault
    assert fault is not None
    assert fault.place.event == 4
    assert fault.reason == "the event is not the one its digest was made of"


def test_a_finding_without_a_game() -> None:
    finding = audit_game(log_of(CREATED), StreamId("game", "none"))
    assert finding == AuditFinding("none", "?", "?", None, finding.fault)
    assert isinstance(finding.fault, Wrong)
