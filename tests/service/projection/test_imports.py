"""The lists of imports."""

from __future__ import annotations

import io

import pytest

from service.composition.projector import rebuild
from service.composition.service import Service
from service.ids import new_id
from service.imports.repository import stream_of
from service.imports.state import ImportMode
from service.log.values import Append
from service.projection.errors import BadCursor
from service.tournament.events import TournamentFinished
from tests.service.imports.support import GOOD, project, work
from tests.service.projection.support import dump, ticking


@pytest.fixture(autouse=True)
def own_clock(service: Service) -> None:
    service.imports.clock = ticking()


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


def test_a_rebuild_gives_the_same_rows(
    service: Service,
) -> None:
    for by in ("ann", "bob", "ann"):
        begin(service, by)
    service.imports.cancel(begin(service, "ann"))
    project(service)
    work(service)
    begin(service, "bob")
    project(service)
    before = dump(service.database, "import")
    assert len(before["import"]) == 5
    for _ in range(2):
        rebuild(service)
        assert dump(service.database, "import") == before


def test_an_import_from_before_there_was_a_list_is_listed_by_a_rebuild(service: Service) -> None:
    id = begin(service, "ann")
    assert listed(service) == []
    rebuild(service)
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
    rebuild(service)
    assert listed(service) == [good]
    assert f"import {bad} cannot be read" in caplog.text


def test_a_page_goes_on_at_a_cursor_alone(service: Service) -> None:
    _, cursor = service.import_list.page("ann", limit=1)
    for bad in ("nowhere", "", "x" * 200):
        with pytest.raises(BadCursor):
            service.import_list.page("ann", bad)
    assert cursor is None
    begin(service, "ann")
    begin(service, "ann")
    project(service)
    _, cursor = service.import_list.page("ann", limit=1)
    assert cursor is not None
    with pytest.raises(BadCursor):
        service.import_list.page(None, cursor)
