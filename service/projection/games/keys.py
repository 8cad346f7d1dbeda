"""The keys by which games are found, as the tables hold them: digests of 64 bits.

Among a billion different positions two have the same key with a probability of 3 %.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Final

from notation.registry import find_dialect

POSITION: Final = "position"
MATERIAL: Final = "material"
TAG: Final = "tag"


def position_key(variant: str, fen: str) -> int:
    """The key of the position that a canonical FEN describes; the move number is no part of it."""
    return digest(POSITION, variant, find_dialect(variant).position_key(fen))


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
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big", signed=True)
