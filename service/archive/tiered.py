"""The event log over both of its tiers: Redis, and the archive.

Redis is asked first. A stream that is not there may be in the archive if any streams of its kind
and partition were ever archived: then the partition has a fence, and the directory is asked. So a
log without an archive costs nothing more, and needs no directory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, TypeVar

from service.archive.archive import Archive
from service.archive.directory import Place
from service.archive.frozen_stream import FrozenStream
from service.archive.outages import raise_as_outage
from service.archive.redis_tier import RedisTier
from service.archive.steps import Step
from service.archive.tiered_feed import TieredFeed
from service.errors import WrongExpectedVersion
from service.log.errors import AlreadyDone, Barred, MaybeArchived, Overtaken
from service.log.pages import collect_page
from service.log.redis import RedisEventLog
from service.log.redis_forms import decode_receipt, shorten_key
from service.log.values import (
    GENESIS,
    Append,
    LogPage,
    Receipt,
    Recorded,
    StoredEvent,
    StreamId,
    StreamRange,
)

T = TypeVar("T")
Answer: TypeAlias = int | WrongExpectedVersion | AlreadyDone | Barred

TRIES: Final = 50
"""How often a stream is looked for again because others of its partition were archived."""


class TieredEventLog:
    """`service.log.interface.EventLog` on Redis and an archive.

    An append to an archived stream puts it back into Redis; reading leaves it in the archive.
    Raises ArchiveAway, which like all such errors is an error of Redis, if the archive cannot be
    read.
    """

    def __init__(
        self, hot: RedisEventLog, archive: Archive, step: Step = lambda done: None
    ) -> None:
        self.redis = hot
        self.archive = archive
        self.tier = RedisTier(hot)
        self.alarms = hot.alarms
        self.partitions = hot.partitions
        self.partition = hot.partition
        feeds = TieredFeed(hot, archive.feeds, self._check_directory)
        self.feeds = feeds.feeds
        self.feed = feeds.feed
        self.feed_each = feeds.feed_each
        self.feed_positions = hot.feed_positions
        self.wait = feeds.wait
        self._step = step
        self._is_checked = False

    def append(self, request: Append) -> int:
        """Append all of a request or nothing (see the interface)."""
        (made,) = self.append_each([request])
        if isinstance(made, int):
            return made
        raise made

    def append_each(self, requests: Sequence[Append]) -> list[Answer]:
        """Append several requests in order, each by itself all or nothing (see the interface)."""
        headed = [self._state_head(request) for request in requests]
        answers = zip(headed, self.redis.append_behind(headed), strict=True)
        return [
            self._append_found(request) if isinstance(answer, MaybeArchived) else answer
            for request, answer in answers
        ]

    def _state_head(self, request: Append) -> Append:
        """The request with the digest that it must follow, looked up where the stream is."""
        if request.head is not None or not request.expected:
            return request
        return replace(request, head=self.head(request.stream))

    def _append_found(self, request: Append) -> Answer:
        """Append to a stream that is not in Redis: a new one, or one put back from the archive."""
        for _ in range(TRIES):
            (fence,) = self.tier.fences([request.stream])
            if fence and not self._thaw(request.stream, fence):
                continue
            (answer,) = self.redis.append_behind([request], fence)
            if not isinstance(answer, MaybeArchived):
                return answer
        raise Overtaken(str(request.stream), TRIES)

    def _thaw(self, stream: StreamId, fence: str) -> bool:
        """Put a stream back if it is archived; False if it has to be looked up again.

        `fence` was read before the stream was looked up.
        """
        with raise_as_outage():
            place = self._find([stream]).get(stream)
            if place is None:
                return True
            self._step("found")
            frozen = self._load_all(place)
        self._step("loaded")
        back = self.tier.put_back(frozen, fence)
        self._step("put back")
        return back

    def read(self, stream: StreamId, after: int = 0, limit: int | None = None) -> list[Recorded]:
        """The events of a stream beyond version `after`, oldest first."""
        if limit is not None and limit < 1:
            return []
        return self._ask(
            stream,
            lambda: self.redis.read(stream, after, limit),
            lambda frozen: self._decode(frozen)[after:][:limit],
        )

    def read_page(self, stream: StreamId, after: int, limit: int) -> LogPage:
        """Up to `limit` events of a stream after version `after`; fewer if they are large."""

        def look(frozen: FrozenStream) -> LogPage:
            sizes = (len(event.data.encode()) for event in frozen.events)
            sized = list(zip(self._decode(frozen), sizes, strict=True))
            return collect_page(lambda start, count: sized[start:][:count], after, limit)

        return self._ask(stream, lambda: self.redis.read_page(stream, after, limit), look)

    def read_each(self, streams: Sequence[StreamId]) -> list[list[Recorded]]:
        """All events of each of these streams."""
        found = self.redis.read_each(streams)
        frozen = self._load_missing(
            s for s, recorded in zip(streams, found, strict=True) if not recorded
        )
        return [
            self._decode(frozen[stream]) if stream in frozen and not recorded else recorded
            for stream, recorded in zip(streams, found, strict=True)
        ]

    def read_ranges(self, ranges: Sequence[StreamRange]) -> list[list[Recorded]]:
        """The events of each of these ranges."""
        return self._read_ranges(ranges, self.redis.read_ranges, self._decode)

    def read_stored(self, ranges: Sequence[StreamRange]) -> list[list[StoredEvent]]:
        """The events of each of these ranges, undecoded."""
        return self._read_ranges(ranges, self.redis.read_stored, lambda frozen: frozen.events)

    def _read_ranges(
        self,
        ranges: Sequence[StreamRange],
        read: Callable[[Sequence[StreamRange]], list[list[T]]],
        list_events: Callable[[FrozenStream], Sequence[T]],
    ) -> list[list[T]]:
        found = read(ranges)
        empty = [one.stream for one, events in zip(ranges, found, strict=True) if not events]
        if not (fenced := self._list_fenced(empty)):
            return found
        frozen = self._load_missing(self._list_absent(fenced))
        # A stream that has come back meanwhile is in Redis again.
        again = read(ranges)
        return [
            list(list_events(frozen[one.stream])[one.after :][: one.limit])
            if one.stream in frozen and not events
            else events
            for one, events in zip(ranges, again, strict=True)
        ]

    def version(self, stream: StreamId) -> int:
        """How many events the stream has."""
        known = self.redis.version(stream)
        place = None if known else self._find_missing([stream]).get(stream)
        return place.entry.version if place else known

    def head(self, stream: StreamId) -> str:
        """The digest of the stream's newest event."""
        return self.digests([stream])[0]

    def digests(self, streams: Sequence[StreamId]) -> list[str]:
        """The digest of each stream's newest event."""
        found = self.redis.digests(streams)
        missing = [s for s, head in zip(streams, found, strict=True) if head == GENESIS]
        places = self._find_missing(missing)
        return [
            places[stream].entry.head if head == GENESIS and stream in places else head
            for stream, head in zip(streams, found, strict=True)
        ]

    def receipt(self, stream: StreamId, key: str) -> Receipt | None:
        """What is remembered of the request with this key."""

        def find(frozen: FrozenStream) -> Receipt | None:
            kept = frozen.receipts.get(shorten_key(key))
            return None if kept is None else decode_receipt(key, kept.encode())

        return self._ask(stream, lambda: self.redis.receipt(stream, key), find)

    def attributes(self, wanted: Sequence[tuple[StreamId, str]]) -> list[str | None]:
        """Values kept beside streams."""
        found = self.redis.attributes(wanted)
        # A stream goes into the archive with everything kept beside it.
        hot = {s for (s, _), value in zip(wanted, found, strict=True) if value is not None}
        missing = dict.fromkeys(stream for stream, _ in wanted if stream not in hot)
        if not (fenced := self._list_fenced(list(missing))):
            return found
        kept = self._read_attributes(fenced)
        again = self.redis.attributes(wanted)
        return [
            kept.get(stream, {}).get(name) if value is None else value
            for (stream, name), value in zip(wanted, again, strict=True)
        ]

    def all_attributes(self, stream: StreamId) -> Mapping[str, str]:
        """Every value kept beside one stream."""
        found = self.redis.all_attributes(stream)
        if found or not self._list_fenced([stream]):
            return found
        kept = self._read_attributes([stream]).get(stream)
        return self.redis.all_attributes(stream) if kept is None else kept

    def streams(self, kind: str) -> Sequence[StreamId]:
        """Every stream of a kind, those in Redis first."""
        found = dict.fromkeys(self.redis.streams(kind))
        # A stream that leaves Redis meanwhile was noted before.
        if any(self.tier.list_fences(kind)):
            with raise_as_outage():
                self._check_directory()
                found.update(dict.fromkeys(self.archive.directory.streams(kind)))
        return list(found)

    def _ask(self, stream: StreamId, ask: Callable[[], T], look: Callable[[FrozenStream], T]) -> T:
        """What Redis has; if that is nothing, what `look` finds in the archived stream.

        A stream may come back while it is looked for; then Redis is asked again.
        """
        found = ask()
        if found:
            return found
        frozen = self._load_missing(self._list_absent([stream])).get(stream)
        return ask() if frozen is None else look(frozen)

    def _read_attributes(self, streams: Sequence[StreamId]) -> dict[StreamId, Mapping[str, str]]:
        """The attributes of those of these streams that are archived and not in Redis."""
        places = self._find_missing(self._list_absent(streams))
        with raise_as_outage():
            return {stream: self.archive.attributes(place) for stream, place in places.items()}

    def _list_absent(self, streams: Sequence[StreamId]) -> Iterator[StreamId]:
        """Those of these streams that are not in Redis but may be in the archive."""
        fenced = self._list_fenced(streams)
        heads = self.redis.digests(fenced)
        return (s for s, head in zip(fenced, heads, strict=True) if head == GENESIS)

    def _list_fenced(self, streams: Sequence[StreamId]) -> list[StreamId]:
        fences = self.tier.fences(streams)
        return [stream for stream, fence in zip(streams, fences, strict=True) if fence]

    def _find_missing(self, streams: Iterable[StreamId]) -> dict[StreamId, Place]:
        """The places of those of these streams that are archived; Redis has been asked for them."""
        fenced = self._list_fenced(list(dict.fromkeys(streams)))
        with raise_as_outage():
            return self._find(fenced)

    def _find(self, fenced: Sequence[StreamId]) -> dict[StreamId, Place]:
        """The places of those of these streams that are archived; their partitions have a fence."""
        if fenced:
            self._check_directory()
        return self.archive.find(fenced)

    def _check_directory(self) -> None:
        """Raise DirectoryAway if the directory was lost; this is checked once."""
        if not self._is_checked:
            self.tier.check_directory(self.archive.directory)
            self._is_checked = True

    def _load_missing(self, streams: Iterable[StreamId]) -> dict[StreamId, FrozenStream]:
        places = self._find_missing(streams)
        with raise_as_outage():
            return self.archive.load(list(places.values()))

    def _load_all(self, place: Place) -> FrozenStream:
        (frozen,) = self.archive.load([place]).values()
        return replace(frozen, attributes=self.archive.attributes(place))

    def _decode(self, frozen: FrozenStream) -> list[Recorded]:
        """The events of an archived stream; raises UnknownEvent."""
        decode = self.redis.codec.decode
        return [
            Recorded(e.version, decode(e.stored_name, e.data), e.at, e.by, e.previous, head)
            for e, head in zip(frozen.events, frozen.digests, strict=True)
        ]
