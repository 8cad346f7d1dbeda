"""The commands that an import of parsed records sends to the store."""

from __future__ import annotations

import io
from collections import Counter

import pytest

from notation.section import split_sections
from service.composition.service import Service
from service.imports.events import ImportBegun
from service.imports.parsing import parse_sections
from service.imports.state import ImportMode, ImportState
from tests.service.imports.archive import many
from tests.service.imports.support import GOOD, ILLEGAL
from tests.service.redis_server import RedisServer
from tests.workers.support import service_on
from workers import record_importer
from workers.record_importer import Importer


def importer(service: Service) -> Importer:
    """An importer in the mode `as-played`, whose import is not in the log."""
    begun = ImportBegun(mode=ImportMode.AS_PLAYED, size=1, sha256="0" * 64, packing="none")
    return Importer(service, ImportState("i" * 16, "p" * 16, 0, begun), lambda: None)


def calls(service: Service) -> Counter[str]:
    """The number of calls so far of each of the store's commands."""
    told = service.store.info("commandstats")
    return Counter({name.removeprefix("cmdstat_"): one["calls"] for name, one in told.items()})


@pytest.mark.parametrize("again", [False, True])
def test_a_record_costs_one_append_and_nothing_is_read(
    redis_server: RedisServer, again: bool
) -> None:
    service = service_on(redis_server)
    texts = [*many(40, "katruji"), ILLEGAL]
    records = parse_sections(list(split_sections(io.StringIO("\n".join(texts)))))
    assert len(records) == 41
    importer(service).import_records(records[:1], 1)
    known = importer(service)
    if again:
        known.import_records(records, 1)
    before = calls(service)
    verdicts = known.import_records(records, 1)
    assert len(verdicts) == 41
    spent = calls(service) - before
    players = len({name for one in records[:-1] for name in getattr(one, "names", ())})
    # One script per append, refused for a game that exists; players are looked up in one go.
    assert 41 <= spent["evalsha"] <= 41 + players
    assert spent["xrange"] == spent["xread"] == 0
    assert spent["xadd"] <= 2 * (41 + players)
    if again:
        assert spent["xadd"] == 0
    service.store.close()


def test_no_player_of_a_batch_is_forgotten_before_it_is_imported(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even those whose ids were cached longest ago."""
    monkeypatch.setattr(record_importer, "NAMES", 0)
    others = [GOOD.replace('"A"', f'"A {n}"').replace('"B"', f'"B {n}"') for n in range(3)]
    records = parse_sections(list(split_sections(io.StringIO("\n\n".join([GOOD, *others])))))
    known = importer(service)
    assert len(known.import_records(records, 1)) == 4
    for number, batch in enumerate((records[:1], records[1:2], records[:1]), 5):
        (verdict,) = known.import_records(batch, number)
        assert verdict["status"] == "duplicate"
