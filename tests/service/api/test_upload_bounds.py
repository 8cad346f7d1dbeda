"""The limits of uploads that are sent again, or at the same moment."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import requests
from werkzeug.test import TestResponse

from service.imports.quota import MeteredStream
from service.imports.uploads import Received, Uploads
from service.player.repository import NewPlayer
from tests.service.api.client import PGN, Api, error
from tests.service.api.conftest import Configured
from tests.service.api.live import SILENCE, bearer
from tests.service.imports.support import GOOD
from tests.service.imports.uploads import read_original
from tests.service.redis_server import RedisServer
from tests.service.web_server import WebServer
from tests.waiting import eventually, join

FILES = [GOOD.replace("1. Pd1", f"1. Pd1 {{{number}}}") for number in range(6)]


def send(api: Api, by: NewPlayer, text: str, key: str | None = None, **query: str) -> TestResponse:
    return api.send("POST", "/imports", by, text.encode(), PGN, key=key, query=query)


def id_of(answer: TestResponse) -> str:
    assert answer.status_code == 202, answer.text
    return str((answer.json or {})["id"])


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Do something while the body of the next upload is read."""
    read, other = MeteredStream.read, Thread(target=act)

    def reading(stream: MeteredStream, size: int) -> bytes:
        data = read(stream, size)
        if other.ident is None:
            other.start()
            join(other)
        return data

    monkeypatch.setattr(MeteredStream, "read", reading)


def test_an_upload_that_is_sent_again_is_answered_though_no_other_is_taken(
    configured: Configured,
) -> None:
    api = configured(MOVELOG_IMPORTS_PER_PLAYER="1")
    ada = api.player("Ada")
    id = id_of(send(api, ada, FILES[0], "k"))
    assert error(send(api, ada, FILES[1], "other")) == (429, "too-many-imports")
    assert id_of(send(api, ada, FILES[0], "k")) == id
    for other in (FILES[1], FILES[0] + "\n", FILES[0][:-1], ""):
        assert error(send(api, ada, other, "k")) == (422, "idempotency-key-reused")
    assert error(send(api, ada, FILES[0], "k", mode="strict")) == (422, "idempotency-key-reused")
    odd = {"Content-Encoding": "gzip"}
    refused = api.send("POST", "/imports", ada, FILES[0].encode(), PGN, key="k", headers=odd)
    assert error(refused) == (400, "malformed-header")
    assert [stream.id for stream in api.service.log.streams("import")] == [id]


def test_an_upload_that_is_sent_again_counts_for_no_quota(
    configured: Configured, tmp_path: Path
) -> None:
    api = configured(MOVELOG_UPLOAD_QUOTA="2000000")
    ada = api.player("Ada")
    large = [f"{GOOD}\n" + "\n" * 999_000 + f"{number}" for number in range(4)]
    ids = [id_of(send(api, ada, text, f"k{number}")) for number, text in enumerate(large[:3])]
    assert error(send(api, ada, large[3], "k3")) == (429, "upload-quota-used")
    kept = sorted((tmp_path / "imports").rglob("*"))
    for _ in range(2):
        assert [id_of(send(api, ada, large[n], f"k{n}")) for n in range(3)] == ids
    assert sorted((tmp_path / "imports").rglob("*")) == kept


