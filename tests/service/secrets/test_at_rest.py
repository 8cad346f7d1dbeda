"""Before the end of its game, no choice is stored or written down in clear."""

from __future__ import annotations

import json
import logging
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from cryptography.fernet import Fernet

from service.composition.service import compose
from service.game.events import ChoiceSealed
from service.ids import keyed_digest
from service.log.redis import RedisEventLog
from service.log.values import Append, StreamId
from service.secrets.errors import CannotUnseal, OtherKeys
from service.secrets.key_source import KeyFile
from service.secrets.vault import Vault, read_keys
from service.settings import Settings, read_settings
from tests.service.api.client import Api
from tests.service.contents import contents
from tests.service.redis_server import RedisServer
from tests.service.secrets.kerd import NONCE, OTHER, choose, chosen, kerd, shown

SECRETS = (NONCE, OTHER, f"f11:{NONCE}", f"d1:{OTHER}")


@pytest.fixture
def settings(durable: RedisServer, tmp_path: Path) -> Settings:
    return read_settings(
        {
            "MOVELOG_REDIS_URL": durable.url,
            "MOVELOG_DATA_DIR": str(tmp_path),
            "MOVELOG_RATE_LIMIT": "",
        }
    )


@pytest.fixture
def api(settings: Settings) -> Iterator[Api]:
    made = Api(compose(settings))
    yield made
    made.service.store.close()


def stored(store: redis.Redis) -> str:
    """Every key and every value, as text."""
    found = contents(store)
    assert found
    return "\n".join(f"{key!r} {value.decode()}" for key, value in found.items())


