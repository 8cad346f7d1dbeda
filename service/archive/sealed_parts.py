"""The attributes of a segment's streams, in a separate object beside it.

They may have to be sealed again, with another key, but a segment cannot change.

    8 bytes     MAGIC
    32 bytes    the SHA-256 of what follows: JSON, compressed with zstd, by stream and name
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

import zstandard

from service.archive.segment import LARGEST, BadEntry

MAGIC: Final = b"MVLGATT1"
DIGEST: Final = 32


def pack_attributes(by_stream: Mapping[str, Mapping[str, str]]) -> bytes:
    """The object with these attributes, by the stream's name and their own."""
    text = json.dumps(by_stream, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    packed = zstandard.ZstdCompressor().compress(text.encode())
    return MAGIC + sha256(packed).digest() + packed


def unpack_attributes(content: bytes) -> dict[str, dict[str, str]]:
    """What was packed. Raises BadEntry."""
    start = len(MAGIC) + DIGEST
    packed = content[start:]
    if content[:start] != MAGIC + sha256(packed).digest():
        raise BadEntry("its digest differs")
    text = zstandard.ZstdDecompressor().decompress(packed, max_output_size=LARGEST)
    found: Any = json.loads(text)
    return dict(found)
