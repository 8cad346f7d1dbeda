"""Keys that the operator gives, to machines that share nothing but a Redis."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from service.accounts.account import Way
from service.cli.commands import main
from service.composition.service import Service, compose
from service.environment import BadSetting
from service.operations.admin import make_first_admin
from service.operations.backup import back_up
from service.operations.errors import KeyInUse, KeyNotEverywhere
from service.operations.given_key_files import add_key, drop_old_keys, make_key_files
from service.operations.key_spread import refuse_unspread
from service.operations.restore import restore
from service.secrets.errors import CannotUnseal, KeysGiven, KeyStillNeeded, NoKeys, OtherKeys
from service.secrets.key_holders import HOLDERS, KeyHolders
from service.secrets.key_source import compute_fingerprint
from service.secrets.stored_keys import StoredKeys
from service.settings import Settings, read_settings
from tests.service.api.client import Api
from tests.service.redis_server import RedisServer
from tests.service.secrets.kerd import choose, infiltrators, kerd

VARIABLES = {
    "MOVELOG_SECRET_KEY": "secret.key",
    "MOVELOG_CHOICE_KEYS": "choice.key",
    "MOVELOG_SIGNING_KEYS": "signing.key",
}

Start = Callable[[str], Service]


def name_files(folder: Path) -> dict[str, str]:
    return {f"{name}_FILE": str(folder / file) for name, file in VARIABLES.items()}


def silent(done: int, total: int) -> None:
    assert 0 <= done <= total


@pytest.fixture
def mounted(tmp_path: Path) -> Path:
    """A folder with the files that every machine is given."""
    make_key_files(tmp_path / "mounted")
    return tmp_path / "mounted"


@pytest.fixture
def environment(mounted: Path, redis_server: RedisServer) -> dict[str, str]:
    given = {"MOVELOG_REDIS_URL": redis_server.url, "MOVELOG_RATE_LIMIT": ""}
    return given | name_files(mounted)


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Start:
    """Starts a process on a machine with a data directory of its own."""

    def start(machine: str) -> Service:
        return compose(read_settings({**environment, "MOVELOG_DATA_DIR": str(tmp_path / machine)}))

    return start


def test_two_data_directories_with_the_same_keys_are_one_service(
    start: Start, tmp_path: Path
) -> None:
    a, b = start("a"), start("b")
    one, other = Api(a), Api(b)
    ada, brahim = one.player("Ada"), other.player("Brahim")
    path = kerd(one, ada, brahim)
    assert choose(other, path, ada, "f11").status_code == 200
    assert choose(one, path, brahim, "d1").status_code == 200
    assert infiltrators(other, path, ada) == "f11/?"
    assert infiltrators(one, path, brahim) == "?/d1"
    # A browser that signed in at one is signed in at the other.
    session = a.accounts.sessions.begin(ada.id, Way.GUEST, "a browser")
    assert b.bearers.authenticate(session).actor.player == ada.id
    statement = {"type": "test"}
    a.signer.public_keys.verify(statement, b.signer.sign(statement))
    assert make_first_admin(a)
    assert not make_first_admin(b)
    assert (tmp_path / "a" / "admin.token").exists()
    assert list(tmp_path.glob("[ab]/*.key")) == []


def test_keys_in_the_environment_are_the_same_as_in_files(
    start: Start, environment: dict[str, str], mounted: Path, tmp_path: Path
) -> None:
    files = start("a")
    given = {name: value for name, value in environment.items() if not name.endswith("_FILE")}
    secret = (mounted / "secret.key").read_bytes()
    for encoded in (base64.b64encode(secret), base64.urlsafe_b64encode(secret) + b"\n"):
        texts = {
            name: (mounted / file).read_text()
            for name, file in VARIABLES.items()
            if "SECRET" not in name
        }
        texts["MOVELOG_SECRET_KEY"] = encoded.decode()
        settings = read_settings({**given, **texts, "MOVELOG_DATA_DIR": str(tmp_path / "b")})
        assert not any(text.strip() in repr(settings) for text in texts.values())
        service = compose(settings)
        assert (service.secret, service.signer.key) == (files.secret, files.signer.key)


def test_other_keys_are_refused_with_what_to_do(
    start: Start, environment: dict[str, str], tmp_path: Path
) -> None:
    start("a")
    make_key_files(tmp_path / "others")
    for variable, file in VARIABLES.items():
        one = {f"{variable}_FILE": str(tmp_path / "others" / file)}
        given = {**environment, **one, "MOVELOG_DATA_DIR": str(tmp_path / "b")}
        with pytest.raises(
            OtherKeys, match=f"{variable}_FILE .*is not the key of this store"
        ) as no:
            compose(read_settings(given))
        assert "MOVELOG_CHOICE_KEYS_FILE" in str(no.value)
    assert not (tmp_path / "b").exists()


def test_no_process_makes_a_second_key(
    start: Start, redis_server: RedisServer, mounted: Path, tmp_path: Path
) -> None:
    start("a")
    own = {"MOVELOG_REDIS_URL": redis_server.url, "MOVELOG_DATA_DIR": str(tmp_path / "b")}
    with pytest.raises(NoKeys, match="MOVELOG_SECRET_KEY_FILE"):
        compose(read_settings(own))
    assert not (tmp_path / "b").exists()
    # Neither does one that has some of them.
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "secret.key").write_bytes((mounted / "secret.key").read_bytes())
    with pytest.raises(NoKeys, match=r"no .*choice\.key"):
        compose(read_settings(own))
    assert [file.name for file in (tmp_path / "b").iterdir()] == ["secret.key"]


@pytest.mark.parametrize("missing", VARIABLES)
def test_all_keys_are_given_or_none(environment: dict[str, str], missing: str) -> None:
    del environment[f"{missing}_FILE"]
    with pytest.raises(BadSetting, match=f"^{missing}: needed .*give all keys, or none"):
        read_settings(environment)


@pytest.mark.parametrize(
    ("variable", "content", "told"),
    [
        ("SECRET_KEY", b"short", "expected 32 bytes, as they are or in base64"),
        ("CHOICE_KEYS", b"no key\n", "not a choice key"),
        ("CHOICE_KEYS", b"\n", "there is no choice key in it"),
        ("SIGNING_KEYS", b'{"keys": []}', "not a JSON Web Key Set"),
        ("SIGNING_KEYS", b"", "is empty"),
        ("SECRET_KEY", b"x" * 100_000, "has over 65536 bytes"),
    ],
)
def test_what_is_no_key_is_refused(
    start: Start, mounted: Path, variable: str, content: bytes, told: str
) -> None:
    (mounted / VARIABLES[f"MOVELOG_{variable}"]).write_bytes(content)
    with pytest.raises(BadSetting, match=f"MOVELOG_{variable}_FILE.*{told}"):
        start("a")


def test_a_file_that_is_not_there_or_given_twice_is_refused(
    environment: dict[str, str], mounted: Path
) -> None:
    with pytest.raises(BadSetting, match=r"MOVELOG_CHOICE_KEYS_FILE: not with MOVELOG_CHOICE_KEYS"):
        read_settings({**environment, "MOVELOG_CHOICE_KEYS": "x"})
    (mounted / "choice.key").unlink()
    with pytest.raises(BadSetting, match=r"choice\.key cannot be read: No such file"):
        read_settings(environment)


def test_settings_with_given_keys_can_be_told_apart(environment: dict[str, str]) -> None:
    """A worker composes the service once for each."""
    one, same = read_settings(environment), read_settings(environment)
    assert {one: "composed"}[same] == "composed"


def test_other_secrets_come_from_files_too(tmp_path: Path) -> None:
    file = tmp_path / "redis"
    file.write_text("redis://:password@redis.example/0\n")
    settings = read_settings({"MOVELOG_REDIS_URL_FILE": str(file)})
    assert settings.redis_url == "redis://:password@redis.example/0"
    assert not settings.embedded_redis
    with pytest.raises(BadSetting, match="give one of them"):
        read_settings({"MOVELOG_REDIS_URL_FILE": str(file), "MOVELOG_REDIS_URL": "redis://x"})


@pytest.fixture
def command(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, str]]:  # fmt: skip
    """Runs a command on a machine; its status, and what it says."""
    monkeypatch.setattr("service.operations.choice_key_rotation.time.sleep", lambda seconds: None)

    def command(*words: str) -> tuple[int, str]:
        for name, value in {**environment, "MOVELOG_DATA_DIR": str(tmp_path / "operator")}.items():
            monkeypatch.setenv(name, value)
        status = main(list(words))
        told = capsys.readouterr()
        return status, told.out + told.err

    return command


def test_choice_keys_are_rotated_in_two_phases(
    start: Start, command: Callable[..., tuple[int, str]], mounted: Path
) -> None:
    before = start("a")
    ada, brahim = Api(before).player("Ada"), Api(before).player("Brahim")
    paths = [kerd(Api(before), ada, brahim) for _ in range(3)]
    assert choose(Api(before), paths[0], ada, "f11").status_code == 200
    file = mounted / "choice.key"
    (old,) = file.read_bytes().split()

    # Add: the new key is known everywhere, and the old one still writes.
    status, told = command("key", "add", str(file))
    assert (status, "give the file to every process" in told) == (0, True)
    both = start("b")
    assert choose(Api(both), paths[1], ada, "f11").status_code == 200
    assert infiltrators(Api(before), paths[1], ada) == "f11/?"
    new_key, old_key = map(compute_fingerprint, file.read_bytes().split())
    holders = KeyHolders(both.store)
    holders.tell("web on a (1)", [old_key])
    holders.tell("web on b (1)", [new_key, old_key])
    assert (
        "to be used next: rotate when every process has it (1 of 2 running have)"
        in (command("key", "list")[1])
    )
    with pytest.raises(KeyNotEverywhere) as refused:
        refuse_unspread(holders, new_key)
    assert (refused.value.running, [*refused.value.lacking]) == (2, ["web on a (1)"])
    status, told = command("key", "drop", str(file))
    assert (status, "the service still needs the key" in told) == (1, True)
    status, told = command("key", "rotate")
    assert (status, f"1 of 2 running processes lack the key {new_key}: web on a (1);" in told) == (
        1,
        True,
    )
    assert StoredKeys(both.store).find_in_use("choice.key") == old_key

    # Reseal: all processes seal with the new key from now on; one that lacks it says so.
    assert command("key", "rotate", "--anyway") == (0, "2 secrets sealed with a new key\n")
    assert infiltrators(Api(both), paths[0], ada) == "f11/?"
    answer = choose(Api(before), paths[2], ada, "e11")
    assert (answer.status_code, answer.json and answer.json["code"]) == (503, "cannot-unseal")
    assert choose(Api(both), paths[2], ada, "e11").status_code == 200

    # Drop: nothing needs the old key any more.
    assert "not needed any more" in command("key", "list")[1]
    assert command("key", "drop", str(file))[0] == 0
    (new,) = file.read_bytes().split()
    assert new != old
    after = Api(start("c"))
    assert [infiltrators(after, path, ada) for path in paths] == ["f11/?", "f11/?", "e11/?"]
    file.write_bytes(old)
    with pytest.raises(OtherKeys):
        start("a")


def test_a_key_that_is_dropped_too_early_is_asked_for(start: Start, mounted: Path) -> None:
    service = start("a")
    ada, brahim = Api(service).player("Ada"), Api(service).player("Brahim")
    choose(Api(service), kerd(Api(service), ada, brahim), ada, "f11")
    file = mounted / "choice.key"
    old = file.read_bytes()
    add_key(file)
    new = file.read_bytes().removesuffix(old)
    file.write_bytes(new)
    with pytest.raises(OtherKeys):
        start("a")
    # The store was told of the new key, and not all is sealed with it.
    start_with_both = new + old
    file.write_bytes(start_with_both)
    both = start("a")
    StoredKeys(both.store).note({"choice.key": compute_fingerprint(new.strip())})
    file.write_bytes(new)
    with pytest.raises(KeyStillNeeded, match="run `movelog key rotate`"):
        start("a")


def test_signing_keys_are_rotated_in_two_phases(
    start: Start, command: Callable[..., tuple[int, str]], mounted: Path
) -> None:
    statement = {"type": "test"}
    before = start("a")
    old = before.signer.key
    file = mounted / "signing.key"
    assert command("key", "add", str(file))[0] == 0
    both = start("b")
    assert before.signer.key == both.signer.key == old
    new, _ = both.signer.key_ids
    assert command("key", "drop", str(file))[0] == 1
    holders = KeyHolders(both.store)
    holders.tell("scorer on a (7)", [old])
    status, told = command("key", "rotate-signing")
    assert (status, "scorer on a (7)" in told, both.signer.key) == (1, True, old)
    holders.tell("scorer on a (7)", [new, old])
    assert command("key", "rotate-signing") == (0, f"exports are signed with the key {new}\n")
    assert both.signer.key == both.signer.sign(statement).key == new
    # One that lacks the new key signs with the old one, which all can verify.
    both.signer.public_keys.verify(statement, before.signer.sign(statement))
    assert command("key", "drop", str(file))[0] == 0
    assert ["d" in key for key in json.loads(file.read_text())["keys"]] == [True, False]
    after = start("c")
    assert after.signer.key_ids == [new, old]
    after.signer.public_keys.verify(statement, before.signer.sign(statement))


def test_a_process_that_tells_its_keys_no_more_has_ended(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    holders = KeyHolders(start("a").store)
    now = holders._now()
    for name, age in (("web on a (1)", 3601), ("web on a (2)", 16), ("web on a (3)", 14)):
        monkeypatch.setattr(holders, "_now", lambda age=age: now - age)
        holders.tell(name, ["k"])
    monkeypatch.setattr(holders, "_now", lambda: now)
    assert [one.name for one in holders.find()] == ["web on a (3)"]
    assert holders.store.hlen(HOLDERS) == 2


def test_the_service_changes_no_key_that_is_given(start: Start, mounted: Path) -> None:
    service = start("a")
    with pytest.raises(KeysGiven):
        service.signer.rotate()
    with pytest.raises(KeysGiven):
        service.analyses.vault.add_key()


def test_keys_are_made_once(mounted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {file: (mounted / file).read_bytes() for file in VARIABLES.values()}
    assert main(["key", "make", str(mounted)]) == 1
    assert "there is such a file already" in capsys.readouterr().err
    assert before == {file: (mounted / file).read_bytes() for file in VARIABLES.values()}
    assert all((mounted / file).stat().st_mode & 0o777 == 0o600 for file in before)
    assert main(["key", "add", str(mounted / "secret.key")]) == 1
    assert before["secret.key"] == (mounted / "secret.key").read_bytes()


@pytest.fixture
def backup(start: Start, tmp_path: Path) -> Path:
    """A backup of a service with given keys, and a secret choice in it."""
    service = start("a")
    api = Api(service)
    ada, brahim = api.player("Ada"), api.player("Brahim")
    path = kerd(api, ada, brahim)
    choose(api, path, ada, "f11")
    back_up(service.settings, tmp_path / "backup.gz", silent)
    service.store.flushall()
    return tmp_path / "backup.gz"


def settings_without(environment: dict[str, str], folder: Path) -> Settings:
    own = {name: value for name, value in environment.items() if not name.endswith("_FILE")}
    return read_settings({**own, "MOVELOG_DATA_DIR": str(folder)})


def test_a_backup_does_not_hold_keys_that_are_given(
    backup: Path, environment: dict[str, str], tmp_path: Path, mounted: Path
) -> None:
    text = gzip.decompress(backup.read_bytes())
    for key in ("secret.key", "choice.key", "signing.key"):
        assert base64.b64encode((mounted / key).read_bytes()) not in text
    make_key_files(tmp_path / "others")
    with pytest.raises(NoKeys):
        restore(settings_without(environment, tmp_path / "none"), backup, silent)
    others = environment | name_files(tmp_path / "others")
    with pytest.raises(OtherKeys):
        restore(read_settings({**others, "MOVELOG_DATA_DIR": str(tmp_path / "b")}), backup, silent)
    with redis.Redis.from_url(environment["MOVELOG_REDIS_URL"]) as store:
        assert store.dbsize() == 0
    given = read_settings({**environment, "MOVELOG_DATA_DIR": str(tmp_path / "b")})
    restore(given, backup, silent)
    assert compose(given).log.streams("game")
    assert not list((tmp_path / "b").glob("*.key"))


def test_a_backup_with_its_keys_is_restored_where_they_are_given(
    environment: dict[str, str], tmp_path: Path, mounted: Path
) -> None:
    own = settings_without(environment, tmp_path / "own")
    service = compose(own)
    ada = Api(service).player("Ada")
    back_up(own, tmp_path / "backup.gz", silent)
    service.store.flushall()
    given = read_settings({**environment, "MOVELOG_DATA_DIR": str(tmp_path / "b")})
    with pytest.raises(OtherKeys):
        restore(given, tmp_path / "backup.gz", silent)
    for name in VARIABLES.values():
        (mounted / name).write_bytes((own.data_dir / name).read_bytes())
    given = read_settings({**environment, "MOVELOG_DATA_DIR": str(tmp_path / "b")})
    restore(given, tmp_path / "backup.gz", silent)
    assert compose(given).players.load(ada.id).registered_at
    assert not list((tmp_path / "b").glob("*.key"))


def test_what_no_key_seals_is_refused(start: Start, mounted: Path) -> None:
    service = start("a")
    ada, brahim = Api(service).player("Ada"), Api(service).player("Brahim")
    choose(Api(service), kerd(Api(service), ada, brahim), ada, "f11")
    (stream,) = service.log.streams("game")
    service.store.hset("movelog:keys", "choice.key", "0" * 32)
    with pytest.raises(CannotUnseal, match="cannot be sealed"):
        service.games.private.vault.seal(stream, 9, {})  # type: ignore[union-attr]
    add_key(mounted / "choice.key")
    with pytest.raises(KeyInUse):
        drop_old_keys(mounted / "choice.key", service.settings)
