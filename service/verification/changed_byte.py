"""Finds the one byte of a text that was changed after its digest was published."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

MAX_HASHED: Final = 400_000_000
"""Bytes that the searches in one file may hash in all: under a second of computing on most
machines, and a few on those that have no instructions for SHA-256."""

LIKELY: Final = bytes([*range(32, 127), 10])
"""The bytes that records mostly consist of, which are tried first."""


class ChangedBytes:
    """Finds changed bytes in the texts of one file, within the number of bytes that may be hashed.

    The digest of a whole text says nothing about its parts, so every byte has to be tried at every
    offset: a text of twice the length takes four times as long.
    """

    def __init__(self, limit: int = MAX_HASHED) -> None:
        self.left = limit

    def find(self, text: bytes, digest: str) -> int | None:
        """Find the offset of the one byte that must be changed back to give `text` this digest.

        `digest` is a SHA-256 in hex. Returns None if more than one byte was changed, or if all
        trials would hash more bytes than are left. For a file's first text the limit is about 2,800
        bytes, or 2,200 if the byte was not printable ASCII.
        """
        length = len(text)
        for choices in (LIKELY, bytes(set(range(256)) - set(LIKELY))):
            if length * length // 2 * len(choices) > self.left:
                return None
            offset = self._try_each(text, digest, choices)
            if offset is not None:
                return offset
        return None

    def _try_each(self, text: bytes, digest: str, choices: bytes) -> int | None:
        """Try these bytes at every offset, from the first on."""
        front = sha256()
        for offset in range(len(text)):
            rest = text[offset + 1 :]
            self.left -= len(rest) * len(choices)
            for choice in choices:
                trial = front.copy()
                trial.update(bytes((choice,)) + rest)
                if trial.hexdigest() == digest:
                    return offset
            front.update(text[offset : offset + 1])
        return None
