"""A store without room: writes are refused and say why, reads go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from werkzeug.test import TestResponse

from service.composition.log_store import list_servers
from service.composition.service import compose
from service.operations.backup import back_up
from service.player.repository import NewPlayer
from service.storage.capacity import can_write, describe_full_storage
from service.storage.errors import StorageFull
from tests.service.api.client import PGN, Api, error
from tests.service.api.conftest import Configured

GOOD = '[Event "?"]\n[Variant "Katruji"]\n[Result "*"]\n\n*\n'

HOOK = {"url": "https://93.184.216.34/hook", "events": ["game-finished"]}
CUP = {"name": "Open", "variant": "katruji", "kind": "swiss", "rounds": 3}

Full = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def full(api: Api) -> Full:
    """A context in which the servers have no memory left."""
    servers = [api.service.store, *list_servers(api.service.log.redis.client)]

    @contextmanager
    def full() -> Iterator[None]:
        for server in servers:
            server.config_set("maxmemory", 1)
        try:
            yield
        finally:
            for server in servers:
                server.config_set("maxmemory", 0)

    return full


def test_every_write_is_refused_with_507_and_goes_on_by_itself(
    api: Api, ada: NewPlayer, brahim: NewPlayer, arbiter: NewPlayer, full: Full
) -> None:
    path = api.running(ada, brahim)
    first = api.get(f"{path}/legal", ada).json["actions"][0]["action"]  # type: ignore[index]
    known: Any = api.get("/variants").json
    fen = next(v["initial_fen"] for v in known["items"] if v["name"] == "katruji")
    analysis = {"variant": "katruji", "fen": fen, "limits": {"nodes": 200}}
    before = api.snapshot()
    asked: list[Callable[[], TestResponse]] = [
        lambda: api.post("/players", {"name": "Eve"}),
        lambda: api.post("/games", {"variant": "kerd", "opponent": brahim.id}, ada),
        lambda: api.post(f"{path}/actions", {"action": first}, ada),
        lambda: api.post(f"{path}/commands", {"type": "resign"}, ada),
        lambda: api.send("POST", "/imports", ada, GOOD.encode(), PGN),
        lambda: api.post("/webhooks", HOOK, ada),
        lambda: api.post("/analyses", analysis, ada),
        lambda: api.post("/tournaments", CUP, arbiter),
    ]
    with full():
        for ask in asked:
            answer = ask()
            assert error(answer) == (507, "storage-full"), answer.get_data(as_text=True)
            assert answer.headers["Retry-After"] == "5"
        assert api.snapshot() == before
    for ask in asked:
        assert ask().status_code < 500
    assert api.snapshot() != before


@pytest.mark.parametrize(("gib", "status"), [(4, 507), (2, 202)])
def test_uploads_are_refused_while_there_is_still_room_for_games(
    configured: Configured, monkeypatch: pytest.MonkeyPatch, gib: int, status: int
) -> None:
    api = configured(MOVELOG_UPLOAD_RESERVE=str(gib << 30))
    usage = SimpleNamespace(total=100 << 30, free=3 << 30)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage)
    ada, brahim = api.player("Ada"), api.player("Brahim")
    answer = api.send("POST", "/imports", ada, GOOD.encode(), PGN)
    assert answer.status_code == status
    if status == 507:
        assert error(answer) == (507, "storage-full")
    assert api.running(ada, brahim)
    api.project()


def test_what_is_read_goes_on(
    api: Api, ada: NewPlayer, brahim: NewPlayer, full: Full, tmp_path: Path
) -> None:
    path = api.running(ada, brahim)
    api.project()
    with full():
        fresh = Api(compose(api.service.settings))
        for at in (path, f"{path}/events", f"{path}/legal", "/games", "/search", "/me", "/imports"):
            assert fresh.get(at, ada).status_code == 200, at
        assert fresh.get(path, ada, PGN).status_code == 200
        assert fresh.get(f"{path}/stream", ada, query={"until": "caught_up"}).status_code == 200
        assert fresh.get("//metrics").status_code == 200
        assert back_up(api.service.settings, tmp_path / "backup.gz", lambda *_: None) == 3
        fresh.service.store.close()


def test_a_repeated_request_is_answered_while_there_is_no_room(
    api: Api, ada: NewPlayer, brahim: NewPlayer, full: Full
) -> None:
    path = api.running(ada, brahim)
    first = api.get(f"{path}/legal", ada).json["actions"][0]["action"]  # type: ignore[index]
    made = api.post(f"{path}/actions", {"action": first}, ada, "key")
    with full():
        again = api.post(f"{path}/actions", {"action": first}, ada, "key")
    assert (again.status_code, again.json) == (made.status_code, made.json)


def test_readiness_says_that_writes_fail(api: Api, ada: NewPlayer, full: Full) -> None:
    def writes() -> tuple[str, str]:
        answer = api.get("//readyz").json
        assert answer is not None
        return answer["status"], answer["writes"]

    assert writes() == ("ready", "accepted")
    with full():
        assert writes() == ("read-only", "storage-full")
        assert "movelog_writes_accepted 0.0" in api.get("//metrics").text
    assert writes() == ("ready", "accepted")
    assert "movelog_writes_accepted 1.0" in api.get("//metrics").text


def test_asking_whether_writes_are_taken_changes_nothing(api: Api, ada: NewPlayer) -> None:
    before = api.snapshot()
    assert can_write(api.service.store)
    assert api.snapshot() == before


@pytest.mark.parametrize(
    "text",
    [
        "MISCONF Errors writing to the AOF file: No space left on device",
        "NOREPLICAS Not enough good replicas to write.",
        "Error running script (call to f_1): @user_script:1: @user_script: 1: -OOM command not"
        " allowed when used memory > 'maxmemory'.",
    ],
)
def test_every_way_in_which_a_store_says_it_is_known(text: str) -> None:
    error = describe_full_storage(redis.ResponseError(text))
    with pytest.raises(StorageFull, match="no room for more data"):
        raise error or AssertionError(text)


def test_what_is_something_else_is_not_taken_for_it() -> None:
    others = (redis.ConnectionError("gone"), redis.ResponseError("WRONGTYPE"), OSError(2, "?"))
    assert [describe_full_storage(error) for error in others] == [None] * 3
