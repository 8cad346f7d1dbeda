"""Finding the one byte of a text that was changed after its digest was published."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

MAX_HASHED: Final = 400_000_000
"""Bytes that a search may hash, which takes well under a second on most machines."""

LIKELY: Final = bytes([*range(32, 127), 10])
"""The bytes that records mostly consist of, which are tried first."""


def changed_byte(text: bytes, digest: str) -> int | None:
    """Find the offset of the one byte that must be changed back to give `text` this digest.

    `digest` is a SHA-256 in hex. Returns None if more than one byte was changed, or if the text is
    too long for a search: over some 2,800 bytes, or 2,200 where the byte was no printable ASCII.
    """
    length = len(text)
    for choices in (LIKELY, bytes(set(range(256)) - set(LIKELY))):
        if length * length // 2 * len(choices) > MAX_HASHED:
            return None
        front = sha256()
        for offset in range(length):
            rest = text[offset + 1 :]
            for choice in choices:
                trial = front.copy()
                trial.update(bytes((choice,)) + rest)
                if trial.hexdigest() == digest:
                    return offset
            front.update(text[offset : offset + 1])
    return None
