"""The table of openings in the log: the newest one counts, whoever has changed it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from service.composition.service import CODEC
from service.log.errors import Overtaken
from service.log.memory import MemoryEventLog
from service.openings.repository import STREAM, Openings
from service.openings.values import Opening, OpeningTable
from tests.service.projection.support import ticking

DASH = Opening("katruji", "Dash", ("c3d4",), "D1")
WALK = Opening("kerd", "King's Walk", ("e2e3", "d12d9"))


def test_a_table_is_read_as_it_was_loaded() -> None:
    openings = Openings(MemoryEventLog(CODEC), ticking())
    assert openings.load() == OpeningTable(0, ())
    assert openings.replace([DASH, WALK], "op") == OpeningTable(1, [DASH, WALK])
    assert openings.load() == OpeningTable(1, [DASH, WALK])
    assert openings.replace([WALK], "op").version == 2
    assert openings.load() == OpeningTable(2, [WALK])
    openings.clear("op")
    assert openings.load() == OpeningTable(3, [])
    assert [entry.by for entry in openings.log.read(STREAM)] == ["op"] * 3


def test_who_is_overtaken_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    log = MemoryEventLog(CODEC)
    mine, other = Openings(log, ticking()), Openings(log, ticking())
    version, others = log.version, [[DASH], [WALK]]

    def overtaken(stream: object) -> int:
        found = version(STREAM)
        if others:
            rows: Sequence[Opening] = others.pop()
            monkeypatch.setattr(log, "version", version)
            other.replace(rows, "other")
            monkeypatch.setattr(log, "version", overtaken)
        return found

    monkeypatch.setattr(log, "version", overtaken)
    assert mine.replace([DASH, WALK], "me").version == 3
    monkeypatch.setattr(log, "version", lambda stream: 0)
    with pytest.raises(Overtaken):
        mine.clear("me")
