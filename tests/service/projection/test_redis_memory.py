"""Redis stores nothing for projections: its memory does not grow with the read models."""

from __future__ import annotations

from service.composition.projector import rebuild
from service.composition.service import Service, now
from service.projection.games.query import Query
from service.projection.takeover import REMOVED
from tests.service.projection.support import create, project_service
from tests.workers.support import ended_games


def bytes_by_key(service: Service) -> dict[bytes, int]:
    """The memory that each key of the service's Redis takes, measured without sampling."""
    keys: list[bytes] = list(service.store.scan_iter())
    return {key: service.store.memory_usage(key, samples=0) or 0 for key in keys}


def test_projecting_rebuilding_and_asking_take_nothing_of_redis(service: Service) -> None:
    ids = ended_games(service, 5)
    ada, brahim = (service.players.unclaimed(name, "admin") for name in ("Ada King", "King, Ada"))
    create(service.games, "r" * 16, ada, brahim)
    before = bytes_by_key(service)
    assert sum(before.values()) > 1000 * len(ids)

    project_service(service)
    service.ratings.close(now())
    assert len(service.search.page(Query()).games) == len(ids) + 1
    assert len(service.merge_suggestions.page().suggestions) == 1
    assert bytes_by_key(service) == before

    assert rebuild(service) == len(ids) + 1
    assert len(service.search.page(Query()).games) == len(ids) + 1
    after = bytes_by_key(service)
    # One note says that what earlier versions kept of the lists in Redis is gone.
    assert after.pop(REMOVED.encode()) < 100
    assert after == before
