"""Where the one changed byte of a text stands whose digest was published."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

MOST_WORK: Final = 4_000_000_000
"""Bytes to hash at most in the search: some seconds."""

LIKELY: Final = bytes([*range(32, 127), 10])
"""What a byte of a record usually is."""


def changed_byte(text: bytes, digest: str) -> int | None:
    """The offset of the one byte that, changed back, gives `text` this digest (SHA-256, hex).

    None where it is not just one byte, or where the text is too long to search.
    """
    length = len(text)
    for choices in (LIKELY, bytes(set(range(256)) - set(LIKELY))):
        if length * length // 2 * len(choices) > MOST_WORK:
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
