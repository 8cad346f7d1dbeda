"""Keys that the operator gives, replaced without downtime."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from service.cli.commands import main
from service.operations.errors import KeyInUse, KeyNotEverywhere
from service.operations.given_key_files import add_key, drop_old_keys
from service.operations.key_spread import refuse_unspread
from service.secrets.errors import CannotUnseal, KeyStillNeeded, OtherKeys
from service.secrets.key_holders import HOLDERS, KeyHolders
from service.secrets.key_source import compute_fingerprint
from service.secrets.stored_keys import StoredKeys
from tests.service.api.client import Api
from tests.service.secrets.given_keys import (
    Start,
    environment,
    mounted,
    start,
)
from tests.service.secrets.kerd import choose, infiltrators, kerd

__all__ = ["environment", "mounted", "start"]


@pytest.fixture
def command(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, str]]:  # fmt: skip
    """A function that runs a command on the operator's machine; returns its status and output."""
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

    # Add: the new key is known everywhere, while the old one still seals.
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

    # Reseal: all processes now seal with the new key; one that lacks it says so.
    assert command("key", "rotate", "--anyway") == (0, "2 secrets sealed with a new key\n")
    assert infiltrators(Api(both), paths[0], ada) == "f11/?"
    answer = choose(Api(before), paths[2], ada, "e11")
    assert (answer.status_code, answer.json and answer.json["code"]) == (503, "cannot-unseal")
    assert choose(Api(both), paths[2], ada, "e11").status_code == 200

    # Drop: nothing needs the old key any more.
    assert "no longer needed" in command("key", "list")[1]
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
    # The store has noted the new key, but not everything is sealed with it.
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
    # A process without the new key signs with the old one, which all can verify.
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
