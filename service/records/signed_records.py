"""Writes games as signed records for exports, from the export cache where that still holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final

from service.game.shown_annotations import WHOLE, Presentation
from service.player.actor import Actor
from service.records.cached_record import make_cached_record
from service.records.export import Unsigned
from service.records.export_cache import ExportCache, Found
from service.records.record_cache import Folded, Records, Settled
from service.records.remembered_reads import RememberedReads
from service.records.signature_cache import Signatures
from service.verification.keys import Signature

LOOKED_FOR: Final = 500
"""Cached records that are looked up at once."""
MADE: Final = 50
"""Records that are made at once."""


class SignedRecords:
    """Writes games as signed records, and caches those that are the same for everybody."""

    def __init__(
        self,
        heads: RememberedReads[str],
        players: RememberedReads[tuple[str, str]],
        records: Records,
        signatures: Signatures,
        cache: ExportCache,
    ) -> None:
        """`heads` are the digests of games' newest events; `players` says who players are now.

        For each id, `players` has the current id and name.
        """
        self.heads = heads
        self.players = players
        self.records = records
        self.signatures = signatures
        self.cache = cache

    def write(
        self, ids: Iterable[str], shown: Presentation, actor: Actor | None
    ) -> Iterator[list[bytes]]:
        """Write the records of these games as the actor may see them, in order, a list at a time.

        Unknown ids are left out.
        """
        for looked_for in split(ids, LOOKED_FOR):
            texts = self._find_cached(looked_for) if shown == WHOLE else {}
            for some in split(looked_for, MADE):
                made = self._make([id for id in some if id not in texts], shown, actor)
                found = ((texts.pop(id, None) or made.get(id)) for id in some)
                yield [text for text in found if text is not None]

    def _find_cached(self, ids: Sequence[str]) -> dict[str, bytes]:
        """The cached records of these games that would be made the same now."""
        cached = self.cache.find(ids)
        heads = self.heads.find(cached)
        key = self.signatures.signer.key
        held = {
            id: record
            for id, (head, record) in cached.items()
            if heads.get(id) == head and record.key == key
        }
        names = self._find_names(one.seats for one in held.values())
        written = ((id, record.write(names)) for id, record in held.items())
        return {id: text for id, text in written if text is not None}

    def _make(
        self, ids: Sequence[str], shown: Presentation, actor: Actor | None
    ) -> dict[str, bytes]:
        """Write the records of these games anew, and cache them."""
        if not ids:
            return {}
        sources = self.records.of(ids, shown, actor)
        names = self._find_names(one.seats for one in sources)
        unsigned = [one.written(names) for one in sources]
        signatures = self._sign(sources, unsigned)
        made: dict[str, bytes] = {}
        cached: dict[str, Found] = {}
        for source, one, by in zip(sources, unsigned, signatures, strict=True):
            made[source.id] = one.signed(by).encode()
            if source.settled:
                record = make_cached_record(source.variant, source.seats, names, one, by)
                cached[source.id] = source.head, record
        self.cache.put(cached)
        return made

    def _sign(
        self, sources: Sequence[Settled | Folded], unsigned: Sequence[Unsigned]
    ) -> list[Signature]:
        """The signatures of these records; only those of settled games are kept."""
        pairs = list(zip(sources, unsigned, strict=True))
        kept = iter(
            self.signatures.of_records([one.hash for source, one in pairs if source.settled])
        )
        return [
            next(kept) if source.settled else self.signatures.make(one.hash)
            for source, one in pairs
        ]

    def _find_names(self, seats: Iterable[Sequence[str | None]]) -> Mapping[str, str]:
        """The current names of the players on these seats, by id."""
        ids = (id for id in chain.from_iterable(seats) if id is not None)
        return {id: name for id, (_, name) in self.players.find(ids).items()}


def split(ids: Iterable[str], size: int) -> Iterator[list[str]]:
    """The ids in lists of this size."""
    left = iter(ids)
    while some := list(islice(left, size)):
        yield some
