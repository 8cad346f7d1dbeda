"""The cache of signatures."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from service.records.signature_cache import PERIOD, PREFIX, Signatures
from service.records.signer import Signer
from service.secrets.key_source import KeyFile
from service.verification.keys import Signature
from service.verification.statement import record_statement
from tests.service.redis_server import RedisServer

DAY = 24 * 3600
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
    assert not signatures.store.keys(f"{PREFIX}{old}*")


def test_each_is_gone_in_time_whatever_is_signed_later(signatures: Signatures) -> None:
    begun = time.time()
    signatures.of_records(HASHES[:1])
    first = set(signatures.store.scan_iter(f"{PREFIX}*"))
    times = iter(range(1, 31))
    signatures.clock = lambda: begun + next(times) * DAY
    for later in range(1, 31):
        signatures.of_records([f"{later:064x}"])
    ends = (begun // PERIOD + 2) * PERIOD
    (key,) = first
    assert time.time() + signatures.store.ttl(key) == pytest.approx(ends, abs=10)
    assert signatures.store.hlen(key) <= PERIOD / DAY


def test_one_is_found_in_the_next_period(
    signatures: Signatures, signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = time.time()
    made = signatures.of_records(HASHES)

    def refuse(statement: object, key: str) -> Signature:
        raise AssertionError(statement)

    monkeypatch.setattr(signer, "sign", refuse)
    signatures.clock = lambda: begun + PERIOD
    assert signatures.of_records(HASHES) == made