def written(folder: Path) -> str:
    """The contents of every file in a folder, as text."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return "".join(path.read_bytes().decode("latin-1") for path in files)


def test_nothing_is_kept_in_clear_before_the_end(
    api: Api, durable: RedisServer, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ada, brahim, eve = (api.player(name) for name in ("Ada", "Brahim", "Eve"))
    path = kerd(api, ada, brahim)
    for player, square, nonce in ((ada, "f11", NONCE), (brahim, "d1", OTHER)):
        body = {"type": "choose", "square": square, "nonce": nonce}
        for _ in range(2):
            assert api.post(f"{path}/commands", body, player, "a key").status_code == 200
        refused = body | {"square": "g1"}
        assert api.post(f"{path}/commands", refused, player).status_code == 409
    api.play(path, ada, "e4")
    assert choose(api, kerd(api, eve, brahim), eve, "f11", nonce=NONCE).status_code == 422
    api.project()
    for by in (ada, brahim, None):
        shown(api, path, by)
    kept = stored(api.service.store)
    disk = written(durable.folder)
    assert "choice-sealed/1" in kept
    assert "choice-sealed/1" in disk
    for secret in SECRETS:
        for place in (kept, disk, written(settings.data_dir), caplog.text):
            assert secret not in place
    # At the end it is there, so the search above would have found it.
    api.command(path, brahim, "resign")
    assert NONCE in stored(api.service.store)
    assert NONCE in written(durable.folder)


def test_the_choice_is_in_the_log_in_one_step_with_its_commitment(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, brahim = api.player("Ada"), api.player("Brahim")
    path = kerd(api, ada, brahim)
    log = api.service.log
    requests: list[Append] = []

    def append(request: Append) -> int:
        requests.append(request)
        return RedisEventLog.append(log, request)  # type: ignore[arg-type]

    monkeypatch.setattr(log, "append", append)
    assert choose(api, path, ada, "f11", nonce=NONCE).status_code == 200
    reserved, sealed = requests
    assert [str(reserved.stream.kind), str(sealed.stream.kind)] == ["nonce", "game"]
    (event,) = sealed.events
    assert isinstance(event, ChoiceSealed)
    assert list(sealed.attributes) == ["private:3"]
    assert not any(secret in repr(sealed.attributes) for secret in SECRETS)
    assert NONCE not in repr(reserved)


def test_a_secret_is_bound_to_its_place(api: Api) -> None:
    ada, brahim = api.player("Ada"), api.player("Brahim")
    first, second = (kerd(api, ada, brahim) for _ in range(2))
    for path, nonce in ((first, NONCE), (second, OTHER)):
        choose(api, path, ada, "f11", nonce=nonce)
    log, store = api.service.log, api.service.store
    one, other = (
        next(s for s in log.streams("game") if s.id == path.removeprefix("/games/"))
        for path in (first, second)
    )
    sealed = log.attributes([(one, "private:3")])[0]
    assert sealed is not None
    store.hset(f"{log.redis.key(other)}:aside", "private:3", sealed)
    answer = Api(compose(api.service.settings)).get(second)
    assert (answer.status_code, answer.json and answer.json["code"]) == (503, "cannot-unseal")
    assert NONCE not in answer.text


def test_the_key_file_is_private_and_made_once(settings: Settings) -> None:
    for _ in range(2):
        compose(settings).store.close()
    file = settings.choice_key_file
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (key,) = read_keys(KeyFile(file))
    Fernet(key)
    assert file in settings.kept_files


def test_without_its_key_a_secret_cannot_be_opened(api: Api) -> None:
    ada, brahim = api.player("Ada"), api.player("Brahim")
    path = chosen(api, ada, brahim)
    settings = api.service.settings
    settings.choice_key_file.unlink()
    stream = next(iter(api.service.log.streams("game")))
    sealed = api.service.log.attributes([(stream, "private:3")])[0]
    assert sealed is not None
    with pytest.raises(
        CannotUnseal, match=f"game:{stream.id} at version 3 cannot be sealed or unsealed"
    ):
        Vault(KeyFile(settings.choice_key_file)).open(stream, 3, sealed)
    # A running process can no longer open it, and none starts with other keys.
    assert api.get(path).status_code == 503
    with pytest.raises(OtherKeys):
        compose(settings)


def test_secrets_of_any_length_look_alike(tmp_path: Path, api: Api) -> None:
    vault = Vault(KeyFile(tmp_path / "choice.key"))
    ada, brahim = api.player("Ada"), api.player("Brahim")
    kerd(api, ada, brahim)
    stream = next(iter(api.service.log.streams("game")))
    lengths = {
        len(vault.seal(stream, 3, {"choice": square, "nonce": "a" * count}))
        for square in ("a1", "f11")
        for count in (32, 64)
    }
    assert len(lengths) == 1


def test_findings_of_any_length_come_in_few_sizes(tmp_path: Path) -> None:
    """A side that knows more gets longer lines of play, and more of them: sizes must not tell."""
    vault = Vault(KeyFile(tmp_path / "choice.key"))
    stream = StreamId("analysis", "a" * 16)

    def sealed(length: int) -> str:
        return vault.seal(stream, 0, {"finding": "x" * length})

    assert len({len(sealed(length)) for length in range(200, 3900, 37)}) == 1
    sizes = {len(sealed(length)) for length in range(200, 30_000, 101)}
    assert len(sizes) == 4
    assert vault.open(stream, 0, sealed(29_999)) == {"finding": "x" * 29_999}


def test_requests_leave_keyed_hashes(api: Api) -> None:
    ada, brahim = api.player("Ada"), api.player("Brahim")
    path = kerd(api, ada, brahim)
    body = {"type": "choose", "square": "f11", "nonce": NONCE}
    assert api.post(f"{path}/commands", body, ada, "a key").status_code == 200
    stream = next(iter(api.service.log.streams("game")))
    key = f"{api.service.log.redis.key(stream)}:receipts"
    kept: Any = api.service.store.hgetall(key)
    (receipt,) = kept.values()
    sent = json.dumps(body).encode()
    expected = keyed_digest(api.service.secret, "body", sent)
    assert json.loads(receipt)["fingerprint"] == expected
    assert expected != keyed_digest(b"another key", "body", sent)
