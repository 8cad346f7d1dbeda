"""The keys by which games are found, as the tables hold them: digests of 64 bits.

Among a billion different positions two have the same key with a probability of 3 %.
"""

from __future__ import annotations

from functools import cache, lru_cache
from hashlib import blake2b
from typing import Final

from engine.position import Position
from notation.registry import find_dialect

SIZE: Final = 8
"""Bytes of a key."""
POSITION: Final = "position"
MATERIAL: Final = "material"
TAG: Final = "tag"


def position_key(variant: str, position: Position) -> int:
    """The key of a position; what `Dialect.position_key` leaves out is no part of it."""
    return to_number(digest_position(variant, find_dialect(variant).identify(position)))


# Popular positions are asked for often.
@lru_cache(maxsize=1 << 12)
def fen_key(variant: str, fen: str) -> int:
    """The key of the position that a FEN describes; raises BadFen and UnknownVariant."""
    return position_key(variant, find_dialect(variant).read_fen(fen))


def digest_position(variant: str, identity: bytes) -> bytes:
    """The bytes of the key of a position, of which `Dialect.identify` tells this."""
    return blake2b(_salt(variant) + identity, digest_size=SIZE).digest()


@cache
def _salt(variant: str) -> bytes:
    return f"{POSITION}\0{variant}\0".encode()


# From one position to the next it is mostly the same.
@lru_cache(maxsize=1 << 12)
def material_key(variant: str, material: str) -> int:
    """The key of what stands on a board, given as `Dialect.material` has it."""
    return digest(MATERIAL, variant, material)


def tag_key(name: str, value: str) -> int:
    """The key of a tag pair."""
    return digest(TAG, name, value)


def digest(*parts: str) -> int:
    """A signed number of 64 bits that depends on each of the parts."""
    text = "\0".join(parts).encode(errors="replace")
    return to_number(blake2b(text, digest_size=SIZE).digest())


def to_number(digest: bytes) -> int:
    """The number that a digest is."""
    return int.from_bytes(digest, "big", signed=True)
