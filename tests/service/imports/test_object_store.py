"""Imports whose files are in an object store: outages, pruning, backup and restoring."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from service.composition.service import Service, compose
from service.operations.backup import back_up
from service.operations.restore import restore
from service.settings import Settings, read_settings
from service.storage.errors import ObjectsAway
from service.storage.objects import ObjectStore
from tests.service.api.client import PGN, Api, error
from tests.service.imports.support import GOOD, ILLEGAL, begun, shown, verdicts, work
from tests.service.imports.uploads import read_original
from tests.service.redis_server import RedisServer
from tests.service.s3_server import BUCKET
from workers import run

TEXT = GOOD + "\n" + ILLEGAL

Configure = Callable[..., Settings]


@pytest.fixture(params=["folder", "s3"])
def configure(
    request: pytest.FixtureRequest, redis_server: RedisServer, tmp_path: Path
) -> Configure:
    """A function that makes a machine's settings, with or without the shared object store."""
    url = (tmp_path / "objects").as_uri()
    if request.param == "s3":
        request.getfixturevalue("s3")
        url = f"s3://{BUCKET}/{tmp_path.name}"

    def configure(machine: str, *, shared: bool = True) -> Settings:
        return read_settings(
            {
                "MOVELOG_REDIS_URL": redis_server.url,
                "MOVELOG_RATE_LIMIT": "",
                "MOVELOG_OBJECTS_URL": url if shared else "",
                "MOVELOG_DATA_DIR": str(tmp_path / machine),
            }
        )

    return configure


@pytest.fixture
def service(configure: Configure) -> Service:
    return compose(configure("a"))


def silent(done: int, total: int) -> None:
    assert 0 <= done <= total


def fail(self: ObjectStore, *given: object) -> object:
    raise ObjectsAway(self.url, "it is gone")


def test_an_upload_is_refused_while_the_store_is_away(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = Api(service)
    ada = api.player("Ada")
    with monkeypatch.context() as patch:
        patch.setattr(ObjectStore, "put", fail)
        answer = api.send("POST", "/imports", ada, TEXT.encode(), PGN)
        assert error(answer) == (503, "objects-away")
        assert answer.headers["Retry-After"]
        # The answer does not say where the store is.
        assert service.settings.objects_url not in answer.text
    assert service.log.streams("import") == []
    assert not list((service.settings.data_dir / "imports").iterdir())
    id = begun(api, ada, TEXT)["id"]
    work(service)
    assert shown(api, ada, id)["state"] == "done"


@pytest.mark.parametrize("method", ["get_range", "put"])
def test_an_import_waits_for_the_store_and_loses_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """An outage of the store is not counted as a try, however long it lasts."""
    api = Api(service)
    ada = api.player("Ada")
    id = begun(api, ada, TEXT)["id"]
    monkeypatch.setattr(run, "PAUSE", 0)
    with monkeypatch.context() as patch:
        patch.setattr(ObjectStore, method, fail)
        for _ in range(5):
            work(service)
            assert shown(api, ada, id)["state"] == "queued"
    work(service)
    assert shown(api, ada, id)["state"] == "done"
    assert [v["status"] for v in verdicts(api, ada, id)] == ["accepted", "quarantined"]


def test_what_is_pruned_is_gone_from_the_store(service: Service) -> None:
    api = Api(service)
    ada = api.player("Ada")
    id = begun(api, ada, TEXT)["id"]
    work(service)
    with api.get(f"/imports/{id}/original", ada) as original:
        assert (original.data, original.content_length) == (TEXT.encode(), len(TEXT))
    part = api.get(f"/imports/{id}/original", ada, headers={"Range": "bytes=3-9"})
    assert (part.status_code, part.data) == (206, TEXT.encode()[3:10])
    assert service.imports.prune(service.imports.clock() + 1) == (1, len(TEXT))
    assert error(api.get(f"/imports/{id}/original", ada)) == (404, "not-found")
    assert len(verdicts(api, ada, id)) == 2


def test_a_backup_moves_imports_from_a_data_directory_to_the_store_and_back(
    configure: Configure, tmp_path: Path
) -> None:
    service = compose(configure("first", shared=False))
    ada = Api(service).player("Ada")
    id = begun(Api(service), ada, TEXT)["id"]
    work(service)
    told = verdicts(Api(service), ada, id)
    for machine, shared in (("second", True), ("third", False)):
        file = tmp_path / f"{machine}.gz"
        back_up(service.settings, file, silent)
        service.store.flushall()
        restore(configure(machine, shared=shared), file, silent)
        service = compose(configure(machine, shared=shared))
        assert verdicts(Api(service), ada, id) == told
        assert read_original(service.imports.uploads, id) == TEXT.encode()
        assert (tmp_path / machine / "imports" / id).exists() is not shared
