"""The data of a service that never changes: copied once into a place for backups, then named there.

The lines of an index, each with the `objects` it is about:

{"objects": [[segment, size], [attributes, size]]}
        archived games, and their attributes if they have any
{"feed": partition, "after": position, "last": position, "pointers": n, "start": n, "length": n,
 "objects": [[segment, size]]}
        a chunk of a feed, in its order
{"import": id, "name": name, "objects": [[piece, size], ...]}
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import IO, Any, Final

from service.game import repository as games
from service.imports.files import ORIGINAL, VERDICTS
from service.imports.repository import KIND
from service.log.interface import FEED_START
from service.log.values import StreamId
from service.operations.backup import Source
from service.operations.backup_imports import read_original, read_verdicts
from service.operations.backup_place import BackupPlace, Part

CHUNK: Final = 1 << 20


class SharedColdPart:
    """Copies archived streams, the archived feed and uploads, as far as the place lacks them.

    `there` are the sizes of the objects that it has, by digest. `uploads` are the originals in the
    newest backup there, by import: they never change.
    """

    def __init__(
        self,
        source: Source,
        place: BackupPlace,
        there: Mapping[str, int],
        uploads: Mapping[str, Sequence[Part]],
    ) -> None:
        self.objects: dict[str, int] = {}
        """The objects of the backup so far."""
        self.new_bytes = 0
        log = source.log
        self.feed_starts = log.feeds.marks(range(log.partitions))
        self._source = source
        self._place = place
        self._uploads = uploads
        self._there = dict(there)
        self._lines: list[bytes] = []
        if any(log.tier.list_fences(games.KIND)) or set(self.feed_starts.values()) != {FEED_START}:
            # With an empty directory the backup would lack what was archived.
            log.tier.check_directory(log.archive.directory)

    def copy_streams(self, copied: Mapping[StreamId, int]) -> Iterator[tuple[StreamId, int]]:
        """Copy the segments of the archived streams not copied before."""
        archive = self._source.log.archive
        sealed: dict[str, bool] = {}
        sizes: dict[str, int] = {}
        missing = []
        if any(self._source.log.tier.list_fences(games.KIND)):
            for held in archive.directory.list_held():
                if not copied.get(held.stream):
                    missing.append((held.stream, held.version))
                    sizes[held.segment] = held.size
                    sealed[held.segment] = sealed.get(held.segment, False) or held.sealed
        for digest, has_attributes in sealed.items():
            parts = [self._copy_once(digest, sizes[digest], archive.read_segment)]
            if has_attributes:
                parts.append(self.put(archive.sealed.read_packed(digest)))
            self._add_line(parts)
        yield from missing
        self._copy_feeds()

    def copy_uploads(self, streams: Iterable[StreamId]) -> None:
        """Copy the files of imports."""
        uploads = self._source.uploads
        for id in sorted(stream.id for stream in streams if stream.kind == KIND):
            parts = self._uploads.get(id, ())
            size = uploads.files.size(id)
            if size != sum(size for _, size in parts) or not self._has(parts):
                parts = [self.put(data) for _, data in read_original(uploads, id)]
            self._add_line(parts, {"import": id, "name": ORIGINAL})
            pieces = read_verdicts(uploads.files.verdicts(id))
            self._add_line([self.put(data) for _, data in pieces], {"import": id, "name": VERDICTS})

    def put(self, content: bytes) -> Part:
        """Store these bytes in the place, unless it has them."""
        return self._keep(sha256(content).hexdigest(), len(content), lambda: content)

    def put_file(self, file: IO[bytes]) -> Part:
        """Store the bytes of a file."""
        file.flush()
        file.seek(0)
        digest = sha256()
        while data := file.read(CHUNK):
            digest.update(data)
        size = file.tell()
        file.seek(0)
        return self._keep(digest.hexdigest(), size, lambda: file)

    def put_index(self) -> Part:
        """Store the index of everything that was copied."""
        return self.put(gzip.compress(b"".join(self._lines), mtime=0))

    def _copy_feeds(self) -> None:
        """Copy the feeds up to where they had been trimmed before anything was copied."""
        archive = self._source.log.archive.feeds
        for partition, mark in self.feed_starts.items():
            if mark == FEED_START:
                continue
            for place in archive.directory.list_until(partition, mark):
                end = place.entry.start + place.entry.length
                part = self._copy_once(place.segment, end, archive.read_segment)
                about = asdict(place.entry)
                self._add_line([part], {"feed": about.pop("partition"), **about})

    def _has(self, parts: Sequence[Part]) -> bool:
        return bool(parts) and all(self._there.get(digest) == size for digest, size in parts)

    def _copy_once(self, digest: str, least: int, read: Callable[[str], bytes]) -> Part:
        """Copy an object whose digest here is the same; it is read only if the place lacks it.

        `least` is a lower bound of its size in bytes.
        """
        size = self._there.get(digest, -1)
        if size < least:
            return self.put(read(digest))
        self.objects[digest] = size
        return digest, size

    def _keep(self, digest: str, size: int, open_content: Callable[[], bytes | IO[bytes]]) -> Part:
        # A shorter one is left from a write during which the power failed.
        if self._there.get(digest) != size:
            self._place.put(digest, open_content())
            self._there[digest] = size
            self.new_bytes += size
        self.objects[digest] = size
        return digest, size

    def _add_line(self, parts: Sequence[Part], about: Mapping[str, Any] | None = None) -> None:
        if parts:
            self.objects.update(parts)
            line = {**(about or {}), "objects": parts}
            self._lines.append(json.dumps(line, separators=(",", ":")).encode() + b"\n")