def test_uploads_at_the_same_moment_take_no_more_slots_than_there_are(
    configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slot was once looked for before the body was read, but taken only afterwards."""
    api = configured(MOVELOG_IMPORTS_PER_PLAYER="2")
    ada, brahim = api.player("Ada"), api.player("Brahim")
    answers: list[TestResponse] = []

    def send_others() -> None:
        answers.extend(send(api, ada, text) for text in FILES[1:3])
        answers.append(send(api, brahim, FILES[3]))

    meanwhile(monkeypatch, send_others)
    id_of(send(api, ada, FILES[0]))
    assert [answer.status_code for answer in answers] == [202, 429, 202]
    assert error(answers[1]) == (429, "too-many-imports")
    assert len(api.service.imports.quota.slots.player_jobs.under_way(ada.id)) == 2


def test_the_same_upload_at_the_same_moment_takes_one_slot(
    configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = configured(MOVELOG_IMPORTS_PER_PLAYER="1")
    ada = api.player("Ada")
    ids: list[str] = []
    meanwhile(monkeypatch, lambda: ids.append(id_of(send(api, ada, FILES[0], "k"))))
    ids.append(id_of(send(api, ada, FILES[0], "k")))
    assert len(set(ids)) == 1
    assert error(send(api, ada, FILES[1])) == (429, "too-many-imports")
    assert api.send("DELETE", f"/imports/{ids[0]}", ada).status_code == 200
    id_of(send(api, ada, FILES[1]))


def test_an_upload_that_fails_gives_its_slot_back(
    configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = configured(MOVELOG_IMPORTS_PER_PLAYER="1")
    ada = api.player("Ada")

    def break_off(stream: MeteredStream, size: int) -> bytes:
        raise ConnectionResetError

    with monkeypatch.context() as patch:
        patch.setattr(MeteredStream, "read", break_off)
        assert [send(api, ada, FILES[0]).status_code for _ in range(2)] == [500, 500]
    id_of(send(api, ada, FILES[0]))


def test_an_upload_keeps_its_slot_while_it_comes_in_however_slowly(
    configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = configured(MOVELOG_IMPORTS_PER_PLAYER="1")
    ada, slots = api.player("Ada"), api.service.imports.quota.slots
    began, passed = slots.jobs.clock(), 0.0
    monkeypatch.setattr(slots.jobs, "clock", lambda: began + round(1000 * passed))
    monkeypatch.setattr("service.imports.upload_slots.monotonic", lambda: passed)
    with slots.hold(ada.id, "a") as renew:
        for _ in range(8):
            passed += slots.lease / 2
            renew()
            assert error(send(api, ada, FILES[0])) == (429, "too-many-imports")
        # A process that hangs or was killed does not renew its slot.
        passed += slots.lease
        id_of(send(api, ada, FILES[0]))


def test_the_file_of_an_import_stays_when_its_key_comes_with_another_at_the_same_moment(
    configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second upload once replaced the file, and was refused only afterwards."""
    api = configured()
    ada = api.player("Ada")
    keep, answers = Uploads.keep, []
    other = Thread(target=lambda: answers.append(send(api, ada, FILES[1], "k")))

    def keep_late(uploads: Uploads, id: str, received: Received) -> None:
        if other.ident is None:
            other.start()
            other.join(0.5)  # it gets as far as it can
        keep(uploads, id, received)

    monkeypatch.setattr(Uploads, "keep", keep_late)
    answers.append(send(api, ada, FILES[0], "k"))
    join(other)
    assert sorted(answer.status_code for answer in answers) == [202, 422]
    (stream,) = api.service.log.streams("import")
    original = read_original(api.service.imports.uploads, stream.id)
    assert sha256(original).hexdigest() == api.service.imports.load(stream.id).begun.sha256


@pytest.mark.slow
def test_the_slot_of_a_web_process_that_was_killed_is_free_again(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    given: dict[str, Any] = {
        "MOVELOG_IMPORTS_PER_PLAYER": "1",
        "MOVELOG_BODY_TIMEOUT": "5",
        "MOVELOG_MIN_RATE": "1000000",
    }
    with WebServer(redis_server.url, tmp_path, **given) as server:
        ada = server.service.players.register("Ada", None)
        slots = server.service.imports.quota.slots
        url, headers = f"{server.url}/api/v1/imports", bearer(ada) | {"Content-Type": PGN}

        def status() -> int:
            return requests.post(url, FILES[0], headers=headers, timeout=SILENCE).status_code

        with socket.create_connection(("127.0.0.1", server.port)) as client:
            lines = ["POST /api/v1/imports HTTP/1.1", "Host: x", "Content-Length: 9"]
            lines += [f"{name}: {value}" for name, value in headers.items()]
            client.sendall("\r\n".join([*lines, "", "["]).encode())
            key = f"movelog:{{imports}}:uploads:{ada.id}"
            eventually(lambda: server.service.store.zcard(key) == 1)
            began = time.monotonic()
            with server.killed():
                pass
            assert status() == 429 or time.monotonic() - began >= slots.lease
        eventually(lambda: status() == 202, pause=0.2)
