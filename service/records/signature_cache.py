"""Signatures of records, kept in Redis for the next export.

A signature depends only on the record's digest, and making it takes longer than everything else
that an export does to a record. So signatures of records that are likely to be exported again are
kept, and can be dropped at any time.

movelog:{signatures}:<key id>:<period>   hash: digest of a record → signature, both as bytes

`period` counts stretches of PERIOD seconds since 1970; the hash has the signatures made in it, and
expires at the end of the next one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import redis

from service.records.signer import Signer
from service.storage.cache_writes import cache_writes
from service.verification.keys import Signature, decode_base64url, encode_base64url
from service.verification.statement import record_statement

PREFIX: Final = "movelog:{signatures}:"
PERIOD: Final = 15 * 24 * 3600
"""Seconds for which a signature is kept at least; at most it is kept for twice as long."""


class Signatures:
    """Signs digests of records with the key in use, or finds the signatures made before."""

    def __init__(
        self, store: redis.Redis, signer: Signer, clock: Callable[[], float] = time.time
    ) -> None:
        """`clock` is in seconds since 1970 UTC."""
        self.store = store
        self.signer = signer
        self.clock = clock

    def make(self, hash: str) -> Signature:
        """The signature of a record with this digest, made anew and not kept."""
        return self.signer.sign(record_statement(hash), self.signer.key)

    def of_records(self, hashes: Sequence[str]) -> list[Signature]:
        """The signatures of records with these digests, in at most two round trips."""
        if not hashes:
            return []
        key, period = self.signer.key, int(self.clock() // PERIOD)
        digests = [bytes.fromhex(hash) for hash in hashes]
        kept = self._find(key, period, digests)
        found = [
            self.signer.sign(record_statement(hash), key)
            if value is None
            else Signature(key, encode_base64url(value))
            for hash, value in zip(hashes, kept, strict=True)
        ]
        new: dict[Any, Any] = {
            digest: decode_base64url(signature.value)
            for digest, value, signature in zip(digests, kept, found, strict=True)
            # The key may have been rotated just now.
            if value is None and signature.key == key
        }
        if new:
            with cache_writes(self.store) as pipeline:
                pipeline.hset(name(key, period), mapping=new)
                # The same time for every signature: new ones do not keep old ones longer.
                pipeline.expireat(name(key, period), (period + 2) * PERIOD)
        return found

    def _find(self, key: str, period: int, digests: Sequence[bytes]) -> list[bytes | None]:
        """The signatures kept in this period or the one before."""
        pipeline = self.store.pipeline(transaction=False)
        for each in (period, period - 1):
            pipeline.hmget(name(key, each), digests)
        newer, older = pipeline.execute()
        return [new or old for new, old in zip(newer, older, strict=True)]


def name(key: str, period: int) -> str:
    """The name of the hash of a key's signatures made in a period."""
    return f"{PREFIX}{key}:{period}"
