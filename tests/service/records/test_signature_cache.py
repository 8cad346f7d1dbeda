"""The cache of signatures."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.records.signature_cache import KEPT, PREFIX, Signatures
from service.records.signer import Signer
from service.secrets.key_source import KeyFile
from service.verification.keys import Signature
from service.verification.statement import record_statement
from tests.service.redis_server import RedisServer

HASHES = [f"{number:064x}" for number in range(3)]


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    return Signer(KeyFile(tmp_path / "signing.key"))


@pytest.fixture
def signatures(redis_server: RedisServer, signer: Signer) -> Signatures:
    return Signatures(redis_server.client(), signer)


def test_they_are_those_of_the_signer(signatures: Signatures, signer: Signer) -> None:
    expected = [signer.sign(record_statement(hash)) for hash in HASHES]
    assert signatures.of_records(HASHES[:2]) == expected[:2]
    assert signatures.of_records(HASHES) == expected
    assert signatures.of_records(HASHES[::-1]) == expected[::-1]
    assert signatures.of_records([]) == []


def test_nothing_is_signed_twice(
    signatures: Signatures, signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = signatures.of_records(HASHES)

    def refuse(statement: object) -> Signature:
        raise AssertionError(statement)

    monkeypatch.setattr(signer, "sign", refuse)
    assert signatures.of_records(HASHES) == made


def test_a_new_key_signs_anew(signatures: Signatures, signer: Signer) -> None:
    before = signatures.of_records(HASHES)
    signer.rotate()
    after = signatures.of_records(HASHES)
    assert {signature.key for signature in after} == {signer.key}
    assert {signature.key for signature in before}.isdisjoint({signer.key})
    signer.public_keys.verify(record_statement(HASHES[0]), after[0])


def test_a_key_rotated_meanwhile_puts_nothing_under_the_old_one(
    signatures: Signatures, signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, sign = signer.key, signer.sign

    def rotated_before(statement: dict[str, object], key: str) -> Signature:
        signer.rotate()
        return sign(statement, key)

    monkeypatch.setattr(signer, "sign", rotated_before)
    (made,) = signatures.of_records(HASHES[:1])
    assert made.key != old
    assert not signatures.store.exists(f"{PREFIX}{old}")


def test_they_are_gone_in_time(signatures: Signatures, signer: Signer) -> None:
    signatures.of_records(HASHES)
    left = signatures.store.ttl(f"{PREFIX}{signer.key}")
    assert 0 < left <= KEPT
