"""`movelog verify`, `movelog audit` and the rotation of the signing key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from service.cli import main
from service.composition.service import compose
from service.game.values import Mode
from service.records.signer import Signer
from service.secrets.key_source import KeyFile
from service.settings import read_settings
from tests.service.game.support import SCRIBE, new_game
from tests.service.redis_server import RedisServer
from tests.service.verification.support import Archive, changed, played


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return played(tmp_path)


@pytest.fixture
def keys(archive: Archive, tmp_path: Path) -> str:
    """The path of a file with the public keys."""
    file = tmp_path / "keys.json"
    file.write_text(json.dumps(archive.signer.public_keys.as_json()))
    return str(file)


@pytest.mark.parametrize("form", ["log", "record"])
def test_an_export_is_verified(
    archive: Archive, keys: str, tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "export"
    data = archive.log() if form == "log" else archive.record()
    file.write_bytes(data)
    assert main(["verify", str(file), "--key", keys]) == 0
    assert capsys.readouterr().out.endswith("\n  verified\n")
    assert main(["verify", str(file)]) == 0
    assert "signature: not checked" in capsys.readouterr().out

    file.write_bytes(changed(data, b"better", b"bitter"))
    assert main(["verify", str(file), "--key", keys]) == 1
    assert "  WRONG: " in capsys.readouterr().out


def test_a_part_of_a_game_has_a_status_of_its_own(
    archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "part.ndjson"
    file.write_bytes(archive.part(2, 3))
    assert main(["verify", str(file)]) == 2
    assert "cannot be verified: this is a part" in capsys.readouterr().out


def test_keys_that_are_none_are_told(
    archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "export"
    file.write_bytes(archive.log())
    assert main(["verify", str(file), "--key", str(file)]) == 1
    assert capsys.readouterr().err.startswith("movelog: not a file of public keys: ")


def test_an_archive_is_audited(
    redis_server: RedisServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MOVELOG_REDIS_URL", redis_server.url)
    service = compose(read_settings({"MOVELOG_REDIS_URL": redis_server.url} | directory(tmp_path)))
    for number in range(2, 5):
        service.games.create(str(number) * 16, new_game(Mode.SCRIBE), SCRIBE)
    assert main(["audit", "--data-dir", str(tmp_path)]) == 0
    assert capsys.readouterr().out == (
        "3 games, 0 diverge, 0 under other rules\n0 tournaments, 0 diverge\n"
        "3 entries in the feed, 0 wrong\n"
    )

    stream = service.log.redis.key(service.log.streams("game")[0])
    service.store.xadd(stream, {"e": "draw-declined/1", "d": "{}", "t": "1", "b": "x", "h": "?"})
    assert main(["audit", "--data-dir", str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert "the event is not the one its digest was made of" in lines[0]
    assert main(["audit", "--json", "--data-dir", str(tmp_path)]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["games"], told["diverging"], told["other_rules"]) == (3, 1, 0)
    assert [item["diverges"] for item in told["items"]].count(True) == 1
    service.store.close()


def directory(folder: Path) -> dict[str, str]:
    """The setting that names the data directory."""
    return {"MOVELOG_DATA_DIR": str(folder)}


def test_the_signing_key_is_rotated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    signer = Signer(KeyFile(tmp_path / "signing.key"))
    before = signer.key
    assert main(["key", "rotate-signing", "--data-dir", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"exports are signed with the key {signer.key}\n"
    assert signer.key != before
    assert len(signer.public_keys.as_json()["keys"]) == 2
