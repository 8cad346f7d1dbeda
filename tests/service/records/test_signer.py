"""The key that signs exports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from service.environment import BadSetting
from service.records.signer import Signer
from service.secrets.key_source import KeyFile

STATEMENT = {"type": "test"}


def test_the_key_is_made_once_and_private(tmp_path: Path) -> None:
    file = tmp_path / "data" / "signing.key"
    first = Signer(KeyFile(file))
    content = file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600
    again = Signer(KeyFile(file))
    assert (again.key, file.read_bytes()) == (first.key, content)
    assert again.sign(STATEMENT) == first.sign(STATEMENT)


def test_rotation_is_taken_up_by_running_processes(tmp_path: Path) -> None:
    file = tmp_path / "signing.key"
    one, other = Signer(KeyFile(file)), Signer(KeyFile(file))
    before, signature = one.key, one.sign(STATEMENT)
    private = json.loads(file.read_text())["keys"][0]["d"]
    after = other.rotate()
    assert before != after == other.key == one.key
    assert one.sign(STATEMENT).key == after
    one.public_keys.verify(STATEMENT, signature)
    one.public_keys.verify(STATEMENT, one.sign(STATEMENT))
    assert private not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    third = one.rotate()
    assert [key["kid"] for key in one.public_keys.as_json()["keys"]] == [third, after, before]


@pytest.mark.parametrize(
    "content", ["", "{}", '{"keys": []}', '{"keys": [{"crv": "Ed25519", "d": "AAAA"}]}', "\x00"]
)
def test_a_damaged_key_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "signing.key"
    file.write_text(content)
    with pytest.raises(BadSetting, match="damaged; restore it from a backup"):
        Signer(KeyFile(file))


def test_a_key_without_its_public_part_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "signing.key"
    Signer(KeyFile(file))
    keys = json.loads(file.read_text())
    del keys["keys"][0]["x"]
    file.write_text(json.dumps(keys))
    with pytest.raises(BadSetting):
        Signer(KeyFile(file))
