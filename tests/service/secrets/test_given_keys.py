"""Keys that the operator gives to machines that share nothing but a Redis."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from service.accounts.account import Way
from service.cli.commands import main
from service.composition.service import compose
from service.environment import BadSetting
from service.operations.admin import make_first_admin
from service.operations.given_key_files import make_key_files
from service.secrets.errors import KeysGiven, NoKeys, OtherKeys
from service.settings import read_settings
from tests.service.api.client import Api
from tests.service.redis_server import RedisServer
from tests.service.secrets.given_keys import (
    VARIABLES,
    Start,
    environment,
    mounted,
    start,
)
from tests.service.secrets.kerd import choose, infiltrators, kerd

__all__ = ["environment", "mounted", "start"]


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
    # A browser signed in at one is signed in at the other.
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
    # Nor does a process that has only some of them.
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
    """Equal settings are one dictionary key: a worker composes the service once for each."""
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


def test_the_service_changes_no_key_that_is_given(start: Start, mounted: Path) -> None:
    service = start("a")
    with pytest.raises(KeysGiven):
        service.signer.rotate()
    with pytest.raises(KeysGiven):
        service.analyses.vault.add_key()


def test_keys_are_made_once(mounted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {file: (mounted / file).read_bytes() for file in VARIABLES.values()}
    assert main(["key", "make", str(mounted)]) == 1
    assert "this file already exists" in capsys.readouterr().err
    assert before == {file: (mounted / file).read_bytes() for file in VARIABLES.values()}
    assert all((mounted / file).stat().st_mode & 0o777 == 0o600 for file in before)
    assert main(["key", "add", str(mounted / "secret.key")]) == 1
    assert before["secret.key"] == (mounted / "secret.key").read_bytes()
