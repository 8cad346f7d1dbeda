"""The keys by which the tables find games: digests of 64 bits.

Among a billion different positions, two have the same key with a probability of 3 %.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Final

from engine.position import Position
from notation.registry import find_dialect
from service.projection.games.placements import numbering

SIZE: Final = 8
"""Bytes of a key."""
POSITION: Final = "position"
MATERIAL: Final = "material"
TAG: Final = "tag"
_PIECES: Final = re.compile("([A-Za-z])([0-9]*)")
_MOST: Final = 255
"""The most pieces of a letter that a byte can count."""


def position_key(variant: str, position: Position) -> int:
    """The key of a position; what `Dialect.position_key` leaves out does not affect it."""
    return to_number(digest_position(variant, find_dialect(variant).identify(position)))


# Popular positions are asked for often.
@lru_cache(maxsize=1 << 12)
def fen_key(variant: str, fen: str) -> int:
    """The key of the position that a FEN describes; raises BadFen and UnknownVariant."""
    return position_key(variant, find_dialect(variant).read_fen(fen))


def position_keys(variant: str, identities: Sequence[bytes]) -> array[int]:
    """The keys of positions, given as `Dialect.identify` returns them."""
    salt = _salt(variant)
    digests = [blake2b(salt + identity, digest_size=SIZE).digest() for identity in identities]
    keys = array("q", b"".join(digests))
    if sys.byteorder == "little":
        keys.byteswap()
    return keys


def digest_position(variant: str, identity: bytes) -> bytes:
    """The key of a position as bytes; `identity` is what `Dialect.identify` returned for it."""
    return blake2b(_salt(variant) + identity, digest_size=SIZE).digest()


@cache
def _salt(variant: str) -> bytes:
    return f"{POSITION}\0{variant}\0".encode()


def material_key(variant: str, material: str) -> int:
    """The key of the material on a board, given as `Dialect.material` writes it."""
    letters = numbering(variant).letters
    counts = bytearray(len(letters))
    for letter, count in _PIECES.findall(material):
        number = int(count or 1)
        if letter not in letters or number > _MOST:
            # No board has that many.
            return digest(MATERIAL, variant, material)
        counts[letters[letter]] = number
    return counts_key(variant, bytes(counts))


def counts_key(variant: str, counts: bytes) -> int:
    """The key of the material on a board, given as the count of each letter, by letter number."""
    text = f"{MATERIAL}\0{variant}\0".encode() + counts
    return to_number(blake2b(text, digest_size=SIZE).digest())


def tag_key(name: str, value: str) -> int:
    """The key of a tag pair."""
    return digest(TAG, name, value)


def digest(*parts: str) -> int:
    """A signed number of 64 bits that depends on each of the parts."""
    text = "\0".join(parts).encode(errors="replace")
    return to_number(blake2b(text, digest_size=SIZE).digest())


def to_number(digest: bytes) -> int:
    """The number that a digest encodes."""
    return int.from_bytes(digest, "big", signed=True)
