"""The event log in the process's own memory: for unit tests and offline work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Condition

from service.errors import WrongExpectedVersion
from service.log.alarms import Alarm, AlarmView
from service.log.chain import list_entries
from service.log.codec import Codec
from service.log.errors import AlreadyDone, Barred
from service.log.interface import FEED_START
from service.log.pages import collect_page
from service.log.partition import PARTITIONS, partition_of
from service.log.values import (
    GENESIS,
    Append,
    Event,
    LogPage,
    Pointer,
    Receipt,
    Recorded,
    StoredEvent,
    StreamId,
    StreamRange,
)
from service.log.wake import Wake


class MemoryEventLog:
    """`service.log.interface.EventLog` without a store; thread-safe.

    Events go through the codec as they would into a store, so that what cannot be stored fails here
    too.
    """

    def __init__(self, codec: Codec, partitions: int = PARTITIONS) -> None:
        self.codec = codec
        self.partitions = partitions
        self._changed = Condition()
        self.alarms = MemoryAlarms(partitions)
        self._streams: dict[StreamId, list[Recorded]] = {}
        self._receipts: dict[tuple[StreamId, str], Receipt] = {}
        self._attributes: dict[StreamId, dict[str, str]] = defaultdict(dict)
        self._feeds: dict[int, list[Pointer]] = defaultdict(list)

    def partition(self, stream: StreamId) -> int:
        """The partition a stream belongs to."""
        return partition_of(stream, self.partitions)

    def append(self, request: Append) -> int:
        """Append all of a request or nothing (see the interface)."""
        with self._changed:
            stream = self._streams.get(request.stream, [])
            seen = request.receipt and self._receipts.get((request.stream, request.receipt.key))
            if seen:
                raise AlreadyDone(seen)
            head = self.head(request.stream)
            if (len(stream), head) != (request.expected, request.head or head):
                raise WrongExpectedVersion(str(request.stream), request.expected, len(stream))
            self._check_attributes(request)
            first = len(stream) + 1
            stream = stream + [
                replace(entry, event=self._store(entry.event))
                for entry in list_entries(request, head)
            ]
            self._streams[request.stream] = stream
            self._keep_attributes(request)
            if request.alarm is not None:
                self.alarms.set(request.stream, request.alarm)
            if request.receipt:
                receipt = replace(request.receipt, first=first, last=len(stream))
                self._receipts[request.stream, receipt.key] = receipt
            if request.events:
                self._announce(request, first, len(stream))
            return len(stream)

    def append_each(
        self, requests: Sequence[Append]
    ) -> list[int | WrongExpectedVersion | AlreadyDone | Barred]:
        """Append several requests in order, each of them all or nothing (see the interface)."""
        made: list[int | WrongExpectedVersion | AlreadyDone | Barred] = []
        for request in requests:
            try:
                made.append(self.append(request))
            except (WrongExpectedVersion, AlreadyDone, Barred) as refused:
                made.append(refused)
        return made

    def _check_attributes(self, request: Append) -> None:
        values = self._attributes.get(request.stream, {})
        if request.unless and request.unless in values:
            raise Barred(str(request.stream), request.unless)
        for name, value in request.required.items():
            if values.get(name) != value:
                raise Barred(str(request.stream), name)

    def _store(self, event: Event) -> Event:
        return self.codec.decode(event.stored_name, self.codec.encode(event).encode())

    def read(self, stream: StreamId, after: int = 0, limit: int | None = None) -> list[Recorded]:
        """The events of a stream after version `after`, oldest first."""
        end = None if limit is None else after + max(limit, 0)
        return self._streams.get(stream, [])[after:end]

    def read_page(self, stream: StreamId, after: int, limit: int) -> LogPage:
        """Up to `limit` events of a stream after version `after`; fewer if they are large."""

        def read_sized(after: int, limit: int) -> list[tuple[Recorded, int]]:
            found = self.read(stream, after, limit)
            return [(entry, len(self.codec.encode(entry.event).encode())) for entry in found]

        return collect_page(read_sized, after, limit)

    def read_each(self, streams: Sequence[StreamId]) -> list[list[Recorded]]:
        """All events of several streams."""
        return [self.read(stream) for stream in streams]

    def read_ranges(self, ranges: Sequence[StreamRange]) -> list[list[Recorded]]:
        """The events of each of these ranges."""
        return [self.read(one.stream, one.after, one.limit) for one in ranges]

    def read_stored(self, ranges: Sequence[StreamRange]) -> list[list[StoredEvent]]:
        """The events of each of these ranges, undecoded."""
        return [
            [self._encode(entry) for entry in self.read(one.stream, one.after, one.limit)]
            for one in ranges
        ]

    def _encode(self, entry: Recorded) -> StoredEvent:
        event = entry.event
        data = self.codec.encode(event)
        return StoredEvent(
            entry.version, event.stored_name, data, entry.at, entry.by, entry.previous
        )

    def version(self, stream: StreamId) -> int:
        """How many events the stream has."""
        return len(self._streams.get(stream, ()))

    def head(self, stream: StreamId) -> str:
        """The digest of the stream's newest event."""
        events = self._streams.get(stream)
        return events[-1].hash if events else GENESIS

    def digests(self, streams: Sequence[StreamId]) -> list[str]:
        """The digest of each stream's newest event."""
        return [self.head(stream) for stream in streams]

    def receipt(self, stream: StreamId, key: str) -> Receipt | None:
        """What is remembered about the request with this key."""
        return self._receipts.get((stream, key))

    def attributes(self, wanted: Sequence[tuple[StreamId, str]]) -> list[str | None]:
        """Values kept beside streams, in the order requested."""
        return [self._attributes.get(stream, {}).get(field) for stream, field in wanted]

    def all_attributes(self, stream: StreamId) -> Mapping[str, str]:
        """Every value kept beside one stream."""
        return dict(self._attributes.get(stream, {}))

    def feed(self, partition: int, after: str = FEED_START, limit: int = 500) -> list[Pointer]:
        """The pointers of a partition's feed after a position."""
        start = int(after.partition("-")[0])
        return self._feeds[partition][start : start + limit]

    def feed_each(self, after: Mapping[int, str], limit: int) -> dict[int, list[Pointer]]:
        """The pointers of each of these partitions after its position."""
        return {p: self.feed(p, position, limit) for p, position in after.items()}

    def wait(
        self, after: Mapping[int, str], timeout: float, wake: Wake | None = None
    ) -> list[tuple[int, Pointer]]:
        """Wait for pointers after the positions given by partition."""
        wake = wake or Wake()
        with self._changed, wake.ending(self._end_waits):
            self._changed.wait_for(lambda: wake.called or self._read_beyond(after), timeout)
            return self._read_beyond(after)

    def _end_waits(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _read_beyond(self, after: Mapping[int, str]) -> list[tuple[int, Pointer]]:
        return [(p, pointer) for p, position in after.items() for pointer in self.feed(p, position)]

    def feed_positions(self, partitions: Iterable[int] | None = None) -> dict[int, str]:
        """The position of the newest pointer of each of these partitions, or of all."""
        asked = range(self.partitions) if partitions is None else partitions
        return {p: f"{len(self._feeds[p])}-0" for p in asked}

    def streams(self, kind: str) -> Sequence[StreamId]:
        """Every stream of a kind."""
        with self._changed:
            return [s for s, events in self._streams.items() if s.kind == kind and events]

    def _keep_attributes(self, request: Append) -> None:
        kept = self._attributes[request.stream]
        for field, value in request.attributes.items():
            if value is None:
                kept.pop(field, None)
            else:
                kept[field] = value

    def _announce(self, request: Append, first: int, last: int) -> None:
        feed = self._feeds[self.partition(request.stream)]
        audience = tuple(request.audience)
        feed.append(Pointer(f"{len(feed) + 1}-0", request.stream, first, last, audience))
        self._changed.notify_all()


class MemoryAlarms:
    """`service.log.alarms.Alarms` without a store."""

    def __init__(self, partitions: int) -> None:
        self.partitions = partitions
        self.by_stream: dict[StreamId, int] = {}
        self.kept: set[int] = set()
        """The partitions whose alarms were not lost."""

    def set(self, stream: StreamId, at: int) -> None:
        """Set a stream's alarm, or remove it if `at` is 0."""
        self.by_stream.pop(stream, None)
        if at:
            self.by_stream[stream] = at

    def look(self, before: int, limit: int = 1000) -> AlarmView:
        """The alarms up to a time."""
        found = [Alarm(stream, at) for stream, at in self.by_stream.items() if at <= before]
        lost = [each for each in range(self.partitions) if each not in self.kept]
        return AlarmView(sorted(found, key=lambda alarm: alarm.at)[:limit], lost)

    def move(self, stream: StreamId, seen: int, at: int) -> bool:
        """Set a stream's alarm if nobody else has changed it."""
        if self.by_stream.get(stream) != seen:
            return False
        self.set(stream, at)
        return True

    def restore(self, partition: int, alarms: Mapping[StreamId, int]) -> None:
        """Set lost alarms."""
        self.by_stream = {**alarms, **self.by_stream}
        self.kept.add(partition)
