"""The attributes of archived streams, in an object beside each segment that has any."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from service.archive.directory import Directory
from service.archive.errors import DamagedSegment
from service.archive.sealed_parts import pack_attributes, unpack_attributes
from service.archive.segment import BadEntry
from service.archive.unnamed import ATTRIBUTES, name_object
from service.log.values import StreamId
from service.storage.errors import ObjectMissing
from service.storage.objects import ObjectStore

Attributes = Mapping[str, str]
Reseal = Callable[[StreamId, Attributes], Attributes]
"""Returns the attributes of a stream that have to change, with their new values."""
TryReseal = Callable[[StreamId, Attributes], Attributes | None]
"""The same, or None if this service has no key for them."""


@dataclass(frozen=True, slots=True)
class Resealed:
    """How many attributes were replaced, and how many unneeded objects were left as they are."""

    attributes: int = 0
    left: int = 0


class SealedObjects:
    """Attributes in an object store, by the digests of their streams' segments.

    Every method raises ObjectsAway, and DamagedSegment or ObjectMissing for what the object store
    has lost.
    """

    def __init__(self, objects: ObjectStore, directory: Directory) -> None:
        self._objects = objects
        self._directory = directory

    def read(self, digest: str) -> dict[str, dict[str, str]]:
        """The attributes of a segment's streams, by the stream's name and their own."""
        return self._read(_name(digest))

    def read_packed(self, digest: str) -> bytes:
        """The object with the attributes of a segment's streams, checked for damage."""
        content = self._objects.get(_name(digest))
        _unpack(_name(digest), content)
        return content

    def unpack(self, digest: str, packed: bytes) -> dict[str, dict[str, str]]:
        """The attributes in what `read_packed` returned for this or another segment."""
        return _unpack(_name(digest), packed)

    def put(self, digest: str, attributes: Mapping[str, Attributes]) -> None:
        """Write the attributes of a segment's streams, and read them back."""
        self._objects.put(_name(digest), pack_attributes(attributes))
        if self.read(digest) != attributes:
            raise DamagedSegment(_name(digest), "it is not what was written")

    def put_packed(self, digest: str, packed: bytes) -> bool:
        """Write what `read_packed` returned; False if the segment has other attributes."""
        name = _name(digest)
        return self._objects.put_new(name, packed) or self._objects.get(name) == packed

    def reseal(
        self,
        reseal: Reseal,
        try_reseal: TryReseal | None,
        progress: Callable[[int, int], None],
    ) -> Resealed:
        """Replace attributes of archived streams. Raises DirectoryAway.

        `try_reseal` is asked about attributes that the directory does not need, such as those that
        an archiver has left which was killed. Without it, and where it has no key, they stay as
        they are: another service may have sealed them.
        """
        held = self._list_held()
        unneeded = sorted({found.name for found in self._objects.list(ATTRIBUTES)} - held.keys())
        total, changed, left = len(held) + len(unneeded), 0, 0
        for done, (name, streams) in enumerate(held.items(), 1):
            changed += self._reseal_needed(name, streams, reseal, try_reseal)
            progress(done, total)
        for done, name in enumerate(unneeded, len(held) + 1):
            found = self._reseal_unneeded(name, try_reseal) if try_reseal else None
            changed += found or 0
            left += found is None
            progress(done, total)
        return Resealed(changed, left)

    def _list_held(self) -> dict[str, list[StreamId]]:
        """The streams that have attributes, by the object that has those of each."""
        found: dict[str, list[StreamId]] = {}
        for held in self._directory.list_held():
            if held.sealed:
                found.setdefault(_name(held.segment), []).append(held.stream)
        return found

    def _reseal_needed(
        self, name: str, streams: list[StreamId], reseal: Reseal, try_reseal: TryReseal | None
    ) -> int:
        """Replace attributes of these streams in an object, and of others that it still has."""
        kept = self._read_streams(name)
        fresh = {s: reseal(s, kept[s]) for s in streams if s in kept}
        for stream in kept.keys() - set(streams):
            if try_reseal and (found := try_reseal(stream, kept[stream])):
                fresh[stream] = found
        return self._replace(name, kept, fresh)

    def _reseal_unneeded(self, name: str, try_reseal: TryReseal) -> int | None:
        """Replace attributes in an object that nothing needs; None if it has others."""
        try:
            kept = self._read_streams(name)
        except ObjectMissing:
            return 0
        except DamagedSegment:
            return None
        fresh = {}
        for stream, attributes in kept.items():
            if (found := try_reseal(stream, attributes)) is None:
                return None
            fresh[stream] = found
        return self._replace(name, kept, fresh)

    def _replace(
        self,
        name: str,
        kept: Mapping[StreamId, Attributes],
        fresh: Mapping[StreamId, Attributes],
    ) -> int:
        """Write an object's attributes with the fresh ones; returns how many these are."""
        if number := sum(map(len, fresh.values())):
            merged = {str(s): {**old, **fresh.get(s, {})} for s, old in kept.items()}
            self._objects.put(name, pack_attributes(merged))
        return number

    def _read_streams(self, name: str) -> dict[StreamId, Attributes]:
        return {_parse(text): attributes for text, attributes in self._read(name).items()}

    def _read(self, name: str) -> dict[str, dict[str, str]]:
        return _unpack(name, self._objects.get(name))


def _name(digest: str) -> str:
    return name_object(ATTRIBUTES, digest)


def _parse(text: str) -> StreamId:
    kind, _, id = text.partition(":")
    return StreamId(kind, id)


def _unpack(name: str, content: bytes) -> dict[str, dict[str, str]]:
    try:
        return unpack_attributes(content)
    except BadEntry as error:
        raise DamagedSegment(name, str(error)) from error
