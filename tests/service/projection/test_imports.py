"""The lists of imports."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from service.composition import Service
from service.errors import BadValue
from service.ids import new_id
from service.imports.repository import stream_of
from service.imports.state import ImportMode
from service.log.values import Append
from service.projection.rebuild import rebuild
from service.tournament.events import TournamentFinished
from tests.service.imports.support import GOOD, project, work
from tests.service.projection.support import dump, ticking
from tests.service.redis_server import RedisServer
from tests.workers.support import service_on


@pytest.fixture
def service(redis_server: RedisServer) -> Iterator[Service]:
    made = service_on(redis_server)
    made.imports.clock = ticking()
    yield made
    made.store.close()


def begin(service: Service, by: str) -> str:
    """The id of a queued import."""
    id = new_id()
    with service.imports.uploads.receive(io.BytesIO(GOOD.encode())) as received:
        service.imports.begin(id, received, ImportMode.QUARANTINE, by, None)
    return id


def listed(service: Service, by: str | None = None, limit: int = 50) -> list[str]:
    """The ids on all pages."""
    ids, cursor = service.import_list.page(by, limit=limit)
    while cursor is not None:
        more, cursor = service.import_list.page(by, cursor, limit)
        assert len(more) <= limit
        ids += more
    return ids


def index(service: Service) -> dict[str, object]:
    """All that is kept for the lists."""
    return dump(service.store, "movelog:{index}:g*:*import*")


def test_imports_are_listed_once_newest_first_by_player_and_together(service: Service) -> None:
    begun = [begin(service, by) for by in ("ann", "bob", "ann", "ann")]
    project(service)
    work(service)
    project(service)
    newest = begun[::-1]
    of_ann = [id for id in newest if id != begun[1]]
    for limit in (1, 2, 3, 4, 50):
        assert listed(service, limit=limit) == newest
        assert listed(service, "ann", limit) == of_ann
    assert listed(service, "bob") == [begun[1]]
    assert listed(service, "eve") == []


def test_a_rebuild_gives_the_same_bytes_and_leaves_nothing_of_the_old_ones(
    service: Service,
) -> None:
    for by in ("ann", "bob", "ann"):
        begin(service, by)
    service.imports.cancel(begin(service, "ann"))
    project(service)
    work(service)
    begin(service, "bob")
    project(service)
    before = index(service)
    assert set(before) == {"imports", "list-of-imports", "imports-by=ann", "imports-by=bob"}
    for _ in range(2):
        rebuild(service.log, service.store)
        assert index(service) == before
    assert list(service.store.scan_iter("movelog:{index}:g[01]:*")) == []


def test_an_import_from_before_there_was_a_list_is_listed_by_a_rebuild(service: Service) -> None:
    id = begin(service, "ann")
    assert listed(service) == []
    rebuild(service.log, service.store)
    assert listed(service) == listed(service, "ann") == [id]
    project(service)
    assert listed(service) == [id]


def test_an_import_that_cannot_be_read_hinders_no_other(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = begin(service, "ann"), begin(service, "ann")
    unknown = TournamentFinished()
    stream = stream_of(bad)
    service.log.append(Append(stream=stream, expected=1, events=[unknown], at=0, by="ann"))
    project(service)
    assert listed(service) == [good]
    caplog.clear()
    rebuild(service.log, service.store)
    assert listed(service) == [good]
    assert f"import {bad} cannot be read" in caplog.text


def test_a_page_goes_on_at_a_cursor_alone(service: Service) -> None:
    with pytest.raises(BadValue):
        service.import_list.page("ann", "nowhere")
