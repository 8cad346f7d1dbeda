"""A signed record without its players' names, as the export cache holds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.registry import find_variant
from notation.game import UNKNOWN
from notation.writer import write_tag
from service.game.importing import HASH_TAG, SIGNATURE_TAG
from service.log.chain import digest
from service.records.export import LINES, Unsigned
from service.verification.keys import Signature

NOBODY: Final = "-"
"""In place of a player's id where there is none."""


@dataclass(frozen=True, slots=True)
class CachedRecord:
    """The lines of a record around those of its players, in UTF-8.

    `behind` has five parts: what follows the players, the line of the digest, what follows that,
    the line of the signature, and the rest. `seats` are the players' ids. `hash` is the digest of
    the record with the players' names, and `key` the id of the key that signed it.
    """

    variant: str
    seats: Sequence[str | None]
    key: str
    hash: str
    before: bytes
    behind: Sequence[bytes]

    def write(self, names: Mapping[str, str]) -> bytes | None:
        """The signed record; None if these names make it a different one."""
        begun = self.before + _write_players(self.variant, self.seats, names)
        tags, _, between, _, rest = self.behind
        if digest(b"".join((begun, tags, between, rest))) != self.hash:
            return None
        return b"".join((begun, *self.behind))


def make_cached_record(
    variant: str,
    seats: Sequence[str | None],
    names: Mapping[str, str],
    unsigned: Unsigned,
    signature: Signature,
) -> CachedRecord:
    """The part to keep of a record that was written with these names, and signed."""
    before, _, rest = unsigned.text.encode().partition(_write_players(variant, seats, names))
    tags, _, rest = rest.partition(LINES[HASH_TAG].encode())
    between, _, rest = rest.partition(LINES[SIGNATURE_TAG].encode())
    hash = write_tag(HASH_TAG, unsigned.hash).encode()
    signed = write_tag(SIGNATURE_TAG, str(signature)).encode()
    behind = (tags, hash, between, signed, rest)
    return CachedRecord(variant, seats, signature.key, unsigned.hash, before, behind)


def encode_record(record: CachedRecord) -> bytes:
    """A record as bytes: a line of words, and its parts."""
    parts = (record.before, *record.behind)
    words = (
        record.variant,
        record.key,
        record.hash,
        *(str(len(part)) for part in parts),
        *(player or NOBODY for player in record.seats),
    )
    return b"".join((" ".join(words).encode(), b"\n", *parts))


def decode_record(stored: bytes) -> CachedRecord:
    """The record that `encode_record` turned into these bytes."""
    line, _, text = stored.partition(b"\n")
    variant, key, hash, *lengths, first, second = line.decode().split(" ")
    parts = []
    end = 0
    for length in lengths:
        begin, end = end, end + int(length)
        parts.append(text[begin:end])
    seats = [None if player == NOBODY else player for player in (first, second)]
    before, *behind = parts
    return CachedRecord(variant, seats, key, hash, before, behind)


def _write_players(variant: str, seats: Iterable[str | None], names: Mapping[str, str]) -> bytes:
    """The lines of a record's players, which follow one another in its roster."""
    sides = find_variant(variant).sides
    shown = (names.get(player, UNKNOWN) if player else UNKNOWN for player in seats)
    return "".join(map(write_tag, sides, shown)).encode()
