"""Signatures of records, kept in Redis for the next export.

A signature depends only on the record's digest, and making it takes longer than everything else
that an export does to a record. So signatures are kept, and can be dropped at any time.

movelog:{signatures}:<key id>   hash: digest of a record → signature, both as bytes
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import redis

from service.records.signer import Signer
from service.storage.cache_writes import cache_writes
from service.verification.keys import Signature, decode_base64url, encode_base64url
from service.verification.statement import record_statement

PREFIX: Final = "movelog:{signatures}:"
KEPT: Final = 30 * 24 * 3600
"""Seconds for which a key's signatures are kept, counted from the last new one."""


class Signatures:
    """Signs digests of records with the key in use, or finds the signatures made before."""

    def __init__(self, store: redis.Redis, signer: Signer) -> None:
        self.store = store
        self.signer = signer

    def of_records(self, hashes: Sequence[str]) -> list[Signature]:
        """The signatures of records with these digests, in at most two round trips."""
        if not hashes:
            return []
        key = self.signer.key
        digests = [bytes.fromhex(hash) for hash in hashes]
        kept: Any = self.store.hmget(f"{PREFIX}{key}", digests)
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
                pipeline.hset(f"{PREFIX}{key}", mapping=new)
                pipeline.expire(f"{PREFIX}{key}", KEPT)
        return found
