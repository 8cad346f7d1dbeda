"""A backup restored into a store with replicas: they have all of it, or the restore fails."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.cli import main
from service.composition.service import Service
from service.log.replication import TooFewReplicas
from service.operations.backup import back_up
from service.operations.backup_errors import ReplicasMissing, RestoreUnfinished
from service.operations.restore import restore
from service.operations.restored_lines import add_stream
from service.operations.unfinished_restore import (
    RESTORE_LOCK,
    RESTORING_KEY,
    refuse_unfinished_restore,
)
from service.settings import Settings
from service.storage.connections import open_store
from tests.service.operations.conftest import at
from tests.service.operations.test_backup import played_game, silent
from tests.service.redis_cluster import RedisCluster, running_cluster
from tests.service.redis_sentinel import Watched
from tests.service.redis_server import RedisServer

pytestmark = pytest.mark.slow


@pytest.fixture
def file(service: Service, tmp_path: Path) -> Path:
    """A backup of a service whose store is empty again."""
    for _ in range(3):
        played_game(service)
    back_up(service.settings, tmp_path / "backup.gz", silent)
    service.store.flushall()
    return tmp_path / "backup.gz"


@pytest.fixture(params=["clustered", "on_sentinels", "all on sentinels"])
def replicated(
    request: pytest.FixtureRequest, redis_server: RedisServer, tmp_path: Path
) -> tuple[Settings, Any]:
    """Settings with an empty log, which waits for one replica, and a replica."""
    if request.param == "clustered":
        cluster: RedisCluster = request.getfixturevalue("redis_cluster")
        nodes: list[Any] = [*cluster.nodes]
    else:
        watched: Watched = request.getfixturevalue("watched")
        nodes = [*watched.nodes]
    if request.param == "all on sentinels":
        watched.find_master().ask("FLUSHALL")
        settings = at(tmp_path / "watched", redis_server, MOVELOG_REDIS_URL=watched.url)
    else:
        settings = request.getfixturevalue(request.param)
    return replace(settings, replicas=1), next(node for node in nodes if not node.is_master())


@contextmanager
def stopped(server: Any) -> Iterator[None]:
    """Suspend a server as long as the context lasts."""
    server.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.signal(signal.SIGCONT)


def test_a_restore_is_done_when_replicas_have_it(
    file: Path, replicated: tuple[Settings, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, replica = replicated
    monkeypatch.setattr("service.operations.restored_replicas.PATIENCE", 0)
    with ExitStack() as held:
        begun: list[object] = []

        def add(*given: Any) -> None:
            # Opening a cluster asks any node, even a suspended one, so none is suspended earlier.
            if not begun:
                begun.append(held.enter_context(stopped(replica)))
            add_stream(*given)

        monkeypatch.setattr("service.operations.restored_lines.add_stream", add)
        with pytest.raises(TooFewReplicas):
            restore(settings, file, silent)
    with open_store(settings.redis_url) as store:
        with pytest.raises(RestoreUnfinished):
            refuse_unfinished_restore(store)
        monkeypatch.undo()
        assert restore(settings, file, silent) > 0
        refuse_unfinished_restore(store)


def test_replicas_that_fail_at_the_very_end_leave_the_mark(
    file: Path, replicated: tuple[Settings, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the mark was removed in one transaction with the last lines."""
    settings, _ = replicated
    waits = iter([None] if settings.log_url is None else [])

    def wait(log: object, replicas: int) -> None:
        if next(waits, replicas) is not None:
            raise TooFewReplicas("0 of 1")

    monkeypatch.setattr("service.operations.restore.wait_until_replicated", wait)
    with pytest.raises(TooFewReplicas):
        restore(settings, file, silent)
    with open_store(settings.redis_url) as store, pytest.raises(RestoreUnfinished):
        refuse_unfinished_restore(store)


def test_too_few_replicas_are_refused_before_anything_is_changed(
    file: Path,
    replicated: tuple[Settings, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings, _ = replicated
    with open_store(settings.redis_url) as store:
        # What a broken restore left stays, too.
        store.set(RESTORING_KEY, "backup.gz")
        store.set("movelog:left", "by it")
        before = sorted(store.scan_iter())
        with pytest.raises(ReplicasMissing) as refused:
            restore(replace(settings, replicas=2), file, silent)
        assert (refused.value.found, refused.value.needed) == (1, 2)
        name = "MOVELOG_REDIS_URL" if settings.log_url is None else "MOVELOG_LOG_URL"
        assert name in refused.value.name
        for variable, value in (
            ("MOVELOG_REDIS_URL", settings.redis_url),
            ("MOVELOG_LOG_URL", settings.log_url or ""),
            ("MOVELOG_DATA_DIR", str(settings.data_dir)),
            ("MOVELOG_REPLICAS", "2"),
        ):
            monkeypatch.setenv(variable, value)
        assert main(["restore", str(file)]) == 1
        said = capsys.readouterr().err.splitlines()[-1]
        assert said.startswith("movelog: replicas-missing: the ")
        assert f"of {name} has 1 of the 2 replicas" in said
        assert sorted(store.scan_iter()) == before
        # Even while another restore goes on, or the store refuses to keep a lock.
        store.set(RESTORE_LOCK, "another")
        with pytest.raises(ReplicasMissing):
            restore(replace(settings, replicas=2), file, silent)
        store.flushall()


def test_a_cluster_that_goes_away_in_the_middle_ends_a_restore_with_a_sentence(
    file: Path,
    redis_server: RedisServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with running_cluster(replicas=0) as cluster:
        monkeypatch.setenv("MOVELOG_REDIS_URL", redis_server.url)
        monkeypatch.setenv("MOVELOG_LOG_URL", cluster.url)
        monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "other"))
        monkeypatch.setattr("service.operations.restored_lines.BATCH", 2)
        for left, first in (([], 1), (cluster.nodes[:1], 4)):
            lines = iter(range(first))

            def add(*given: Any, left: Any = left, lines: Any = lines, **options: Any) -> None:
                if next(lines, None) is None:
                    for node in cluster.nodes:
                        if node not in left:
                            node.kill()
                add_stream(*given, **options)

            with monkeypatch.context() as patched:
                patched.setattr("service.operations.restored_lines.add_stream", add)
                assert main(["restore", str(file)]) == 1
            said = capsys.readouterr().err.splitlines()[-1]
            assert said.startswith(
                "movelog: the store went away before everything was restored ("
            ), said
            with redis_server.client() as store, pytest.raises(RestoreUnfinished):
                refuse_unfinished_restore(store)
            # The cluster is still away when the restore begins again.
            assert main(["restore", str(file)]) == 1
            assert "Traceback" not in (said := capsys.readouterr().err)
            assert said.splitlines()[-1].startswith("movelog: ")
            for node in cluster.nodes:
                node.kill()
                node.start()
            cluster.wait_until_whole()
        assert main(["restore", str(file)]) == 0
        assert "streams restored, 3 games listed" in capsys.readouterr().out
