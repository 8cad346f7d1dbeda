"""Games as signed records for exports, using kept records of earlier exports that still hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final

from service.game.shown_annotations import WHOLE, Presentation
from service.player.actor import Actor
from service.records.kept_exports import Found, KeptExports
from service.records.kept_record import make_kept_record
from service.records.record_cache import Records
from service.records.remembered_reads import RememberedReads
from service.records.signature_cache import Signatures

LOOKED_FOR: Final = 500
"""Kept records that are looked up at once."""
MADE: Final = 50
"""Records that are made at once."""


class SignedRecords:
    """Writes games as signed records, and keeps those that are the same for everybody."""

    def __init__(
        self,
        heads: RememberedReads[str],
        players: RememberedReads[tuple[str, str]],
        records: Records,
        signatures: Signatures,
        kept: KeptExports,
    ) -> None:
        """`heads` are the digests of games' newest events; `players` says who players are now.

        For each id, `players` has the current id and name.
        """
        self.heads = heads
        self.players = players
        self.records = records
        self.signatures = signatures
        self.kept = kept

    def write(
        self, ids: Iterable[str], shown: Presentation, actor: Actor | None
    ) -> Iterator[list[bytes]]:
        """Write the records of these games as the actor may see them, in order, a list at a time.

        Unknown ids are left out.
        """
        for looked_for in split(ids, LOOKED_FOR):
            texts = self._find_kept(looked_for) if shown == WHOLE else {}
            for some in split(looked_for, MADE):
                made = self._make([id for id in some if id not in texts], shown, actor)
                found = ((texts.pop(id, None) or made.get(id)) for id in some)
                yield [text for text in found if text is not None]

    def _find_kept(self, ids: Sequence[str]) -> dict[str, bytes]:
        """The kept records of these games that would be made the same now."""
        kept = self.kept.find(ids)
        heads = self.heads.find(kept)
        key = self.signatures.signer.key
        held = {
            id: record
            for id, (head, record) in kept.items()
            if heads.get(id) == head and record.key == key
        }
        names = self._find_names(one.seats for one in held.values())
        written = ((id, record.write(names)) for id, record in held.items())
        return {id: text for id, text in written if text is not None}

    def _make(
        self, ids: Sequence[str], shown: Presentation, actor: Actor | None
    ) -> dict[str, bytes]:
        """Make the records of these games anew, and keep them."""
        if not ids:
            return {}
        sources = self.records.of(ids, shown, actor)
        names = self._find_names(one.seats for one in sources)
        unsigned = [one.written(names) for one in sources]
        self.records.keep(sources, unsigned)
        signatures = self.signatures.of_records([one.hash for one in unsigned])
        made: dict[str, bytes] = {}
        kept: dict[str, Found] = {}
        for source, one, by in zip(sources, unsigned, signatures, strict=True):
            made[source.id] = one.signed(by).encode()
            if source.settled:
                record = make_kept_record(source.variant, source.seats, names, one, by)
                kept[source.id] = source.head, record
        self.kept.keep(kept)
        return made

    def _find_names(self, seats: Iterable[Sequence[str | None]]) -> Mapping[str, str]:
        """The current names of the players on these seats, by id."""
        ids = (id for id in chain.from_iterable(seats) if id is not None)
        return {id: name for id, (_, name) in self.players.find(ids).items()}


def split(ids: Iterable[str], size: int) -> Iterator[list[str]]:
    """The ids in lists of this size."""
    left = iter(ids)
    while some := list(islice(left, size)):
        yield some
